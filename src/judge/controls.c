/* Controls of the clock, by a trusted kernel that is launched once, twice and
 * four times in a call: twice the work must take twice the time, whatever a
 * call costs besides, and an honest kernel that does its work twice must score
 * a half. */

#include "judge/calibrate_priv.h"

#include <string.h>

/* Few, since they only have to be within 10 %; the fastest calls count. More
 * of them where the machine was disturbed: fast calls can only be had or
 * missed, so more tries make no clock right that is wrong. */
enum { BLOCKS = 3, PAIRS = 8, TRIES = 4 };

/* An arm that does the same work several times over. */
static void repeat(whet_arm *out, const whet_arm *arm, uint32_t times)
{
    uint32_t i;

    *out = *arm;
    memset(&out->worker, 0, sizeof out->worker);
    out->best_ns = 0;
    for (i = 0; i < times; i++)
        out->plan.launches[i] = arm->plan.launches[0];
    out->plan.launch_count = times;
}

/* @param best_ns  fastest call so far, 0 = none */
static whet_status time_repeated(uint64_t *best_ns, whet_judge *judge,
                                 whet_arm *arm, uint32_t times, whet_err *err)
{
    whet_protocol protocol = whet_protocol_timing("controls", BLOCKS, PAIRS);
    whet_verdict verdict = {0};
    whet_arm twin;
    whet_status st;

    repeat(&twin, arm, times);
    st = whet_judge_compare(&verdict, judge, arm, &twin, &protocol, err);
    if (st == WHET_OK && !verdict.has_ratio)
        st = whet_err_set(err, WHET_EFAIL, "control of %u launches: %s", times,
                          verdict.message);
    if (*best_ns == 0 || (twin.best_ns > 0 && twin.best_ns < *best_ns))
        *best_ns = twin.best_ns;
    whet_verdict_deinit(&verdict);
    return st;
}

whet_status whet_gauge__controls(whet_controls *out, whet_judge *judge,
                                 whet_arm *arm, whet_err *err)
{
    uint64_t twice_ns = 0, four_ns = 0;
    whet_status st = WHET_OK;
    unsigned i;

    memset(out, 0, sizeof *out);
    if (arm->plan.launch_count != 1)
        return whet_err_set(err, WHET_EINVAL,
                            "controls: the kernel has %u launches, expected 1",
                            (unsigned)arm->plan.launch_count);
    arm->best_ns = 0;
    for (i = 0;
         st == WHET_OK && i < TRIES && !whet_calibration_controls_hold(out);
         i++) {
        st = time_repeated(&twice_ns, judge, arm, 2, err);
        if (st == WHET_OK)
            st = time_repeated(&four_ns, judge, arm, 4, err);
        if (st != WHET_OK)
            break;
        out->twice = (double)arm->best_ns / (double)twice_ns;
        out->spin = twice_ns > arm->best_ns && four_ns > arm->best_ns
                        ? (double)(four_ns - arm->best_ns) /
                              (double)(twice_ns - arm->best_ns)
                        : 1.0; /* more work, no more time */
    }
    return st;
}
