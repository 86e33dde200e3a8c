/* The nvrtc toolchain: CUDA C++ to a cubin with the compiler library, several
 * times faster than nvcc since no program is started and no file written. */

#include "toolchain/nvrtc_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAST "--use_fast_math"

enum { EM_CUDA_MACHINE = 190, ARCH_BYTES = 64, IDENTITY_BYTES = 256 };

static const uint64_t version_timeout_ns = 20000000000u;

static const char *const languages[] = {"cuda", "portable", NULL};
static const char *const strict_options[] = {NULL};
static const char *const relaxed_options[] = {FAST, NULL};

/* Folders of toolkits; a package of Python's has its own, to be configured. */
static const char *const folders[] = {
    "$CUDA_HOME/lib64",
    "$CUDA_HOME/lib",
    "$CUDA_PATH/lib64",
    "/usr/local/cuda/lib64",
    "/usr/local/cuda/targets/x86_64-linux/lib",
    "/usr/local/cuda-*/lib64",
    "/usr/local/cuda-*/targets/x86_64-linux/lib",
    "/opt/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
    NULL};
static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                    "libnvrtc.so", NULL};

static const char *const *options_for(bool allows_relaxed_maths)
{
    return allows_relaxed_maths ? relaxed_options : strict_options;
}

bool whet_nvrtc__paths(whet_buf *out)
{
    const char *config = getenv(WHET_NVRTC__VARIABLE);
    size_t i, k;

    if (config != NULL && config[0] != '\0') {
        whet_buf_puts(out, config);
        return !out->failed;
    }
    for (i = 0; names[i] != NULL; i++)
        for (k = 0; folders[k] != NULL; k++) {
            char *folder = whet_compiler__expand(folders[k], names[i]);

            if (folder != NULL)
                whet_buf_printf(out, "%s/%s:", folder, names[i]);
            free(folder);
        }
    for (i = 0; names[i] != NULL; i++)
        whet_buf_printf(out, "%s%s", i > 0 ? ":" : "", names[i]);
    return !out->failed;
}

/* The child's environment: one entry is ours to free. */
static whet_status environment(char **owned, const char *env[6], whet_err *err)
{
    whet_buf paths = {0};

    *owned = NULL;
    if (whet_nvrtc__paths(&paths))
        *owned =
            whet_asprintf(WHET_NVRTC__VARIABLE "=%s", whet_buf_str(&paths));
    whet_buf_deinit(&paths);
    if (*owned == NULL)
        return whet_err_set(err, WHET_ENOMEM, "nvrtc: out of memory");
    env[0] = "PATH=/usr/bin:/bin";
    env[1] = "HOME=/tmp";
    env[2] = "TMPDIR=/tmp";
    env[3] = "LC_ALL=C";
    env[4] = *owned;
    env[5] = NULL;
    return WHET_OK;
}

static whet_status ask_version(char *line, size_t line_bytes, whet_err *err)
{
    static const char *const words[] = {"nvrtc", "version", NULL};
    const char *env[6];
    char *owned = NULL;
    char how[96];
    whet_toolchain_run run = {.words = words,
                              .env = env,
                              .stdout_max_bytes = 4096,
                              .timeout_ns = version_timeout_ns};
    whet_process_result result = {0};
    whet_status st = environment(&owned, env, err);

    if (st == WHET_OK)
        st = whet_toolchain__run(&result, &run, err);
    if (st == WHET_OK && (result.kind != WHET_EXIT_CODE || result.code != 0)) {
        whet_exit_describe(how, sizeof how, result.kind, result.code);
        whet_toolchain__first_line(line, line_bytes, &result.err);
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "nvrtc: %s: install the CUDA toolkit's NVRTC library "
                          "or name it in " WHET_NVRTC__VARIABLE,
                          line[0] != '\0' ? line : how);
    }
    if (st == WHET_OK)
        whet_toolchain__first_line(line, line_bytes, &result.out);
    whet_process_result_deinit(&result);
    free(owned);
    return st;
}

