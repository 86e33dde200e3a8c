/* Stored calibrations. What is accepted must be fit to print and to compute
 * limits from. */

#include "device/calibration_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_text(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 32 || *text == 127)
            abort();
}

static void check_rate(double per_s)
{
    if (!(per_s >= 0) || !isfinite(per_s))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_device_facts facts = {.backend = "cuda"};
    whet_work work = {.ops = 1000, .bytes = 1000, .policy = WHET_POLICY_F32};
    whet_calibration c;
    uint32_t i;

    memset(facts.id, 'a', sizeof facts.id - 1);
    if (whet_calibration__parse(&c, (const char *)data, size, "file", &facts,
                                NULL) != WHET_OK)
        return 0;
    check_rate(c.copy_bytes_per_s);
    check_rate(c.read_bytes_per_s);
    check_rate(c.write_bytes_per_s);
    check_rate(c.lds_bytes_per_s);
    check_text(c.driver);
    if (c.rate_count > WHET_RATE_MAX)
        abort();
    for (i = 0; i < c.rate_count; i++) {
        check_rate(c.rates[i].ops_per_s);
        check_text(c.rates[i].name);
        check_text(c.rates[i].how.evidence);
        check_text(c.rates[i].how.point);
    }
    (void)whet_calibration_limit_ns(&c, &work);
    return 0;
}
