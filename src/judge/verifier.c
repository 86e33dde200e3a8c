/* The verifier process. See verifier.h.
 *
 * A slot is seen as a list of pieces (guard, data, guard, ...) cut into chunks
 * that threads work on: filling writes every chunk, sealing reads back what
 * must not have changed and copies what was computed. Inputs are drawn once
 * per key and kept, so both arms of a pair get the same bytes and one
 * reference serves both.
 *
 * A slot lies in a frozen worker or in a stage, which is mapped here: there
 * nothing is copied, poison is made in place and outputs are looked at where
 * they lie, until the next fill of that arm. */

#include "judge/verifier.h"
#include "judge/projection.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 1 << 20,
    STEP_BYTES = 1 << 13,
    PIECE_MAX = 3 * WHET_BUFFER_MAX
};

enum piece_kind { PIECE_GUARD, PIECE_INPUT, PIECE_POISON };

/* A run of bytes in a slot. */
struct piece {
    enum piece_kind kind;
    uint32_t buffer; /* or guard zone */
    uint64_t place;  /* address in the worker, or offset in the stage */
    uint64_t bytes;
    uint64_t first_chunk;
};

/* Where an arm lives. */
struct arm_place {
    pid_t pid;
    uint64_t base;
    char *stage; /* NULL: in the worker */
    uint64_t stage_bytes;
    int stage_fd;
    whet_layout layout;
    whet_key filled[WHET_SLOT_MAX]; /* last key of each slot ... */
    uint32_t filled_mask;           /* ... that was filled */
    whet_reason sealed_reason;
    bool is_sealed;
    char *sealed[WHET_TENSOR_MAX]; /* copies of outputs in a worker */
};

/* Everything the process holds. */
struct verifier {
    const whet_task *task;
    const whet_reference *reference;
    whet_workload workload;
    bool has_shape, has_inputs;
    whet_product product; /* if is_product: checked by projections */
    bool is_product, is_brief;
    whet_key key; /* of the inputs held, and of the last fill */
    whet_extent extent[WHET_TENSOR_MAX];
    char *input[WHET_TENSOR_MAX];    /* as stored on the device */
    float *widened[WHET_TENSOR_MAX]; /* f16 and bf16 as f32 */
    double factor[WHET_TENSOR_MAX];
    double floor[WHET_TENSOR_MAX];
    struct arm_place arms[WHET_ARM_COUNT];
};

enum pass_kind {
    PASS_FILL,
    PASS_SEAL,
    PASS_GUARDS /* look at the guards of an earlier call again */
};

/* One pass over the pieces of a slot. */
struct pass {
    struct verifier *v;
    struct arm_place *arm;
    whet_key key; /* of the guards */
    struct piece pieces[PIECE_MAX];
    unsigned piece_count;
    uint64_t chunk_count;
    enum pass_kind kind;
    _Atomic int reason; /* worst finding: a whet_reason */
    _Atomic bool out_of_memory;
};

static void free_shape(struct verifier *v)
{
    unsigned t, a;

    for (t = 0; t < WHET_TENSOR_MAX; t++) {
        free(v->input[t]);
        free(v->widened[t]);
        v->input[t] = NULL;
        v->widened[t] = NULL;
        for (a = 0; a < WHET_ARM_COUNT; a++) {
            free(v->arms[a].sealed[t]);
            v->arms[a].sealed[t] = NULL;
            v->arms[a].is_sealed = false;
        }
    }
    v->has_shape = false;
    v->has_inputs = false;
}

static bool is_narrow(const whet_tensor *tensor)
{
    return tensor->dtype == WHET_DTYPE_F16 || tensor->dtype == WHET_DTYPE_BF16;
}

