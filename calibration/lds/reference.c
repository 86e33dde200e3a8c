/* Row g of y is `steps` times the sum of row g of x, in each element. Whole
 * numbers within 8: exact in f32 while steps <= 512. */

#include "whet_task.h"

#include <math.h>

void reference_y(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    double sum = 0;

    for (long c = 0; c < 4096; c++)
        sum += t->x[row * 4096 + c];
    for (long c = 0; c < 256; c++) {
        value[c] = sum * t->steps;
        scale[c] = fabs(value[c]);
    }
}
