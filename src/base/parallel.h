#ifndef WHET_PARALLEL_H
#define WHET_PARALLEL_H

/* Data-parallel loop over plain threads. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Work on items [begin, end). Called from several threads at once. */
typedef void (*whet_parallel_fn)(uint64_t begin, uint64_t end, void *payload);

/** CPUs this process may run on (affinity), at least 1. */
unsigned whet_parallel_cpu_count(void);

/**
 * Run `fn` over [0, count) in chunks of `grain` items on up to `threads`
 * threads (0 = all CPUs) and wait. Falls back to this thread alone when
 * threads cannot be started, so it cannot fail.
 */
void whet_parallel_for(uint64_t count, uint64_t grain, unsigned threads,
                       whet_parallel_fn fn, void *payload);

#ifdef __cplusplus
}
#endif

#endif /* WHET_PARALLEL_H */
