/* The build cache over a toolchain that only counts: hits, misses, corrupt
 * entries, refusals, a folder that cannot be written. */

#include "toolchain/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

static const char *const languages[] = {"opencl", NULL};
static const char *const options[] = {"-O2", NULL};
static const char *const defines[] = {"-DA=1", "-DB=2", NULL};

/* The image's bytes say which build made it; the source "refuse" is refused,
 * "fail" cannot be built here. */
static whet_status count_build(whet_image *image, whet_diagnostic *diagnostic,
                               const whet_build_request *request, whet_err *err)
{
    /* The request's timeout smuggles a counter in. */
    uint64_t *count = (uint64_t *)(uintptr_t)request->timeout_ns;

    ++*count;
    memset(image, 0, sizeof *image);
    memset(diagnostic, 0, sizeof *diagnostic);
    if (strcmp(request->source, "fail") == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED, "no compiler");
    if (strcmp(request->source, "refuse") == 0) {
        diagnostic->kind = WHET_DIAGNOSTIC_ERROR;
        return WHET_OK;
    }
    image->bytes =
        whet_asprintf("code %u of %s", (unsigned)*count, request->source);
    image->byte_count = strlen(image->bytes);
    image->hash = whet_hash_bytes(image->bytes, image->byte_count);
    image->kernel_count = 1;
    strcpy(image->kernels[0].name, "k");
    return WHET_OK;
}

static const whet_toolchain_ops counting = {
    .name = "counting", .languages = languages, .build = count_build};

struct fixture {
    char *dir;
    uint64_t count;
};

static int setup(void **state)
{
    struct fixture *fix = calloc(1, sizeof *fix);
    whet_err err = {0};

    if (whet_fs_tempdir(&fix->dir, "whet-test", &err) != WHET_OK)
        return -1;
    setenv("WHET_CACHE_DIR", fix->dir, 1);
    *state = fix;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fix = *state;

    whet_fs_remove_tree(fix->dir);
    free(fix->dir);
    free(fix);
    unsetenv("WHET_CACHE_DIR");
    return 0;
}

static whet_build_request request_for(struct fixture *fix, const char *source)
{
    whet_build_request request = {.source = source,
                                  .source_bytes = strlen(source),
                                  .language = "opencl",
                                  .defines = defines,
                                  .options = options,
                                  .arch = "arch",
                                  .timeout_ns =
                                      (uint64_t)(uintptr_t)&fix->count};

    return request;
}

/* Build and compare the bytes; tells whether the image was cached. */
static bool build(struct fixture *fix, const char *source, const char *bytes)
{
    whet_build_request request = request_for(fix, source);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    whet_err err = {0};
    bool was_cached = false;

    assert_int_equal(whet_toolchain_build(&image, diagnostic, &was_cached,
                                          &counting, "id", &request, &err),
                     WHET_OK);
    assert_int_equal(image.byte_count, strlen(bytes));
    assert_memory_equal(image.bytes, bytes, image.byte_count);
    assert_int_equal(image.kernel_count, 1);
    assert_int_equal(diagnostic->kind, WHET_DIAGNOSTIC_NONE);
    whet_image_deinit(&image);
    free(diagnostic);
    return was_cached;
}

static char *entry_path(struct fixture *fix, const char *source)
{
    whet_build_request request = request_for(fix, source);
    whet_hash key = whet_build_key(&counting, "id", &request);

    return whet_asprintf("%s/images/%c/%s", fix->dir, key.text[0], key.text);
}

static void test_toolchain_build_cache__second_build_is_a_hit(void **state)
{
    struct fixture *fix = *state;

    assert_false(build(fix, "a", "code 1 of a"));
    assert_true(build(fix, "a", "code 1 of a"));
    assert_false(build(fix, "b", "code 2 of b"));
    assert_true(build(fix, "a", "code 1 of a"));
    assert_int_equal(fix->count, 2);
}

static void test_toolchain_build_cache__ignores_corrupt_entries(void **state)
{
    struct fixture *fix = *state;
    char *path = entry_path(fix, "a");
    whet_buf data = {0};
    whet_err err = {0};

    assert_false(build(fix, "a", "code 1 of a"));
    assert_int_equal(whet_fs_read(&data, path, 1 << 20, &err), WHET_OK);
    data.data[data.bytes - 70] ^= 1; /* in the machine code */
    assert_int_equal(whet_fs_write(path, data.data, data.bytes, &err), WHET_OK);
    assert_false(build(fix, "a", "code 2 of a"));
    assert_true(build(fix, "a", "code 2 of a"));
    assert_int_equal(whet_fs_write(path, "", 0, &err), WHET_OK);
    assert_false(build(fix, "a", "code 3 of a"));
    assert_int_equal(fix->count, 3);
    whet_buf_deinit(&data);
    free(path);
}

static void
test_toolchain_build_cache__ignores_what_others_may_write(void **state)
{
    struct fixture *fix = *state;
    char *path = entry_path(fix, "a");
    char *dir = whet_strdup(path);

    assert_false(build(fix, "a", "code 1 of a"));
    assert_int_equal(chmod(path, 0666), 0);
    assert_false(build(fix, "a", "code 2 of a"));
    assert_int_equal(chmod(path, 0644), 0);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(chmod(dir, 0777), 0);
    assert_false(build(fix, "a", "code 3 of a"));
    assert_int_equal(chmod(dir, 0755), 0);
    assert_true(build(fix, "a", "code 3 of a"));
    free(dir);
    free(path);
}

