/* Vendors' libraries as comparison arms: a twin of the judged arm whose worker
 * calls the library in the plan's place, on the same buffers, filled, verified
 * and timed like any other. */

#include "judge/judge_priv.h"
#include "judge/projection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 6, PAIRS = 5 };

/* Buffers of a plan are the task's tensors first, in their order. */
static bool describe(whet_library_call *call, const whet_arm *arm)
{
    const whet_task *task = arm->judge->task;
    whet_product product;
    unsigned t;

    memset(call, 0, sizeof *call);
    if (!whet_judge__product(&product, task, &arm->judge->opts.workload))
        return false;
    for (t = 0; t < task->tensor_count; t++)
        if (task->tensors[t].dtype != WHET_DTYPE_F32)
            return false;
    call->op = WHET_LIBRARY_GEMM_F32;
    call->buffer[0] = product.a;
    call->buffer[1] = product.b;
    call->buffer[2] = product.c;
    call->size[0] = (int64_t)product.m;
    call->size[1] = (int64_t)product.n;
    call->size[2] = (int64_t)product.k;
    return true;
}

/* What a library says of itself begins with its name; a verdict's words for
 * the same reason are about kernels and plans. */
static void keep_reason(whet_verdict_library *out, const whet_verdict *v)
{
    whet_buf escaped = {0};
    char mark[sizeof out->name + 2];
    const char *own;

    whet_buf_escape(&escaped, v->message, strlen(v->message), false);
    snprintf(mark, sizeof mark, "%s: ", out->name);
    own = strstr(whet_buf_str(&escaped), mark);
    if (own != NULL)
        snprintf(out->text, sizeof out->text, "%.150s", own + strlen(mark));
    else
        snprintf(out->text, sizeof out->text, "%s: %.120s",
                 whet_reason_name(v->reason), whet_buf_str(&escaped));
    whet_buf_deinit(&escaped);
}

static void keep(whet_verdict_library *out, const whet_verdict *v)
{
    out->is_correct = v->outcome == WHET_OUTCOME_CORRECT && v->has_ratio;
    if (!out->is_correct) {
        keep_reason(out, v);
        return;
    }
    out->median_ns = v->candidate_time.median_ns;
    out->call_count = v->candidate_time.call_count;
    /* The comparison had the kernel as its reference. */
    out->ratio = 1.0 / v->ratio;
    out->ratio_lo = 1.0 / v->ratio_hi;
    out->ratio_hi = 1.0 / v->ratio_lo;
}

static whet_status time_library(whet_verdict_library *out, whet_judge *judge,
                                whet_arm *arm, const char *name,
                                const whet_library_call *call, whet_err *err)
{
    whet_protocol protocol = whet_protocol_timing("library", BLOCKS, PAIRS);
    whet_verdict verdict = {0};
    whet_arm twin = *arm;
    whet_status st;

    memset(out, 0, sizeof *out);
    whet_strcopy(out->name, sizeof out->name, name);
    memset(&twin.worker, 0, sizeof twin.worker);
    twin.library = *call;
    whet_strcopy(twin.library.library, sizeof twin.library.library, name);
    st = whet_judge_compare(&verdict, judge, arm, &twin, &protocol, err);
    if (st == WHET_OK)
        keep(out, &verdict);
    whet_verdict_deinit(&verdict);
    return st;
}

whet_status whet_judge_libraries(whet_verdict *verdict, whet_judge *judge,
                                 whet_arm *arm, whet_err *err)
{
    const char *const *names = judge->ops->libraries;
    whet_status st = WHET_OK;
    whet_library_call call;
    uint32_t i;

    verdict->library_count = 0;
    if (names == NULL || judge->opts.under != NULL ||
        verdict->outcome != WHET_OUTCOME_CORRECT || !describe(&call, arm))
        return WHET_OK;
    for (i = 0; st == WHET_OK && names[i] != NULL && i < WHET_LIBRARY_MAX;
         i++) {
        st = time_library(&verdict->libraries[i], judge, arm, names[i], &call,
                          err);
        if (st == WHET_OK)
            verdict->library_count = i + 1;
    }
    return st;
}

