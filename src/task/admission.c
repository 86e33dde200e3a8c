/* Admission tests of a task (docs/write-a-task.md, "Check it"): kernels that
 * cheat in the plainest ways are played on the CPU, with the reference itself
 * as the kernel where one is needed, and each must exceed the error bound.
 *
 * A fake must be refused on the smallest public workload and on at least one
 * of a few hidden shapes; on a single one it may happen to be right (the
 * transpose of a 1 x 1 matrix is a copy).
 *
 * A task also proves that its data is a test of precision: operands rounded to
 * the next format that its policy forbids must show, far from where an honest
 * order of summation ends up. */

#include "task/admission_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_SAMPLES = 6 };

/** A larger smallest workload would make `whet task check` take hours. */
static const uint64_t smallest_bytes_max = UINT64_C(1) << 30;

/** All inputs and all outcomes of the tests. */
struct admission {
    const whet_task *task;
    whet_reference *reference;
    struct whet_sample *samples[1 + EDGE_SAMPLES]; /* [0] is public */
    unsigned sample_count;
    whet_admission *results;
    unsigned result_count;
    double least_rounded; /* the error of the rounded operand that shows least
                             on the public workload */
};

static whet_status smallest_workload(const whet_workload **out,
                                     const whet_task *task, whet_err *err)
{
    uint64_t least = UINT64_MAX;

    *out = NULL;
    for (unsigned i = 0; i < task->workload_count; i++) {
        uint64_t total = 0;

        for (unsigned j = 0; j < task->tensor_count; j++) {
            whet_extent extent;
            whet_status st =
                whet_task_extent(&extent, task, &task->workloads[i], j, err);

            if (st != WHET_OK)
                return st;
            total += extent.bytes;
        }
        if (total < least) {
            least = total;
            *out = &task->workloads[i];
        }
    }
    if (least > smallest_bytes_max)
        return whet_err_set(err, WHET_EINVAL,
                            "task '%s': its smallest workload '%s' takes %.1f "
                            "GiB, expected one of at most 1 GiB",
                            task->name, (*out)->name,
                            (double)least / (double)(1 << 30));
    return WHET_OK;
}

static whet_status add_sample(struct admission *all,
                              const whet_workload *workload,
                              const whet_key *key, whet_err *err)
{
    whet_status st =
        whet_task__sample_new(&all->samples[all->sample_count], all->task,
                              all->reference, workload, key, err);

    if (st == WHET_OK)
        all->sample_count++;
    return st;
}

static whet_status add_samples(struct admission *all, whet_err *err)
{
    static const whet_key key = {{0x5eed0001, 0x5eed0002, 3, 4}};
    const whet_workload *smallest;
    whet_status st = smallest_workload(&smallest, all->task, err);

    if (st == WHET_OK)
        st = add_sample(all, smallest, &key, err);
    for (unsigned i = 0; st == WHET_OK && i < EDGE_SAMPLES; i++) {
        whet_workload edge;

        st = whet_task_edge_workload(&edge, all->task, &key, i, err);
        if (st == WHET_OK)
            st = add_sample(all, &edge, &key, err);
    }
    return st;
}

/* Play one fake on every sample and note the outcome. */
static whet_status play(struct admission *all, const struct whet_fake *fake,
                        const char *name, whet_err *err)
{
    whet_admission *result = &all->results[all->result_count];
    double edges = 0.0, worst = 0.0;

    if (all->result_count == WHET_ADMISSION_MAX)
        return WHET_OK; /* plain fakes and operands came first */
    for (unsigned i = 0; i < all->sample_count; i++) {
        double here;
        whet_status st =
            whet_task__sample_play(&here, all->samples[i], fake, err);

        if (st != WHET_OK)
            return st;
        if (i == 0)
            worst = here;
        else if (here > edges)
            edges = here;
    }
    whet_strcopy(result->name, sizeof result->name, name);
    result->worst_error = worst;
    /* Long sums of exact numbers have few bits each; the short ones show. */
    result->is_told_apart =
        edges > 1.0 &&
        (worst > 1.0 || (fake->kind == WHET_FAKE_ROUNDED &&
                         all->task->numerics.op_class == WHET_CLASS_SUM));
    if (fake->kind == WHET_FAKE_ROUNDED && worst < all->least_rounded)
        all->least_rounded = worst;
    all->result_count++;
    return WHET_OK;
}