static whet_status identify(char text[256], uint32_t device_index,
                            whet_err *err)
{
    char dialect[17];
    char line[200];
    whet_status st = ask_version(line, sizeof line, err);

    (void)device_index;
    text[0] = '\0';
    if (st == WHET_OK)
        st = whet_compile__dialect_tag(dialect, err);
    if (st == WHET_OK)
        snprintf(text, IDENTITY_BYTES, "dialect %s; nvrtc %s", dialect, line);
    return st;
}

/* Words of one build, some of which are ours to free. */
struct words {
    const char *items[WHET_COMPILER__WORD_MAX + 1];
    size_t count;
    char arch[ARCH_BYTES + 32];
    char *includes[2];
};

static whet_status add(struct words *words, const char *word, whet_err *err)
{
    if (word[0] != '-' || !whet_compiler__is_plain(word))
        return whet_err_set(err, WHET_EINVAL,
                            "nvrtc: \"%s\" is no plain flag: expected \"-...\" "
                            "without blanks, quotes and marks of a shell",
                            word);
    if (words->count == WHET_COMPILER__WORD_MAX)
        return whet_err_set(err, WHET_EINVAL, "nvrtc: over %d flags",
                            WHET_COMPILER__WORD_MAX);
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
    return WHET_OK;
}

/* The toolkit's headers beside the library, for sources that include some. */
static whet_status add_includes(struct words *words, whet_compiler_binds *binds,
                                const char *paths, whet_err *err)
{
    static const char *const ups[] = {"/../include", "/../../../include"};
    static const char *const parts[] = {"", "/cccl"};
    size_t bytes = strcspn(paths, ":");
    char *first = strndup(paths, bytes);
    char *slash = first != NULL ? strrchr(first, '/') : NULL;
    whet_status st = WHET_OK;
    size_t i, k, count = 0;

    if (slash != NULL)
        *slash = '\0';
    for (i = 0; slash != NULL && i < 2 && count == 0; i++) {
        char *folder = whet_asprintf("%s%s", first, ups[i]);
        char *real = folder != NULL ? realpath(folder, NULL) : NULL;
        char *file = real != NULL ? whet_fs_join(real, "cuda_fp16.h") : NULL;

        for (k = 0; file != NULL && whet_fs_exists(file) && k < 2; k++) {
            words->includes[count] =
                whet_asprintf("--include-path=%s%s", real, parts[k]);
            if (words->includes[count] != NULL && st == WHET_OK)
                st = add(words, words->includes[count++], err);
        }
        if (count > 0 && strncmp(real, "/usr/", 5) != 0 &&
            !whet_compiler__bind(binds, real))
            st = whet_err_set(err, WHET_ENOMEM, "nvrtc: out of memory");
        free(file);
        free(real);
        free(folder);
    }
    free(first);
    return st;
}

static whet_status compose_words(struct words *words,
                                 whet_compiler_binds *binds, const char *paths,
                                 const whet_build_request *request,
                                 whet_err *err)
{
    static const char *const fixed[] = {"--std=c++17",
                                        "--device-as-default-execution-space",
                                        "-lineinfo", "--ptxas-options=-v"};
    char arch[ARCH_BYTES];
    whet_status st = WHET_OK;
    size_t i;

    if (!whet_compiler__bare_arch(arch, sizeof arch, request->arch))
        return whet_err_set(err, WHET_EINVAL,
                            "nvrtc: \"%s\" is no architecture, expected a word "
                            "like sm_90a",
                            request->arch);
    snprintf(words->arch, sizeof words->arch, "--gpu-architecture=%s", arch);
    words->items[words->count++] = "nvrtc";
    st = add(words, words->arch, err);
    for (i = 0; st == WHET_OK && i < sizeof fixed / sizeof fixed[0]; i++)
        st = add(words, fixed[i], err);
    for (i = 0; st == WHET_OK && request->options[i] != NULL; i++)
        st = add(words, request->options[i], err);
    for (i = 0; st == WHET_OK && request->defines[i] != NULL; i++)
        st = add(words, request->defines[i], err);
    if (st == WHET_OK)
        st = add_includes(words, binds, paths, err);
    return st;
}

