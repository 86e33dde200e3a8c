/* The NVML source over a fake library, in this process. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"
#include "device/inventory_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static whet_cards *new_cards(void)
{
    whet_cards *cards = calloc(1, sizeof *cards);

    assert_non_null(cards);
    return cards;
}

static void test_device_nvml__reads_all_of_a_card(void **state)
{
    char *path = card_kit_library("fake_nvml");
    whet_cards *cards = new_cards();
    const whet_card *card = &cards->items[0];
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_inventory_nvml.read(cards, path, &err), WHET_OK);
    assert_int_equal(cards->count, 2);
    assert_string_equal(card->vendor, "nvidia");
    assert_string_equal(card->name, "Fake H200");
    assert_string_equal(card->arch, "sm_90");
    assert_string_equal(card->pci, "0000:c1:00.0");
    assert_string_equal(card->uuid, "GPU-00000000-0000");
    assert_string_equal(card->driver, "580.1");
    assert_true(card->memory_used_bytes.value == 75.0 * (1u << 30));
    assert_true(card->memory_total_bytes.value == 150.0 * (1u << 30));
    assert_true(card->use_pct.value == 42);
    assert_true(card->temperature_c.value == 51);
    assert_true(card->power_w.value > 123.4 && card->power_w.value < 123.5);
    assert_true(card->clock_mhz.value == 1980);
    assert_true(card->memory_clock_mhz.value == 3201);
    assert_true(card->throttled_ns.value == 1234);
    assert_true(card->throttle_bits.value == 0x81);
    assert_true(card->ecc_count.value == 7);
    assert_true(card->knows_processes);
    assert_int_equal(card->process_count, 2);
    assert_int_equal(card->processes[0].pid, 4711);
    assert_true(card->processes[0].memory_bytes.value == 1u << 30);
    assert_false(card->processes[1].memory_bytes.is_known);
    free(path);
    free(cards);
}

static void test_device_nvml__what_is_not_told_is_unknown(void **state)
{
    char *path = card_kit_library("fake_nvml");
    whet_cards *cards = new_cards();
    const whet_card *card = &cards->items[1];

    (void)state;
    assert_int_equal(whet_inventory_nvml.read(cards, path, NULL), WHET_OK);
    assert_string_equal(card->pci, "0000:d1:00.0");
    assert_true(card->memory_used_bytes.is_known);
    assert_false(card->use_pct.is_known);
    assert_false(card->temperature_c.is_known);
    assert_false(card->power_w.is_known);
    assert_false(card->clock_mhz.is_known);
    assert_false(card->throttled_ns.is_known);
    assert_false(card->throttle_bits.is_known);
    assert_false(card->ecc_count.is_known);
    assert_false(card->knows_processes);
    free(path);
    free(cards);
}

static void test_device_nvml__absent_library_is_a_reason(void **state)
{
    whet_cards *cards = new_cards();
    whet_err err = {0};

    (void)state;
    assert_int_equal(
        whet_inventory_nvml.read(cards, "/nonexistent/libnvidia-ml.so", &err),
        WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "/nonexistent/libnvidia-ml.so"));
    free(cards);
}

/* A count of four thousand million, a text without an end, all ones. */
static void test_device_nvml__what_cannot_be_is_unknown(void **state)
{
    char *plain = card_kit_library("fake_nvml");
    char folder[] = "/tmp/whet-nvml-XXXXXX", path[64];
    whet_cards *cards = new_cards();
    const whet_card *card = &cards->items[0];
    whet_buf library = {0};
    whet_err err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.wild.so", folder);
    /* A copy: the loader would know a link to a file that it has. */
    assert_int_equal(whet_fs_read(&library, plain, 16 << 20, &err), WHET_OK);
    assert_int_equal(whet_fs_write(path, library.data, library.bytes, &err),
                     WHET_OK);
    if (whet_inventory_nvml.read(cards, path, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(cards->count, 2);
    assert_int_equal(strlen(card->driver), sizeof card->driver - 1);
    assert_string_equal(card->arch, "");
    assert_false(card->temperature_c.is_known);
    assert_false(card->power_w.is_known);
    unlink(path);
    rmdir(folder);
    whet_buf_deinit(&library);
    free(plain);
    free(cards);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_nvml__reads_all_of_a_card),
        cmocka_unit_test(test_device_nvml__what_is_not_told_is_unknown),
        cmocka_unit_test(test_device_nvml__absent_library_is_a_reason),
        cmocka_unit_test(test_device_nvml__what_cannot_be_is_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
