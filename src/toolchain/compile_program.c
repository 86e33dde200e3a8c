/* Toolchains whose compilers are programs: identity by what the program says
 * of itself, builds and listings through its row's words. */

#include "toolchain/compilers_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { IDENTITY_BYTES = 256, VERSION_BYTES = 4096 };

static const uint64_t version_timeout_ns = 20000000000u;

/* Environment of a compiler: nothing of ours but a few names of its row. */
struct surroundings {
    whet_compiler_binds binds;
    char *owned[WHET_COMPILER__ENV_MAX];
    const char *env[WHET_COMPILER__ENV_MAX + 1];
    size_t env_count;
};

static whet_status add_env(struct surroundings *around, char *entry,
                           whet_err *err)
{
    if (entry == NULL)
        return whet_err_set(err, WHET_ENOMEM, "compiler: out of memory");
    if (around->env_count == WHET_COMPILER__ENV_MAX) {
        free(entry);
        return WHET_OK;
    }
    around->owned[around->env_count] = entry;
    around->env[around->env_count++] = entry;
    return WHET_OK;
}

/* Our bundle's LD_LIBRARY_PATH must not reach a compiler: only what is named
 * here does. Its own folder stands first in PATH, since drivers run their
 * other parts by name. */
static whet_status surround(struct surroundings *around,
                            const whet_compiler_found *found, whet_err *err)
{
    const char *slash = strrchr(found->path, '/');
    whet_status st =
        add_env(around,
                whet_asprintf("PATH=%.*s:/usr/local/bin:/usr/bin:/bin",
                              (int)(slash - found->path), found->path),
                err);
    size_t i;

    if (st == WHET_OK)
        st = add_env(around, whet_strdup("HOME=/tmp"), err);
    if (st == WHET_OK)
        st = add_env(around, whet_strdup("TMPDIR=/tmp"), err);
    if (st == WHET_OK)
        st = add_env(around, whet_strdup("LC_ALL=C"), err);
    for (i = 0; st == WHET_OK && found->row->env[i] != NULL; i++) {
        const char *value = getenv(found->row->env[i]);

        if (value == NULL || value[0] == '\0')
            continue;
        st = add_env(around, whet_asprintf("%s=%s", found->row->env[i], value),
                     err);
        if (value[0] == '/' && strncmp(value, "/usr", 4) != 0 &&
            strcmp(value, "/") != 0 &&
            !whet_compiler__bind(&around->binds, value))
            st = whet_err_set(err, WHET_ENOMEM, "compiler: out of memory");
    }
    if (st == WHET_OK &&
        (!whet_compiler__bind_tree(&around->binds, found->path) ||
         (found->bitcode != NULL &&
          !whet_compiler__bind(&around->binds, found->bitcode)) ||
         (found->rocm != NULL && strcmp(found->rocm, "/usr") != 0 &&
          !whet_compiler__bind(&around->binds, found->rocm))))
        st = whet_err_set(err, WHET_ENOMEM, "compiler: out of memory");
    return st;
}

static void leave(struct surroundings *around)
{
    size_t i;

    for (i = 0; i < around->env_count; i++)
        free(around->owned[i]);
    whet_compiler__unbind(&around->binds);
}

/* What the program says to --version, without any candidate. */
static whet_status ask_version(whet_buf *out, const whet_compiler_found *found,
                               whet_err *err)
{
    const char *const argv[] = {found->path, "--version", NULL};
    struct surroundings around = {0};
    whet_process_opts opts = {.argv = argv,
                              .env = around.env,
                              .stdout_max_bytes = VERSION_BYTES,
                              .stderr_max_bytes = VERSION_BYTES,
                              .timeout_ns = version_timeout_ns};
    whet_process_result result = {0};
    char how[96];
    whet_status st = surround(&around, found, err);

    if (st == WHET_OK)
        st = whet_process_run(&result, &opts, err);
    if (st == WHET_OK && (result.kind != WHET_EXIT_CODE || result.code != 0 ||
                          result.out.bytes == 0)) {
        whet_exit_describe(how, sizeof how, result.kind, result.code);
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "%s --version failed: %s, expected a version",
                          found->path, how);
    }
    if (st == WHET_OK)
        whet_buf_add(out, result.out.data, result.out.bytes);
    whet_process_result_deinit(&result);
    leave(&around);
    return st;
}

/* The line that holds a number with a point, else the first: nvcc's first
 * lines are a copyright. */