/* Header and source as one text whose line numbers are the source's. */
static whet_status
compose_source(whet_buf *out, const whet_build_request *request, whet_err *err)
{
    char *dialect = NULL;
    size_t bytes = 0;
    whet_status st = whet_toolchain_dialect(&dialect, &bytes, err);

    if (st != WHET_OK)
        return st;
    whet_buf_add(out, dialect, bytes);
    whet_buf_puts(out, "\n#line 1 \"" WHET_TOOLCHAIN__FILE ".cu\"\n");
    whet_buf_add(out, request->source, request->source_bytes);
    free(dialect);
    if (out->failed)
        return whet_err_set(err, WHET_ENOMEM, "nvrtc: out of memory");
    return WHET_OK;
}

static whet_status bind_libraries(whet_compiler_binds *binds, const char *paths,
                                  whet_err *err)
{
    while (*paths != '\0') {
        size_t bytes = strcspn(paths, ":");
        char *path = strndup(paths, bytes);
        bool ok = path != NULL &&
                  (path[0] != '/' || whet_compiler__bind_tree(binds, path));

        free(path);
        if (!ok)
            return whet_err_set(err, WHET_ENOMEM, "nvrtc: out of memory");
        paths += bytes + (paths[bytes] == ':');
    }
    return WHET_OK;
}

whet_status whet_nvrtc__build(whet_image *image, whet_diagnostic *diagnostic,
                              whet_buf *log, const whet_build_request *request,
                              whet_err *err)
{
    struct words *words = calloc(1, sizeof *words);
    whet_compiler_binds binds = {0};
    whet_compile_result result = {0};
    const char *env[6];
    char *owned = NULL;
    whet_buf source = {0};
    whet_compile what = {.name = "nvrtc",
                         .toolchain = "nvrtc",
                         .source_name = WHET_TOOLCHAIN__FILE ".cu",
                         .output_name = "",
                         .env = env,
                         .output_max_bytes = WHET_IMAGE_BYTES_MAX,
                         .timeout_ns = request->timeout_ns,
                         .sandbox = request->sandbox,
                         .is_unsafe = request->is_unsafe};
    const char *paths;
    whet_status st;

    memset(image, 0, sizeof *image);
    memset(diagnostic, 0, sizeof *diagnostic);
    if (words == NULL)
        return whet_err_set(err, WHET_ENOMEM, "nvrtc: out of memory");
    if (request->has_openmp) {
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "nvrtc: has no OpenMP, expected nvcc or hip");
        goto out;
    }
    if ((st = environment(&owned, env, err)) != WHET_OK)
        goto out;
    paths = strchr(owned, '=') + 1;
    if ((st = bind_libraries(&binds, paths, err)) != WHET_OK ||
        (st = compose_words(words, &binds, paths, request, err)) != WHET_OK ||
        (st = compose_source(&source, request, err)) != WHET_OK)
        goto out;
    what.argv = words->items;
    what.binds = binds.items;
    what.bind_count = binds.count;
    what.source = source.data;
    what.source_bytes = source.bytes;
    st = whet_compile__run(&result, diagnostic, &what, err);
    if (st == WHET_OK && diagnostic->kind == WHET_DIAGNOSTIC_NONE)
        st = whet_compile__image(image, diagnostic, &result, EM_CUDA_MACHINE,
                                 err);
    if (log != NULL)
        whet_buf_add(log, result.log, result.log_bytes);
out:
    whet_compile__result_free(&result);
    whet_compiler__unbind(&binds);
    whet_buf_deinit(&source);
    free(words->includes[0]);
    free(words->includes[1]);
    free(words);
    free(owned);
    return st;
}

static whet_status build(whet_image *image, whet_diagnostic *diagnostic,
                         const whet_build_request *request, whet_err *err)
{
    return whet_nvrtc__build(image, diagnostic, NULL, request, err);
}

static whet_status listing(whet_buf *out, const whet_image *image,
                           const whet_build_request *request, whet_err *err)
{
    return whet_compiler__disassemble(out, image, "nvcc", NULL, request, err);
}

const whet_toolchain_ops whet_toolchain_nvrtc = {
    .name = "nvrtc",
    .summary = "CUDA C++ with the NVRTC library",
    .languages = languages,
    .identify = identify,
    .options = options_for,
    .build = build,
    .listing = listing,
    .child_main = whet_nvrtc__child_main,
};