static whet_status play_fills(struct admission *all, whet_err *err)
{
    static const struct {
        enum whet_fake_kind kind;
        const char *name;
    } fills[] = {
        {WHET_FAKE_NOTHING, "no-op"},
        {WHET_FAKE_ZERO, "zeros"},
        {WHET_FAKE_CONSTANT, "likely constant"},
    };
    const whet_task *task = all->task;

    for (unsigned i = 0; i < task->tensor_count; i++) {
        if (task->tensors[i].role != WHET_ROLE_OUT)
            continue;
        for (size_t j = 0; j < sizeof fills / sizeof fills[0]; j++) {
            struct whet_fake fake = {.kind = fills[j].kind, .out = i};
            char name[2 * WHET_NAME_BYTES];
            whet_status st;

            snprintf(name, sizeof name, "%s in %s", fills[j].name,
                     task->tensors[i].name);
            st = play(all, &fake, name, err);
            if (st != WHET_OK)
                return st;
        }
    }
    return WHET_OK;
}

static whet_status play_operands(struct admission *all, whet_err *err)
{
    static const struct {
        enum whet_fake_kind kind;
        const char *how;
    } ways[] = {
        {WHET_FAKE_REDRAWN, "replaced"},
        {WHET_FAKE_ZEROED, "taken as zeros"},
        {WHET_FAKE_ONES, "taken as ones"},
    };
    const whet_task *task = all->task;

    for (unsigned i = 0; i < task->tensor_count; i++) {
        if (task->tensors[i].role != WHET_ROLE_IN)
            continue;
        for (size_t j = 0; j < sizeof ways / sizeof ways[0]; j++) {
            struct whet_fake fake = {.kind = ways[j].kind, .in = i};
            char name[2 * WHET_NAME_BYTES];
            whet_status st;

            snprintf(name, sizeof name, "operand %s %s", task->tensors[i].name,
                     ways[j].how);
            st = play(all, &fake, name, err);
            if (st != WHET_OK)
                return st;
        }
    }
    for (unsigned i = 0; i < task->scalar_count; i++) {
        struct whet_fake fake = {.kind = WHET_FAKE_SCALAR, .in = i};
        char name[2 * WHET_NAME_BYTES];
        whet_status st;

        snprintf(name, sizeof name, "scalar %s changed", task->scalars[i].name);
        st = play(all, &fake, name, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

/** The widest format that a policy forbids; no bits = there is none. */
struct narrower {
    const char *name;
    unsigned bits; /* significant ones */
};

static struct narrower next_narrower(whet_policy policy)
{
    switch (policy) {
    case WHET_POLICY_F64:
        return (struct narrower){"f32", 24};
    case WHET_POLICY_F32:
        return (struct narrower){"tf32", 11};
    case WHET_POLICY_TF32:
    case WHET_POLICY_F16:
        return (struct narrower){"bf16", 8};
    case WHET_POLICY_BF16:
        return (struct narrower){"f8", 4};
    case WHET_POLICY_F8: /* of f4 no bound tells it: 2 bits are near 4 */
    case WHET_POLICY_EXACT:
        break;
    }
    return (struct narrower){"", 0};
}

static unsigned dtype_bits(whet_dtype dtype)
{
    switch (dtype) {
    case WHET_DTYPE_F64:
        return 53;
    case WHET_DTYPE_F32:
        return 24;
    case WHET_DTYPE_F16:
        return 11;
    case WHET_DTYPE_BF16:
        return 8;
    case WHET_DTYPE_I32:
    case WHET_DTYPE_COUNT:
        break;
    }
    return 0;
}

/* Maps are left out, since rounding an operand is most of what they do; sums
 * of data that is not exact, since they average it away. */
static bool is_tested(const whet_task *task, const whet_tensor *tensor,
                      unsigned bits)
{
    whet_op_class op_class = task->numerics.op_class;

    return tensor->role == WHET_ROLE_IN && bits > 0 &&
           dtype_bits(tensor->dtype) > bits &&
           (op_class == WHET_CLASS_DOT || op_class == WHET_CLASS_NORM ||
            op_class == WHET_CLASS_EXP ||
            (op_class == WHET_CLASS_SUM && tensor->dist == WHET_DIST_EXACT));
}

static whet_status play_rounded(struct admission *all, whet_err *err)
{
    const whet_task *task = all->task;
    struct narrower next = next_narrower(task->numerics.policy);

    for (unsigned i = 0; i < task->tensor_count; i++) {
        struct whet_fake fake = {
            .kind = WHET_FAKE_ROUNDED, .in = i, .bits = next.bits};
        char name[2 * WHET_NAME_BYTES];
        whet_status st;

        if (!is_tested(task, &task->tensors[i], next.bits))
            continue;
        snprintf(name, sizeof name, "operand %s rounded to %s",
                 task->tensors[i].name, next.name);
        st = play(all, &fake, name, err);
        if (st == WHET_OK && task->numerics.op_class == WHET_CLASS_SUM) {
            fake.kind = WHET_FAKE_SKIPPED;
            snprintf(name, sizeof name, "one element of %s left out",
                     task->tensors[i].name);
            st = play(all, &fake, name, err);
        }
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

/** How far the plainest honest kernel and the best of the forbidden ones must
 *  lie apart; policy. With less the bound, which lies between, is luck. */
static const double apart_min = 10.0;

/* The other side of the same rule: terms added up in f32 one by one must pass.
 * Known for products of two matrices alone. */
static whet_status play_serial(struct admission *all, whet_err *err)
{
    const whet_task *task = all->task;
    whet_admission *result = &all->results[all->result_count];
    double most = 0.0, first = 0.0;

    if (strcmp(task->op, "gemm") != 0 ||
        task->numerics.op_class != WHET_CLASS_DOT ||
        task->numerics.policy != WHET_POLICY_F32 ||
        !whet_task__sample_is_product(all->samples[0]) ||
        all->result_count == WHET_ADMISSION_MAX)
        return WHET_OK;
    for (unsigned i = 0; i < all->sample_count; i++) {
        double here;
        whet_status st =
            whet_task__sample_play_serial(&here, all->samples[i], err);

        if (st != WHET_OK)
            return st;
        first = i == 0 ? here : first;
        most = here > most ? here : most;
    }
    whet_strcopy(result->name, sizeof result->name,
                 "honest f32, 10x from narrow");
    result->worst_error = most;
    result->is_told_apart =
        most < 1.0 && all->least_rounded >= apart_min * first;
    all->result_count++;
    return WHET_OK;
}

/* Outputs made of one input: a copy where the sizes allow, and its mean. */
static whet_status play_inputs(struct admission *all, unsigned out,
                               whet_err *err)
{
    const whet_task *task = all->task;

    for (unsigned i = 0; i < task->tensor_count; i++) {
        struct whet_fake copy = {.kind = WHET_FAKE_COPY, .out = out, .in = i};
        struct whet_fake mean = {
            .kind = WHET_FAKE_IN_MEAN, .out = out, .in = i};
        char name[3 * WHET_NAME_BYTES];
        whet_status st = WHET_OK;

        if (task->tensors[i].role != WHET_ROLE_IN)
            continue;
        snprintf(name, sizeof name, "copy of %s in %s", task->tensors[i].name,
                 task->tensors[out].name);
        if (whet_task__sample_can_copy(all->samples[0], &copy))
            st = play(all, &copy, name, err);
        snprintf(name, sizeof name, "mean of %s in %s", task->tensors[i].name,
                 task->tensors[out].name);
        if (st == WHET_OK)
            st = play(all, &mean, name, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

whet_status whet_task_check(whet_admission *results, unsigned *count_out,
                            const whet_task *task, whet_err *err)
{
    struct admission all = {
        .task = task, .results = results, .least_rounded = (double)INFINITY};
    whet_status st;

    *count_out = 0;
    st = whet_reference_open(&all.reference, task, err);
    if (st == WHET_OK)
        st = add_samples(&all, err);
    if (st == WHET_OK)
        st = play_fills(&all, err);
    if (st == WHET_OK)
        st = play_operands(&all, err);
    if (st == WHET_OK)
        st = play_rounded(&all, err);
    if (st == WHET_OK)
        st = play_serial(&all, err);
    for (unsigned i = 0; st == WHET_OK && i < task->tensor_count; i++) {
        if (task->tensors[i].role == WHET_ROLE_OUT)
            st = play_inputs(&all, i, err);
    }
    if (st == WHET_OK)
        *count_out = all.result_count;
    for (unsigned i = 0; i < all.sample_count; i++)
        whet_task__sample_free(all.samples[i]);
    whet_reference_close(all.reference);
    return st;
}