static void version_line(char *out, size_t out_bytes, const char *text)
{
    static const char *const marks[] = {"release ", "version "};
    const char *start = text;
    whet_buf line = {0};
    size_t i;

    for (i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *mark = strstr(text, marks[i]);

        if (mark == NULL)
            continue;
        for (start = mark; start > text && start[-1] != '\n';)
            start--;
        break;
    }
    whet_buf_escape(&line, start, strcspn(start, "\n"), false);
    (void)whet_strcopy(out, out_bytes, whet_buf_str(&line));
    whet_buf_deinit(&line);
}

/* All that could change the machine code of an unchanged version line. */
static void tools_tag(char text[9], const whet_compiler_found *found,
                      const char *version)
{
    const char *const paths[] = {found->path, found->bitcode, found->rocm};
    whet_hasher hasher;
    whet_hash hash;
    size_t i;

    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "row", found->row->name);
    whet_hasher_add_str(&hasher, "version", version);
    for (i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct stat info = {0};
        char facts[64];

        if (paths[i] == NULL || stat(paths[i], &info) != 0)
            continue;
        snprintf(facts, sizeof facts, "%lld %lld", (long long)info.st_size,
                 (long long)info.st_mtime);
        whet_hasher_add_str(&hasher, "path", paths[i]);
        whet_hasher_add_str(&hasher, "file", facts);
    }
    for (i = 0; found->row->words[i].text != NULL; i++)
        whet_hasher_add_str(&hasher, "word", found->row->words[i].text);
    hash = whet_hasher_finish(&hasher);
    (void)whet_strcopy(text, 9, hash.text);
}

whet_status whet_compiler__identify(char text[256],
                                    const whet_compiler_family *family,
                                    whet_err *err)
{
    whet_compiler_found found;
    whet_buf version = {0};
    char dialect[17];
    char tag[9];
    char line[160];
    whet_status st = whet_compiler__find(&found, family, err);

    text[0] = '\0';
    if (st != WHET_OK)
        return st;
    if ((st = ask_version(&version, &found, err)) != WHET_OK ||
        (st = whet_compile__dialect_tag(dialect, err)) != WHET_OK)
        goto out;
    version_line(line, sizeof line, whet_buf_str(&version));
    tools_tag(tag, &found, whet_buf_str(&version));
    /* Hashes first, so that a long path cannot cut them off. */
    snprintf(text, IDENTITY_BYTES, "dialect %s; build %s; %s: %.80s; %s",
             dialect, tag, found.row->name, line, found.path);
out:
    whet_buf_deinit(&version);
    whet_compiler__forget(&found);
    return st;
}

/* Run one command of a row; what it wrote is in `result`. */
static whet_status run_row(whet_compile_result *result,
                           whet_diagnostic *diagnostic, whet_compile *what,
                           const whet_compiler_argv *argv,
                           const whet_compiler_found *found,
                           const whet_build_request *request, whet_err *err)
{
    struct surroundings around = {0};
    whet_status st = surround(&around, found, err);

    what->argv = (const char *const *)argv->items;
    what->env = around.env;
    what->binds = around.binds.items;
    what->bind_count = around.binds.count;
    what->timeout_ns = request->timeout_ns;
    what->sandbox = request->sandbox;
    what->is_unsafe = request->is_unsafe;
    if (st == WHET_OK)
        st = whet_compile__run(result, diagnostic, what, err);
    leave(&around);
    return st;
}

/* Compile with the given words of the row: an image, or text. */
static whet_status
compile(whet_compile_result *result, whet_diagnostic *diagnostic,
        const whet_compiler_found *found, const whet_compiler_word *words,
        size_t output_max_bytes, const whet_compiler_family *family,
        const whet_build_request *request, whet_err *err)
{
    whet_compiler_argv *argv = calloc(1, sizeof *argv);
    whet_compile what = {.name = family->toolchain,
                         .toolchain = family->toolchain,
                         .source_name = family->source_name,
                         .output_name = family->image_name,
                         .source = request->source,
                         .source_bytes = request->source_bytes,
                         .output_max_bytes = output_max_bytes};
    char *dialect = NULL;
    whet_status st;

    if (argv == NULL)
        return whet_err_set(err, WHET_ENOMEM, "compiler: out of memory");
    st = whet_compiler__argv(argv, found, words, family, request->arch, request,
                             err);
    if (st == WHET_OK)
        st = whet_toolchain_dialect(&dialect, &what.header_bytes, err);
    what.header = dialect;
    if (st == WHET_OK)
        st = run_row(result, diagnostic, &what, argv, found, request, err);
    whet_compiler__argv_free(argv);
    free(argv);
    free(dialect);
    return st;
}

