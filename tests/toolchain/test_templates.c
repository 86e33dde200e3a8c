/* Every template of the skills and every CUDA and HIP baseline of the tasks
 * compiles for two architectures of each vendor, and what is read back out of
 * the image is what the compiler reports. Needs real compilers and a sandbox;
 * a vendor without a compiler is skipped. */

#include "candidate/candidate.h"
#include "device/arch.h"
#include "gpu_kit.h"
#include "toolchain/nvrtc_priv.h"

#include <ctype.h>

typedef whet_status build_fn(whet_image *, whet_diagnostic *, whet_buf *,
                             const whet_build_request *, whet_err *);

/* A vendor: how to build, and how its compiler reports resources. */
struct vendor {
    const char *toolchain, *language, *ending;
    build_fn *build;
    const char *archs[2];
    whet_limits limits;
    const char *name_mark, *registers_mark, *lds_mark, *scratch_mark;
    bool is_number_before; /* "Used 16 registers", not "VGPRs: 16" */
};

#define LIMITS(wave)                                                           \
    {                                                                          \
        .wave_size = wave, .cu_count = 100, .lds_bytes = 48 << 10,             \
        .group_items_max = 1024, .block_max = {1024, 1024, 64},                \
        .grid_max = {INT32_MAX, 65535, 65535},                                 \
        .memory_bytes = (uint64_t)64 << 30                                     \
    }

static const struct vendor cuda = {"nvrtc",
                                   "cuda",
                                   ".cu",
                                   whet_nvrtc__build,
                                   {"sm_80", "sm_90a"},
                                   LIMITS(32),
                                   "Compiling entry function '",
                                   " registers",
                                   " bytes smem",
                                   " bytes stack frame",
                                   true};
static const struct vendor hip = {"hip",
                                  "hip",
                                  ".hip",
                                  whet_hip__build,
                                  {"gfx906", "gfx90a"},
                                  LIMITS(64),
                                  "Function Name: ",
                                  " VGPRs: ",
                                  "LDS Size [bytes/block]: ",
                                  "ScratchSize [bytes/lane]: ",
                                  false};

struct built {
    unsigned count, kernels;
};

/* The number at a mark within one kernel's part of a log; UINT64_MAX: none. */
static uint64_t reported(const char *part, const char *end, const char *mark,
                         bool is_before)
{
    const char *at = strstr(part, mark);

    if (at == NULL || at >= end)
        return UINT64_MAX;
    if (!is_before)
        return strtoull(at + strlen(mark), NULL, 10);
    while (at > part && isdigit((unsigned char)at[-1]))
        at--;
    return strtoull(at, NULL, 10);
}

static void expect_spills_as_reported(const whet_kernel_facts *kernel,
                                      const char *part, const char *end,
                                      const struct vendor *vendor)
{
    bool is_before = vendor->is_number_before;

    assert_int_equal(kernel->private_bytes,
                     reported(part, end, vendor->scratch_mark, is_before));
    if (is_before) {
        assert_int_equal(kernel->spill_bytes,
                         reported(part, end, " bytes spill stores", true) +
                             reported(part, end, " bytes spill loads", true));
        return;
    }
    assert_int_equal(kernel->spill_count,
                     reported(part, end, " VGPRs Spill: ", false));
    assert_int_equal(kernel->scalar_spill_count,
                     reported(part, end, " SGPRs Spill: ", false));
    assert_int_equal(kernel->scalar_count,
                     reported(part, end, " SGPRs: ", false));
}

/* Where clang 15 tells how many waves of a SIMD fit, it counts registers by
 * single waves and leaves LDS out (seen at 33792 bytes by groups of 256: two
 * waves for 112 registers, where one group fits). */
static void expect_waves_as_reported(const whet_kernel_facts *kernel,
                                     const char *part, const char *end,
                                     const char *arch)
{
    uint64_t waves = reported(part, end, "Occupancy [waves/SIMD]: ", false);
    whet_arch *record = calloc(1, sizeof *record);
    whet_kernel_facts registers = *kernel;
    whet_occupancy got;
    whet_err err = {0};

    registers.lds_bytes = 0;
    if (waves != UINT64_MAX) {
        if (whet_arch_load(record, arch, &err) != WHET_OK)
            fail_msg("%s", err.msg);
        got = whet_arch_occupancy(record, &registers, 64, 0);
        assert_true(got.is_known);
        if (got.waves_simd != waves)
            fail_msg("%s for %s: %u waves by %s, the compiler says %u",
                     kernel->name, arch, got.waves_simd, got.bound_by,
                     (unsigned)waves);
    }
    free(record);
}

