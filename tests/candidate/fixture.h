#ifndef WHET_TEST_CANDIDATE_FIXTURE_H
#define WHET_TEST_CANDIDATE_FIXTURE_H

/* A small task made by hand, so that these tests need no files: x[rows][cols]
 * and w[cols] in, y[rows][cols] out, a float and an integer scalar, and a dim
 * `total` that is written i64. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "candidate/candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    whet_task task;
    whet_workload workload;
} fixture;

static inline whet_expr *fixture_expr(const char *text)
{
    whet_expr *expr = NULL;

    assert_int_equal(whet_expr_parse(&expr, text, strlen(text), NULL), WHET_OK);
    return expr;
}

static inline int fixture_setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    whet_task *task = &f->task;

    assert_non_null(f);
    whet_strcopy(task->name, sizeof task->name, "rows");
    task->dim_count = 3;
    whet_strcopy(task->dims[0].name, WHET_NAME_BYTES, "rows");
    whet_strcopy(task->dims[1].name, WHET_NAME_BYTES, "cols");
    whet_strcopy(task->dims[2].name, WHET_NAME_BYTES, "total");
    task->dims[2].is_i64 = true;
    task->tensor_count = 3;
    task->tensors[0] =
        (whet_tensor){"x",
                      WHET_ROLE_IN,
                      WHET_DTYPE_F32,
                      2,
                      {fixture_expr("rows"), fixture_expr("cols")},
                      WHET_DIST_NORMAL,
                      0};
    task->tensors[1] =
        (whet_tensor){"w", WHET_ROLE_IN,           WHET_DTYPE_F32,
                      1,   {fixture_expr("cols")}, WHET_DIST_NORMAL,
                      0};
    task->tensors[2] = task->tensors[0];
    whet_strcopy(task->tensors[2].name, WHET_NAME_BYTES, "y");
    task->tensors[2].role = WHET_ROLE_OUT;
    task->tensors[2].shape[0] = fixture_expr("rows");
    task->tensors[2].shape[1] = fixture_expr("cols");
    task->scalar_count = 2;
    task->scalars[0] = (whet_scalar){"eps", WHET_DTYPE_F32, 0.1};
    task->scalars[1] = (whet_scalar){"shift", WHET_DTYPE_I32, -3};
    f->workload = (whet_workload){"small", {8, 100, 5000000000}};
    *state = f;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    fixture *f = *state;

    for (unsigned i = 0; i < f->task.tensor_count; i++) {
        for (unsigned d = 0; d < f->task.tensors[i].rank; d++)
            whet_expr_free(f->task.tensors[i].shape[d]);
    }
    free(f);
    return 0;
}

/** A whole OpenCL file around the YAML of a plan. Caller frees. */
static inline char *fixture_file(const char *plan)
{
    char *text =
        whet_asprintf("/* whet:\n%s*/\n__kernel void k(void) {}\n", plan);

    assert_non_null(text);
    return text;
}

/** Parse a plan that must be accepted. Caller frees. */
static inline whet_candidate *fixture_parse(const fixture *f, const char *plan)
{
    char *text = fixture_file(plan);
    whet_candidate *candidate = NULL;
    whet_err err = {0};
    whet_status st = whet_candidate_parse(&candidate, text, strlen(text),
                                          "k.cl", NULL, &f->task, &err);

    assert_string_equal(err.msg, "");
    assert_int_equal(st, WHET_OK);
    assert_non_null(candidate);
    free(text);
    return candidate;
}

/** Parse a plan that must be refused with exactly this message. */
static inline void fixture_refuse(const fixture *f, const char *plan,
                                  const char *message)
{
    char *text = fixture_file(plan);
    whet_candidate *candidate = NULL;
    whet_err err = {0};

    assert_int_equal(whet_candidate_parse(&candidate, text, strlen(text),
                                          "k.cl", NULL, &f->task, &err),
                     WHET_EINVAL);
    assert_string_equal(err.msg, message);
    assert_null(candidate);
    free(text);
}

#define FIXTURE_TEST(name)                                                     \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

#endif /* WHET_TEST_CANDIDATE_FIXTURE_H */
