/* Runs the built program as a person would. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_kit.h"

#include <stdlib.h>
#include <string.h>

static void pass_on(cli_kit *kit, const char *name)
{
    if (getenv(name) != NULL)
        cli_kit_set(kit, name, getenv(name));
}

int cli_kit_open(void **state)
{
    cli_kit *kit = calloc(1, sizeof *kit);
    const char *binary = getenv("WHET_BINARY");
    char *cache, *kept;

    *state = NULL;
    if (kit == NULL ||
        whet_fs_tempdir(&kit->dir, "whet-cli-test", NULL) != WHET_OK)
        return -1;
    *state = kit;
    kit->binary = binary != NULL ? whet_strdup(binary) : NULL;
    cache = whet_fs_join(kit->dir, "cache");
    kept = whet_fs_join(kit->dir, "state");
    cli_kit_set(kit, "WHET_CACHE_DIR", cache);
    cli_kit_set(kit, "WHET_STATE_DIR", kept);
    pass_on(kit, "WHET_DATA_DIR");
    pass_on(kit, "PATH");
    pass_on(kit, "CC");
    /* A sanitizer's options hold for the program too. */
    pass_on(kit, "ASAN_OPTIONS");
    pass_on(kit, "UBSAN_OPTIONS");
    free(cache);
    free(kept);
    return 0;
}

int cli_kit_close(void **state)
{
    cli_kit *kit = *state;

    if (kit == NULL)
        return 0;
    whet_fs_remove_tree(kit->dir);
    for (size_t i = 0; i < kit->env_count; i++)
        free(kit->env[i]);
    free(kit->binary);
    free(kit->dir);
    free(kit);
    return 0;
}

void cli_kit_set(cli_kit *kit, const char *name, const char *value)
{
    size_t bytes = strlen(name), i;

    for (i = 0; i < kit->env_count; i++)
        if (strncmp(kit->env[i], name, bytes) == 0 && kit->env[i][bytes] == '=')
            break;
    if (i < kit->env_count) {
        free(kit->env[i]);
        kit->env[i] = kit->env[--kit->env_count];
        kit->env[kit->env_count] = NULL;
    }
    if (value == NULL)
        return;
    assert_true(kit->env_count + 1 < sizeof kit->env / sizeof kit->env[0]);
    kit->env[kit->env_count++] = whet_asprintf("%s=%s", name, value);
    assert_non_null(kit->env[kit->env_count - 1]);
}

int cli_kit_run(whet_process_result *result, const cli_kit *kit,
                const char *const *words)
{
    const char *argv[16] = {kit->binary};
    whet_process_opts opts = {.argv = argv,
                              .env = (const char *const *)kit->env,
                              .cwd = kit->dir,
                              .stdout_max_bytes = 1 << 20,
                              .stderr_max_bytes = 1 << 16,
                              .timeout_ns = UINT64_C(60) * 1000000000u};
    whet_err err = {0};
    size_t i;

    if (kit->binary == NULL)
        skip();
    for (i = 0; words[i] != NULL; i++) {
        assert_true(i + 2 < sizeof argv / sizeof argv[0]);
        argv[i + 1] = words[i];
    }
    if (whet_process_run(result, &opts, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    if (result->kind != WHET_EXIT_CODE)
        fail_msg("ended by %d %d: %s", result->kind, result->code,
                 whet_buf_str(&result->err));
    return result->code;
}

static void check_part(const char *name, const whet_buf *text, const char *part)
{
    if (part == NULL && text->bytes > 0)
        fail_msg("%s is not empty: %s", name, whet_buf_str(text));
    if (part != NULL && strstr(whet_buf_str(text), part) == NULL)
        fail_msg("%s lacks \"%s\":\n%s", name, part, whet_buf_str(text));
}

void cli_kit_expect(const cli_kit *kit, const char *const *words, int status,
                    const char *out_part, const char *err_part)
{
    whet_process_result result = {0};
    int got = cli_kit_run(&result, kit, words);

    if (got != status)
        fail_msg("exit status %d, expected %d: %s", got, status,
                 whet_buf_str(&result.err));
    check_part("stdout", &result.out, out_part);
    check_part("stderr", &result.err, err_part);
    whet_process_result_deinit(&result);
}

json_t *cli_kit_json(const cli_kit *kit, const char *const *words, int status)
{
    whet_process_result result = {0};
    json_t *json = NULL;
    whet_err err = {0};
    int got = cli_kit_run(&result, kit, words);

    if (got != status)
        fail_msg("exit status %d, expected %d: %s", got, status,
                 whet_buf_str(&result.err));
    if (whet_json_parse(&json, whet_buf_str(&result.out), result.out.bytes,
                        "stdout", &err) != WHET_OK)
        fail_msg("%s", err.msg);
    whet_process_result_deinit(&result);
    return json;
}

void cli_kit_write(const cli_kit *kit, const char *name, const char *text)
{
    char *path = whet_fs_join(kit->dir, name);
    char *slash;
    whet_err err = {0};

    assert_non_null(path);
    slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(whet_fs_mkdirs(path, NULL), WHET_OK);
    *slash = '/';
    if (whet_fs_write(path, text, strlen(text), &err) != WHET_OK)
        fail_msg("%s", err.msg);
    free(path);
}
