/* The registry of devices, opening by text, and the floor of times. */

#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_device_device__rows_are_complete(void **state)
{
    static const char *const order[] = {"cuda", "opencl", "recorded", "null"};
    const whet_device_ops *const *all = whet_device_all();
    size_t at = 0;
    size_t i, j;

    (void)state;
    /* GPUs before the CPU, and what measures before what replays. */
    for (i = 0; i < sizeof order / sizeof order[0]; i++) {
        while (all[at] != NULL && strcmp(all[at]->name, order[i]) != 0)
            at++;
        assert_non_null(all[at]);
    }
    for (i = 0; all[i] != NULL; i++) {
        const whet_device_ops *ops = all[i];
        bool is_live = (ops->caps & WHET_DEVICE_CAP_LIVE) != 0;
        bool is_replay = (ops->caps & WHET_DEVICE_CAP_REPLAY) != 0;

        assert_ptr_equal(whet_device_find(ops->name), ops);
        assert_non_null(ops->summary);
        assert_non_null(ops->selector_help);
        assert_true(ops->probe && ops->open && ops->close && ops->facts &&
                    ops->clock && ops->entropy);
        assert_int_not_equal(is_live, is_replay);
        assert_int_equal(is_live, ops->open_found != NULL);
        assert_int_equal(is_replay, ops->replay_build && ops->replay_call);
        assert_int_equal(is_live, ops->worker_env && ops->worker_open &&
                                      ops->worker_close && ops->worker_load &&
                                      ops->worker_prepare && ops->worker_run);
        assert_int_equal(is_live, ops->toolchains && ops->toolchains[0]);
        for (j = 0; is_live && ops->toolchains[j] != NULL; j++)
            assert_non_null(whet_toolchain_find(ops->toolchains[j]));
        /* A device with memory of its own has all that fills and reads it. */
        assert_int_equal(is_live && !(ops->caps & WHET_DEVICE_CAP_NATIVE),
                         ops->worker_allocate && ops->worker_pin &&
                             ops->worker_copy && ops->worker_fill &&
                             ops->worker_settle);
        ops->close(NULL);
    }
    assert_null(whet_device_find("nonesuch"));
    assert_null(whet_device_find(""));
}

static bool has_entry(char *const *env, const char *entry)
{
    for (; *env != NULL; env++)
        if (strcmp(*env, entry) == 0)
            return true;
    return false;
}

static void
test_device_device__children_know_which_cards_are_visible(void **state)
{
    const whet_device_ops *ops = whet_device_find("cuda");
    size_t own_count = 0, count;
    char **env = NULL;
    whet_err err = {0};

    (void)state;
    while (ops->worker_env[own_count] != NULL)
        own_count++;
    setenv("CUDA_VISIBLE_DEVICES", "3", 1);
    setenv("WHET_UNRELATED", "3", 1);
    unsetenv("WHET_CUDA_LIBRARY");
    assert_int_equal(whet_device_env(&env, ops, &err), WHET_OK);
    for (count = 0; env[count] != NULL; count++)
        assert_null(strstr(env[count], "WHET_"));
    assert_true(count > own_count);
    assert_true(has_entry(env, "CUDA_DEVICE_ORDER=PCI_BUS_ID"));
    assert_true(has_entry(env, "CUDA_VISIBLE_DEVICES=3"));
    whet_device_env_free(env);
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("WHET_UNRELATED");

    /* None of both is an environment, too. */
    assert_int_equal(whet_device_env(&env, whet_device_find("null"), &err),
                     WHET_OK);
    assert_null(env[0]);
    whet_device_env_free(env);
    whet_device_env_free(NULL);
}

static void test_device_device__evidence_has_names(void **state)
{
    (void)state;
    assert_string_equal(whet_evidence_name(WHET_EVIDENCE_MEASURED), "measured");
    assert_string_equal(whet_evidence_name(WHET_EVIDENCE_RECORDED), "recorded");
    assert_string_equal(whet_evidence_name(WHET_EVIDENCE_SCRIPTED), "scripted");
}

static void test_device_device__opens_null_by_name(void **state)
{
    whet_device_handle handle;
    whet_clock clock;
    unsigned char secret[16];
    whet_err err = {0};

    (void)state;
    if (whet_device_open(&handle, "null", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_ptr_equal(handle.ops, whet_device_find("null"));
    assert_string_equal(handle.facts.backend, "null");
    assert_int_equal(handle.facts.evidence, WHET_EVIDENCE_SCRIPTED);
    clock = handle.ops->clock(handle.device);
    assert_non_null(clock.now_ns);
    assert_int_equal(handle.ops->entropy(handle.device, secret, &err), WHET_OK);
    whet_device_close(&handle);
    assert_null(handle.ops);
    assert_null(handle.device);
    whet_device_close(&handle);
}

static void expect_unknown(const char *text, const char *word)
{
    whet_device_handle handle;
    whet_err err = {0};

    assert_int_equal(whet_device_open(&handle, text, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, word));
    assert_null(handle.ops);
}

static void test_device_device__unknown_backend_suggests(void **state)
{
    (void)state;
    expect_unknown("opencll:0", "did you mean \"opencl\"?");
    expect_unknown("quantum", "opencl, recorded, null");
    expect_unknown("nul", "did you mean \"null\"?");
    expect_unknown("quantum", "expected auto, hip, cuda, ");
    expect_unknown("", "unknown");
    expect_unknown(":0", "unknown");
    expect_unknown("null\n", "null");
    expect_unknown("opencl-with-a-name-that-is-far-too-long-for-it", "unknown");
}

static void test_device_device__missing_file_is_told(void **state)
{
    whet_device_handle handle;
    whet_err err = {0};

    (void)state;
    assert_int_not_equal(
        whet_device_open(&handle, "recorded:/nonexistent/file", &err), WHET_OK);
    assert_non_null(strstr(err.msg, "/nonexistent/file"));
    assert_null(handle.ops);
    assert_null(handle.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_device__rows_are_complete),
        cmocka_unit_test(
            test_device_device__children_know_which_cards_are_visible),
        cmocka_unit_test(test_device_device__evidence_has_names),
        cmocka_unit_test(test_device_device__opens_null_by_name),
        cmocka_unit_test(test_device_device__unknown_backend_suggests),
        cmocka_unit_test(test_device_device__missing_file_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
