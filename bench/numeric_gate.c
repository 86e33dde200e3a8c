/* Prints the table at the end of docs/judging.md: the worst
 * errors of plain f32 arithmetic and of narrow operands, in units of the bound,
 * for the shipped tasks. Not part of the suite; bench/numeric_gate.sh builds
 * and runs it. Argument: calls of each row (default 3). */

#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = 4, RUN = 64 };

/** Significant bits of operands: f32, tf32, bf16; and f32 in blocks. */
static const unsigned format_bits[FORMATS] = {24, 24, 11, 8};

/** One row of the table. */
struct row {
    const char *task, *sizes;
};

static const struct row rows[] = {
    {"gemm", "M=64,N=64,K=1"},
    {"gemm", "M=128,N=128,K=64"},
    {"gemm", "M=128,N=128,K=512"},
    {"gemm", "M=128,N=128,K=4096"},
    {"gemm", "M=64,N=64,K=16384"},
    {"rmsnorm", "rows=1024,cols=256"},
    {"rmsnorm", "rows=1024,cols=4096"},
    {"softmax", "rows=1024,cols=256"},
    {"softmax", "rows=1024,cols=4096"},
    {"softmax", "rows=256,cols=16384"},
    {"reduce_sum", "n=100"},
    {"reduce_sum", "n=1000000"},
    {"reduce_sum", "n=67108864"},
};

/** Everything of one call. */
struct call {
    const whet_task *task;
    whet_workload workload;
    whet_reference *reference;
    whet_extent extent[WHET_TENSOR_MAX];
    float *in[2], *narrow[2];
    unsigned out;
    double factor, floor;
};

static void die(const whet_err *err)
{
    fprintf(stderr, "numeric_gate: %s\n", err->msg);
    exit(1);
}

static float rounded(float x, unsigned bits)
{
    int exponent;
    float fraction = frexpf(x, &exponent);

    return ldexpf(nearbyintf(ldexpf(fraction, (int)bits)),
                  exponent - (int)bits);
}

/* Terms in runs of `run`, each summed by itself. */
static void sum_row(float *out, const float *x, uint64_t count, uint64_t run,
                    bool is_squared)
{
    *out = 0.0f;
    for (uint64_t i = 0; i < count;) {
        uint64_t end = i + run < count ? i + run : count;
        float sum = 0.0f;

        for (; i < end; i++)
            sum += is_squared ? x[i] * x[i] : x[i];
        *out += sum;
    }
}

static void product_row(float *got, const struct call *c, uint64_t row,
                        uint64_t run)
{
    uint64_t n = c->extent[1].row_elements, k = c->extent[0].row_elements;
    const float *a = c->narrow[0] + row * k;
    float *sum = malloc(n * sizeof *sum);

    memset(got, 0, n * sizeof *got);
    for (uint64_t i = 0; i < k;) {
        uint64_t end = i + run < k ? i + run : k;

        memset(sum, 0, n * sizeof *sum);
        for (; i < end; i++) {
            for (uint64_t j = 0; j < n; j++)
                sum[j] += a[i] * c->narrow[1][i * n + j];
        }
        for (uint64_t j = 0; j < n; j++)
            got[j] += sum[j];
    }
    free(sum);
}

/* One row of the output in plain f32. */
static void compute(float *got, const struct call *c, uint64_t row,
                    uint64_t run)
{
    uint64_t count = c->extent[0].row_elements;
    const float *x = c->narrow[0] + row * count;
    float sum = 0.0f, max = x[0];

    switch (c->task->numerics.op_class) {
    case WHET_CLASS_DOT:
        product_row(got, c, row, run);
        break;
    case WHET_CLASS_SUM:
        sum_row(got, x, count, run, false);
        break;
    case WHET_CLASS_NORM:
        sum_row(&sum, x, count, run, true);
        sum =
            1.0f / sqrtf(sum / (float)count + (float)c->task->scalars[0].value);
        for (uint64_t i = 0; i < count; i++)
            got[i] = x[i] * sum * c->narrow[1][i];
        break;
    default: /* softmax */
        for (uint64_t i = 0; i < count; i++)
            max = x[i] > max ? x[i] : max;
        for (uint64_t i = 0; i < count; i++)
            got[i] = expf(x[i] - max);
        sum_row(&sum, got, count, run, false);
        for (uint64_t i = 0; i < count; i++)
            got[i] /= sum;
        break;
    }
}

