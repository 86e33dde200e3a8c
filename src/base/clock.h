#ifndef WHET_CLOCK_H
#define WHET_CLOCK_H

/* One monotonic clock behind a function that tests and the recorded device
 * replace. All durations are unsigned 64-bit nanoseconds. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A source of time. Copy freely; `payload` is borrowed. */
typedef struct whet_clock {
    uint64_t (*now_ns)(void *payload);  /**< Monotonic, arbitrary origin. */
    uint64_t (*wall_ns)(void *payload); /**< Nanoseconds since 1970-01-01 UTC,
                                             for people; never subtracted. */
    void *payload;
} whet_clock;

/** The machine's raw monotonic clock (CLOCK_MONOTONIC_RAW) and real time. */
whet_clock whet_clock_system(void);

/** Current reading of `clock`, nanoseconds. */
uint64_t whet_clock_now(const whet_clock *clock);

/** Current wall time of `clock`, nanoseconds since the epoch. */
uint64_t whet_clock_wall(const whet_clock *clock);

/** Write wall time as "2026-11-30T20:32:26Z". `text` holds 32 bytes. */
void whet_clock_format(char text[32], uint64_t wall_ns);

/** Write a duration for people: "17.2 us", "1.53 s", "2 min 5 s". */
void whet_duration_format(char text[32], uint64_t duration_ns);

#ifdef __cplusplus
}
#endif

#endif /* WHET_CLOCK_H */
