/* Data of one workload for the admission tests: inputs, the reference's values
 * and scales, and the worst error of a fake output against them. */

#include "task/admission_priv.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SCALAR = WHET_SCALAR_MAX };

struct whet_sample {
    const whet_task *task;
    const whet_reference *reference;
    whet_workload workload;
    whet_key key;
    whet_extent extents[WHET_TENSOR_MAX];
    void *inputs[WHET_TENSOR_MAX];   /* as the reference reads them */
    double *values[WHET_TENSOR_MAX]; /* outputs */
    double *scales[WHET_TENSOR_MAX];
    double factors[WHET_TENSOR_MAX];
};

/** A pass over one output, split by rows. */
struct job {
    const struct whet_sample *sample;
    unsigned out;
    whet_reference_args args;
    unsigned scalar; /* replaced by scalar_value; NO_SCALAR = none */
    double scalar_value;
    bool is_serial;   /* rows of a product in f32, term by term */
    bool is_constant; /* got = constant, instead of computing rows */
    double constant;
    const void *copy; /* got = these elements, if not NULL */
    whet_dtype copy_dtype;
    _Atomic uint64_t worst_bits; /* bits of a double >= 0: ordered alike */
    atomic_bool is_out_of_memory;
};

void whet_task__sample_free(struct whet_sample *sample)
{
    if (sample == NULL)
        return;
    for (unsigned i = 0; i < WHET_TENSOR_MAX; i++) {
        free(sample->inputs[i]);
        free(sample->values[i]);
        free(sample->scales[i]);
    }
    free(sample);
}

/* What the reference reads of an input: narrow floats become f32. */
static whet_dtype wide_dtype(whet_dtype dtype)
{
    return dtype == WHET_DTYPE_F16 || dtype == WHET_DTYPE_BF16 ? WHET_DTYPE_F32
                                                               : dtype;
}

/* A fresh draw of an input, as the reference reads it; NULL = no memory. */
static void *draw_input(const struct whet_sample *sample, unsigned tensor,
                        const whet_key *key)
{
    const whet_extent *extent = &sample->extents[tensor];
    whet_dtype dtype = sample->task->tensors[tensor].dtype;
    unsigned char *raw = malloc(extent->bytes);
    float *wide = NULL;

    if (raw == NULL)
        return NULL;
    whet_task_fill(raw, sample->task, tensor, extent->row_elements, key, 0,
                   extent->element_count);
    if (wide_dtype(dtype) == dtype)
        return raw;
    wide = malloc(extent->element_count * sizeof *wide);
    for (uint64_t i = 0; wide != NULL && i < extent->element_count; i++)
        wide[i] =
            (float)whet_dtype_load(dtype, raw + i * whet_dtype_bytes(dtype));
    free(raw);
    return wide;
}

/* An input of one value everywhere; NULL = no memory. */
static void *constant_input(const struct whet_sample *sample, unsigned tensor,
                            int value)
{
    uint64_t count = sample->extents[tensor].element_count;
    whet_dtype dtype = wide_dtype(sample->task->tensors[tensor].dtype);
    void *data = malloc(count * whet_dtype_bytes(dtype));

    for (uint64_t i = 0; data != NULL && i < count; i++) {
        if (dtype == WHET_DTYPE_F64)
            ((double *)data)[i] = value;
        else if (dtype == WHET_DTYPE_I32)
            ((int32_t *)data)[i] = value;
        else
            ((float *)data)[i] = (float)value;
    }
    return data;
}

/* The two factors of a product, in the order of the task. */
static void factors_of(unsigned in[2], const whet_task *task)
{
    unsigned count = 0;

    for (unsigned i = 0; i < task->tensor_count && count < 2; i++) {
        if (task->tensors[i].role == WHET_ROLE_IN)
            in[count++] = i;
    }
}

/* `sum` has room for the row and is what an f32 kernel would give. */
static void serial_row(const struct job *job, double *sum, uint64_t row)
{
    const struct whet_sample *sample = job->sample;
    uint64_t count = sample->extents[job->out].row_elements, length;
    unsigned in[2] = {0, 0};
    const float *a, *b;

    factors_of(in, sample->task);
    length = sample->extents[in[0]].row_elements;
    a = (const float *)sample->inputs[in[0]] + row * length;
    b = sample->inputs[in[1]];
    for (uint64_t j = 0; j < count; j++)
        sum[j] = 0.0;
    for (uint64_t k = 0; k < length; k++) {
        for (uint64_t j = 0; j < count; j++)
            sum[j] = (double)((float)sum[j] + a[k] * b[k * count + j]);
    }
}

