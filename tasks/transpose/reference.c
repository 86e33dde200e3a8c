/* Row `row` of B is column `row` of A. Nothing is computed, so the scale only
 * says how large the element is. */

#include "whet_task.h"

#include <math.h>

void reference_B(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    for (long r = 0; r < t->rows; r++) {
        value[r] = t->A[r * t->cols + row];
        scale[r] = fabs(value[r]);
    }
}
