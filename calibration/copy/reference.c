/* Row `row` of y is row `row` of x. */

#include "whet_task.h"

#include <math.h>

void reference_y(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    for (long c = 0; c < t->cols; c++) {
        value[c] = t->x[row * t->cols + c];
        scale[c] = fabs(value[c]);
    }
}
