/* Baselines by device, and sources out of a ledger. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/search.h"

#include <stdlib.h>
#include <string.h>

static void test_search_sources__takes_the_tasks_own_baseline(void **state)
{
    whet_device_handle device = {0};
    whet_candidate *candidate = NULL;
    whet_task *task = NULL;
    whet_err err = {0};
    unsigned count;

    (void)state;
    assert_int_equal(whet_task_load(&task, "gemm", &err), WHET_OK);
    assert_int_equal(whet_device_open(&device, "null", &err), WHET_OK);
    assert_int_equal(
        whet_search_baseline(&candidate, task, &device, NULL, &err), WHET_OK);
    assert_string_equal(candidate->language, "opencl");
    whet_candidate_free(candidate);

    count = task->baseline_count;
    task->baseline_count = 0;
    assert_int_equal(
        whet_search_baseline(&candidate, task, &device, NULL, &err),
        WHET_EINVAL);
    assert_null(candidate);
    assert_non_null(strstr(err.msg, "--baseline"));
    assert_int_equal(whet_search_baseline(&candidate, task, &device,
                                          "/nonexistent.cl", &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "/nonexistent.cl"));
    task->baseline_count = count;
    whet_device_close(&device);
    whet_task_free(task);
}

static void test_search_sources__reads_a_source_out_of_a_ledger(void **state)
{
    static const char text[] =
        "/* whet:\nlaunches:\n  - {kernel: g, grid: [M], block: [1], args: [A, "
        "B, C, M, N, K]}\n*/\n__kernel void g() {}\n";
    whet_clock clock = whet_clock_system();
    whet_candidate *candidate = NULL;
    whet_ledger *ledger = NULL;
    whet_task *task = NULL;
    json_t *entry;
    char *dir = NULL, *path;
    whet_hash hash;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_task_load(&task, "gemm", &err), WHET_OK);
    assert_int_equal(whet_fs_tempdir(&dir, "whet-test", &err), WHET_OK);
    path = whet_fs_join(dir, "x.ledger");
    assert_int_equal(
        whet_ledger_open(&ledger, path, WHET_LEDGER_CREATE, &clock, &err),
        WHET_OK);
    assert_int_equal(
        whet_ledger_put_blob(&hash, ledger, text, sizeof text - 1, &err),
        WHET_OK);
    entry = json_pack("{s:s,s:s}", "language", "opencl", "source", hash.text);
    assert_int_equal(whet_search_source(&candidate, ledger, task, entry, &err),
                     WHET_OK);
    assert_string_equal(candidate->source, text);
    whet_candidate_free(candidate);

    hash.text[0] = hash.text[0] == '0' ? '1' : '0';
    json_object_set_new(entry, "source", json_string(hash.text));
    assert_int_equal(whet_search_source(&candidate, ledger, task, entry, &err),
                     WHET_ENOTFOUND);
    assert_null(candidate);
    assert_true(err.msg[0] != '\0');
    json_object_del(entry, "language");
    assert_int_equal(whet_search_source(&candidate, ledger, task, entry, &err),
                     WHET_EINVAL);
    json_decref(entry);
    whet_ledger_close(ledger);
    whet_fs_remove_tree(dir);
    whet_task_free(task);
    free(path);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_sources__takes_the_tasks_own_baseline),
        cmocka_unit_test(test_search_sources__reads_a_source_out_of_a_ledger),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
