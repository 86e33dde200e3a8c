/* One skill file: front matter between two lines "---", read by a YAML schema,
 * then the text. Whoever shares a skill is not trusted: everything is bounded,
 * and a template must lie inside the folder. */

#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

enum { SKILL_BYTES_MAX = 256 << 10 };

/* A gain beyond this is a typing error. */
static const double gain_max = 1e6;

static const char *const level_names[] = {"basic", "general", "advanced"};

enum { LEVEL_COUNT = sizeof level_names / sizeof level_names[0] };

/* What is read before it is known where templates lie. */
struct reader {
    whet_skill *skill;
    const char *template; /* borrowed from the document */
    const whet_yaml_node *template_node;
};

const char *whet_skill_level_name(whet_skill_level level)
{
    return level_names[level];
}

void whet_skill_deinit(whet_skill *skill)
{
    free(skill->template_path);
    free(skill->text);
    *skill = (whet_skill){0};
}

/* Lower-case letters, digits, '-', '_' and '.', starting with one of the
 * first two: harmless in a file name, in a table and in a query. */
static bool is_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";

    return text[0] != '\0' && strchr(plain, text[0]) != NULL &&
           text[strspn(text, all)] == '\0' && strlen(text) < WHET_NAME_BYTES;
}

static whet_status read_word(char out[WHET_NAME_BYTES], const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    const char *text;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    if (!is_word(text))
        return whet_yaml_error(doc, node, err,
                               "'%.80s' is not a name, expected lower-case "
                               "letters, digits, '-', '_' and '.', at most "
                               "%d bytes",
                               text, WHET_NAME_BYTES - 1);
    (void)whet_strcopy(out, WHET_NAME_BYTES, text);
    return WHET_OK;
}

/* Text that must fit: a sentence cut short may say the opposite. */
static whet_status read_text(char *out, size_t out_bytes, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    const char *text;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st == WHET_OK && !whet_strcopy(out, out_bytes, text))
        st = whet_yaml_error(doc, node, err,
                             "text of %zu bytes, expected at most %zu",
                             strlen(text), out_bytes - 1);
    return st;
}

static whet_status read_id(void *dest, const whet_yaml *doc,
                           const whet_yaml_node *node, whet_err *err)
{
    struct reader *reader = dest;

    return read_word(reader->skill->id, doc, node, err);
}

static whet_status read_level(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    struct reader *reader = dest;
    const char *text, *close;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (strcmp(text, level_names[i]) == 0) {
            reader->skill->level = (whet_skill_level)i;
            return WHET_OK;
        }
    close = whet_closest_name(text, level_names, LEVEL_COUNT);
    if (close != NULL)
        return whet_yaml_error(doc, node, err,
                               "unknown level '%.80s', did you mean '%s'?",
                               text, close);
    return whet_yaml_error(doc, node, err,
                           "unknown level '%.80s', expected basic, general or "
                           "advanced",
                           text);
}

static whet_status read_words(char (*out)[WHET_NAME_BYTES], unsigned *count_out,
                              const whet_yaml *doc, const whet_yaml_node *list,
                              whet_err *err)
{
    size_t count = whet_yaml_count(list);

    if (count > WHET_SKILL_APPLY_MAX)
        return whet_yaml_error(doc, list, err, "%zu names, expected at most %d",
                               count, WHET_SKILL_APPLY_MAX);
    for (size_t i = 0; i < count; i++) {
        const whet_yaml_node *item = whet_yaml_item(list, i);
        whet_status st;

        if (whet_yaml_kind_of(item) != WHET_YAML_SCALAR)
            return whet_yaml_error(doc, item, err, "expected a name");
        if ((st = read_word(out[i], doc, item, err)) != WHET_OK)
            return st;
    }
    *count_out = (unsigned)count;
    return WHET_OK;
}

static whet_status read_ops(void *dest, const whet_yaml *doc,
                            const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = dest;

    return read_words(skill->ops, &skill->op_count, doc, node, err);
}

static whet_status read_dtypes(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = dest;
    whet_status st =
        read_words(skill->dtypes, &skill->dtype_count, doc, node, err);

    for (unsigned i = 0; st == WHET_OK && i < skill->dtype_count; i++) {
        whet_err why = {0};
        whet_dtype dtype;

        if (whet_dtype_parse(&dtype, skill->dtypes[i], &why) != WHET_OK)
            st = whet_yaml_error(doc, whet_yaml_item(node, i), err, "%s",
                                 why.msg);
    }
    return st;
}

static whet_status read_features(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = dest;

    return read_words(skill->features, &skill->feature_count, doc, node, err);
}

static whet_status read_findings(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = dest;

    return read_words(skill->finding_codes, &skill->finding_code_count, doc,
                      node, err);
}

