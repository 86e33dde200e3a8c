/* Following the *_VISIBLE_DEVICES variables. */

#include "device/visible_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The map as text: "2 0" or "2 ?". */
static const char *text_of(const whet_visible_map *map)
{
    static char text[512];
    size_t used = 0;
    uint32_t i;

    text[0] = '\0';
    for (i = 0; i < map->count; i++)
        used += (size_t)(map->physical[i] == UINT32_MAX
                             ? snprintf(text + used, sizeof text - used, "%s?",
                                        i > 0 ? " " : "")
                             : snprintf(text + used, sizeof text - used, "%s%u",
                                        i > 0 ? " " : "", map->physical[i]));
    return text;
}

static void test_device_visible__follows_a_list_until_it_ends(void **state)
{
    static const struct {
        const char *list, *expected;
    } rows[] = {
        {NULL, "0 1 2 3"},
        {"0,1,2,3", "0 1 2 3"},
        {"2", "2"},
        {"3,1", "3 1"},
        {" 1 , 0 ", "1 0"},
        {"", ""},
        {"-1", ""},
        {"1,-1,0", "1"},
        {"0,9,1", "0"},
        {"0,1x,2", "0"},
        {"2,2,1", "2"},
        {"0,,1", "0"},
        {"1,", "1"},
        {"NoDevFiles", ""},
        {"00,1", "0 1"},
        {"99999999999", ""},
        {"0 1", "0"},
        {"\x1b[2J", ""},
        {"GPU-abc", "?"},
        {"1,GPU-abc,GPU-def", "1 ? ?"},
        {"MIG-1/2/3,0", "? 0"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_visible_env env = {.cuda = rows[i].list, .hip = "3", .rocr = "3"};
        whet_visible_map map;

        whet_visible__map(&map, WHET_VISIBLE_CUDA, &env, NULL, 4);
        assert_string_equal(text_of(&map), rows[i].expected);
        assert_string_equal(map.warning, "");
    }
}

static void test_device_visible__knows_cards_by_uuid(void **state)
{
    static const char *const uuids[] = {"GPU-aaaa-1", "GPU-bbbb-2", NULL};
    static const struct {
        const char *list, *expected;
    } rows[] = {
        {"GPU-bbbb-2", "1"},      {"GPU-bb", "1"},
        {"GPU-bb,GPU-aa", "1 0"}, {"GPU-bb,1", "1"}, /* the same card again */
        {"GPU-cc,0", ""},                            /* no such card */
        {"MIG-aa,0", "? 0"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_visible_env env = {.cuda = rows[i].list};
        whet_visible_map map;

        whet_visible__map(&map, WHET_VISIBLE_CUDA, &env, uuids, 3);
        assert_string_equal(text_of(&map), rows[i].expected);
    }
}

/* ROCR first renumbers, then HIP picks by the new numbers; CUDA counts only
 * where HIP is unset or empty. */
static void test_device_visible__applies_the_layers_in_order(void **state)
{
    static const struct {
        whet_visible_env env;
        const char *expected;
        const char *warning; /* a word of it, NULL = none */
    } rows[] = {
        {{NULL, NULL, NULL}, "0 1 2 3", NULL},
        {{NULL, "2,0", NULL}, "2 0", NULL},
        {{"3", NULL, NULL}, "3", NULL},
        {{"3", "1", NULL}, "1", NULL},
        {{"3", "", NULL}, "3", NULL},
        {{"", NULL, NULL}, "0 1 2 3", NULL},
        {{NULL, NULL, "3,2"}, "3 2", NULL},
        {{NULL, NULL, ""}, "", NULL},
        {{NULL, "1", "3,2"}, "2", "HIP_VISIBLE_DEVICES"},
        {{NULL, "3", "3,2"}, "", "HIP_VISIBLE_DEVICES"},
        {{"0", NULL, "3,2"}, "3", "CUDA_VISIBLE_DEVICES"},
        {{"0", "1", "3,2"}, "2", "HIP_VISIBLE_DEVICES"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whet_visible_map map;

        whet_visible__map(&map, WHET_VISIBLE_HIP, &rows[i].env, NULL, 4);
        assert_string_equal(text_of(&map), rows[i].expected);
        if (rows[i].warning == NULL) {
            assert_string_equal(map.warning, "");
        } else {
            assert_non_null(strstr(map.warning, rows[i].warning));
            assert_non_null(strstr(map.warning, "set one, not both"));
        }
    }
}

static void test_device_visible__keeps_within_its_table(void **state)
{
    whet_visible_env env = {.hip = NULL};
    whet_visible_map map;

    (void)state;
    whet_visible__map(&map, WHET_VISIBLE_HIP, &env, NULL, 100000);
    assert_int_equal(map.count, WHET_CARD_MAX);
    whet_visible__map(&map, WHET_VISIBLE_HIP, &env, NULL, 0);
    assert_int_equal(map.count, 0);
}

static void test_device_visible__reads_the_process(void **state)
{
    whet_visible_env env;

    (void)state;
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    setenv("HIP_VISIBLE_DEVICES", "2", 1);
    unsetenv("ROCR_VISIBLE_DEVICES");
    whet_visible__env(&env);
    assert_string_equal(env.cuda, "1");
    assert_string_equal(env.hip, "2");
    assert_null(env.rocr);
}

static void test_device_visible__warns_of_two_layers(void **state)
{
    char text[160];

    (void)state;
    setenv("HIP_VISIBLE_DEVICES", "0", 1);
    unsetenv("ROCR_VISIBLE_DEVICES");
    whet_visible_warning(text);
    assert_string_equal(text, "");
    setenv("ROCR_VISIBLE_DEVICES", "1", 1);
    whet_visible_warning(text);
    assert_non_null(strstr(text, "set one, not both"));
    unsetenv("HIP_VISIBLE_DEVICES");
    unsetenv("CUDA_VISIBLE_DEVICES");
    whet_visible_warning(text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_visible__follows_a_list_until_it_ends),
        cmocka_unit_test(test_device_visible__knows_cards_by_uuid),
        cmocka_unit_test(test_device_visible__applies_the_layers_in_order),
        cmocka_unit_test(test_device_visible__keeps_within_its_table),
        cmocka_unit_test(test_device_visible__reads_the_process),
        cmocka_unit_test(test_device_visible__warns_of_two_layers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