static double worst_of(const struct call *c, uint64_t run)
{
    const whet_extent *extent = &c->extent[c->out];
    uint64_t count = extent->row_elements;
    double *value = malloc(2 * count * sizeof *value), *scale = value + count;
    float *got = malloc(count * sizeof *got);
    whet_reference_args args = {.workload = &c->workload};
    double worst = 0.0;

    args.tensor[0] = c->in[0];
    args.tensor[1] = c->in[1];
    for (uint64_t row = 0; row < extent->row_count; row++) {
        whet_reference_row(value, scale, c->reference, c->out, &args, row);
        compute(got, c, row, run);
        for (uint64_t j = 0; j < count; j++) {
            double error = fabs((double)got[j] - value[j]);
            double bound = c->factor * scale[j] + c->floor;

            if (error > 0.0 || isnan(error))
                worst = fmax(worst, isnan(error) ? INFINITY : error / bound);
        }
    }
    free(value);
    free(got);
    return worst;
}

static void play(double worst[FORMATS], struct call *c, uint32_t number,
                 unsigned in_count)
{
    whet_key key = {{number, 0x6a7e, 1, 2}};

    for (unsigned i = 0; i < in_count; i++)
        whet_task_fill(c->in[i], c->task, i, c->extent[i].row_elements, &key, 0,
                       c->extent[i].element_count);
    for (unsigned f = 0; f < FORMATS; f++) {
        double here;

        for (unsigned i = 0; i < in_count; i++) {
            for (uint64_t j = 0; j < c->extent[i].element_count; j++)
                c->narrow[i][j] = rounded(c->in[i][j], format_bits[f]);
        }
        here = worst_of(c, f == 1 ? RUN : UINT64_MAX / 2);
        /* Of honest kernels the worst call counts, of others the best. */
        worst[f] = f < 2 ? fmax(worst[f], here) : fmin(worst[f], here);
    }
}

static void print_row(const struct row *row, unsigned calls)
{
    double worst[FORMATS] = {0.0, 0.0, INFINITY, INFINITY};
    struct call c = {0};
    whet_task *task = NULL;
    unsigned in_count = 0;
    whet_err err = {0};

    if (whet_task_load(&task, row->task, &err) != WHET_OK ||
        whet_task_workload(&c.workload, task, row->sizes, &err) != WHET_OK ||
        whet_reference_open(&c.reference, task, &err) != WHET_OK)
        die(&err);
    c.task = task;
    for (unsigned i = 0; i < task->tensor_count; i++) {
        if (whet_task_extent(&c.extent[i], task, &c.workload, i, &err) !=
            WHET_OK)
            die(&err);
        if (task->tensors[i].role == WHET_ROLE_OUT) {
            c.out = i;
            continue;
        }
        c.in[in_count] = malloc(c.extent[i].bytes);
        c.narrow[in_count++] = malloc(c.extent[i].bytes);
    }
    if (whet_numerics_factor(&c.factor, task, &c.workload, WHET_DTYPE_F32,
                             &err) != WHET_OK)
        die(&err);
    c.floor = whet_numerics_floor(&task->numerics, WHET_DTYPE_F32);
    for (uint32_t i = 0; i < calls; i++)
        play(worst, &c, i, in_count);
    printf("| %s, %s | %.2g | %.2g | %.2g | %.2g |\n", row->task, row->sizes,
           worst[0], worst[1], worst[2], worst[3]);
    fflush(stdout);
    for (unsigned i = 0; i < in_count; i++) {
        free(c.in[i]);
        free(c.narrow[i]);
    }
    whet_reference_close(c.reference);
    whet_task_free(task);
}

int main(int argc, char **argv)
{
    unsigned calls = argc > 1 ? (unsigned)atoi(argv[1]) : 3;

    printf("| task, sizes | f32, serial | f32, runs of %d | tf32 operands | "
           "bf16 operands |\n|---|---|---|---|---|\n",
           RUN);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        print_row(&rows[i], calls);
    return 0;
}