static whet_status read_applies(void *dest, const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    static const whet_yaml_field fields[] = {
        {"ops", WHET_YAML_SEQ, false, read_ops},
        {"dtypes", WHET_YAML_SEQ, false, read_dtypes},
        {"features", WHET_YAML_SEQ, false, read_features},
        {"finding_codes", WHET_YAML_SEQ, false, read_findings},
    };
    struct reader *reader = dest;

    return whet_yaml_walk(reader->skill, doc, node, fields,
                          sizeof fields / sizeof fields[0], err);
}

static whet_status read_ratio(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = dest;
    double ratio = 0;
    whet_status st = whet_yaml_f64(&ratio, doc, node, err);

    if (st != WHET_OK)
        return st;
    if (!(ratio > 0 && ratio <= gain_max))
        return whet_yaml_error(doc, node, err,
                               "ratio %g, expected above 0 to %g", ratio,
                               gain_max);
    skill->gain_ratio = ratio;
    return WHET_OK;
}

static whet_status read_samples(void *dest, const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = dest;
    int64_t samples = 0;
    whet_status st = whet_yaml_i64(&samples, doc, node, 1, INT32_MAX, err);

    skill->gain_samples = (unsigned)samples;
    return st;
}

static whet_status read_device(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = dest;

    return read_text(skill->gain_device, sizeof skill->gain_device, doc, node,
                     err);
}

static whet_status read_date(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    static const char shape[] = "0000-00-00";
    whet_skill *skill = dest;
    const char *text;
    bool is_date;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    is_date = strlen(text) == sizeof shape - 1;
    for (size_t i = 0; is_date && shape[i] != '\0'; i++)
        is_date =
            shape[i] == '-' ? text[i] == '-' : text[i] >= '0' && text[i] <= '9';
    if (!is_date)
        return whet_yaml_error(
            doc, node, err, "'%.40s' is not a date, expected YYYY-MM-DD", text);
    (void)whet_strcopy(skill->gain_date, sizeof skill->gain_date, text);
    return WHET_OK;
}

/* A number without what it was measured on is worth nothing, so these are
 * required; who has not measured leaves the whole key out. */
static whet_status read_gain(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    static const whet_yaml_field fields[] = {
        {"ratio", WHET_YAML_SCALAR, true, read_ratio},
        {"samples", WHET_YAML_SCALAR, true, read_samples},
        {"device", WHET_YAML_SCALAR, true, read_device},
        {"date", WHET_YAML_SCALAR, false, read_date},
    };
    struct reader *reader = dest;

    return whet_yaml_walk(reader->skill, doc, node, fields,
                          sizeof fields / sizeof fields[0], err);
}

static whet_status read_refuted_by(void *dest, const whet_yaml *doc,
                                   const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = ((struct reader *)dest)->skill;

    return read_text(skill->refuted_by, sizeof skill->refuted_by, doc, node,
                     err);
}

static whet_status read_source(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    whet_skill *skill = ((struct reader *)dest)->skill;

    return read_text(skill->source, sizeof skill->source, doc, node, err);
}

/* Does the path stay below the folder? */
static bool is_inside(const char *path)
{
    if (path[0] == '\0' || path[0] == '/')
        return false;
    while (path != NULL) {
        const char *slash = strchr(path, '/');
        size_t bytes = slash != NULL ? (size_t)(slash - path) : strlen(path);

        if (bytes == 0 || (bytes == 2 && path[0] == '.' && path[1] == '.'))
            return false;
        path = slash != NULL ? slash + 1 : NULL;
    }
    return true;
}

static whet_status read_template(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    struct reader *reader = dest;
    whet_status st = whet_yaml_str(&reader->template, doc, node, err);

    if (st != WHET_OK)
        return st;
    reader->template_node = node;
    if (!is_inside(reader->template))
        return whet_yaml_error(doc, node, err,
                               "template '%.80s', expected a path below the "
                               "skill's folder",
                               reader->template);
    return WHET_OK;
}

static const whet_yaml_field front_fields[] = {
    {"id", WHET_YAML_SCALAR, true, read_id},
    {"level", WHET_YAML_SCALAR, true, read_level},
    {"applies", WHET_YAML_MAP, true, read_applies},
    {"expected_gain", WHET_YAML_MAP, false, read_gain},
    {"refuted_by", WHET_YAML_SCALAR, true, read_refuted_by},
    {"source", WHET_YAML_SCALAR, true, read_source},
    {"template", WHET_YAML_SCALAR, false, read_template},
};

/* Is the line at `text` nothing but "---"? Its length with the line end goes
 * to *line_bytes either way. */
