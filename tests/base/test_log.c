/* Log lines and the progress line, written to memory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include <unistd.h>

typedef struct capture {
    whet_log log;
    char *text;
    size_t bytes;
} capture;

static void capture_open(capture *got, whet_log_level level, bool is_terminal)
{
    *got = (capture){.log = {.level = level, .is_terminal = is_terminal}};
    got->log.to = open_memstream(&got->text, &got->bytes);
    assert_non_null(got->log.to);
}

static void capture_expect(capture *got, const char *want)
{
    fclose(got->log.to);
    assert_string_equal(got->text, want);
    free(got->text);
}

static void test_base_log__levels_select(void **state)
{
    capture got;

    (void)state;
    capture_open(&got, WHET_LOG_WARN, false);
    whet_log_write(&got.log, WHET_LOG_ERROR, "bad %d", 1);
    whet_log_write(&got.log, WHET_LOG_WARN, "odd");
    whet_log_write(&got.log, WHET_LOG_INFO, "fine");
    whet_log_write(&got.log, WHET_LOG_DEBUG, "detail");
    capture_expect(&got, "whet: bad 1\nwhet: warning: odd\n");
    capture_open(&got, WHET_LOG_DEBUG, false);
    whet_log_write(&got.log, WHET_LOG_INFO, "fine");
    whet_log_write(&got.log, WHET_LOG_DEBUG, "detail");
    capture_expect(&got, "whet: fine\nwhet: detail\n");
}

static void test_base_log__outside_text_is_escaped(void **state)
{
    capture got;

    (void)state;
    capture_open(&got, WHET_LOG_INFO, false);
    whet_log_write(&got.log, WHET_LOG_INFO, "%s", "a\nwhet: forged\x1b[2J");
    capture_expect(&got, "whet: a\\x0awhet: forged\\x1b[2J\n");
}

static void test_base_log__progress_needs_a_terminal(void **state)
{
    capture got;

    (void)state;
    capture_open(&got, WHET_LOG_INFO, false);
    whet_log_progress(&got.log, "50 %%");
    capture_expect(&got, "");
    capture_open(&got, WHET_LOG_ERROR, true);
    whet_log_progress(&got.log, "50 %%");
    capture_expect(&got, "");
}

static void test_base_log__progress_is_replaced_and_cleared(void **state)
{
    capture got;

    (void)state;
    capture_open(&got, WHET_LOG_INFO, true);
    whet_log_progress(&got.log, "%d\n", 1);
    whet_log_progress(&got.log, "%s", "");
    whet_log_write(&got.log, WHET_LOG_INFO, "done");
    capture_expect(&got, "\r\x1b[K1\\x0a\r\x1b[K\r\x1b[Kwhet: done\n");
}

static void test_base_log__progress_fits_the_line(void **state)
{
    char text[301];
    capture got;

    (void)state;
    memset(text, 'x', 300);
    text[300] = '\0';
    capture_open(&got, WHET_LOG_INFO, true);
    whet_log_progress(&got.log, "%s", text);
    fflush(got.log.to);
    /* 79 of 80 columns after the 4 bytes that clear the line. */
    assert_int_equal(got.bytes, 4 + 79);
    fclose(got.log.to);
    free(got.text);
}

static void test_base_log__terminals_get_colours(void **state)
{
    capture got;

    (void)state;
    capture_open(&got, WHET_LOG_WARN, true);
    whet_log_write(&got.log, WHET_LOG_ERROR, "a");
    whet_log_write(&got.log, WHET_LOG_WARN, "b");
    capture_expect(&got, "\r\x1b[K\x1b[31mwhet:\x1b[0m a\n"
                         "\r\x1b[Kwhet: \x1b[33mwarning:\x1b[0m b\n");
}

static void test_base_log__null_stream_drops_everything(void **state)
{
    whet_log log = {.to = NULL, .level = WHET_LOG_DEBUG, .is_terminal = true};

    (void)state;
    whet_log_write(&log, WHET_LOG_ERROR, "x");
    whet_log_progress(&log, "x");
}

static void test_base_log__no_color_is_respected(void **state)
{
    whet_log log;

    (void)state;
    setenv("NO_COLOR", "1", 1);
    log = whet_log_stderr(WHET_LOG_WARN);
    unsetenv("NO_COLOR");
    assert_ptr_equal(log.to, stderr);
    assert_int_equal(log.level, WHET_LOG_WARN);
    assert_false(log.is_terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_log__levels_select),
        cmocka_unit_test(test_base_log__outside_text_is_escaped),
        cmocka_unit_test(test_base_log__progress_needs_a_terminal),
        cmocka_unit_test(test_base_log__progress_is_replaced_and_cleared),
        cmocka_unit_test(test_base_log__progress_fits_the_line),
        cmocka_unit_test(test_base_log__terminals_get_colours),
        cmocka_unit_test(test_base_log__null_stream_drops_everything),
        cmocka_unit_test(test_base_log__no_color_is_respected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
