/* All sources together: libraries in a child, sysfs, tools, and what becomes of
 * a card that several tell of. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"
#include "device/inventory_priv.h"

#include <stdlib.h>
#include <string.h>

static whet_inventory *read_all(void)
{
    whet_inventory *list = calloc(1, sizeof *list);
    whet_err err = {0};

    assert_non_null(list);
    if (whet_inventory_read(list, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return list;
}

static const whet_card_source *source_of(const whet_inventory *list,
                                         const char *name)
{
    for (uint32_t i = 0; i < list->source_count; i++)
        if (strcmp(list->sources[i].name, name) == 0)
            return &list->sources[i];
    fail_msg("no source %s", name);
    return NULL;
}

static int reset(void **state)
{
    (void)state;
    setenv("WHET_NVML_LIBRARY", "/nonexistent/libnvidia-ml.so", 1);
    setenv("WHET_ROCM_SMI_LIBRARY", "/nonexistent/librocm_smi64.so", 1);
    return 0;
}

static void test_device_inventory__nothing_is_an_empty_list(void **state)
{
    whet_inventory *list = read_all();

    (void)state;
    assert_int_equal(list->card_count, 0);
    assert_int_equal(list->source_count, 6);
    for (uint32_t i = 0; i < list->source_count; i++) {
        assert_false(list->sources[i].is_there);
        assert_true(list->sources[i].text[0] != '\0');
    }
    assert_non_null(strstr(source_of(list, "NVML")->text, "/nonexistent/"));
    free(list);
}

static void test_device_inventory__nvml_comes_through_a_child(void **state)
{
    whet_inventory *list;
    const whet_card *card;

    card_kit_nvml(*state, ".print");
    list = read_all();
    assert_int_equal(list->card_count, 2);
    card = &list->cards[0];
    assert_string_equal(card->source, "NVML");
    assert_string_equal(card->vendor, "nvidia");
    assert_string_equal(card->arch, "sm_90");
    assert_int_equal(card->process_count, 2);
    assert_int_equal(card->logical_index, 0);
    assert_true(card->use_pct.value == 42);
    assert_false(list->cards[1].use_pct.is_known);
    /* Escaped on the way. */
    assert_string_equal(list->cards[1].name, "Fake \\x1b[31mH200");
    assert_string_equal(source_of(list, "NVML")->text, "2 cards");
    free(list);
}

