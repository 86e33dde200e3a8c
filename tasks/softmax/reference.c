/* One row of y = exp(x - m) / sum(exp(x - m)), m the row's maximum.
 *
 * Scale is y * (1 + (|x| + |m|) / 8). An error e in the argument of exp is a
 * relative error e of the result, and an honest kernel makes such errors in
 * proportion to |x| and |m|: it rounds x - m, or x * log2(e) and m * log2(e)
 * before a base-2 exponential, or rescales by exp(m_old - m) again and again.
 * The class `exp` allows at least 22 u * scale, so 2.75 u (|x| + |m|) are
 * covered even in the shortest row. */

#include "whet_task.h"

#include <math.h>

void reference_y(const struct whet_args *t, long row, double *value,
                 double *scale)
{
    const float *x = t->x + row * t->cols;
    double max = x[0], sum = 0.0, factor;

    for (long c = 1; c < t->cols; c++)
        max = x[c] > max ? x[c] : max;
    for (long c = 0; c < t->cols; c++) {
        value[c] = exp(x[c] - max);
        sum += value[c];
    }
    factor = 1.0 / sum;
    for (long c = 0; c < t->cols; c++) {
        value[c] *= factor;
        scale[c] = value[c] * (1.0 + (fabs(x[c]) + fabs(max)) * 0.125);
    }
}