static void row_of(const struct job *job, double *value, double *scale,
                   uint64_t row)
{
    if (job->is_serial)
        serial_row(job, value, row);
    else if (job->scalar != NO_SCALAR)
        whet_task__reference_row_scalar(value, scale, job->sample->reference,
                                        job->out, &job->args, row, job->scalar,
                                        job->scalar_value);
    else
        whet_reference_row(value, scale, job->sample->reference, job->out,
                           &job->args, row);
}

static void raise_worst(struct job *job, double worst)
{
    uint64_t bits, seen = atomic_load(&job->worst_bits);

    memcpy(&bits, &worst, sizeof bits);
    while (bits > seen &&
           !atomic_compare_exchange_weak(&job->worst_bits, &seen, bits))
        ;
}

/* Error in units of the bound; infinite for NaN. */
static double units(double got, double value, double bound)
{
    double error = fabs(got - value);

    if (error == 0.0)
        return 0.0;
    if (!(error <= DBL_MAX) || bound == 0.0)
        return (double)INFINITY;
    return error / bound;
}

static double compare_row(const struct job *job, const double *computed,
                          uint64_t row)
{
    const struct whet_sample *sample = job->sample;
    const whet_tensor *tensor = &sample->task->tensors[job->out];
    uint64_t count = sample->extents[job->out].row_elements;
    const double *value = sample->values[job->out] + row * count;
    const double *scale = sample->scales[job->out] + row * count;
    double floor = whet_numerics_floor(&sample->task->numerics, tensor->dtype);
    double factor = sample->factors[job->out], worst = 0.0;
    const unsigned char *copy = job->copy;
    size_t item = copy != NULL ? whet_dtype_bytes(job->copy_dtype) : 0;

    for (uint64_t i = 0; i < count; i++) {
        double got = job->is_constant ? job->constant
                     : copy != NULL
                         ? whet_dtype_load(job->copy_dtype,
                                           copy + (row * count + i) * item)
                         : computed[i];
        double here = units(got, value[i], factor * scale[i] + floor);

        if (here > worst)
            worst = here;
    }
    return worst;
}

static void compare_rows(uint64_t begin, uint64_t end, void *payload)
{
    struct job *job = payload;
    uint64_t count = job->sample->extents[job->out].row_elements;
    bool is_computed = !job->is_constant && job->copy == NULL;
    double *buffer = NULL;
    double worst = 0.0;

    if (is_computed) {
        buffer = malloc(2 * count * sizeof *buffer);
        if (buffer == NULL) {
            atomic_store(&job->is_out_of_memory, true);
            return;
        }
    }
    for (uint64_t row = begin; row < end; row++) {
        double here;

        if (is_computed)
            row_of(job, buffer, buffer + count, row);
        here = compare_row(job, buffer, row);
        if (here > worst)
            worst = here;
    }
    raise_worst(job, worst);
    free(buffer);
}

/* Rows a thread takes at a time: some 2^16 elements. */
static uint64_t grain_of(const whet_extent *extent)
{
    uint64_t grain = (UINT64_C(1) << 16) / extent->row_elements;

    return grain > 0 ? grain : 1;
}

static whet_status run_job(double *worst_out, struct job *job, whet_err *err)
{
    const whet_extent *extent = &job->sample->extents[job->out];
    uint64_t bits;

    atomic_init(&job->worst_bits, 0);
    atomic_init(&job->is_out_of_memory, false);
    whet_parallel_for(extent->row_count, grain_of(extent), 0, compare_rows,
                      job);
    if (atomic_load(&job->is_out_of_memory))
        return whet_err_set(err, WHET_ENOMEM, "task check: out of memory");
    bits = atomic_load(&job->worst_bits);
    memcpy(worst_out, &bits, sizeof bits);
    return WHET_OK;
}

