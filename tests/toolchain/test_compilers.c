/* Rows of compilers: which is found, what its command looks like. The fake
 * programs of these tests are never run. */

#include "toolchain/compilers_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const none[] = {NULL};
static const char *const fast_options[] = {"-ffast-math", NULL};

static const whet_compiler_family hip = {.toolchain = "hip",
                                         .config_name = "WHET_TEST_HIP",
                                         .fast_option = "-ffast-math",
                                         .source_name = "candidate.hip",
                                         .image_name = "candidate.hsaco",
                                         .remedy = "install one"};
static const whet_compiler_family nvcc = {.toolchain = "nvcc",
                                          .config_name = "WHET_TEST_NVCC",
                                          .fast_option = "--use_fast_math",
                                          .source_name = "candidate.cu",
                                          .image_name = "candidate.cubin",
                                          .remedy = "install it"};

/* A private folder that stands for a machine: PATH is its "bin". */
struct machine {
    char *root, *bin, *old_path;
};

static void add_file(const struct machine *machine, const char *name, int mode)
{
    char *path = whet_fs_join(machine->root, name);
    char *dir = whet_strdup(path);

    *strrchr(dir, '/') = '\0';
    assert_int_equal(whet_fs_mkdirs(dir, NULL), WHET_OK);
    assert_int_equal(whet_fs_write(path, "#!/bin/false\n", 13, NULL), WHET_OK);
    assert_int_equal(chmod(path, (mode_t)mode), 0);
    free(dir);
    free(path);
}

static int begin(void **state)
{
    struct machine *machine = calloc(1, sizeof *machine);

    assert_int_equal(whet_fs_tempdir(&machine->root, "whet-test", NULL),
                     WHET_OK);
    machine->bin = whet_fs_join(machine->root, "bin");
    machine->old_path = whet_strdup(getenv("PATH"));
    setenv("PATH", machine->bin, 1);
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    unsetenv("ROCM_PATH");
    unsetenv("HIP_PATH");
    unsetenv("DTK_ROOT");
    *state = machine;
    return 0;
}

static int end(void **state)
{
    struct machine *machine = *state;

    if (machine->old_path != NULL)
        setenv("PATH", machine->old_path, 1);
    unsetenv("WHET_TEST_HIP");
    unsetenv("WHET_TEST_NVCC");
    unsetenv("DTK_ROOT");
    unsetenv("ROCM_PATH");
    unsetenv("HIP_DEVICE_LIB_PATH");
    whet_fs_remove_tree(machine->root);
    free(machine->root);
    free(machine->bin);
    free(machine->old_path);
    free(machine);
    return 0;
}

