/* `whet calibrate`: measures, keeps the best, and says why it cannot. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <string.h>

static void test_cli_cmd_calibrate__refuses_replay_devices(void **state)
{
    cli_kit_expect(*state, WORDS("calibrate", "--device", "null"), 3, NULL,
                   "nothing to calibrate");
}

static void test_cli_cmd_calibrate__refuses_unknown_devices(void **state)
{
    cli_kit_expect(*state, WORDS("calibrate", "--device", "opencll"), 2, NULL,
                   "did you mean");
}

static void test_cli_cmd_calibrate__refuses_words(void **state)
{
    cli_kit_expect(*state, WORDS("calibrate", "now"), 2, NULL, "calibrate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_cmd_calibrate__refuses_replay_devices),
        cmocka_unit_test(test_cli_cmd_calibrate__refuses_unknown_devices),
        cmocka_unit_test(test_cli_cmd_calibrate__refuses_words),
    };

    return cmocka_run_group_tests(tests, cli_kit_open, cli_kit_close);
}
