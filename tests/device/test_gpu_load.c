/* Opening libraries by a table of names, the lists of files to try, and the
 * words for errors. */

#include "device/gpu_priv.h"

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

struct maths {
    double (*cosine)(double);
    double (*fallback)(double);
    double (*missing)(double);
};

static void test_device_gpu_load__fills_a_table(void **state)
{
    static const whet_gpu_symbol symbols[] = {
        {{"cos"}, offsetof(struct maths, cosine), true},
        {{"floor_v3", "floor_v2", "floor"},
         offsetof(struct maths, fallback),
         true},
        {{"no_such_function"}, offsetof(struct maths, missing), false}};
    struct maths maths = {.missing = (double (*)(double))(uintptr_t)1};
    void *handle = NULL;
    char file[256];
    whet_err err = {0};

    (void)state;
    if (whet_gpu__load(&maths, &handle, "libm.so.6", symbols, 3, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    assert_non_null(handle);
    assert_true(maths.cosine(0) > 0.99 && maths.fallback(2.5) < 2.1);
    assert_null(maths.missing);
    whet_gpu__library_file(file, sizeof file, handle);
    assert_non_null(strstr(file, "/libm.so.6"));
    whet_gpu__library_file(file, sizeof file, NULL);
    assert_string_equal(file, "");
}

static void test_device_gpu_load__tells_what_is_missing(void **state)
{
    static const whet_gpu_symbol symbol = {{"gpuInit_v2", "gpuInit"}, 0, true};
    void *place = NULL, *handle = NULL;
    whet_err err = {0};

    (void)state;
    assert_int_equal(
        whet_gpu__load(&place, &handle, "libm.so.6", &symbol, 1, &err),
        WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "libm.so.6: no function gpuInit_v2"));
    assert_non_null(handle);
    assert_int_equal(
        whet_gpu__load(&place, &handle, "/nonexistent.so", &symbol, 1, &err),
        WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "/nonexistent.so"));
    assert_null(handle);
}

static void test_device_gpu_load__lists_files_once_newest_first(void **state)
{
    static const char *const names[] = {"v1", "v3", "v2"};
    whet_gpu_paths *paths = calloc(1, sizeof *paths);
    char *folder = NULL;
    char text[512];
    size_t i;

    (void)state;
    assert_int_equal(whet_fs_tempdir(&folder, "whet-test", NULL), WHET_OK);
    for (i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s/%s", folder, names[i]);
        assert_int_equal(whet_fs_write(text, "", 0, NULL), WHET_OK);
    }
    whet_gpu__paths_add(paths, "libx.so.1");
    snprintf(text, sizeof text, "%s/v2", folder);
    whet_gpu__paths_add(paths, text);
    snprintf(text, sizeof text, "%s/v*", folder);
    whet_gpu__paths_add(paths, text);
    whet_gpu__paths_add(paths, "libx.so.1");
    whet_gpu__paths_add(paths, "/nonexistent/*/lib.so");
    assert_int_equal(paths->count, 4);
    assert_string_equal(paths->path[0], "libx.so.1");
    assert_string_equal(strrchr(paths->path[1], '/'), "/v2");
    assert_string_equal(strrchr(paths->path[2], '/'), "/v3");
    assert_string_equal(strrchr(paths->path[3], '/'), "/v1");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    whet_gpu__paths_add(paths, text);
    assert_int_equal(paths->count, 4);
    for (i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "lib%zu.so", i);
        whet_gpu__paths_add(paths, text);
    }
    assert_int_equal(paths->count, WHET_GPU__PATH_MAX);
    whet_fs_remove_tree(folder);
    free(folder);
    free(paths);
}

static const whet_gpu_error *explain(int code)
{
    static const whet_gpu_error row = {7, "SEVEN", "it is seven", "take six"};

    return code == 7 ? &row : NULL;
}

static void test_device_gpu_load__errors_get_words(void **state)
{
    const whet_gpu_api api = {.name = "FAKE", .explain = explain};
    const whet_gpu_api mute = {.name = "FAKE"};
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_gpu__fail(&err, &api, 7, "cannot count"), WHET_EFAIL);
    assert_string_equal(err.msg,
                        "FAKE: cannot count: SEVEN (7): it is seven; take six");
    assert_int_equal(whet_gpu__fail(&err, &api, 8, "cannot count"), WHET_EFAIL);
    assert_string_equal(err.msg, "FAKE: cannot count: error 8 of the driver");
    assert_int_equal(whet_gpu__fail(&err, &mute, 7, "x"), WHET_EFAIL);
    assert_string_equal(err.msg, "FAKE: x: error 7 of the driver");
}

/* A loader would wait for the pipe's other end. */
static void test_device_gpu_load__a_pipe_is_no_library(void **state)
{
    char folder[] = "/tmp/whet-load-XXXXXX", path[64];
    void *handle = folder;
    whet_err err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/lib.so", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(whet_gpu__load(NULL, &handle, path, NULL, 0, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "lib.so: not a file"));
    assert_null(handle);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_gpu_load__fills_a_table),
        cmocka_unit_test(test_device_gpu_load__tells_what_is_missing),
        cmocka_unit_test(test_device_gpu_load__lists_files_once_newest_first),
        cmocka_unit_test(test_device_gpu_load__errors_get_words),
        cmocka_unit_test(test_device_gpu_load__a_pipe_is_no_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
