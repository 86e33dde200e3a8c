/* Data-parallel loop: every item once, at any shape, also without threads. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 1000 };

typedef struct tally {
    atomic_uint seen[ITEMS];
    atomic_uint calls;
    atomic_ullong covered;
    uint64_t grain;
    atomic_bool bad;
} tally;

static void count_items(uint64_t begin, uint64_t end, void *payload)
{
    tally *got = payload;

    atomic_fetch_add(&got->calls, 1);
    if (begin >= end || end - begin > got->grain || end > ITEMS) {
        atomic_store(&got->bad, true);
        return;
    }
    for (uint64_t i = begin; i < end; i++)
        atomic_fetch_add(&got->seen[i], 1);
}

static bool covers(uint64_t count, uint64_t grain, unsigned threads)
{
    tally got = {.grain = grain == 0 ? 1 : grain};

    whet_parallel_for(count, grain, threads, count_items, &got);
    for (uint64_t i = 0; i < ITEMS; i++) {
        if (atomic_load(&got.seen[i]) != (i < count))
            return false;
    }
    return !atomic_load(&got.bad) &&
           atomic_load(&got.calls) == (count + got.grain - 1) / got.grain;
}

static void test_base_parallel__every_item_once(void **state)
{
    static const uint64_t counts[] = {0, 1, 2, 99, 1000};
    static const uint64_t grains[] = {0, 1, 7, 500, 5000};
    static const unsigned threads[] = {0, 1, 3, 5000};

    (void)state;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++)
            for (size_t k = 0; k < 3; k++)
                assert_true(covers(counts[i], grains[j], threads[k]));
    assert_true(covers(1000, 100, threads[3]));
}

static void sum_sizes(uint64_t begin, uint64_t end, void *payload)
{
    tally *got = payload;

    atomic_fetch_add(&got->covered, end - begin);
    atomic_fetch_add(&got->calls, 1);
}

static void test_base_parallel__counts_up_to_the_limit(void **state)
{
    tally got = {0};

    (void)state;
    whet_parallel_for(UINT64_MAX, UINT64_MAX / 2, 2, sum_sizes, &got);
    assert_true(atomic_load(&got.covered) == UINT64_MAX);
    assert_int_equal(atomic_load(&got.calls), 3);
}

typedef struct meeting {
    pthread_barrier_t all;
    atomic_uint masked;
} meeting;

/* Passes only when both threads are inside at the same time. */
static void meet(uint64_t begin, uint64_t end, void *payload)
{
    meeting *got = payload;
    sigset_t mask;

    (void)begin;
    (void)end;
    pthread_barrier_wait(&got->all);
    if (pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 &&
        sigismember(&mask, SIGINT) == 1)
        atomic_fetch_add(&got->masked, 1);
}

static void
test_base_parallel__threads_run_at_once_without_signals(void **state)
{
    meeting got = {0};

    (void)state;
    assert_int_equal(pthread_barrier_init(&got.all, NULL, 2), 0);
    whet_parallel_for(2, 1, 2, meet, &got);
    pthread_barrier_destroy(&got.all);
    assert_int_equal(atomic_load(&got.masked), 1);
}

static void test_base_parallel__works_where_threads_are_refused(void **state)
{
    int status = 0;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
        pthread_t thread;

        if (ctx == NULL ||
            seccomp_rule_add(ctx, SCMP_ACT_ERRNO(11), SCMP_SYS(clone), 0) ||
            seccomp_rule_add(ctx, SCMP_ACT_ERRNO(11), SCMP_SYS(clone3), 0) ||
            seccomp_load(ctx) != 0)
            _exit(2);
        if (pthread_create(&thread, NULL, (void *(*)(void *))abort, NULL) == 0)
            _exit(3);
        _exit(covers(1000, 10, 4) ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_base_parallel__cpu_count_is_positive(void **state)
{
    (void)state;
    assert_true(whet_parallel_cpu_count() >= 1);
    assert_true(whet_parallel_cpu_count() <=
                (unsigned)sysconf(_SC_NPROCESSORS_CONF));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_parallel__every_item_once),
        cmocka_unit_test(test_base_parallel__counts_up_to_the_limit),
        cmocka_unit_test(
            test_base_parallel__threads_run_at_once_without_signals),
        cmocka_unit_test(test_base_parallel__works_where_threads_are_refused),
        cmocka_unit_test(test_base_parallel__cpu_count_is_positive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
