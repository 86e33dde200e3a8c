/* From a row's words and a request to the command of a build. Nothing here
 * goes through a shell, but some drivers hand words on to one: what could mean
 * something there is refused. */

#include "toolchain/compilers_priv.h"

#include <stdlib.h>
#include <string.h>

enum { ARCH_BYTES = 64 };

/* What patterns may ask for. */
struct values {
    const whet_compiler_found *found;
    const whet_compiler_family *family;
    char arch[ARCH_BYTES];
};

bool whet_compiler__is_plain(const char *text)
{
    size_t i;

    for (i = 0; text[i] != '\0'; i++)
        if (text[i] <= ' ' || text[i] > '~' ||
            strchr("\"'\\`$;&|<>", text[i]) != NULL)
            return false;
    return i > 0;
}

bool whet_compiler__bare_arch(char *out, size_t out_bytes, const char *arch)
{
    size_t bytes = strcspn(arch, ":");

    if (bytes == 0 || bytes >= out_bytes || !whet_is_identifier(arch, bytes))
        return false;
    memcpy(out, arch, bytes);
    out[bytes] = '\0';
    return true;
}

static const char *value_of(const char *name, size_t bytes,
                            const struct values *values)
{
    const struct {
        const char *name;
        const char *value;
    } rows[] = {
        {"arch", values->arch},
        {"cc", strncmp(values->arch, "sm_", 3) == 0 ? values->arch + 3
                                                    : values->arch},
        {"source", values->family->source_name},
        {"output", values->family->image_name},
        {"header", WHET_COMPILER__HEADER},
        {"rocm", values->found->rocm},
        {"bitcode", values->found->bitcode},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == bytes &&
            memcmp(rows[i].name, name, bytes) == 0)
            return rows[i].value;
    return NULL;
}

static whet_status push(whet_compiler_argv *out, char *word, whet_err *err)
{
    if (word == NULL)
        return whet_err_set(err, WHET_ENOMEM, "compiler: out of memory");
    if (out->count == WHET_COMPILER__WORD_MAX) {
        free(word);
        return whet_err_set(err, WHET_EINVAL,
                            "compiler: a command of over %d words",
                            WHET_COMPILER__WORD_MAX);
    }
    out->items[out->count++] = word;
    out->items[out->count] = NULL;
    return WHET_OK;
}

/* One pattern with its braces replaced. */
static whet_status push_pattern(whet_compiler_argv *out, const char *pattern,
                                const struct values *values, whet_err *err)
{
    whet_buf word = {0};
    const char *open;
    whet_status st = WHET_OK;

    while (st == WHET_OK && (open = strchr(pattern, '{')) != NULL) {
        const char *close = strchr(open, '}');
        const char *value =
            close != NULL
                ? value_of(open + 1, (size_t)(close - open - 1), values)
                : NULL;

        if (value == NULL) {
            st = whet_err_set(err, WHET_EFAIL,
                              "compiler %s: no value for \"%s\"",
                              values->found->row->name, open);
            break;
        }
        whet_buf_add(&word, pattern, (size_t)(open - pattern));
        whet_buf_puts(&word, value);
        pattern = close + 1;
    }
    whet_buf_puts(&word, pattern);
    if (st == WHET_OK)
        st = push(out, word.failed ? NULL : whet_strdup(whet_buf_str(&word)),
                  err);
    whet_buf_deinit(&word);
    return st;
}

/* Every item as it is, but `except`. */
static whet_status push_list(whet_compiler_argv *out, const char *const *items,
                             const char *except, whet_err *err)
{
    whet_status st = WHET_OK;
    size_t i;

    for (i = 0; st == WHET_OK && items[i] != NULL; i++) {
        if (except != NULL && strcmp(items[i], except) == 0)
            continue;
        if (items[i][0] != '-' || !whet_compiler__is_plain(items[i]))
            st = whet_err_set(err, WHET_EINVAL,
                              "compiler: \"%s\" is no plain flag: expected "
                              "\"-...\" without blanks, quotes and marks of "
                              "a shell",
                              items[i]);
        else
            st = push(out, whet_strdup(items[i]), err);
    }
    return st;
}

static bool holds(const char *const *items, const char *wanted)
{
    size_t i;

    for (i = 0; items[i] != NULL; i++)
        if (strcmp(items[i], wanted) == 0)
            return true;
    return false;
}

static bool is_wanted(whet_compiler_when when,
                      const whet_compiler_family *family,
                      const whet_build_request *request)
{
    if (when == WHET_WHEN_ALWAYS)
        return true;
    if (request == NULL)
        return false;
    return when == WHET_WHEN_FAST ? holds(request->options, family->fast_option)
                                  : request->has_openmp;
}

whet_status
whet_compiler__argv(whet_compiler_argv *out, const whet_compiler_found *found,
                    const whet_compiler_word *words,
                    const whet_compiler_family *family, const char *arch,
                    const whet_build_request *request, whet_err *err)
{
    struct values values = {.found = found, .family = family};
    whet_status st;
    size_t i;

    out->count = 0;
    out->items[0] = NULL;
    if (!whet_compiler__bare_arch(values.arch, sizeof values.arch, arch))
        return whet_err_set(err, WHET_EINVAL,
                            "compiler: \"%s\" is no architecture, expected "
                            "a word like sm_90 or gfx906",
                            arch);
    st = push(out, whet_strdup(found->path), err);
    for (i = 0; st == WHET_OK && words[i].text != NULL; i++) {
        if (!is_wanted(words[i].when, family, request))
            continue;
        if (strcmp(words[i].text, "{options}") == 0)
            st = push_list(out, request->options, family->fast_option, err);
        else if (strcmp(words[i].text, "{defines}") == 0)
            st = push_list(out, request->defines, NULL, err);
        else
            st = push_pattern(out, words[i].text, &values, err);
    }
    if (st != WHET_OK)
        whet_compiler__argv_free(out);
    return st;
}

void whet_compiler__argv_free(whet_compiler_argv *argv)
{
    size_t i;

    for (i = 0; i < argv->count; i++)
        free(argv->items[i]);
    argv->count = 0;
    argv->items[0] = NULL;
}
