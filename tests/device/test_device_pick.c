/* Opening devices with their card locked, over the fake driver of two cards. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"
#include "device/device.h"
#include "fake_cuda_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opened {
    whet_device_handle device;
    whet_card_lock lock;
};

static whet_status open_text(struct opened *out, const char *text,
                             whet_err *err)
{
    return whet_device_open_locked(&out->device, &out->lock, text, NULL, err);
}

static void must_open(struct opened *out, const char *text)
{
    whet_err err = {0};

    if (open_text(out, text, &err) != WHET_OK)
        fail_msg("%s", err.msg);
}

static void shut(struct opened *opened)
{
    whet_device_close(&opened->device);
    whet_card_lock_release(&opened->lock);
}

static void test_device_pick__second_takes_the_other_card(void **state)
{
    struct opened a, b, c;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("");
    must_open(&a, "cuda");
    must_open(&b, "cuda");
    assert_int_equal(a.device.facts.index, 0);
    assert_int_equal(b.device.facts.index, 1);
    assert_string_equal(a.lock.pci, a.device.facts.pci);
    assert_string_equal(b.lock.pci, b.device.facts.pci);
    assert_int_equal(open_text(&c, "cuda", &err), WHET_EUNSUPPORTED);
    assert_int_equal(c.lock.fd, -1);
    assert_null(c.device.ops);
    assert_non_null(strstr(err.msg, "none of 2 cards is free"));
    shut(&a);
    shut(&b);
}

static void test_device_pick__named_card_is_that_one(void **state)
{
    struct opened a, b;
    whet_err err = {0};
    char text[64];

    (void)state;
    fake_cuda_use("");
    must_open(&a, "cuda:1");
    assert_int_equal(a.device.facts.index, 1);
    snprintf(text, sizeof text, "cuda:%s", a.device.facts.pci);
    assert_int_equal(open_text(&b, text, &err), WHET_EUNSUPPORTED);
    assert_null(b.device.ops);
    assert_non_null(strstr(err.msg, "is in use by "));
    must_open(&b, "cuda:0");
    shut(&b);
    shut(&a);
}

static void test_device_pick__auto_does_not_fall_back(void **state)
{
    struct opened a, b, c;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("");
    must_open(&a, NULL);
    assert_string_equal(a.device.ops->name, "cuda");
    must_open(&b, "auto");
    assert_int_equal(b.device.facts.index, 1);
    /* A processor is no substitute for a card that is in use. */
    assert_int_equal(open_text(&c, NULL, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "none of 2 cards is free"));
    shut(&a);
    shut(&b);
}

static void test_device_pick__by_load(void **state)
{
    const whet_pick_opts opts = {.pick = WHET_PICK_MIN_MEM};
    struct opened a;
    whet_err err = {0};

    /* The fake libraries have two cards each, not the same ones: no reading is
     * known, and the order of the driver counts. */
    card_kit_nvml(*state, "");
    fake_cuda_use("");
    if (whet_device_open_locked(&a.device, &a.lock, "cuda", &opts, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    assert_true(a.lock.fd >= 0);
    shut(&a);
}

static void test_device_pick__replay_takes_no_lock(void **state)
{
    const card_kit *kit = *state;
    struct opened a, b;

    must_open(&a, "null");
    must_open(&b, "null");
    assert_int_equal(a.lock.fd, -1);
    assert_false(whet_fs_exists(kit->locks));
    shut(&a);
    shut(&b);
}

static void test_device_pick__failures_leave_nothing(void **state)
{
    static const struct {
        const char *text;
        whet_status status;
    } rows[] = {
        {"nonsense", WHET_EINVAL},
        {"cuda:9", WHET_ENOTFOUND},
        {"cuda:x", WHET_EINVAL},
        {"recorded:/nonexistent", WHET_ENOTFOUND},
    };

    (void)state;
    fake_cuda_use("");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct opened a;
        whet_err err = {0};

        assert_int_equal(open_text(&a, rows[i].text, &err), rows[i].status);
        assert_true(err.msg[0] != '\0');
        assert_int_equal(a.lock.fd, -1);
        assert_null(a.device.ops);
    }
}

static void test_device_pick__absent_backend_says_why(void **state)
{
    struct opened a;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("none");
    assert_int_equal(open_text(&a, "cuda", &err), WHET_EUNSUPPORTED);
    assert_true(err.msg[0] != '\0');
}

#define ROW(name)                                                              \
    cmocka_unit_test_teardown(test_device_pick__##name, fake_cuda_remove)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        ROW(replay_takes_no_lock),
        ROW(second_takes_the_other_card),
        ROW(named_card_is_that_one),
        ROW(auto_does_not_fall_back),
        ROW(by_load),
        ROW(failures_leave_nothing),
        ROW(absent_backend_says_why),
    };
    int status;

    if (whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, card_kit_open, card_kit_close);
}
