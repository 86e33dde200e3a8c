/* Row i of C = A B. Scale is the row of |A| |B|: what rounding errors of an
 * inner product are proportional to, however much of it cancels. */

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
            scale[j] += (fabs(p0) + fabs(p1)) + (fabs(p2) + fabs(p3));
        }
    }
    for (; k < t->K; k++) {
        const float *b = t->B + k * n;
        double a0 = a[k];

        for (long j = 0; j < n; j++) {
            double product = a0 * b[j];

            value[j] += product;
            scale[j] += fabs(product);
        }
    }
}
