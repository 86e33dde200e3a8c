/* Candidate files: any bytes are parsed or refused with a message; whatever
 * binds passes the check that a worker applies to it. The first byte picks the
 * language. */

#include "candidate/candidate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static whet_expr *parse(const char *text)
{
    whet_expr *expr = NULL;
    whet_status st = whet_expr_parse(&expr, text, strlen(text), NULL);

    assert(st == WHET_OK);
    (void)st;
    return expr;
}

static void make_task(whet_task *task)
{
    static const char *const tensors[] = {"x", "w", "y"};

    task->dim_count = 2;
    whet_strcopy(task->dims[0].name, WHET_NAME_BYTES, "rows");
    whet_strcopy(task->dims[1].name, WHET_NAME_BYTES, "cols");
    task->dims[1].is_i64 = true;
    task->tensor_count = 3;
    for (unsigned i = 0; i < 3; i++) {
        whet_strcopy(task->tensors[i].name, WHET_NAME_BYTES, tensors[i]);
        task->tensors[i].role = i == 2 ? WHET_ROLE_OUT : WHET_ROLE_IN;
        task->tensors[i].dtype = WHET_DTYPE_F32;
        task->tensors[i].rank = 1;
        task->tensors[i].shape[0] = parse("rows * cols");
    }
    task->scalar_count = 1;
    task->scalars[0] = (whet_scalar){"eps", WHET_DTYPE_F32, 0.5};
}

static void bind(const whet_candidate *candidate, const whet_task *task)
{
    static const whet_limits limits = {64,
                                       80,
                                       65536,
                                       1024,
                                       {1024, 1024, 64},
                                       {1 << 20, 65535, 65535},
                                       (uint64_t)1 << 34};
    static const whet_limits unknown = {0};
    static const whet_workload workload = {"w", {8, 100}};
    const uint64_t count = whet_candidate_point_count(candidate);

    for (uint64_t i = 0; i < count && i < 4; i++) {
        whet_point point = whet_candidate_point_at(candidate, i), again;
        whet_bound_plan bound;
        char text[WHET_TUNABLE_MAX * (WHET_NAME_BYTES + 24)];
        char defines[WHET_TUNABLE_MAX][WHET_NAME_BYTES + 32];
        whet_err err = {0};
        whet_status st =
            whet_candidate_bind(&bound, candidate, &point, task, &workload,
                                i % 2 == 0 ? &limits : &unknown, &err);

        assert(st == WHET_OK ? whet_bound_plan_check(&bound, &err) == WHET_OK
                             : err.msg[0] != '\0');
        whet_point_format(text, sizeof text, candidate, &point);
        assert(whet_point_parse(&again, candidate, text, &err) == WHET_OK);
        assert(memcmp(&again, &point, sizeof point) == 0);
        whet_candidate_defines(defines, candidate, &point);
        whet_candidate_hash(candidate, &point);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const languages[] = {"opencl", "triton", "cuda", NULL};
    whet_task *task;
    whet_candidate *candidate = NULL;
    whet_err err = {0};
    whet_status st;

    if (size == 0)
        return 0;
    task = calloc(1, sizeof *task);
    if (task == NULL)
        return 0;
    make_task(task);
    st = whet_candidate_parse(&candidate, (const char *)data + 1, size - 1,
                              "input.cl", languages[data[0] % 4], task, &err);
    assert((st == WHET_OK) == (candidate != NULL));
    if (candidate != NULL)
        bind(candidate, task);
    else
        assert(err.msg[0] != '\0');
    whet_candidate_free(candidate);
    for (unsigned i = 0; i < task->tensor_count; i++)
        whet_expr_free(task->tensors[i].shape[0]);
    free(task);
    return 0;
}
