/* Which kernels measure what, and by which instructions one sees that they do.
 * Mnemonics: NVIDIA CUDA Binary Utilities, "Instruction Set Reference"; AMD
 * "Vega", "Instinct MI200" and "MI300" instruction set documents; v_mmac as
 * DCU builtins are named. */

#include "judge/calibrate_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const whet_gauge_row rows[] = {
    {WHET_GAUGE_LAUNCH, "launch", "copy", "empty", "empty", false, 0, {NULL}},
    {WHET_GAUGE_COPY,
     "copy",
     "copy",
     "large",
     "gpu",
     false,
     1,
     {"LDG.E&.128", "global_load_dwordx4", "flat_load_dwordx4",
      "buffer_load_dwordx4", NULL}},
    {WHET_GAUGE_RATE,
     "f32.vector",
     "fma",
     "large",
     "gpu-f32",
     false,
     4,
     {"FFMA", "v_fma_f32", "v_fmac_f32", "v_pk_fma_f32", "v_mac_f32", NULL}},
    {WHET_GAUGE_CONTROL,
     "controls",
     "fma",
     "groups=1,cols=1536,steps=131071,width=32",
     "gpu-f32",
     true,
     0,
     {NULL}},
    {WHET_GAUGE_READ,
     "read",
     "read",
     NULL,
     "gpu",
     true,
     4,
     {"LDG.E&.128", "global_load_dwordx4", "flat_load_dwordx4",
      "buffer_load_dwordx4", NULL}},
    {WHET_GAUGE_WRITE,
     "write",
     "write",
     NULL,
     "gpu",
     true,
     4,
     {"STG.E&.128", "global_store_dwordx4", "flat_store_dwordx4",
      "buffer_store_dwordx4", NULL}},
    {WHET_GAUGE_LDS,
     "LDS",
     "lds",
     NULL,
     "gpu",
     true,
     4,
     {"LDS.128", "LDS.U.128", "ds_read_b128", "ds_load_b128", NULL}},
    {WHET_GAUGE_RATE,
     "f64.vector",
     "fma",
     NULL,
     "gpu-f64",
     true,
     8,
     {"DFMA", "v_fma_f64", "v_fmac_f64", NULL}},
    {WHET_GAUGE_RATE,
     "f16.vector",
     "fma",
     NULL,
     "gpu-f16",
     true,
     8,
     {"HFMA2", "v_pk_fma_f16", NULL}},
    {WHET_GAUGE_RATE,
     "bf16.matrix",
     "matrix",
     NULL,
     "gpu-bf16",
     true,
     4,
     {"HGMMA&BF16", "HMMA&BF16", "v_mfma_f32&bf16", "v_mmac_f32&bf16", NULL}},
    {WHET_GAUGE_RATE,
     "f16.matrix",
     "matrix",
     NULL,
     "gpu-f16",
     true,
     4,
     {"HGMMA&x16.F32 ", "HMMA&16.F32 ", "v_mfma_f32&x8f16", "v_mfma_f32&x8_f16",
      "v_mmac_f32&_f16", "v_mmac_f32&16f16", NULL}},
    {WHET_GAUGE_RATE,
     "tf32.matrix",
     "matrix",
     NULL,
     "gpu-tf32",
     true,
     4,
     {"HGMMA&TF32", "HMMA&TF32", "v_mfma_f32&xf32", "v_mmac&x8", NULL}},
    {WHET_GAUGE_RATE,
     "i8.matrix",
     "matrix",
     NULL,
     "gpu-i8",
     true,
     4,
     {"IGMMA&S8", "IMMA&S8", "v_mfma_i32&i8", "v_mmac_i32&i8", NULL}},
    {WHET_GAUGE_RATE,
     "f64.matrix",
     "matrix",
     NULL,
     "gpu-f64",
     true,
     4,
     {"DMMA", "v_mfma_f64", "v_mmac_f64", NULL}},
    {WHET_GAUGE_RATE,
     "f32.matrix",
     "matrix",
     NULL,
     "gpu-f32",
     true,
     4,
     {"v_mfma_f32&x2f32", "v_mfma_f32&x2_f32", "v_mmac_f32&x4", NULL}},
};

