/* Points of the tuning space: enumeration, text form, macros, hash. */

#include "candidate/candidate_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

whet_hash whet_candidate_hash(const whet_candidate *candidate,
                              const whet_point *point)
{
    whet_hasher hasher;

    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "kind", "whet candidate 1");
    whet_hasher_add_str(&hasher, "language", candidate->language);
    whet_hasher_add(&hasher, "source", candidate->source,
                    candidate->source_bytes);
    for (unsigned i = 0; i < candidate->tunable_count; i++) {
        char value[32];

        snprintf(value, sizeof value, "%lld", (long long)point->value[i]);
        whet_hasher_add_str(&hasher, candidate->tunables[i].name, value);
    }
    return whet_hasher_finish(&hasher);
}

whet_point whet_candidate_default_point(const whet_candidate *candidate)
{
    whet_point point = {{0}};

    for (unsigned i = 0; i < candidate->tunable_count; i++)
        point.value[i] = candidate->tunables[i].domain[0];
    return point;
}

void whet_point_format(char *text, size_t text_bytes,
                       const whet_candidate *candidate, const whet_point *point)
{
    size_t used = 0;

    if (text_bytes == 0)
        return;
    snprintf(text, text_bytes, "%s", candidate->tunable_count == 0 ? "-" : "");
    for (unsigned i = 0; i < candidate->tunable_count && used < text_bytes;
         i++) {
        int wrote = snprintf(text + used, text_bytes - used, "%s%s=%lld",
                             i == 0 ? "" : " ", candidate->tunables[i].name,
                             (long long)point->value[i]);

        if (wrote < 0)
            return;
        used += (size_t)wrote;
    }
}

static whet_status find_tunable(unsigned *out, const whet_candidate *candidate,
                                const char *name, whet_err *err)
{
    const char *names[WHET_TUNABLE_MAX];
    const char *close;

    for (unsigned i = 0; i < candidate->tunable_count; i++) {
        names[i] = candidate->tunables[i].name;
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return WHET_OK;
        }
    }
    close = whet_closest_name(name, names, candidate->tunable_count);
    if (close != NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "unknown tunable '%s', did you mean '%s'?", name,
                            close);
    if (candidate->tunable_count == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "unknown tunable '%s', the candidate has none",
                            name);
    return whet_err_set(err, WHET_EINVAL,
                        "unknown tunable '%s', expected one like %s", name,
                        names[0]);
}

static bool is_in_domain(const whet_tunable *tunable, int64_t value)
{
    for (unsigned i = 0; i < tunable->domain_count; i++) {
        if (tunable->domain[i] == value)
            return true;
    }
    return false;
}

whet_status whet_candidate__check_value(const whet_tunable *tunable,
                                        int64_t value, whet_err *err)
{
    whet_buf text = {0};
    whet_status st;

    if (is_in_domain(tunable, value))
        return WHET_OK;
    for (unsigned i = 0; i < tunable->domain_count; i++)
        whet_buf_printf(&text, "%s%lld", i == 0 ? "" : " ",
                        (long long)tunable->domain[i]);
    st = whet_err_set(err, WHET_EINVAL,
                      "%s=%lld is not in its domain, expected one of %s",
                      tunable->name, (long long)value, whet_buf_str(&text));
    whet_buf_deinit(&text);
    return st;
}

/* "NAME=VALUE" of `bytes` bytes. */
static whet_status parse_setting(whet_point *point, bool *is_set,
                                 const whet_candidate *candidate,
                                 const char *text, size_t bytes, whet_err *err)
{
    char name[WHET_NAME_BYTES] = "", number[32] = "";
    const char *equals = memchr(text, '=', bytes);
    const size_t name_bytes = equals != NULL ? (size_t)(equals - text) : bytes;
    const size_t number_bytes = equals != NULL ? bytes - name_bytes - 1 : 0;
    char *end = number;
    unsigned index = 0;
    whet_status st;

    if (equals == NULL || !whet_is_identifier(text, name_bytes) ||
        number_bytes == 0 || number_bytes >= sizeof number)
        return whet_err_set(err, WHET_EINVAL, "'%.*s', expected NAME=VALUE",
                            (int)(bytes < 80 ? bytes : 80), text);
    memcpy(name, text, name_bytes);
    memcpy(number, equals + 1, number_bytes);
    if ((st = find_tunable(&index, candidate, name, err)) != WHET_OK)
        return st;
    errno = 0;
    point->value[index] = strtoll(number, &end, 10);
    if (errno != 0 || *end != '\0' ||
        (number[0] != '-' && (number[0] < '0' || number[0] > '9')))
        return whet_err_set(err, WHET_EINVAL,
                            "'%s' is no value for %s, expected an integer",
                            number, name);
    if (is_set[index])
        return whet_err_set(err, WHET_EINVAL,
                            "%s is given twice, expected it once", name);
    is_set[index] = true;
    return whet_candidate__check_value(&candidate->tunables[index],
                                       point->value[index], err);
}

whet_status whet_point_parse(whet_point *out, const whet_candidate *candidate,
                             const char *text, whet_err *err)
{
    static const char separators[] = ", \t";
    bool is_set[WHET_TUNABLE_MAX] = {false};
    whet_point point = whet_candidate_default_point(candidate);
    whet_status st = WHET_OK;

    memset(out, 0, sizeof *out);
    if (strcmp(text, "-") == 0)
        text = "";
    text += strspn(text, separators);
    while (st == WHET_OK && *text != '\0') {
        const size_t bytes = strcspn(text, separators);

        st = parse_setting(&point, is_set, candidate, text, bytes, err);
        text += bytes;
        text += strspn(text, separators);
    }
    if (st == WHET_OK)
        *out = point;
    return st;
}

uint64_t whet_candidate_point_count(const whet_candidate *candidate)
{
    uint64_t count = 1;

    for (unsigned i = 0; i < candidate->tunable_count; i++) {
        if (__builtin_mul_overflow(
                count, (uint64_t)candidate->tunables[i].domain_count, &count))
            return UINT64_MAX;
    }
    return count;
}

whet_point whet_candidate_point_at(const whet_candidate *candidate,
                                   uint64_t index)
{
    whet_point point = {{0}};

    for (unsigned i = candidate->tunable_count; i-- > 0;) {
        const whet_tunable *tunable = &candidate->tunables[i];

        point.value[i] = tunable->domain[index % tunable->domain_count];
        index /= tunable->domain_count;
    }
    return point;
}

unsigned
whet_candidate_defines(char out[WHET_TUNABLE_MAX][WHET_NAME_BYTES + 32],
                       const whet_candidate *candidate, const whet_point *point)
{
    for (unsigned i = 0; i < candidate->tunable_count; i++)
        snprintf(out[i], sizeof out[i], "-D%s=%lld",
                 candidate->tunables[i].name, (long long)point->value[i]);
    return candidate->tunable_count;
}