static whet_status allocate_tensor(struct verifier *v, unsigned t,
                                   whet_err *err)
{
    const whet_tensor *tensor = &v->task->tensors[t];
    whet_extent *extent = &v->extent[t];
    bool ok = true;

    if (tensor->role == WHET_ROLE_IN) {
        v->input[t] = malloc(extent->bytes);
        ok = v->input[t] != NULL;
        if (ok && is_narrow(tensor)) {
            v->widened[t] = malloc(extent->element_count * sizeof(float));
            ok = v->widened[t] != NULL;
        }
        return ok ? WHET_OK
                  : whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    }
    /* Sealed copies are made when first needed: one arm may be all. */
    v->floor[t] = whet_numerics_floor(&v->task->numerics, tensor->dtype);
    return whet_numerics_factor(&v->factor[t], v->task, &v->workload,
                                tensor->dtype, err);
}

static void choose_check(struct verifier *v, bool is_brief)
{
    v->is_brief = is_brief;
    v->is_product = whet_judge__product(&v->product, v->task, &v->workload) &&
                    whet_judge__product_is_dear(&v->product, is_brief);
}

static whet_status set_shape(struct verifier *v, const whet_workload *workload,
                             bool is_brief, whet_err *err)
{
    whet_status st = WHET_OK;
    unsigned t;

    if (v->has_shape && memcmp(&v->workload, workload, sizeof *workload) == 0) {
        choose_check(v, is_brief);
        return WHET_OK;
    }
    free_shape(v);
    v->workload = *workload;
    for (t = 0; st == WHET_OK && t < v->task->tensor_count; t++) {
        st = whet_task_extent(&v->extent[t], v->task, workload, t, err);
        if (st == WHET_OK)
            st = allocate_tensor(v, t, err);
    }
    v->has_shape = st == WHET_OK;
    if (v->has_shape)
        choose_check(v, is_brief);
    return st;
}

static bool is_exact(const struct verifier *v)
{
    return v->is_product &&
           whet_judge__product_is_exact(&v->product, v->task, &v->key);
}

/* Draw elements [begin, end) of one input. */
struct draw {
    struct verifier *v;
    unsigned tensor;
};

static void draw_range(uint64_t begin, uint64_t end, void *payload)
{
    struct draw *d = payload;
    const whet_tensor *tensor = &d->v->task->tensors[d->tensor];
    size_t bytes = whet_dtype_bytes(tensor->dtype);
    char *at = d->v->input[d->tensor] + begin * bytes;
    uint64_t i;

    if (is_exact(d->v)) {
        whet_judge__draw_exact((float *)(void *)at, &d->v->key, d->tensor,
                               begin, end - begin);
        return; /* f32: nothing to widen */
    }
    whet_task_fill(at, d->v->task, d->tensor,
                   d->v->extent[d->tensor].row_elements, &d->v->key, begin,
                   end - begin);
    if (d->v->widened[d->tensor] != NULL)
        for (i = begin; i < end; i++)
            d->v->widened[d->tensor][i] = (float)whet_dtype_load(
                tensor->dtype, d->v->input[d->tensor] + i * bytes);
}

static void draw_inputs(struct verifier *v, const whet_key *key)
{
    unsigned t;

    if (v->has_inputs && memcmp(&v->key, key, sizeof *key) == 0)
        return;
    v->key = *key;
    for (t = 0; t < v->task->tensor_count; t++) {
        struct draw d = {v, t};

        if (v->input[t] != NULL)
            whet_parallel_for(v->extent[t].element_count, 1 << 16, 0,
                              draw_range, &d);
    }
    v->has_inputs = true;
}

