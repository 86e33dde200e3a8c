/* Job files as a worker reads them. Whatever passes both checks must be safe
 * to use: every buffer inside the region, which itself can be counted. */

#include "judge/wire.h"

#include <stdlib.h>
#include <string.h>

static void check_use(const whet_job *job)
{
    const whet_layout *layout = &job->layout;
    uint64_t region;
    uint32_t b, slot;

    if (layout->buffer_count > WHET_BUFFER_MAX ||
        __builtin_mul_overflow(layout->slot_bytes, (uint64_t)layout->slot_count,
                               &region) ||
        region > (uint64_t)1 << 60)
        abort();
    for (slot = 0; slot < layout->slot_count; slot++)
        for (b = 0; b < layout->buffer_count; b++) {
            uint64_t start =
                slot * layout->slot_bytes + layout->buffers[b].offset;

            if (start > region || job->plan.buffers[b].bytes > region - start)
                abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_job job = {0};

    /* A file may be short only before the checks; the rest counts as zeros. */
    memcpy(&job, data, size < sizeof job ? size : sizeof job);
    if (whet_bound_plan_check(&job.plan, NULL) == WHET_OK &&
        whet_judge__layout_check(&job.layout, &job.plan, NULL) == WHET_OK)
        check_use(&job);
    return 0;
}
