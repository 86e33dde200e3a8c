/* Plots made of characters: bars of eighths where block characters may be
 * used, whole rows otherwise. */

#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    COLUMNS_DEFAULT = 60,
    COLUMNS_MAX = 200,
    ROWS_DEFAULT = 8,
    ROWS_MIN = 2,
    ROWS_MAX = 40,
    EIGHTHS = 8,
    LABEL_COLUMNS = 9
};

static const double log_from_ratio = 8;

/* Bars of 0 to 8 eighths; 0 is a gap. */
static const char *const blocks[EIGHTHS + 1] = {" ",      "\u2581", "\u2582",
                                                "\u2583", "\u2584", "\u2585",
                                                "\u2586", "\u2587", "\u2588"};
static const char *const ascii[EIGHTHS + 1] = {" ", "_", ".", ":", "-",
                                               "=", "+", "*", "#"};

/* The ways of mapping values onto [0, 1]. */
struct scale {
    double low, high;
    bool is_log;
};

bool whet_plot_has_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *term = getenv("TERM");
    const char *value = NULL;

    for (size_t i = 0; i < 3 && (value == NULL || value[0] == '\0'); i++)
        value = getenv(names[i]);
    if (value == NULL || (term != NULL && strcmp(term, "dumb") == 0))
        return false;
    return strcasestr(value, "UTF-8") != NULL ||
           strcasestr(value, "UTF8") != NULL;
}

/* Largest finite value of bin `column`; NaN if it has none. A bin is never
 * empty: it holds at least the value at its start. */
static double bin(const double *values, size_t count, size_t columns,
                  size_t column)
{
    size_t first = (size_t)((double)count * (double)column / (double)columns);
    size_t last =
        (size_t)((double)count * (double)(column + 1) / (double)columns);
    double best = NAN;

    for (size_t i = first; i < count && (i == first || i < last); i++)
        if (isfinite(values[i]) && !(best >= values[i]))
            best = values[i];
    return best;
}

static struct scale range_of(const double *values, size_t count)
{
    struct scale scale = {.low = NAN, .high = NAN};

    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        if (!(scale.low <= values[i]))
            scale.low = values[i];
        if (!(scale.high >= values[i]))
            scale.high = values[i];
    }
    return scale;
}

/* Neither the span nor the quotient of finite values need be finite. */
static double place(const struct scale *scale, double value)
{
    double span = scale->high / 2 - scale->low / 2;

    if (scale->is_log)
        return (log(value) - log(scale->low)) /
               (log(scale->high) - log(scale->low));
    return span > 0 ? (value / 2 - scale->low / 2) / span : 0;
}

static double value_at(const struct scale *scale, double part)
{
    if (scale->is_log)
        return exp(log(scale->low) * (1 - part) + log(scale->high) * part);
    return scale->low * (1 - part) + scale->high * part;
}

void whet_plot_sparkline(whet_buf *out, const double *values, size_t count,
                         unsigned columns, bool has_unicode)
{
    struct scale scale = range_of(values, count);
    const char *const *bars = has_unicode ? blocks : ascii;

    if (columns > count)
        columns = (unsigned)count;
    for (unsigned i = 0; i < columns; i++) {
        double value = bin(values, count, columns, i);
        /* The least value still shows. */
        int eighths =
            isnan(value)
                ? 0
                : 1 + (int)lround(place(&scale, value) * (EIGHTHS - 1));

        whet_buf_puts(out, bars[eighths]);
    }
}

/* Seven significant columns at most, whatever the value. */
static void put_label(whet_buf *out, double value)
{
    char text[32];

    snprintf(text, sizeof text,
             fabs(value) >= 9999.5 || fabs(value) < 0.01 ? "%.2gx" : "%.2fx",
             value);
    whet_buf_printf(out, "%*s", LABEL_COLUMNS, text);
}

/* The highest and lowest values at their ends, the middle of the middle row,
 * and nothing twice. */
