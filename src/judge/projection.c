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
    BRIEF_ROWS = 4,
    FAILED_ROWS = 64 /* looked at element by element, to tell what is wrong */
};

/* Operations beyond which recomputing is too dear: a few seconds on a few
 * cores; while screening, more than a quick kernel's own call. */
static const uint64_t dear_ops = UINT64_C(1) << 33;
static const uint64_t brief_ops = UINT64_C(1) << 26;

/* Apart from the purposes of src/task/fill.c, which count from 0. */
static const uint32_t exact_purpose = 0x70726f6au;

/* Bounds of strips, in units of the root of the sum of the squared bounds. */
static const double strip_lambda = 7.0;

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

bool whet_judge__product_is_dear(const whet_product *product, bool is_brief)
{
    return 2.0 * (double)product->m * (double)product->n * (double)product->k >
           (double)(is_brief ? brief_ops : dear_ops);
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

/* C. Wellons' 32-bit mixer "lowbias32" over an index, seeded before and in
 * between; 32-bit arithmetic alone, so that it becomes vector code. */
static uint32_t mix(uint32_t x, uint32_t before, uint32_t between)
{
    x += before;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x ^= between;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

void whet_judge__draw_exact(float *dst, const whet_key *key, unsigned tensor,
                            uint64_t first, uint64_t count)
{
    const uint64_t part = UINT64_C(1) << 20;
    uint64_t done, length, i;

    for (done = 0; done < count; done += length) {
        uint64_t at = first + done, number = at / part;
        uint32_t start = (uint32_t)(at % part), words[4];
        const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32),
                                     key->word[2] ^ tensor,
                                     key->word[3] ^ exact_purpose};

        length = part - start < count - done ? part - start : count - done;
        whet_philox4x32(words, counter, key->word);
        for (i = 0; i < length; i++)
            dst[done + i] = (float)((int32_t)(mix(start + (uint32_t)i, words[0],
                                                  words[1]) >>
                                              28) -
                                    8);
    }
}

/* Everything of one check. */
struct projection {
    const whet_projection_args *args;
    const float *a, *b;
    double *sign;    /* n, +1 or -1 */
    uint64_t *word;  /* n */
    double *sum;     /* k x STRIPS: B r by strips */
    double *square;  /* k x STRIPS: (B o B) 1 */
    uint64_t *exact; /* k: B r modulo 2^64 */
    uint64_t width;  /* columns of a strip */
    double slack;    /* the task's own scale over that of strip_bound */
    unsigned char *failed[WHET_ARM_COUNT]; /* m */
};

