/* Two steps of y = 1 - y give y back: row `row` of y is that of x, or 1 minus
 * it if `steps` is odd. */

#include "whet_task.h"

#include <math.h>

void reference_y(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    for (long c = 0; c < t->cols; c++) {
        double x = t->x[row * t->cols + c];

        value[c] = t->steps % 2 ? x * t->s + t->t : x;
        scale[c] = fabs(value[c]);
    }
}
