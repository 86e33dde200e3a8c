/* Arena, buffer, vectors, names. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include <stdalign.h>

static void test_base_mem__arena_gives_zeroed_aligned_memory(void **state)
{
    static const size_t sizes[] = {0, 1, 7, 16, 4000, 17000, 3, 900000, 5};
    whet_arena *arena = whet_arena_new();

    (void)state;
    assert_non_null(arena);
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            unsigned char *got = whet_arena_alloc(arena, sizes[i]);

            assert_non_null(got);
            assert_int_equal((uintptr_t)got % alignof(max_align_t), 0);
            for (size_t j = 0; j < sizes[i]; j += 97)
                assert_int_equal(got[j], 0);
            memset(got, 0xaa, sizes[i]);
        }
    }
    whet_arena_free(arena);
    whet_arena_free(NULL);
}

static void test_base_mem__arena_allocations_are_distinct(void **state)
{
    whet_arena *arena = whet_arena_new();
    char *a = whet_arena_alloc(arena, 0);
    char *b = whet_arena_alloc(arena, 0);
    char *c = whet_arena_strndup(arena, "hello", 4);

    (void)state;
    assert_ptr_not_equal(a, b);
    assert_string_equal(c, "hell");
    assert_string_equal(whet_arena_strndup(arena, "", 0), "");
    whet_arena_free(arena);
}

static void test_base_mem__arena_refuses_overflow(void **state)
{
    whet_arena *arena = whet_arena_new();

    (void)state;
    assert_null(whet_arena_alloc(arena, SIZE_MAX));
    assert_null(whet_arena_alloc(arena, SIZE_MAX - 40));
    assert_null(whet_arena_strndup(arena, "x", SIZE_MAX));
    assert_non_null(whet_arena_alloc(arena, 1));
    whet_arena_free(arena);
}

static void test_base_mem__buf_appends_and_terminates(void **state)
{
    whet_buf buf = {0};

    (void)state;
    assert_string_equal(whet_buf_str(&buf), "");
    assert_null(buf.data);
    whet_buf_add(&buf, NULL, 0);
    assert_non_null(buf.data);
    for (int i = 0; i < 1000; i++)
        whet_buf_printf(&buf, "%d,", i % 10);
    whet_buf_puts(&buf, "end");
    whet_buf_add(&buf, "\0x", 2);
    assert_int_equal(buf.bytes, 2005);
    assert_int_equal(buf.data[2005], '\0');
    assert_memory_equal(buf.data + 1996, "8,9,end\0x", 9);
    assert_true(buf.alloc_bytes > buf.bytes);
    assert_false(buf.failed);
    whet_buf_deinit(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.bytes, 0);
}

static void test_base_mem__buf_failure_sticks(void **state)
{
    /* Volatile: the compiler would otherwise warn of the impossible copy. */
    volatile size_t huge = SIZE_MAX - 1;
    whet_buf buf = {0};

    (void)state;
    whet_buf_puts(&buf, "kept");
    whet_buf_add(&buf, "x", huge);
    assert_true(buf.failed);
    whet_buf_puts(&buf, "dropped");
    whet_buf_printf(&buf, "%d", 1);
    assert_string_equal(whet_buf_str(&buf), "kept");
    whet_buf_deinit(&buf);
    assert_false(buf.failed);
}

static void escapes_to(const char *text, size_t bytes, bool keep,
                       const char *want)
{
    whet_buf buf = {0};

    whet_buf_escape(&buf, text, bytes, keep);
    assert_string_equal(whet_buf_str(&buf), want);
    assert_false(buf.failed);
    whet_buf_deinit(&buf);
}

static void test_base_mem__escape_shows_what_is_hidden(void **state)
{
    (void)state;
    escapes_to("", 0, false, "");
    escapes_to("plain \\ text", 12, false, "plain \\ text");
    escapes_to("a\nb", 3, false, "a\\x0ab");
    escapes_to("a\nb\r\t", 5, true, "a\nb\\x0d\\x09");
    escapes_to("\0\x1b[31m\x7f", 7, true, "\\x00\\x1b[31m\\x7f");
    escapes_to("\xff\xc3", 2, false, "\\xff\\xc3");
    escapes_to("\xed\xa0\x80", 3, false, "\\xed\\xa0\\x80");
    escapes_to("\xe2\x80\xae\xc3\xa9", 5, false, "\\u{202e}\xc3\xa9");
    escapes_to("\xc2\x9b", 2, false, "\\u{009b}");
    escapes_to("\xd8\x9c", 2, false, "\\u{061c}");
}

