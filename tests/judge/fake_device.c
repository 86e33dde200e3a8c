/* See fake_device.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_device.h"
#include "judge_kit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

struct whet_worker_ctx {
    uint32_t index;
    char word[32];
    char *memory;
    uint64_t bytes;
    void *pinned;
    char *address[WHET_SLOT_MAX][2];
    uint64_t tensor_bytes;
    uint32_t launch_count;
    int64_t rows, cols;
    uint64_t spin_ns, flush_bytes;
    unsigned calls;
    bool is_settled;
};

/* One process at a time: whoever holds the lock on the program. */
static whet_status open_worker(whet_worker_ctx **out, uint32_t index,
                               whet_err *err)
{
    whet_worker_ctx *ctx = calloc(1, sizeof *ctx);
    char path[300];
    int fd;

    *out = ctx;
    ctx->index = index;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return whet_err_set(err, WHET_EFAIL, "new privileges could be had");
    if (getenv("FAKE_DEVICE") == NULL || getenv("WHET_DATA_DIR") != NULL)
        return whet_err_set(err, WHET_EFAIL, "another environment is due");
    if (index != FAKE_INDEX_EXCLUSIVE)
        return WHET_OK;
    snprintf(path, sizeof path, "%.200s/whet-fake-device", getenv("TMPDIR"));
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        return whet_err_set(err, WHET_EFAIL, "the card is in use");
    return WHET_OK;
}

static void close_worker(whet_worker_ctx *ctx)
{
    free(ctx);
}

static whet_status allocate(whet_worker_ctx *ctx, uint64_t bytes,
                            void **base_out, whet_err *err)
{
    if (ctx->index == FAKE_INDEX_FULL)
        return whet_err_set(err, WHET_EUNSUPPORTED, "no memory is free");
    ctx->memory = aligned_alloc(WHET_PAGE_BYTES, bytes);
    ctx->bytes = bytes;
    *base_out = ctx->memory;
    return WHET_OK;
}

static whet_status pin(whet_worker_ctx *ctx, void *host, uint64_t bytes,
                       whet_err *err)
{
    (void)bytes;
    ctx->pinned = host;
    return whet_err_set(err, WHET_EUNSUPPORTED, "no pinned memory here");
}

static whet_status load(whet_worker_ctx *ctx, const void *image, size_t bytes,
                        whet_err *err)
{
    if (ctx->memory == NULL || ctx->pinned == NULL)
        return whet_err_set(err, WHET_EFAIL, "loaded before memory was there");
    memcpy(ctx->word, image, bytes < sizeof ctx->word ? bytes : 0);
    return WHET_OK;
}

static whet_status prepare(whet_worker_ctx *ctx, uint32_t slot,
                           const whet_bound_plan *plan, void *const *address,
                           whet_err *err)
{
    (void)err;
    ctx->address[slot][0] = address[0];
    ctx->address[slot][1] = address[1];
    ctx->tensor_bytes = plan->buffers[0].bytes;
    ctx->launch_count = plan->launch_count;
    ctx->rows = plan->launches[0].args[2].value;
    ctx->cols = plan->launches[0].args[3].value;
    return WHET_OK;
}

static void transpose(const whet_worker_ctx *ctx, uint32_t slot)
{
    const float *from = (const float *)ctx->address[slot][0];
    float *to = (float *)ctx->address[slot][1];
    int64_t r, c;

    for (r = 0; r < ctx->rows; r++)
        for (c = 0; c < ctx->cols; c++)
            to[c * ctx->rows + r] = from[r * ctx->cols + c];
}

