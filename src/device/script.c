/* Scripts of the null device. A script is written by hand for a test, so an
 * unknown member is an error with "did you mean" rather than a surprise. */

#include "device/script_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
    RULES_MAX = 4096,
    MATCH_BYTES_MAX = 1023,
    /* A shorter match would meet hashes by accident. */
    HASH_PREFIX_BYTES_MIN = 8,
    JITTER_PCT_MAX = 90
};

enum { SET_BUILD = 1, SET_TIME = 2, SET_JITTER = 4, SET_FAIL = 8 };

static const char *const effect_keys[] = {
    "build",          "time_ns", "jitter_pct", "fail", "fail_every",
    "fail_from_call", "match",   "workload",   NULL};

static whet_status read_build(whet_script_rule *rule, const json_t *object,
                              whet_err *err)
{
    static const char *const words[] = {"accept", "refuse", "timeout"};
    const char *word;
    whet_status st;

    if (json_object_get(object, "build") == NULL)
        return WHET_OK;
    st = whet_json_get_str(&word, object, "build", err);
    if (st != WHET_OK)
        return st;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) != 0)
            continue;
        rule->effect.build = (whet_script_build)i;
        rule->sets |= SET_BUILD;
        return WHET_OK;
    }
    return whet_err_set(err, WHET_EINVAL,
                        "member \"build\" is \"%.64s\", expected \"accept\", "
                        "\"refuse\" or \"timeout\"",
                        word);
}

static whet_status read_times(whet_script_rule *rule, const json_t *object,
                              whet_err *err)
{
    whet_script_effect *effect = &rule->effect;
    whet_status st;
    int64_t value;

    if (json_object_get(object, "time_ns") != NULL) {
        st = whet_json_get_i64(&value, object, "time_ns", 1,
                               WHET_REPLAY_TIME_MAX_NS, err);
        if (st != WHET_OK)
            return st;
        effect->time_ns = (uint64_t)value;
        rule->sets |= SET_TIME;
    }
    if (json_object_get(object, "jitter_pct") != NULL) {
        st = whet_json_get_f64(&effect->jitter_pct, object, "jitter_pct", err);
        if (st != WHET_OK)
            return st;
        if (!(effect->jitter_pct >= 0 && effect->jitter_pct <= JITTER_PCT_MAX))
            return whet_err_set(err, WHET_EINVAL,
                                "member \"jitter_pct\" is %g, expected 0 to %d",
                                effect->jitter_pct, JITTER_PCT_MAX);
        rule->sets |= SET_JITTER;
    }
    return WHET_OK;
}

static whet_status read_fail(whet_script_rule *rule, const json_t *object,
                             whet_err *err)
{
    whet_script_effect *effect = &rule->effect;
    const char *word;
    whet_status st;
    int64_t every = 1;

    if (json_object_get(object, "fail") == NULL) {
        if (json_object_get(object, "fail_every") != NULL ||
            json_object_get(object, "fail_from_call") != NULL)
            return whet_err_set(err, WHET_EINVAL,
                                "member \"fail\" is missing, expected a reason "
                                "beside \"fail_every\" or \"fail_from_call\"");
        return WHET_OK;
    }
    if ((st = whet_json_get_str(&word, object, "fail", err)) != WHET_OK)
        return st;
    if (word[0] != '\0' && !whet_replay__is_reason(word))
        return whet_err_set(err, WHET_EINVAL,
                            "member \"fail\" is \"%.64s\", expected a reason "
                            "such as \"mismatch\"",
                            word);
    whet_strcopy(effect->fail, sizeof effect->fail, word);
    if (json_object_get(object, "fail_every") != NULL)
        st = whet_json_get_i64(&every, object, "fail_every", 1, INT64_MAX, err);
    effect->fail_every = (uint64_t)every;
    if (st == WHET_OK)
        st = whet_device__opt_u64(&effect->fail_from_call, object,
                                  "fail_from_call", INT64_MAX, err);
    rule->sets |= SET_FAIL;
    return st;
}

