/* Finding the programs of compilers.c: as configured, on PATH, in the folders
 * where vendors put them; and which folders they need to see in a sandbox. */

#include "toolchain/compilers_priv.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "$NAME/rest" by the environment; NULL if it names nothing absolute. */
static char *expand_variable(const char *pattern)
{
    const char *slash = strchr(pattern, '/');
    size_t bytes = slash != NULL ? (size_t)(slash - pattern) : strlen(pattern);
    char name[64];
    const char *value;

    if (pattern[0] != '$')
        return whet_strdup(pattern);
    if (bytes >= sizeof name)
        return NULL;
    memcpy(name, pattern + 1, bytes - 1);
    name[bytes - 1] = '\0';
    value = getenv(name);
    if (value == NULL || value[0] != '/')
        return NULL;
    return whet_asprintf("%s%s", value, slash != NULL ? slash : "");
}

char *whet_compiler__expand(const char *pattern, const char *file)
{
    char *expanded = expand_variable(pattern);
    char *all = expanded != NULL ? whet_fs_join(expanded, file) : NULL;
    char *found = NULL;
    glob_t matches;

    if (all != NULL && glob(all, 0, NULL, &matches) == 0) {
        const char *last =
            matches.gl_pathc > 0 ? matches.gl_pathv[matches.gl_pathc - 1] : "";
        size_t bytes = strlen(last);

        if (bytes > strlen(file))
            found = strndup(last, bytes - strlen(file) - 1);
        globfree(&matches);
    }
    free(all);
    free(expanded);
    return found;
}

