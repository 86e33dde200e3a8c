/* A GPU as the supervisor opens it, over the fake driver. */

#include "device/gpu_priv.h"
#include "device/live_priv.h"
#include "fake_cuda_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_device_gpu_device__opens_by_number_and_address(void **state)
{
    static const struct {
        const char *selector;
        uint32_t index;
    } rows[] = {
        {"", 0}, {"0", 0}, {"1", 1}, {"0000:c1:00.0", 0}, {"0000:C2:00.0", 1}};
    size_t i;

    (void)state;
    fake_cuda_use("");
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_device *device = NULL;
        whet_err err = {0};

        if (whet_gpu__open(&device, "cuda", rows[i].selector, &err) != WHET_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(whet_live__facts(device)->index, rows[i].index);
        whet_live__close(device);
    }
    whet_live__close(NULL);
}

static void test_device_gpu_device__bad_selectors_are_told(void **state)
{
    static const struct {
        const char *selector;
        whet_status status;
    } rows[] = {{"first", WHET_EINVAL},
                {"-1", WHET_EINVAL},
                {" 0", WHET_EINVAL},
                {"0x", WHET_EINVAL},
                {"c1:00.0", WHET_EINVAL},
                {"2", WHET_ENOTFOUND},
                {"4294967296", WHET_ENOTFOUND},
                {"0000:c3:00.0", WHET_ENOTFOUND}};
    size_t i;

    (void)state;
    fake_cuda_use("");
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_device *device = NULL;
        whet_err err = {0};

        assert_int_equal(
            whet_gpu__open(&device, "cuda", rows[i].selector, &err),
            rows[i].status);
        assert_null(device);
        assert_non_null(strstr(err.msg, rows[i].selector));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_gpu_device__opens_by_number_and_address),
        cmocka_unit_test(test_device_gpu_device__bad_selectors_are_told),
    };
    int status;

    if (whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, fake_cuda_remove);
}
