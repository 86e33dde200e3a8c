/* Whole numbers throughout: the products and their sums are exact in f32 (in
 * i32 for i8), since a sum returns to zero every second step. */

#include "whet_task.h"

#include <math.h>

void reference_y(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    const float *a = t->A + row % t->m * t->k;
    double unit = ldexp(1, (int)t->bits);

    for (long c = 0; c < t->n; c++) {
        const float *b = t->B + c * t->k;
        double sum = 0;

        if (t->steps % 2)
            for (long i = 0; i < t->k; i++)
                sum += rint(unit * a[i]) * rint(unit * b[i]);
        value[c] = sum;
        scale[c] = fabs(sum);
    }
}
