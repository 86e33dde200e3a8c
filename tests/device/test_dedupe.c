/* One card that two interfaces show counts once. */

#include "device/dedupe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static whet_device_facts device(const char *backend, const char *arch,
                                const char *pci)
{
    whet_device_facts facts = {0};

    whet_strcopy(facts.backend, sizeof facts.backend, backend);
    whet_strcopy(facts.arch, sizeof facts.arch, arch);
    whet_strcopy(facts.pci, sizeof facts.pci, pci);
    return facts;
}

/* Which of two devices counts? 0 or 1, 2 = both. */
static int winner(const whet_device_facts *a, const whet_device_facts *b)
{
    whet_device_row rows[] = {{a, NULL}, {b, NULL}};

    whet_device_mark_duplicates(rows, 2);
    assert_false(rows[0].same_as != NULL && rows[1].same_as != NULL);
    if (rows[0].same_as == NULL && rows[1].same_as == NULL)
        return 2;
    assert_ptr_equal(rows[0].same_as != NULL ? rows[0].same_as
                                             : rows[1].same_as,
                     rows[0].same_as != NULL ? b : a);
    return rows[0].same_as != NULL ? 1 : 0;
}

static void test_device_dedupe__keeps_the_native_interface(void **state)
{
    const whet_device_facts card = device("cuda", "sm_90a", "0000:c1:00.0");
    const whet_device_facts shim = device("cuda", "sm_93", "0000:09:00.0");
    const whet_device_facts dcu = device("hip", "gfx936", "0000:09:00.0");
    const whet_device_facts over = device("hip", "sm_90a", "0000:c1:00.0");

    (void)state;
    assert_int_equal(winner(&shim, &dcu), 1);
    assert_int_equal(winner(&dcu, &shim), 0);
    assert_int_equal(winner(&card, &over), 0);
    assert_int_equal(winner(&over, &card), 1);
}

static void test_device_dedupe__keeps_different_cards(void **state)
{
    const whet_device_facts a = device("cuda", "sm_90a", "0000:c1:00.0");
    const whet_device_facts b = device("hip", "gfx928", "0000:09:00.0");
    const whet_device_facts c = device("hip", "gfx928", "");
    const whet_device_facts d = device("opencl", "x", "");
    const whet_device_facts e = device("hip", "gfx928", "0000:09:00.0");

    (void)state;
    assert_int_equal(winner(&a, &b), 2);
    assert_int_equal(winner(&c, &d), 2);
    /* Partitions of a card share its address. */
    assert_int_equal(winner(&b, &e), 2);
}

static void test_device_dedupe__first_wins_among_equals(void **state)
{
    const whet_device_facts a = device("opencl", "x", "0000:01:00.0");
    const whet_device_facts b = device("other", "y", "0000:01:00.0");
    const whet_device_facts c = device("third", "z", "0000:01:00.0");
    whet_device_row rows[] = {{&a, NULL}, {&b, NULL}, {&c, NULL}};

    (void)state;
    assert_int_equal(winner(&a, &b), 0);
    assert_int_equal(winner(&b, &a), 0);
    whet_device_mark_duplicates(rows, 3);
    assert_null(rows[0].same_as);
    assert_ptr_equal(rows[1].same_as, &a);
    assert_ptr_equal(rows[2].same_as, &a);
    whet_device_mark_duplicates(rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_dedupe__keeps_the_native_interface),
        cmocka_unit_test(test_device_dedupe__keeps_different_cards),
        cmocka_unit_test(test_device_dedupe__first_wins_among_equals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
