/* The environment of a worker. A sandboxed one gets what its back-end lists and
 * nothing else; a trusted one also what the user told the driver. */

#include "judge/judge_priv.h"

#include <stdlib.h>
#include <string.h>

/* Besides what the back-end names: where a driver may keep caches. */
static const char *const passed[] = {"HOME", "TMPDIR"};

/* What a tool that a worker is started under looks for. */
static const char *const tool_passed[] = {"PATH"};

enum { PASSED_COUNT = sizeof passed / sizeof passed[0] };

/* Copy of `text`, or "NAME=VALUE" if there is a value; false on out of
 * memory. */
static bool add(char **env, size_t *count, const char *text, const char *value)
{
    env[*count] = value != NULL ? whet_asprintf("%s=%s", text, value)
                                : whet_asprintf("%s", text);
    return env[(*count)++] != NULL;
}

static size_t count_of(const char *const *texts)
{
    size_t count = 0;

    while (texts != NULL && texts[count] != NULL)
        count++;
    return count;
}

/* Those of the named variables that are set. */
static bool add_set(char **env, size_t *count, const char *const *names,
                    size_t name_count)
{
    size_t i;

    for (i = 0; i < name_count; i++) {
        const char *value = getenv(names[i]);

        if (value != NULL && !add(env, count, names[i], value))
            return false;
    }
    return true;
}

whet_status whet_judge__worker_env(char ***out, const whet_judge *judge,
                                   whet_err *err)
{
    const char *const *own = judge->ops->worker_env;
    const char *const *names = judge->ops->worker_env_names;
    size_t own_count = count_of(own), name_count = count_of(names);
    size_t count = 0, i;
    bool ok = true;
    char **env = calloc(own_count + name_count + PASSED_COUNT + 2, sizeof *env);

    *out = NULL;
    if (env == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    for (i = 0; ok && i < own_count; i++)
        ok = add(env, &count, own[i], NULL);
    if (ok && whet_judge__has_stage(judge))
        ok = add_set(env, &count, names, name_count) &&
             add_set(env, &count, passed, PASSED_COUNT);
    if (ok && judge->opts.under != NULL)
        ok = add_set(env, &count, tool_passed, 1);
    if (!ok) {
        whet_judge__worker_env_free(env);
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    }
    *out = env;
    return WHET_OK;
}

void whet_judge__worker_env_free(char **env)
{
    size_t i;

    for (i = 0; env != NULL && env[i] != NULL; i++)
        free(env[i]);
    free(env);
}
