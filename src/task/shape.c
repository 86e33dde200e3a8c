/* Sizes of a task under a workload: extents, cost, parsing and formatting of
 * workloads, and the hidden edge shapes. */

#include "task/task_priv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int whet_task__dim_index(const whet_task *task, const char *name)
{
    for (unsigned i = 0; i < task->dim_count; i++) {
        if (strcmp(task->dims[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

whet_status whet_task__eval(int64_t *out, const whet_task *task,
                            const whet_workload *workload,
                            const whet_expr *expr, whet_err *err)
{
    const char *names[WHET_DIM_MAX];
    whet_binding binding = {names, workload->dim, task->dim_count};

    for (unsigned i = 0; i < task->dim_count; i++)
        names[i] = task->dims[i].name;
    return whet_expr_eval(out, expr, whet_binding_lookup, &binding, err);
}

whet_status whet_task_extent(whet_extent *out, const whet_task *task,
                             const whet_workload *workload, unsigned tensor,
                             whet_err *err)
{
    static const uint64_t bytes_max = UINT64_C(1) << 62;
    const whet_tensor *t = &task->tensors[tensor];
    uint64_t bytes = whet_dtype_bytes(t->dtype);
    whet_extent extent = {.element_count = 1};

    assert(tensor < task->tensor_count);
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < t->rank; i++) {
        int64_t size;
        whet_status st =
            whet_task__eval(&size, task, workload, t->shape[i], err);

        if (st != WHET_OK)
            return whet_err_prefix(err, st, "shape of '%s'", t->name);
        if (size < 1)
            return whet_err_set(err, WHET_EINVAL,
                                "shape of '%s': `%s` is %" PRId64
                                ", expected at least 1",
                                t->name, whet_expr_text(t->shape[i]), size);
        if ((uint64_t)size > bytes_max / bytes)
            return whet_err_set(err, WHET_EINVAL,
                                "shape of '%s': overflow, expected at most "
                                "2^62 bytes",
                                t->name);
        bytes *= (uint64_t)size;
        extent.shape[i] = size;
        extent.element_count *= (uint64_t)size;
        extent.row_elements = (uint64_t)size;
    }
    extent.bytes = bytes;
    extent.row_count = extent.element_count / extent.row_elements;
    *out = extent;
    return WHET_OK;
}

whet_status whet_task_cost(uint64_t *ops_out, uint64_t *bytes_out,
                           const whet_task *task, const whet_workload *workload,
                           whet_err *err)
{
    int64_t ops = 0, bytes = 0;
    whet_status st = whet_task__eval(&ops, task, workload, task->ops, err);

    *ops_out = *bytes_out = 0;
    if (st != WHET_OK)
        return whet_err_prefix(err, st, "cost.ops");
    if (ops < 0)
        return whet_err_set(err, WHET_EINVAL,
                            "cost.ops is %" PRId64 ", expected 0 or more", ops);
    if (task->bytes != NULL) {
        st = whet_task__eval(&bytes, task, workload, task->bytes, err);
        if (st != WHET_OK)
            return whet_err_prefix(err, st, "cost.bytes");
        if (bytes < 1)
            return whet_err_set(
                err, WHET_EINVAL,
                "cost.bytes is %" PRId64 ", expected at least 1", bytes);
    }
    for (unsigned i = 0; task->bytes == NULL && i < task->tensor_count; i++) {
        whet_extent extent;

        st = whet_task_extent(&extent, task, workload, i, err);
        if (st != WHET_OK)
            return st;
        if (__builtin_add_overflow(bytes, (int64_t)extent.bytes, &bytes))
            return whet_err_set(err, WHET_EINVAL,
                                "bytes of all tensors overflow, expected below "
                                "2^63");
    }
    *ops_out = (uint64_t)ops;
    *bytes_out = (uint64_t)bytes;
    return WHET_OK;
}

whet_status whet_task__workload_check(const whet_task *task,
                                      const whet_workload *workload,
                                      whet_err *err)
{
    uint64_t total = 0, ops, bytes;
    int64_t length;
    whet_status st;

    for (unsigned i = 0; i < task->dim_count; i++) {
        int64_t most = task->dims[i].is_i64 ? INT64_MAX : INT32_MAX;

        if (workload->dim[i] < 1 || workload->dim[i] > most)
            return whet_err_set(err, WHET_EINVAL,
                                "%s = %" PRId64 ", expected 1 to %" PRId64,
                                task->dims[i].name, workload->dim[i], most);
    }
    for (unsigned i = 0; i < task->tensor_count; i++) {
        whet_extent extent;

        st = whet_task_extent(&extent, task, workload, i, err);
        if (st != WHET_OK)
            return st;
        if (extent.bytes > WHET_TASK_WORKLOAD_BYTES_MAX - total)
            return whet_err_set(err, WHET_EINVAL,
                                "tensors take more than 64 GiB, expected a "
                                "smaller workload");
        total += extent.bytes;
    }
    if (task->numerics.length != NULL) {
        st = whet_task__eval(&length, task, workload, task->numerics.length,
                             err);
        if (st != WHET_OK)
            return whet_err_prefix(err, st, "numerics.length");
        if (length < 1)
            return whet_err_set(
                err, WHET_EINVAL,
                "numerics.length is %" PRId64 ", expected at least 1", length);
    }
    return whet_task_cost(&ops, &bytes, task, workload, err);
}

void whet_workload_format(char *text, size_t text_bytes, const whet_task *task,
                          const whet_workload *workload)
{
    size_t used = 0;

    if (text_bytes == 0)
        return;
    text[0] = '\0';
    for (unsigned i = 0; i < task->dim_count && used < text_bytes; i++) {
        int wrote =
            snprintf(text + used, text_bytes - used, "%s%s=%" PRId64,
                     i > 0 ? " " : "", task->dims[i].name, workload->dim[i]);

        if (wrote < 0)
            break;
        used += (size_t)wrote;
    }
}

/* --- "M=64,N=3,K=5" --- */

static whet_status parse_size(int64_t *out, const char *text, size_t bytes,
                              whet_err *err)
{
    int64_t value = 0;

    *out = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '0' || text[i] > '9' ||
            __builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(text[i] - '0'), &value))
            value = 0, i = bytes;
    }
    if (value < 1)
        return whet_err_set(err, WHET_EINVAL,
                            "size '%.*s', expected a whole number of at least "
                            "1",
                            bytes < 64 ? (int)bytes : 64, text);
    *out = value;
    return WHET_OK;
}

static whet_status parse_pair(whet_workload *out, const whet_task *task,
                              const char *text, size_t bytes, whet_err *err)
{
    const char *equal = memchr(text, '=', bytes);
    char name[WHET_NAME_BYTES];
    size_t name_bytes;
    int dim;
    whet_status st;

    if (equal == NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "workload: '%.*s', expected DIM=SIZE",
                            bytes < 64 ? (int)bytes : 64, text);
    name_bytes = (size_t)(equal - text);
    if (name_bytes >= sizeof name)
        name_bytes = sizeof name - 1;
    memcpy(name, text, name_bytes);
    name[name_bytes] = '\0';
    dim = whet_task__dim_index(task, name);
    if (dim < 0) {
        whet_buf dims = {0};

        for (unsigned i = 0; i < task->dim_count; i++)
            whet_buf_printf(&dims, "%s%s", i > 0 ? ", " : "",
                            task->dims[i].name);
        st = whet_err_set(err, WHET_EINVAL,
                          "workload: '%s' is no dim of task '%s', expected %s",
                          name, task->name, whet_buf_str(&dims));
        whet_buf_deinit(&dims);
        return st;
    }
    if (out->dim[dim] != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "workload: '%s' is bound twice, expected once",
                            name);
    st = parse_size(&out->dim[dim], equal + 1,
                    bytes - (size_t)(equal + 1 - text), err);
    if (st != WHET_OK)
        return whet_err_prefix(err, st, "workload: %s", name);
    return WHET_OK;
}

static whet_status parse_workload(whet_workload *out, const whet_task *task,
                                  const char *text, whet_err *err)
{
    whet_status st;

    for (const char *at = text; *at != '\0';) {
        size_t bytes = strcspn(at, ", ");

        if (bytes > 0) {
            st = parse_pair(out, task, at, bytes, err);
            if (st != WHET_OK)
                return st;
        }
        at += bytes + (at[bytes] != '\0');
    }
    for (unsigned i = 0; i < task->dim_count; i++) {
        if (out->dim[i] == 0)
            return whet_err_set(err, WHET_EINVAL,
                                "workload '%.128s': dim '%s' is unbound, "
                                "expected a size for every dim",
                                text, task->dims[i].name);
    }
    st = whet_task__workload_check(task, out, err);
    if (st != WHET_OK)
        return whet_err_prefix(err, st, "workload '%.128s'", text);
    whet_workload_format(out->name, sizeof out->name, task, out);
    return WHET_OK;
}

whet_status whet_task_workload(whet_workload *out, const whet_task *task,
                               const char *text, whet_err *err)
{
    whet_buf list = {0};
    whet_status st;

    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < task->workload_count; i++) {
        if (strcmp(task->workloads[i].name, text) == 0) {
            *out = task->workloads[i];
            return WHET_OK;
        }
    }
    if (strchr(text, '=') != NULL) {
        st = parse_workload(out, task, text, err);
        if (st != WHET_OK)
            memset(out, 0, sizeof *out);
        return st;
    }
    if (text[0] != '\0' && strspn(text, "0123456789") == strlen(text) &&
        strlen(text) < 6) {
        unsigned index = (unsigned)strtoul(text, NULL, 10);

        if (index < task->workload_count) {
            *out = task->workloads[index];
            return WHET_OK;
        }
    }
    for (unsigned i = 0; i < task->workload_count; i++)
        whet_buf_printf(&list, "%s%s", i > 0 ? ", " : "",
                        task->workloads[i].name);
    st =
        whet_err_set(err, WHET_EINVAL,
                     "task '%s' has no workload '%.64s', expected one of %s, "
                     "or %s=SIZE,...",
                     task->name, text, whet_buf_str(&list), task->dims[0].name);
    whet_buf_deinit(&list);
    return st;
}