static void expect_found(const whet_compiler_family *family, const char *row,
                         const char *tail)
{
    whet_compiler_found found;
    whet_err err = {0};
    size_t bytes;

    if (whet_compiler__find(&found, family, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(found.row->name, row);
    bytes = strlen(found.path);
    assert_true(bytes > strlen(tail));
    assert_string_equal(found.path + bytes - strlen(tail), tail);
    whet_compiler__forget(&found);
}

static void test_toolchain_compilers__takes_rows_in_their_order(void **state)
{
    add_file(*state, "bin/hipcc", 0755);
    expect_found(&hip, "hipcc", "/bin/hipcc");
    add_file(*state, "bin/dcc", 0755);
    expect_found(&hip, "dcc", "/bin/dcc");
}

static void test_toolchain_compilers__passes_over_what_cannot_run(void **state)
{
    add_file(*state, "bin/dcc", 0644);
    add_file(*state, "bin/hipcc", 0755);
    expect_found(&hip, "hipcc", "/bin/hipcc");
}

static void test_toolchain_compilers__looks_where_variables_say(void **state)
{
    struct machine *machine = *state;

    add_file(machine, "dtk/llvm/bin/dcc", 0755);
    setenv("DTK_ROOT", "relative/dtk", 1);
    add_file(machine, "bin/hipcc", 0755);
    expect_found(&hip, "hipcc", "/bin/hipcc");
    {
        char *dtk = whet_fs_join(machine->root, "dtk");

        setenv("DTK_ROOT", dtk, 1);
        free(dtk);
    }
    expect_found(&hip, "dcc", "/dtk/llvm/bin/dcc");
}

/* The configured one is the only one. */
static void test_toolchain_compilers__obeys_configuration(void **state)
{
    struct machine *machine = *state;
    char *odd = whet_asprintf("dcc=%s/odd/wrapper", machine->root);
    char *versioned = whet_asprintf("%s/odd/hipcc-6.2", machine->root);

    add_file(machine, "bin/dcc", 0755);
    add_file(machine, "bin/hipcc", 0755);
    add_file(machine, "odd/wrapper", 0755);
    add_file(machine, "odd/hipcc-6.2", 0755);
    setenv("WHET_TEST_HIP", "hipcc", 1);
    expect_found(&hip, "hipcc", "/bin/hipcc");
    setenv("WHET_TEST_HIP", versioned, 1);
    expect_found(&hip, "hipcc", "/odd/hipcc-6.2");
    setenv("WHET_TEST_HIP", odd, 1);
    expect_found(&hip, "dcc", "/odd/wrapper");
    free(odd);
    free(versioned);
}

static void expect_refused(const whet_compiler_family *family,
                           const char *config, const char *word)
{
    whet_compiler_found found;
    whet_err err = {0};

    setenv(family->config_name, config, 1);
    assert_int_equal(whet_compiler__find(&found, family, &err),
                     WHET_EUNSUPPORTED);
    if (strstr(err.msg, word) == NULL)
        fail_msg("%s; expected %s", err.msg, word);
    assert_null(found.path);
}

static void test_toolchain_compilers__refuses_odd_configuration(void **state)
{
    add_file(*state, "bin/gcc", 0755);
    add_file(*state, "bin/dcc", 0755);
    expect_refused(&hip, "gcc", "names no compiler that is known");
    expect_refused(&hip, "nvcc", "names no compiler that is known");
    expect_refused(&hip, "/nowhere/dcc", "is not there or cannot be run");
    expect_refused(&hip, "fast=/bin/true", "names no compiler");
    expect_refused(&nvcc, "dcc", "names no compiler");
}

/* Plain clang cannot compile HIP without ROCm's headers and bitcode. */
static void test_toolchain_compilers__needs_rocm_beside_clang(void **state)
{
    struct machine *machine = *state;
    char *rocm = whet_fs_join(machine->root, "rocm");
    char *bitcode = whet_fs_join(machine->root, "rocm/amdgcn/bitcode");
    whet_compiler_found found;
    whet_err err = {0};

    add_file(machine, "bin/clang-17", 0755);
    add_file(machine, "rocm/include/hip/hip_runtime.h", 0644);
    add_file(machine, "rocm/amdgcn/bitcode/ockl.bc", 0644);
    setenv("ROCM_PATH", rocm, 1);
    setenv("WHET_TEST_HIP", "clang-17", 1);
    if (whet_compiler__find(&found, &hip, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(found.row->name, "clang");
    assert_string_equal(found.rocm, rocm);
    assert_string_equal(found.bitcode, bitcode);
    whet_compiler__forget(&found);
    free(rocm);
    free(bitcode);
}

/* --- commands ------------------------------------------------------------ */

static void expect_argv(const whet_compiler_family *family, const char *config,
                        const whet_build_request *request, const char *words)
{
    whet_compiler_argv *argv = calloc(1, sizeof *argv);
    whet_compiler_found found;
    whet_buf got = {0};
    whet_err err = {0};
    size_t i;

    setenv(family->config_name, config, 1);
    if (whet_compiler__find(&found, family, &err) != WHET_OK ||
        whet_compiler__argv(argv, &found, found.row->words, family,
                            request->arch, request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(argv->items[0], found.path);
    assert_null(argv->items[argv->count]);
    for (i = 1; i < argv->count; i++)
        whet_buf_printf(&got, "%s%s", i > 1 ? " " : "", argv->items[i]);
    assert_string_equal(whet_buf_str(&got), words);
    whet_buf_deinit(&got);
    whet_compiler__argv_free(argv);
    whet_compiler__forget(&found);
    free(argv);
}

#define TAIL                                                                   \
    "-c --cuda-device-only --no-gpu-bundle-output "                            \
    "-Rpass-analysis=kernel-resource-usage -DBM=64 -include "                  \
    "hip/hip_runtime.h -include whet_dialect.h -o candidate.hsaco "            \
    "candidate.hip"

static const char *const defines[] = {"-DBM=64", NULL};

/* Fast maths and OpenMP only when asked for. */
static void test_toolchain_compilers__spells_dcc_for_gfx928(void **state)
{
    whet_build_request request = {
        .arch = "gfx928:sramecc+:xnack-", .options = none, .defines = defines};

    add_file(*state, "bin/dcc", 0755);
    expect_argv(&hip, "dcc", &request,
                "-x hip --cuda-gpu-arch=gfx928 -O3 -std=c++17 " TAIL);
    request.has_openmp = true;
    expect_argv(&hip, "dcc", &request,
                "-x hip --cuda-gpu-arch=gfx928 -O3 -Xclang -fopenmp "
                "-std=c++17 " TAIL);
    request.options = fast_options;
    expect_argv(&hip, "dcc", &request,
                "-x hip --cuda-gpu-arch=gfx928 -O3 -ffast-math -Xclang "
                "-fopenmp -fno-finite-math-only -std=c++17 " TAIL);
    request.has_openmp = false;
    expect_argv(&hip, "dcc", &request,
                "-x hip --cuda-gpu-arch=gfx928 -O3 -ffast-math "
                "-fno-finite-math-only -std=c++17 " TAIL);
}

static void test_toolchain_compilers__spells_the_others(void **state)
{
    static const char *const more[] = {"--use_fast_math", "-maxrregcount=64",
                                       NULL};
    whet_build_request request = {
        .arch = "gfx90a", .options = none, .defines = defines};

    add_file(*state, "bin/hipcc", 0755);
    add_file(*state, "bin/amdclang++", 0755);
    add_file(*state, "bin/nvcc", 0755);
    expect_argv(&hip, "hipcc", &request,
                "-x hip --offload-arch=gfx90a -O3 -std=c++17 " TAIL);
    expect_argv(&hip, "amdclang++", &request,
                "-x hip --offload-arch=gfx90a -O3 -std=c++17 " TAIL);
    request.arch = "sm_90a";
    request.options = more;
    expect_argv(&nvcc, "nvcc", &request,
                "-gencode=arch=compute_90a,code=sm_90a -cubin -O3 "
                "--use_fast_math -maxrregcount=64 -std=c++17 -lineinfo "
                "-Xptxas -v -DBM=64 -include whet_dialect.h -o candidate.cubin "
                "candidate.cu");
}

static void test_toolchain_compilers__refuses_odd_words(void **state)
{
    static const char *const odd_options[] = {"-O3;id", NULL};
    static const char *const odd_defines[] = {"plain", NULL};
    const struct {
        const char *arch;
        const char *const *options;
        const char *const *defines;
        const char *word;
    } cases[] = {
        {"gfx906", odd_options, none, "-O3;id"},
        {"gfx906", none, odd_defines, "plain"},
        {"", none, none, "architecture"},
        {":xnack-", none, none, "architecture"},
        {"gfx906 -o", none, none, "architecture"},
        {"gfx90600000000000000000000000000000000000000000000000000000000000000",
         none, none, "architecture"},
    };
    whet_compiler_argv *argv = calloc(1, sizeof *argv);
    whet_compiler_found found;
    size_t i;

    add_file(*state, "bin/dcc", 0755);
    setenv("WHET_TEST_HIP", "dcc", 1);
    assert_int_equal(whet_compiler__find(&found, &hip, NULL), WHET_OK);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const whet_build_request request = {.arch = cases[i].arch,
                                            .options = cases[i].options,
                                            .defines = cases[i].defines};
        whet_err err = {0};

        assert_int_equal(whet_compiler__argv(argv, &found, found.row->words,
                                             &hip, cases[i].arch, &request,
                                             &err),
                         WHET_EINVAL);
        assert_non_null(strstr(err.msg, cases[i].word));
        assert_int_equal(argv->count, 0);
    }
    whet_compiler__forget(&found);
    free(argv);
}

/* --- what a sandbox has to show ------------------------------------------ */

static bool shows(const whet_compiler_binds *binds, const char *folder)
{
    size_t i;

    for (i = 0; i < binds->count; i++)
        if (strcmp(binds->items[i].host_path, folder) == 0)
            return true;
    return false;
}

static void test_toolchain_compilers__binds_whole_installations(void **state)
{
    struct machine *machine = *state;
    char *link = whet_fs_join(machine->root, "current");
    char *file = whet_fs_join(machine->root, "current/llvm/bin/dcc");
    char *real = whet_fs_join(machine->root, "dtk-25");
    whet_compiler_binds binds = {0};

    add_file(machine, "dtk-25/llvm/bin/dcc", 0755);
    assert_int_equal(symlink(real, link), 0);
    assert_true(whet_compiler__bind_tree(&binds, file));
    assert_true(shows(&binds, link));
    assert_true(shows(&binds, real));
    whet_compiler__unbind(&binds);
    /* Never a whole top folder, nothing that is there anyway, no doubles. */
    assert_true(whet_compiler__bind_tree(&binds, "/usr/bin/env"));
    assert_true(whet_compiler__bind_tree(&binds, "/opt/dtk/llvm/bin/none"));
    assert_true(whet_compiler__bind_tree(&binds, "/opt/dtk/bin/none"));
    assert_true(whet_compiler__bind_tree(&binds, "/srv/bin/none"));
    assert_true(whet_compiler__bind(&binds, NULL));
    assert_true(shows(&binds, "/opt/dtk"));
    assert_true(shows(&binds, "/srv/bin") || shows(&binds, "/srv"));
    assert_false(shows(&binds, "/usr"));
    assert_false(shows(&binds, "/"));
    assert_int_equal(binds.count, 3);
    whet_compiler__unbind(&binds);
    free(link);
    free(file);
    free(real);
}

static void test_toolchain_compilers__rows_are_complete(void **state)
{
    const whet_compiler *const *lists[] = {whet_compilers__rows,
                                           whet_compilers__listers};
    size_t i, k;

    (void)state;
    for (i = 0; i < 2; i++)
        for (k = 0; lists[i][k] != NULL; k++) {
            const whet_compiler *row = lists[i][k];

            assert_non_null(whet_toolchain_find(row->toolchain));
            assert_non_null(row->programs[0]);
            assert_non_null(row->folders[0]);
            assert_non_null(row->env);
            assert_non_null(row->words[0].text);
        }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_toolchain_compilers__takes_rows_in_their_order),
        CASE(test_toolchain_compilers__passes_over_what_cannot_run),
        CASE(test_toolchain_compilers__looks_where_variables_say),
        CASE(test_toolchain_compilers__obeys_configuration),
        CASE(test_toolchain_compilers__refuses_odd_configuration),
        CASE(test_toolchain_compilers__needs_rocm_beside_clang),
        CASE(test_toolchain_compilers__spells_dcc_for_gfx928),
        CASE(test_toolchain_compilers__spells_the_others),
        CASE(test_toolchain_compilers__refuses_odd_words),
        CASE(test_toolchain_compilers__binds_whole_installations),
        CASE(test_toolchain_compilers__rows_are_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