whet_status whet_compiler__build(whet_image *image, whet_diagnostic *diagnostic,
                                 whet_buf *log,
                                 const whet_compiler_family *family,
                                 const whet_build_request *request,
                                 whet_err *err)
{
    whet_compile_result result = {0};
    whet_compiler_found found;
    whet_status st;

    memset(image, 0, sizeof *image);
    memset(diagnostic, 0, sizeof *diagnostic);
    if ((st = whet_compiler__find(&found, family, err)) != WHET_OK)
        return st;
    st = compile(&result, diagnostic, &found, found.row->words,
                 WHET_IMAGE_BYTES_MAX, family, request, err);
    if (st == WHET_OK && diagnostic->kind == WHET_DIAGNOSTIC_NONE)
        st = whet_compile__image(image, diagnostic, &result, family->machine,
                                 err);
    if (log != NULL)
        whet_buf_add(log, result.log, result.log_bytes);
    whet_compile__result_free(&result);
    whet_compiler__forget(&found);
    return st;
}

/* A listing that a tool refuses is not one. */
static whet_status take_text(whet_buf *out, const whet_compile_result *result,
                             const whet_diagnostic *diagnostic,
                             const char *name, whet_err *err)
{
    if (diagnostic->kind != WHET_DIAGNOSTIC_NONE)
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s: %s", name,
                            diagnostic->text);
    whet_buf_add(out, result->output, result->output_bytes);
    if (out->failed)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", name);
    return WHET_OK;
}

whet_status whet_compiler__disassemble(whet_buf *out, const whet_image *image,
                                       const char *toolchain, const char *near,
                                       const whet_build_request *request,
                                       whet_err *err)
{
    static const whet_compiler_family no_family = {.source_name = "image.o",
                                                   .image_name = ""};
    whet_compile what = {.toolchain = toolchain,
                         .source_name = no_family.source_name,
                         .output_name = no_family.image_name,
                         .source = image->bytes,
                         .source_bytes = image->byte_count,
                         .output_max_bytes = WHET_LISTING_BYTES_MAX};
    whet_compiler_argv *argv = calloc(1, sizeof *argv);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_compile_result result = {0};
    whet_compiler_found found = {0};
    whet_status st;

    if (argv == NULL || diagnostic == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "listing: out of memory");
        goto out;
    }
    if ((st = whet_compiler__find_lister(&found, toolchain, near, err)) !=
        WHET_OK)
        goto out;
    what.name = found.row->name;
    st = whet_compiler__argv(argv, &found, found.row->words, &no_family,
                             request->arch, NULL, err);
    if (st == WHET_OK)
        st = run_row(&result, diagnostic, &what, argv, &found, request, err);
    if (st == WHET_OK)
        st = take_text(out, &result, diagnostic, found.row->name, err);
out:
    if (argv != NULL)
        whet_compiler__argv_free(argv);
    free(argv);
    free(diagnostic);
    whet_compile__result_free(&result);
    whet_compiler__forget(&found);
    return st;
}

/* The image itself if a disassembler is there, else a second compilation. */
whet_status whet_compiler__listing(whet_buf *out, const whet_image *image,
                                   const whet_compiler_family *family,
                                   const whet_build_request *request,
                                   whet_err *err)
{
    whet_diagnostic *diagnostic = NULL;
    whet_compile_result result = {0};
    whet_compiler_found found = {0};
    whet_status st = whet_compiler__find(&found, family, err);

    if (st == WHET_OK)
        st = whet_compiler__disassemble(out, image, family->toolchain,
                                        found.path, request, err);
    if (st != WHET_EUNSUPPORTED || found.row == NULL ||
        found.row->listing == NULL)
        goto out;
    diagnostic = calloc(1, sizeof *diagnostic);
    if (diagnostic == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "listing: out of memory");
        goto out;
    }
    st = compile(&result, diagnostic, &found, found.row->listing,
                 WHET_LISTING_BYTES_MAX, family, request, err);
    if (st == WHET_OK)
        st = take_text(out, &result, diagnostic, family->toolchain, err);
out:
    free(diagnostic);
    whet_compile__result_free(&result);
    whet_compiler__forget(&found);
    return st;
}
