/* One row of y = x * w / sqrt(mean(x^2) + eps). All terms of the sum are
 * positive and the rest multiplies, so errors are relative to |y|. */

#include "whet_task.h"

#include <math.h>

void reference_y(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    const float *x = t->x + row * t->cols;
    double part[8] = {0.0};
    double sum = 0.0, factor;
    long c = 0;

    /* Eight sums side by side: one addition need not wait for the last. */
    for (; c + 8 <= t->cols; c += 8) {
        for (int i = 0; i < 8; i++)
            part[i] += (double)x[c + i] * x[c + i];
    }
    for (; c < t->cols; c++)
        sum += (double)x[c] * x[c];
    for (int i = 0; i < 8; i++)
        sum += part[i];
    factor = 1.0 / sqrt(sum / t->cols + t->eps);
    for (c = 0; c < t->cols; c++) {
        double y = x[c] * factor * t->w[c];

        value[c] = y;
        scale[c] = fabs(y);
    }
}