/* Read on its own, so that a shared mistake cannot hide. */
static void expect_as_reported(const whet_kernel_facts *kernel, const char *log,
                               const struct vendor *vendor, const char *arch)
{
    char name[WHET_KERNEL_NAME_BYTES + 64];
    const char *part = log;
    const char *end;
    uint64_t registers, lds;

    snprintf(name, sizeof name, "%s%s", vendor->name_mark, kernel->name);
    while ((part = strstr(part, name)) != NULL &&
           (isalnum((unsigned char)part[strlen(name)]) ||
            part[strlen(name)] == '_'))
        part++;
    if (part == NULL)
        fail_msg("no report of %s in: %s", kernel->name, log);
    part += strlen(name);
    end = strstr(part, vendor->name_mark);
    if (end == NULL)
        end = part + strlen(part);
    registers =
        reported(part, end, vendor->registers_mark, vendor->is_number_before);
    lds = reported(part, end, vendor->lds_mark, vendor->is_number_before);
    /* With accumulators beside them, code objects count vector registers in
     * the steps of 4 in which they are allocated (gfx90a). */
    if (kernel->accumulator_count > 0) {
        assert_int_equal(kernel->accumulator_count,
                         reported(part, end, " AGPRs: ", false));
        registers = (registers + 3) / 4 * 4;
    }
    assert_int_equal(kernel->register_count, registers);
    /* ptxas leaves shared memory out where there is none. */
    assert_int_equal(kernel->lds_bytes, lds == UINT64_MAX ? 0 : lds);
    expect_spills_as_reported(kernel, part, end, vendor);
    expect_waves_as_reported(kernel, part, end, arch);
}

/* Every kernel of the plan is in the image and may be launched as planned. */
static void expect_kernels(struct built *built, const whet_image *image,
                           const whet_bound_plan *plan, const char *log,
                           const struct vendor *vendor, const char *arch)
{
    uint32_t i;

    for (i = 0; i < plan->launch_count; i++) {
        const whet_bound_launch *launch = &plan->launches[i];
        const whet_kernel_facts *kernel =
            whet_image_kernel(image, launch->kernel);

        if (kernel == NULL)
            fail_msg("no kernel %s in the image", launch->kernel);
        assert_true(kernel->group_items_max == 0 ||
                    launch->block[0] * launch->block[1] * launch->block[2] <=
                        kernel->group_items_max);
        expect_as_reported(kernel, log, vendor, arch);
        built->kernels++;
    }
}

/* The first point that the task's first workload allows. */
static bool first_point(whet_point *point, whet_bound_plan *plan,
                        const whet_candidate *candidate, const whet_task *task,
                        const whet_limits *limits, whet_err *err)
{
    uint64_t count = whet_candidate_point_count(candidate);
    uint64_t i;

    for (i = 0; i < count; i++) {
        *point = whet_candidate_point_at(candidate, i);
        if (whet_candidate_bind(plan, candidate, point, task,
                                &task->workloads[0], limits, err) == WHET_OK)
            return true;
    }
    return false;
}

