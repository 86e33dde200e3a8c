/* The worker against job files that are none: it says so and ends. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A job that is sound but for the device, which cannot run anything. */
static whet_job *good_job(void)
{
    whet_job *job = calloc(1, sizeof *job);
    whet_key key = {{1, 2, 3, 4}};

    assert_non_null(job);
    job->magic = WHET_JOB_MAGIC;
    whet_strcopy(job->device, sizeof job->device, "null");
    job->plan = (whet_bound_plan){.launch_count = 1,
                                  .buffer_count = 1,
                                  .tensor_count = 1,
                                  .buffers = {{64, WHET_BUFFER_OUT, 1}}};
    job->plan.launches[0] = (whet_bound_launch){
        .kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    assert_int_equal(
        whet_judge__layout(&job->layout, &job->plan, 0, 1 << 30, &key, NULL),
        WHET_OK);
    return job;
}

static void be_worker(int socket, int file)
{
    dup2(socket, 20);
    if (file >= 0)
        dup2(file, 21);
    close(WHET_WORKER_SOCKET_FD);
    close(WHET_WORKER_JOB_FD);
    dup2(20, WHET_WORKER_SOCKET_FD);
    if (file >= 0)
        dup2(21, WHET_WORKER_JOB_FD);
    close(20);
    _exit(whet_worker_main(0, NULL));
}

/* Run a worker on these bytes; its complaint must hold `part`. */
static void expect_complaint(const void *bytes, size_t count, const char *part)
{
    int file = memfd_create("job", 0), pair[2], status = 0;
    whet_wire record;
    pid_t pid;

    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, count), (ssize_t)count);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        be_worker(pair[1], file);
    close(pair[1]);
    close(file);
    assert_int_equal(
        whet_judge__receive(pair[0], &record, sizeof record, 5000000000u, NULL),
        WHET_OK);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(pair[0]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_int_equal(record.magic, WHET_WIRE_MAGIC);
    assert_int_equal(record.type, WHET_WIRE_FAIL);
    record.text[sizeof record.text - 1] = '\0';
    if (strstr(record.text, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", record.text, part);
}

static void test_judge_worker__malformed_jobs_are_refused(void **state)
{
    whet_job *job = good_job();

    (void)state;
    expect_complaint("", 0, "short");
    expect_complaint(job, sizeof *job - 1, "short");
    expect_complaint(job, sizeof *job, "no live device");
    job->magic++;
    expect_complaint(job, sizeof *job, "malformed");
    job->magic--;
    job->image_bytes = 1;
    expect_complaint(job, sizeof *job, "malformed");
    job->image_bytes = UINT64_MAX;
    expect_complaint(job, sizeof *job, "malformed");
    job->image_bytes = 0;
    memset(job->device, 'x', sizeof job->device);
    expect_complaint(job, sizeof *job, "malformed");
    free(job);
}

static void test_judge_worker__hostile_plans_are_refused(void **state)
{
    whet_job *job = good_job();

    (void)state;
    job->plan.launch_count = UINT32_MAX;
    expect_complaint(job, sizeof *job, "bound plan");
    job->plan.launch_count = 1;
    job->layout.slot_count = UINT32_MAX;
    expect_complaint(job, sizeof *job, "job");
    job->layout.slot_count = 2;
    job->layout.buffers[0].offset = UINT64_MAX - 10;
    expect_complaint(job, sizeof *job, "job");
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_worker__malformed_jobs_are_refused),
        cmocka_unit_test(test_judge_worker__hostile_plans_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
