/* Projections of matrix products. See projection.h. */

#include "judge/projection.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIPS = 16, /* column strips of an ordinary call */
    SAMPLED_ROWS = 32,
    FAILED_ROWS = 64 /* looked at element by element, to tell what is wrong */
};

static const uint64_t dear_ops = UINT64_C(1) << 33;

bool whet_judge__product(whet_product *out, const whet_task *task,
                         const whet_workload *workload)
{
    unsigned inputs[2], in_count = 0, out_count = 0, t;
    whet_extent a, b, c;

    memset(out, 0, sizeof *out);
    if (strcmp(task->op, "gemm") != 0 || task->scalar_count > 0 ||
        task->numerics.op_class != WHET_CLASS_DOT || task->tensor_count != 3)
        return false;
    for (t = 0; t < 3; t++) {
        whet_dtype dtype = task->tensors[t].dtype;

        if (dtype != WHET_DTYPE_F32 && dtype != WHET_DTYPE_F16 &&
            dtype != WHET_DTYPE_BF16)
            return false;
        if (task->tensors[t].role == WHET_ROLE_OUT) {
            out->c = t;
            out_count++;
        } else if (in_count < 2) {
            inputs[in_count++] = t;
        }
    }
    if (in_count != 2 || out_count != 1)
        return false;
    out->a = inputs[0];
    out->b = inputs[1];
    if (whet_task_extent(&a, task, workload, out->a, NULL) != WHET_OK ||
        whet_task_extent(&b, task, workload, out->b, NULL) != WHET_OK ||
        whet_task_extent(&c, task, workload, out->c, NULL) != WHET_OK)
        return false;
    out->m = c.row_count;
    out->n = c.row_elements;
    out->k = a.row_elements;
    return a.row_count == out->m && b.row_count == out->k &&
           b.row_elements == out->n;
}

bool whet_judge__product_is_dear(const whet_product *product)
{
    return 2.0 * (double)product->m * (double)product->n * (double)product->k >
           (double)dear_ops;
}

/* A secret stream of a call. */
static void seed(whet_rng *rng, const whet_key *key, const char *purpose)
{
    whet_rng_init(rng, (uint64_t)key->word[0] << 32 | key->word[1],
                  (uint64_t)key->word[2] << 32 | key->word[3], purpose);
}

bool whet_judge__product_is_exact(const whet_product *product,
                                  const whet_task *task, const whet_key *key)
{
    whet_rng rng;

    if (product->k > UINT64_C(1) << 17 ||
        task->tensors[product->a].dtype != WHET_DTYPE_F32 ||
        task->tensors[product->b].dtype != WHET_DTYPE_F32 ||
        task->tensors[product->c].dtype != WHET_DTYPE_F32)
        return false;
    seed(&rng, key, "project.kind");
    return whet_rng_below(&rng, 4) == 0;
}

void whet_judge__make_exact(float *data, uint64_t count)
{
    uint64_t i;

    for (i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &data[i], sizeof bits);
        /* Multiplied, since neither end of a drawn mantissa is even. */
        data[i] = (float)((int32_t)(bits * 0x9e3779b1u >> 28) - 8);
    }
}

/* Everything of one check. */
struct projection {
    const whet_projection_args *args;
    const float *a, *b;
    double *sign;                          /* n, +1 or -1 */
    uint64_t *word;                        /* n */
    double *sum;                           /* k x STRIPS: B r by strips */
    double *size;                          /* k x STRIPS: |B| 1 */
    uint64_t *exact;                       /* k: B r modulo 2^64 */
    uint64_t width;                        /* columns of a strip */
    unsigned char *failed[WHET_ARM_COUNT]; /* m */
};

static void release(struct projection *p)
{
    unsigned i;

    free(p->sign);
    free(p->word);
    free(p->sum);
    free(p->size);
    free(p->exact);
    for (i = 0; i < WHET_ARM_COUNT; i++)
        free(p->failed[i]);
}