json_t *whet_judge__libraries_to_json(const whet_verdict *v)
{
    json_t *array = json_array();
    uint32_t i;

    for (i = 0; i < v->library_count; i++) {
        const whet_verdict_library *l = &v->libraries[i];

        if (!l->is_correct)
            json_array_append_new(array,
                                  json_pack("{s:s,s:b,s:s}", "name", l->name,
                                            "is_correct", 0, "text", l->text));
        else
            json_array_append_new(
                array, json_pack("{s:s,s:b,s:I,s:I,s:f,s:f,s:f}", "name",
                                 l->name, "is_correct", 1, "median_ns",
                                 (json_int_t)l->median_ns, "calls",
                                 (json_int_t)l->call_count, "ratio", l->ratio,
                                 "lo", l->ratio_lo, "hi", l->ratio_hi));
    }
    return array;
}

/* Text that we wrote ourselves comes back short and plain, or not at all. */
static whet_status read_library(whet_verdict_library *l, const json_t *json,
                                whet_err *err)
{
    int64_t median_ns = 0, calls = 0;
    whet_status st;

    if (!json_is_object(json))
        return whet_err_set(err, WHET_EINVAL, "libraries: expected objects");
    if ((st = whet_judge__read_word(l->name, sizeof l->name, json, "name",
                                    err)) != WHET_OK ||
        (st = whet_json_get_bool(&l->is_correct, json, "is_correct", err)) !=
            WHET_OK)
        return st;
    if (!l->is_correct)
        return whet_judge__read_word(l->text, sizeof l->text, json, "text",
                                     err);
    if ((st = whet_json_get_i64(&median_ns, json, "median_ns", 1, INT64_MAX,
                                err)) != WHET_OK ||
        (st = whet_json_get_i64(&calls, json, "calls", 1, UINT32_MAX, err)) !=
            WHET_OK ||
        (st = whet_json_get_f64(&l->ratio, json, "ratio", err)) != WHET_OK ||
        (st = whet_json_get_f64(&l->ratio_lo, json, "lo", err)) != WHET_OK ||
        (st = whet_json_get_f64(&l->ratio_hi, json, "hi", err)) != WHET_OK)
        return st;
    l->median_ns = (uint64_t)median_ns;
    l->call_count = (uint32_t)calls;
    if (!(l->ratio_lo > 0 && l->ratio_lo <= l->ratio &&
          l->ratio <= l->ratio_hi && isfinite(l->ratio_hi)))
        return whet_err_set(err, WHET_EINVAL,
                            "libraries: expected 0 < lo <= ratio <= hi");
    return WHET_OK;
}

whet_status whet_judge__libraries_from_json(whet_verdict *v, const json_t *json,
                                            whet_err *err)
{
    whet_status st = WHET_OK;
    json_t *array;
    size_t i;

    /* Older verdicts lack it. */
    if (json_object_get(json, "libraries") == NULL)
        return WHET_OK;
    st = whet_json_get_array(&array, json, "libraries", err);
    if (st == WHET_OK && json_array_size(array) > WHET_LIBRARY_MAX)
        st = whet_err_set(err, WHET_EINVAL, "libraries: %zu entries",
                          json_array_size(array));
    for (i = 0; st == WHET_OK && i < json_array_size(array); i++) {
        st = read_library(&v->libraries[i], json_array_get(array, i), err);
        if (st == WHET_OK)
            v->library_count = (uint32_t)i + 1;
    }
    return st;
}

void whet_judge__libraries_print(whet_buf *out, const whet_verdict *v)
{
    uint32_t i;

    for (i = 0; i < v->library_count; i++) {
        const whet_verdict_library *l = &v->libraries[i];
        char median[32];

        whet_duration_format(median, l->median_ns);
        if (l->is_correct)
            whet_buf_printf(out,
                            "  %-10s median %s over %u calls; the candidate "
                            "runs at %.2f [%.2f, %.2f] of its speed\n",
                            l->name, median, l->call_count, l->ratio,
                            l->ratio_lo, l->ratio_hi);
        else
            whet_buf_printf(out, "  %-10s no time: %s\n", l->name, l->text);
    }
}
