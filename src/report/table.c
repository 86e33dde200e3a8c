/* Text tables. Cells are escaped when they come in, so that widths are those
 * of what is shown. */

#include "report/report_priv.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,
    CUT_MIN = 6, /* "abc..." still tells cells apart */
    ELLIPSIS_BYTES = 3,
    /* Beyond any budget: keeps the arithmetic on widths small. */
    NATURAL_MAX = 4096
};

void whet_table_init(whet_table *table, const whet_table_column *columns,
                     unsigned column_count)
{
    assert(column_count >= 1 && column_count <= WHET_TABLE_COLUMN_MAX);
    *table = (whet_table){.columns = columns,
                          .column_count = column_count,
                          .width = WHET_TABLE_WIDTH};
}

/* A cell lost to memory must not shift the ones after it: then nothing more
 * is taken in. */
static void add(whet_table *table, const char *text)
{
    whet_buf cell = {0};

    if (table->failed)
        return;
    if (text == NULL)
        text = "n/a";
    else if (text[0] == '\0')
        text = "-";
    whet_buf_escape(&cell, text, strlen(text), false);
    if (cell.failed ||
        !whet_vec_reserve((void **)&table->cells, &table->cell_alloc,
                          table->cell_count + 1, sizeof *table->cells)) {
        whet_buf_deinit(&cell);
        table->failed = true;
        return;
    }
    table->cells[table->cell_count++] = cell.data;
}

void whet_table_add_row(whet_table *table, const char *const *cells)
{
    while (!table->failed && table->cell_count % table->column_count != 0)
        add(table, NULL);
    for (unsigned i = 0; i < table->column_count; i++)
        add(table, cells[i]);
}

void whet_table_add_cell(whet_table *table, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    int bytes;

    va_start(args, fmt);
    bytes = vasprintf(&text, fmt, args);
    va_end(args);
    if (bytes < 0) {
        table->failed = true;
        return;
    }
    add(table, text);
    free(text);
}

size_t whet_table_row_count(const whet_table *table)
{
    return (table->cell_count + table->column_count - 1) / table->column_count;
}

void whet_table_deinit(whet_table *table)
{
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (whet_table){0};
}

static size_t natural_width(const char *text)
{
    size_t columns = whet_text_columns(text, strlen(text));

    return columns < NATURAL_MAX ? columns : NATURAL_MAX;
}

static size_t total_width(const whet_table *table, const size_t *widths)
{
    size_t total = table->indent + (size_t)GAP * (table->column_count - 1);

    for (unsigned i = 0; i < table->column_count; i++)
        total += widths[i];
    return total;
}

/* Takes single columns off the widest until the line fits: at most
 * WHET_TABLE_COLUMN_MAX * NATURAL_MAX cheap steps. */
static void shrink(const whet_table *table, size_t *widths)
{
    size_t total = total_width(table, widths);

    while (total > table->width) {
        size_t *widest = NULL;

        for (unsigned i = 0; i < table->column_count; i++)
            if (!table->columns[i].is_whole && widths[i] > CUT_MIN &&
                (widest == NULL || widths[i] > *widest))
                widest = &widths[i];
        if (widest == NULL)
            return;
        --*widest;
        --total;
    }
}

static void measure(const whet_table *table, size_t *widths)
{
    for (unsigned i = 0; i < table->column_count; i++)
        widths[i] = natural_width(table->columns[i].title);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t *width = &widths[i % table->column_count];
        size_t need = natural_width(table->cells[i]);

        if (need > *width)
            *width = need;
    }
    shrink(table, widths);
}

/* Spaces are held back in *pending until something follows them, so that no
 * line ends in spaces. */
static void put_cell(whet_buf *out, size_t *pending, const char *text,
                     size_t width, whet_align align)
{
    size_t bytes = strlen(text), columns, pad;
    size_t kept = whet_report__cut(&columns, text, bytes, width);
    bool is_cut = kept < bytes;

    if (is_cut) {
        kept = whet_report__cut(&columns, text, bytes, width - ELLIPSIS_BYTES);
        columns += ELLIPSIS_BYTES;
    }
    pad = width - columns;
    if (align == WHET_ALIGN_RIGHT)
        *pending += pad;
    if (bytes > 0) {
        whet_buf_printf(out, "%*s", (int)*pending, "");
        *pending = 0;
        whet_buf_add(out, text, kept);
        if (is_cut)
            whet_buf_puts(out, "...");
    }
    if (align == WHET_ALIGN_LEFT)
        *pending += pad;
}

static void put_line(whet_buf *out, const whet_table *table,
                     const size_t *widths, const char *const *cells)
{
    size_t pending = table->indent;

    for (unsigned i = 0; i < table->column_count; i++) {
        put_cell(out, &pending, cells[i] != NULL ? cells[i] : "", widths[i],
                 table->columns[i].align);
        pending += GAP;
    }
    whet_buf_puts(out, "\n");
}

static void put_underline(whet_buf *out, const whet_table *table,
                          const size_t *widths)
{
    whet_buf_printf(out, "%*s", (int)table->indent, "");
    for (unsigned i = 0; i < table->column_count; i++) {
        if (i > 0)
            whet_buf_printf(out, "%*s", GAP, "");
        for (size_t j = 0; j < widths[i]; j++)
            whet_buf_puts(out, "-");
    }
    whet_buf_puts(out, "\n");
}

void whet_table_print(whet_buf *out, const whet_table *table)
{
    const char *line[WHET_TABLE_COLUMN_MAX];
    size_t widths[WHET_TABLE_COLUMN_MAX];
    size_t at = 0;

    measure(table, widths);
    for (unsigned i = 0; i < table->column_count; i++)
        line[i] = table->columns[i].title;
    put_line(out, table, widths, line);
    put_underline(out, table, widths);
    while (at < table->cell_count) {
        for (unsigned i = 0; i < table->column_count; i++, at++)
            line[i] = at < table->cell_count ? table->cells[at] : NULL;
        put_line(out, table, widths, line);
    }
    if (table->failed)
        out->failed = true;
}
