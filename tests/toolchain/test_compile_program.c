/* Compilers that are programs, in the sandbox: an installation outside /usr is
 * visible there, the rest of the machine is not, and images go through the
 * cache. The compiler is a script. Needs a sandbox. */

#include "gpu_kit.h"

#include <sys/stat.h>

static const char *const none[] = {NULL};

static const char dcc_script[] =
    "#!/bin/sh\n"
    "here=$(dirname \"$0\")\n"
    "[ \"$1\" != --version ] || { echo 'dcc version 1'; exit; }\n"
    ". ./candidate.hip\n"
    "cp \"$here/../lib/image\" candidate.hsaco\n";

struct installed {
    whet_sandbox_facts sandbox;
    char *dir;
};

static void put(const char *dir, const char *name, const void *data,
                size_t bytes)
{
    char *path = whet_fs_join(dir, name);

    assert_int_equal(whet_fs_write(path, data, bytes, NULL), WHET_OK);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

/* PREFIX/bin/dcc and PREFIX/lib/image, readable for the sandbox's user. */
static int begin(void **state)
{
    struct installed *all = *state;
    whet_buf image = {0};
    char path[512];
    char *bin, *lib, *dcc, *cache;

    assert_int_equal(whet_fs_tempdir(&all->dir, "whet-test", NULL), WHET_OK);
    assert_int_equal(chmod(all->dir, 0755), 0);
    bin = whet_fs_join(all->dir, "dtk/bin");
    lib = whet_fs_join(all->dir, "dtk/lib");
    dcc = whet_fs_join(bin, "dcc");
    cache = whet_fs_join(all->dir, "cache");
    assert_int_equal(whet_fs_mkdirs(bin, NULL), WHET_OK);
    assert_int_equal(whet_fs_mkdirs(lib, NULL), WHET_OK);
    snprintf(path, sizeof path, "%s/images/gfx906.hsaco",
             getenv("WHET_TEST_DATA"));
    assert_int_equal(whet_fs_read(&image, path, 1 << 20, NULL), WHET_OK);
    put(bin, "dcc", dcc_script, sizeof dcc_script - 1);
    put(lib, "image", image.data, image.bytes);
    put(all->dir, "secret", "secret", 6);
    setenv("WHET_HIP_COMPILER", dcc, 1);
    setenv("WHET_CACHE_DIR", cache, 1);
    whet_buf_deinit(&image);
    free(bin);
    free(lib);
    free(dcc);
    free(cache);
    return 0;
}

static int end(void **state)
{
    struct installed *all = *state;

    unsetenv("WHET_HIP_COMPILER");
    unsetenv("WHET_CACHE_DIR");
    whet_fs_remove_tree(all->dir);
    free(all->dir);
    return 0;
}

static void expect(const struct installed *all, const char *source,
                   uint64_t timeout_ns, bool has_openmp, bool was_cached,
                   whet_diagnostic_kind kind, const char *word)
{
    const whet_build_request request = {.source = source,
                                        .source_bytes = strlen(source),
                                        .language = "hip",
                                        .defines = none,
                                        .options = none,
                                        .arch = "gfx906",
                                        .timeout_ns = timeout_ns,
                                        .sandbox = &all->sandbox,
                                        .has_openmp = has_openmp};
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image = {0};
    char identity[256];
    bool is_cached = !was_cached;
    whet_err err = {0};

    if (whet_toolchain_hip.identify(identity, 0, &err) != WHET_OK ||
        whet_toolchain_build(&image, diagnostic, &is_cached,
                             &whet_toolchain_hip, identity, &request,
                             &err) != WHET_OK)
        fail_msg("%s", err.msg);
    if (diagnostic->kind != kind || strstr(diagnostic->text, word) == NULL)
        fail_msg("kind %d: %s; expected kind %d: %s", (int)diagnostic->kind,
                 diagnostic->text, (int)kind, word);
    assert_int_equal(is_cached, was_cached);
    assert_int_equal(image.kernel_count > 0, kind == WHET_DIAGNOSTIC_NONE);
    whet_image_deinit(&image);
    free(diagnostic);
}

static const uint64_t enough_ns = 60000000000u;

static void
test_toolchain_compile_program__keeps_images_by_all_that_decides(void **state)
{
    expect(*state, "true\n", enough_ns, false, false, WHET_DIAGNOSTIC_NONE, "");
    expect(*state, "true\n", enough_ns, false, true, WHET_DIAGNOSTIC_NONE, "");
    expect(*state, ":\n", enough_ns, false, false, WHET_DIAGNOSTIC_NONE, "");
    /* Buggy result: the image without OpenMP. */
    expect(*state, "true\n", enough_ns, true, false, WHET_DIAGNOSTIC_NONE, "");
}

static void
test_toolchain_compile_program__shows_its_installation_only(void **state)
{
    expect(*state,
           "ls \"$here/../../secret\" && { echo error: visible; exit 1; }\n"
           "ls /etc/passwd /root /home && { echo error: host; exit 1; }\n"
           "touch \"$here/x\" && { echo error: writable; exit 1; }\n"
           "[ \"$(pwd)\" = /tmp ] || { echo error: elsewhere; exit 1; }\n",
           enough_ns, false, false, WHET_DIAGNOSTIC_NONE, "");
}

static void test_toolchain_compile_program__ends_at_its_deadline(void **state)
{
    expect(*state, "setsid sleep 50 &\nsleep 50\n", 1000000000u, false, false,
           WHET_DIAGNOSTIC_TIMEOUT, "outran its deadline");
}

#define CASE(name)                                                             \
    {                                                                          \
#name, name, begin, end, &all                                          \
    }

int main(int argc, char **argv)
{
    struct installed all = {.dir = NULL};
    const struct CMUnitTest tests[] = {
        CASE(test_toolchain_compile_program__keeps_images_by_all_that_decides),
        CASE(test_toolchain_compile_program__shows_its_installation_only),
        CASE(test_toolchain_compile_program__ends_at_its_deadline),
    };
    int status;

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    whet_sandbox_probe(&all.sandbox);
    if (!all.sandbox.has_namespaces || !all.sandbox.has_seccomp) {
        printf("skipped: %s\n", all.sandbox.reason);
        return GPU_KIT_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
