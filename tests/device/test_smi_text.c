/* Output of hy-smi and rocm-smi in three dialects and four forms; see
 * tests/data/smi/README.md. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/inventory_priv.h"

#include <stdlib.h>
#include <string.h>

static const double MIB = 1048576;

static int open_cards(void **state)
{
    *state = calloc(1, sizeof(whet_cards));
    return *state != NULL ? 0 : -1;
}

static int close_cards(void **state)
{
    free(*state);
    return 0;
}

static void read_file(whet_cards *cards, const char *name)
{
    const char *data = getenv("WHET_TEST_DATA");
    whet_buf text = {0};
    whet_err err = {0};
    char *path;

    if (data == NULL)
        skip();
    path = whet_asprintf("%s/smi/%s", data, name);
    if (whet_fs_read(&text, path, 1 << 20, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    whet_smi__read(cards, whet_buf_str(&text), text.bytes);
    whet_buf_deinit(&text);
    free(path);
}

static void read_text(whet_cards *cards, const char *text)
{
    whet_smi__read(cards, text, strlen(text));
}

static void is(const whet_reading *reading, double value)
{
    assert_true(reading->is_known);
    assert_true(reading->value > value - 0.01 && reading->value < value + 0.01);
}

/* Two cards, as three of the forms tell them. */
static void check_hcu(const whet_cards *cards)
{
    const whet_card *a = &cards->items[0], *b = &cards->items[1];

    assert_int_equal(cards->count, 2);
    assert_string_equal(a->vendor, "hygon");
    assert_string_equal(a->pci, "0000:09:00.0");
    is(&a->use_pct, 0);
    is(&a->memory_used_bytes, 3 * MIB);
    is(&a->memory_total_bytes, 65520 * MIB);
    is(&a->temperature_c, 41);
    is(&a->power_w, 80);
    assert_int_equal(b->physical_index, 1);
    assert_string_equal(b->pci, "0000:36:00.0");
}

static void test_device_smi_text__hcu_lines(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "hcu_text.txt");
    check_hcu(cards);
    is(&cards->items[1].use_pct, 15);
    is(&cards->items[1].power_w, 112);
}

static void test_device_smi_text__hcu_json_takes_the_junction(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "hcu.json");
    check_hcu(cards);
    assert_string_equal(cards->items[0].name, "K100_AI");
    assert_string_equal(cards->items[0].uuid, "0x7100fa8866904061");
    is(&cards->items[1].use_pct, 27.5);
}

static void test_device_smi_text__hcu_csv_behind_noise(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "hcu_csv.txt");
    check_hcu(cards);
    assert_false(cards->items[1].power_w.is_known);
}

static void test_device_smi_text__hcu_concise_table(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "hcu_table.txt");
    assert_int_equal(cards->count, 2);
    assert_string_equal(cards->items[0].vendor, "hygon");
    is(&cards->items[1].temperature_c, 47);
    is(&cards->items[1].power_w, 112);
    is(&cards->items[1].use_pct, 15);
    /* A share of an unknown total is no number of bytes. */
    assert_false(cards->items[1].memory_used_bytes.is_known);
}

static void test_device_smi_text__hcu_json_without_commas(void **state)
{
    whet_cards *cards = *state;
    const whet_card *b = &cards->items[1];

    read_file(cards, "hcu_broken.json");
    assert_int_equal(cards->count, 2);
    is(&cards->items[0].temperature_c, 41);
    is(&cards->items[0].power_w, 80);
    is(&cards->items[0].use_pct, 0);
    is(&cards->items[0].memory_used_bytes, 2100 * MIB);
    assert_string_equal(cards->items[0].pci, "0000:09:00.0");
    assert_false(b->temperature_c.is_known);
    is(&b->power_w, 201);
    is(&b->use_pct, 27.5);
    is(&b->memory_used_bytes, (65520 - 45027) * MIB);
    assert_string_equal(b->pci, "0000:36:00.0");
}

static void test_device_smi_text__dcu_numbers_and_bytes(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "dcu.json");
    assert_int_equal(cards->count, 2);
    assert_string_equal(cards->items[0].vendor, "hygon");
    assert_string_equal(cards->items[0].name, "Z100L");
    is(&cards->items[0].memory_total_bytes, 17163091968.0);
    is(&cards->items[0].temperature_c, 54);
    is(&cards->items[1].use_pct, 0);
    assert_false(cards->items[1].memory_total_bytes.is_known);
    assert_false(cards->items[1].power_w.is_known);
}

static void test_device_smi_text__dcu_cards_may_count_from_1(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "dcu_csv.txt");
    assert_int_equal(cards->count, 4);
    assert_int_equal(cards->items[0].physical_index, 1);
    is(&cards->items[0].use_pct, 99);
    assert_int_equal(cards->items[3].physical_index, 4);
}

