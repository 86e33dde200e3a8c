/* Outside tools as the doctor finds them: on PATH, with a line of their own
 * words, and missed only where a device would be served. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/doctor_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct kept {
    char *dir;
    whet_doctor doctor;
};

static int open_state(void **state)
{
    struct kept *kept = calloc(1, sizeof *kept);
    char path[300];

    if (kept == NULL || whet_fs_tempdir(&kept->dir, "whet-test", NULL) != 0)
        return -1;
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", kept->dir);
    setenv("PATH", path, 1);
    *state = kept;
    return 0;
}

static int close_state(void **state)
{
    struct kept *kept = *state;

    whet_cli__doctor_deinit(&kept->doctor);
    whet_fs_remove_tree(kept->dir);
    free(kept->dir);
    free(kept);
    return 0;
}

static void put_program(const struct kept *kept, const char *name,
                        const char *text)
{
    char *path = whet_fs_join(kept->dir, name);

    assert_non_null(path);
    assert_int_equal(whet_fs_write(path, text, strlen(text), NULL), WHET_OK);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

static const whet_doctor_tool *find_tool(const whet_doctor *doctor,
                                         const char *name)
{
    for (unsigned i = 0; i < doctor->tool_count; i++)
        if (strcmp(doctor->tools[i].name, name) == 0)
            return &doctor->tools[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void test_cli_doctor_tools__finds_programs_and_their_words(void **state)
{
    struct kept *kept = *state;
    const whet_doctor_tool *tool;

    put_program(kept, "hipprof",
                "#!/bin/sh\necho copyright\nprintf 'hipprof \\033[1m2.5\\n'\n"
                "echo more 3\n");
    put_program(kept, "ncu", "#!/bin/sh\nexit 3\n");
    whet_cli__doctor_look_at_tools(&kept->doctor);
    tool = find_tool(&kept->doctor, "hipprof");
    assert_non_null(tool->path);
    assert_non_null(strstr(tool->version, "hipprof"));
    assert_non_null(strstr(tool->version, "2.5"));
    assert_null(strchr(tool->version, '\033'));
    assert_null(strstr(tool->version, "more"));
    tool = find_tool(&kept->doctor, "ncu");
    assert_non_null(tool->path);
    assert_string_equal(tool->version, "");
}

static bool is_noted(const whet_doctor *doctor, const char *what)
{
    for (unsigned i = 0; i < doctor->note_count; i++)
        if (strcmp(doctor->notes[i].what, what) == 0) {
            assert_string_not_equal(doctor->notes[i].effect, "");
            assert_string_not_equal(doctor->notes[i].reason, "");
            return true;
        }
    return false;
}

static void test_cli_doctor_tools__misses_what_a_device_needs(void **state)
{
    static const whet_device_ops ops = {.name = "hip"};
    struct kept *kept = *state;

    kept->doctor.devices[0] =
        (whet_doctor_device){.ops = &ops, .has_facts = true};
    kept->doctor.device_count = 1;
    put_program(kept, "rocprof", "#!/bin/sh\necho 1.0\n");
    whet_cli__doctor_look_at_tools(&kept->doctor);
    /* Any one profiler will do; no device of the other kind is here. */
    assert_false(is_noted(&kept->doctor, "profiler of hip devices"));
    for (unsigned i = 0; i < kept->doctor.note_count; i++)
        assert_null(strstr(kept->doctor.notes[i].what, "cuda"));
}

static void test_cli_doctor_tools__notes_a_kind_that_is_missing(void **state)
{
    static const whet_device_ops ops = {.name = "cuda"};
    struct kept *kept = *state;
    bool is_there;

    kept->doctor.devices[0] =
        (whet_doctor_device){.ops = &ops, .has_facts = true};
    kept->doctor.device_count = 1;
    whet_cli__doctor_look_at_tools(&kept->doctor);
    is_there = find_tool(&kept->doctor, "compute-sanitizer")->path != NULL;
    assert_int_equal(is_noted(&kept->doctor, "sanitizer of cuda devices"),
                     !is_there);
}

int main(void)
{
#define ROW(name)                                                              \
    cmocka_unit_test_setup_teardown(test_cli_doctor_tools__##name, open_state, \
                                    close_state)
    const struct CMUnitTest tests[] = {
        ROW(finds_programs_and_their_words),
        ROW(misses_what_a_device_needs),
        ROW(notes_a_kind_that_is_missing),
    };
#undef ROW

    return cmocka_run_group_tests(tests, NULL, NULL);
}
