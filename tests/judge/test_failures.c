/* Memory of failures: what is kept, under which name, what is refused by it,
 * and that nothing in its folder is trusted. */

#include "fake_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A session whose memory is `folder`/failures. */
struct fix {
    char *folder, *failures;
    whet_judge judge;
    FILE *log;
    char *said;
    size_t said_bytes;
};

static int set_up(void **state)
{
    struct fix *f = calloc(1, sizeof *f);

    if (f == NULL)
        return -1;
    assert_int_equal(whet_fs_tempdir(&f->folder, "failures", NULL), WHET_OK);
    f->failures = whet_fs_join(f->folder, "a/failures");
    f->log = open_memstream(&f->said, &f->said_bytes);
    assert_non_null(f->log);
    f->judge.ops = &fake_ops;
    f->judge.opts.failures = f->failures;
    f->judge.opts.log = (whet_log){.to = f->log, .level = WHET_LOG_WARN};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fix *f = *state;

    whet_judge__failures_close(&f->judge);
    whet_fs_remove_tree(f->folder);
    fclose(f->log);
    free(f->said);
    free(f->folder);
    free(f->failures);
    free(f);
    return 0;
}

static bool was_said(struct fix *f, const char *text)
{
    fflush(f->log);
    return strstr(f->said, text) != NULL;
}

static void set_hash(whet_hash *hash, char digit)
{
    memset(hash->text, digit, sizeof hash->text - 1);
    hash->text[sizeof hash->text - 1] = '\0';
}

static whet_verdict verdict(whet_reason reason)
{
    whet_verdict v = {.reason = reason,
                      .outcome = whet_reason_outcome(reason),
                      .message = "an output element misses its error bound"};

    set_hash(&v.task_hash, '1');
    set_hash(&v.candidate, '2');
    set_hash(&v.image, '3');
    (void)whet_strcopy(v.device.backend, sizeof v.device.backend, "fake");
    (void)whet_strcopy(v.device.arch, sizeof v.device.arch, "one");
    return v;
}

static whet_arm arm_of(const struct fix *f, const whet_verdict *v)
{
    whet_arm arm = {.judge = (whet_judge *)&f->judge, .hash = v->candidate};

    arm.image.hash = v->image;
    return arm;
}

/* As whet_arm_open begins. */
static whet_verdict asked(const struct fix *f, const whet_verdict *failed,
                          whet_failure_kind kind)
{
    whet_verdict v = *failed;
    whet_arm arm = arm_of(f, failed);

    v.reason = WHET_REASON_NONE;
    v.outcome = WHET_OUTCOME_CORRECT;
    v.message[0] = '\0';
    whet_judge__failures_ask(&v, &arm, kind);
    return v;
}

static void keep(struct fix *f, const whet_verdict *v)
{
    whet_arm reference = {.judge = &f->judge}, candidate = arm_of(f, v);

    set_hash(&reference.hash, 'a');
    set_hash(&reference.image.hash, 'b');
    whet_judge__failures_keep(v, &f->judge, &reference, &candidate);
}

static size_t file_count(const struct fix *f)
{
    char **names;
    size_t count = 0;

    assert_int_equal(whet_fs_list(&names, f->failures, NULL), WHET_OK);
    while (names[count] != NULL)
        count++;
    whet_fs_list_free(names);
    return count;
}

static char *path_of(const struct fix *f, const whet_verdict *v,
                     whet_failure_kind kind)
{
    whet_arm arm = arm_of(f, v);
    whet_hash name;

    assert_int_equal(whet_judge__failure_name(&name, v, &arm, kind), WHET_OK);
    return whet_fs_join(f->failures, name.text);
}

static void test_judge_failures__refuses_by_source_and_by_image(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_MISMATCH), got, other;

    whet_judge__failures_open(&f->judge);
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    keep(f, &v);
    got = asked(f, &v, WHET_FAILURE_SOURCE);
    assert_int_equal(got.outcome, WHET_OUTCOME_WRONG);
    assert_int_equal(got.reason, WHET_REASON_MISMATCH);
    assert_int_equal(strncmp(got.message, "failed before (20", 17), 0);
    assert_non_null(strstr(got.message, "misses its error bound; --again "
                                        "judges it again"));
    assert_int_equal(got.rule_count, 1);
    assert_string_equal(got.rules[0].name, "failed-before");
    /* Other names: another source, the same machine code. */
    other = v;
    set_hash(&other.candidate, '4');
    assert_int_equal(asked(f, &other, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    assert_int_equal(asked(f, &other, WHET_FAILURE_IMAGE).reason,
                     WHET_REASON_MISMATCH);
    set_hash(&other.image, '4');
    assert_int_equal(asked(f, &other, WHET_FAILURE_IMAGE).reason,
                     WHET_REASON_NONE);
}

/* A wrong grid is corrected in the plan alone. */
static void test_judge_failures__lets_another_plan_try(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_UNWRITTEN);
    whet_arm arm = arm_of(f, &v);
    whet_hash one, other;

    assert_int_equal(
        whet_judge__failure_name(&one, &v, &arm, WHET_FAILURE_IMAGE), WHET_OK);
    arm.plan.launches[0].grid[0]++;
    assert_int_equal(
        whet_judge__failure_name(&other, &v, &arm, WHET_FAILURE_IMAGE),
        WHET_OK);
    assert_string_not_equal(one.text, other.text);
}