static whet_status read_effect(whet_script_rule *rule, const json_t *object,
                               whet_err *err)
{
    whet_status st = whet_device__check_keys(object, effect_keys, err);

    if (st == WHET_OK)
        st = read_build(rule, object, err);
    if (st == WHET_OK)
        st = read_times(rule, object, err);
    if (st == WHET_OK)
        st = read_fail(rule, object, err);
    return st;
}

/* Copy a text member into the arena. */
static whet_status copy_text(const char **out, whet_script *script,
                             const json_t *object, const char *key,
                             whet_err *err)
{
    const char *text;
    whet_status st = whet_json_get_str(&text, object, key, err);

    if (st != WHET_OK)
        return st;
    if (text[0] == '\0' || strlen(text) > MATCH_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "member \"%s\" has %zu bytes, expected 1 to %d",
                            key, strlen(text), MATCH_BYTES_MAX);
    *out = whet_arena_strndup(script->arena, text, strlen(text));
    return *out != NULL ? WHET_OK
                        : whet_err_set(err, WHET_ENOMEM, "out of memory");
}

static whet_status read_rule(whet_script_rule *rule, whet_script *script,
                             const json_t *object, whet_err *err)
{
    whet_status st = read_effect(rule, object, err);

    if (st == WHET_OK)
        st = copy_text(&rule->match, script, object, "match", err);
    if (st == WHET_OK && json_object_get(object, "workload") != NULL)
        st = copy_text(&rule->workload, script, object, "workload", err);
    return st;
}

