/* Both AMD sources over a fake library, and our constants against the public
 * header where it is installed (librocm-smi-dev). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "card_kit.h"
#include "device/inventory_priv.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<rocm_smi/rocm_smi.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <rocm_smi/rocm_smi.h>
#pragma GCC diagnostic pop
/* What amd_smi.c and its fake take for granted. */
_Static_assert(sizeof(rsmi_process_info_t) == 32, "record of a process");
_Static_assert(offsetof(rsmi_process_info_t, vram_usage) == 8, "its memory");
_Static_assert(RSMI_STATUS_SUCCESS == 0, "success");
_Static_assert(RSMI_TEMP_TYPE_EDGE == 0, "edge sensor");
_Static_assert(RSMI_TEMP_TYPE_JUNCTION == 1, "junction sensor");
_Static_assert(RSMI_TEMP_CURRENT == 0, "current temperature");
_Static_assert(RSMI_MEM_TYPE_VRAM == 0, "memory of the card");
_Static_assert(RSMI_SW_COMP_DRIVER == 0, "driver version");
#endif

static whet_cards *read_with(const whet_inventory_library *library)
{
    char *path = card_kit_library("fake_amd_smi");
    whet_cards *cards = calloc(1, sizeof *cards);
    whet_err err = {0};

    assert_non_null(cards);
    assert_int_equal(library->read(cards, path, &err), WHET_OK);
    assert_int_equal(cards->count, 2);
    assert_string_equal(cards->items[0].pci, "0000:26:00.0");
    assert_string_equal(cards->items[1].pci, "0001:36:01.0");
    free(path);
    return cards;
}

static void test_device_amd_smi__rocm_smi_reads_a_card(void **state)
{
    whet_cards *cards = read_with(&whet_inventory_rocm_smi);
    const whet_card *card = &cards->items[0];

    (void)state;
    assert_string_equal(card->vendor, "amd");
    assert_string_equal(card->name, "Fake MI");
    assert_true(card->memory_total_bytes.value == 64.0 * (1u << 30));
    assert_true(card->memory_used_bytes.value == 16.0 * (1u << 30));
    assert_true(card->use_pct.value == 99);
    assert_true(card->temperature_c.value == 61.5);
    assert_true(card->power_w.value == 250);
    assert_int_equal(card->process_count, 1);
    assert_int_equal(card->processes[0].pid, 99);
    assert_true(card->processes[0].memory_bytes.value == 4096);
    free(cards);
}

static void test_device_amd_smi__silence_is_unknown(void **state)
{
    whet_cards *cards = read_with(&whet_inventory_rocm_smi);
    const whet_card *card = &cards->items[1];

    (void)state;
    assert_string_equal(card->vendor, "hygon");
    assert_string_equal(card->name, "");
    assert_false(card->memory_total_bytes.is_known);
    assert_false(card->use_pct.is_known);
    assert_false(card->temperature_c.is_known);
    assert_false(card->power_w.is_known);
    free(cards);
}

static void test_device_amd_smi__amdsmi_reads_a_card(void **state)
{
    whet_cards *cards = read_with(&whet_inventory_amdsmi);

    (void)state;
    assert_true(cards->items[0].memory_total_bytes.value == 64.0 * (1u << 30));
    assert_false(cards->items[0].memory_used_bytes.is_known);
    assert_true(cards->items[0].use_pct.value == 12);
    assert_true(cards->items[0].temperature_c.value == 70);
    /* All ones mean that it is not told. */
    assert_false(cards->items[1].use_pct.is_known);
    free(cards);
}

static void test_device_amd_smi__absent_library_is_a_reason(void **state)
{
    const whet_inventory_library *const both[] = {&whet_inventory_amdsmi,
                                                  &whet_inventory_rocm_smi};
    whet_cards *cards = calloc(1, sizeof *cards);

    (void)state;
    assert_non_null(cards);
    for (size_t i = 0; i < 2; i++) {
        whet_err err = {0};

        assert_int_equal(both[i]->read(cards, "/nonexistent/lib.so", &err),
                         WHET_EUNSUPPORTED);
        assert_non_null(strstr(err.msg, "/nonexistent/lib.so"));
        assert_int_equal(cards->count, 0);
    }
    free(cards);
}

/* The real library on a machine without a card says so in words. (It prints
 * some of them; in the child those go nowhere.) */
static void test_device_amd_smi__real_library_without_card(void **state)
{
    static const char name[] = "librocm_smi64.so.1";
    whet_cards *cards;
    whet_err err = {0};

    (void)state;
    if (dlopen(name, RTLD_LAZY | RTLD_LOCAL) == NULL ||
        whet_fs_exists("/sys/class/kfd"))
        skip();
    cards = calloc(1, sizeof *cards);
    assert_non_null(cards);
    setenv("WHET_ROCM_SMI_LIBRARY", name, 1);
    assert_int_equal(whet_inventory__ask(cards, &whet_inventory_rocm_smi, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "rocm-smi library: "));
    free(cards);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_amd_smi__rocm_smi_reads_a_card),
        cmocka_unit_test(test_device_amd_smi__silence_is_unknown),
        cmocka_unit_test(test_device_amd_smi__amdsmi_reads_a_card),
        cmocka_unit_test(test_device_amd_smi__absent_library_is_a_reason),
        cmocka_unit_test(test_device_amd_smi__real_library_without_card),
    };
    int status;

    if (whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
