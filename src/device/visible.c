/* The *_VISIBLE_DEVICES variables, followed as the runtimes follow them. */

#include "device/visible_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIDDEN = -1, UNKNOWN = -2 };

void whet_visible__env(whet_visible_env *out)
{
    out->cuda = getenv("CUDA_VISIBLE_DEVICES");
    out->hip = getenv("HIP_VISIBLE_DEVICES");
    out->rocr = getenv("ROCR_VISIBLE_DEVICES");
}

/* Position among `count` cards that a word names, HIDDEN if it names none, or
 * UNKNOWN if it names one that cannot be told from here. */
static int64_t word_index(const char *word, size_t bytes,
                          const char *const *uuids, const uint32_t *physical,
                          uint32_t count)
{
    int64_t value = 0;
    bool has_uuids = false;
    size_t i;

    if (bytes > 4 &&
        (strncmp(word, "GPU-", 4) == 0 || strncmp(word, "MIG-", 4) == 0)) {
        for (i = 0; i < count && uuids != NULL; i++) {
            const char *uuid =
                physical[i] == UINT32_MAX ? NULL : uuids[physical[i]];

            has_uuids = has_uuids || uuid != NULL;
            if (uuid != NULL && strncmp(uuid, word, bytes) == 0)
                return (int64_t)i;
        }
        return has_uuids && word[0] == 'G' ? HIDDEN : UNKNOWN;
    }
    if (bytes == 0 || bytes > 9)
        return HIDDEN;
    for (i = 0; i < bytes; i++) {
        if (word[i] < '0' || word[i] > '9')
            return HIDDEN;
        value = value * 10 + (word[i] - '0');
    }
    return value < count ? value : HIDDEN;
}

/* Is a known card already in the list? */
static bool has(const whet_visible_map *map, uint32_t physical)
{
    uint32_t i;

    for (i = 0; i < map->count; i++)
        if (physical != UINT32_MAX && map->physical[i] == physical)
            return true;
    return false;
}

/* Keep what `list` names of the cards in `map`, in the order of the list. */
static void keep(whet_visible_map *map, const char *list,
                 const char *const *uuids)
{
    uint32_t before[WHET_CARD_MAX];
    uint32_t before_count = map->count;
    const char *at = list;

    memcpy(before, map->physical, sizeof before);
    map->count = 0;
    while (map->count < WHET_CARD_MAX) {
        size_t bytes;
        int64_t index;
        uint32_t physical;

        at += strspn(at, " \t");
        bytes = strcspn(at, ", \t");
        index = word_index(at, bytes, uuids, before, before_count);
        physical = index >= 0 ? before[index] : UINT32_MAX;
        if (index == HIDDEN || has(map, physical))
            return;
        map->physical[map->count++] = physical;
        at += bytes;
        at += strspn(at, " \t");
        if (*at != ',')
            return;
        at++;
    }
}

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

void whet_visible__map(whet_visible_map *out, whet_visible_family family,
                       const whet_visible_env *env, const char *const *uuids,
                       uint32_t physical_count)
{
    uint32_t i;

    memset(out, 0, sizeof *out);
    out->count =
        physical_count < WHET_CARD_MAX ? physical_count : WHET_CARD_MAX;
    for (i = 0; i < out->count; i++)
        out->physical[i] = i;
    if (family == WHET_VISIBLE_CUDA) {
        if (env->cuda != NULL)
            keep(out, env->cuda, uuids);
        return;
    }
    if (env->rocr != NULL)
        keep(out, env->rocr, uuids);
    if (is_set(env->hip))
        keep(out, env->hip, uuids);
    else if (is_set(env->cuda))
        keep(out, env->cuda, uuids);
    if (is_set(env->rocr) && (is_set(env->hip) || is_set(env->cuda)))
        snprintf(out->warning, sizeof out->warning,
                 "ROCR_VISIBLE_DEVICES renumbers before %s counts: set one, "
                 "not both",
                 is_set(env->hip) ? "HIP_VISIBLE_DEVICES"
                                  : "CUDA_VISIBLE_DEVICES");
}

void whet_visible_warning(char text[160])
{
    whet_visible_env env;
    whet_visible_map map;

    whet_visible__env(&env);
    whet_visible__map(&map, WHET_VISIBLE_HIP, &env, NULL, 0);
    (void)whet_strcopy(text, 160, map.warning);
}
