/* Reading a parsed YAML tree: typed scalars, entries, and the schema walk. */

#include "base/yaml.h"
#include "base/yaml_priv.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const whet_yaml_node *whet_yaml_root(const whet_yaml *doc)
{
    return doc->root;
}

unsigned whet_yaml_kind_of(const whet_yaml_node *node)
{
    return node->kind;
}

whet_status whet_yaml_error(const whet_yaml *doc, const whet_yaml_node *node,
                            whet_err *err, const char *fmt, ...)
{
    va_list args;

    if (err == NULL)
        return WHET_EINVAL;
    va_start(args, fmt);
    whet_err_vset(err, WHET_EINVAL, fmt, args);
    va_end(args);
    return whet_err_prefix(err, WHET_EINVAL, "%s:%d:%d", doc->where,
                           node ? node->line : doc->first_line,
                           node ? node->column : 1);
}

size_t whet_yaml_count(const whet_yaml_node *node)
{
    return node->count;
}

const whet_yaml_node *whet_yaml_item(const whet_yaml_node *seq, size_t index)
{
    if (seq->kind != WHET_YAML_SEQ || index >= seq->count)
        return NULL;
    return seq->items[index];
}

const whet_yaml_node *whet_yaml_entry(const whet_yaml *doc,
                                      const whet_yaml_node *map, size_t index,
                                      const char **key_out,
                                      const whet_yaml_node **key_node_out)
{
    const whet_yaml_node *key = NULL;
    const whet_yaml_node *value = NULL;

    (void)doc;
    if (map->kind == WHET_YAML_MAP && index < map->count) {
        key = map->items[2 * index];
        value = map->items[2 * index + 1];
    }
    if (key_out != NULL)
        *key_out = key ? key->text : NULL;
    if (key_node_out != NULL)
        *key_node_out = key;
    return value;
}

const whet_yaml_node *whet_yaml_find(const whet_yaml_node *map, const char *key)
{
    size_t i;

    if (map->kind != WHET_YAML_MAP)
        return NULL;
    for (i = 0; i < map->count; i++) {
        const char *text = map->items[2 * i]->text;

        if (text != NULL && strcmp(text, key) == 0)
            return map->items[2 * i + 1];
    }
    return NULL;
}

static const char *kind_name(unsigned kinds)
{
    switch (kinds) {
    case WHET_YAML_SCALAR:
        return "a single value";
    case WHET_YAML_SEQ:
        return "a list";
    case WHET_YAML_MAP:
        return "a mapping";
    case WHET_YAML_SCALAR | WHET_YAML_SEQ:
        return "a single value or a list";
    case WHET_YAML_SCALAR | WHET_YAML_MAP:
        return "a single value or a mapping";
    case WHET_YAML_SEQ | WHET_YAML_MAP:
        return "a list or a mapping";
    default:
        return "a value";
    }
}

/* The text of a scalar that is there, or an error naming what was wanted. */
static whet_status scalar_text(const char **out, const whet_yaml *doc,
                               const whet_yaml_node *node, const char *wanted,
                               bool must_be_plain, whet_err *err)
{
    *out = NULL;
    if (node->kind != WHET_YAML_SCALAR)
        return whet_yaml_error(doc, node, err, "%s, expected %s",
                               kind_name(node->kind), wanted);
    if (node->is_absent)
        return whet_yaml_error(doc, node, err, "no value, expected %s", wanted);
    if (must_be_plain && !node->is_plain)
        return whet_yaml_error(doc, node, err,
                               "text in quotes '%.60s', expected %s",
                               node->text, wanted);
    *out = node->text;
    return WHET_OK;
}

whet_status whet_yaml_str(const char **out, const whet_yaml *doc,
                          const whet_yaml_node *node, whet_err *err)
{
    return scalar_text(out, doc, node, "a text", false, err);
}