static bool is_fence(size_t *line_bytes, const char *text, size_t bytes)
{
    const char *end = bytes > 0 ? memchr(text, '\n', bytes) : NULL;
    size_t used = end != NULL ? (size_t)(end - text) : bytes;

    *line_bytes = end != NULL ? used + 1 : used;
    if (used > 0 && text[used - 1] == '\r')
        used--;
    return used == 3 && memcmp(text, "---", 3) == 0;
}

/* Front matter at [*front_at, *front_end), body from *body_at. */
static whet_status split(size_t *front_at, size_t *front_end, size_t *body_at,
                         const char *text, size_t bytes, const char *where,
                         whet_err *err)
{
    size_t at = 0, line;

    if (bytes > SKILL_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: %zu bytes, expected at most %d", where, bytes,
                            SKILL_BYTES_MAX);
    if (bytes > 0 && memchr(text, '\0', bytes) != NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: holds a NUL byte, expected text", where);
    if (!is_fence(&line, text, bytes))
        return whet_err_set(err, WHET_EINVAL,
                            "%s:1:1: no front matter, expected a line '---'",
                            where);
    *front_at = at = line;
    while (at < bytes && !is_fence(&line, text + at, bytes - at))
        at += line;
    if (at >= bytes)
        return whet_err_set(err, WHET_EINVAL,
                            "%s:1:1: front matter without end, expected a "
                            "second line '---'",
                            where);
    *front_end = at;
    *body_at = at + line;
    return WHET_OK;
}

/* Body without blank lines at its ends. */
static whet_status take_body(whet_skill *skill, const char *text, size_t bytes,
                             const char *where, whet_err *err)
{
    while (bytes > 0 && strchr(" \t\r\n", text[0]) != NULL) {
        text++;
        bytes--;
    }
    while (bytes > 0 && strchr(" \t\r\n", text[bytes - 1]) != NULL)
        bytes--;
    if (bytes == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: no text after the front matter, expected what "
                            "the skill does and why it pays",
                            where);
    skill->text = malloc(bytes + 1);
    if (skill->text == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
    memcpy(skill->text, text, bytes);
    skill->text[bytes] = '\0';
    return WHET_OK;
}

/* Finds the template and adds its bytes to the hash. */
static whet_status take_template(const struct reader *reader,
                                 whet_hasher *hasher, const whet_yaml *doc,
                                 const char *dir, whet_err *err)
{
    whet_skill *skill = reader->skill;
    whet_buf source = {0};
    whet_err why = {0};
    whet_status st;

    if (reader->template == NULL)
        return WHET_OK;
    skill->template_path = whet_fs_join(dir, reader->template);
    if (skill->template_path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "skill: out of memory");
    st = whet_fs_read(&source, skill->template_path, WHET_SOURCE_BYTES_MAX,
                      &why);
    if (st == WHET_OK)
        whet_hasher_add(hasher, "template", source.data, source.bytes);
    else if (st == WHET_ENOTFOUND || st == WHET_EINVAL)
        st = whet_yaml_error(doc, reader->template_node, err, "template: %s",
                             why.msg);
    else
        st = whet_err_set(err, st, "%s", why.msg);
    whet_buf_deinit(&source);
    return st;
}

whet_status whet_skill_parse(whet_skill *out, const char *text, size_t bytes,
                             const char *where, const char *dir, whet_err *err)
{
    struct reader reader = {.skill = out};
    size_t front_at = 0, front_end = 0, body_at = 0;
    whet_yaml *doc = NULL;
    whet_hasher hasher;
    whet_status st;

    *out = (whet_skill){0};
    st = split(&front_at, &front_end, &body_at, text, bytes, where, err);
    if (st != WHET_OK)
        return st;
    st = whet_yaml_parse(&doc, text + front_at, front_end - front_at, where, 2,
                         err);
    if (st != WHET_OK)
        goto out;
    if (whet_yaml_root(doc) == NULL) {
        st = whet_yaml_error(doc, NULL, err,
                             "empty front matter, expected id, "
                             "level and so on");
        goto out;
    }
    st = whet_yaml_walk(&reader, doc, whet_yaml_root(doc), front_fields,
                        sizeof front_fields / sizeof front_fields[0], err);
    if (st != WHET_OK)
        goto out;
    whet_hasher_init(&hasher);
    whet_hasher_add(&hasher, "skill", text, bytes);
    st = take_template(&reader, &hasher, doc, dir, err);
    if (st == WHET_OK)
        st = take_body(out, text + body_at, bytes - body_at, where, err);
    out->hash = whet_hasher_finish(&hasher);
out:
    if (st != WHET_OK)
        whet_skill_deinit(out);
    whet_yaml_free(doc);
    return st;
}