/* --- hidden edge shapes --- */

static bool is_prime(int64_t n)
{
    for (int64_t d = 2; d <= n / d; d++) {
        if (n % d == 0)
            return false;
    }
    return n > 1;
}

static int64_t uniform(whet_rng *rng, int64_t min, int64_t max)
{
    return min + (int64_t)whet_rng_below(rng, (uint64_t)(max - min) + 1);
}

/* A power of two inside [min, max], plus `shift`; may fall outside. */
static int64_t near_power(whet_rng *rng, int64_t min, int64_t max,
                          int64_t shift)
{
    int low = 0, high;

    while ((INT64_C(1) << low) < min)
        low++;
    for (high = low; (INT64_C(2) << high) <= max; high++)
        ;
    return (INT64_C(1) << uniform(rng, low, high)) + shift;
}

/* Sizes at which kernels break: 1, primes, next to powers of two, odd, and
 * anything. Small ranges of the logarithm are as likely as large ones. */
static int64_t edge_size(whet_rng *rng, const whet_edge *edge)
{
    int64_t size = edge->min;

    switch (whet_rng_below(rng, 8)) {
    case 0:
        break;
    case 1:
    case 2:
        size = uniform(rng, edge->min, edge->max);
        while (size > edge->min && !is_prime(size))
            size--;
        break;
    case 3:
        size = near_power(rng, edge->min, edge->max, 1);
        break;
    case 4:
        size = near_power(rng, edge->min, edge->max, -1);
        break;
    case 5:
        size = uniform(rng, edge->min, edge->max) | 1;
        break;
    case 6:
        size = near_power(rng, edge->min, edge->max, 0);
        size = uniform(rng, edge->min, size < edge->max ? size : edge->max);
        break;
    default:
        size = uniform(rng, edge->min, edge->max);
        break;
    }
    return size < edge->min ? edge->min : size > edge->max ? edge->max : size;
}