static void put_y_axis(whet_buf *out, const struct scale *scale, unsigned row,
                       unsigned rows)
{
    double middle = (double)(row * EIGHTHS + EIGHTHS / 2 - 1) /
                    (double)(rows * EIGHTHS - 1);

    if (row == 0)
        put_label(out, scale->low);
    else if (scale->high > scale->low && row == rows - 1)
        put_label(out, scale->high);
    else if (scale->high > scale->low && row == rows / 2)
        put_label(out, value_at(scale, middle));
    else
        whet_buf_printf(out, "%*s", LABEL_COLUMNS, "");
}

static void put_row(whet_buf *out, const int *heights, unsigned columns,
                    unsigned row, bool has_unicode)
{
    whet_buf row_text = {0};
    size_t used = 0;

    for (unsigned i = 0; i < columns; i++) {
        int left = heights[i] - (int)row * EIGHTHS;

        left = left < 0 ? 0 : left > EIGHTHS ? EIGHTHS : left;
        if (!has_unicode && left > 0)
            left = left >= EIGHTHS / 2 ? EIGHTHS : 1;
        whet_buf_puts(&row_text, has_unicode ? blocks[left] : ascii[left]);
        if (left > 0)
            used = row_text.bytes;
    }
    whet_buf_add(out, whet_buf_str(&row_text), used);
    out->failed |= row_text.failed;
    whet_buf_deinit(&row_text);
}

static void put_x_axis(whet_buf *out, size_t count, unsigned columns,
                       const whet_plot_opts *opts, const struct scale *scale)
{
    char end[32];
    int bytes = snprintf(end, sizeof end, "%zu", count);

    whet_buf_printf(out, "%*s%s", LABEL_COLUMNS + 1, "",
                    opts->has_unicode ? "\u2514" : "+");
    for (unsigned i = 0; i < columns; i++)
        whet_buf_puts(out, opts->has_unicode ? "\u2500" : "-");
    whet_buf_printf(out, "\n%*s1%*s %s%s\n", LABEL_COLUMNS + 2, "",
                    (int)columns - 1 > bytes ? (int)columns - 1 : bytes + 1,
                    end, opts->x_word != NULL ? opts->x_word : "evaluations",
                    scale->is_log ? ", log scale" : "");
}

static unsigned within(unsigned value, unsigned fallback, unsigned least,
                       unsigned most)
{
    if (value == 0)
        return fallback;
    return value < least ? least : value > most ? most : value;
}

static struct scale scale_of(const double *best, size_t count)
{
    struct scale scale = range_of(best, count);

    if (scale.low > 1)
        scale.low = 1;
    scale.is_log = scale.low > 0 && scale.high > log_from_ratio * scale.low;
    return scale;
}

void whet_plot_progress(whet_buf *out, const double *best, size_t count,
                        const whet_plot_opts *opts)
{
    unsigned columns = within(opts->columns, COLUMNS_DEFAULT, 1, COLUMNS_MAX);
    unsigned rows = within(opts->rows, ROWS_DEFAULT, ROWS_MIN, ROWS_MAX);
    struct scale scale = scale_of(best, count);
    int heights[COLUMNS_MAX];

    if (isnan(scale.high)) {
        whet_buf_puts(out, "nothing to plot yet\n");
        return;
    }
    if (columns > count)
        columns = (unsigned)count;
    for (unsigned i = 0; i < columns; i++) {
        double value = bin(best, count, columns, i);

        /* A value at the foot of the axis still shows, unlike a gap. */
        heights[i] = isnan(value)
                         ? 0
                         : 1 + (int)lround(place(&scale, value) *
                                           (double)(rows * EIGHTHS - 1));
    }
    for (unsigned row = rows; row-- > 0;) {
        put_y_axis(out, &scale, row, rows);
        whet_buf_puts(out, opts->has_unicode ? " \u2502" : " |");
        put_row(out, heights, columns, row, opts->has_unicode);
        whet_buf_puts(out, "\n");
    }
    put_x_axis(out, count, columns, opts, &scale);
}
