/* SHA-256 against FIPS 180-2 examples; framing of fields; files. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const char empty_hash[] =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char abc_hash[] =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void test_base_hash__known_answers(void **state)
{
    (void)state;
    assert_string_equal(whet_hash_bytes(NULL, 0).text, empty_hash);
    assert_string_equal(whet_hash_bytes("abc", 3).text, abc_hash);
}

/* Written out by hand: length 1, "k", length 2, "vw", lengths in 8 bytes. */
static void test_base_hash__fields_are_framed(void **state)
{
    static const char framed[] = "\1\0\0\0\0\0\0\0k\2\0\0\0\0\0\0\0vw";
    whet_hash want = whet_hash_bytes(framed, sizeof framed - 1);
    whet_hasher hasher;

    (void)state;
    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "k", "vw");
    assert_string_equal(whet_hasher_finish(&hasher).text, want.text);
}

static whet_hash two_fields(const char *l1, const char *v1, const char *l2,
                            const char *v2)
{
    whet_hasher hasher;

    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, l1, v1);
    whet_hasher_add_str(&hasher, l2, v2);
    return whet_hasher_finish(&hasher);
}

static void test_base_hash__field_borders_matter(void **state)
{
    whet_hash base = two_fields("a", "bc", "d", "e");

    (void)state;
    assert_string_equal(base.text, two_fields("a", "bc", "d", "e").text);
    assert_string_not_equal(base.text, two_fields("ab", "c", "d", "e").text);
    assert_string_not_equal(base.text, two_fields("a", "b", "cd", "e").text);
    assert_string_not_equal(base.text, two_fields("d", "e", "a", "bc").text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_hash__known_answers),
        cmocka_unit_test(test_base_hash__fields_are_framed),
        cmocka_unit_test(test_base_hash__field_borders_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