static void test_judge_failures__is_of_one_task_and_device(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_GUARD), other = v;

    whet_judge__failures_open(&f->judge);
    keep(f, &v);
    set_hash(&other.task_hash, '9');
    assert_int_equal(asked(f, &other, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    other = v;
    other.device.arch[0] = 'O';
    assert_int_equal(asked(f, &other, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_GUARD);
}

static void test_judge_failures__again_judges_and_does_not_forget(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_BELOW_FLOOR);

    whet_judge__failures_open(&f->judge);
    keep(f, &v);
    f->judge.opts.is_again = true;
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    f->judge.opts.is_again = false;
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_BELOW_FLOOR);
}

static void test_judge_failures__keeps_wrong_and_integrity_alone(void **state)
{
    static const whet_reason none[] = {
        WHET_REASON_NONE,         WHET_REASON_COMPILE,
        WHET_REASON_BUILD_LIMIT,  WHET_REASON_CONSTRAINT,
        WHET_REASON_CALL_TIMEOUT, WHET_REASON_LAUNCH};
    struct fix *f = *state;
    size_t i;

    whet_judge__failures_open(&f->judge);
    for (i = 0; i < sizeof none / sizeof none[0]; i++) {
        whet_verdict v = verdict(none[i]);

        keep(f, &v);
    }
    assert_int_equal(file_count(f), 0);
}

static void test_judge_failures__does_not_blame_the_reference(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_CRASH);
    whet_arm reference = arm_of(f, &v), candidate = reference;

    whet_judge__failures_open(&f->judge);
    whet_judge__failures_keep(&v, &f->judge, &reference, &candidate);
    set_hash(&reference.hash, '7'); /* other names, the same machine code */
    whet_judge__failures_keep(&v, &f->judge, &reference, &candidate);
    assert_int_equal(file_count(f), 0);
    set_hash(&reference.image.hash, '8');
    candidate.library.op = WHET_LIBRARY_GEMM_F32;
    whet_judge__failures_keep(&v, &f->judge, &reference, &candidate);
    candidate.library.op = 0;
    f->judge.opts.under = "a tool";
    whet_judge__failures_keep(&v, &f->judge, &reference, &candidate);
    assert_int_equal(file_count(f), 0);
    f->judge.opts.under = NULL;
    whet_judge__failures_keep(&v, &f->judge, &reference, &candidate);
    assert_int_equal(file_count(f), 2);
}

