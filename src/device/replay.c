/* The virtual clock and the seeded keys of replay devices. Time passes only
 * when a build or a call is replayed, so budgets and reports that depend on
 * time repeat exactly. */

#include "device/replay_priv.h"

#include <string.h>

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void whet_replay__advance(whet_replay *replay, uint64_t ns)
{
    replay->virtual_ns = add_saturating(replay->virtual_ns, ns);
}

static uint64_t virtual_now(void *payload)
{
    const whet_replay *replay = payload;

    return replay->virtual_ns;
}

static uint64_t virtual_wall(void *payload)
{
    const whet_replay *replay = payload;

    return add_saturating(replay->epoch_ns, replay->virtual_ns);
}

whet_clock whet_replay__clock(whet_replay *replay)
{
    return (whet_clock){
        .now_ns = virtual_now, .wall_ns = virtual_wall, .payload = replay};
}

void whet_replay__entropy(whet_replay *replay, void *out16)
{
    unsigned char *out = out16;
    whet_rng rng;

    whet_rng_init(&rng, replay->seed, replay->draw_count++, "replay.entropy");
    for (size_t i = 0; i < 4; i++) {
        uint32_t word = whet_rng_u32(&rng);

        /* Little-endian on every machine: keys must not depend on it. */
        for (size_t j = 0; j < 4; j++)
            out[4 * i + j] = (unsigned char)(word >> (8 * j));
    }
}

void whet_replay__identify(whet_device_facts *facts)
{
    char units[16];
    whet_hasher hasher;
    whet_hash hash;

    snprintf(units, sizeof units, "%u", (unsigned)facts->limits.cu_count);
    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "backend", facts->backend);
    whet_hasher_add_str(&hasher, "name", facts->name);
    whet_hasher_add_str(&hasher, "arch", facts->arch);
    whet_hasher_add_str(&hasher, "driver", facts->driver);
    whet_hasher_add_str(&hasher, "units", units);
    hash = whet_hasher_finish(&hasher);
    memcpy(facts->id, hash.text, sizeof facts->id);
}

bool whet_replay__is_reason(const char *text)
{
    size_t bytes = strlen(text);

    return bytes > 0 && bytes < sizeof((whet_replay_call *)0)->reason &&
           text[0] >= 'a' && text[0] <= 'z' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") == bytes;
}

bool whet_replay__is_hash(const char *text)
{
    return strlen(text) == WHET_HASH_TEXT_BYTES - 1 &&
           strspn(text, "0123456789abcdef") == WHET_HASH_TEXT_BYTES - 1;
}
