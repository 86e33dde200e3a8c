/* What the compiler made of an arm's kernels, for the verdict. */

#include "judge/judge_priv.h"

#include <string.h>

static bool is_listed(const whet_verdict *out, const char *name)
{
    uint32_t i;

    for (i = 0; i < out->kernel_count; i++)
        if (strcmp(out->kernels[i].name, name) == 0)
            return true;
    return false;
}

static void list(whet_verdict *out, const whet_kernel_facts *facts,
                 const whet_bound_launch *launch, const whet_arch *arch)
{
    whet_verdict_kernel *k = &out->kernels[out->kernel_count++];

    /* The name as the plan writes it: the image's is hostile text. */
    whet_strcopy(k->name, sizeof k->name, launch->kernel);
    k->register_count = facts->register_count;
    k->accumulator_count = facts->accumulator_count;
    k->spill_bytes = facts->spill_bytes;
    k->private_bytes = facts->private_bytes;
    k->lds_bytes = facts->lds_bytes + launch->shared_bytes;
    k->group_items = launch->block[0] * launch->block[1] * launch->block[2];
    if (arch != NULL)
        k->occupancy = whet_arch_occupancy(arch, facts, k->group_items,
                                           launch->shared_bytes);
}

void whet_judge__resources(whet_verdict *out, const whet_arm *arm)
{
    const whet_arch *record = NULL;
    whet_arch arch;
    uint32_t i;

    out->kernel_count = 0;
    memset(out->kernels, 0, sizeof out->kernels);
    /* Without a record of the architecture the occupancy stays unknown. */
    if (whet_judge__has_stage(arm->judge) &&
        whet_arch_load(&arch, arm->judge->opts.device->facts.arch, NULL) ==
            WHET_OK)
        record = &arch;
    for (i = 0; i < arm->plan.launch_count; i++) {
        const whet_bound_launch *launch = &arm->plan.launches[i];
        const whet_kernel_facts *facts =
            whet_image_kernel(&arm->image, launch->kernel);

        if (facts != NULL && !is_listed(out, launch->kernel))
            list(out, facts, launch, record);
    }
}
