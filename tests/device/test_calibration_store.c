/* Calibrations on disk and the limit that follows from them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay_kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
    char *dir;
    whet_device_facts facts;
} fixture;

static int setup(void **state)
{
    fixture *fix = calloc(1, sizeof *fix);

    assert_non_null(fix);
    assert_int_equal(whet_fs_tempdir(&fix->dir, "whet-test", NULL), WHET_OK);
    assert_int_equal(setenv("WHET_STATE_DIR", fix->dir, 1), 0);
    whet_strcopy(fix->facts.name, sizeof fix->facts.name, "cpu \xc3\xa9");
    whet_strcopy(fix->facts.driver, sizeof fix->facts.driver, "driver 1.2");
    whet_replay__identify(&fix->facts);
    *state = fix;
    return 0;
}

static int teardown(void **state)
{
    fixture *fix = *state;

    unsetenv("WHET_STATE_DIR");
    whet_fs_remove_tree(fix->dir);
    free(fix->dir);
    free(fix);
    return 0;
}

static const whet_calibration sample = {
    .copy_bytes_per_s = 2.5e10 / 3,
    .read_bytes_per_s = 3e10,
    .copy = {"LDG.E.128 (8 times)", "BLOCK=256 VEC=4"},
    .read = {"not checked: no listing here", "-"},
    .rates = {{"f32.vector", 1e12, {"FFMA (12 times)", "CHAINS=12"}},
              {"bf16.matrix", 9e14, {"HGMMA (12 times)", "TYPE=0"}}},
    .rate_count = 2,
    .launch_ns = 17000,
    .controls = {2.96, 0.51},
    .wall_ns = UINT64_C(1796070746123456789),
    .clock_mhz = 1980};

static char *file_path(const fixture *fix)
{
    char *path =
        whet_asprintf("%s/calibration/%s.json", fix->dir, fix->facts.id);

    assert_non_null(path);
    return path;
}

static void test_device_calibration_store__round_trip_is_exact(void **state)
{
    const fixture *fix = *state;
    whet_calibration got;

    assert_int_equal(whet_calibration_store(&sample, &fix->facts, NULL),
                     WHET_OK);
    assert_int_equal(whet_calibration_load(&got, &fix->facts, NULL), WHET_OK);
    assert_true(got.copy_bytes_per_s == sample.copy_bytes_per_s);
    assert_true(got.read_bytes_per_s == sample.read_bytes_per_s);
    assert_true(got.write_bytes_per_s == 0 && got.lds_bytes_per_s == 0);
    assert_string_equal(got.copy.evidence, sample.copy.evidence);
    assert_string_equal(got.copy.point, sample.copy.point);
    assert_int_equal(got.rate_count, 2);
    assert_true(whet_calibration_rate(&got, "f32.vector") == 1e12);
    assert_true(whet_calibration_rate(&got, "bf16.matrix") == 9e14);
    assert_true(whet_calibration_rate(&got, "f16.matrix") == 0);
    assert_string_equal(got.rates[1].how.evidence, "HGMMA (12 times)");
    assert_int_equal(got.clock_mhz, 1980);
    assert_int_equal(got.memory_clock_mhz, 0);
    assert_string_equal(got.driver, "driver 1.2");
    assert_int_equal(got.launch_ns, sample.launch_ns);
    assert_true(got.controls.spin == 2.96 && got.controls.twice == 0.51);
    assert_int_equal(got.wall_ns, sample.wall_ns);
    assert_string_equal(got.device_id, fix->facts.id);
}

static void
test_device_calibration_store__file_tells_device_and_date(void **state)
{
    const fixture *fix = *state;
    char *path = file_path(fix);
    whet_buf text = {0};

    assert_int_equal(whet_calibration_store(&sample, &fix->facts, NULL),
                     WHET_OK);
    assert_int_equal(whet_fs_read(&text, path, 65536, NULL), WHET_OK);
    assert_non_null(strstr(text.data, "2026-11-30T20:32:26Z"));
    assert_non_null(strstr(text.data, "driver 1.2"));
    assert_non_null(strstr(text.data, "cpu \xc3\xa9"));
    assert_non_null(strstr(text.data, fix->facts.id));
    whet_buf_deinit(&text);
    free(path);
}

static void
test_device_calibration_store__unmeasured_is_null_not_0(void **state)
{
    const fixture *fix = *state;
    whet_calibration part = {.copy_bytes_per_s = 1e9}, got;
    char *path = file_path(fix);
    whet_buf text = {0};

    assert_int_equal(whet_calibration_store(&part, &fix->facts, NULL), WHET_OK);
    assert_int_equal(whet_fs_read(&text, path, 65536, NULL), WHET_OK);
    assert_non_null(strstr(text.data, "\"read\": null"));
    assert_non_null(strstr(text.data, "\"rates\": []"));
    assert_non_null(strstr(text.data, "\"clock_mhz\": null"));
    assert_non_null(strstr(text.data, "\"launch_ns\": null"));
    assert_non_null(strstr(text.data, "\"controls\": null"));
    assert_int_equal(whet_calibration_load(&got, &fix->facts, NULL), WHET_OK);
    assert_true(got.rate_count == 0 && got.launch_ns == 0);
    whet_buf_deinit(&text);
    free(path);
}

static void test_device_calibration_store__none_is_not_found(void **state)
{
    fixture *fix = *state;
    whet_calibration got;
    whet_err err = {0};

    assert_int_equal(whet_calibration_load(&got, &fix->facts, &err),
                     WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no calibration of device"));
    /* Another device's is not taken. */
    assert_int_equal(whet_calibration_store(&sample, &fix->facts, NULL),
                     WHET_OK);
    whet_strcopy(fix->facts.driver, sizeof fix->facts.driver, "driver 1.3");
    whet_replay__identify(&fix->facts);
    assert_int_equal(whet_calibration_load(&got, &fix->facts, &err),
                     WHET_ENOTFOUND);
}

