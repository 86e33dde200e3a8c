/* Rules of the protocol that fired in a judgement: a list in the verdict, so
 * that a reader sees what was out of the ordinary without asking. */

#include "judge/judge_priv.h"

#include <stdio.h>
#include <string.h>

void whet_judge__rule(whet_verdict *out, const char *name, const char *text)
{
    whet_verdict_rule *rule;
    uint32_t i;

    for (i = 0; i < out->rule_count; i++)
        if (strcmp(out->rules[i].name, name) == 0) {
            out->rules[i].count++;
            return;
        }
    if (out->rule_count == WHET_RULE_MAX)
        return; /* there are fewer rules than that */
    rule = &out->rules[out->rule_count++];
    memset(rule, 0, sizeof *rule);
    rule->count = 1;
    (void)whet_strcopy(rule->name, sizeof rule->name, name);
    (void)whet_strcopy(rule->text, sizeof rule->text, text);
}

json_t *whet_judge__rules_to_json(const whet_verdict *v)
{
    json_t *array = json_array();
    uint32_t i;

    for (i = 0; i < v->rule_count; i++) {
        const whet_verdict_rule *rule = &v->rules[i];

        json_array_append_new(
            array, json_pack("{s:s,s:I,s:o}", "name", rule->name, "count",
                             (json_int_t)rule->count, "text",
                             whet_json_outside_text(rule->text,
                                                    strlen(rule->text), 4096)));
    }
    return array;
}

whet_status whet_judge__read_word(char *out, size_t bytes, const json_t *json,
                                  const char *key, whet_err *err)
{
    const char *text;
    size_t i;
    whet_status st = whet_json_get_str(&text, json, key, err);

    if (st != WHET_OK)
        return st;
    for (i = 0; text[i] != '\0'; i++)
        if (i + 1 >= bytes || (unsigned char)text[i] < ' ' || text[i] == 127)
            return whet_err_set(err, WHET_EINVAL,
                                "%s: expected short plain text", key);
    (void)whet_strcopy(out, bytes, text);
    return WHET_OK;
}

static whet_status read_rule(whet_verdict_rule *rule, const json_t *json,
                             whet_err *err)
{
    int64_t count;
    whet_status st;

    if (!json_is_object(json))
        return whet_err_set(err, WHET_EINVAL, "rules: expected objects");
    if ((st = whet_judge__read_word(rule->name, sizeof rule->name, json, "name",
                                    err)) != WHET_OK ||
        (st = whet_judge__read_word(rule->text, sizeof rule->text, json, "text",
                                    err)) != WHET_OK ||
        (st = whet_json_get_i64(&count, json, "count", 1, UINT32_MAX, err)) !=
            WHET_OK)
        return whet_err_prefix(err, st, "rules");
    rule->count = (uint32_t)count;
    return WHET_OK;
}

whet_status whet_judge__rules_from_json(whet_verdict *v, const json_t *json,
                                        whet_err *err)
{
    whet_status st = WHET_OK;
    json_t *array;
    size_t i;

    /* Older verdicts lack it. */
    if (json_object_get(json, "rules") == NULL)
        return WHET_OK;
    st = whet_json_get_array(&array, json, "rules", err);
    if (st == WHET_OK && json_array_size(array) > WHET_RULE_MAX)
        st = whet_err_set(err, WHET_EINVAL, "rules: %zu entries, at most %d",
                          json_array_size(array), WHET_RULE_MAX);
    for (i = 0; st == WHET_OK && i < json_array_size(array); i++) {
        st = read_rule(&v->rules[i], json_array_get(array, i), err);
        if (st == WHET_OK)
            v->rule_count = (uint32_t)i + 1;
    }
    return st;
}

void whet_judge__rules_print(whet_buf *out, const whet_verdict *v)
{
    uint32_t i;

    for (i = 0; i < v->rule_count; i++) {
        const whet_verdict_rule *rule = &v->rules[i];

        whet_buf_printf(out, "  rule       %s", rule->name);
        if (rule->count > 1)
            whet_buf_printf(out, " (%u times)", rule->count);
        whet_buf_printf(out, "%s%s\n", rule->text[0] ? ": " : "", rule->text);
    }
}
