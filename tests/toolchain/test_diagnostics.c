/* Build logs reduced to their first error; the logs in tests/data/build_logs
 * named pocl_* were recorded from PoCL 3.1 with LLVM 15. */

#include "toolchain/toolchain_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void diagnose_text(whet_diagnostic *out, const char *log)
{
    whet_toolchain__diagnose(out, WHET_DIAGNOSTIC_ERROR, log, strlen(log));
}

static void expect_log(const char *name, uint32_t line, uint32_t column,
                       const char *text)
{
    whet_diagnostic *out = calloc(1, sizeof *out);
    whet_buf log = {0};
    whet_err err = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/build_logs/%s.log",
             getenv("WHET_TEST_DATA"), name);
    if (whet_fs_read(&log, path, 1 << 20, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    whet_toolchain__diagnose(out, WHET_DIAGNOSTIC_ERROR, log.data, log.bytes);
    assert_int_equal(out->kind, WHET_DIAGNOSTIC_ERROR);
    assert_string_equal(out->text, text);
    assert_int_equal(out->line, line);
    assert_int_equal(out->column, column);
    whet_buf_deinit(&log);
    free(out);
}

static void test_toolchain_diagnostics__finds_first_error_of_pocl(void **state)
{
    (void)state;
    expect_log("pocl_undeclared", 5, 12,
               "use of undeclared identifier 'foo'; did you mean 'for'?");
    expect_log("pocl_several", 3, 19, "expected ';' at end of declaration");
    expect_log("pocl_warning_first", 4, 19,
               "use of undeclared identifier 'bar'");
    expect_log("pocl_half", 1, 42,
               "declaring variable of type '__private half' is not allowed");
}

static void test_toolchain_diagnostics__places_macro_at_its_use(void **state)
{
    (void)state;
    expect_log("pocl_macro", 3, 5, "use of undeclared identifier 'q'");
}

static void test_toolchain_diagnostics__keeps_context_of_clang(void **state)
{
    (void)state;
    expect_log("clang_order", 12, 16,
               "use of undeclared identifier 'tile'\n"
               "    acc += a * tile[k];\n"
               "               ^");
}

static void test_toolchain_diagnostics__shows_log_without_error(void **state)
{
    (void)state;
    expect_log("pocl_undefined_fn", 0, 0,
               "Error(s) while linking: \n"
               "Cannot find symbol g in kernel library");
    expect_log("pocl_badopt", 0, 0, "Invalid build option: -bogus");
}

/* Recorded from nvcc 13.0 and hipcc 5.2 with clang 15. */
static void test_toolchain_diagnostics__reads_nvcc_and_ptxas(void **state)
{
    (void)state;
    expect_log("nvcc_undeclared", 4, 0,
               "identifier \"missing_thing\" is undefined\n"
               "      *x = missing_thing;\n"
               "           ^");
    expect_log("nvcc_fatal", 0, 0, "Unsupported gpu architecture 'compute_7'");
    expect_log("ptxas_shared", 0, 0,
               "Entry function 'k' uses too much shared data (0x61a80 bytes, "
               "0x38c00 max)");
    expect_log("ptxas_unresolved", 0, 0, "Unresolved extern function '_Z1gf'");
    expect_log("ptxas_asm", 0, 0,
               "Not a name of any known instruction: 'bogus'");
}

static void test_toolchain_diagnostics__reads_hip_and_its_linker(void **state)
{
    (void)state;
    expect_log("hip_undeclared", 4, 10,
               "use of undeclared identifier 'missing_thing'\n"
               "    *x = missing_thing;\n"
               "         ^");
    expect_log("hip_lds", 0, 0,
               "local memory (400000) exceeds limit (65536) in function 'k'");
    expect_log("hip_asm", 3, 18,
               "invalid instruction\n"
               "    asm volatile(\"bogus.f32 %f1;\");\n"
               "                 ^\n"
               "<inline asm>:1:2: note: instantiated into assembly here\n"
               "        bogus.f32 %f1;\n"
               "        ^");
    expect_log(
        "lld_undefined", 0, 0,
        "undefined hidden symbol: g(float)\n"
        ">>> referenced by /tmp/candidate-058f39/candidate-gfx906.o:(k)\n"
        ">>> referenced by /tmp/candidate-058f39/candidate-gfx906.o:(k)");
}

/* A word that only looks like a place or a mark is none. */
static void test_toolchain_diagnostics__needs_whole_places(void **state)
{
    whet_diagnostic *out = calloc(1, sizeof *out);

    (void)state;
    diagnose_text(out, "candidate.cu(12: error: a\n");
    assert_int_equal(out->line, 0);
    assert_string_equal(out->text, "a");
    diagnose_text(out, "candidate.cu(): error: b\n");
    assert_int_equal(out->line, 0);
    diagnose_text(out, "other.cu(12): error: c\n");
    assert_int_equal(out->line, 0);
    assert_string_equal(out->text, "c");
    diagnose_text(out, "fatal signs and errors everywhere\n");
    assert_string_equal(out->text, "fatal signs and errors everywhere");
    diagnose_text(out, "candidate.cu(7): catastrophic error: d\n");
    assert_int_equal(out->line, 7);
    assert_string_equal(out->text, "d");
    free(out);
}

/* The place is where the compiler says, not what a message quotes. */
static void test_toolchain_diagnostics__ignores_quoted_places(void **state)
{
    (void)state;
    expect_log("pocl_error_directive", 1, 2,
               "\"candidate:9:9: error: <U+001B>[31mfake\"");
}

static void test_toolchain_diagnostics__ignores_other_files(void **state)
{
    whet_diagnostic out;

    (void)state;
    diagnose_text(&out, "error: /usr/include/x.h:3:4: no such thing\n");
    assert_int_equal(out.line, 0);
    assert_int_equal(out.column, 0);
    assert_string_equal(out.text, "/usr/include/x.h:3:4: no such thing");
    /* Nor is what is shown of them told. */
    diagnose_text(&out, "/usr/include/x.h:3:4: error: unknown type\n"
                        "what the file holds\n^\n");
    assert_string_equal(out.text, "unknown type");
    diagnose_text(&out, "/usr/include/x.h(3): error: unknown type\n"
                        "  what the file holds\n");
    assert_string_equal(out.text, "unknown type");
    diagnose_text(&out, "error: /usr/x.h:3:4: unknown type\n"
                        "what the file holds\n");
    assert_string_equal(out.text, "/usr/x.h:3:4: unknown type");
    diagnose_text(&out, "error: candidate:99999999999999999999:4: far off\n");
    assert_int_equal(out.line, 0);
    diagnose_text(&out, "error: candidate:7: no column\n");
    assert_int_equal(out.line, 0);
}

static void test_toolchain_diagnostics__escapes_hostile_text(void **state)
{
    static const char log[] = "error: candidate:2:3: \x1b[31m\x07 red "
                              "\xff\xfe \xe2\x80\xae txt\n\x1b]0;title\n";
    whet_diagnostic out;
    size_t i;

    (void)state;
    whet_toolchain__diagnose(&out, WHET_DIAGNOSTIC_ERROR, log, sizeof log);
    assert_int_equal(out.line, 2);
    for (i = 0; out.text[i] != '\0'; i++)
        assert_true(out.text[i] == '\n' ||
                    (out.text[i] >= ' ' && out.text[i] <= '~'));
    assert_non_null(strstr(out.text, "red"));
}

static void test_toolchain_diagnostics__caps_long_text(void **state)
{
    whet_diagnostic out;
    char *log = malloc(1 << 20);
    size_t bytes;

    (void)state;
    memset(log, 'a', 1 << 20);
    memcpy(log, "error: ", 7);
    whet_toolchain__diagnose(&out, WHET_DIAGNOSTIC_ERROR, log, 1 << 20);
    assert_int_equal(strlen(out.text), 512);
    for (bytes = 0; bytes + 512 < 1 << 20; bytes += 512)
        log[bytes + 511] = '\n';
    memset(log + 7, 0x01, 511 - 7);
    whet_toolchain__diagnose(&out, WHET_DIAGNOSTIC_ERROR, log, 1 << 20);
    assert_true(strlen(out.text) < WHET_DIAGNOSTIC_BYTES_MAX);
    assert_true(strlen(out.text) > 512);
    free(log);
}

static void test_toolchain_diagnostics__says_when_there_is_no_log(void **state)
{
    whet_diagnostic out;

    (void)state;
    diagnose_text(&out, "");
    assert_string_equal(out.text, "the compiler gave no reason");
    diagnose_text(&out, "\n \n\n");
    assert_string_equal(out.text, "the compiler gave no reason");
    whet_toolchain__diagnose(&out, WHET_DIAGNOSTIC_TIMEOUT, NULL, 0);
    assert_int_equal(out.kind, WHET_DIAGNOSTIC_TIMEOUT);
    assert_string_not_equal(out.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_diagnostics__reads_nvcc_and_ptxas),
        cmocka_unit_test(test_toolchain_diagnostics__reads_hip_and_its_linker),
        cmocka_unit_test(test_toolchain_diagnostics__needs_whole_places),
        cmocka_unit_test(test_toolchain_diagnostics__finds_first_error_of_pocl),
        cmocka_unit_test(test_toolchain_diagnostics__places_macro_at_its_use),
        cmocka_unit_test(test_toolchain_diagnostics__keeps_context_of_clang),
        cmocka_unit_test(test_toolchain_diagnostics__shows_log_without_error),
        cmocka_unit_test(test_toolchain_diagnostics__ignores_quoted_places),
        cmocka_unit_test(test_toolchain_diagnostics__ignores_other_files),
        cmocka_unit_test(test_toolchain_diagnostics__escapes_hostile_text),
        cmocka_unit_test(test_toolchain_diagnostics__caps_long_text),
        cmocka_unit_test(test_toolchain_diagnostics__says_when_there_is_no_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
