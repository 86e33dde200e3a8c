/* Element `i` of y is the sum of row i of x: whole numbers within 8, so it is
 * exact in f32 for rows of up to 2^21. */

#include "whet_task.h"

#include <math.h>

void reference_y(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    (void)row; /* the only one */
    for (long r = 0; r < t->rows; r++) {
        const float *x = t->x + r * t->cols;
        float part[16] = {0};
        long c = 0;
        double sum = 0;

        for (; c + 16 <= t->cols; c += 16)
            for (int i = 0; i < 16; i++)
                part[i] += x[c + i];
        for (; c < t->cols; c++)
            sum += x[c];
        for (int i = 0; i < 16; i++)
            sum += part[i];
        value[r] = sum;
        scale[r] = fabs(sum);
    }
}