static struct job new_job(const struct whet_sample *sample, unsigned out)
{
    struct job job = {.sample = sample, .out = out, .scalar = NO_SCALAR};

    for (unsigned i = 0; i < WHET_TENSOR_MAX; i++)
        job.args.tensor[i] = sample->inputs[i];
    job.args.workload = &sample->workload;
    return job;
}

/* --- the reference's own answer --- */

static void answer_rows(uint64_t begin, uint64_t end, void *payload)
{
    struct job *job = payload;
    uint64_t count = job->sample->extents[job->out].row_elements;

    for (uint64_t row = begin; row < end; row++)
        whet_reference_row(job->sample->values[job->out] + row * count,
                           job->sample->scales[job->out] + row * count,
                           job->sample->reference, job->out, &job->args, row);
}

static double dtype_max(whet_dtype dtype)
{
    switch (dtype) {
    case WHET_DTYPE_F64:
        return DBL_MAX;
    case WHET_DTYPE_F16:
        return 65504.0;
    case WHET_DTYPE_I32:
        return (double)INT32_MAX;
    case WHET_DTYPE_F32:
    case WHET_DTYPE_BF16:
    case WHET_DTYPE_COUNT:
        break;
    }
    return (double)FLT_MAX;
}

static whet_status check_answer(const struct whet_sample *sample, unsigned out,
                                whet_err *err)
{
    const whet_task *task = sample->task;
    double most = dtype_max(task->tensors[out].dtype);

    for (uint64_t i = 0; i < sample->extents[out].element_count; i++) {
        double value = sample->values[out][i], scale = sample->scales[out][i];
        char sizes[256];

        if (fabs(value) <= most && scale >= 0.0 && scale <= DBL_MAX)
            continue;
        whet_workload_format(sizes, sizeof sizes, task, &sample->workload);
        return whet_err_set(err, WHET_EINVAL,
                            "task '%s': reference_%s gives value %g, scale %g "
                            "at element %llu for %s, expected finite numbers "
                            "within %s and a scale of at least 0",
                            task->name, task->tensors[out].name, value, scale,
                            (unsigned long long)i, sizes,
                            whet_dtype_name(task->tensors[out].dtype));
    }
    return WHET_OK;
}

static whet_status answer(struct whet_sample *sample, unsigned out,
                          whet_err *err)
{
    const whet_extent *extent = &sample->extents[out];
    struct job job = new_job(sample, out);
    whet_status st;

    st = whet_numerics_factor(&sample->factors[out], sample->task,
                              &sample->workload,
                              sample->task->tensors[out].dtype, err);
    if (st != WHET_OK)
        return st;
    sample->values[out] = malloc(extent->element_count * sizeof(double));
    sample->scales[out] = malloc(extent->element_count * sizeof(double));
    if (sample->values[out] == NULL || sample->scales[out] == NULL)
        return whet_err_set(err, WHET_ENOMEM, "task check: out of memory");
    /* A reference that forgets an element must not pass by luck. */
    for (uint64_t i = 0; i < extent->element_count; i++)
        sample->values[out][i] = sample->scales[out][i] = (double)NAN;
    whet_parallel_for(extent->row_count, grain_of(extent), 0, answer_rows,
                      &job);
    return check_answer(sample, out, err);
}

whet_status whet_task__sample_new(struct whet_sample **out,
                                  const whet_task *task,
                                  const whet_reference *reference,
                                  const whet_workload *workload,
                                  const whet_key *key, whet_err *err)
{
    struct whet_sample *sample = calloc(1, sizeof *sample);
    whet_status st = WHET_OK;

    *out = NULL;
    if (sample == NULL)
        return whet_err_set(err, WHET_ENOMEM, "task check: out of memory");
    sample->task = task;
    sample->reference = reference;
    sample->workload = *workload;
    sample->key = *key;
    for (unsigned i = 0; st == WHET_OK && i < task->tensor_count; i++) {
        st = whet_task_extent(&sample->extents[i], task, workload, i, err);
        if (st != WHET_OK || task->tensors[i].role != WHET_ROLE_IN)
            continue;
        sample->inputs[i] = draw_input(sample, i, key);
        if (sample->inputs[i] == NULL)
            st = whet_err_set(err, WHET_ENOMEM, "task check: out of memory");
    }
    for (unsigned i = 0; st == WHET_OK && i < task->tensor_count; i++) {
        if (task->tensors[i].role == WHET_ROLE_OUT)
            st = answer(sample, i, err);
    }
    if (st != WHET_OK) {
        whet_task__sample_free(sample);
        return st;
    }
    *out = sample;
    return WHET_OK;
}

