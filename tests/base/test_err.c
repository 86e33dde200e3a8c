/* Errors: one harmless line, whatever it was built from. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include <errno.h>

static void test_base_err__set_returns_the_code(void **state)
{
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_err_set(&err, WHET_EINVAL, "%s:%d: bad", "a", 7),
                     WHET_EINVAL);
    assert_int_equal(err.code, WHET_EINVAL);
    assert_string_equal(err.msg, "a:7: bad");
    assert_int_equal(whet_err_set(NULL, WHET_ETIMEOUT, "x"), WHET_ETIMEOUT);
    assert_int_equal(whet_err_prefix(NULL, WHET_EFAIL, "x"), WHET_EFAIL);
    assert_int_equal(whet_err_errno(NULL, EIO, "x"), WHET_EFAIL);
}

static void test_base_err__hostile_text_stays_one_line(void **state)
{
    whet_err err = {0};

    (void)state;
    whet_err_set(&err, WHET_EFAIL, "a\nb\r\x1b[2J\x7f\tc");
    assert_string_equal(err.msg, "a?b??[2J??c");
    /* Right-to-left override, C1 CSI, line separator, stray byte. */
    whet_err_set(&err, WHET_EFAIL, "%s",
                 "x\xe2\x80\xae"
                 "y\xc2\x9b"
                 "z\xe2\x80\xa8"
                 "w\xff.");
    assert_string_equal(err.msg, "x?y?z?w?.");
    whet_err_set(&err, WHET_EFAIL, "%s", "gr\xc3\xbc\xc3\x9f");
    assert_string_equal(err.msg, "gr\xc3\xbc\xc3\x9f");
}

static void test_base_err__overlong_text_is_cut_between_characters(void **state)
{
    char text[2000];
    whet_err err = {0};

    (void)state;
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 3);
    for (size_t shift = 0; shift < 2; shift++) {
        whet_err_set(&err, WHET_EFAIL, "%.*s%s", (int)shift, ".", text);
        assert_in_range(strlen(err.msg), WHET_ERR_MSG_BYTES - 4,
                        WHET_ERR_MSG_BYTES - 1);
        assert_null(strchr(err.msg, '?'));
        whet_err_set(&err, WHET_EFAIL, "%s%.*s", text, (int)shift, ".");
        assert_null(strchr(err.msg, '?'));
    }
}

static void test_base_err__overlong_text_keeps_both_ends(void **state)
{
    static const char end[] = ": 'x', expected a number from 1 to 5";
    char text[100000];
    whet_err err = {0};

    (void)state;
    memset(text, '/', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    whet_err_set(&err, WHET_EINVAL, "begins %s%s", text, end);
    assert_int_equal(strlen(err.msg), WHET_ERR_MSG_BYTES - 1);
    assert_memory_equal(err.msg, "begins /", 8);
    assert_string_equal(err.msg + strlen(err.msg) - strlen(end), end);
    assert_non_null(strstr(err.msg, "/.../"));
    /* One byte more than fits. */
    for (size_t more = 0; more < 2; more++) {
        text[WHET_ERR_MSG_BYTES - 1 + more] = '\0';
        whet_err_set(&err, WHET_EINVAL, "%s", text);
        assert_int_equal(strstr(err.msg, "...") != NULL, more == 1);
        assert_int_equal(strlen(err.msg), WHET_ERR_MSG_BYTES - 1);
        memset(text, '/', sizeof text - 1);
    }
}

static void test_base_err__arguments_may_be_the_old_message(void **state)
{
    whet_err err = {0};

    (void)state;
    whet_err_set(&err, WHET_EFAIL, "inner");
    whet_err_set(&err, WHET_EINVAL, "outer: %s", err.msg);
    assert_string_equal(err.msg, "outer: inner");
}

static void test_base_err__prefix_goes_in_front(void **state)
{
    char longer[700];
    whet_err err = {0};

    (void)state;
    whet_err_set(&err, WHET_ENOTFOUND, "no such file");
    assert_int_equal(whet_err_prefix(&err, WHET_EFAIL, "task %d", 3),
                     WHET_EFAIL);
    assert_int_equal(err.code, WHET_EFAIL);
    assert_string_equal(err.msg, "task 3: no such file");
    memset(longer, 'p', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    whet_err_prefix(&err, WHET_EFAIL, "%s", longer);
    assert_int_equal(strlen(err.msg), WHET_ERR_MSG_BYTES - 1);
}

static void test_base_err__errno_gives_the_reason(void **state)
{
    char longer[700];
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_err_errno(&err, ENOSPC, "%s: cannot write", "f"),
                     WHET_EFAIL);
    assert_string_equal(err.msg, "f: cannot write: No space left on device");
    assert_int_equal(whet_err_errno(&err, ENOMEM, "f"), WHET_ENOMEM);
    memset(longer, 'p', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    whet_err_errno(&err, ENOSPC, "%s", longer);
    assert_non_null(strstr(err.msg, ": No space left on device"));
    whet_err_prefix(&err, WHET_EFAIL, "%s", longer);
    assert_non_null(strstr(err.msg, ": No space left on device"));
}

static void test_base_err__exit_status_by_class(void **state)
{
    (void)state;
    assert_int_equal(whet_err_exit_status(WHET_OK), 0);
    assert_int_equal(whet_err_exit_status(WHET_EINVAL), 2);
    assert_int_equal(whet_err_exit_status(WHET_ENOTFOUND), 2);
    assert_int_equal(whet_err_exit_status(WHET_ECANCELLED), 130);
    assert_int_equal(whet_err_exit_status(WHET_EFAIL), 3);
    assert_int_equal(whet_err_exit_status(WHET_ENOMEM), 3);
    assert_int_equal(whet_err_exit_status(WHET_EUNSUPPORTED), 3);
    assert_int_equal(whet_err_exit_status(WHET_ETIMEOUT), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_err__set_returns_the_code),
        cmocka_unit_test(test_base_err__hostile_text_stays_one_line),
        cmocka_unit_test(
            test_base_err__overlong_text_is_cut_between_characters),
        cmocka_unit_test(test_base_err__overlong_text_keeps_both_ends),
        cmocka_unit_test(test_base_err__arguments_may_be_the_old_message),
        cmocka_unit_test(test_base_err__prefix_goes_in_front),
        cmocka_unit_test(test_base_err__errno_gives_the_reason),
        cmocka_unit_test(test_base_err__exit_status_by_class),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
