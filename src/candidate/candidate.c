/* Candidates as objects: parse, load, free. The steps are in front.c (which
 * comment) and plan.c (what it says). */

#include "candidate/candidate_priv.h"

#include <stdlib.h>
#include <string.h>

static whet_status set_language(whet_candidate *candidate, const char *where,
                                const char *language, whet_err *err)
{
    if (language == NULL) {
        const whet_candidate_language *row = whet_candidate__ending(where);

        if (row == NULL)
            return whet_err_set(err, WHET_EINVAL,
                                "%s: unknown ending, expected .cl, .wk, .cu, "
                                ".hip or .py",
                                where);
        language = row->name;
    }
    if (!whet_is_identifier(language, strlen(language)))
        return whet_err_set(err, WHET_EINVAL,
                            "%s: '%.64s' is no language, expected a word like "
                            "opencl",
                            where, language);
    whet_strcopy(candidate->language, sizeof candidate->language, language);
    return WHET_OK;
}

static whet_status candidate_new(whet_candidate **out, const char *text,
                                 size_t bytes, const char *where, whet_err *err)
{
    whet_candidate *candidate = calloc(1, sizeof *candidate);

    *out = NULL;
    if (candidate != NULL) {
        candidate->plan = calloc(1, sizeof *candidate->plan);
        candidate->source = malloc(bytes + 1);
    }
    if (candidate == NULL || candidate->plan == NULL ||
        candidate->source == NULL) {
        whet_candidate_free(candidate);
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", where);
    }
    if (bytes > 0)
        memcpy(candidate->source, text, bytes);
    candidate->source[bytes] = '\0';
    candidate->source_bytes = bytes;
    *out = candidate;
    return WHET_OK;
}

whet_status whet_candidate_parse(whet_candidate **out, const char *text,
                                 size_t bytes, const char *where,
                                 const char *language, const whet_task *task,
                                 whet_err *err)
{
    whet_candidate *candidate = NULL;
    const whet_candidate_language *row;
    whet_buf yaml = {0};
    int line = 1;
    whet_status st;

    *out = NULL;
    if (bytes > WHET_SOURCE_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: the file has %zu bytes, expected at most %d",
                            where, bytes, WHET_SOURCE_BYTES_MAX);
    st = candidate_new(&candidate, text, bytes, where, err);
    if (st != WHET_OK)
        return st;
    if ((st = set_language(candidate, where, language, err)) != WHET_OK)
        goto out;
    row = whet_candidate__language(candidate->language);
    if ((st = whet_candidate__check_text(text, bytes, where, row, err)) !=
        WHET_OK)
        goto out;
    st = whet_candidate__front(&yaml, &line, text, bytes, where, row, err);
    if (st != WHET_OK)
        goto out;
    st = whet_candidate__plan(candidate, whet_buf_str(&yaml), yaml.bytes, where,
                              line, task, err);
    if (st != WHET_OK)
        goto out;
    *out = candidate;
    candidate = NULL;
out:
    whet_buf_deinit(&yaml);
    whet_candidate_free(candidate);
    return st;
}

whet_status whet_candidate_load(whet_candidate **out, const char *path,
                                const whet_task *task, whet_err *err)
{
    whet_buf text = {0};
    whet_status st = whet_fs_read(&text, path, WHET_SOURCE_BYTES_MAX, err);

    *out = NULL;
    if (st == WHET_OK)
        st = whet_candidate_parse(out, whet_buf_str(&text), text.bytes, path,
                                  NULL, task, err);
    whet_buf_deinit(&text);
    return st;
}

static void free_exprs(whet_expr *const *exprs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        whet_expr_free(exprs[i]);
}

static void free_plan(whet_plan *plan)
{
    /* Slots beyond the counts are NULL or hold what a failed read left. */
    for (size_t i = 0; i < WHET_LAUNCH_MAX; i++) {
        plan_launch *launch = &plan->launches[i];

        free_exprs(launch->grid, 3);
        free_exprs(launch->block, 3);
        whet_expr_free(launch->shared);
        for (size_t j = 0; j < WHET_ARG_MAX; j++)
            whet_expr_free(launch->args[j].expr);
    }
    for (size_t i = 0; i < WHET_LET_MAX; i++)
        whet_expr_free(plan->lets[i].expr);
    free_exprs(plan->constraints, WHET_CONSTRAINT_MAX);
    for (size_t i = 0; i < WHET_WORKSPACE_MAX; i++)
        free_exprs(plan->workspaces[i].shape, WHET_RANK_MAX);
    free(plan);
}

void whet_candidate_free(whet_candidate *candidate)
{
    if (candidate == NULL)
        return;
    if (candidate->plan != NULL)
        free_plan(candidate->plan);
    free(candidate->source);
    free(candidate);
}
