#ifndef WHET_REPORT_H
#define WHET_REPORT_H

/* Results for people on a terminal: tables and small plots. Everything goes
 * to a whet_buf, so that callers decide where it is shown. Cells are outside
 * text: they are escaped here. */

#include "base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_TABLE_COLUMN_MAX = 16,
    WHET_TABLE_WIDTH = 100 /**< Default budget, terminal columns. */
};

/**
 * Terminal columns that UTF-8 text takes: combining marks 0, wide East Asian
 * characters and emoji 2. Bytes that are not UTF-8 count 1 each.
 */
size_t whet_text_columns(const char *text, size_t bytes);

typedef enum whet_align {
    WHET_ALIGN_LEFT = 0,
    WHET_ALIGN_RIGHT /**< Numbers. */
} whet_align;

/** One column. */
typedef struct whet_table_column {
    const char *title;
    whet_align align;
    bool is_whole; /**< Never cut: numbers, and ids that people copy. */
} whet_table_column;

/** A table being filled; one thread. Made by whet_table_init. */
typedef struct whet_table {
    const whet_table_column *columns; /**< Borrowed. */
    unsigned column_count;
    unsigned width;  /**< Budget; WHET_TABLE_WIDTH unless changed. */
    unsigned indent; /**< Spaces in front of each line; 0 unless changed. */
    char **cells;    /**< Escaped, row by row; owned. */
    size_t cell_count, cell_alloc;
    bool failed; /**< Out of memory: rows are missing. */
} whet_table;

/**
 * Start an empty table.
 *
 * @param columns  1 to WHET_TABLE_COLUMN_MAX, borrowed until deinit
 */
void whet_table_init(whet_table *table, const whet_table_column *columns,
                     unsigned column_count);

/** Append a row of column_count texts, copied and escaped. NULL means unknown
 *  and is shown as "n/a", "" as "-". An unfinished row is filled up first. */
void whet_table_add_row(whet_table *table, const char *const *cells);

/** Append the next cell; a row is full after column_count of them. "" is
 *  shown as "-". */
void whet_table_add_cell(whet_table *table, const char *fmt, ...)
    WHET_PRINTF(2, 3);

/** Rows so far, an unfinished one included. */
size_t whet_table_row_count(const whet_table *table);

/**
 * Append titles, an underline and the rows. Columns are as wide as they need;
 * if that exceeds the budget, the widest that may be cut are cut to equal
 * width, and their long cells end in "...". Only columns that are whole can
 * make a line longer than the budget. Sets out->failed if rows are missing.
 */
void whet_table_print(whet_buf *out, const whet_table *table);

/** Release the cells. */
void whet_table_deinit(whet_table *table);

/** May plots use block characters? True if the environment names a UTF-8
 *  locale (LC_ALL, LC_CTYPE, LANG, the first that is set) and TERM is not
 *  "dumb". */
bool whet_plot_has_unicode(void);

typedef struct whet_plot_opts {
    unsigned columns;   /**< Of the plot itself; 0 = 60, at most 200. */
    unsigned rows;      /**< Of the plot itself; 0 = 8, 2 to 40. */
    bool has_unicode;   /**< Block characters, else ASCII. */
    const char *x_word; /**< What is counted; NULL = "evaluations". */
} whet_plot_opts;

/**
 * Append one line of bars without a line end, the least value lowest.
 *
 * @param values  finite ones are drawn, others leave a gap
 * @param columns  at most this many; values that share a column show their
 *                 largest
 */
void whet_plot_sparkline(whet_buf *out, const double *values, size_t count,
                         unsigned columns, bool has_unicode);

/**
 * Append a bar plot of progress with both axes, several lines.
 *
 * @param best  best ratio known after evaluation i + 1; NaN = none yet
 *
 * Values that share a column show their largest. The upright axis starts at 1
 * (or the least value below it) and is logarithmic, which its label says, once
 * the largest value exceeds the start eightfold. Without any finite value one
 * line says so.
 */
void whet_plot_progress(whet_buf *out, const double *best, size_t count,
                        const whet_plot_opts *opts);

#ifdef __cplusplus
}
#endif

#endif /* WHET_REPORT_H */