static void test_judge_failures__folder_is_private(void **state)
{
    struct fix *f = *state;
    struct stat info;

    whet_judge__failures_open(&f->judge);
    assert_int_equal(stat(f->failures, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
}

static void test_judge_failures__refuses_a_folder_of_others(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_MISMATCH);

    whet_judge__failures_open(&f->judge);
    whet_judge__failures_close(&f->judge);
    assert_int_equal(chmod(f->failures, 0777), 0);
    whet_judge__failures_open(&f->judge);
    assert_true(was_said(f, "failures are not remembered"));
    assert_int_equal(f->judge.failures_fd, 0);
    keep(f, &v);
    assert_int_equal(file_count(f), 0);
}

static void test_judge_failures__refuses_a_linked_folder(void **state)
{
    struct fix *f = *state;
    char *real = whet_fs_join(f->folder, "real");

    whet_judge__failures_open(&f->judge);
    whet_judge__failures_close(&f->judge);
    assert_int_equal(rename(f->failures, real), 0);
    assert_int_equal(symlink(real, f->failures), 0);
    whet_judge__failures_open(&f->judge);
    assert_int_equal(f->judge.failures_fd, 0);
    assert_true(was_said(f, "expected a folder that this user owns"));
    free(real);
}

static void test_judge_failures__passes_over_what_is_malformed(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"key\": \"0\", \"day\": \"2026-12-01\", \"reason\": \"mismatch\", "
        "\"message\": \"\"}",
        "{\"key\": \"%s\", \"day\": \"2026-12-1\", \"reason\": \"mismatch\", "
        "\"message\": \"\"}",
        "{\"key\": \"%s\", \"day\": \"2026-12-01\", \"reason\": \"compile\", "
        "\"message\": \"\"}",
        "{\"key\": \"%s\", \"day\": \"2026-12-01\", \"reason\": \"none\", "
        "\"message\": \"\"}",
        "{\"key\": \"%s\", \"day\": \"2026-12-01\", \"reason\": \"mismatch\", "
        "\"message\": \"\\u001b[2J\"}",
        "{\"key\": \"%s\", \"day\": \"2026-12-01\", \"reason\": \"mismatch\"}",
    };
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_MISMATCH);
    char *path = path_of(f, &v, WHET_FAILURE_SOURCE);
    size_t i;

    whet_judge__failures_open(&f->judge);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *mark = strstr(bad[i], "%s");
        char *text =
            mark ? whet_asprintf("%.*s%s%s", (int)(mark - bad[i]), bad[i],
                                 strrchr(path, '/') + 1, mark + 2)
                 : whet_strdup(bad[i]);

        rewind(f->log);
        assert_int_equal(whet_fs_write(path, text, strlen(text), NULL),
                         WHET_OK);
        assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                         WHET_REASON_NONE);
        assert_true(was_said(f, "passed over"));
        free(text);
    }
    free(path);
}

static void test_judge_failures__reads_no_link_pipe_or_large_file(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_MISMATCH);
    char *path = path_of(f, &v, WHET_FAILURE_SOURCE);
    char *real = whet_fs_join(f->folder, "real");
    char *large = calloc(1, 5000);

    whet_judge__failures_open(&f->judge);
    keep(f, &v);
    assert_int_equal(rename(path, real), 0);
    assert_int_equal(symlink(real, path), 0);
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    assert_true(was_said(f, "cannot open"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    assert_true(was_said(f, "expected a regular file of this user"));
    assert_int_equal(unlink(path), 0);
    assert_non_null(large);
    memset(large, ' ', 5000);
    assert_int_equal(whet_fs_write(path, large, 5000, NULL), WHET_OK);
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    assert_true(was_said(f, "expected less than 4096 bytes"));
    free(large);
    free(real);
    free(path);
}

static void test_judge_failures__replaces_a_link_when_it_writes(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_INPUT);
    char *path = path_of(f, &v, WHET_FAILURE_SOURCE);
    char *target = whet_fs_join(f->folder, "target");
    struct stat info;

    whet_judge__failures_open(&f->judge);
    assert_int_equal(whet_fs_write(target, "mine", 4, NULL), WHET_OK);
    assert_int_equal(symlink(target, path), 0);
    keep(f, &v);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(stat(target, &info), 0);
    assert_int_equal(info.st_size, 4);
    free(path);
    free(target);
}

static void test_judge_failures__tells_when_it_cannot_write(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_INPUT);

    whet_judge__failures_open(&f->judge);
    whet_fs_remove_tree(f->failures);
    keep(f, &v);
    assert_true(was_said(f, "could not be written"));
}

static void test_judge_failures__does_nothing_without_a_folder(void **state)
{
    struct fix *f = *state;
    whet_verdict v = verdict(WHET_REASON_INPUT);

    f->judge.opts.failures = NULL;
    whet_judge__failures_open(&f->judge);
    keep(f, &v);
    assert_int_equal(asked(f, &v, WHET_FAILURE_SOURCE).reason,
                     WHET_REASON_NONE);
    assert_false(whet_fs_exists(f->failures));
}

int main(void)
{
#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(test_judge_failures__##name, set_up,       \
                                    tear_down)
    const struct CMUnitTest tests[] = {
        TEST(refuses_by_source_and_by_image),
        TEST(lets_another_plan_try),
        TEST(is_of_one_task_and_device),
        TEST(again_judges_and_does_not_forget),
        TEST(keeps_wrong_and_integrity_alone),
        TEST(does_not_blame_the_reference),
        TEST(folder_is_private),
        TEST(refuses_a_folder_of_others),
        TEST(refuses_a_linked_folder),
        TEST(passes_over_what_is_malformed),
        TEST(reads_no_link_pipe_or_large_file),
        TEST(replaces_a_link_when_it_writes),
        TEST(tells_when_it_cannot_write),
        TEST(does_nothing_without_a_folder),
    };

    return cmocka_run_group_tests_name("judge_failures", tests, NULL, NULL);
}
