/* Workers under a tool, say a memory checker: the command line. */

#include "judge/judge_priv.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 32 };

static whet_status no_memory(whet_err *err)
{
    return whet_err_set(err, WHET_ENOMEM, "out of memory");
}

/* The words, separated by spaces; quotes mean nothing. */
static whet_status split(char **argv, size_t *count, const char *command,
                         whet_err *err)
{
    for (command += strspn(command, " "); *command != '\0';
         command += strspn(command, " ")) {
        size_t bytes = strcspn(command, " ");

        if (*count == WORDS_MAX)
            return whet_err_set(err, WHET_EINVAL, "--under: more than %d words",
                                WORDS_MAX);
        argv[*count] = strndup(command, bytes);
        if (argv[(*count)++] == NULL)
            return no_memory(err);
        command += bytes;
    }
    if (*count == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "--under: no word, expected a command");
    return WHET_OK;
}

whet_status whet_judge__under_argv(char ***out, const char *command,
                                   whet_err *err)
{
    char **argv = calloc(WORDS_MAX + 3, sizeof *argv);
    char *program = NULL;
    size_t count = 0;
    whet_status st;

    *out = NULL;
    if (argv == NULL)
        return no_memory(err);
    st = split(argv, &count, command, err);
    /* Looked up here: the worker's environment is another one. */
    if (st == WHET_OK)
        st = whet_fs_find_program(&program, argv[0], err);
    if (st == WHET_OK) {
        free(argv[0]);
        argv[0] = program;
        st = whet_fs_self(&argv[count], err);
    }
    if (st == WHET_OK && (argv[count + 1] = whet_strdup("__worker")) == NULL)
        st = no_memory(err);
    if (st != WHET_OK) {
        whet_judge__worker_env_free(argv);
        return st;
    }
    *out = argv;
    return WHET_OK;
}
