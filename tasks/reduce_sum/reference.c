/* The sum of x. Scale is the sum of |x|. */

#include "whet_task.h"

#include <math.h>

void reference_out(const struct whet_args *t, long row, double *value,
                   double *scale)
{
    double sums[16] = {0.0}, sizes[16] = {0.0};
    double sum = 0.0, size = 0.0;
    long i = 0;

    (void)row; /* the only one */
    /* Sixteen sums side by side: one addition need not wait for the last. */
    for (; i + 16 <= t->n; i += 16) {
        for (int j = 0; j < 16; j++) {
            sums[j] += t->x[i + j];
            sizes[j] += fabs(t->x[i + j]);
        }
    }
    for (; i < t->n; i++) {
        sum += t->x[i];
        size += fabs(t->x[i]);
    }
    for (int j = 0; j < 16; j++) {
        sum += sums[j];
        size += sizes[j];
    }
    value[0] = sum;
    scale[0] = size;
}
