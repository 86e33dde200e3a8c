/* Statistics of the judge: pure functions over arrays. Blocks are the unit of
 * analysis, since calls within a block share the machine's mood and are not
 * independent. */

#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double whet_stat_quantile(double *values, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t low = (size_t)place;
    double rest = place - (double)low;

    qsort(values, count, sizeof *values, compare_doubles);
    if (low + 1 >= count)
        return values[count - 1];
    return values[low] + rest * (values[low + 1] - values[low]);
}

double whet_stat_median(double *values, size_t count)
{
    return whet_stat_quantile(values, count, 0.5);
}

double whet_stat_t95(unsigned df)
{
    /* 97.5 % quantiles of Student's t, rounded to five digits; beyond the
     * table the Cornish-Fisher expansion around the normal quantile
     * (Abramowitz and Stegun, 26.7.5) is exact to the fourth digit. */
    static const double table[] = {12.706, 4.3027, 3.1824, 2.7764, 2.5706,
                                   2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
                                   2.2010, 2.1788, 2.1604, 2.1448, 2.1314,
                                   2.1199, 2.1098, 2.1009, 2.0930, 2.0860};
    const double z = 1.959963985;

    if (df == 0)
        return INFINITY;
    if (df <= sizeof table / sizeof table[0])
        return table[df - 1];
    return z + (z * z * z + z) / (4.0 * df) +
           (5.0 * pow(z, 5) + 16.0 * pow(z, 3) + 3.0 * z) / (96.0 * df * df);
}

void whet_stat_ratio(double *ratio_out, double *lo_out, double *hi_out,
                     double *error_out, const double *log_ratio, size_t count)
{
    double mean = 0.0, square = 0.0, error, half;
    size_t i;

    for (i = 0; i < count; i++)
        mean += log_ratio[i] / (double)count;
    for (i = 0; i < count; i++)
        square += (log_ratio[i] - mean) * (log_ratio[i] - mean);
    *ratio_out = exp(mean);
    if (count < 2) {
        *error_out = INFINITY;
        *lo_out = 0.0;
        *hi_out = INFINITY;
        return;
    }
    error = sqrt(square / (double)(count - 1) / (double)count);
    half = whet_stat_t95((unsigned)count - 1) * error;
    *error_out = error;
    *lo_out = exp(mean - half);
    *hi_out = exp(mean + half);
}
