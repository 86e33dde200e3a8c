/* Facts of a device to and from JSON. The files come from anywhere: each
 * member is checked for type and range, and text is escaped on its way in, as
 * the facts of a live device are. */

#include "device/replay_priv.h"

#include <string.h>

enum {
    WAVE_SIZE_MAX = 1 << 16,
    UNIT_COUNT_MAX = 1 << 20,
    CLOCK_MHZ_MAX = 1000000,
    CU_ITEMS_MAX = 1 << 20
};

whet_status whet_device__check_keys(const json_t *object,
                                    const char *const *keys, whet_err *err)
{
    size_t key_count = 0;
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return whet_err_set(err, WHET_EINVAL, "expected an object");
    while (keys[key_count] != NULL)
        key_count++;
    json_object_foreach((json_t *)object, key, value)
    {
        const char *close;
        size_t i = 0;

        while (i < key_count && strcmp(keys[i], key) != 0)
            i++;
        if (i < key_count)
            continue;
        close = whet_closest_name(key, keys, key_count);
        if (close != NULL)
            return whet_err_set(err, WHET_EINVAL,
                                "unknown member \"%.64s\", did you mean "
                                "\"%s\"?",
                                key, close);
        return whet_err_set(err, WHET_EINVAL, "unknown member \"%.64s\"", key);
    }
    return WHET_OK;
}

whet_status whet_device__opt_u64(uint64_t *out, const json_t *object,
                                 const char *key, int64_t max, whet_err *err)
{
    whet_status st;
    int64_t value;

    if (json_object_get(object, key) == NULL)
        return WHET_OK;
    st = whet_json_get_i64(&value, object, key, 0, max, err);
    if (st == WHET_OK)
        *out = (uint64_t)value;
    return st;
}

static whet_status opt_u32(uint32_t *out, const json_t *object, const char *key,
                           uint32_t max, whet_err *err)
{
    uint64_t value = *out;
    whet_status st = whet_device__opt_u64(&value, object, key, max, err);

    if (st == WHET_OK)
        *out = (uint32_t)value;
    return st;
}

whet_status whet_device__opt_text(char *out, size_t out_bytes,
                                  const json_t *object, const char *key,
                                  bool keep_newlines, whet_err *err)
{
    whet_status st = WHET_OK;
    whet_buf buf = {0};
    const char *text;

    out[0] = '\0';
    if (json_object_get(object, key) == NULL)
        return WHET_OK;
    if ((st = whet_json_get_str(&text, object, key, err)) != WHET_OK)
        return st;
    /* The largest field holds 4 KiB; do not escape 64 MiB to find out. */
    if (strlen(text) < out_bytes)
        whet_buf_escape(&buf, text, strlen(text), keep_newlines);
    if (buf.failed)
        st = whet_err_set(err, WHET_ENOMEM, "out of memory");
    else if (strlen(text) >= out_bytes || buf.bytes >= out_bytes)
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"%s\" is too long, expected at most %zu "
                          "bytes",
                          key, out_bytes - 1);
    else
        whet_strcopy(out, out_bytes, whet_buf_str(&buf));
    whet_buf_deinit(&buf);
    return st;
}

whet_status whet_device__opt_bool(bool *out, const json_t *object,
                                  const char *key, whet_err *err)
{
    whet_status st;
    bool value;

    if (json_object_get(object, key) == NULL)
        return WHET_OK;
    st = whet_json_get_bool(&value, object, key, err);
    if (st == WHET_OK)
        *out = value;
    return st;
}

/* Optional array of three integers. */
static whet_status opt_u64x3(uint64_t out[3], const json_t *object,
                             const char *key, whet_err *err)
{
    json_t *array;
    whet_status st;

    if (json_object_get(object, key) == NULL)
        return WHET_OK;
    st = whet_json_get_array(&array, object, key, err);
    if (st != WHET_OK)
        return st;
    for (size_t i = 0; i < 3; i++) {
        const json_t *item = json_array_get(array, i);

        if (json_array_size(array) != 3 || !json_is_integer(item) ||
            json_integer_value(item) < 0)
            return whet_err_set(err, WHET_EINVAL,
                                "member \"%s\": expected three integers, each "
                                "0 (unknown) or more",
                                key);
        out[i] = (uint64_t)json_integer_value(item);
    }
    return WHET_OK;
}

whet_status whet_device__limits_from_json(whet_limits *out,
                                          const json_t *object, whet_err *err)
{
    static const char *const keys[] = {
        "wave_size", "cu_count", "lds_bytes",    "group_items_max",
        "block_max", "grid_max", "memory_bytes", NULL};
    whet_status st = whet_device__check_keys(object, keys, err);

    if (st == WHET_OK)
        st = opt_u32(&out->wave_size, object, "wave_size", WAVE_SIZE_MAX, err);
    if (st == WHET_OK)
        st = opt_u32(&out->cu_count, object, "cu_count", UNIT_COUNT_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&out->lds_bytes, object, "lds_bytes",
                                  INT64_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&out->group_items_max, object,
                                  "group_items_max", INT64_MAX, err);
    if (st == WHET_OK)
        st = opt_u64x3(out->block_max, object, "block_max", err);
    if (st == WHET_OK)
        st = opt_u64x3(out->grid_max, object, "grid_max", err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&out->memory_bytes, object, "memory_bytes",
                                  INT64_MAX, err);
    return st;
}