static void test_toolchain_build_cache__keeps_no_refusal(void **state)
{
    struct fixture *fix = *state;
    whet_build_request request = request_for(fix, "refuse");
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    bool was_cached = true;
    int i;

    for (i = 0; i < 2; i++) {
        assert_int_equal(whet_toolchain_build(&image, diagnostic, &was_cached,
                                              &counting, "id", &request, NULL),
                         WHET_OK);
        assert_int_equal(diagnostic->kind, WHET_DIAGNOSTIC_ERROR);
        assert_null(image.bytes);
        assert_false(was_cached);
    }
    assert_int_equal(fix->count, 2);
    free(diagnostic);
}

static void test_toolchain_build_cache__passes_failure_on(void **state)
{
    struct fixture *fix = *state;
    whet_build_request request = request_for(fix, "fail");
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    whet_err err = {0};

    assert_int_equal(whet_toolchain_build(&image, diagnostic, NULL, &counting,
                                          "id", &request, &err),
                     WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "no compiler");
    assert_null(image.bytes);
    free(diagnostic);
}

/* A file where the folder should be: nothing can be stored, all is built. */
static void test_toolchain_build_cache__builds_without_a_cache(void **state)
{
    struct fixture *fix = *state;
    char *path = whet_fs_join(fix->dir, "images");

    assert_int_equal(whet_fs_write(path, "x", 1, NULL), WHET_OK);
    assert_false(build(fix, "a", "code 1 of a"));
    assert_false(build(fix, "a", "code 2 of a"));
    free(path);
}

/* An entry that was last changed at second `when`. */
static void plant(const char *dir, const char *name, time_t when)
{
    const struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
    char *path = whet_fs_join(dir, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

static bool is_there(const char *dir, const char *name)
{
    char *path = whet_fs_join(dir, name);
    bool there = whet_fs_exists(path);

    free(path);
    return there;
}

static void test_toolchain_build_cache__drops_oldest_when_full(void **state)
{
    struct fixture *fix = *state;
    char *path = entry_path(fix, "a");
    char *dir = whet_strdup(path);
    char **names = NULL;
    size_t count = 0;
    int i;

    *strrchr(dir, '/') = '\0';
    assert_int_equal(whet_fs_mkdirs(dir, NULL), WHET_OK);
    for (i = 0; i < 128; i++) {
        char name[16];

        snprintf(name, sizeof name, "%03d", i * 37 % 128);
        plant(dir, name, 1000000 + i * 37 % 128);
    }
    assert_false(build(fix, "a", "code 1 of a"));
    assert_int_equal(whet_fs_list(&names, dir, NULL), WHET_OK);
    while (names[count] != NULL)
        count++;
    assert_int_equal(count, 65);
    assert_false(is_there(dir, "000"));
    assert_false(is_there(dir, "063"));
    assert_true(is_there(dir, "064"));
    assert_true(is_there(dir, "127"));
    assert_true(build(fix, "a", "code 1 of a"));
    whet_fs_list_free(names);
    free(dir);
    free(path);
}

/* Each part of a request changes the key; neighbours do not run together. */
static void test_toolchain_build_cache__key_covers_everything(void **state)
{
    static const char *const other_options[] = {"-O3", NULL};
    static const char *const joined[] = {"-DA=1-DB=2", NULL};
    static const char *const swapped[] = {"-DB=2", "-DA=1", NULL};
    static const char *const moved_options[] = {"-O2", "-DA=1", NULL};
    static const char *const moved_defines[] = {"-DB=2", NULL};
    static const whet_toolchain_ops other = {.name = "other"};
    struct fixture *fix = *state;
    whet_build_request request[8];
    whet_hash key[10];
    size_t i, j;

    for (i = 0; i < 8; i++)
        request[i] = request_for(fix, "source");
    request[1].source = "sourcf";
    request[2].language = "portable";
    request[3].defines = joined;
    request[4].defines = swapped;
    request[5].options = other_options;
    request[6].arch = "arch2";
    request[7].options = moved_options;
    request[7].defines = moved_defines;
    for (i = 0; i < 8; i++)
        key[i] = whet_build_key(&counting, "id", &request[i]);
    key[8] = whet_build_key(&counting, "id2", &request[0]);
    key[9] = whet_build_key(&other, "id", &request[0]);
    for (i = 0; i < 10; i++)
        for (j = 0; j < i; j++)
            assert_string_not_equal(key[i].text, key[j].text);
    request[1] = request_for(fix, "source");
    request[1].timeout_ns = 1;
    key[1] = whet_build_key(&counting, "id", &request[1]);
    assert_string_equal(key[0].text, key[1].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__second_build_is_a_hit, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__ignores_corrupt_entries, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__ignores_what_others_may_write, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__keeps_no_refusal, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__passes_failure_on, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__builds_without_a_cache, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__drops_oldest_when_full, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_toolchain_build_cache__key_covers_everything, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