/* --- fakes --- */

bool whet_task__sample_can_copy(const struct whet_sample *sample,
                                const struct whet_fake *fake)
{
    return sample->extents[fake->in].element_count ==
           sample->extents[fake->out].element_count;
}

static double mean_of(const void *data, whet_dtype dtype, uint64_t count)
{
    const unsigned char *at = data;
    double sum = 0.0;

    for (uint64_t i = 0; i < count; i++)
        sum += whet_dtype_load(dtype, at + i * whet_dtype_bytes(dtype));
    return sum / (double)count;
}

/* Mean of an output for a fresh draw of all inputs: the best that a kernel
 * could know beforehand. */
static whet_status mean_elsewhere(double *mean_out,
                                  const struct whet_sample *sample,
                                  unsigned out, whet_err *err)
{
    const whet_task *task = sample->task;
    const whet_extent *extent = &sample->extents[out];
    double *row = malloc(2 * extent->row_elements * sizeof *row);
    void *inputs[WHET_TENSOR_MAX] = {NULL};
    struct job job = new_job(sample, out);
    whet_key key = sample->key;
    bool is_ready = row != NULL;
    double sum = 0.0;

    key.word[0] ^= 0x80000000u;
    for (unsigned i = 0; is_ready && i < task->tensor_count; i++) {
        if (task->tensors[i].role != WHET_ROLE_IN)
            continue;
        job.args.tensor[i] = inputs[i] = draw_input(sample, i, &key);
        is_ready = inputs[i] != NULL;
    }
    for (uint64_t i = 0; is_ready && i < extent->row_count; i++) {
        row_of(&job, row, row + extent->row_elements, i);
        for (uint64_t j = 0; j < extent->row_elements; j++)
            sum += row[j];
    }
    for (unsigned i = 0; i < task->tensor_count; i++)
        free(inputs[i]);
    free(row);
    *mean_out = sum / (double)extent->element_count;
    if (!is_ready)
        return whet_err_set(err, WHET_ENOMEM, "task check: out of memory");
    return WHET_OK;
}

/* A fake that makes one output without computing anything. */
static whet_status play_plain(double *worst_out,
                              const struct whet_sample *sample,
                              const struct whet_fake *fake, whet_err *err)
{
    struct job job = new_job(sample, fake->out);
    whet_dtype in_dtype = wide_dtype(sample->task->tensors[fake->in].dtype);
    whet_status st;

    job.is_constant = fake->kind != WHET_FAKE_COPY;
    switch (fake->kind) {
    case WHET_FAKE_NOTHING:
        job.constant = (double)NAN;
        break;
    case WHET_FAKE_CONSTANT:
        st = mean_elsewhere(&job.constant, sample, fake->out, err);
        if (st != WHET_OK)
            return st;
        break;
    case WHET_FAKE_IN_MEAN:
        job.constant = mean_of(sample->inputs[fake->in], in_dtype,
                               sample->extents[fake->in].element_count);
        break;
    case WHET_FAKE_COPY:
        job.copy = sample->inputs[fake->in];
        job.copy_dtype = in_dtype;
        break;
    default: /* zeros */
        break;
    }
    return run_job(worst_out, &job, err);
}

/* To `bits` significant bits, nearest even. */
static double rounded(double x, unsigned bits)
{
    int exponent;
    double fraction = frexp(x, &exponent);

    return ldexp(nearbyint(ldexp(fraction, (int)bits)), exponent - (int)bits);
}

/* A copy of an input with every element rounded, or one taken as zero; which
 * one follows from the key. */
