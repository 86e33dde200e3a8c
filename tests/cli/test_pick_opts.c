/* --pick and its companions: what they become, and that commands refuse or
 * wait for a card that is in use before they touch it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

static void test_cli_pick_opts__words_and_numbers(void **state)
{
    whet_log log = {0};
    whet_cli_pick_opts in = {
        .word = "min_util", .max_mem_pct = 10, .max_use_pct = 20, .wait_ns = 7};
    whet_pick_opts out;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_cli_pick(&out, &in, &log, &err), WHET_OK);
    assert_int_equal(out.pick, WHET_PICK_MIN_UTIL);
    assert_true(out.memory_max_pct == 10 && out.use_max_pct == 20);
    assert_int_equal(out.wait_ns, 7);
    assert_ptr_equal(out.log, &log);
    assert_non_null(out.cancel);
    in.word = NULL;
    assert_int_equal(whet_cli_pick(&out, &in, &log, &err), WHET_OK);
    assert_int_equal(out.pick, WHET_PICK_DEFAULT);
    in.word = "best";
    assert_int_equal(whet_cli_pick(&out, &in, &log, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "expected default"));
}

static void test_cli_pick_opts__unknown_word_is_bad_use(void **state)
{
    cli_kit_expect(*state, WORDS("calibrate", "--pick", "min_men"), 2, NULL,
                   "did you mean \"min_mem\"?");
    cli_kit_expect(*state, WORDS("run", "gemm", "--pick", "x"), 2, NULL,
                   "expected default, random, min_mem or min_util");
    cli_kit_expect(*state, WORDS("judge", "gemm", "x", "--max-mem-pct", "101"),
                   2, NULL, "max-mem-pct");
}

/* Every card of the fake driver is held by this process. */
struct held {
    whet_card_lock locks[8];
    uint32_t count;
};

static void hold_all(struct held *held, cli_kit *kit)
{
    char *self = NULL, *library, *locks;
    json_t *json, *cards;

    assert_int_equal(whet_fs_self(&self, NULL), WHET_OK);
    *strrchr(self, '/') = '\0';
    library = whet_asprintf("%s/device/fake_cuda.so", self);
    locks = whet_fs_join(kit->dir, "locks");
    cli_kit_set(kit, "WHET_CUDA_LIBRARY", library);
    cli_kit_set(kit, "WHET_LOCK_DIR", locks);
    setenv("WHET_LOCK_DIR", locks, 1);
    json = cli_kit_json(kit, WORDS("devices", "--json"), 0);
    cards = json_object_get(json, "cards");
    for (size_t i = 0; i < json_array_size(cards) && held->count < 8; i++) {
        json_t *card = json_array_get(cards, i);
        const char *device = json_string_value(json_object_get(card, "device"));

        if (device == NULL || strncmp(device, "cuda:", 5) != 0)
            continue;
        assert_int_equal(
            whet_card_lock_take(&held->locks[held->count++],
                                json_string_value(json_object_get(card, "pci")),
                                0, NULL, NULL),
            WHET_OK);
    }
    assert_int_equal(held->count, 2);
    json_decref(json);
    free(locks);
    free(library);
    free(self);
}

static void release_all(struct held *held)
{
    for (uint32_t i = 0; i < held->count; i++)
        whet_card_lock_release(&held->locks[i]);
}

static void test_cli_pick_opts__used_card_is_refused(void **state)
{
    struct held held = {.count = 0};

    hold_all(&held, *state);
    cli_kit_expect(*state,
                   WORDS("calibrate", "--device", "cuda:0", "--wait", "0"), 3,
                   NULL, "is in use by ");
    cli_kit_expect(*state,
                   WORDS("run", "gemm", "--device", "cuda", "--wait", "0",
                         "--ledger", "/nonexistent/x"),
                   3, NULL, "none of 2 cards is free: card ");
    cli_kit_expect(*state,
                   WORDS("calibrate", "--device", "cuda", "--wait", "300ms"), 3,
                   NULL, "; waiting at most 300 ms (--wait)\n");
    release_all(&held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_pick_opts__words_and_numbers),
        cmocka_unit_test(test_cli_pick_opts__unknown_word_is_bad_use),
        cmocka_unit_test(test_cli_pick_opts__used_card_is_refused),
    };

    return cmocka_run_group_tests(tests, cli_kit_open, cli_kit_close);
}