static whet_status copy(whet_worker_ctx *ctx, bool to_device, uint64_t offset,
                        void *host, uint64_t bytes, whet_err *err)
{
    if (offset > ctx->bytes || bytes > ctx->bytes - offset)
        return whet_err_set(err, WHET_EFAIL, "outside the memory");
    if (ctx->index == FAKE_INDEX_NO_COPY ||
        (!to_device && strcmp(ctx->word, FAKE_NO_WAY_BACK) == 0))
        return whet_err_set(err, WHET_EFAIL, "the link is down");
    if (!to_device && ctx->index == FAKE_INDEX_EAGER) {
        transpose(ctx, 0);
        transpose(ctx, 1);
    }
    if (to_device)
        memcpy(ctx->memory + offset, host, bytes);
    else
        memcpy(host, ctx->memory + offset, bytes);
    return WHET_OK;
}

static whet_status fill(whet_worker_ctx *ctx, uint64_t offset, uint32_t word,
                        uint64_t bytes, whet_err *err)
{
    uint64_t i;

    if (offset % 4 != 0 || bytes % 4 != 0 || offset > ctx->bytes ||
        bytes > ctx->bytes - offset)
        return whet_err_set(err, WHET_EFAIL, "outside the memory");
    for (i = 0; i < bytes; i += 4)
        memcpy(ctx->memory + offset + i, &word, 4);
    return WHET_OK;
}

static whet_status settle(whet_worker_ctx *ctx, uint64_t spin_ns,
                          uint64_t flush_bytes, whet_err *err)
{
    (void)err;
    ctx->spin_ns = spin_ns;
    ctx->flush_bytes = flush_bytes;
    ctx->is_settled = true;
    return WHET_OK;
}

/* What is wrong with a kernel besides its result. */
static void misbehave(whet_worker_ctx *ctx, uint32_t slot)
{
    const char *word = ctx->word;

    if (strcmp(word, FAKE_BEHIND) == 0)
        ctx->address[slot][1][ctx->tensor_bytes] ^= 1;
    else if (strcmp(word, FAKE_STRAY) == 0)
        ctx->address[1 - slot][0][-1] ^= 1;
    else if (strcmp(word, FAKE_INPUT) == 0)
        ctx->address[slot][0][3] ^= 1;
    else if (strcmp(word, FAKE_DIE) == 0)
        _exit(9);
    else if (strcmp(word, FAKE_HANG) == 0)
        for (;;)
            pause();
}

static whet_status run(whet_worker_ctx *ctx, uint32_t slot,
                       uint64_t *elapsed_ns_out, whet_err *err)
{
    const char *word = ctx->word;

    ctx->calls++;
    if (!ctx->is_settled)
        return whet_err_set(err, WHET_EFAIL, "the device was not settled");
    ctx->is_settled = false;
    if (strcmp(word, FAKE_FAIL) == 0)
        return whet_err_set(err, WHET_EFAIL, "illegal address");
    if (strcmp(word, FAKE_SETTLE) == 0 && ctx->calls == 2)
        return whet_err_set(err, WHET_EFAIL, "spin %llu flush %llu",
                            (unsigned long long)ctx->spin_ns,
                            (unsigned long long)ctx->flush_bytes);
    if (strcmp(word, FAKE_NOTHING) != 0)
        transpose(ctx, slot);
    misbehave(ctx, slot);
    if (strcmp(word, FAKE_HIDES) == 0)
        usleep(20000);
    /* Made up, so that ratios are known: what it took is of no interest. */
    *elapsed_ns_out = strcmp(word, FAKE_SLOW) == 0 ? 2000 : 1000;
    if (strcmp(word, FAKE_BY_LAUNCH) == 0)
        *elapsed_ns_out = (uint64_t)1000 * ctx->launch_count;
    if (strcmp(word, FAKE_NO_TIME) == 0)
        *elapsed_ns_out = 0;
    if (strcmp(word, FAKE_LONG_TIME) == 0)
        *elapsed_ns_out = 3600000000000u;
    return WHET_OK;
}

static whet_clock clock_of(whet_device *device)
{
    (void)device;
    return whet_clock_system();
}

static whet_status entropy(whet_device *device, void *out16, whet_err *err)
{
    (void)device;
    return getrandom(out16, 16, 0) == 16
               ? WHET_OK
               : whet_err_set(err, WHET_EFAIL, "no random numbers");
}