static whet_status prepare(struct projection *p, whet_err *err)
{
    const whet_product *q = p->args->product;
    whet_rng rng;
    uint64_t j;
    unsigned i;
    bool ok;

    p->width = (q->n + STRIPS - 1) / STRIPS;
    p->sign = malloc(q->n * sizeof *p->sign);
    p->word = malloc(q->n * sizeof *p->word);
    p->sum = malloc(q->k * STRIPS * sizeof *p->sum);
    p->size = malloc(q->k * STRIPS * sizeof *p->size);
    p->exact = malloc(q->k * sizeof *p->exact);
    ok = p->sign && p->word && p->sum && p->size && p->exact;
    for (i = 0; i < WHET_ARM_COUNT; i++) {
        p->failed[i] = calloc(q->m, 1);
        ok = ok && p->failed[i] != NULL;
    }
    if (!ok)
        return whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    seed(&rng, p->args->key, "project.vector");
    for (j = 0; j < q->n; j++) {
        /* Odd words: no factor of two is given away. */
        p->word[j] = whet_rng_u64(&rng) | 1;
        p->sign[j] = p->word[j] >> 63 ? 1.0 : -1.0;
    }
    return WHET_OK;
}

/* Rows [begin, end) of B r. */
static void project_b(uint64_t begin, uint64_t end, void *payload)
{
    struct projection *p = payload;
    uint64_t n = p->args->product->n, row, j;
    unsigned s;

    for (row = begin; row < end; row++) {
        const float *b = p->b + row * n;
        uint64_t exact = 0;

        for (j = 0; p->args->is_exact && j < n; j++)
            exact += (uint64_t)(int64_t)b[j] * p->word[j];
        p->exact[row] = exact;
        for (s = 0; s < STRIPS; s++) {
            uint64_t last = (s + 1) * p->width < n ? (s + 1) * p->width : n;
            double sum = 0.0, size = 0.0;

            for (j = s * p->width; j < last; j++) {
                sum += b[j] * p->sign[j];
                size += fabs((double)b[j]);
            }
            p->sum[row * STRIPS + s] = sum;
            p->size[row * STRIPS + s] = size;
        }
    }
}

/* C's element, whatever its type. */
static double element(const struct projection *p, const void *got, uint64_t at)
{
    whet_dtype dtype = p->args->task->tensors[p->args->product->c].dtype;

    if (dtype == WHET_DTYPE_F32)
        return ((const float *)got)[at];
    return whet_dtype_load(dtype,
                           (const char *)got + at * whet_dtype_bytes(dtype));
}

static bool row_is_exact(const struct projection *p, const void *got,
                         uint64_t row)
{
    uint64_t n = p->args->product->n, k = p->args->product->k, j;
    const float *a = p->a + row * k, *c = (const float *)got + row * n;
    uint64_t want = 0, sum = 0;

    for (j = 0; j < k; j++)
        want += (uint64_t)(int64_t)a[j] * p->exact[j];
    for (j = 0; j < n; j++) {
        /* Written so that NaN fails. */
        if (!(fabsf(c[j]) < 0x1p24f) || truncf(c[j]) != c[j])
            return false;
        sum += (uint64_t)(int64_t)c[j] * p->word[j];
    }
    return sum == want;
}

/* A (B r) of a row by strips, and what it may be off by. */
static void want_row(double want[STRIPS], double bound[STRIPS],
                     const struct projection *p, uint64_t row)
{
    uint64_t k = p->args->product->k, j;
    const float *a = p->a + row * k;
    double size[STRIPS] = {0};
    unsigned s;

    memset(want, 0, STRIPS * sizeof *want);
    for (j = 0; j < k; j++)
        for (s = 0; s < STRIPS; s++) {
            want[s] += a[j] * p->sum[j * STRIPS + s];
            size[s] += fabs((double)a[j]) * p->size[j * STRIPS + s];
        }
    /* Our own sums in double are off by far less than their length times
     * 2^-53 of the same size. */
    for (s = 0; s < STRIPS; s++)
        bound[s] =
            (p->args->factor + (double)(k + p->width) * DBL_EPSILON) * size[s] +
            p->args->floor * (double)p->width;
}

