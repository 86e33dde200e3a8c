/* Row i of C = A B. Scale is sqrt(Q / 2 + S^2 / 3), where S is the element and
 * Q the sum of its squared terms: rounding errors of an inner product are
 * proportional to its partial sums, and in an order that has nothing to do with
 * the data these are about that large (docs/judging.md, "The numeric gate"). */

#include "whet_task.h"

#include <math.h>

void reference_C(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    const float *a = t->A + row * t->K;
    long n = t->N, k = 0;

    for (long j = 0; j < n; j++)
        value[j] = scale[j] = 0.0;
    /* Four rows of B at once: fewer trips to memory for value and scale. */
    for (; k + 4 <= t->K; k += 4) {
        double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        const float *b = t->B + k * n;

        for (long j = 0; j < n; j++) {
            double p0 = a0 * b[j], p1 = a1 * b[j + n];
            double p2 = a2 * b[j + 2 * n], p3 = a3 * b[j + 3 * n];

            value[j] += (p0 + p1) + (p2 + p3);
            scale[j] += (p0 * p0 + p1 * p1) + (p2 * p2 + p3 * p3);
        }
    }
    for (; k < t->K; k++) {
        const float *b = t->B + k * n;
        double a0 = a[k];

        for (long j = 0; j < n; j++) {
            double product = a0 * b[j];

            value[j] += product;
            scale[j] += product * product;
        }
    }
    for (long j = 0; j < n; j++)
        scale[j] = sqrt(scale[j] / 2.0 + value[j] * value[j] / 3.0);
}
