/* Rates by unit, and the least time that follows from measured rates. */

#include "device/device.h"

#include <string.h>

static whet_rate *find(const whet_calibration *calibration, const char *name)
{
    uint32_t i;

    for (i = 0; i < calibration->rate_count && i < WHET_RATE_MAX; i++)
        if (strcmp(calibration->rates[i].name, name) == 0)
            return (whet_rate *)&calibration->rates[i];
    return NULL;
}

double whet_calibration_rate(const whet_calibration *calibration,
                             const char *name)
{
    const whet_rate *rate = find(calibration, name);

    return rate != NULL ? rate->ops_per_s : 0;
}

bool whet_calibration_add_rate(whet_calibration *calibration, const char *name,
                               double ops_per_s, const whet_measured *how)
{
    whet_rate *rate = find(calibration, name);

    if (rate != NULL && rate->ops_per_s >= ops_per_s)
        return true;
    if (rate == NULL) {
        if (calibration->rate_count >= WHET_RATE_MAX ||
            strlen(name) >= sizeof rate->name)
            return false;
        rate = &calibration->rates[calibration->rate_count++];
        whet_strcopy(rate->name, sizeof rate->name, name);
    }
    rate->ops_per_s = ops_per_s;
    rate->how = *how;
    return true;
}

static void keep_flow(double *now, whet_measured *now_how, double before,
                      const whet_measured *before_how)
{
    if (before <= *now)
        return;
    *now = before;
    *now_how = *before_how;
}

void whet_calibration_keep_best(whet_calibration *now,
                                const whet_calibration *before)
{
    uint32_t i;

    keep_flow(&now->copy_bytes_per_s, &now->copy, before->copy_bytes_per_s,
              &before->copy);
    keep_flow(&now->read_bytes_per_s, &now->read, before->read_bytes_per_s,
              &before->read);
    keep_flow(&now->write_bytes_per_s, &now->write, before->write_bytes_per_s,
              &before->write);
    keep_flow(&now->lds_bytes_per_s, &now->lds, before->lds_bytes_per_s,
              &before->lds);
    for (i = 0; i < before->rate_count && i < WHET_RATE_MAX; i++)
        (void)whet_calibration_add_rate(now, before->rates[i].name,
                                        before->rates[i].ops_per_s,
                                        &before->rates[i].how);
    if (before->launch_ns > 0 &&
        (now->launch_ns == 0 || before->launch_ns < now->launch_ns))
        now->launch_ns = before->launch_ns;
}

bool whet_calibration_controls_hold(const whet_controls *controls)
{
    return controls->spin > 2.7 && controls->spin < 3.3 &&
           controls->twice > 0.45 && controls->twice < 0.55;
}

bool whet_calibration_allows(whet_policy policy, const char *unit)
{
    static const char *const allowed[][6] = {
        [WHET_POLICY_F64] = {"f64.", NULL},
        [WHET_POLICY_F32] = {"f32.", "f64.", NULL},
        [WHET_POLICY_TF32] = {"tf32.", "f32.", "f64.", NULL},
        [WHET_POLICY_F16] = {"f16.", "tf32.", "f32.", "f64.", NULL},
        [WHET_POLICY_BF16] = {"bf16.", "tf32.", "f32.", "f64.", NULL},
        [WHET_POLICY_F8] = {"fp8.", "f16.", "bf16.", "tf32.", "f32.", "f64."},
    };
    unsigned i;

    if (policy == WHET_POLICY_EXACT)
        return true;
    if ((unsigned)policy >= sizeof allowed / sizeof allowed[0])
        return false;
    for (i = 0; i < 6 && allowed[policy][i] != NULL; i++)
        if (strncmp(unit, allowed[policy][i], strlen(allowed[policy][i])) == 0)
            return true;
    return false;
}

/* Nanoseconds for `amount` at `rate` a second; 0 only if there is nothing to
 * do or no rate. */
static uint64_t duration_ns(uint64_t amount, double rate)
{
    double ns;

    if (amount == 0 || !(rate > 0))
        return 0;
    ns = (double)amount / rate * 1e9;
    if (!(ns < 0x1p63))
        return UINT64_C(1) << 63;
    return ns < 1 ? 1 : (uint64_t)(ns + 0.5);
}

static double bandwidth(const whet_calibration *calibration,
                        const whet_work *work)
{
    uint64_t out =
        work->bytes_out < work->bytes ? work->bytes_out : work->bytes;
    double share = work->bytes > 0 ? (double)out / (double)work->bytes : 0;

    if (share < 1.0 / 16 && calibration->read_bytes_per_s > 0)
        return calibration->read_bytes_per_s;
    if (1 - share < 1.0 / 16 && calibration->write_bytes_per_s > 0)
        return calibration->write_bytes_per_s;
    return calibration->copy_bytes_per_s;
}

uint64_t whet_calibration_limit_ns(const whet_calibration *calibration,
                                   const whet_work *work)
{
    uint64_t bytes_ns, ops_ns;
    double rate = 0;
    uint32_t i;

    if (calibration == NULL)
        return 0;
    for (i = 0; i < calibration->rate_count && i < WHET_RATE_MAX; i++)
        if (calibration->rates[i].ops_per_s > rate &&
            whet_calibration_allows(work->policy, calibration->rates[i].name))
            rate = calibration->rates[i].ops_per_s;
    bytes_ns = duration_ns(work->bytes, bandwidth(calibration, work));
    ops_ns = duration_ns(work->ops, rate);
    return bytes_ns > ops_ns ? bytes_ns : ops_ns;
}
