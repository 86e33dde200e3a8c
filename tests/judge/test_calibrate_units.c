/* Which calibration kernels run where, at what size, and how listings are
 * searched. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/calibrate_priv.h"

#include <stdlib.h>
#include <string.h>

static const whet_gauge_row *row_of(const char *name)
{
    unsigned count, i;
    const whet_gauge_row *rows = whet_gauge__rows(&count);

    for (i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

static bool look(char evidence[64], const char *name, const char *listing)
{
    return whet_gauge__find(evidence, row_of(name), listing, strlen(listing));
}

static void test_judge_calibrate_units__finds_instructions(void **state)
{
    char evidence[64];

    (void)state;
    assert_true(look(evidence, "bf16.matrix",
                     " /*35a0*/  HGMMA.64x256x16.F32.BF16 R24, gdesc[UR12] ;\n"
                     " HGMMA.64x256x16.F32.BF16 R24\n FFMA R1, R2\n"
                     " HGMMA.64x256x16.F32.BF16 R24\n"
                     " HGMMA.64x256x16.F32.BF16 R24"));
    assert_string_equal(evidence, "HGMMA.64x256x16.F32.BF16 (4 times)");
    assert_true(look(evidence, "f16.matrix",
                     "\tv_mfma_f32_32x32x8f16 a[0:15]\n"
                     "\tv_mfma_f32_32x32x8f16 a[0:15]\n"
                     "\tv_mfma_f32_32x32x8f16 a[0:15]\n"
                     "\tv_mfma_f32_32x32x8f16 a[0:15]\n"));
    assert_string_equal(evidence, "v_mfma_f32_32x32x8f16 (4 times)");
    assert_true(look(evidence, "copy", "\tglobal_load_dwordx4 v[0:3], v[4:5]"));
    assert_string_equal(evidence, "global_load_dwordx4 (1 times)");
}

static void test_judge_calibrate_units__refuses_what_is_absent(void **state)
{
    char evidence[64] = "x";

    (void)state;
    assert_false(look(evidence, "bf16.matrix", ""));
    assert_string_equal(evidence, "");
    /* Too few, of another type, halves in two lines, a vector unit. */
    assert_false(look(evidence, "bf16.matrix", "HMMA.16816.F32.BF16 R1\n"));
    assert_false(look(evidence, "bf16.matrix",
                      "HMMA.16816.F32 R\nHMMA.16816.F32 R\nHMMA.16816.F32 R\n"
                      "HMMA.16816.F32 R\nBF16\n"));
    assert_false(look(evidence, "f16.matrix",
                      "HGMMA.64x256x16.F32.BF16 R\nHGMMA.64x256x16.F32.BF16 R\n"
                      "HGMMA.64x256x16.F32.BF16 R\n"
                      "HGMMA.64x256x16.F32.BF16 R\n"));
    assert_false(
        look(evidence, "f64.matrix", "DFMA R\nDFMA R\nDFMA R\nDFMA R"));
    /* Hostile bytes do not get into the evidence. */
    assert_true(look(evidence, "copy", "\033[31mLDG.E.128\033[0m .128"));
    assert_string_equal(evidence, "31mLDG.E.128 (1 times)");
}

static void test_judge_calibrate_units__applies_where_there_is_a_unit(void **s)
{
    whet_arch *arch = calloc(1, sizeof *arch);

    (void)s;
    assert_non_null(arch);
    arch->unit_count = 1;
    whet_strcopy(arch->units[0].name, sizeof arch->units[0].name,
                 "bf16.matrix");
    assert_true(whet_gauge__applies(row_of("copy"), true, NULL));
    assert_true(whet_gauge__applies(row_of("f32.vector"), true, NULL));
    assert_false(whet_gauge__applies(row_of("read"), true, NULL));
    assert_false(whet_gauge__applies(row_of("bf16.matrix"), true, arch));
    assert_true(whet_gauge__applies(row_of("read"), false, NULL));
    assert_true(whet_gauge__applies(row_of("f32.vector"), false, NULL));
    assert_false(whet_gauge__applies(row_of("bf16.matrix"), false, NULL));
    assert_true(whet_gauge__applies(row_of("bf16.matrix"), false, arch));
    assert_false(whet_gauge__applies(row_of("f64.matrix"), false, arch));
    free(arch);
}

static whet_task *load(const char *name)
{
    char *root = NULL, *dir;
    whet_task *task = NULL;
    whet_err err = {0};

    assert_int_equal(whet_fs_data_dir(&root, "calibration", &err), WHET_OK);
    dir = whet_fs_join(root, name);
    assert_non_null(dir);
    if (whet_task_load(&task, dir, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    free(dir);
    free(root);
    return task;
}

/* Every row's workloads exist, and fit a small GPU after scaling. */
static void test_judge_calibrate_units__workloads_fit_a_small_gpu(void **s)
{
    const whet_limits limits = {.cu_count = 60,
                                .memory_bytes = UINT64_C(4) << 30};
    unsigned count, i, t;
    const whet_gauge_row *rows = whet_gauge__rows(&count);

    (void)s;
    assert_true(count > 0);
    for (i = 0; i < count; i++) {
        whet_task *task = load(rows[i].task);
        whet_workload workload;
        whet_extent extent;
        whet_err err = {0};
        uint64_t bytes = 0;

        if (rows[i].cpu != NULL)
            assert_int_equal(
                whet_task_workload(&workload, task, rows[i].cpu, &err),
                WHET_OK);
        assert_int_equal(whet_task_workload(&workload, task, rows[i].gpu, &err),
                         WHET_OK);
        assert_int_equal(whet_gauge__scale(&workload, task, &limits, &err),
                         WHET_OK);
        for (t = 0; t < task->tensor_count; t++) {
            assert_int_equal(
                whet_task_extent(&extent, task, &workload, t, &err), WHET_OK);
            bytes += extent.bytes;
        }
        assert_true(bytes <= UINT64_C(1) << 30);
        whet_task_free(task);
    }
}

static void test_judge_calibrate_units__groups_fill_all_units(void **s)
{
    const whet_limits limits = {.cu_count = 132,
                                .memory_bytes = UINT64_C(141) << 30};
    whet_task *task = load("matrix"), *copy = load("copy");
    whet_workload workload;

    (void)s;
    assert_int_equal(whet_task_workload(&workload, task, "gpu-bf16", NULL),
                     WHET_OK);
    assert_int_equal(whet_gauge__scale(&workload, task, &limits, NULL),
                     WHET_OK);
    assert_string_equal(task->dims[1].name, "groups");
    assert_int_equal(workload.dim[1], 132);
    /* Enough memory: the size stays, 2 x 1 GiB. */
    assert_int_equal(whet_task_workload(&workload, copy, "gpu", NULL), WHET_OK);
    assert_int_equal(whet_gauge__scale(&workload, copy, &limits, NULL),
                     WHET_OK);
    assert_int_equal(workload.dim[0] * workload.dim[1] * 4, INT64_C(1) << 30);
    whet_task_free(task);
    whet_task_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_calibrate_units__finds_instructions),
        cmocka_unit_test(test_judge_calibrate_units__refuses_what_is_absent),
        cmocka_unit_test(
            test_judge_calibrate_units__applies_where_there_is_a_unit),
        cmocka_unit_test(test_judge_calibrate_units__workloads_fit_a_small_gpu),
        cmocka_unit_test(test_judge_calibrate_units__groups_fill_all_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