static void test_device_inventory__one_card_by_its_address(void **state)
{
    whet_card card;
    whet_err err = {0};

    card_kit_nvml(*state, ".print");
    if (whet_inventory_card(&card, "0000:c1:00.0", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_true(card.throttled_ns.value == 1234);
    assert_true(card.throttle_bits.value == 0x81);
    assert_true(card.ecc_count.value == 7);
    assert_true(card.knows_processes && card.process_count == 2);
    assert_string_equal(card.name, "");
    assert_int_equal(whet_inventory_card(&card, "0000:d1:00.0", &err), WHET_OK);
    assert_false(card.ecc_count.is_known);
    assert_int_equal(whet_inventory_card(&card, "0000:01:00.0", &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "0000:01:00.0"));
    card_kit_nvml(*state, ".crash");
    assert_int_equal(whet_inventory_card(&card, "0000:c1:00.0", &err),
                     WHET_ENOTFOUND);
}

static void test_device_inventory__broken_libraries_are_reasons(void **state)
{
    static const char *const modes[][2] = {
        {".crash", "signal 6"},
        {".init", "Driver Not Loaded (9)"},
        {".none", "no card"},
    };

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        whet_inventory *list;

        card_kit_nvml(*state, modes[i][0]);
        list = read_all();
        assert_int_equal(list->card_count, 0);
        assert_non_null(strstr(source_of(list, "NVML")->text, modes[i][1]));
        free(list);
    }
}

static void test_device_inventory__variables_renumber(void **state)
{
    whet_inventory *list;

    card_kit_nvml(*state, "");
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    list = read_all();
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_int_equal(list->cards[0].physical_index, 0);
    assert_int_equal(list->cards[0].logical_index, UINT32_MAX);
    assert_int_equal(list->cards[1].physical_index, 1);
    assert_int_equal(list->cards[1].logical_index, 0);
    free(list);
}

static void test_device_inventory__later_sources_fill_gaps(void **state)
{
    const card_kit *kit = *state;
    whet_inventory *list;
    const whet_card *card;

    card_kit_card(kit, "card0", "0000:09:00.0", "0x1d94\n");
    card_kit_tool(kit, "hy-smi",
                  "echo '\"card0\": { \"HCU use (%)\": 77%'\n"
                  "echo '\"Card Series\": \"K100_AI\" \"PCI Bus\": "
                  "\"0000:09:00.0\" \"Average Graphics Package Power (W)\": "
                  "90W }'\n");
    list = read_all();
    assert_int_equal(list->card_count, 1);
    card = &list->cards[0];
    assert_string_equal(card->source, "KFD and DRM sysfs");
    assert_string_equal(card->name, "K100_AI");
    assert_true(card->use_pct.value == 12); /* the first one counts */
    assert_true(source_of(list, "hy-smi")->is_there);
    free(list);
}

static void test_device_inventory__order_matches_without_address(void **state)
{
    const card_kit *kit = *state;
    whet_inventory *list;

    card_kit_card(kit, "card1", "0000:36:00.0", "0x1d94\n");
    card_kit_tool(kit, "hy-smi",
                  "echo 'DCU[0] : Card Series: A'\n"
                  "echo 'DCU[1] : Card Series: B'\n");
    list = read_all();
    assert_int_equal(list->card_count, 2);
    assert_string_equal(list->cards[0].name, "A");
    assert_string_equal(list->cards[1].name, "B");
    assert_string_equal(list->cards[1].pci, "0000:36:00.0");
    free(list);
}

static void test_device_inventory__unmatched_cards_are_said(void **state)
{
    const card_kit *kit = *state;
    whet_inventory *list;

    card_kit_tool(kit, "hy-smi", "echo 'DCU[5] : DCU use (%): 3'\n");
    list = read_all();
    assert_int_equal(list->card_count, 2);
    assert_non_null(
        strstr(source_of(list, "hy-smi")->text, "could not be matched"));
    free(list);
}

static void test_device_inventory__tool_is_not_asked_in_vain(void **state)
{
    const card_kit *kit = *state;
    whet_inventory *list;

    card_kit_write(kit, "sys/class/drm/card0/device/product_name", "X\n");
    card_kit_write(kit, "sys/class/drm/card1/device/product_name", "Y\n");
    list = read_all();
    assert_non_null(strstr(source_of(list, "hy-smi")->text, "not asked"));
    assert_string_equal(list->cards[0].name, "X");
    free(list);
}

static void test_device_inventory__two_families_side_by_side(void **state)
{
    char *library = card_kit_library("fake_amd_smi");
    whet_inventory *list;

    card_kit_nvml(*state, "");
    setenv("WHET_ROCM_SMI_LIBRARY", library, 1);
    list = read_all();
    /* 2 of NVML, 2 of sysfs, 2 of the library; one of them in both. */
    assert_true(list->card_count >= 5);
    assert_string_equal(list->cards[0].vendor, "nvidia");
    assert_string_equal(list->cards[1].vendor, "nvidia");
    assert_int_equal(list->cards[1].logical_index, 1);
    for (uint32_t i = 2; i < list->card_count; i++) {
        assert_string_not_equal(list->cards[i].vendor, "nvidia");
        assert_int_equal(list->cards[i].logical_index, i - 2);
    }
    free(list);
    free(library);
}

static void test_device_inventory__pci_addresses(void **state)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"0000:C1:00.0", "0000:c1:00.0"},
        {"00000000:C1:00.0", "0000:c1:00.0"},
        {"00010000:01:00.0", "10000:01:00.0"},
        {"0000:c1:00", "0000:c1:00.0"},
        {"0:1:2.3", "0000:01:02.3"},
        {"", ""},
        {"0000:c1", ""},
        {"c1:00.0", ""},
        {"0000:c1:20.0", ""},
        {"0000:c1:00.8", ""},
        {"0000:c1:00.0x", ""},
        {"0000:@1:00.0", ""},
        {"not an address", ""},
    };
    char out[32];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool is = whet_inventory__pci(out, rows[i].text);

        assert_string_equal(out, rows[i].expected);
        assert_int_equal(is, rows[i].expected[0] != '\0');
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(
            test_device_inventory__nothing_is_an_empty_list, reset),
        cmocka_unit_test_teardown(
            test_device_inventory__nvml_comes_through_a_child, reset),
        cmocka_unit_test_teardown(
            test_device_inventory__one_card_by_its_address, reset),
        cmocka_unit_test_teardown(
            test_device_inventory__broken_libraries_are_reasons, reset),
        cmocka_unit_test_teardown(test_device_inventory__variables_renumber,
                                  reset),
        cmocka_unit_test_teardown(
            test_device_inventory__later_sources_fill_gaps, reset),
        cmocka_unit_test_teardown(
            test_device_inventory__order_matches_without_address, reset),
        cmocka_unit_test_teardown(
            test_device_inventory__unmatched_cards_are_said, reset),
        cmocka_unit_test_teardown(
            test_device_inventory__tool_is_not_asked_in_vain, reset),
        cmocka_unit_test_teardown(
            test_device_inventory__two_families_side_by_side, reset),
        cmocka_unit_test(test_device_inventory__pci_addresses),
    };
    int status;

    if (whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, card_kit_open, card_kit_close);
}