static void expect_damaged(const fixture *fix, const char *text)
{
    char *path = file_path(fix);
    whet_calibration got = sample;
    whet_err err = {0};

    assert_int_equal(whet_fs_write(path, text, strlen(text), NULL), WHET_OK);
    assert_int_equal(whet_calibration_load(&got, &fix->facts, &err),
                     WHET_ENOTFOUND);
    assert_int_equal(err.code, WHET_ENOTFOUND);
    assert_int_equal(whet_calibration_load(&got, &fix->facts, NULL),
                     WHET_ENOTFOUND);
    if (strstr(err.msg, "damaged") == NULL)
        fail_msg("\"%s\" does not say damaged", err.msg);
    assert_true(got.copy_bytes_per_s == 0 && got.device_id[0] == '\0');
    free(path);
}

static void
test_device_calibration_store__a_damaged_file_counts_as_none(void **state)
{
    static const struct {
        const char *from, *to;
    } edits[] = {{"\"whet_calibration\": 2", "\"whet_calibration\": 1"},
                 {"\"launch_ns\": 17000", "\"launch_ns\": -1   "},
                 {"\"launch_ns\": 17000", "\"launch_n\": 17000 "},
                 {"\"clock_mhz\": 1980", "\"clock_mhz\": -1"},
                 {"\"twice\": 0.51", "\"twice\": -1"},
                 {"\"name\": \"f32.vector\"",
                  "\"name\": \"f32.vectorvectorvectorvector\""},
                 {"\"name\": \"f32.vector\"", "\"name\": \"f32\\u001b[2J\""},
                 {"\"name\": \"f32.vector\"", "\"name\": \"\""},
                 {"\"rates\": [",
                  "\"rates\": [{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},"
                  "{},{},{},{},{},{},{},{},"},
                 {"\"write\": null", "\"write\": 1e9"},
                 {"\"read\": {", "\"read\": {\"x\": 1, "},
                 {"1000000000000.0", "-100000000000.0"},
                 {"1000000000000.0", "0              "},
                 {"1000000000000.0", "1e300          "},
                 {"\"device_id\": \"", "\"device_id\": \"0"}};
    const fixture *fix = *state;
    char *path = file_path(fix);
    whet_buf text = {0};

    assert_int_equal(whet_calibration_store(&sample, &fix->facts, NULL),
                     WHET_OK);
    assert_int_equal(whet_fs_read(&text, path, 65536, NULL), WHET_OK);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        char *at = strstr(text.data, edits[i].from);
        char *bad;

        if (at == NULL)
            fail_msg("no %s in %s", edits[i].from, text.data);
        bad = whet_asprintf("%.*s%s%s", (int)(at - text.data), text.data,
                            edits[i].to, at + strlen(edits[i].from));
        assert_non_null(bad);
        expect_damaged(fix, bad);
        free(bad);
    }
    expect_damaged(fix, "");
    expect_damaged(fix, "{");
    expect_damaged(fix, "[]");
    whet_buf_deinit(&text);
    free(path);
}

static void test_device_calibration_store__refuses_what_is_no_rate(void **state)
{
    const fixture *fix = *state;
    whet_calibration bad[] = {sample, sample, sample, sample};
    char *path = file_path(fix);
    whet_err err = {0};

    bad[0].copy_bytes_per_s = -1;
    bad[1].rates[1].ops_per_s = NAN;
    bad[2].copy_bytes_per_s = INFINITY;
    bad[3].launch_ns = UINT64_MAX;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err.msg[0] = '\0';
        assert_int_equal(whet_calibration_store(&bad[i], &fix->facts, &err),
                         WHET_EINVAL);
        assert_non_null(strstr(err.msg, "calibration"));
    }
    assert_false(whet_fs_exists(path));
    free(path);
}

static void test_device_calibration_store__id_must_be_a_hash(void **state)
{
    fixture *fix = *state;
    whet_calibration got;
    whet_err err = {0};

    whet_strcopy(fix->facts.id, sizeof fix->facts.id, "../../etc/passwd");
    assert_int_equal(whet_calibration_store(&sample, &fix->facts, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "identity"));
    assert_int_equal(whet_calibration_load(&got, &fix->facts, &err),
                     WHET_EINVAL);
}

static void
test_device_calibration_store__tells_why_it_cannot_write(void **state)
{
    const fixture *fix = *state;
    char *path = whet_fs_join(fix->dir, "calibration");
    whet_err err = {0};

    assert_non_null(path);
    assert_int_equal(whet_fs_write(path, "x", 1, NULL), WHET_OK);
    assert_int_equal(whet_calibration_store(&sample, &fix->facts, &err),
                     WHET_EFAIL);
    assert_non_null(strstr(err.msg, "calibration"));
    free(path);
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_device_calibration_store__round_trip_is_exact),
        ROW(test_device_calibration_store__file_tells_device_and_date),
        ROW(test_device_calibration_store__unmeasured_is_null_not_0),
        ROW(test_device_calibration_store__none_is_not_found),
        ROW(test_device_calibration_store__a_damaged_file_counts_as_none),
        ROW(test_device_calibration_store__refuses_what_is_no_rate),
        ROW(test_device_calibration_store__id_must_be_a_hash),
        ROW(test_device_calibration_store__tells_why_it_cannot_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