whet_status whet_task_edge_workload(whet_workload *out, const whet_task *task,
                                    const whet_key *key, unsigned index,
                                    whet_err *err)
{
    enum { ATTEMPTS = 10000 };
    uint64_t seed = (uint64_t)key->word[1] << 32 | key->word[0];
    uint64_t more = (uint64_t)key->word[3] << 32 | key->word[2];
    whet_err inner = {0};
    whet_rng rng;

    whet_rng_init(&rng, seed, more + index, "task.edge");
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        int64_t allowed = 1;
        whet_status st = WHET_OK;

        memset(out, 0, sizeof *out);
        for (unsigned i = 0; i < task->dim_count; i++)
            out->dim[i] = index == 0 && attempt == 0
                              ? task->edges[i].min
                              : edge_size(&rng, &task->edges[i]);
        if (task->edge_where != NULL)
            st = whet_task__eval(&allowed, task, out, task->edge_where, &inner);
        if (st == WHET_OK && allowed != 0)
            st = whet_task__workload_check(task, out, &inner);
        if (st == WHET_OK && allowed != 0) {
            whet_workload_format(out->name, sizeof out->name, task, out);
            return WHET_OK;
        }
    }
    memset(out, 0, sizeof *out);
    return whet_err_set(err, WHET_EINVAL,
                        "task '%s': no hidden shape found within `edges` and "
                        "`edge_where`%s%s, expected rules that hold for some "
                        "sizes",
                        task->name, inner.msg[0] != '\0' ? ": " : "",
                        inner.msg);
}
