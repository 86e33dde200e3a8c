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

double whet_stat_z(double p)
{
    double low = 0.0, high = 40.0; /* beyond any p that a double holds */
    int i;

    for (i = 0; i < 60; i++) {
        double middle = (low + high) / 2.0;

        if (0.5 * erfc(middle / sqrt(2.0)) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Sums over groups of values. */
struct groups {
    unsigned count;    /* groups */
    double mean;       /* of the groups' means */
    double within;     /* squares around the groups' means */
    double reciprocal; /* sum of 1 / size */
};

static unsigned group_of(const unsigned *group, size_t i)
{
    return group != NULL ? group[i] : (unsigned)i;
}

/* Values of one group follow each other: [from, return value). */
static size_t group_end(const unsigned *group, size_t from, size_t count)
{
    size_t to = from;

    while (to < count && group_of(group, to) == group_of(group, from))
        to++;
    return to;
}

static double mean_of(const double *values, size_t from, size_t to)
{
    double sum = 0.0;
    size_t i;

    for (i = from; i < to; i++)
        sum += values[i];
    return sum / (double)(to - from);
}

static struct groups sum_groups(const double *values, const unsigned *group,
                                size_t count)
{
    struct groups g = {0};
    size_t from, to, i;

    for (from = 0; from < count; from = to) {
        double mean;

        to = group_end(group, from, count);
        mean = mean_of(values, from, to);
        for (i = from; i < to; i++)
            g.within += (values[i] - mean) * (values[i] - mean);
        g.mean += mean;
        g.reciprocal += 1.0 / (double)(to - from);
        g.count++;
    }
    g.mean /= g.count;
    return g;
}

/* Squares of the groups' means around their mean. */
static double between(const struct groups *g, const double *values,
                      const unsigned *group, size_t count)
{
    double square = 0.0;
    size_t from, to;

    for (from = 0; from < count; from = to) {
        double off;

        to = group_end(group, from, count);
        off = mean_of(values, from, to) - g->mean;
        square += off * off;
    }
    return square;
}

whet_stat_estimate whet_stat_grouped(const double *values,
                                     const unsigned *group, size_t count)
{
    struct groups g = sum_groups(values, group, count);
    whet_stat_estimate out = {.mean = g.mean};
    unsigned df = (unsigned)count - g.count;
    double error, half;

    if (count < 2) {
        out.error = out.half = INFINITY;
        return out;
    }
    if (df > 0) {
        out.error = sqrt(g.within / df * g.reciprocal) / g.count;
        out.half = whet_stat_t95(df) * out.error;
    }
    if (g.count < 2)
        return out;
    error = sqrt(between(&g, values, group, count) / (g.count - 1.0) / g.count);
    half = whet_stat_t95(g.count - 1) * error;
    out.error = error > out.error ? error : out.error;
    out.half = half > out.half ? half : out.half;
    return out;
}

bool whet_stat_is_bimodal(double *values, size_t count)
{
    const size_t least = 20;
    const double share = 0.1, apart = 1.05, explained = 0.85;
    double sum = 0.0, square = 0.0, low = 0.0, total, best = 0.0;
    size_t i, cut = 0;

    if (count < least)
        return false;
    qsort(values, count, sizeof *values, compare_doubles);
    for (i = 0; i < count; i++) {
        /* Around the smallest, so that the difference of squares is exact
         * enough. */
        double x = log(values[i] / values[0]);

        sum += x;
        square += x * x;
    }
    total = square - sum * sum / (double)count;
    for (i = 1; i < count; i++) {
        double n = (double)i, rest = (double)(count - i), gap;

        low += log(values[i - 1] / values[0]);
        gap = (sum - low) / rest - low / n;
        if (n < share * (double)count || rest < share * (double)count ||
            gap < log(apart) || n * rest / (double)count * gap * gap <= best)
            continue;
        best = n * rest / (double)count * gap * gap;
        cut = i;
    }
    return cut > 0 && best > explained * total;
}
