/* What live devices share: facts as they were listed, the system's clock, and
 * secrets that differ. */

#include "device/live_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_device_live__opens_what_was_listed(void **state)
{
    whet_device_facts listed = {
        .backend = "cuda", .index = 3, .name = "a card"};
    whet_device *device = NULL;
    whet_clock clock;
    uint64_t begin_ns;

    (void)state;
    assert_int_equal(whet_live__open_found(&device, &listed, NULL), WHET_OK);
    assert_memory_equal(whet_live__facts(device), &listed, sizeof listed);
    clock = whet_live__clock(device);
    begin_ns = whet_clock_now(&clock);
    assert_true(begin_ns > 0 && whet_clock_now(&clock) >= begin_ns);
    whet_live__close(device);
    whet_live__close(NULL);
}

static void test_device_live__secrets_differ(void **state)
{
    unsigned char a[16] = {0}, b[16] = {0};

    (void)state;
    assert_int_equal(whet_live__entropy(NULL, a, NULL), WHET_OK);
    assert_int_equal(whet_live__entropy(NULL, b, NULL), WHET_OK);
    assert_memory_not_equal(a, b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_live__opens_what_was_listed),
        cmocka_unit_test(test_device_live__secrets_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
