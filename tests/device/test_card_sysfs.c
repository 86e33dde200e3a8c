/* Cards from a folder that stands for /sys. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"
#include "device/inventory_priv.h"

#include <stdlib.h>
#include <string.h>

static whet_cards *read_cards(const card_kit *kit)
{
    whet_cards *cards = calloc(1, sizeof *cards);
    whet_err err = {0};

    assert_non_null(cards);
    if (whet_inventory__sysfs(cards, kit->sysfs, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return cards;
}

static void test_device_card_sysfs__nothing_is_a_reason(void **state)
{
    const card_kit *kit = *state;
    whet_cards *cards = calloc(1, sizeof *cards);
    whet_err err = {0};

    assert_non_null(cards);
    assert_int_equal(whet_inventory__sysfs(cards, kit->sysfs, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "class/kfd"));
    free(cards);
}

static void test_device_card_sysfs__reads_a_card(void **state)
{
    const card_kit *kit = *state;
    whet_cards *cards;
    const whet_card *card;

    card_kit_card(kit, "card1", "0000:09:00.0", "0x1d94\n");
    card_kit_card(kit, "card0", "0000:03:00.0", "0x1a03\n"); /* a console */
    card_kit_write(kit, "sys/class/drm/card1-DP-1/status", "connected\n");
    card_kit_write(kit, "sys/class/drm/renderD128/x", "");
    cards = read_cards(kit);
    assert_int_equal(cards->count, 1);
    card = &cards->items[0];
    assert_string_equal(card->vendor, "hygon");
    assert_string_equal(card->pci, "0000:09:00.0");
    assert_true(card->memory_total_bytes.value == 68702699520.0);
    assert_true(card->memory_used_bytes.value == 3145728);
    assert_true(card->use_pct.value == 12);
    assert_true(card->temperature_c.value > 41.4);
    assert_true(card->power_w.value > 79.9 && card->power_w.value < 80.1);
    assert_true(card->clock_mhz.value > 1499 && card->clock_mhz.value < 1501);
    assert_false(card->memory_clock_mhz.is_known);
    free(cards);
}

static void
test_device_card_sysfs__kfd_tells_arch_and_hidden_cards(void **state)
{
    const card_kit *kit = *state;
    whet_cards *cards;

    card_kit_write(kit, "sys/class/kfd/kfd/topology/nodes/0/properties",
                   "cpu_cores_count 32\nsimd_count 0\n");
    card_kit_write(kit, "sys/class/kfd/kfd/topology/nodes/1/properties",
                   "simd_count 480\ngfx_target_version 90208\nvendor_id 7572\n"
                   "location_id 2304\ndomain 0\n");
    card_kit_write(kit, "sys/class/kfd/kfd/topology/nodes/2/properties",
                   "simd_count 480\ngfx_target_version 90208\nvendor_id 7572\n"
                   "location_id 13824\ndomain 0\n");
    cards = read_cards(kit);
    assert_int_equal(cards->count, 2);
    assert_string_equal(cards->items[0].arch, "gfx928");
    assert_string_equal(cards->items[1].pci, "0000:36:00.0");
    assert_string_equal(cards->items[1].arch, "gfx928");
    assert_string_equal(cards->items[1].vendor, "hygon");
    assert_false(cards->items[1].memory_used_bytes.is_known);
    free(cards);
}

static void test_device_card_sysfs__odd_files_are_unknown(void **state)
{
    const card_kit *kit = *state;
    whet_cards *cards;

    card_kit_write(kit, "sys/class/drm/card1/device/gpu_busy_percent", "444\n");
    card_kit_write(kit, "sys/class/drm/card1/device/mem_info_vram_used",
                   "lots\n");
    card_kit_write(kit, "sys/class/drm/card1/device/mem_info_vram_total", "");
    cards = read_cards(kit);
    assert_false(cards->items[0].use_pct.is_known);
    assert_false(cards->items[0].memory_used_bytes.is_known);
    assert_false(cards->items[0].memory_total_bytes.is_known);
    free(cards);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_card_sysfs__nothing_is_a_reason),
        cmocka_unit_test(test_device_card_sysfs__reads_a_card),
        cmocka_unit_test(
            test_device_card_sysfs__kfd_tells_arch_and_hidden_cards),
        cmocka_unit_test(test_device_card_sysfs__odd_files_are_unknown),
    };

    return cmocka_run_group_tests(tests, card_kit_open, card_kit_close);
}
