/* One command's words: defaults, then the environment, then the line, each
 * overriding the one before. */

#include "base/opts.h"
#include "base/opts_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A walk over argv. */
struct line {
    const whet_command *command;
    void *dest;
    int argc;
    char *const *argv;
    int next;           /* index of the word to read next */
    const char **words; /* positional words found */
    size_t word_count;
};

static whet_status store_defaults(void *dest, const whet_command *command,
                                  whet_err *err)
{
    whet_status st = WHET_OK;
    size_t i;

    for (i = 0; i < command->opt_count && st == WHET_OK; i++) {
        const whet_opt *opt = &command->opts[i];
        const char *value = opt->env ? getenv(opt->env) : NULL;

        if (opt->fallback != NULL)
            st = whet_opts__store(dest, opt, opt->fallback, opt->name, err);
        if (st == WHET_OK && value != NULL && value[0] != '\0')
            st = whet_opts__store(dest, opt, value, opt->env, err);
    }
    return st;
}

static whet_status unknown_option(const whet_command *command, const char *name,
                                  size_t bytes, whet_err *err)
{
    const char **names = calloc(command->opt_count + 1, sizeof *names);
    char *word = strndup(name, bytes < 64 ? bytes : 64);
    const char *near = NULL;
    whet_status st;
    size_t i;

    for (i = 0; names != NULL && i < command->opt_count; i++)
        names[i] = command->opts[i].name;
    if (names != NULL && word != NULL)
        near = whet_closest_name(word, names, command->opt_count);
    if (near != NULL)
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: unknown option --%s, did you mean --%s?",
                          command->name, word, near);
    else
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: unknown option --%s, expected one that '%s "
                          "--help' lists",
                          command->name, word ? word : "", command->name);
    free(names);
    free(word);
    return st;
}

/* The value of an option that needs one: the rest of its word or the next. */
static whet_status take_value(const char **out, struct line *line,
                              const char *attached, const char *source,
                              const whet_opt *opt, whet_err *err)
{
    *out = attached;
    if (attached != NULL)
        return WHET_OK;
    if (line->next >= line->argc)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: %s needs a value, expected "
                            "%s %s",
                            line->command->name, source, source,
                            opt->value_name ? opt->value_name : "VALUE");
    *out = line->argv[line->next++];
    return WHET_OK;
}

static whet_status store_value(struct line *line, const whet_opt *opt,
                               const char *attached, const char *source,
                               whet_err *err)
{
    const char *value;
    whet_status st;

    st = take_value(&value, line, attached, source, opt, err);
    if (st != WHET_OK)
        return st;
    st = whet_opts__store(line->dest, opt, value, source, err);
    return st == WHET_OK ? st
                         : whet_err_prefix(err, st, "%s", line->command->name);
}

static whet_status read_long(struct line *line, const char *word, whet_err *err)
{
    const whet_command *command = line->command;
    const char *name = word + 2;
    size_t bytes = strcspn(name, "=");
    const char *attached = name[bytes] == '=' ? name + bytes + 1 : NULL;
    char source[80];
    size_t i;

    for (i = 0; i < command->opt_count; i++) {
        const whet_opt *opt = &command->opts[i];

        if (strlen(opt->name) != bytes || memcmp(opt->name, name, bytes) != 0)
            continue;
        snprintf(source, sizeof source, "--%s", opt->name);
        if (opt->type != WHET_OPT_FLAG)
            return store_value(line, opt, attached, source, err);
        if (attached != NULL)
            return whet_err_set(err, WHET_EINVAL,
                                "%s: %s takes no value, expected it alone",
                                command->name, source);
        return whet_opts__store(line->dest, opt, "true", source, err);
    }
    return unknown_option(command, name, bytes, err);
}

/* -x, -xVALUE, -x VALUE, and several flags in one word. */
static whet_status read_short(struct line *line, const char *word,
                              whet_err *err)
{
    const whet_command *command = line->command;
    const char *at;
    size_t i;

    for (at = word + 1; *at != '\0'; at++) {
        const whet_opt *opt = NULL;
        char source[3] = {'-', *at, '\0'};
        whet_status st;

        for (i = 0; i < command->opt_count && opt == NULL; i++)
            if (command->opts[i].short_name == *at)
                opt = &command->opts[i];
        if (opt == NULL)
            return whet_err_set(err, WHET_EINVAL,
                                "%s: unknown option -%c, expected one that "
                                "'%s --help' lists",
                                command->name, *at, command->name);
        if (opt->type != WHET_OPT_FLAG)
            return store_value(line, opt, at[1] ? at + 1 : NULL, source, err);
        st = whet_opts__store(line->dest, opt, "true", source, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

static whet_status read_line(struct line *line, whet_err *err)
{
    bool only_words = false;
    whet_status st = WHET_OK;

    while (line->next < line->argc && st == WHET_OK) {
        const char *word = line->argv[line->next++];

        if (only_words || word[0] != '-' || word[1] == '\0')
            line->words[line->word_count++] = word;
        else if (strcmp(word, "--") == 0)
            only_words = true;
        else if (word[1] == '-')
            st = read_long(line, word, err);
        else
            st = read_short(line, word, err);
    }
    return st;
}

static whet_status check_words(const struct line *line, whet_err *err)
{
    const whet_command *command = line->command;
    const char *usage = command->usage ? command->usage : "";

    if (command->max_args >= 0 && line->word_count > (size_t)command->max_args)
        return whet_err_set(
            err, WHET_EINVAL, "%s: unexpected '%.80s', expected %s%s",
            command->name, line->words[command->max_args],
            usage[0] ? usage : "no words", usage[0] ? " alone" : "");
    if (line->word_count < (size_t)command->min_args)
        return whet_err_set(
            err, WHET_EINVAL, "%s: %zu words given, expected: %s %s",
            command->name, line->word_count, command->name, usage);
    return WHET_OK;
}

whet_status whet_opts_parse(void *dest, whet_args *args_out,
                            const whet_command *command, int argc,
                            char *const *argv, whet_err *err)
{
    struct line line = {
        .command = command, .dest = dest, .argc = argc, .argv = argv};
    whet_status st;

    args_out->items = NULL;
    args_out->count = 0;
    if (command->opts_bytes > 0)
        memset(dest, 0, command->opts_bytes);
    line.words = calloc((size_t)(argc > 0 ? argc : 0) + 1, sizeof *line.words);
    if (line.words == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory",
                            command->name);
    st = store_defaults(dest, command, err);
    if (st == WHET_OK)
        st = read_line(&line, err);
    if (st == WHET_OK)
        st = check_words(&line, err);
    if (st != WHET_OK) {
        free(line.words);
        return st;
    }
    args_out->items = line.words;
    args_out->count = line.word_count;
    return WHET_OK;
}