static void test_base_mem__vec_grows_by_doubling(void **state)
{
    uint64_t *items = NULL;
    size_t alloc = 0, moves = 0;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        size_t before = alloc;

        assert_true(
            whet_vec_reserve((void **)&items, &alloc, i + 1, sizeof *items));
        moves += alloc != before;
        items[i] = i * 3;
    }
    assert_true(moves <= 10);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i * 3);
    free(items);
}

static void test_base_mem__vec_refuses_overflow(void **state)
{
    uint64_t *items = NULL;
    size_t alloc = 0;

    (void)state;
    assert_false(
        whet_vec_reserve((void **)&items, &alloc, SIZE_MAX / 4, sizeof *items));
    assert_false(whet_vec_reserve((void **)&items, &alloc, 1, 0));
    assert_null(items);
    assert_int_equal(alloc, 0);
}

static void test_base_mem__strings(void **state)
{
    char small[4];
    char *made = whet_asprintf("%s-%d", "a", 5);
    char *copy = whet_strdup("x");

    (void)state;
    assert_string_equal(made, "a-5");
    assert_string_equal(copy, "x");
    assert_null(whet_strdup(NULL));
    assert_true(whet_strcopy(small, sizeof small, "abc"));
    assert_string_equal(small, "abc");
    assert_false(whet_strcopy(small, sizeof small, "abcd"));
    assert_string_equal(small, "abc");
    assert_false(whet_strcopy(small, sizeof small, "ab\xc3\xa9"));
    assert_string_equal(small, "ab");
    assert_false(whet_strcopy(small, 0, "a"));
    assert_string_equal(small, "ab");
    free(made);
    free(copy);
}

static void test_base_mem__identifiers(void **state)
{
    char word[65];

    (void)state;
    memset(word, 'a', sizeof word);
    assert_true(whet_is_identifier("_", 1));
    assert_true(whet_is_identifier("Tile_M2", 7));
    assert_true(whet_is_identifier(word, 63));
    assert_false(whet_is_identifier(word, 64));
    assert_false(whet_is_identifier("", 0));
    assert_false(whet_is_identifier("2a", 2));
    assert_false(whet_is_identifier("a-b", 3));
    assert_false(whet_is_identifier("a\0", 2));
    assert_false(whet_is_identifier("\xc3\xa9", 2));
}

static void test_base_mem__closest_name(void **state)
{
    static const char *const names[] = {"tune", "report", "judge", "run"};
    char word[300];

    (void)state;
    assert_string_equal(whet_closest_name("tuen", names, 4), "tune");
    assert_string_equal(whet_closest_name("reprot", names, 4), "report");
    assert_string_equal(whet_closest_name("rum", names, 4), "run");
    assert_null(whet_closest_name("rxm", names, 4));
    assert_null(whet_closest_name("x", names, 4));
    assert_null(whet_closest_name("", names, 4));
    assert_null(whet_closest_name("reeepport", names, 4));
    assert_null(whet_closest_name("tune", names, 0));
    memset(word, 't', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(whet_closest_name(word, names, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_mem__arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(test_base_mem__arena_allocations_are_distinct),
        cmocka_unit_test(test_base_mem__arena_refuses_overflow),
        cmocka_unit_test(test_base_mem__buf_appends_and_terminates),
        cmocka_unit_test(test_base_mem__buf_failure_sticks),
        cmocka_unit_test(test_base_mem__escape_shows_what_is_hidden),
        cmocka_unit_test(test_base_mem__vec_grows_by_doubling),
        cmocka_unit_test(test_base_mem__vec_refuses_overflow),
        cmocka_unit_test(test_base_mem__strings),
        cmocka_unit_test(test_base_mem__identifiers),
        cmocka_unit_test(test_base_mem__closest_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