static char *in_folder(const char *folder_pattern, const char *program)
{
    char *folder = whet_compiler__expand(folder_pattern, program);
    char *path = folder != NULL ? whet_fs_join(folder, program) : NULL;

    free(folder);
    if (path != NULL && access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* PATH first, then the row's folders; per program name. */
static char *find_program(const char *program, const whet_compiler *row)
{
    char *path = NULL;
    size_t i;

    if (whet_fs_find_program(&path, program, NULL) == WHET_OK)
        return path;
    for (i = 0; path == NULL && row->folders[i] != NULL; i++)
        path = in_folder(row->folders[i], program);
    return path;
}

static char *first_with(const char *const *patterns, const char *file)
{
    char *found = NULL;
    size_t i;

    for (i = 0; found == NULL && patterns[i] != NULL; i++)
        found = whet_compiler__expand(patterns[i], file);
    return found;
}

/* Takes `path` over. */
static bool take(whet_compiler_found *out, const whet_compiler *row, char *path)
{
    memset(out, 0, sizeof *out);
    if (path == NULL)
        return false;
    out->row = row;
    out->path = path;
    if (!row->needs_rocm)
        return true;
    out->rocm =
        first_with(whet_compilers__rocm_folders, "include/hip/hip_runtime.h");
    out->bitcode = first_with(whet_compilers__bitcode_folders, "ockl.bc");
    if (out->rocm != NULL && out->bitcode != NULL)
        return true;
    whet_compiler__forget(out);
    return false;
}

void whet_compiler__forget(whet_compiler_found *found)
{
    free(found->path);
    free(found->rocm);
    free(found->bitcode);
    memset(found, 0, sizeof *found);
}

static bool find_row(whet_compiler_found *out, const whet_compiler *row)
{
    size_t i;

    for (i = 0; row->programs[i] != NULL; i++)
        if (take(out, row, find_program(row->programs[i], row)))
            return true;
    return false;
}

/* Does a file's name belong to the row? "clang-17.0" does to "clang". */
static bool names_row(const whet_compiler *row, const char *name)
{
    size_t i;

    for (i = 0; row->programs[i] != NULL; i++) {
        size_t bytes = strlen(row->programs[i]);

        if (strncmp(name, row->programs[i], bytes) == 0 &&
            (name[bytes] == '\0' || name[bytes] == '-'))
            return true;
    }
    return strcmp(name, row->name) == 0;
}

static const whet_compiler *row_named(const char *toolchain, const char *name)
{
    size_t i;

    for (i = 0; whet_compilers__rows[i] != NULL; i++)
        if (strcmp(whet_compilers__rows[i]->toolchain, toolchain) == 0 &&
            names_row(whet_compilers__rows[i], name))
            return whet_compilers__rows[i];
    return NULL;
}

static whet_status find_configured(whet_compiler_found *out,
                                   const whet_compiler_family *family,
                                   const char *config, whet_err *err)
{
    const char *equals = strchr(config, '=');
    const char *path = equals != NULL ? equals + 1 : config;
    const char *base = strrchr(path, '/');
    char name[64];
    const whet_compiler *row;

    if (equals != NULL) {
        size_t bytes = (size_t)(equals - config);

        bytes = bytes < sizeof name ? bytes : sizeof name - 1;
        memcpy(name, config, bytes);
        name[bytes] = '\0';
    } else {
        (void)whet_strcopy(name, sizeof name, base != NULL ? base + 1 : path);
    }
    row = row_named(family->toolchain, name);
    if (row == NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "%s: %s=%s names no compiler that is known, "
                            "expected ROW=PATH or a file called like one",
                            family->toolchain, family->config_name, config);
    /* A row's own name means any of its programs. */
    if (strcmp(path, row->name) == 0 && find_row(out, row))
        return WHET_OK;
    if (take(out, row, find_program(path, row)))
        return WHET_OK;
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "%s: %s=%s is not there or cannot be run%s",
                        family->toolchain, family->config_name, config,
                        row->needs_rocm ? ", or ROCm's headers and bitcode are "
                                          "missing"
                                        : "");
}

whet_status whet_compiler__find(whet_compiler_found *out,
                                const whet_compiler_family *family,
                                whet_err *err)
{
    const char *config = getenv(family->config_name);
    whet_buf names = {0};
    size_t i;

    memset(out, 0, sizeof *out);
    if (config != NULL && config[0] != '\0')
        return find_configured(out, family, config, err);
    for (i = 0; whet_compilers__rows[i] != NULL; i++) {
        const whet_compiler *row = whet_compilers__rows[i];

        if (strcmp(row->toolchain, family->toolchain) != 0)
            continue;
        if (find_row(out, row)) {
            whet_buf_deinit(&names);
            return WHET_OK;
        }
        whet_buf_printf(&names, "%s%s", names.bytes > 0 ? ", " : "", row->name);
    }
    (void)whet_err_set(err, WHET_EUNSUPPORTED,
                       "%s: no compiler found (looked for %s on PATH and in "
                       "the vendors' folders): %s, or set %s",
                       family->toolchain, whet_buf_str(&names), family->remedy,
                       family->config_name);
    whet_buf_deinit(&names);
    return WHET_EUNSUPPORTED;
}

/* In the folder of a program, as named and where its links lead. */
static char *beside(const char *near, const char *program)
{
    char *real = realpath(near, NULL);
    const char *const paths[] = {near, real};
    char *found = NULL;
    size_t i;

    for (i = 0; i < 2 && found == NULL; i++) {
        const char *slash = paths[i] != NULL ? strrchr(paths[i], '/') : NULL;

        if (slash == NULL)
            continue;
        found = whet_asprintf("%.*s/%s", (int)(slash - paths[i]), paths[i],
                              program);
        if (found != NULL && access(found, X_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free(real);
    return found;
}

whet_status whet_compiler__find_lister(whet_compiler_found *out,
                                       const char *toolchain, const char *near,
                                       whet_err *err)
{
    whet_buf names = {0};
    size_t i, k;

    memset(out, 0, sizeof *out);
    for (i = 0; whet_compilers__listers[i] != NULL; i++) {
        const whet_compiler *row = whet_compilers__listers[i];

        if (strcmp(row->toolchain, toolchain) != 0)
            continue;
        for (k = 0; near != NULL && row->programs[k] != NULL; k++)
            if (out->path == NULL)
                (void)take(out, row, beside(near, row->programs[k]));
        if (out->path != NULL || find_row(out, row)) {
            whet_buf_deinit(&names);
            return WHET_OK;
        }
        whet_buf_printf(&names, "%s%s", names.bytes > 0 ? ", " : "", row->name);
    }
    (void)whet_err_set(err, WHET_EUNSUPPORTED,
                       "%s: no disassembler found (looked for %s)", toolchain,
                       whet_buf_str(&names));
    whet_buf_deinit(&names);
    return WHET_EUNSUPPORTED;
}

bool whet_compiler__bind(whet_compiler_binds *binds, const char *folder)
{
    char *copy;
    size_t i;

    if (folder == NULL)
        return true;
    for (i = 0; i < binds->count; i++)
        if (strcmp(binds->items[i].host_path, folder) == 0)
            return true;
    if (binds->count == WHET_COMPILER__BIND_MAX)
        return true;
    if ((copy = whet_strdup(folder)) == NULL)
        return false;
    binds->owned[binds->count] = copy;
    binds->items[binds->count++] =
        (whet_sandbox_bind){.host_path = copy, .optional = true};
    return true;
}

/* Installation that a file lies in: two parts below /opt; else what holds its
 * "bin" or "lib" folder; else its own folder. Never a whole top folder. */
static size_t tree_bytes(const char *path)
{
    static const char *const layers[] = {"bin", "lib", "lib64", "llvm"};
    size_t bytes = (size_t)(strrchr(path, '/') - path);
    size_t i;

    if (strncmp(path, "/opt/", 5) == 0) {
        const char *end = strchr(path + 5, '/');

        return end != NULL ? (size_t)(end - path) : bytes;
    }
    for (i = 0; i < sizeof layers / sizeof layers[0];) {
        size_t part = strlen(layers[i]);

        if (bytes > part + 1 &&
            memcmp(path + bytes - part, layers[i], part) == 0 &&
            path[bytes - part - 1] == '/' &&
            memchr(path + 1, '/', bytes - part - 2) != NULL) {
            bytes -= part + 1;
            i = 0;
            continue;
        }
        i++;
    }
    return bytes;
}

bool whet_compiler__bind_tree(whet_compiler_binds *binds, const char *path)
{
    char *real = realpath(path, NULL);
    const char *const paths[] = {path, real};
    bool ok = true;
    size_t i;

    for (i = 0; i < 2 && ok; i++) {
        char *tree;

        if (paths[i] == NULL || strncmp(paths[i], "/usr/", 5) == 0 ||
            paths[i][0] != '/')
            continue;
        tree = strndup(paths[i], tree_bytes(paths[i]));
        ok = tree != NULL && whet_compiler__bind(binds, tree);
        free(tree);
    }
    free(real);
    return ok && whet_compiler__bind(binds, "/etc/alternatives");
}

void whet_compiler__unbind(whet_compiler_binds *binds)
{
    size_t i;

    for (i = 0; i < binds->count; i++)
        free(binds->owned[i]);
    memset(binds, 0, sizeof *binds);
}