static void test_device_smi_text__dcu_lines(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "dcu_text.txt");
    assert_int_equal(cards->count, 2);
    assert_string_equal(cards->items[1].name, "Z100SM");
    is(&cards->items[1].use_pct, 50);
    is(&cards->items[1].memory_used_bytes, 8000 * MIB);
}

static void test_device_smi_text__dcu_nonsense_is_unknown(void **state)
{
    whet_cards *cards = *state;
    const whet_card *card = &cards->items[0];

    read_file(cards, "dcu_broken.json");
    assert_int_equal(cards->count, 1);
    assert_int_equal(card->physical_index, 1);
    is(&card->use_pct, 7);
    assert_false(card->memory_total_bytes.is_known);
    assert_false(card->memory_used_bytes.is_known);
    assert_false(card->temperature_c.is_known);
    assert_string_equal(card->pci, "");
}

static void test_device_smi_text__gpu_json(void **state)
{
    whet_cards *cards = *state;
    const whet_card *card = &cards->items[0];

    read_file(cards, "gpu.json");
    assert_int_equal(cards->count, 1);
    assert_string_equal(card->vendor, "");
    assert_string_equal(card->name, "AMD Instinct MI300X OAM");
    assert_string_equal(card->arch, "gfx942");
    assert_string_equal(card->pci, "0000:c6:00.0");
    assert_string_equal(card->driver, "6.10.5");
    is(&card->temperature_c, 49);
    is(&card->power_w, 139);
    is(&card->memory_used_bytes, 297639936);
}

static void test_device_smi_text__gpu_lines_with_errors(void **state)
{
    whet_cards *cards = *state;
    const whet_card *card = &cards->items[0];

    read_file(cards, "gpu_text.txt");
    assert_int_equal(cards->count, 1);
    is(&card->use_pct, 97);
    is(&card->temperature_c, 76);
    assert_false(card->memory_used_bytes.is_known);
    assert_string_equal(card->driver, "5.6.19");
    assert_string_equal(card->pci, "0000:2d:00.0");
}

static void test_device_smi_text__gpu_json_cut_short(void **state)
{
    whet_cards *cards = *state;

    read_file(cards, "gpu_broken.json");
    assert_int_equal(cards->count, 1);
    is(&cards->items[0].use_pct, 6);
    assert_false(cards->items[0].power_w.is_known);
    assert_false(cards->items[0].memory_total_bytes.is_known);
}

static void test_device_smi_text__other_text_is_no_card(void **state)
{
    static const char *const texts[] = {
        "",
        "usage: hy-smi [-h] [-d N]\nhy-smi: error: unrecognized arguments\n",
        "No HCU devices found\n",
        "{\"card0\": {}}",
        "{\"card99999\": {\"HCU use (%)\": 3}}",
        "\"HCU use (%)\": 3",
        "HCU[0]\t\t: HCU use (%): 300\n",
        "HCU[",
        "\"",
    };
    whet_cards *cards = *state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        read_text(cards, texts[i]);
        assert_int_equal(cards->count, 0);
    }
}

static void test_device_smi_text__more_cards_than_fit(void **state)
{
    whet_cards *cards = *state;
    whet_buf text = {0};

    for (int i = 0; i < 2 * WHET_CARD_MAX; i++)
        whet_buf_printf(&text, "GPU[%d] : GPU use (%%): 1\n", i);
    read_text(cards, whet_buf_str(&text));
    assert_int_equal(cards->count, WHET_CARD_MAX);
    whet_buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_smi_text__hcu_lines),
        cmocka_unit_test(test_device_smi_text__hcu_json_takes_the_junction),
        cmocka_unit_test(test_device_smi_text__hcu_csv_behind_noise),
        cmocka_unit_test(test_device_smi_text__hcu_concise_table),
        cmocka_unit_test(test_device_smi_text__hcu_json_without_commas),
        cmocka_unit_test(test_device_smi_text__dcu_numbers_and_bytes),
        cmocka_unit_test(test_device_smi_text__dcu_cards_may_count_from_1),
        cmocka_unit_test(test_device_smi_text__dcu_lines),
        cmocka_unit_test(test_device_smi_text__dcu_nonsense_is_unknown),
        cmocka_unit_test(test_device_smi_text__gpu_json),
        cmocka_unit_test(test_device_smi_text__gpu_lines_with_errors),
        cmocka_unit_test(test_device_smi_text__gpu_json_cut_short),
        cmocka_unit_test(test_device_smi_text__other_text_is_no_card),
        cmocka_unit_test(test_device_smi_text__more_cards_than_fit),
    };

    return cmocka_run_group_tests(tests, open_cards, close_cards);
}
