/* How much of a kernel is resident on a compute unit. Every bound is taken
 * from the record; docs/write-an-arch-record.md gives the formulae and what
 * they were checked against. */

#include "device/arch.h"

/* No architecture has as many registers; facts are hostile. */
enum { COUNT_MAX = 65536 };

/* Whole number of a figure, 0 unless something may be built on it. */
static uint64_t usable(const whet_figure *figure)
{
    return whet_figure_is_usable(figure) ? (uint64_t)figure->value : 0;
}

static uint64_t round_up(uint64_t value, uint64_t granule)
{
    return granule == 0 ? value : (value + granule - 1) / granule * granule;
}

/* Waves of a SIMD that the registers hold. Where one file serves both kinds,
 * accumulators begin at a multiple of 4 behind the others (LLVM, "User Guide
 * for AMDGPU Backend", accum_offset); else each kind has a file of its own. */
static uint64_t register_waves(const whet_arch *arch,
                               const whet_kernel_facts *facts)
{
    uint64_t count = facts->register_count, waves;
    uint64_t granule = usable(&arch->vgpr_granule);

    if (facts->accumulator_count > 0 &&
        whet_arch_has(arch, "unified_registers"))
        count = round_up(count, 4) + facts->accumulator_count;
    else if (facts->accumulator_count > count)
        count = facts->accumulator_count;
    waves = usable(&arch->vgpr_simd_count) / round_up(count, granule);
    if (whet_figure_is_usable(&arch->sgpr_simd_count) &&
        facts->scalar_count > 0) {
        uint64_t scalar = usable(&arch->sgpr_simd_count) / facts->scalar_count;

        waves = scalar < waves ? scalar : waves;
    }
    return waves;
}

static uint64_t lds_groups(const whet_arch *arch, uint64_t bytes)
{
    uint64_t all = usable(&arch->lds_cu_bytes);
    uint64_t most = usable(&arch->lds_group_bytes);
    uint64_t reserved = usable(&arch->lds_reserved_bytes);

    if (bytes > most)
        return 0;
    bytes = round_up(bytes + reserved, usable(&arch->lds_granule_bytes));
    return bytes == 0 ? UINT32_MAX : all / bytes;
}

static bool has_all(const whet_arch *arch, const whet_kernel_facts *facts,
                    uint64_t group_items)
{
    const whet_figure *const needed[] = {
        &arch->wave_size,     &arch->simds_cu,        &arch->waves_simd_max,
        &arch->groups_cu_max, &arch->vgpr_granule,    &arch->vgpr_simd_count,
        &arch->lds_cu_bytes,  &arch->lds_group_bytes, &arch->lds_granule_bytes};
    size_t i;

    for (i = 0; i < sizeof needed / sizeof *needed; i++)
        if (usable(needed[i]) == 0)
            return false;
    return facts->register_count > 0 && facts->register_count <= COUNT_MAX &&
           facts->accumulator_count <= COUNT_MAX && group_items > 0;
}

static void bound(whet_occupancy *out, uint64_t groups, const char *by)
{
    if (groups >= out->groups_cu)
        return;
    out->groups_cu = (uint32_t)groups;
    out->bound_by = by;
}

whet_occupancy whet_arch_occupancy(const whet_arch *arch,
                                   const whet_kernel_facts *facts,
                                   uint64_t group_items, uint64_t shared_bytes)
{
    whet_occupancy out = {.bound_by = ""};
    uint64_t simds, waves, lds_bytes = facts->lds_bytes + shared_bytes;

    if (!has_all(arch, facts, group_items) || lds_bytes < shared_bytes ||
        group_items > UINT32_MAX)
        return out;
    simds = usable(&arch->simds_cu);
    waves = round_up(group_items, usable(&arch->wave_size)) /
            usable(&arch->wave_size);
    out.is_known = true;
    out.groups_cu = UINT32_MAX;
    bound(&out, usable(&arch->waves_simd_max) * simds / waves, "waves");
    if (waves > 1 || !whet_arch_has(arch, "single_wave_no_barrier"))
        bound(&out, usable(&arch->groups_cu_max), "groups");
    bound(&out, register_waves(arch, facts) * simds / waves, "registers");
    bound(&out, lds_groups(arch, lds_bytes), "lds");
    out.waves_cu = out.groups_cu * (uint32_t)waves;
    /* The fullest SIMD. */
    out.waves_simd = (uint32_t)((out.waves_cu + simds - 1) / simds);
    return out;
}
