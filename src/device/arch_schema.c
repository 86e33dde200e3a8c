/* An architecture's record: YAML -> whet_arch. One table of fields per
 * mapping; a figure names its source by a key of `sources`, which is read
 * first. docs/write-an-arch-record.md is the manual. */

#include "device/arch_priv.h"

#include <stddef.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const char *const trust_names[] = {"none", "reported", "vendor"};
static const char *const fp8_names[] = {"none", "ocp", "fnuz"};

const char *whet_trust_name(whet_trust trust)
{
    return (unsigned)trust < COUNT_OF(trust_names) ? trust_names[trust]
                                                   : "none";
}

const char *whet_fp8_name(whet_fp8 fp8)
{
    return (unsigned)fp8 < COUNT_OF(fp8_names) ? fp8_names[fp8] : "none";
}

bool whet_figure_is_usable(const whet_figure *figure)
{
    return figure->is_known && figure->trust != WHET_TRUST_NONE &&
           figure->conflict[0] == '\0';
}

/* The record at hand and the part of it that a nested reader fills. */
typedef struct part {
    whet_arch *arch;
    const whet_yaml_node *sources;
    whet_figure *figure;
    whet_arch_unit *unit;
} part;

static whet_status read_text(char *out, size_t out_bytes, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    const char *text;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    if (text[0] == '\0' || strlen(text) >= out_bytes)
        return whet_yaml_error(doc, node, err,
                               "a text of %zu bytes, expected 1 to %zu",
                               strlen(text), out_bytes - 1);
    whet_strcopy(out, out_bytes, text);
    return WHET_OK;
}

/* Lower-case letters, digits, '_' and, for units, '.'. */
static bool is_word(const char *text, bool allows_dot)
{
    return text[0] != '\0' && text[0] != '.' &&
           text[strspn(text, allows_dot
                                 ? "abcdefghijklmnopqrstuvwxyz0123456789_."
                                 : "abcdefghijklmnopqrstuvwxyz0123456789_")] ==
               '\0';
}

static whet_status read_word(char out[24], bool allows_dot,
                             const whet_yaml *doc, const whet_yaml_node *node,
                             whet_err *err)
{
    whet_status st = read_text(out, 24, doc, node, err);

    if (st == WHET_OK && !is_word(out, allows_dot))
        return whet_yaml_error(doc, node, err,
                               "'%s' is no word, expected a-z 0-9 _", out);
    return st;
}

static whet_status read_choice(unsigned *out, const char *const *names,
                               size_t count, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    const char *text, *close;
    size_t i;
    whet_status st = whet_yaml_str(&text, doc, node, err);

    if (st != WHET_OK)
        return st;
    for (i = 0; i < count; i++)
        if (strcmp(names[i], text) == 0) {
            *out = (unsigned)i;
            return WHET_OK;
        }
    close = whet_closest_name(text, names, count);
    return whet_yaml_error(doc, node, err, "'%.40s', %s %s", text,
                           close != NULL ? "did you mean" : "expected one like",
                           close != NULL ? close : names[count - 1]);
}

/* --- a figure ------------------------------------------------------------- */

static whet_status read_value(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    whet_figure *figure = ((part *)dest)->figure;
    whet_status st = whet_yaml_f64(&figure->value, doc, node, err);

    if (st == WHET_OK && !(figure->value >= 0 && figure->value < 1e18))
        return whet_yaml_error(doc, node, err,
                               "%g, expected a number from 0 to 1e18",
                               figure->value);
    figure->is_known = true;
    return st;
}

static whet_status read_trust(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    unsigned trust = 0;
    whet_status st =
        read_choice(&trust, trust_names, COUNT_OF(trust_names), doc, node, err);

    ((part *)dest)->figure->trust = (whet_trust)trust;
    return st;
}

static whet_status read_source(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    part *my = dest;
    const whet_yaml_node *source;
    const char *key;
    whet_status st = whet_yaml_str(&key, doc, node, err);

    if (st != WHET_OK)
        return st;
    source = my->sources != NULL ? whet_yaml_find(my->sources, key) : NULL;
    if (source == NULL)
        return whet_yaml_error(doc, node, err,
                               "'%.40s', expected a key of sources", key);
    return read_text(my->figure->source, sizeof my->figure->source, doc, source,
                     err);
}

static whet_status read_conflict(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    whet_figure *figure = ((part *)dest)->figure;

    if (figure->trust != WHET_TRUST_NONE)
        return whet_yaml_error(doc, node, err,
                               "a figure in conflict has trust '%s', expected "
                               "none",
                               whet_trust_name(figure->trust));
    return read_text(figure->conflict, sizeof figure->conflict, doc, node, err);
}