whet_status whet_yaml_i64(int64_t *out, const whet_yaml *doc,
                          const whet_yaml_node *node, int64_t min, int64_t max,
                          whet_err *err)
{
    const char *text;
    const char *digits;
    char *end;
    long long value;
    whet_status st = scalar_text(&text, doc, node, "an integer", true, err);

    *out = 0;
    if (st != WHET_OK)
        return st;
    digits = text + (text[0] == '-' || text[0] == '+');
    errno = 0;
    value = strtoll(text, &end, 10);
    if (digits[strspn(digits, "0123456789")] != '\0' || digits[0] == '\0')
        return whet_yaml_error(doc, node, err,
                               "'%.60s', expected an integer from %lld to %lld",
                               text, (long long)min, (long long)max);
    if (errno == ERANGE || value < min || value > max)
        return whet_yaml_error(doc, node, err,
                               "%.60s out of range, expected %lld to %lld",
                               text, (long long)min, (long long)max);
    *out = value;
    return WHET_OK;
}

whet_status whet_yaml_f64(double *out, const whet_yaml *doc,
                          const whet_yaml_node *node, whet_err *err)
{
    const char *text;
    char *end;
    double value;
    whet_status st = scalar_text(&text, doc, node, "a number", true, err);

    *out = 0;
    if (st != WHET_OK)
        return st;
    /* strtod alone would take hexadecimal, infinity and NaN. */
    value = strtod(text, &end);
    if (text[strspn(text, "+-.0123456789eE")] != '\0' || end == text ||
        *end != '\0' || !isfinite(value))
        return whet_yaml_error(doc, node, err,
                               "'%.60s', expected a finite number", text);
    *out = value;
    return WHET_OK;
}

/* Complain about a key that no field has. */
static whet_status unknown_key(const whet_yaml *doc, const whet_yaml_node *key,
                               const whet_yaml_field *fields,
                               size_t field_count, whet_err *err)
{
    const char **names = calloc(field_count + 1, sizeof *names);
    const char *near = NULL;
    whet_buf list = {0};
    size_t i;
    whet_status st;

    for (i = 0; i < field_count; i++) {
        if (names != NULL)
            names[i] = fields[i].key;
        whet_buf_printf(&list, "%s%s", i ? ", " : "", fields[i].key);
    }
    if (names != NULL)
        near = whet_closest_name(key->text, names, field_count);
    if (near != NULL)
        st = whet_yaml_error(doc, key, err,
                             "unknown key '%.60s', did you mean '%s'?",
                             key->text, near);
    else
        st = whet_yaml_error(doc, key, err,
                             "unknown key '%.60s', expected one of: %s",
                             key->text, whet_buf_str(&list));
    whet_buf_deinit(&list);
    free(names);
    return st;
}

static const whet_yaml_field *
field_of(const char *key, const whet_yaml_field *fields, size_t field_count)
{
    size_t i;

    for (i = 0; i < field_count; i++)
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

static whet_status check_keys(const whet_yaml *doc, const whet_yaml_node *map,
                              const whet_yaml_field *fields, size_t field_count,
                              whet_err *err)
{
    size_t i;

    for (i = 0; i < map->count; i++) {
        const whet_yaml_node *key = map->items[2 * i];

        if (key->text == NULL)
            return whet_yaml_error(doc, key, err,
                                   "%s as a key, expected a word",
                                   kind_name(key->kind));
        if (field_of(key->text, fields, field_count) == NULL)
            return unknown_key(doc, key, fields, field_count, err);
    }
    return WHET_OK;
}

whet_status whet_yaml_walk(void *dest, const whet_yaml *doc,
                           const whet_yaml_node *map,
                           const whet_yaml_field *fields, size_t field_count,
                           whet_err *err)
{
    whet_status st;
    size_t i;

    if (map == NULL || map->kind != WHET_YAML_MAP)
        return whet_yaml_error(doc, map, err, "%s, expected a mapping",
                               map ? kind_name(map->kind) : "nothing");
    if ((st = check_keys(doc, map, fields, field_count, err)) != WHET_OK)
        return st;
    for (i = 0; i < field_count; i++) {
        const whet_yaml_node *value = whet_yaml_find(map, fields[i].key);

        if (value == NULL && fields[i].required)
            return whet_yaml_error(doc, map, err, "key '%s' is missing",
                                   fields[i].key);
        if (value == NULL)
            continue;
        if ((value->kind & fields[i].kinds) == 0)
            return whet_yaml_error(doc, value, err, "%s: %s, expected %s",
                                   fields[i].key, kind_name(value->kind),
                                   kind_name(fields[i].kinds));
        if ((st = fields[i].read(dest, doc, value, err)) != WHET_OK)
            return st;
    }
    return WHET_OK;
}