static bool row_fits(const struct projection *p, const void *got, uint64_t row,
                     const double *want, const double *bound)
{
    uint64_t n = p->args->product->n, j;
    unsigned s;

    for (s = 0; s < STRIPS; s++) {
        uint64_t last = (s + 1) * p->width < n ? (s + 1) * p->width : n;
        double sum = 0.0;

        for (j = s * p->width; j < last; j++)
            sum += element(p, got, row * n + j) * p->sign[j];
        if (!(fabs(sum - want[s]) <= bound[s]))
            return false;
    }
    return true;
}

static void check_rows(uint64_t begin, uint64_t end, void *payload)
{
    struct projection *p = payload;
    double want[STRIPS], bound[STRIPS];
    uint64_t row;
    unsigned i;

    for (row = begin; row < end; row++) {
        if (!p->args->is_exact)
            want_row(want, bound, p, row);
        for (i = 0; i < p->args->arm_count; i++) {
            const void *got = p->args->got[i];

            if (got != NULL)
                p->failed[i][row] =
                    !(p->args->is_exact ? row_is_exact(p, got, row)
                                        : row_fits(p, got, row, want, bound));
        }
    }
}

/* One row by the reference: buffers of value, scale, and poison. */
struct row_buffers {
    double *value, *scale;
    char *poison;
};

static void compare(whet_tally *tally, const struct projection *p,
                    const struct row_buffers *row, unsigned arm, uint64_t at)
{
    const whet_product *q = p->args->product;
    whet_dtype dtype = p->args->task->tensors[q->c].dtype;
    uint64_t bytes = q->n * whet_dtype_bytes(dtype);
    uint64_t offset = at * bytes, lead = offset % 4;

    whet_judge__poison(row->poison, bytes + lead, dtype, p->args->key, q->c);
    whet_judge__compare_row(tally, dtype,
                            (const char *)p->args->got[arm] + offset,
                            row->poison + lead, row->value, row->scale, q->n,
                            p->args->factor, p->args->floor);
}

/* Does the reference's row agree with A (B r)? */
static bool is_product(const struct projection *p,
                       const struct row_buffers *row, uint64_t at)
{
    uint64_t n = p->args->product->n, j;
    double want[STRIPS], bound[STRIPS];
    unsigned s;

    want_row(want, bound, p, at);
    for (s = 0; s < STRIPS; s++) {
        uint64_t last = (s + 1) * p->width < n ? (s + 1) * p->width : n;
        double sum = 0.0;

        for (j = s * p->width; j < last; j++)
            sum += row->value[j] * p->sign[j];
        if (!(fabs(sum - want[s]) <= bound[s]))
            return false;
    }
    return true;
}

/* Rows recomputed side by side: sampled ones, then failed ones. */
struct rows {
    struct projection *p;
    const uint64_t *at;
    bool is_sample; /* compare all arms; else those that failed there */
    pthread_mutex_t lock;
    whet_tally *tally;
    bool is_no_product, out_of_memory;
};

