/* See task_kit.h. */

#include "task_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

const char task_kit_yaml[] =
    "name: kit\n"
    "summary: Test task\n"
    "op: axpby\n"
    "dims: [rows, {cols: i64}]\n"
    "tensors:\n"
    "  x: {role: in, dtype: f32, shape: [rows, cols], dist: normal}\n"
    "  w: {role: in, dtype: f32, shape: [cols], dist: uniform}\n"
    "  y: {role: out, dtype: f32, shape: [rows, cols]}\n"
    "scalars:\n"
    "  a: {dtype: f32, value: 0.1}\n"
    "  b: {dtype: i32, value: -3}\n"
    "cost: {ops: 3 * rows * cols}\n"
    "numerics: {policy: f32, class: map}\n"
    "workloads:\n"
    "  first: {rows: 64, cols: 100}\n"
    "  second: {rows: 3, cols: 5}\n"
    "edges:\n"
    "  rows: {min: 1, max: 9}\n"
    "  cols: {min: 2, max: 70}\n"
    "edge_where: cols % 2 == 0\n";

const char task_kit_reference[] =
    "#include \"whet_task.h\"\n"
    "#include <math.h>\n"
    "void reference_y(const struct whet_args *t, long row, double *value,\n"
    "                 double *scale)\n"
    "{\n"
    "    for (long c = 0; c < t->cols; c++) {\n"
    "        double x = t->a * t->x[row * t->cols + c];\n"
    "        double w = t->b * t->w[c];\n"
    "        value[c] = x + w;\n"
    "        scale[c] = fabs(x) + fabs(w);\n"
    "    }\n"
    "}\n";

char *task_kit_edit(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *edited;

    assert_non_null(at);
    edited = whet_asprintf("%.*s%s%s", (int)(at - text), text, to,
                           at + strlen(from));
    assert_non_null(edited);
    return edited;
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char *path = whet_fs_join(dir, name);

    assert_non_null(path);
    assert_int_equal(whet_fs_write(path, text, strlen(text), NULL), WHET_OK);
    free(path);
}

char *task_kit_folder(const char *yaml, const char *reference)
{
    char *dir = NULL;

    assert_int_equal(whet_fs_tempdir(&dir, "whet-test-task", NULL), WHET_OK);
    write_file(dir, "task.yaml", yaml);
    if (reference != NULL)
        write_file(dir, "reference.c", reference);
    return dir;
}

whet_task *task_kit_load(const char *dir)
{
    whet_err err = {0};
    whet_task *task = NULL;

    if (whet_task_load(&task, dir, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return task;
}

whet_task *task_kit_parse(const char *yaml)
{
    whet_err err = {0};
    whet_task *task = NULL;

    if (whet_task__parse(&task, yaml, strlen(yaml), "kit", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return task;
}
