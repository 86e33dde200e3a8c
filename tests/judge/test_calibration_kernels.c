/* Every calibration kernel compiles for two architectures of each vendor, at
 * the first of its points, and its machine code holds the instruction that it
 * is to measure. Needs real compilers and a sandbox; a vendor without a
 * compiler is skipped, and so is the look at machine code without a
 * disassembler. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/calibrate_priv.h"

#include <stdlib.h>
#include <string.h>

struct target {
    const char *toolchain, *arch;
    uint32_t wave_size;
    uint64_t lds_bytes;
    const char *absent[8]; /* Rates that this architecture has no unit for. */
};

static bool lacks(const struct target *target, const char *name)
{
    unsigned i;

    for (i = 0; i < 8 && target->absent[i] != NULL; i++)
        if (strcmp(target->absent[i], name) == 0)
            return true;
    return false;
}

static void
build_point(const struct target *target, const whet_toolchain_ops *ops,
            const whet_sandbox_facts *sandbox, const whet_gauge_row *row,
            const whet_candidate *candidate, const whet_point *point)
{
    char texts[WHET_TUNABLE_MAX][WHET_NAME_BYTES + 32];
    const char *defines[WHET_TUNABLE_MAX + 1] = {NULL};
    const whet_build_request request = {.source = candidate->source,
                                        .source_bytes = candidate->source_bytes,
                                        .language = candidate->language,
                                        .defines = defines,
                                        .options = ops->options(false),
                                        .arch = target->arch,
                                        .timeout_ns = 60000000000u,
                                        .sandbox = sandbox};
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    unsigned i, count = whet_candidate_defines(texts, candidate, point);
    char evidence[64], name[256];
    whet_image image = {0};
    whet_buf text = {0};
    whet_err err = {0};

    for (i = 0; i < count; i++)
        defines[i] = texts[i];
    whet_point_format(name, sizeof name, candidate, point);
    if (ops->build(&image, diagnostic, &request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    if (diagnostic->kind != WHET_DIAGNOSTIC_NONE)
        fail_msg("%s, %s for %s: line %u: %s", row->name, name, target->arch,
                 diagnostic->line, diagnostic->text);
    assert_int_equal(image.kernel_count, 1);
    assert_int_equal(image.kernels[0].spill_bytes, 0);
    if (ops->listing != NULL &&
        ops->listing(&text, &image, &request, &err) == WHET_OK &&
        row->least > 0 &&
        !whet_gauge__find(evidence, row, text.data, text.bytes))
        fail_msg("%s, %s for %s: instruction not found in the listing",
                 row->name, name, target->arch);
    whet_buf_deinit(&text);
    whet_image_deinit(&image);
    free(diagnostic);
}

/* The first point that its workload for GPUs allows. */
static unsigned build_row(const struct target *target,
                          const whet_toolchain_ops *ops,
                          const whet_sandbox_facts *sandbox,
                          const whet_gauge_row *row)
{
    const whet_limits limits = {.wave_size = target->wave_size,
                                .cu_count = 100,
                                .lds_bytes = target->lds_bytes,
                                .group_items_max = 1024,
                                .memory_bytes = UINT64_C(64) << 30};
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    whet_candidate *candidate = NULL;
    whet_workload workload;
    whet_task *task = NULL;
    whet_err err = {0};
    char *root = NULL, *dir;
    unsigned built = 0, b = 0;
    uint64_t i;

    assert_int_equal(whet_fs_data_dir(&root, "calibration", &err), WHET_OK);
    dir = whet_fs_join(root, row->task);
    if (whet_task_load(&task, dir, &err) != WHET_OK ||
        whet_task_workload(&workload, task, row->gpu, &err) != WHET_OK ||
        whet_gauge__scale(&workload, task, &limits, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    while (!whet_toolchain_accepts(ops, task->baselines[b].language))
        assert_true(++b < task->baseline_count);
    if (whet_candidate_load(&candidate, task->baselines[b].path, task, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    for (i = 0; built == 0 && i < whet_candidate_point_count(candidate); i++) {
        whet_point point = whet_candidate_point_at(candidate, i);

        if (whet_candidate_bind(plan, candidate, &point, task, &workload,
                                &limits, &err) != WHET_OK)
            continue;
        build_point(target, ops, sandbox, row, candidate, &point);
        built++;
    }
    if (built == 0)
        fail_msg("%s: no point: %s", row->name, err.msg);
    whet_candidate_free(candidate);
    whet_task_free(task);
    free(plan);
    free(dir);
    free(root);
    return built;
}

static void build_all(const struct target *target)
{
    const whet_toolchain_ops *ops = whet_toolchain_find(target->toolchain);
    whet_sandbox_facts *sandbox = calloc(1, sizeof *sandbox);
    unsigned count, i, built = 0;
    const whet_gauge_row *rows = whet_gauge__rows(&count);
    char identity[256];
    bool is_ready;

    assert_non_null(sandbox);
    whet_sandbox_probe(sandbox);
    is_ready = ops != NULL && sandbox->reason[0] == '\0' &&
               ops->identify(identity, 0, NULL) == WHET_OK;
    for (i = 0; is_ready && i < count; i++)
        if (!lacks(target, rows[i].name) && rows[i].kind != WHET_GAUGE_LAUNCH)
            built += build_row(target, ops, sandbox, &rows[i]);
    free(sandbox);
    if (!is_ready)
        skip();
    assert_true(built >= 7);
}

static void test_judge_calibration_kernels__build_for_sm_80(void **state)
{
    const struct target target = {
        "nvrtc", "sm_80", 32, 163 << 10, {"f32.matrix", NULL}};

    (void)state;
    build_all(&target);
}

static void test_judge_calibration_kernels__build_for_sm_90a(void **state)
{
    const struct target target = {
        "nvrtc", "sm_90a", 32, 227 << 10, {"f32.matrix", NULL}};

    (void)state;
    build_all(&target);
}

static void test_judge_calibration_kernels__build_for_gfx906(void **state)
{
    const struct target target = {"hip",
                                  "gfx906",
                                  64,
                                  64 << 10,
                                  {"f16.matrix", "bf16.matrix", "tf32.matrix",
                                   "i8.matrix", "f64.matrix", "f32.matrix",
                                   NULL}};

    (void)state;
    build_all(&target);
}

static void test_judge_calibration_kernels__build_for_gfx90a(void **state)
{
    const struct target target = {
        "hip", "gfx90a", 64, 64 << 10, {"tf32.matrix", NULL}};

    (void)state;
    build_all(&target);
}

int main(int argc, char **argv)
{
    int status;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_calibration_kernels__build_for_sm_80),
        cmocka_unit_test(test_judge_calibration_kernels__build_for_sm_90a),
        cmocka_unit_test(test_judge_calibration_kernels__build_for_gfx906),
        cmocka_unit_test(test_judge_calibration_kernels__build_for_gfx90a),
    };

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
