/* Freezing a worker from outside and reaching its memory meanwhile, as root
 * and as an ordinary user. */

#include "sandbox_kit.h"

#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 4 << 20, ROUNDS = 15 };

static const uint64_t second_ns = 1000000000u;

static void skip_without_sandbox(void)
{
    whet_sandbox_facts facts;

    whet_sandbox_probe(&facts);
    if (!facts.has_bwrap || !facts.has_namespaces)
        skip();
}

static uint64_t peek(pid_t pid, uint64_t address)
{
    uint64_t value = 0;
    struct iovec local = {&value, sizeof value};
    struct iovec remote = {(void *)(uintptr_t)address, sizeof value};

    if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != sizeof value)
        return UINT64_MAX;
    return value;
}

/* What the supervisor does around one call. Returns NULL or what failed. */
static const char *exchange(struct kit_worker *worker, unsigned char *block)
{
    struct iovec local = {block, MEMORY_BYTES};
    struct iovec remote = {(void *)(uintptr_t)worker->hello.memory,
                           MEMORY_BYTES};
    uint64_t before, after, sum = 0;

    if (whet_sandbox_freeze(worker->pid, 5 * second_ns, NULL) != WHET_OK)
        return "freeze";
    before = peek(worker->pid, worker->hello.counter);
    memset(block, 3, MEMORY_BYTES);
    if (process_vm_writev(worker->pid, &local, 1, &remote, 1, 0) !=
        MEMORY_BYTES)
        return "write";
    memset(block, 0, MEMORY_BYTES);
    if (process_vm_readv(worker->pid, &local, 1, &remote, 1, 0) !=
            MEMORY_BYTES ||
        block[0] != 3 || block[MEMORY_BYTES - 1] != 3)
        return "read";
    usleep(5000);
    after = peek(worker->pid, worker->hello.counter);
    if (before == UINT64_MAX || after != before)
        return "a thread ran while frozen";
    if (whet_sandbox_thaw(worker->pid, NULL) != WHET_OK)
        return "thaw";
    if (!kit_ask(worker, 's', &sum) || sum != 3ull * MEMORY_BYTES)
        return "the worker did not see what was written";
    usleep(5000);
    if (peek(worker->pid, worker->hello.counter) == after)
        return "the threads did not go on";
    return NULL;
}

static const char *scenario(void)
{
    static const struct kit_opts opts = {.memory_bytes = MEMORY_BYTES,
                                         .thread_count = 3,
                                         .has_huge_pages = true};
    struct kit_worker worker;
    unsigned char *block = malloc(MEMORY_BYTES);
    const char *wrong = "start";

    if (block != NULL && kit_start(&worker, &opts, NULL) == WHET_OK)
        wrong = exchange(&worker, block);
    kit_stop(&worker);
    free(block);
    return wrong;
}

static void test_base_sandbox_freeze__memory_is_reached_by_root(void **state)
{
    const char *wrong;

    (void)state;
    skip_without_sandbox();
    wrong = scenario();
    if (wrong != NULL)
        fail_msg("%s", wrong);
}

static void test_base_sandbox_freeze__memory_is_reached_by_a_user(void **state)
{
    pid_t child;
    int status = 0;

    (void)state;
    skip_without_sandbox();
    if (geteuid() != 0)
        skip(); /* the test above was this one */
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const char *wrong = "setresuid";

        if (setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 &&
            setresuid(65534, 65534, 65534) == 0)
            wrong = scenario();
        if (wrong != NULL)
            fprintf(stderr, "as nobody: %s\n", wrong);
        _exit(wrong != NULL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void test_base_sandbox_freeze__is_quick(void **state)
{
    static const struct kit_opts opts = {.memory_bytes = 4096,
                                         .thread_count = 3};
    struct kit_worker worker;
    whet_clock clock = whet_clock_system();
    whet_err err = {0};
    uint64_t times[ROUNDS];
    int i;

    (void)state;
    skip_without_sandbox();
    assert_int_equal(kit_start(&worker, &opts, &err), WHET_OK);
    for (i = 0; i < ROUNDS; i++) {
        uint64_t start = whet_clock_now(&clock);

        if (whet_sandbox_freeze(worker.pid, second_ns, &err) != WHET_OK)
            fail_msg("%s", err.msg);
        times[i] = whet_clock_now(&clock) - start;
        assert_int_equal(whet_sandbox_thaw(worker.pid, &err), WHET_OK);
        usleep(1000);
    }
    kit_stop(&worker);
    qsort(times, ROUNDS, sizeof times[0], compare_u64);
    /* Some 0.2 ms on an idle machine; the bound leaves room for a busy one. */
    assert_true(times[ROUNDS / 2] < 20000000);
}

static void test_base_sandbox_freeze__refuses_one_with_children(void **state)
{
    static const struct kit_opts opts = {.memory_bytes = 4096};
    struct kit_worker worker;
    whet_err err = {0};
    uint64_t child = 0;

    (void)state;
    skip_without_sandbox();
    assert_int_equal(kit_start(&worker, &opts, &err), WHET_OK);
    assert_true(kit_ask(&worker, 'f', &child));
    assert_true(child > 1);
    assert_int_equal(whet_sandbox_freeze(worker.pid, second_ns, &err),
                     WHET_EFAIL);
    assert_non_null(strstr(err.msg, "child processes"));
    kit_stop(&worker);
}

static void test_base_sandbox_freeze__tells_that_it_is_gone(void **state)
{
    whet_err err = {0};
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(0);
    /* A zombie first, then nothing at all. */
    usleep(20000);
    assert_int_equal(whet_sandbox_freeze(pid, second_ns, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "gone"));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(whet_sandbox_freeze(pid, second_ns, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "cannot be frozen"));
    assert_int_equal(whet_sandbox_thaw(pid, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "cannot be continued"));
    assert_int_equal(whet_sandbox_freeze(0, second_ns, &err), WHET_EFAIL);
    assert_int_equal(whet_sandbox_thaw(-1, &err), WHET_EFAIL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_sandbox_freeze__memory_is_reached_by_root),
        cmocka_unit_test(test_base_sandbox_freeze__memory_is_reached_by_a_user),
        cmocka_unit_test(test_base_sandbox_freeze__is_quick),
        cmocka_unit_test(test_base_sandbox_freeze__refuses_one_with_children),
        cmocka_unit_test(test_base_sandbox_freeze__tells_that_it_is_gone),
    };

    kit_worker_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
