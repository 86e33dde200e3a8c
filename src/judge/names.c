/* Names of outcomes and reasons, and the two standard protocols. */

#include "judge/judge.h"

#include <string.h>

static const struct {
    const char *name;
    whet_outcome outcome;
} reasons[WHET_REASON_COUNT] = {
    [WHET_REASON_NONE] = {"none", WHET_OUTCOME_CORRECT},
    [WHET_REASON_COMPILE] = {"compile", WHET_OUTCOME_BUILD},
    [WHET_REASON_BUILD_TIMEOUT] = {"build-timeout", WHET_OUTCOME_BUILD},
    [WHET_REASON_BUILD_CRASH] = {"build-crash", WHET_OUTCOME_BUILD},
    [WHET_REASON_BUILD_LIMIT] = {"build-limit", WHET_OUTCOME_BUILD},
    [WHET_REASON_NO_KERNEL] = {"no-kernel", WHET_OUTCOME_BUILD},
    [WHET_REASON_ARGUMENTS] = {"arguments", WHET_OUTCOME_BUILD},
    [WHET_REASON_NOT_RECORDED] = {"not-recorded", WHET_OUTCOME_BUILD},
    [WHET_REASON_MISMATCH] = {"mismatch", WHET_OUTCOME_WRONG},
    [WHET_REASON_UNWRITTEN] = {"unwritten", WHET_OUTCOME_WRONG},
    [WHET_REASON_NOT_FINITE] = {"not-finite", WHET_OUTCOME_WRONG},
    [WHET_REASON_GUARD] = {"guard", WHET_OUTCOME_INTEGRITY},
    [WHET_REASON_INPUT] = {"input", WHET_OUTCOME_INTEGRITY},
    [WHET_REASON_BELOW_FLOOR] = {"below-floor", WHET_OUTCOME_INTEGRITY},
    [WHET_REASON_CRASH] = {"crash", WHET_OUTCOME_INTEGRITY},
    [WHET_REASON_PROTOCOL] = {"protocol", WHET_OUTCOME_INTEGRITY},
    [WHET_REASON_CONSTRAINT] = {"constraint", WHET_OUTCOME_RESOURCE},
    [WHET_REASON_PLAN_LIMIT] = {"plan-limit", WHET_OUTCOME_RESOURCE},
    [WHET_REASON_CALL_TIMEOUT] = {"call-timeout", WHET_OUTCOME_RESOURCE},
    [WHET_REASON_LAUNCH] = {"launch", WHET_OUTCOME_RESOURCE},
};

const char *whet_outcome_name(whet_outcome outcome)
{
    static const char *const names[] = {"build", "wrong", "integrity",
                                        "resource", "correct"};

    return names[outcome];
}

const char *whet_reason_name(whet_reason reason)
{
    return reasons[reason].name;
}

whet_outcome whet_reason_outcome(whet_reason reason)
{
    return reasons[reason].outcome;
}

whet_reason whet_reason_find(const char *name)
{
    int i;

    for (i = 0; i < WHET_REASON_COUNT; i++)
        if (strcmp(reasons[i].name, name) == 0)
            return (whet_reason)i;
    return WHET_REASON_COUNT;
}

whet_protocol whet_protocol_screen(unsigned pairs)
{
    whet_protocol p = {.name = "screen",
                       .blocks = pairs > 3 ? pairs / 2 : pairs,
                       .pairs_per_block = pairs > 3 ? 2 : 1,
                       .warmup_calls = 1,
                       .is_brief = true,
                       .reference_budget_ns = 5000000000u,
                       .min_gain = 0.01};

    return p;
}

whet_protocol whet_protocol_confirm(unsigned calls)
{
    enum { BLOCKS = 12, BLOCKS_TO_RESTART = 6, GENERATIONS = 4 };
    unsigned wanted = calls > 0 ? calls : 1;
    unsigned blocks = wanted < BLOCKS ? wanted : BLOCKS;
    whet_protocol p = {.name = "confirm",
                       .blocks = blocks,
                       .pairs_per_block = (wanted + blocks - 1) / blocks,
                       .generations =
                           blocks < BLOCKS_TO_RESTART ? 1 : GENERATIONS,
                       .warmup_calls = 1,
                       .is_watched = true,
                       .hidden_shapes = 6,
                       .public_shapes = true,
                       .reference_budget_ns = 60000000000u,
                       .min_gain = 0.01};

    return p;
}

whet_protocol whet_protocol_timing(const char *name, unsigned blocks,
                                   unsigned pairs)
{
    whet_protocol p = whet_protocol_confirm(blocks);

    (void)whet_strcopy(p.name, sizeof p.name, name);
    p.blocks = blocks;
    p.pairs_per_block = pairs;
    p.is_watched = false; /* it decides nothing */
    p.hidden_shapes = 0;
    p.public_shapes = false;
    return p;
}

unsigned whet_protocol_generation(const whet_protocol *protocol, unsigned block)
{
    unsigned before, head = protocol->blocks - protocol->blocks / 2, g;

    if (protocol->generations < 2)
        return 0;
    before = protocol->generations - 1;
    if (head < before)
        head = before; /* one block for each of the others at least */
    if (block >= head)
        return before;
    for (g = 0; g + 1 < before && block >= (g + 1) * head / before; g++)
        ;
    return g;
}
