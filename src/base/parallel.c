/* Data-parallel loop. Threads are made for each call: the loops this serves
 * run for milliseconds or more, and there is no pool to shut down or to
 * survive a fork. Chunks are handed out one by one, so that uneven items
 * balance. */

#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 1024, CPUS_MAX = 1 << 16 };

typedef struct loop {
    atomic_uint_fast64_t next_chunk;
    uint64_t chunk_count;
    uint64_t count;
    uint64_t grain;
    whet_parallel_fn fn;
    void *payload;
} loop;

unsigned whet_parallel_cpu_count(void)
{
    /* The kernel refuses a mask smaller than its own, so try larger ones. */
    for (size_t cpus = CPU_SETSIZE; cpus <= CPUS_MAX; cpus *= 4) {
        size_t bytes = CPU_ALLOC_SIZE(cpus);
        cpu_set_t *set = CPU_ALLOC(cpus);
        int found = 0;

        if (set == NULL)
            break;
        CPU_ZERO_S(bytes, set);
        if (sched_getaffinity(0, bytes, set) == 0)
            found = CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (found > 0)
            return (unsigned)found;
    }
    return 1;
}

static void *run_chunks(void *payload)
{
    loop *work = payload;

    for (;;) {
        uint64_t chunk = atomic_fetch_add(&work->next_chunk, 1);
        uint64_t begin, left;

        if (chunk >= work->chunk_count)
            return NULL;
        begin = chunk * work->grain;
        left = work->count - begin;
        work->fn(begin, begin + (left < work->grain ? left : work->grain),
                 work->payload);
    }
}

/* Starts up to `want` helpers; signals stay with the calling thread, whose
 * handlers know what to do. */
static unsigned start(pthread_t *threads, unsigned want, loop *work)
{
    sigset_t all, before;
    unsigned started = 0;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return 0;
    while (started < want &&
           pthread_create(&threads[started], NULL, run_chunks, work) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void whet_parallel_for(uint64_t count, uint64_t grain, unsigned threads,
                       whet_parallel_fn fn, void *payload)
{
    loop work = {.count = count, .fn = fn, .payload = payload};
    pthread_t *helpers = NULL;
    unsigned started = 0;

    if (count == 0)
        return;
    work.grain = grain == 0 ? 1 : grain;
    work.chunk_count = (count - 1) / work.grain + 1;
    if (threads == 0)
        threads = whet_parallel_cpu_count();
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    if (threads > work.chunk_count)
        threads = (unsigned)work.chunk_count;
    if (threads > 1)
        helpers = calloc(threads - 1, sizeof *helpers);
    if (helpers != NULL)
        started = start(helpers, threads - 1, &work);
    run_chunks(&work);
    for (unsigned i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    free(helpers);
}