static void *spoiled_input(const struct whet_sample *sample,
                           const struct whet_fake *fake)
{
    uint64_t count = sample->extents[fake->in].element_count;
    void *data = draw_input(sample, fake->in, &sample->key);
    bool is_f64 =
        wide_dtype(sample->task->tensors[fake->in].dtype) == WHET_DTYPE_F64;

    if (data == NULL)
        return NULL;
    if (fake->kind == WHET_FAKE_SKIPPED) {
        uint64_t at = sample->key.word[0] % count;

        memset((unsigned char *)data + at * (is_f64 ? 8 : 4), 0,
               is_f64 ? 8 : 4);
        return data;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (is_f64)
            ((double *)data)[i] = rounded(((double *)data)[i], fake->bits);
        else
            ((float *)data)[i] =
                (float)rounded((double)((float *)data)[i], fake->bits);
    }
    return data;
}

/* The input that a fake computes with instead of the true one. */
static void *other_input(const struct whet_sample *sample,
                         const struct whet_fake *fake)
{
    whet_key key = sample->key;

    switch (fake->kind) {
    case WHET_FAKE_REDRAWN:
        key.word[0] ^= 0x80000000u;
        return draw_input(sample, fake->in, &key);
    case WHET_FAKE_ONES:
        return constant_input(sample, fake->in, 1);
    case WHET_FAKE_ROUNDED:
    case WHET_FAKE_SKIPPED:
        return spoiled_input(sample, fake);
    default:
        return constant_input(sample, fake->in, 0);
    }
}

/* A fake that computes rightly, from a wrong operand: told apart if any output
 * tells. */
static whet_status play_operand(double *worst_out,
                                const struct whet_sample *sample,
                                const struct whet_fake *fake, whet_err *err)
{
    const whet_task *task = sample->task;
    bool is_scalar = fake->kind == WHET_FAKE_SCALAR;
    void *other = is_scalar ? NULL : other_input(sample, fake);
    whet_status st = WHET_OK;

    if (!is_scalar && other == NULL)
        return whet_err_set(err, WHET_ENOMEM, "task check: out of memory");
    for (unsigned i = 0; st == WHET_OK && i < task->tensor_count; i++) {
        struct job job = new_job(sample, i);
        double here = 0.0;

        if (task->tensors[i].role != WHET_ROLE_OUT)
            continue;
        if (is_scalar) {
            double value = task->scalars[fake->in].value;

            job.scalar = fake->in;
            job.scalar_value = value == 0.0 ? 1.0 : 2.0 * value;
        } else {
            job.args.tensor[fake->in] = other;
        }
        st = run_job(&here, &job, err);
        if (here > *worst_out)
            *worst_out = here;
    }
    free(other);
    return st;
}

whet_status whet_task__sample_play(double *worst_out,
                                   const struct whet_sample *sample,
                                   const struct whet_fake *fake, whet_err *err)
{
    *worst_out = 0.0;
    if (fake->kind >= WHET_FAKE_REDRAWN)
        return play_operand(worst_out, sample, fake, err);
    if (fake->kind == WHET_FAKE_COPY &&
        !whet_task__sample_can_copy(sample, fake)) {
        *worst_out = (double)INFINITY;
        return WHET_OK;
    }
    return play_plain(worst_out, sample, fake, err);
}

bool whet_task__sample_is_product(const struct whet_sample *sample)
{
    const whet_task *task = sample->task;
    const whet_extent *a, *b, *c;
    unsigned in[2] = {0, 0}, out = 0;

    if (task->tensor_count != 3 || task->scalar_count > 0)
        return false;
    factors_of(in, task);
    for (unsigned i = 0; i < 3; i++) {
        if (task->tensors[i].dtype != WHET_DTYPE_F32 ||
            task->tensors[i].rank != 2)
            return false;
        if (task->tensors[i].role == WHET_ROLE_OUT)
            out = i;
    }
    a = &sample->extents[in[0]];
    b = &sample->extents[in[1]];
    c = &sample->extents[out];
    return in[0] != in[1] && a->row_count == c->row_count &&
           a->row_elements == b->row_count &&
           b->row_elements == c->row_elements;
}

whet_status whet_task__sample_play_serial(double *worst_out,
                                          const struct whet_sample *sample,
                                          whet_err *err)
{
    unsigned out = 0;
    struct job job;

    while (sample->task->tensors[out].role != WHET_ROLE_OUT)
        out++;
    job = new_job(sample, out);
    job.is_serial = true;
    return run_job(worst_out, &job, err);
}