static whet_status read_evidence(whet_evidence *out, const json_t *object,
                                 whet_err *err)
{
    char word[16];
    whet_status st = whet_device__opt_text(word, sizeof word, object,
                                           "evidence", false, err);

    *out = WHET_EVIDENCE_MEASURED;
    if (st != WHET_OK || word[0] == '\0')
        return st;
    for (int i = WHET_EVIDENCE_MEASURED; i <= WHET_EVIDENCE_SCRIPTED; i++) {
        if (strcmp(word, whet_evidence_name((whet_evidence)i)) != 0)
            continue;
        *out = (whet_evidence)i;
        return WHET_OK;
    }
    return whet_err_set(err, WHET_EINVAL,
                        "member \"evidence\" is \"%s\", expected \"measured\", "
                        "\"recorded\" or \"scripted\"",
                        word);
}

static whet_status read_texts(whet_device_facts *out, const json_t *object,
                              whet_err *err)
{
    const struct {
        const char *key;
        char *text;
        size_t bytes;
    } rows[] = {
        {"backend", out->backend, sizeof out->backend},
        {"name", out->name, sizeof out->name},
        {"arch", out->arch, sizeof out->arch},
        {"arch_features", out->arch_features, sizeof out->arch_features},
        {"arch_evidence", out->arch_evidence, sizeof out->arch_evidence},
        {"driver", out->driver, sizeof out->driver},
        {"pci", out->pci, sizeof out->pci},
        {"id", out->id, sizeof out->id}};
    whet_status st = WHET_OK;

    for (size_t i = 0; st == WHET_OK && i < sizeof rows / sizeof rows[0]; i++)
        st = whet_device__opt_text(rows[i].text, rows[i].bytes, object,
                                   rows[i].key, false, err);
    if (st == WHET_OK && out->id[0] != '\0' && !whet_replay__is_hash(out->id))
        st = whet_err_set(err, WHET_EINVAL,
                          "member \"id\": expected 64 lower-case hex digits");
    return st;
}

/* true, false, or unknown: no such member. */
static whet_status opt_known(whet_known *out, const json_t *object,
                             const char *key, whet_err *err)
{
    bool value = false;
    whet_status st = whet_device__opt_bool(&value, object, key, err);

    if (st == WHET_OK && json_object_get(object, key) != NULL)
        *out = value ? WHET_KNOWN_YES : WHET_KNOWN_NO;
    return st;
}

/* What the driver of a card with memory of its own tells; older files lack
 * it. */
static whet_status read_card(whet_device_facts *out, const json_t *object,
                             whet_err *err)
{
    whet_status st;

    out->physical_index = UINT32_MAX;
    st = opt_u32(&out->physical_index, object, "physical_index", UINT32_MAX,
                 err);
    if (st == WHET_OK)
        st = opt_u32(&out->memory_clock_mhz, object, "memory_clock_mhz",
                     CLOCK_MHZ_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&out->lds_cu_bytes, object, "lds_cu_bytes",
                                  INT64_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&out->register_count, object,
                                  "register_count", INT64_MAX, err);
    if (st == WHET_OK)
        st = opt_u32(&out->cu_items_max, object, "cu_items_max", CU_ITEMS_MAX,
                     err);
    if (st == WHET_OK)
        st = opt_known(&out->has_ecc, object, "has_ecc", err);
    if (st == WHET_OK)
        st = opt_known(&out->has_pageable_access, object, "has_pageable_access",
                       err);
    if (st == WHET_OK)
        st = opt_known(&out->is_exclusive, object, "is_exclusive", err);
    return st;
}

