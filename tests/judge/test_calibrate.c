/* Calibration refuses what cannot be measured; its kernels are sound tasks. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

static void test_judge_calibrate__refuses_replay_devices(void **state)
{
    whet_device_handle device = {0};
    whet_calibration calibration;
    whet_log log = {0};
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_device_open(&device, "null", &err), WHET_OK);
    assert_int_equal(
        whet_judge_calibrate(&calibration, &device, &log, false, NULL, &err),
        WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "null"));
    assert_true(calibration.copy_bytes_per_s == 0.0);
    whet_device_close(&device);
}

static void
test_judge_calibrate__kernels_are_tasks_that_load_and_check(void **s)
{
    whet_task *task = NULL;
    whet_err err = {0};

    (void)s;
    /* The calibration kernels are ordinary tasks: they must load and be able
     * to tell wrong kernels apart. */
    const char *const names[] = {"copy", "fma",   "lds",
                                 "read", "write", "matrix"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        whet_admission results[WHET_ADMISSION_MAX];
        unsigned count = 0;
        char *root = NULL, *dir;

        assert_int_equal(whet_fs_data_dir(&root, "calibration", &err), WHET_OK);
        dir = whet_fs_join(root, names[i]);
        assert_int_equal(whet_task_load(&task, dir, &err), WHET_OK);
        assert_int_equal(whet_task_check(results, &count, task, &err), WHET_OK);
        assert_true(count > 0);
        whet_task_free(task);
        free(dir);
        free(root);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_calibrate__refuses_replay_devices),
        cmocka_unit_test(
            test_judge_calibrate__kernels_are_tasks_that_load_and_check),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