static const char *const env[] = {"FAKE_DEVICE=1", NULL};

const whet_device_ops fake_ops = {.name = "fake",
                                  .summary = "for tests",
                                  .caps = WHET_DEVICE_CAP_LIVE,
                                  .clock = clock_of,
                                  .entropy = entropy,
                                  .worker_env = env,
                                  .worker_open = open_worker,
                                  .worker_close = close_worker,
                                  .worker_load = load,
                                  .worker_prepare = prepare,
                                  .worker_run = run,
                                  .worker_allocate = allocate,
                                  .worker_pin = pin,
                                  .worker_copy = copy,
                                  .worker_fill = fill,
                                  .worker_settle = settle};

const whet_device_ops *fake_find(const char *name)
{
    return strcmp(name, fake_ops.name) == 0 ? &fake_ops : NULL;
}

static whet_arm *make_arm(whet_candidate **candidate, fake_session *s,
                          const char *word)
{
    static const char source[] = "/* whet:\n"
                                 "launches:\n"
                                 "  - kernel: k\n"
                                 "    grid: [1]\n"
                                 "    block: [1]\n"
                                 "    args: [A, B, rows, cols]\n"
                                 "*/\n"
                                 "__kernel void k(void) {}\n";
    whet_arm *arm = calloc(1, sizeof *arm);
    whet_err err = {0};

    assert_non_null(arm);
    if (whet_candidate_parse(candidate, source, sizeof source - 1, "kit.cl",
                             NULL, s->task, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    arm->judge = s->judge;
    arm->candidate = *candidate;
    arm->hash = whet_hash_bytes(word, strlen(word));
    arm->image.bytes = strdup(word);
    arm->image.byte_count = strlen(word) + 1;
    arm->image.hash = arm->hash;
    whet_strcopy(arm->point_text, sizeof arm->point_text, "-");
    if (whet_candidate_bind(&arm->plan, *candidate, &arm->point, s->task,
                            &s->judge->opts.workload, &s->device.facts.limits,
                            &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return arm;
}

static void open_judge(fake_session *s)
{
    whet_judge *judge = calloc(1, sizeof *judge);
    whet_err err = {0};

    assert_non_null(judge);
    s->judge = judge;
    judge->task = s->task;
    judge->ops = &fake_ops;
    judge->opts.device = &s->device;
    judge->opts.task = s->task;
    judge->opts.workload = (whet_workload){.dim = {40, 30}};
    judge->clock = whet_clock_system();
    judge->aa_error = NAN;
    judge->call_timeout_ns = 5000000000u;
    if (whet_reference_open(&judge->reference, s->task, &err) != WHET_OK ||
        whet_judge__stages_open(judge, &err) != WHET_OK ||
        whet_judge__verifier_start(&judge->verifier, s->task, judge->reference,
                                   &err) != WHET_OK ||
        whet_judge__shape(judge, &judge->opts.workload, &err) != WHET_OK)
        fail_msg("%s", err.msg);
}

fake_session *fake_open(uint32_t index, const char *reference,
                        const char *candidate)
{
    fake_session *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->task = kit_task("transpose");
    s->device.ops = &fake_ops;
    s->device.facts =
        (whet_device_facts){.backend = "fake",
                            .index = index,
                            .name = "a fake",
                            .llc_bytes = 1000,
                            .limits = {.memory_bytes = 48u << 20}};
    if (index == FAKE_INDEX_EXCLUSIVE)
        s->device.facts.is_exclusive = WHET_KNOWN_YES;
    open_judge(s);
    s->arms[0] = make_arm(&s->candidates[0], s, reference);
    s->arms[1] = make_arm(&s->candidates[1], s, candidate);
    return s;
}

void fake_close(fake_session *s)
{
    whet_arm_close(s->arms[0]);
    whet_arm_close(s->arms[1]);
    whet_judge_close(s->judge);
    whet_candidate_free(s->candidates[0]);
    whet_candidate_free(s->candidates[1]);
    whet_task_free(s->task);
    free(s);
}