whet_status whet_device_facts_from_json(whet_device_facts *out,
                                        const json_t *object, whet_err *err)
{
    static const char *const keys[] = {"backend",
                                       "index",
                                       "name",
                                       "arch",
                                       "arch_features",
                                       "arch_evidence",
                                       "driver",
                                       "pci",
                                       "physical_index",
                                       "is_cpu",
                                       "id",
                                       "has_f64",
                                       "has_f16",
                                       "limits",
                                       "evidence",
                                       "clock_mhz",
                                       "llc_bytes",
                                       "memory_clock_mhz",
                                       "lds_cu_bytes",
                                       "register_count",
                                       "cu_items_max",
                                       "has_ecc",
                                       "has_pageable_access",
                                       "is_exclusive",
                                       NULL};
    whet_status st = whet_device__check_keys(object, keys, err);
    json_t *limits;

    *out = (whet_device_facts){0};
    if (st == WHET_OK)
        st = read_texts(out, object, err);
    if (st == WHET_OK)
        st = opt_u32(&out->index, object, "index", UINT32_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_bool(&out->is_cpu, object, "is_cpu", err);
    if (st == WHET_OK)
        st = whet_device__opt_bool(&out->has_f64, object, "has_f64", err);
    if (st == WHET_OK)
        st = whet_device__opt_bool(&out->has_f16, object, "has_f16", err);
    if (st == WHET_OK)
        st = opt_u32(&out->clock_mhz, object, "clock_mhz", CLOCK_MHZ_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&out->llc_bytes, object, "llc_bytes",
                                  INT64_MAX, err);
    if (st == WHET_OK)
        st = read_card(out, object, err);
    if (st == WHET_OK)
        st = read_evidence(&out->evidence, object, err);
    if (st == WHET_OK && json_object_get(object, "limits") != NULL) {
        st = whet_json_get_object(&limits, object, "limits", err);
        if (st == WHET_OK)
            st = whet_device__limits_from_json(&out->limits, limits, err);
        if (st != WHET_OK)
            st = whet_err_prefix(err, st, "limits");
    }
    return st;
}

static json_t *json_u64(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static json_t *json_u64x3(const uint64_t value[3])
{
    return json_pack("[o, o, o]", json_u64(value[0]), json_u64(value[1]),
                     json_u64(value[2]));
}

static json_t *limits_to_json(const whet_limits *limits)
{
    json_t *object = json_object();

    if (object != NULL &&
        whet_json_set(object, "wave_size", json_u64(limits->wave_size)) &&
        whet_json_set(object, "cu_count", json_u64(limits->cu_count)) &&
        whet_json_set(object, "lds_bytes", json_u64(limits->lds_bytes)) &&
        whet_json_set(object, "group_items_max",
                      json_u64(limits->group_items_max)) &&
        whet_json_set(object, "block_max", json_u64x3(limits->block_max)) &&
        whet_json_set(object, "grid_max", json_u64x3(limits->grid_max)) &&
        whet_json_set(object, "memory_bytes", json_u64(limits->memory_bytes)))
        return object;
    json_decref(object);
    return NULL;
}

/* Set a member of at most as many bytes as its fixed array holds. */
static bool set_text(json_t *object, const char *key, const char *text,
                     size_t array_bytes)
{
    return whet_json_set(
        object, key,
        whet_json_outside_text(text, strlen(text), array_bytes - 1));
}

/* What is not known is left out. */
static bool set_known(json_t *object, const char *key, whet_known known)
{
    return known == WHET_UNKNOWN ||
           whet_json_set(object, key, json_boolean(known == WHET_KNOWN_YES));
}

static bool set_count(json_t *object, const char *key, uint64_t value)
{
    return value == 0 || whet_json_set(object, key, json_u64(value));
}

static bool set_card(json_t *object, const whet_device_facts *facts)
{
    return (facts->arch_features[0] == '\0' ||
            set_text(object, "arch_features", facts->arch_features,
                     sizeof facts->arch_features)) &&
           (facts->arch_evidence[0] == '\0' ||
            set_text(object, "arch_evidence", facts->arch_evidence,
                     sizeof facts->arch_evidence)) &&
           (facts->physical_index == UINT32_MAX ||
            whet_json_set(object, "physical_index",
                          json_u64(facts->physical_index))) &&
           set_count(object, "memory_clock_mhz", facts->memory_clock_mhz) &&
           set_count(object, "lds_cu_bytes", facts->lds_cu_bytes) &&
           set_count(object, "register_count", facts->register_count) &&
           set_count(object, "cu_items_max", facts->cu_items_max) &&
           set_known(object, "has_ecc", facts->has_ecc) &&
           set_known(object, "has_pageable_access",
                     facts->has_pageable_access) &&
           set_known(object, "is_exclusive", facts->is_exclusive);
}

json_t *whet_device_facts_to_json(const whet_device_facts *facts)
{
    json_t *object = json_object();

    if (object != NULL &&
        set_text(object, "backend", facts->backend, sizeof facts->backend) &&
        set_text(object, "name", facts->name, sizeof facts->name) &&
        set_text(object, "arch", facts->arch, sizeof facts->arch) &&
        set_text(object, "driver", facts->driver, sizeof facts->driver) &&
        set_text(object, "pci", facts->pci, sizeof facts->pci) &&
        (facts->id[0] == '\0' ||
         set_text(object, "id", facts->id, sizeof facts->id)) &&
        whet_json_set(object, "index", json_u64(facts->index)) &&
        whet_json_set(object, "is_cpu", json_boolean(facts->is_cpu)) &&
        whet_json_set(object, "has_f64", json_boolean(facts->has_f64)) &&
        whet_json_set(object, "has_f16", json_boolean(facts->has_f16)) &&
        whet_json_set(object, "clock_mhz", json_u64(facts->clock_mhz)) &&
        whet_json_set(object, "llc_bytes", json_u64(facts->llc_bytes)) &&
        set_card(object, facts) &&
        whet_json_set(object, "evidence",
                      json_string(whet_evidence_name(facts->evidence))) &&
        whet_json_set(object, "limits", limits_to_json(&facts->limits)))
        return object;
    json_decref(object);
    return NULL;
}
