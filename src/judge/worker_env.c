/* The environment of a worker. A sandboxed one gets what its back-end lists and
 * nothing else; a trusted one also what the user told the driver. */

#include "judge/judge_priv.h"

#include <stdlib.h>
#include <string.h>

/* Where a driver's libraries lie, where it may keep caches, which cards it is
 * to show and in which order. */
static const char *const passed[] = {"LD_LIBRARY_PATH",
                                     "HOME",
                                     "TMPDIR",
                                     "CUDA_VISIBLE_DEVICES",
                                     "CUDA_DEVICE_ORDER",
                                     "HIP_VISIBLE_DEVICES",
                                     "ROCR_VISIBLE_DEVICES"};

enum { PASSED_COUNT = sizeof passed / sizeof passed[0] };

/* Copy of `text`, or "NAME=VALUE" if there is a value; false on out of
 * memory. */
static bool add(char **env, size_t *count, const char *text, const char *value)
{
    env[*count] = value != NULL ? whet_asprintf("%s=%s", text, value)
                                : whet_asprintf("%s", text);
    return env[(*count)++] != NULL;
}

whet_status whet_judge__worker_env(char ***out, const whet_judge *judge,
                                   whet_err *err)
{
    const char *const *own = judge->ops->worker_env;
    size_t own_count = 0, count = 0, i;
    bool ok = true;
    char **env;

    *out = NULL;
    while (own != NULL && own[own_count] != NULL)
        own_count++;
    env = calloc(own_count + PASSED_COUNT + 1, sizeof *env);
    if (env == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    for (i = 0; ok && i < own_count; i++)
        ok = add(env, &count, own[i], NULL);
    for (i = 0; ok && i < PASSED_COUNT && whet_judge__has_stage(judge); i++) {
        const char *value = getenv(passed[i]);

        if (value != NULL)
            ok = add(env, &count, passed[i], value);
    }
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