static const whet_yaml_field figure_fields[] = {
    {"value", WHET_YAML_SCALAR, true, read_value},
    {"trust", WHET_YAML_SCALAR, true, read_trust},
    {"source", WHET_YAML_SCALAR, true, read_source},
    {"conflict", WHET_YAML_SCALAR, false, read_conflict},
};

static whet_status read_figure(part *my, whet_figure *figure,
                               const whet_yaml *doc, const whet_yaml_node *node,
                               whet_err *err)
{
    my->figure = figure;
    return whet_yaml_walk(my, doc, node, figure_fields, COUNT_OF(figure_fields),
                          err);
}

#define FIGURE(name)                                                           \
    {                                                                          \
#name, offsetof(whet_arch, name)                                       \
    }
static const struct {
    const char *key;
    size_t offset; /* Of a whet_figure in whet_arch. */
} figures[] = {
    FIGURE(wave_size),         FIGURE(simds_cu),
    FIGURE(waves_simd_max),    FIGURE(groups_cu_max),
    FIGURE(group_items_max),   FIGURE(vgpr_simd_count),
    FIGURE(vgpr_wave_max),     FIGURE(vgpr_granule),
    FIGURE(sgpr_simd_count),   FIGURE(sgpr_wave_max),
    FIGURE(lds_cu_bytes),      FIGURE(lds_group_bytes),
    FIGURE(lds_granule_bytes), FIGURE(lds_reserved_bytes),
    FIGURE(lds_banks),         FIGURE(lds_bank_bytes),
    FIGURE(l2_bytes),          FIGURE(peak_bytes_per_s),
};
#undef FIGURE

const whet_figure *whet_arch_figure(const whet_arch *arch, size_t index,
                                    const char **key_out)
{
    if (index >= COUNT_OF(figures))
        return NULL;
    if (key_out != NULL)
        *key_out = figures[index].key;
    return (const whet_figure *)(const void *)((const char *)arch +
                                               figures[index].offset);
}