static void compile(struct built *built, const char *path, const char *arch,
                    const whet_candidate *candidate, const whet_point *point,
                    const whet_bound_plan *plan, const struct vendor *vendor,
                    const whet_sandbox_facts *sandbox)
{
    char texts[WHET_TUNABLE_MAX][WHET_NAME_BYTES + 32];
    const char *defines[WHET_TUNABLE_MAX + 1] = {NULL};
    const whet_build_request request = {
        .source = candidate->source,
        .source_bytes = candidate->source_bytes,
        .language = candidate->language,
        .defines = defines,
        .options = whet_toolchain_find(vendor->toolchain)->options(false),
        .arch = arch,
        .timeout_ns = 60000000000u,
        .sandbox = sandbox};
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    unsigned count = whet_candidate_defines(texts, candidate, point);
    whet_image image = {0};
    whet_buf log = {0};
    whet_err err = {0};
    unsigned i;

    for (i = 0; i < count; i++)
        defines[i] = texts[i];
    if (vendor->build(&image, diagnostic, &log, &request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    if (diagnostic->kind != WHET_DIAGNOSTIC_NONE)
        fail_msg("%s for %s: line %u: %s", path, arch, diagnostic->line,
                 diagnostic->text);
    expect_kernels(built, &image, plan, whet_buf_str(&log), vendor, arch);
    built->count++;
    whet_image_deinit(&image);
    whet_buf_deinit(&log);
    free(diagnostic);
}

static void compile_file(struct built *built, const char *path,
                         const whet_task *task, const struct vendor *vendor,
                         const whet_sandbox_facts *sandbox)
{
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    whet_candidate *candidate = NULL;
    whet_point point;
    whet_err err = {0};
    size_t i;

    if (whet_candidate_load(&candidate, path, task, &err) != WHET_OK ||
        !first_point(&point, plan, candidate, task, &vendor->limits, &err))
        fail_msg("%s: %s", path, err.msg);
    for (i = 0; i < 2; i++)
        compile(built, path, vendor->archs[i], candidate, &point, plan, vendor,
                sandbox);
    whet_candidate_free(candidate);
    free(plan);
}

/* Files of a folder with this beginning and ending. */
static void compile_folder(struct built *built, const char *kind,
                           const char *folder, const char *beginning,
                           const char *ending, const whet_task *task,
                           const struct vendor *vendor,
                           const whet_sandbox_facts *sandbox)
{
    char *root = NULL;
    char *dir;
    char **names = NULL;
    size_t i;

    assert_int_equal(whet_fs_data_dir(&root, kind, NULL), WHET_OK);
    dir = whet_fs_join(root, folder);
    assert_int_equal(whet_fs_list(&names, dir, NULL), WHET_OK);
    for (i = 0; names[i] != NULL; i++) {
        size_t bytes = strlen(names[i]);
        char *path;

        if (strncmp(names[i], beginning, strlen(beginning)) != 0 ||
            bytes < strlen(ending) ||
            strcmp(names[i] + bytes - strlen(ending), ending) != 0)
            continue;
        path = whet_fs_join(dir, names[i]);
        compile_file(built, path, task, vendor, sandbox);
        free(path);
    }
    whet_fs_list_free(names);
    free(dir);
    free(root);
}

static void compile_all(const struct vendor *vendor,
                        const whet_sandbox_facts *sandbox)
{
    static const struct {
        const char *task, *beginning;
    } rows[] = {{"gemm", "gemm_"},
                {"rmsnorm", "rmsnorm_"},
                {"softmax", "softmax_"},
                {"reduce_sum", "reduce_"},
                {"transpose", "transpose_"}};
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct built templates = {0}, baselines = {0};
        whet_task *task = NULL;
        char folder[64];
        whet_err err = {0};

        if (whet_task_load(&task, rows[i].task, &err) != WHET_OK)
            fail_msg("%s", err.msg);
        compile_folder(&templates, "skills", "templates", rows[i].beginning,
                       ".wk", task, vendor, sandbox);
        snprintf(folder, sizeof folder, "%s/baselines", rows[i].task);
        compile_folder(&baselines, "tasks", folder, "", vendor->ending, task,
                       vendor, sandbox);
        assert_true(templates.count > 0);
        assert_true(templates.kernels >= templates.count);
        assert_true(baselines.count > 0);
        whet_task_free(task);
    }
}

static void run_vendor(const struct vendor *vendor)
{
    gpu_kit kit;

    if (gpu_kit_setup(&kit, vendor->toolchain, vendor->language,
                      vendor->archs[0], vendor->archs[1]) != 0)
        skip();
    compile_all(vendor, &kit.sandbox);
}

static void test_toolchain_templates__compile_for_cuda(void **state)
{
    (void)state;
    run_vendor(&cuda);
}

static void test_toolchain_templates__compile_for_hip(void **state)
{
    (void)state;
    run_vendor(&hip);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_templates__compile_for_cuda),
        cmocka_unit_test(test_toolchain_templates__compile_for_hip),
    };
    int status;

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