static whet_status read_rules(whet_script *script, const json_t *root,
                              whet_err *err)
{
    const json_t *fallback = json_object_get(root, "default");
    whet_status st = WHET_OK;
    json_t *array = NULL;
    size_t count = 0;

    if (json_object_get(root, "rules") != NULL) {
        st = whet_json_get_array(&array, root, "rules", err);
        if (st != WHET_OK)
            return st;
        count = json_array_size(array);
    }
    if (count > RULES_MAX)
        return whet_err_set(err, WHET_EINVAL, "%zu rules, expected at most %d",
                            count, RULES_MAX);
    script->rules =
        whet_arena_alloc(script->arena, (count + 1) * sizeof *script->rules);
    if (script->rules == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    script->rule_count = count + 1;
    script->rules[0].effect.time_ns = UINT64_C(1000000);
    if (fallback != NULL &&
        (st = read_effect(&script->rules[0], fallback, err)) != WHET_OK)
        return whet_err_prefix(err, st, "default");
    if (json_object_get(fallback, "match") != NULL ||
        json_object_get(fallback, "workload") != NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "default: takes no \"match\" or \"workload\", "
                            "expected them in \"rules\"");
    for (size_t i = 0; i < count; i++) {
        st = read_rule(&script->rules[i + 1], script, json_array_get(array, i),
                       err);
        if (st != WHET_OK)
            return whet_err_prefix(err, st, "rules[%zu]", i);
    }
    return WHET_OK;
}

static whet_status read_script(whet_script *script, const json_t *root,
                               whet_err *err)
{
    static const char *const keys[] = {"whet_script", "seed",   "epoch_ns",
                                       "build_ns",    "limits", "default",
                                       "rules",       NULL};
    const json_t *limits = json_object_get(root, "limits");
    whet_status st = whet_device__check_keys(root, keys, err);
    int64_t version;

    if (st == WHET_OK)
        st = whet_json_get_i64(&version, root, "whet_script", 1, 1, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&script->seed, root, "seed", INT64_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&script->epoch_ns, root, "epoch_ns",
                                  INT64_MAX, err);
    if (st == WHET_OK)
        st = whet_device__opt_u64(&script->build_ns, root, "build_ns",
                                  WHET_REPLAY_TIME_MAX_NS, err);
    if (st == WHET_OK && limits != NULL) {
        st = whet_device__limits_from_json(&script->limits, limits, err);
        if (st != WHET_OK)
            st = whet_err_prefix(err, st, "limits");
    }
    return st == WHET_OK ? read_rules(script, root, err) : st;
}

/* A device in the middle of what there is, so that plans of every shipped
 * skill bind to it. */
static const whet_limits default_limits = {
    .wave_size = 64,
    .cu_count = 8,
    .lds_bytes = UINT64_C(64) << 10,
    .group_items_max = 1024,
    .block_max = {1024, 1024, 1024},
    .grid_max = {INT32_MAX, 65535, 65535},
    .memory_bytes = UINT64_C(8) << 30,
};

whet_status whet_script__parse(whet_script **out, const char *text,
                               size_t bytes, const char *where, whet_err *err)
{
    static const char builtin[] = "{\"whet_script\": 1}";
    whet_status st = WHET_OK;
    whet_script *script = calloc(1, sizeof *script);
    json_t *root = NULL;

    *out = NULL;
    if (script == NULL || (script->arena = whet_arena_new()) == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
        goto out;
    }
    script->seed = 1;
    script->epoch_ns = WHET_REPLAY_EPOCH_NS;
    script->build_ns = UINT64_C(50000000);
    script->limits = default_limits;
    if (bytes == 0) {
        text = builtin;
        bytes = sizeof builtin - 1;
    }
    if ((st = whet_json_parse(&root, text, bytes, where, err)) != WHET_OK)
        goto out;
    if ((st = read_script(script, root, err)) != WHET_OK) {
        st = whet_err_prefix(err, st, "%s", where);
        goto out;
    }
    *out = script;
    script = NULL;
out:
    json_decref(root);
    whet_script__free(script);
    return st;
}

void whet_script__free(whet_script *script)
{
    if (script == NULL)
        return;
    whet_arena_free(script->arena);
    free(script);
}

/* Spaces around the point let a rule name a whole word: " RT=8 " does not
 * meet RT=80. */
static bool matches(const whet_script_rule *rule, const whet_hash *candidate,
                    const char *padded_point, const char *workload)
{
    size_t bytes;

    if (rule->workload != NULL &&
        (workload == NULL || strstr(workload, rule->workload) == NULL))
        return false;
    if (rule->match == NULL || strstr(padded_point, rule->match) != NULL)
        return true;
    bytes = strlen(rule->match);
    return bytes >= HASH_PREFIX_BYTES_MIN && bytes < sizeof candidate->text &&
           memcmp(candidate->text, rule->match, bytes) == 0;
}

whet_script_effect whet_script__effect(const whet_script *script,
                                       const whet_hash *candidate,
                                       const char *point_text,
                                       const char *workload)
{
    whet_script_effect effect = {0};
    char padded[4096];

    snprintf(padded, sizeof padded, " %.4000s ", point_text);
    for (size_t i = 0; i < script->rule_count; i++) {
        const whet_script_rule *rule = &script->rules[i];
        const whet_script_effect *with = &rule->effect;

        if (!matches(rule, candidate, padded, workload))
            continue;
        if (i == 0) {
            effect = *with;
            continue;
        }
        if (rule->sets & SET_BUILD)
            effect.build = with->build;
        if (rule->sets & SET_TIME)
            effect.time_ns = with->time_ns;
        if (rule->sets & SET_JITTER)
            effect.jitter_pct = with->jitter_pct;
        if (rule->sets & SET_FAIL) {
            memcpy(effect.fail, with->fail, sizeof effect.fail);
            effect.fail_every = with->fail_every;
            effect.fail_from_call = with->fail_from_call;
        }
    }
    return effect;
}

bool whet_script__fails(const whet_script_effect *effect, uint64_t call)
{
    if (effect->fail[0] == '\0' || call < effect->fail_from_call)
        return false;
    return (call - effect->fail_from_call) % effect->fail_every ==
           effect->fail_every - 1;
}