static whet_status read_figures(void *dest, const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    part *my = dest;
    const char *key, *names[COUNT_OF(figures)], *close;
    const whet_yaml_node *value, *key_node;
    size_t i, f;
    whet_status st;

    for (f = 0; f < COUNT_OF(figures); f++)
        names[f] = figures[f].key;
    for (i = 0; i < whet_yaml_count(node); i++) {
        value = whet_yaml_entry(doc, node, i, &key, &key_node);
        key = key != NULL ? key : "";
        for (f = 0; f < COUNT_OF(figures) && strcmp(names[f], key) != 0;)
            f++;
        if (f == COUNT_OF(figures)) {
            close = whet_closest_name(key, names, COUNT_OF(figures));
            return whet_yaml_error(doc, key_node, err, "no figure '%.40s'%s%s",
                                   key, close != NULL ? ", did you mean " : "",
                                   close != NULL ? close : "");
        }
        st = read_figure(
            my, (whet_figure *)(void *)((char *)my->arch + figures[f].offset),
            doc, value, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

/* --- units ---------------------------------------------------------------- */

static whet_status read_shapes(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    part *my = dest;

    return read_text(my->unit->shapes, sizeof my->unit->shapes, doc, node, err);
}

static whet_status read_rate(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    part *my = dest;

    return read_figure(my, &my->unit->ops_cu_clk, doc, node, err);
}

static whet_status read_peak(void *dest, const whet_yaml *doc,
                             const whet_yaml_node *node, whet_err *err)
{
    part *my = dest;

    return read_figure(my, &my->unit->peak_ops_per_s, doc, node, err);
}

static const whet_yaml_field unit_fields[] = {
    {"shapes", WHET_YAML_SCALAR, false, read_shapes},
    {"ops_cu_clk", WHET_YAML_MAP, false, read_rate},
    {"peak_ops_per_s", WHET_YAML_MAP, false, read_peak},
};

static whet_status read_unit_name(whet_arch_unit *unit, const char *name,
                                  const whet_yaml *doc,
                                  const whet_yaml_node *node, whet_err *err)
{
    const char *dot = name != NULL ? strchr(name, '.') : NULL;

    if (dot == NULL || dot == name || !is_word(name, true) ||
        strlen(name) >= sizeof unit->name ||
        (strcmp(dot, ".vector") != 0 && strcmp(dot, ".matrix") != 0))
        return whet_yaml_error(doc, node, err,
                               "'%.40s' is no unit, expected DTYPE.vector or "
                               "DTYPE.matrix",
                               name != NULL ? name : "");
    whet_strcopy(unit->name, sizeof unit->name, name);
    return WHET_OK;
}

static whet_status read_units(void *dest, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    part *my = dest;
    const whet_yaml_node *value, *key_node;
    const char *key;
    size_t i;
    whet_status st;

    if (whet_yaml_count(node) > WHET_ARCH_UNIT_MAX)
        return whet_yaml_error(doc, node, err, "%zu units, expected at most %d",
                               whet_yaml_count(node), WHET_ARCH_UNIT_MAX);
    for (i = 0; i < whet_yaml_count(node); i++) {
        value = whet_yaml_entry(doc, node, i, &key, &key_node);
        my->unit = &my->arch->units[my->arch->unit_count++];
        if ((st = read_unit_name(my->unit, key, doc, key_node, err)) !=
                WHET_OK ||
            (st = whet_yaml_walk(my, doc, value, unit_fields,
                                 COUNT_OF(unit_fields), err)) != WHET_OK)
            return st;
    }
    return WHET_OK;
}

/* --- the record ----------------------------------------------------------- */

static whet_status read_sources(void *dest, const whet_yaml *doc,
                                const whet_yaml_node *node, whet_err *err)
{
    (void)doc;
    (void)err;
    ((part *)dest)->sources = node;
    return WHET_OK;
}

#define READ_WORD(member)                                                      \
    static whet_status read_##member(void *dest, const whet_yaml *doc,         \
                                     const whet_yaml_node *node,               \
                                     whet_err *err)                            \
    {                                                                          \
        return read_word(((part *)dest)->arch->member, false, doc, node, err); \
    }
READ_WORD(name)
READ_WORD(vendor)
READ_WORD(stand_in)
#undef READ_WORD

static whet_status read_boards(void *dest, const whet_yaml *doc,
                               const whet_yaml_node *node, whet_err *err)
{
    whet_arch *arch = ((part *)dest)->arch;

    return read_text(arch->boards, sizeof arch->boards, doc, node, err);
}

static whet_status read_fp8(void *dest, const whet_yaml *doc,
                            const whet_yaml_node *node, whet_err *err)
{
    unsigned fp8 = 0;
    whet_status st =
        read_choice(&fp8, fp8_names, COUNT_OF(fp8_names), doc, node, err);

    ((part *)dest)->arch->fp8 = (whet_fp8)fp8;
    return st;
}

static whet_status read_features(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    whet_arch *arch = ((part *)dest)->arch;
    size_t i, count = whet_yaml_count(node);
    whet_status st;

    if (count > WHET_ARCH_FEATURE_MAX)
        return whet_yaml_error(doc, node, err,
                               "%zu features, expected at most %d", count,
                               WHET_ARCH_FEATURE_MAX);
    for (i = 0; i < count; i++) {
        st = read_word(arch->features[i], false, doc, whet_yaml_item(node, i),
                       err);
        if (st != WHET_OK)
            return st;
        arch->feature_count++;
    }
    arch->has_split_wait_counters = whet_arch_has(arch, "split_wait_counters");
    return WHET_OK;
}

static const whet_yaml_field record_fields[] = {
    {"name", WHET_YAML_SCALAR, true, read_name},
    {"vendor", WHET_YAML_SCALAR, true, read_vendor},
    {"boards", WHET_YAML_SCALAR, true, read_boards},
    {"stand_in", WHET_YAML_SCALAR, false, read_stand_in},
    {"fp8", WHET_YAML_SCALAR, true, read_fp8},
    {"features", WHET_YAML_SEQ, true, read_features},
    {"sources", WHET_YAML_MAP, true, read_sources},
    {"figures", WHET_YAML_MAP, true, read_figures},
    {"units", WHET_YAML_MAP, false, read_units},
};

whet_status whet_arch__parse(whet_arch *out, const char *text, size_t bytes,
                             const char *where, whet_err *err)
{
    part my = {.arch = out};
    whet_yaml *doc = NULL;
    whet_status st;

    memset(out, 0, sizeof *out);
    st = whet_yaml_parse(&doc, text, bytes, where, 1, err);
    if (st == WHET_OK)
        st = whet_yaml_walk(&my, doc, whet_yaml_root(doc), record_fields,
                            COUNT_OF(record_fields), err);
    whet_yaml_free(doc);
    if (st != WHET_OK)
        memset(out, 0, sizeof *out);
    return st;
}