static void add_piece(struct pass *pass, enum piece_kind kind, uint32_t buffer,
                      uint64_t place, uint64_t bytes)
{
    struct piece *p = &pass->pieces[pass->piece_count++];

    p->kind = kind;
    p->buffer = buffer;
    p->place = place;
    p->bytes = bytes;
    p->first_chunk = pass->chunk_count;
    pass->chunk_count += (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
}

static void list_pieces(struct pass *pass, uint32_t slot)
{
    const whet_layout *layout = &pass->arm->layout;
    uint64_t start = pass->arm->stage != NULL
                         ? 0
                         : pass->arm->base + slot * layout->slot_bytes;
    uint32_t b;

    for (b = 0; b < layout->buffer_count; b++) {
        const whet_layout_buffer *buffer = &layout->buffers[b];
        uint64_t data = start + buffer->offset;

        add_piece(pass, PIECE_GUARD, 2 * b, data - buffer->guard_before,
                  buffer->guard_before);
        add_piece(pass,
                  buffer->kind == WHET_BUFFER_IN ? PIECE_INPUT : PIECE_POISON,
                  b, data, buffer->bytes);
        add_piece(pass, PIECE_GUARD, 2 * b + 1, data + buffer->bytes,
                  buffer->guard_after);
    }
}

/* A finding of greater weight replaces a lesser one. */
static void found(struct pass *pass, whet_reason reason)
{
    int seen = atomic_load(&pass->reason);

    while ((seen == WHET_REASON_NONE || reason == WHET_REASON_CRASH ||
            (reason == WHET_REASON_GUARD && seen == WHET_REASON_INPUT)) &&
           !atomic_compare_exchange_weak(&pass->reason, &seen, (int)reason))
        ;
}

static bool remote_io(struct pass *pass, bool write, void *local,
                      uint64_t remote, size_t bytes)
{
    while (bytes > 0) {
        struct iovec here = {local, bytes};
        struct iovec there = {(void *)(uintptr_t)remote, bytes};
        ssize_t n =
            write ? process_vm_writev(pass->arm->pid, &here, 1, &there, 1, 0)
                  : process_vm_readv(pass->arm->pid, &here, 1, &there, 1, 0);

        if (n <= 0) {
            found(pass, WHET_REASON_CRASH); /* it unmapped itself, or is gone */
            return false;
        }
        local = (char *)local + n;
        remote += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return true;
}

/* What a chunk holds before the call: generated into `scratch`, or the place
 * of the input's own bytes. */
static void *expected_bytes(struct pass *pass, const struct piece *p,
                            uint64_t first, size_t bytes, char *scratch)
{
    struct verifier *v = pass->v;

    if (p->kind == PIECE_INPUT)
        return v->input[p->buffer] + first;
    if (p->kind == PIECE_GUARD)
        whet_judge__guard(scratch, bytes, &pass->key, p->buffer, first);
    else
        whet_judge__poison(scratch, bytes,
                           pass->arm->layout.buffers[p->buffer].dtype, &v->key,
                           p->buffer);
    return scratch;
}

static bool is_output(const struct pass *pass, const struct piece *p)
{
    return p->kind == PIECE_POISON && pass->kind == PASS_SEAL &&
           pass->arm->layout.buffers[p->buffer].kind == WHET_BUFFER_OUT;
}

/* Must these bytes be what they were before the call? */
static bool is_constant(const struct pass *pass, const struct piece *p)
{
    return p->kind == PIECE_GUARD ||
           (p->kind == PIECE_INPUT && pass->kind == PASS_SEAL);
}

static void differs(struct pass *pass, const struct piece *p)
{
    found(pass, p->kind == PIECE_GUARD ? WHET_REASON_GUARD : WHET_REASON_INPUT);
}

/* A chunk in a frozen worker. `scratch` has room for two. */
static void remote_chunk(struct pass *pass, const struct piece *p,
                         uint64_t first, size_t bytes, char *scratch)
{
    char *back = scratch + CHUNK_BYTES;

    if (pass->kind == PASS_FILL)
        remote_io(pass, true, expected_bytes(pass, p, first, bytes, scratch),
                  p->place + first, bytes);
    else if (is_output(pass, p))
        remote_io(pass, false, pass->arm->sealed[p->buffer] + first,
                  p->place + first, bytes);
    else if (is_constant(pass, p) &&
             remote_io(pass, false, back, p->place + first, bytes) &&
             memcmp(back, expected_bytes(pass, p, first, bytes, scratch),
                    bytes) != 0)
        differs(pass, p);
}

/* Was this part of an input brought back from the device? */
static bool is_back(const struct pass *pass, const struct piece *p,
                    uint64_t first)
{
    return whet_judge__is_looked_at(&pass->arm->layout,
                                    whet_judge__look_seed(&pass->v->key),
                                    p->buffer, first / WHET_LOOK_BYTES);
}

/* A chunk in a stage: made and looked at in place. Poison is the worker's to
 * make, on the device. */
static void stage_chunk(struct pass *pass, const struct piece *p,
                        uint64_t first, size_t bytes)
{
    char *at = pass->arm->stage + p->place + first;
    char want[STEP_BYTES];
    size_t done, step;

    if (pass->kind == PASS_FILL && p->kind != PIECE_POISON) {
        const void *from = expected_bytes(pass, p, first, bytes, at);

        if (from != at)
            memcpy(at, from, bytes);
    } else if (p->kind == PIECE_INPUT && is_constant(pass, p)) {
        if (is_back(pass, p, first) &&
            memcmp(at, pass->v->input[p->buffer] + first, bytes) != 0)
            differs(pass, p);
    } else if (p->kind == PIECE_GUARD) {
        for (done = 0; done < bytes; done += step) {
            step = bytes - done < sizeof want ? bytes - done : sizeof want;
            (void)expected_bytes(pass, p, first + done, step, want);
            if (memcmp(at + done, want, step) != 0)
                differs(pass, p);
        }
    }
}

/* Where the outputs of a tensor lie once they are sealed. */
static const char *sealed_bytes(const struct arm_place *arm, unsigned tensor)
{
    return arm->stage != NULL ? arm->stage + arm->layout.buffers[tensor].offset
                              : arm->sealed[tensor];
}

static void pass_chunks(uint64_t begin, uint64_t end, void *payload)
{
    struct pass *pass = payload;
    bool is_remote = pass->arm->stage == NULL;
    char *scratch = is_remote ? malloc(2 * CHUNK_BYTES) : NULL;
    const struct piece *p = pass->pieces;
    uint64_t chunk;

    if (is_remote && scratch == NULL) {
        atomic_store(&pass->out_of_memory, true);
        return;
    }
    for (chunk = begin; chunk < end; chunk++) {
        uint64_t first;
        size_t bytes;

        while (p + 1 < pass->pieces + pass->piece_count &&
               p[1].first_chunk <= chunk)
            p++;
        first = (chunk - p->first_chunk) * CHUNK_BYTES;
        bytes = p->bytes - first < CHUNK_BYTES ? (size_t)(p->bytes - first)
                                               : CHUNK_BYTES;
        if (is_remote)
            remote_chunk(pass, p, first, bytes, scratch);
        else
            stage_chunk(pass, p, first, bytes);
    }
    free(scratch);
}

static whet_status run_pass(whet_reason *reason_out, struct verifier *v,
                            uint32_t arm, uint32_t slot, enum pass_kind kind,
                            whet_err *err)
{
    struct pass *pass = calloc(1, sizeof *pass);
    whet_status st = WHET_OK;

    if (pass == NULL)
        return whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    pass->v = v;
    pass->arm = &v->arms[arm];
    pass->kind = kind;
    pass->key = kind == PASS_GUARDS ? v->arms[arm].filled[slot] : v->key;
    list_pieces(pass, slot);
    whet_parallel_for(pass->chunk_count, 4, 0, pass_chunks, pass);
    *reason_out = (whet_reason)atomic_load(&pass->reason);
    if (atomic_load(&pass->out_of_memory))
        st = whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    free(pass);
    return st;
}

/* A slot is refilled after other calls ran: what they wrote beyond their own
 * buffers may lie between its, and is seen before it is overwritten. */
static whet_status fill(whet_reason *reason_out, struct verifier *v,
                        uint32_t index, uint32_t slot, const whet_key *key,
                        whet_err *err)
{
    struct arm_place *arm = &v->arms[index];
    whet_status st = WHET_OK;

    *reason_out = WHET_REASON_NONE;
    arm->is_sealed = false;
    if (arm->stage == NULL && arm->filled_mask & 1u << slot)
        st = run_pass(reason_out, v, index, slot, PASS_GUARDS, err);
    if (st != WHET_OK || *reason_out != WHET_REASON_NONE)
        return st;
    draw_inputs(v, key);
    arm->filled[slot] = *key;
    arm->filled_mask |= 1u << slot;
    return run_pass(reason_out, v, index, slot, PASS_FILL, err);
}

static whet_status seal(struct verifier *v, uint32_t index, uint32_t slot,
                        whet_err *err)
{
    struct arm_place *arm = &v->arms[index];
    whet_status st;
    unsigned t;

    for (t = 0; t < v->task->tensor_count && arm->stage == NULL; t++) {
        if (v->task->tensors[t].role != WHET_ROLE_OUT || arm->sealed[t])
            continue;
        arm->sealed[t] = malloc(v->extent[t].bytes);
        if (arm->sealed[t] == NULL)
            return whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    }
    st = run_pass(&arm->sealed_reason, v, index, slot, PASS_SEAL, err);
    arm->is_sealed = st == WHET_OK;
    return st;
}

/* Guards of a slot that was brought back to the stage after later calls. */
static whet_status look_at_guards(whet_reason *reason_out, struct verifier *v,
                                  uint32_t index, uint32_t slot, whet_err *err)
{
    struct arm_place *arm = &v->arms[index];

    arm->is_sealed = false; /* the stage holds another call now */
    if (!(arm->filled_mask & 1u << slot))
        return whet_err_set(err, WHET_EINVAL,
                            "verifier: slot %u was never filled", slot);
    return run_pass(reason_out, v, index, slot, PASS_GUARDS, err);
}

static void unmap_stage(struct arm_place *arm)
{
    if (arm->stage != NULL)
        munmap(arm->stage, arm->stage_bytes);
    arm->stage = NULL;
    arm->stage_bytes = 0;
}

/* The stage stays mapped from worker to worker while it is large enough. */
static whet_status attach(struct arm_place *arm, const whet_verify_request *r,
                          whet_err *err)
{
    arm->pid = (pid_t)r->pid;
    arm->base = r->base;
    arm->layout = r->layout;
    arm->filled_mask = 0;
    arm->is_sealed = false;
    if (r->stage_fd <= 0 || r->stage_fd != arm->stage_fd ||
        arm->stage_bytes < r->layout.slot_bytes)
        unmap_stage(arm);
    if (r->stage_fd <= 0 || arm->stage != NULL)
        return WHET_OK;
    arm->stage = mmap(NULL, r->layout.slot_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED, r->stage_fd, 0);
    if (arm->stage == MAP_FAILED) {
        arm->stage = NULL;
        return whet_err_errno(err, errno, "verifier: stage of %llu bytes",
                              (unsigned long long)r->layout.slot_bytes);
    }
    (void)madvise(arm->stage, r->layout.slot_bytes, MADV_HUGEPAGE);
    arm->stage_fd = r->stage_fd;
    arm->stage_bytes = r->layout.slot_bytes;
    return WHET_OK;
}

/* Comparison of one output tensor of the arms in `mask`. */
struct comparison {
    struct verifier *v;
    unsigned tensor;
    uint32_t mask;
    whet_reference_args args;
    pthread_mutex_t lock;
    whet_tally tally[WHET_ARM_COUNT];
    bool out_of_memory;
};

static void compare_rows(uint64_t begin, uint64_t end, void *payload)
{
    struct comparison *c = payload;
    struct verifier *v = c->v;
    const whet_extent *extent = &v->extent[c->tensor];
    whet_dtype dtype = v->task->tensors[c->tensor].dtype;
    size_t row_bytes = extent->row_elements * whet_dtype_bytes(dtype);
    double *value = malloc(2 * extent->row_elements * sizeof *value);
    char *poison = malloc(row_bytes + 8);
    whet_tally tally[WHET_ARM_COUNT] = {{0}};
    uint64_t row;
    unsigned a;

    for (row = begin; value != NULL && poison != NULL && row < end; row++) {
        double *scale = value + extent->row_elements;
        uint64_t offset = row * row_bytes, lead = offset % 4;

        whet_reference_row(value, scale, v->reference, c->tensor, &c->args,
                           row);
        whet_judge__poison(poison, row_bytes + lead, dtype, &v->key, c->tensor);
        for (a = 0; a < WHET_ARM_COUNT; a++)
            if (c->mask & 1u << a)
                whet_judge__compare_row(
                    &tally[a], dtype,
                    sealed_bytes(&v->arms[a], c->tensor) + offset,
                    poison + lead, value, scale, extent->row_elements,
                    v->factor[c->tensor], v->floor[c->tensor]);
    }
    pthread_mutex_lock(&c->lock);
    c->out_of_memory |= value == NULL || poison == NULL;
    for (a = 0; a < WHET_ARM_COUNT; a++)
        whet_judge__tally_add(&c->tally[a], &tally[a]);
    pthread_mutex_unlock(&c->lock);
    free(value);
    free(poison);
}

static whet_status compare_tensor(whet_tally tally[WHET_ARM_COUNT],
                                  struct verifier *v, unsigned tensor,
                                  uint32_t mask, whet_err *err)
{
    struct comparison c = {.v = v, .tensor = tensor, .mask = mask};
    const whet_extent *extent = &v->extent[tensor];
    uint64_t grain = 65536 / extent->row_elements + 1;
    unsigned t, a;

    c.args.workload = &v->workload;
    for (t = 0; t < v->task->tensor_count; t++)
        c.args.tensor[t] =
            v->widened[t] != NULL ? (const void *)v->widened[t] : v->input[t];
    if (grain > extent->row_count / 8 + 1)
        grain = extent->row_count / 8 + 1;
    pthread_mutex_init(&c.lock, NULL);
    whet_parallel_for(extent->row_count, grain, 0, compare_rows, &c);
    pthread_mutex_destroy(&c.lock);
    for (a = 0; a < WHET_ARM_COUNT; a++)
        whet_judge__tally_add(&tally[a], &c.tally[a]);
    return c.out_of_memory
               ? whet_err_set(err, WHET_ENOMEM, "verifier: out of memory")
               : WHET_OK;
}

/* The one output of a product, without computing it. */
static whet_status project(whet_tally tally[WHET_ARM_COUNT], struct verifier *v,
                           uint32_t mask, whet_err *err)
{
    unsigned output = v->product.c, t, a;
    whet_reference_args inputs = {.workload = &v->workload};
    whet_projection_args args = {.product = &v->product,
                                 .task = v->task,
                                 .reference = v->reference,
                                 .inputs = &inputs,
                                 .key = &v->key,
                                 .is_exact = is_exact(v),
                                 .is_brief = v->is_brief,
                                 .factor = v->factor[output],
                                 .floor = v->floor[output],
                                 .arm_count = WHET_ARM_COUNT};

    for (t = 0; t < v->task->tensor_count; t++)
        inputs.tensor[t] =
            v->widened[t] != NULL ? (const void *)v->widened[t] : v->input[t];
    for (a = 0; a < WHET_ARM_COUNT; a++)
        if (mask & 1u << a)
            args.got[a] = sealed_bytes(&v->arms[a], output);
    return whet_judge__project(tally, &args, err);
}

static whet_status check(whet_verify_answer *answer, struct verifier *v,
                         uint32_t mask, whet_err *err)
{
    whet_tally tally[WHET_ARM_COUNT] = {{0}};
    whet_status st = WHET_OK;
    unsigned t, a;

    for (a = 0; a < WHET_ARM_COUNT; a++)
        if ((mask & 1u << a) && !v->arms[a].is_sealed)
            return whet_err_set(err, WHET_EINVAL,
                                "verifier: arm %u has nothing sealed", a);
    if (v->is_product)
        st = project(tally, v, mask, err);
    for (t = 0; st == WHET_OK && !v->is_product && t < v->task->tensor_count;
         t++)
        if (v->task->tensors[t].role == WHET_ROLE_OUT)
            st = compare_tensor(tally, v, t, mask, err);
    for (a = 0; a < WHET_ARM_COUNT; a++) {
        whet_verify_finding *f = &answer->arm[a];

        if (!(mask & 1u << a))
            continue;
        f->reason = v->arms[a].sealed_reason != WHET_REASON_NONE
                        ? v->arms[a].sealed_reason
                        : whet_judge__tally_reason(&tally[a]);
        f->worst = tally[a].worst;
    }
    return st;
}

static bool request_is_sane(const struct verifier *v,
                            const whet_verify_request *r)
{
    return r->arm < WHET_ARM_COUNT && r->slot < WHET_SLOT_MAX &&
           r->arm_mask < 1u << WHET_ARM_COUNT &&
           (v->has_shape || r->type == WHET_VERIFY_SHAPE);
}

static whet_status answer_request(whet_verify_answer *answer,
                                  struct verifier *v,
                                  const whet_verify_request *r, whet_err *err)
{
    whet_reason reason = WHET_REASON_NONE;
    whet_status st;

    if (!request_is_sane(v, r))
        return whet_err_set(err, WHET_EINVAL, "verifier: malformed request");
    switch ((whet_verify_type)r->type) {
    case WHET_VERIFY_SHAPE:
        return set_shape(v, &r->workload, r->is_brief != 0, err);
    case WHET_VERIFY_ATTACH:
        return attach(&v->arms[r->arm], r, err);
    case WHET_VERIFY_FILL:
        st = fill(&reason, v, r->arm, r->slot, &r->key, err);
        answer->arm[r->arm].reason = reason;
        return st;
    case WHET_VERIFY_SEAL:
        st = seal(v, r->arm, r->slot, err);
        answer->arm[r->arm].reason = v->arms[r->arm].sealed_reason;
        return st;
    case WHET_VERIFY_CHECK:
        return check(answer, v, r->arm_mask, err);
    case WHET_VERIFY_GUARDS:
        st = look_at_guards(&reason, v, r->arm, r->slot, err);
        answer->arm[r->arm].reason = reason;
        return st;
    }
    return whet_err_set(err, WHET_EINVAL, "verifier: unknown request");
}

int whet_judge__verifier_serve(int fd, const whet_task *task,
                               const whet_reference *reference)
{
    struct verifier *v = calloc(1, sizeof *v);
    whet_verify_request *request = malloc(sizeof *request);

    if (v == NULL || request == NULL)
        return 3;
    v->task = task;
    v->reference = reference;
    while (whet_judge__receive(fd, request, sizeof *request, 0, NULL) ==
           WHET_OK) {
        whet_verify_answer answer = {0};
        whet_err err = {0};

        answer.status = answer_request(&answer, v, request, &err);
        whet_strcopy(answer.text, sizeof answer.text, err.msg);
        if (whet_judge__send(fd, &answer, sizeof answer, NULL) != WHET_OK)
            break;
    }
    free_shape(v);
    unmap_stage(&v->arms[0]);
    unmap_stage(&v->arms[1]);
    free(request);
    free(v);
    return 0;
}
