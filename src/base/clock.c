/* The machine's clocks and the text form of times. The raw monotonic clock is
 * used because time synchronisation slews CLOCK_MONOTONIC by up to 0.05 %,
 * which is more than the differences that kernel timings must resolve. */

#include "base/clock.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

static uint64_t read_clock(clockid_t id)
{
    struct timespec now = {0};

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t system_now(void *payload)
{
    (void)payload;
    return read_clock(CLOCK_MONOTONIC_RAW);
}

static uint64_t system_wall(void *payload)
{
    (void)payload;
    return read_clock(CLOCK_REALTIME);
}

whet_clock whet_clock_system(void)
{
    return (whet_clock){.now_ns = system_now, .wall_ns = system_wall};
}

uint64_t whet_clock_now(const whet_clock *clock)
{
    return clock->now_ns(clock->payload);
}

uint64_t whet_clock_wall(const whet_clock *clock)
{
    return clock->wall_ns(clock->payload);
}

void whet_clock_format(char text[32], uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / NS_PER_S);
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        snprintf(text, 32, "?");
}

/* Three significant digits; integers throughout, so that the same duration
 * always reads the same. False if it rounds to 1000 or more of the unit. */
static bool format_unit(char text[32], uint64_t ns, uint64_t unit_ns,
                        const char *unit)
{
    static const uint64_t scale[] = {1, 10, 100};

    for (int digits = unit_ns == 1 ? 0 : 2; digits >= 0; digits--) {
        uint64_t scaled = (ns * scale[digits] + unit_ns / 2) / unit_ns;

        if (scaled >= 1000)
            continue;
        if (digits == 0)
            snprintf(text, 32, "%" PRIu64 " %s", scaled, unit);
        else if (digits == 1)
            snprintf(text, 32, "%" PRIu64 ".%01" PRIu64 " %s", scaled / 10,
                     scaled % 10, unit);
        else
            snprintf(text, 32, "%" PRIu64 ".%02" PRIu64 " %s", scaled / 100,
                     scaled % 100, unit);
        return true;
    }
    return false;
}

void whet_duration_format(char text[32], uint64_t duration_ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{1, "ns"}, {1000, "us"}, {1000000, "ms"}, {NS_PER_S, "s"}};
    uint64_t seconds, minutes;

    /* From 59.95 s on, "60.0 s" would be shown where minutes begin. */
    if (duration_ns < 59 * NS_PER_S + NS_PER_S / 20 * 19) {
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
            if (format_unit(text, duration_ns, units[i].ns, units[i].name))
                return;
        }
    }
    seconds = duration_ns / NS_PER_S + (duration_ns % NS_PER_S >= NS_PER_S / 2);
    minutes = seconds / 60;
    if (minutes < 60)
        snprintf(text, 32, "%" PRIu64 " min %" PRIu64 " s", minutes,
                 seconds % 60);
    else
        snprintf(text, 32, "%" PRIu64 " h %" PRIu64 " min", minutes / 60,
                 minutes % 60);
}