const whet_gauge_row *whet_gauge__rows(unsigned *count_out)
{
    *count_out = sizeof rows / sizeof rows[0];
    return rows;
}

bool whet_gauge__applies(const whet_gauge_row *row, bool is_cpu,
                         const whet_arch *arch)
{
    if (is_cpu)
        return row->cpu != NULL;
    if (row->kind != WHET_GAUGE_RATE || !row->is_optional)
        return true;
    return arch != NULL && whet_arch_find_unit(arch, row->name) != NULL;
}

/* `text` holds `bytes` bytes of one line. */
static const char *find_in(const char *text, size_t bytes, const char *word,
                           size_t word_bytes)
{
    return memmem(text, bytes, word, word_bytes);
}

/* Where the first half of a word of the table stands in a line; NULL if a half
 * is missing. */
static const char *match(const char *line, size_t bytes, const char *word)
{
    size_t first = strcspn(word, "&");
    const char *at = find_in(line, bytes, word, first);

    if (at != NULL && word[first] == '&') {
        const char *rest = word + first + 1;

        if (find_in(at, bytes - (size_t)(at - line), rest, strlen(rest)) ==
            NULL)
            return NULL;
    }
    return at;
}

static bool is_mnemonic(char c)
{
    return isalnum((unsigned char)c) || c == '.' || c == '_';
}

/* The whole mnemonic around a match: letters, digits, dots alone. */
static void take(char out[40], const char *line, const char *end,
                 const char *at)
{
    size_t n = 0;

    while (at > line && is_mnemonic(at[-1]))
        at--;
    while (at < end && is_mnemonic(*at) && n < 39)
        out[n++] = *at++;
    out[n] = '\0';
}

bool whet_gauge__find(char evidence[64], const whet_gauge_row *row,
                      const char *listing, size_t bytes)
{
    const char *line = listing, *stop = listing + bytes;
    char first[40] = "";
    unsigned count = 0, w;

    evidence[0] = '\0';
    while (line < stop) {
        const char *end = memchr(line, '\n', (size_t)(stop - line));
        const char *at = NULL;

        if (end == NULL)
            end = stop;
        for (w = 0; at == NULL && row->words[w] != NULL; w++)
            at = match(line, (size_t)(end - line), row->words[w]);
        if (at != NULL && count++ == 0)
            take(first, line, end, at);
        line = end + 1;
    }
    if (count == 0 || count < row->least)
        return false;
    snprintf(evidence, 64, "%s (%u times)", first, count);
    return true;
}

static whet_status total_bytes(uint64_t *out, const whet_task *task,
                               const whet_workload *workload, whet_err *err)
{
    whet_extent extent;
    whet_status st = WHET_OK;
    unsigned t;

    *out = 0;
    for (t = 0; st == WHET_OK && t < task->tensor_count; t++) {
        st = whet_task_extent(&extent, task, workload, t, err);
        *out += st == WHET_OK ? extent.bytes : 0;
    }
    return st;
}

whet_status whet_gauge__scale(whet_workload *workload, const whet_task *task,
                              const whet_limits *limits, whet_err *err)
{
    int64_t *shrinks = NULL;
    uint64_t bytes = 0;
    whet_status st;
    unsigned d;

    for (d = 0; d < task->dim_count; d++) {
        if (strcmp(task->dims[d].name, "groups") == 0 && limits->cu_count > 0)
            workload->dim[d] *= limits->cu_count;
        if (strcmp(task->dims[d].name, "rows") == 0)
            shrinks = &workload->dim[d];
    }
    st = total_bytes(&bytes, task, workload, err);
    while (st == WHET_OK && shrinks != NULL && *shrinks > 1 &&
           limits->memory_bytes > 0 && bytes > limits->memory_bytes / 4) {
        *shrinks /= 2;
        st = total_bytes(&bytes, task, workload, err);
    }
    return st;
}