static void recompute(uint64_t begin, uint64_t end, void *payload)
{
    struct rows *r = payload;
    const whet_projection_args *args = r->p->args;
    const whet_product *q = args->product;
    struct row_buffers row = {malloc(q->n * sizeof(double)),
                              malloc(q->n * sizeof(double)),
                              malloc(q->n * sizeof(double) + 8)};
    bool ok = row.value && row.scale && row.poison, fits = true;
    whet_tally tally[WHET_ARM_COUNT] = {{0}};
    uint64_t i;
    unsigned arm;

    for (i = begin; ok && i < end; i++) {
        whet_reference_row(row.value, row.scale, args->reference, q->c,
                           args->inputs, r->at[i]);
        fits = fits && is_product(r->p, &row, r->at[i]);
        for (arm = 0; arm < args->arm_count; arm++)
            if (args->got[arm] != NULL &&
                (r->is_sample || r->p->failed[arm][r->at[i]]))
                compare(&tally[arm], r->p, &row, arm, r->at[i]);
    }
    pthread_mutex_lock(&r->lock);
    r->is_no_product |= !fits;
    r->out_of_memory |= !ok;
    for (arm = 0; arm < WHET_ARM_COUNT; arm++)
        whet_judge__tally_add(&r->tally[arm], &tally[arm]);
    pthread_mutex_unlock(&r->lock);
    free(row.value);
    free(row.scale);
    free(row.poison);
}

static whet_status look_at(whet_tally *tally, struct projection *p,
                           const uint64_t *at, uint64_t count, bool is_sample,
                           whet_err *err)
{
    struct rows r = {.p = p, .at = at, .is_sample = is_sample, .tally = tally};

    pthread_mutex_init(&r.lock, NULL);
    whet_parallel_for(count, 1, 0, recompute, &r);
    pthread_mutex_destroy(&r.lock);
    if (r.out_of_memory)
        return whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    if (r.is_no_product)
        return whet_err_set(err, WHET_EINVAL,
                            "task %s says op gemm, but its reference is not "
                            "the product of its inputs",
                            p->args->task->name);
    return WHET_OK;
}

static whet_status sample_rows(whet_tally *tally, struct projection *p,
                               whet_err *err)
{
    uint64_t at[SAMPLED_ROWS], m = p->args->product->m;
    whet_rng rng;
    unsigned i;

    seed(&rng, p->args->key, "project.rows");
    for (i = 0; i < SAMPLED_ROWS; i++)
        at[i] = whet_rng_below(&rng, m);
    return look_at(tally, p, at, SAMPLED_ROWS, true, err);
}

/* What is wrong with the rows that failed: unwritten, not finite, or off. */
static whet_status explain_rows(whet_tally *tally, struct projection *p,
                                whet_err *err)
{
    uint64_t at[FAILED_ROWS], count = 0, row;
    uint64_t failed[WHET_ARM_COUNT] = {0};
    whet_tally found[WHET_ARM_COUNT] = {{0}};
    whet_status st;
    unsigned i;

    for (row = 0; row < p->args->product->m; row++) {
        bool any = false;

        for (i = 0; i < WHET_ARM_COUNT; i++) {
            failed[i] += p->failed[i][row];
            any |= p->failed[i][row];
        }
        if (any && count < FAILED_ROWS)
            at[count++] = row;
    }
    st = look_at(found, p, at, count, false, err);
    for (i = 0; st == WHET_OK && i < WHET_ARM_COUNT; i++) {
        /* Within every element's bound and yet not exact: wrong all the same.
         */
        if (failed[i] > 0 && found[i].bad_count == 0)
            found[i].bad_count = failed[i];
        whet_judge__tally_add(&tally[i], &found[i]);
    }
    return st;
}

whet_status whet_judge__project(whet_tally tally[WHET_ARM_COUNT],
                                const whet_projection_args *args, whet_err *err)
{
    struct projection p = {.args = args,
                           .a = args->inputs->tensor[args->product->a],
                           .b = args->inputs->tensor[args->product->b]};
    whet_status st = prepare(&p, err);

    if (st == WHET_OK) {
        whet_parallel_for(args->product->k, 16, 0, project_b, &p);
        whet_parallel_for(args->product->m, 16, 0, check_rows, &p);
        st = sample_rows(tally, &p, err);
    }
    if (st == WHET_OK)
        st = explain_rows(tally, &p, err);
    release(&p);
    return st;
}
