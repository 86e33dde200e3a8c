/* Plots of characters, whole outputs where they are small. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_sparkline(const double *values, size_t count,
                             unsigned columns, bool has_unicode,
                             const char *expected)
{
    whet_buf out = {0};

    whet_plot_sparkline(&out, values, count, columns, has_unicode);
    assert_string_equal(whet_buf_str(&out), expected);
    whet_buf_deinit(&out);
}

static void assert_progress(const double *best, size_t count,
                            const whet_plot_opts *opts, const char *expected)
{
    whet_buf out = {0};

    whet_plot_progress(&out, best, count, opts);
    assert_string_equal(whet_buf_str(&out), expected);
    whet_buf_deinit(&out);
}

static void test_report_plot__sparkline_uses_all_levels(void **state)
{
    static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7};

    (void)state;
    assert_sparkline(values, 8, 80, false, "_.:-=+*#");
    assert_sparkline(values, 8, 80, true,
                     "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588");
}

static void
test_report_plot__sparkline_shows_the_largest_of_a_column(void **state)
{
    static const double values[] = {1, 8, 1, 1, 1, 1};

    (void)state;
    assert_sparkline(values, 6, 3, false, "#__");
}

static void test_report_plot__sparkline_leaves_gaps(void **state)
{
    const double values[] = {NAN, 1, INFINITY, 2};

    (void)state;
    assert_sparkline(values, 4, 10, false, " _ #");
    assert_sparkline(values, 1, 10, false, " ");
    assert_sparkline(values, 0, 10, false, "");
    assert_sparkline(values, 4, 0, false, "");
}

static void test_report_plot__sparkline_of_equals_is_flat(void **state)
{
    static const double values[] = {3, 3, 3};

    (void)state;
    assert_sparkline(values, 3, 10, false, "___");
}

static void test_report_plot__progress_has_axes(void **state)
{
    static const double best[] = {1, 1, 2, 3};

    (void)state;
    assert_progress(best, 4, &(whet_plot_opts){.rows = 3},
                    "    3.00x |   #\n"
                    "    1.96x |  ##\n"
                    "    1.00x |__##\n"
                    "          +----\n"
                    "           1  4 evaluations\n");
}

static void
test_report_plot__progress_is_logarithmic_from_eightfold(void **state)
{
    const double best[] = {NAN, 1, 4, 16};

    (void)state;
    /* The geometric mean reaches just above half. */
    assert_progress(
        best, 4,
        &(whet_plot_opts){.rows = 2, .has_unicode = true, .x_word = "tries"},
        "   16.00x \u2502  \u2581\u2588\n"
        "    1.00x \u2502 \u2581\u2588\u2588\n"
        "          \u2514\u2500\u2500\u2500\u2500\n"
        "           1  4 tries, log scale\n");
}

static void test_report_plot__progress_says_when_there_is_nothing(void **state)
{
    const double best[] = {NAN, NAN};

    (void)state;
    assert_progress(best, 2, &(whet_plot_opts){0}, "nothing to plot yet\n");
    assert_progress(NULL, 0, &(whet_plot_opts){0}, "nothing to plot yet\n");
}

static void test_report_plot__progress_keeps_to_its_size(void **state)
{
    double *best = malloc(5000 * sizeof *best);
    whet_buf out = {0};
    size_t lines = 0;

    (void)state;
    assert_non_null(best);
    for (size_t i = 0; i < 5000; i++)
        best[i] = 1 + (double)i / 100;
    whet_plot_progress(&out, best, 5000,
                       &(whet_plot_opts){.columns = 1000, .rows = 1000});
    for (const char *at = out.data; *at != '\0'; lines++) {
        size_t bytes = strcspn(at, "\n");

        assert_true(bytes <= 11 + 200 + 32);
        at += bytes + 1;
    }
    assert_int_equal(lines, 40 + 2);
    whet_buf_deinit(&out);
    free(best);
}

static void test_report_plot__survives_extreme_values(void **state)
{
    static const double best[] = {-1e308, 0, 1e-300, 1e308};
    static const double tiny[] = {1e-300, 1e300};
    whet_buf out = {0};

    (void)state;
    whet_plot_progress(&out, best, 4, &(whet_plot_opts){0});
    whet_plot_progress(&out, tiny, 2, &(whet_plot_opts){0});
    whet_plot_sparkline(&out, best, 4, 4, true);
    assert_null(strstr(whet_buf_str(&out), "nan"));
    assert_null(strstr(whet_buf_str(&out), "inf"));
    whet_buf_deinit(&out);
}

static void with_locale(const char *all, const char *ctype, const char *lang,
                        const char *term)
{
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG", "TERM"};
    const char *const values[] = {all, ctype, lang, term};

    for (size_t i = 0; i < 4; i++)
        if (values[i] != NULL)
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
}

static void test_report_plot__asks_the_locale_for_blocks(void **state)
{
    (void)state;
    with_locale(NULL, NULL, "en_US.UTF-8", "xterm");
    assert_true(whet_plot_has_unicode());
    with_locale(NULL, NULL, "C.utf8", NULL);
    assert_true(whet_plot_has_unicode());
    with_locale("C", "en_US.UTF-8", "en_US.UTF-8", "xterm");
    assert_false(whet_plot_has_unicode());
    with_locale("", "C", "en_US.UTF-8", "xterm");
    assert_false(whet_plot_has_unicode());
    with_locale(NULL, NULL, NULL, "xterm");
    assert_false(whet_plot_has_unicode());
    with_locale(NULL, NULL, "en_US.UTF-8", "dumb");
    assert_false(whet_plot_has_unicode());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_plot__sparkline_uses_all_levels),
        cmocka_unit_test(
            test_report_plot__sparkline_shows_the_largest_of_a_column),
        cmocka_unit_test(test_report_plot__sparkline_leaves_gaps),
        cmocka_unit_test(test_report_plot__sparkline_of_equals_is_flat),
        cmocka_unit_test(test_report_plot__progress_has_axes),
        cmocka_unit_test(
            test_report_plot__progress_is_logarithmic_from_eightfold),
        cmocka_unit_test(test_report_plot__progress_says_when_there_is_nothing),
        cmocka_unit_test(test_report_plot__progress_keeps_to_its_size),
        cmocka_unit_test(test_report_plot__survives_extreme_values),
        cmocka_unit_test(test_report_plot__asks_the_locale_for_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
