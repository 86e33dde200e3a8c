/* hy-smi and rocm-smi as programs. Releases differ in the options that they
 * know, and an unknown one makes the whole call fail, so a ladder of fewer and
 * fewer is climbed down until something can be read. */

#include "device/inventory_priv.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 12, STDOUT_BYTES_MAX = 1 << 20, STDERR_BYTES_MAX = 4096 };

/* The tools are scripts that ask every card: about a second, several on a busy
 * machine. One that takes longer is stuck, and its other options would be. */
static const uint64_t timeout_ns = 15000000000u;

/* From most to least; option names as in DTK's and ROCm's tools. */
static const char *const ladder[][WORD_MAX] = {
    {"--showproductname", "--showbus", "--showuse", "--showmemuse",
     "--showmeminfo", "vram", "--showtemp", "--showpower", "--showuniqueid",
     "--json"},
    {"--showbus", "--showuse", "--showmemuse", "--showmeminfo", "vram",
     "--showtemp", "--showpower", "--json"},
    {"--showbus", "--showuse", "--showmemuse", "--showmeminfo", "vram",
     "--showtemp", "--json"},
    {"--showbus", "--showuse", "--showmemuse", "--showtemp", "--json"},
    {"--showuse", "--showmemuse", "--csv"},
    {NULL}, /* the concise table */
};

/* Where tools live that are not on PATH. */
static const char *const folders[] = {"/opt/hyhal/bin", "/usr/local/hyhal/bin",
                                      "/opt/rocm/bin",  "/opt/rocm-*/bin",
                                      "/opt/dtk/bin",   "/opt/dtk-*/bin"};

static bool is_program(const char *path)
{
    char *found = NULL;
    bool is = whet_fs_find_program(&found, path, NULL) == WHET_OK;

    free(found);
    return is;
}

/* The newest match of DIR/NAME, DIR a pattern. */
static char *find_below(const char *dir, const char *name)
{
    char *pattern = whet_asprintf("%s/%s", dir, name);
    char *found = NULL;
    glob_t matches = {0};

    if (pattern != NULL && glob(pattern, 0, NULL, &matches) == 0)
        for (size_t i = matches.gl_pathc; i > 0 && found == NULL; i--)
            if (is_program(matches.gl_pathv[i - 1]))
                found = whet_strdup(matches.gl_pathv[i - 1]);
    globfree(&matches);
    free(pattern);
    return found;
}

/* In the folders of a ':' list. */
static char *find_listed(const char *dirs, const char *name)
{
    char *found = NULL;

    while (*dirs != '\0' && found == NULL) {
        size_t bytes = strcspn(dirs, ":");
        char *path = whet_asprintf("%.*s/%s", (int)bytes, dirs, name);

        if (path != NULL && bytes > 0 && is_program(path))
            found = path;
        else
            free(path);
        dirs += bytes + (dirs[bytes] == ':');
    }
    return found;
}

static char *find_tool(const char *name, const char *dirs)
{
    char *found = NULL;

    if (dirs == NULL)
        dirs = getenv("WHET_SMI_DIRS");
    if (dirs != NULL)
        return find_listed(dirs, name);
    if (whet_fs_find_program(&found, name, NULL) == WHET_OK)
        return found;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if ((found = find_below(folders[i], name)) != NULL)
            return found;
    return NULL;
}

static whet_status run(whet_process_result *result, const char *path,
                       const char *const *words, whet_err *err)
{
    static const char *const names[] = {"PATH", "HOME", "LD_LIBRARY_PATH",
                                        "ROCM_PATH"};
    const char *argv[WORD_MAX + 2] = {path};
    char *env[8] = {NULL};
    whet_process_opts opts = {.argv = argv,
                              .env = (const char *const *)env,
                              .stdout_max_bytes = STDOUT_BYTES_MAX,
                              .stderr_max_bytes = STDERR_BYTES_MAX,
                              .timeout_ns = timeout_ns,
                              .is_expendable = true};
    size_t count = 0;
    whet_status st;

    for (size_t i = 0; i < WORD_MAX && words[i] != NULL; i++)
        argv[i + 1] = words[i];
    env[count++] = whet_strdup("LC_ALL=C");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL)
            env[count++] = whet_asprintf("%s=%s", names[i], getenv(names[i]));
    st = whet_process_run(result, &opts, err);
    for (size_t i = 0; i < count; i++)
        free(env[i]);
    return st;
}

static whet_status explain(const whet_process_result *result, const char *path,
                           whet_err *err)
{
    const char *words = result->err.bytes > 0 ? whet_buf_str(&result->err)
                                              : whet_buf_str(&result->out);
    size_t bytes;
    char how[96];

    words += strspn(words, " \t\r\n");
    bytes = strcspn(words, "\n");
    whet_exit_describe(how, sizeof how, result->kind, result->code);
    return whet_err_set(err, WHET_EUNSUPPORTED, "%s tells of no card: %s%s%.*s",
                        path, how, bytes > 0 ? ": " : "",
                        (int)(bytes < 80 ? bytes : 80), words);
}

whet_status whet_smi__run(whet_cards *cards, const char *name, const char *dirs,
                          whet_err *err)
{
    char *path = find_tool(name, dirs);
    whet_status st = WHET_OK;
    bool is_done = false;

    if (path == NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s: not found", name);
    for (size_t i = 0; i < sizeof ladder / sizeof ladder[0] && !is_done; i++) {
        whet_process_result result = {0};

        st = run(&result, path, ladder[i], err);
        /* The status says little: some refuse one option and tell the rest. */
        if (st == WHET_OK)
            whet_smi__read(cards, whet_buf_str(&result.out), result.out.bytes);
        if (st == WHET_OK && cards->count == 0)
            st = explain(&result, path, err);
        is_done = st == WHET_OK || result.kind == WHET_EXIT_TIMEOUT ||
                  result.kind == WHET_EXIT_NOT_RUN;
        whet_process_result_deinit(&result);
    }
    free(path);
    return st;
}