static void release(struct projection *p)
{
    unsigned i;

    free(p->sign);
    free(p->word);
    free(p->sum);
    free(p->square);
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
    p->square = malloc(q->k * STRIPS * sizeof *p->square);
    p->exact = malloc(q->k * sizeof *p->exact);
    p->slack = 1.0;
    ok = p->sign && p->word && p->sum && p->square && p->exact;
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
            double sum = 0.0, square = 0.0;

            for (j = s * p->width; j < last; j++) {
                sum += b[j] * p->sign[j];
                square += (double)b[j] * b[j];
            }
            p->sum[row * STRIPS + s] = sum;
            p->square[row * STRIPS + s] = square;
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

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A (B r) of a row by strips, and the sums Q of squared products there: most
 * of the work of a check, kept free of calls so that it becomes vector code. */
ALWAYS_INLINE void want_any(double *restrict want, double *restrict square,
                            const float *restrict a, const double *restrict b,
                            const double *restrict b2, uint64_t k)
{
    double sum[STRIPS] = {0}, sum2[STRIPS] = {0};
    uint64_t j;
    unsigned s;

    for (j = 0; j < k; j++) {
        double x = a[j], x2 = x * x;

        for (s = 0; s < STRIPS; s++) {
            sum[s] += x * b[j * STRIPS + s];
            sum2[s] += x2 * b2[j * STRIPS + s];
        }
    }
    memcpy(want, sum, sizeof sum);
    memcpy(square, sum2, sizeof sum2);
}

static void want_plain(double *want, double *square, const float *a,
                       const double *b, const double *b2, uint64_t k)
{
    want_any(want, square, a, b, b2, k);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void
want_avx2(double *want, double *square, const float *a, const double *b,
          const double *b2, uint64_t k)
{
    want_any(want, square, a, b, b2, k);
}
#endif

static void want_row(double want[STRIPS], double square[STRIPS],
                     const struct projection *p, uint64_t row)
{
    uint64_t k = p->args->product->k;
    const float *a = p->a + row * k;

#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        want_avx2(want, square, a, p->sum, p->square, k);
        return;
    }
#endif
    want_plain(want, square, a, p->sum, p->square, k);
}

/* What a strip may be off by. Elements may be off by b_j = factor sqrt(Q_j / 2
 * + C_j^2 / 3) (the scale of tasks/gemm/reference.c). The signs are random and
 * unknown to the kernel, so the sum of such errors exceeds 7 sqrt(sum b_j^2)
 * with a chance below 5e-11 (W. Hoeffding, J. Amer. Statist. Assoc. 58, 1963),
 * and it never exceeds sqrt(width) times that root.
 *
 * C is what the kernel computed: a false element e enlarges the bound by at
 * most 7 factor slack e / sqrt(3); is_loose sees to it that this is less than
 * half of e. */
static double strip_bound(const struct projection *p, double q, double c2)
{
    double width = (double)p->width, k = (double)p->args->product->k;
    double bound = fmin(sqrt(width), strip_lambda) * p->args->factor *
                   p->slack * sqrt(q / 2.0 + c2 / 3.0);

    /* Our own sums in double: the sum of |a b| is at most sqrt(k width Q). */
    return bound + (k + width) * DBL_EPSILON * sqrt(k * width * q) +
           p->args->floor * width;
}

static bool row_fits(const struct projection *p, const void *got, uint64_t row,
                     const double *want, const double *square)
{
    uint64_t n = p->args->product->n, j;
    unsigned s;

    for (s = 0; s < STRIPS; s++) {
        uint64_t last = (s + 1) * p->width < n ? (s + 1) * p->width : n;
        double sum = 0.0, c2 = 0.0;

        for (j = s * p->width; j < last; j++) {
            double c = element(p, got, row * n + j);

            sum += c * p->sign[j];
            c2 += c * c;
        }
        /* An infinite element would make the bound infinite, too. */
        if (!(c2 <= DBL_MAX) ||
            !(fabs(sum - want[s]) <= strip_bound(p, square[s], c2)))
            return false;
    }
    return true;
}

static void check_rows(uint64_t begin, uint64_t end, void *payload)
{
    struct projection *p = payload;
    double want[STRIPS], square[STRIPS];
    uint64_t row;
    unsigned i;

    for (row = begin; row < end; row++) {
        if (!p->args->is_exact)
            want_row(want, square, p, row);
        for (i = 0; i < p->args->arm_count; i++) {
            const void *got = p->args->got[i];

            if (got != NULL)
                p->failed[i][row] =
                    !(p->args->is_exact ? row_is_exact(p, got, row)
                                        : row_fits(p, got, row, want, square));
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

/* Does the reference's row agree with A (B r)? And how large is its scale
 * beside the one that strip_bound takes? */
static bool is_product(double *slack, const struct projection *p,
                       const struct row_buffers *row, uint64_t at)
{
    uint64_t n = p->args->product->n, j;
    double want[STRIPS], square[STRIPS], scale2 = 0.0, own2 = 0.0;
    unsigned s;

    want_row(want, square, p, at);
    for (s = 0; s < STRIPS; s++) {
        uint64_t last = (s + 1) * p->width < n ? (s + 1) * p->width : n;
        double sum = 0.0, c2 = 0.0;

        for (j = s * p->width; j < last; j++) {
            sum += row->value[j] * p->sign[j];
            c2 += row->value[j] * row->value[j];
            scale2 += row->scale[j] * row->scale[j];
        }
        own2 += square[s] / 2.0 + c2 / 3.0;
        if (!(fabs(sum - want[s]) <= strip_bound(p, square[s], c2)))
            return false;
    }
    if (own2 > 0.0 && sqrt(scale2 / own2) > *slack)
        *slack = sqrt(scale2 / own2);
    return true;
}

/* Rows recomputed side by side: sampled ones, then failed ones. */
struct rows {
    struct projection *p;
    const uint64_t *at;
    bool is_sample; /* compare all arms; else those that failed there */
    pthread_mutex_t lock;
    whet_tally *tally;
    double slack;
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
    double slack = 1.0;
    whet_tally tally[WHET_ARM_COUNT] = {{0}};
    uint64_t i;
    unsigned arm;

    for (i = begin; ok && i < end; i++) {
        whet_reference_row(row.value, row.scale, args->reference, q->c,
                           args->inputs, r->at[i]);
        fits = fits && is_product(&slack, r->p, &row, r->at[i]);
        for (arm = 0; arm < args->arm_count; arm++)
            if (args->got[arm] != NULL &&
                (r->is_sample || r->p->failed[arm][r->at[i]]))
                compare(&tally[arm], r->p, &row, arm, r->at[i]);
    }
    pthread_mutex_lock(&r->lock);
    r->is_no_product |= !fits;
    r->out_of_memory |= !ok;
    if (slack > r->slack)
        r->slack = slack;
    for (arm = 0; arm < WHET_ARM_COUNT; arm++)
        whet_judge__tally_add(&r->tally[arm], &tally[arm]);
    pthread_mutex_unlock(&r->lock);
    free(row.value);
    free(row.scale);
    free(row.poison);
}

/* @param slack_out  largest one of these rows; may be NULL */
static whet_status look_at(whet_tally *tally, double *slack_out,
                           struct projection *p, const uint64_t *at,
                           uint64_t count, bool is_sample, whet_err *err)
{
    struct rows r = {
        .p = p, .at = at, .is_sample = is_sample, .tally = tally, .slack = 1.0};

    pthread_mutex_init(&r.lock, NULL);
    whet_parallel_for(count, 1, 0, recompute, &r);
    pthread_mutex_destroy(&r.lock);
    if (slack_out != NULL)
        *slack_out = r.slack;
    if (r.out_of_memory)
        return whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    if (r.is_no_product)
        return whet_err_set(err, WHET_EINVAL,
                            "task %s says op gemm, but its reference is not "
                            "the product of its inputs",
                            p->args->task->name);
    return WHET_OK;
}

/* They also tell whether the task's scale is that of strip_bound; a larger one
 * is allowed for, with room for rows that were not sampled. */
static whet_status sample_rows(whet_tally *tally, struct projection *p,
                               whet_err *err)
{
    uint64_t at[SAMPLED_ROWS], m = p->args->product->m;
    unsigned count = p->args->is_brief ? BRIEF_ROWS : SAMPLED_ROWS, i;
    double slack = 1.0;
    whet_rng rng;
    whet_status st;

    seed(&rng, p->args->key, "project.rows");
    for (i = 0; i < count; i++)
        at[i] = whet_rng_below(&rng, m);
    st = look_at(tally, &slack, p, at, count, true, err);
    p->slack = slack > 1.05 ? 2.0 * slack : 1.0;
    return st;
}

/* Is a bound so wide (operands of few bits, or a generous scale of the task's
 * own) that false elements would excuse themselves? */
static bool is_loose(const struct projection *p)
{
    double lambda = fmin(sqrt((double)p->width), strip_lambda);

    return !(lambda * p->args->factor * p->slack / sqrt(3.0) <= 0.5);
}

/* Every row by the reference, which takes as long as it takes. */
static whet_status recompute_all(whet_tally *tally, struct projection *p,
                                 whet_err *err)
{
    uint64_t m = p->args->product->m, row, *at = malloc(m * sizeof *at);
    whet_status st;

    if (at == NULL)
        return whet_err_set(err, WHET_ENOMEM, "verifier: out of memory");
    for (row = 0; row < m; row++)
        at[row] = row;
    st = look_at(tally, NULL, p, at, m, true, err);
    free(at);
    return st;
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
    st = look_at(found, NULL, p, at, count, false, err);
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
        st = sample_rows(tally, &p, err);
    }
    if (st == WHET_OK && !args->is_exact && is_loose(&p)) {
        st = recompute_all(tally, &p, err);
    } else if (st == WHET_OK) {
        whet_parallel_for(args->product->m, 16, 0, check_rows, &p);
        st = explain_rows(tally, &p, err);
    }
    release(&p);
    return st;
}
