/* What the doctor looks at, with whatever this machine has. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/doctor_priv.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    char *dir;
    whet_doctor doctor;
};

static int open_state(void **state)
{
    struct kept *kept = calloc(1, sizeof *kept);

    if (kept == NULL || whet_fs_tempdir(&kept->dir, "whet-test", NULL) != 0)
        return -1;
    setenv("WHET_STATE_DIR", kept->dir, 1);
    setenv("WHET_CACHE_DIR", kept->dir, 1);
    *state = kept;
    return 0;
}

static int close_state(void **state)
{
    struct kept *kept = *state;

    whet_fs_remove_tree(kept->dir);
    free(kept->dir);
    free(kept);
    return 0;
}

static const whet_doctor_note *find_note(const whet_doctor *doctor,
                                         const char *what)
{
    for (unsigned i = 0; i < doctor->note_count; i++)
        if (strncmp(doctor->notes[i].what, what, strlen(what)) == 0)
            return &doctor->notes[i];
    return NULL;
}

/* First live device found, or NULL. */
static const whet_doctor_device *live_device(const whet_doctor *doctor)
{
    for (unsigned i = 0; i < doctor->device_count; i++)
        if (doctor->devices[i].has_facts &&
            (doctor->devices[i].ops->caps & WHET_DEVICE_CAP_LIVE) != 0)
            return &doctor->devices[i];
    return NULL;
}

static void test_cli_doctor__has_a_row_for_every_backend(void **state)
{
    whet_doctor *doctor = &((struct kept *)*state)->doctor;

    whet_cli__doctor_look(doctor);
    for (size_t i = 0; whet_device_all()[i] != NULL; i++) {
        bool is_there = false;

        for (unsigned j = 0; j < doctor->device_count; j++)
            is_there |= doctor->devices[j].ops == whet_device_all()[i];
        assert_true(is_there);
    }
    for (size_t i = 0; whet_toolchain_all()[i] != NULL; i++)
        assert_ptr_equal(doctor->toolchains[i].ops, whet_toolchain_all()[i]);
    assert_true(doctor->cpu_count > 0);
    assert_true(doctor->memory_bytes > 0);
    assert_non_null(strstr(doctor->system, "Linux"));
    whet_cli__doctor_deinit(doctor);
}

static void test_cli_doctor__everything_absent_has_a_note(void **state)
{
    whet_doctor *doctor = &((struct kept *)*state)->doctor;

    whet_cli__doctor_look(doctor);
    for (unsigned i = 0; i < doctor->device_count; i++)
        if (doctor->devices[i].is_absent)
            assert_non_null(find_note(doctor, "device "));
    assert_int_equal(live_device(doctor) == NULL,
                     find_note(doctor, "devices") != NULL);
    assert_int_equal(doctor->compiler == NULL,
                     find_note(doctor, "C compiler") != NULL);
    assert_int_equal(doctor->sandbox.has_bwrap &&
                         doctor->sandbox.has_namespaces &&
                         doctor->sandbox.has_seccomp,
                     find_note(doctor, "sandbox") == NULL);
    for (unsigned i = 0; i < doctor->note_count; i++) {
        assert_string_not_equal(doctor->notes[i].reason, "");
        assert_string_not_equal(doctor->notes[i].effect, "");
    }
    whet_cli__doctor_deinit(doctor);
}

static void test_cli_doctor__tells_a_calibrations_age(void **state)
{
    static const uint64_t day_ns = UINT64_C(86400) * 1000000000u;
    whet_doctor *doctor = &((struct kept *)*state)->doctor;
    const whet_clock clock = whet_clock_system();
    whet_calibration stored = {.copy_bytes_per_s = 1e9};
    whet_device_facts facts;

    whet_cli__doctor_look(doctor);
    if (live_device(doctor) == NULL) {
        whet_cli__doctor_deinit(doctor);
        skip();
    }
    facts = live_device(doctor)->facts;
    assert_non_null(strstr(find_note(doctor, "calibration")->reason,
                           "run 'whet calibrate'"));
    (void)whet_strcopy(stored.device_id, sizeof stored.device_id, facts.id);

    stored.wall_ns = whet_clock_wall(&clock) - 100 * day_ns;
    assert_int_equal(whet_calibration_store(&stored, &facts, NULL), WHET_OK);
    whet_cli__doctor_deinit(doctor);
    whet_cli__doctor_look(doctor);
    assert_non_null(
        strstr(find_note(doctor, "calibration")->reason, "100 days old"));

    stored.wall_ns = whet_clock_wall(&clock);
    assert_int_equal(whet_calibration_store(&stored, &facts, NULL), WHET_OK);
    whet_cli__doctor_deinit(doctor);
    whet_cli__doctor_look(doctor);
    assert_null(find_note(doctor, "calibration"));
    assert_true(live_device(doctor)->has_calibration);
    whet_cli__doctor_deinit(doctor);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_doctor__has_a_row_for_every_backend),
        cmocka_unit_test(test_cli_doctor__everything_absent_has_a_note),
        cmocka_unit_test(test_cli_doctor__tells_a_calibrations_age),
    };
    int status;

    /* Devices are listed by a child that is this program. */
    if (whet_toolchain_child(&status, argc, argv) ||
        whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, open_state, close_state);
}
