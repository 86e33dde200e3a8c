/* From the text of an option to the field of its struct. */

#include "base/opts.h"
#include "base/opts_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_range(const whet_opt *opt)
{
    return opt->min != 0 || opt->max != 0;
}

static bool in_range(const whet_opt *opt, double value)
{
    return !has_range(opt) || (value >= opt->min && value <= opt->max);
}

static whet_status fail(const whet_opt *opt, const char *text,
                        const char *source, const char *wanted, whet_err *err)
{
    const char *unit = opt->type == WHET_OPT_DURATION ? " seconds" : "";

    if (has_range(opt))
        return whet_err_set(err, WHET_EINVAL,
                            "%s: '%.80s', expected %s from %.15g to %.15g%s",
                            source, text, wanted, opt->min, opt->max, unit);
    return whet_err_set(err, WHET_EINVAL, "%s: '%.80s', expected %s", source,
                        text, wanted);
}

static whet_status store_flag(bool *field, const whet_opt *opt,
                              const char *text, const char *source,
                              whet_err *err)
{
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off"};
    size_t i;

    for (i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *field = strcmp(text, yes[i]) == 0;
            return WHET_OK;
        }
    }
    return fail(opt, text, source, "true or false", err);
}

static whet_status store_i64(int64_t *field, const whet_opt *opt,
                             const char *text, const char *source,
                             whet_err *err)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    long long value;

    errno = 0;
    value = strtoll(text, NULL, 10);
    if (digits[0] == '\0' || digits[strspn(digits, "0123456789")] != '\0' ||
        errno == ERANGE || !in_range(opt, (double)value))
        return fail(opt, text, source, "an integer", err);
    *field = value;
    return WHET_OK;
}

/* A finite decimal number; *rest is what follows it. Without letters, so that
 * neither "inf" nor hexadecimal passes. */
static bool parse_decimal(double *out, const char **rest, const char *text)
{
    size_t bytes = strspn(text, "+-.0123456789");
    char *end;

    if (text[bytes] == 'e' || text[bytes] == 'E')
        bytes += 1 + strspn(text + bytes + 1, "+-0123456789");
    errno = 0;
    *out = strtod(text, &end);
    *rest = end;
    return bytes > 0 && end == text + bytes && isfinite(*out);
}

static whet_status store_f64(double *field, const whet_opt *opt,
                             const char *text, const char *source,
                             whet_err *err)
{
    const char *rest;
    double value;

    if (!parse_decimal(&value, &rest, text) || *rest != '\0' ||
        !in_range(opt, value))
        return fail(opt, text, source, "a number", err);
    *field = value;
    return WHET_OK;
}

static whet_status store_duration(uint64_t *field, const whet_opt *opt,
                                  const char *text, const char *source,
                                  whet_err *err)
{
    static const struct {
        const char *unit;
        double ns;
    } rows[] = {{"", 1e9},     {"ns", 1},     {"us", 1e3},
                {"ms", 1e6},   {"s", 1e9},    {"m", 60e9},
                {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
    const char *rest;
    double value;
    size_t i;

    if (parse_decimal(&value, &rest, text) && value >= 0) {
        for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            double ns = value * rows[i].ns;

            if (strcmp(rest, rows[i].unit) != 0 || ns > 9e18 ||
                !in_range(opt, ns / 1e9))
                continue;
            *field = (uint64_t)(ns + 0.5);
            return WHET_OK;
        }
    }
    return fail(opt, text, source, "a duration like 500ms, 30s, 10m or 2h",
                err);
}

static whet_status store_choice(int *field, const whet_opt *opt,
                                const char *text, const char *source,
                                whet_err *err)
{
    whet_buf list = {0};
    const char *near;
    whet_status st;
    size_t i;

    for (i = 0; opt->choices[i] != NULL; i++) {
        if (strcmp(opt->choices[i], text) == 0) {
            *field = (int)i;
            whet_buf_deinit(&list);
            return WHET_OK;
        }
        whet_buf_printf(&list, "%s%s", i ? ", " : "", opt->choices[i]);
    }
    near = whet_closest_name(text, opt->choices, i);
    if (near != NULL)
        st = whet_err_set(err, WHET_EINVAL, "%s: '%.80s', did you mean '%s'?",
                          source, text, near);
    else
        st = whet_err_set(err, WHET_EINVAL, "%s: '%.80s', expected one of: %s",
                          source, text, whet_buf_str(&list));
    whet_buf_deinit(&list);
    return st;
}

whet_status whet_opts__store(void *dest, const whet_opt *opt, const char *text,
                             const char *source, whet_err *err)
{
    void *field = (char *)dest + opt->offset;

    switch (opt->type) {
    case WHET_OPT_FLAG:
        return store_flag(field, opt, text, source, err);
    case WHET_OPT_I64:
        return store_i64(field, opt, text, source, err);
    case WHET_OPT_F64:
        return store_f64(field, opt, text, source, err);
    case WHET_OPT_DURATION:
        return store_duration(field, opt, text, source, err);
    case WHET_OPT_CHOICE:
        return store_choice(field, opt, text, source, err);
    default:
        *(const char **)field = text;
        return WHET_OK;
    }
}
