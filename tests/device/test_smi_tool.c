/* Running a tool: finding it, and asking for less while it refuses. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/inventory_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct kit {
    char *dir;
    whet_cards cards;
};

static int open_kit(void **state)
{
    struct kit *kit = calloc(1, sizeof *kit);

    *state = kit;
    return kit != NULL &&
                   whet_fs_tempdir(&kit->dir, "whet-test", NULL) == WHET_OK
               ? 0
               : -1;
}

static int close_kit(void **state)
{
    struct kit *kit = *state;

    whet_fs_remove_tree(kit->dir);
    free(kit->dir);
    free(kit);
    return 0;
}

static void write_tool(const struct kit *kit, const char *script)
{
    char *path = whet_fs_join(kit->dir, "hy-smi");
    char *text = whet_asprintf("#!/bin/sh\n%s", script);

    assert_int_equal(whet_fs_write(path, text, strlen(text), NULL), WHET_OK);
    assert_int_equal(chmod(path, 0755), 0);
    free(text);
    free(path);
}

static void test_device_smi_tool__refused_flags_are_left_out(void **state)
{
    struct kit *kit = *state;
    whet_err err = {0};

    write_tool(kit,
               "case \"$*\" in *--showpower*|*--showmeminfo*)\n"
               "  echo 'hy-smi: error: unrecognized arguments' >&2; exit 2;;\n"
               "esac\n"
               "case \"$*\" in *--json*) echo \"{'x': 1} \\\"card0\\\": {"
               "\\\"HCU use (%)\\\": \\\"5\\\"}\";; esac\n");
    assert_int_equal(whet_smi__run(&kit->cards, "hy-smi", kit->dir, &err),
                     WHET_OK);
    assert_int_equal(kit->cards.count, 1);
    assert_true(kit->cards.items[0].use_pct.value == 5);
}

static void test_device_smi_tool__last_rung_has_no_flags(void **state)
{
    struct kit *kit = *state;

    write_tool(kit, "[ $# -eq 0 ] || exit 2\n"
                    "echo 'DCU  Temp  AvgPwr  Perf  PwrCap  VRAM%  DCU%'\n"
                    "echo '0    40.0C 60.0W   auto  200W    1%     3%'\n");
    assert_int_equal(whet_smi__run(&kit->cards, "hy-smi", kit->dir, NULL),
                     WHET_OK);
    assert_int_equal(kit->cards.count, 1);
    assert_true(kit->cards.items[0].temperature_c.value == 40);
}

static void test_device_smi_tool__exit_status_does_not_matter(void **state)
{
    struct kit *kit = *state;

    write_tool(kit, "echo 'HCU[3] : HCU use (%): 9'; exit 2\n");
    assert_int_equal(whet_smi__run(&kit->cards, "hy-smi", kit->dir, NULL),
                     WHET_OK);
    assert_int_equal(kit->cards.items[0].physical_index, 3);
}

static void test_device_smi_tool__no_card_is_a_reason(void **state)
{
    struct kit *kit = *state;
    whet_err err = {0};

    write_tool(kit, "echo 'no devices found' >&2; exit 1\n");
    assert_int_equal(whet_smi__run(&kit->cards, "hy-smi", kit->dir, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "exit status 1: no devices found"));
}

static void test_device_smi_tool__absent_tool_is_a_reason(void **state)
{
    struct kit *kit = *state;
    whet_err err = {0};

    assert_int_equal(
        whet_smi__run(&kit->cards, "rocm-smi", "/nonexistent:/proc", &err),
        WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "rocm-smi: not found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_smi_tool__refused_flags_are_left_out),
        cmocka_unit_test(test_device_smi_tool__last_rung_has_no_flags),
        cmocka_unit_test(test_device_smi_tool__exit_status_does_not_matter),
        cmocka_unit_test(test_device_smi_tool__no_card_is_a_reason),
        cmocka_unit_test(test_device_smi_tool__absent_tool_is_a_reason),
    };

    return cmocka_run_group_tests(tests, open_kit, close_kit);
}
