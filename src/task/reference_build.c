/* Compiles reference.c of a task: generates whet_task.h, runs the C compiler
 * in a private folder on the very bytes that were hashed, and renames the
 * object into place. The name of a cached object is a hash of everything that
 * decides its content, so it is never out of date. */

#include "task/reference_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CC_WORDS_MAX = 8, ENV_MAX = 5, ARGV_MAX = 40 };

/* No contraction and no re-association: a row has the same bits whatever CPU
 * computes it. */
static const char *const flags[] = {
    "-std=c17",        "-O3", "-fPIC", "-shared", "-ffp-contract=off",
    "-fno-math-errno", "-w",
#if defined(__ELF__)
    "-Wl,-z,defs", /* an undefined name is an error now, not when loading */
#endif
};
enum { FLAG_COUNT = sizeof flags / sizeof flags[0] };

#if defined(__x86_64__)
static const char *const shipped_name = "reference-x86-64-v3.so";
static const char *const shipped_march = "-march=x86-64-v3";
#elif defined(__aarch64__)
static const char *const shipped_name = "reference-aarch64.so";
static const char *const shipped_march = NULL;
#else
static const char *const shipped_name = NULL;
static const char *const shipped_march = NULL;
#endif

/* A C compiler as found: its path, further words of $CC, its environment. */
struct compiler {
    char *words[CC_WORDS_MAX + 1];
    size_t word_count;
    char *env[ENV_MAX + 1];
    whet_buf version;
};

const char *whet_task__reference_shipped_name(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NULL;
#endif
    return shipped_name;
}

whet_reference_tag whet_task__reference_tag(const whet_task *task)
{
    whet_reference_tag tag;

    snprintf(tag.text, sizeof tag.text, "1:%s", task->hash.text);
    return tag;
}

void whet_task__reference_header(whet_buf *out, const whet_task *task)
{
    static const char *const c_types[WHET_DTYPE_COUNT] = {
        [WHET_DTYPE_F64] = "double", [WHET_DTYPE_F32] = "float",
        [WHET_DTYPE_F16] = "float",  [WHET_DTYPE_BF16] = "float",
        [WHET_DTYPE_I32] = "int",
    };

    whet_buf_printf(out,
                    "/* Made by whet for task '%s'. */\n"
                    "#ifndef WHET_TASK_ARGS_H\n"
                    "#define WHET_TASK_ARGS_H\n"
                    "struct whet_args {\n",
                    task->name);
    for (unsigned i = 0; i < task->tensor_count; i++) {
        const whet_tensor *tensor = &task->tensors[i];

        if (tensor->role == WHET_ROLE_IN)
            whet_buf_printf(out, "    const %s *%s;\n", c_types[tensor->dtype],
                            tensor->name);
    }
    for (unsigned i = 0; i < task->dim_count; i++)
        whet_buf_printf(out, "    long %s;\n", task->dims[i].name);
    for (unsigned i = 0; i < task->scalar_count; i++)
        whet_buf_printf(out, "    double %s;\n", task->scalars[i].name);
    whet_buf_puts(out, "};\n");
    for (unsigned i = 0; i < task->tensor_count; i++) {
        if (task->tensors[i].role == WHET_ROLE_OUT)
            whet_buf_printf(out,
                            "void reference_%s(const struct whet_args *t, long "
                            "row, double *value, double *scale);\n",
                            task->tensors[i].name);
    }
    whet_buf_puts(out, "#endif\n");
}

/* --- the compiler --- */

static void compiler_deinit(struct compiler *cc)
{
    for (size_t i = 0; i < CC_WORDS_MAX; i++)
        free(cc->words[i]);
    for (size_t i = 0; i < ENV_MAX; i++)
        free(cc->env[i]);
    whet_buf_deinit(&cc->version);
}

/* $CC may hold a launcher and options: "ccache gcc -m64". */
static whet_status split_cc(struct compiler *cc, const char *text,
                            whet_err *err)
{
    while (*(text += strspn(text, " ")) != '\0') {
        size_t bytes = strcspn(text, " ");

        if (cc->word_count == CC_WORDS_MAX)
            return whet_err_set(err, WHET_EINVAL, "$CC has more than %d words",
                                CC_WORDS_MAX);
        cc->words[cc->word_count] = whet_asprintf("%.*s", (int)bytes, text);
        if (cc->words[cc->word_count] == NULL)
            return whet_err_set(err, WHET_ENOMEM, "$CC: out of memory");
        cc->word_count++;
        text += bytes;
    }
    return WHET_OK;
}

static whet_status find_words(struct compiler *cc, whet_err *err)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *chosen = getenv("CC");
    char *path = NULL;
    whet_status st;

    if (chosen != NULL && chosen[strspn(chosen, " ")] != '\0') {
        st = split_cc(cc, chosen, err);
        if (st != WHET_OK)
            return st;
        if (whet_fs_find_program(&path, cc->words[0], NULL) != WHET_OK)
            return whet_err_set(err, WHET_EUNSUPPORTED,
                                "reference: no compiler '%.64s' (from $CC); "
                                "unset CC or install it",
                                cc->words[0]);
        free(cc->words[0]);
        cc->words[0] = path;
        return WHET_OK;
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (whet_fs_find_program(&cc->words[0], usual[i], NULL) == WHET_OK) {
            cc->word_count = 1;
            return WHET_OK;
        }
    }
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "reference: neither a compiled object beside the task "
                        "nor a C compiler; install gcc or set CC");
}

/* The environment that a compiler needs to find its parts, and no more. */
static whet_status find_env(struct compiler *cc, whet_err *err)
{
    static const char *const kept[] = {"PATH", "HOME", "TMPDIR"};
    size_t count = 0;

    cc->env[count++] = whet_strdup("LC_ALL=C");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *value = getenv(kept[i]);

        if (value != NULL)
            cc->env[count++] = whet_asprintf("%s=%s", kept[i], value);
    }
    for (size_t i = 0; i < count; i++) {
        if (cc->env[i] == NULL)
            return whet_err_set(err, WHET_ENOMEM, "compiler: out of memory");
    }
    return WHET_OK;
}

static whet_status run_compiler(whet_process_result *result,
                                const struct compiler *cc,
                                const char *const *args, const char *cwd,
                                whet_err *err)
{
    const char *argv[CC_WORDS_MAX + ARGV_MAX + 1];
    whet_process_opts opts = {
        .argv = argv,
        .env = (const char *const *)cc->env,
        .cwd = cwd,
        .stdout_max_bytes = 4096,
        .stderr_max_bytes = 65536,
        .timeout_ns = UINT64_C(120) * 1000000000u,
    };
    size_t count = 0;

    for (size_t i = 0; i < cc->word_count; i++)
        argv[count++] = cc->words[i];
    for (size_t i = 0; args[i] != NULL && i < ARGV_MAX; i++)
        argv[count++] = args[i];
    argv[count] = NULL;
    return whet_process_run(result, &opts, err);
}

static whet_status compiler_init(struct compiler *cc, whet_err *err)
{
    static const char *const args[] = {"--version", NULL};
    whet_process_result result = {0};
    whet_status st = find_words(cc, err);

    if (st == WHET_OK)
        st = find_env(cc, err);
    if (st == WHET_OK)
        st = run_compiler(&result, cc, args, NULL, err);
    if (st != WHET_OK)
        return st;
    if (result.kind != WHET_EXIT_CODE || result.code != 0) {
        char how[64];

        whet_exit_describe(how, sizeof how, result.kind, result.code);
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "reference: `%s --version` failed: %s", cc->words[0],
                          how);
    }
    whet_buf_add(&cc->version, whet_buf_str(&result.out), result.out.bytes);
    whet_process_result_deinit(&result);
    return st;
}

/* --- what a build is made of --- */

struct build {
    const whet_task *task;
    whet_buf source; /* reference.c */
    whet_buf header; /* whet_task.h */
    whet_buf tag;    /* C text that defines the tag */
    struct compiler cc;
    const char *march; /* NULL = none */
};

static void build_deinit(struct build *build)
{
    whet_buf_deinit(&build->source);
    whet_buf_deinit(&build->header);
    whet_buf_deinit(&build->tag);
    compiler_deinit(&build->cc);
}

static whet_status build_init(struct build *build, const whet_task *task,
                              whet_err *err)
{
    whet_reference_tag tag = whet_task__reference_tag(task);
    char *path = whet_fs_join(task->dir, "reference.c");
    whet_status st;

    build->task = task;
    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "reference: out of memory");
    st = whet_fs_read(&build->source, path, WHET_TASK_REFERENCE_BYTES_MAX, err);
    free(path);
    if (st != WHET_OK)
        return st;
    whet_task__reference_header(&build->header, task);
    whet_buf_printf(&build->tag, "const char %s[] = \"%s\";\n",
                    WHET_REFERENCE_TAG_SYMBOL, tag.text);
    if (build->header.failed || build->tag.failed)
        return whet_err_set(err, WHET_ENOMEM, "reference: out of memory");
    return compiler_init(&build->cc, err);
}

/* Model and feature lines of the first CPU: -march=native depends on them. */
static void add_cpu(whet_hasher *hasher)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[8192];

    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL && line[0] != '\n') {
        if (strncmp(line, "model name", 10) == 0 ||
            strncmp(line, "flags", 5) == 0 ||
            strncmp(line, "Features", 8) == 0 ||
            strncmp(line, "CPU part", 8) == 0)
            whet_hasher_add_str(hasher, "cpu", line);
    }
    fclose(file);
}

static whet_hash build_hash(const struct build *build)
{
    whet_hasher hasher;

    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "source", whet_buf_str(&build->source));
    whet_hasher_add_str(&hasher, "header", whet_buf_str(&build->header));
    whet_hasher_add_str(&hasher, "tag", whet_buf_str(&build->tag));
    for (size_t i = 0; i < build->cc.word_count; i++)
        whet_hasher_add_str(&hasher, "compiler", build->cc.words[i]);
    whet_hasher_add_str(&hasher, "version", whet_buf_str(&build->cc.version));
    for (size_t i = 0; i < FLAG_COUNT; i++)
        whet_hasher_add_str(&hasher, "flag", flags[i]);
    whet_hasher_add_str(&hasher, "march",
                        build->march != NULL ? build->march : "");
    add_cpu(&hasher);
    return whet_hasher_finish(&hasher);
}

static whet_status write_in(const char *dir, const char *name,
                            const whet_buf *text, whet_err *err)
{
    char *path = whet_fs_join(dir, name);
    whet_status st;

    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", dir);
    st = whet_fs_write(path, whet_buf_str(text), text->bytes, err);
    free(path);
    return st;
}

/* The first complaint of the compiler, with the task's folder in front. */
static whet_status complaint(const struct build *build,
                             const whet_process_result *result, whet_err *err)
{
    const char *text = whet_buf_str(&result->err);
    const char *dir = build->task->dir;
    char how[64];

    if (result->kind != WHET_EXIT_CODE) {
        whet_exit_describe(how, sizeof how, result->kind, result->code);
        return whet_err_set(err, WHET_EFAIL, "%s/reference.c: compiler: %s",
                            dir, how);
    }
    for (const char *line = text; *line != '\0';) {
        size_t bytes = strcspn(line, "\n");

        if (memmem(line, bytes, "error", 5) != NULL ||
            memmem(line, bytes, "undefined reference", 19) != NULL) {
            bool is_placed = strncmp(line, "reference.c:", 12) == 0;

            return whet_err_set(err, WHET_EINVAL, "%s/%s%.*s", dir,
                                is_placed ? "" : "reference.c: ",
                                bytes < 256 ? (int)bytes : 256, line);
        }
        line += bytes + (line[bytes] == '\n');
    }
    return whet_err_set(err, WHET_EINVAL,
                        "%s/reference.c: does not compile: %.256s", dir, text);
}

/* Compile in `dir`, which holds the sources, into `object`. */
static whet_status compile_in(const struct build *build, const char *dir,
                              const char *object, whet_err *err)
{
    const char *march = build->march;

    for (;;) {
        const char *args[ARGV_MAX] = {"-I.", "reference.c", "tag.c",
                                      "-o",  object,        "-lm"};
        whet_process_result result = {0};
        size_t count = 6;
        bool is_done, is_march;
        whet_status st;

        for (size_t i = 0; i < FLAG_COUNT; i++)
            args[count++] = flags[i];
        args[count] = march; /* NULL ends the list */
        st = run_compiler(&result, &build->cc, args, dir, err);
        if (st != WHET_OK)
            return st;
        is_done = result.kind == WHET_EXIT_CODE && result.code == 0;
        /* Some compilers do not know -march=native on some machines. */
        is_march = march != NULL && result.kind == WHET_EXIT_CODE &&
                   strstr(whet_buf_str(&result.err), "march") != NULL;
        if (!is_done && !is_march)
            st = complaint(build, &result, err);
        whet_process_result_deinit(&result);
        if (is_done || !is_march)
            return st;
        march = NULL;
    }
}

/* Compile aside and rename over `object`. */
static whet_status build_object(const struct build *build, const char *object,
                                whet_err *err)
{
    char *dir = NULL, *aside = NULL, *absolute = NULL;
    whet_status st = whet_fs_tempdir(&dir, "whet-reference", err);

    if (st != WHET_OK)
        return st;
    if (object[0] != '/') {
        char *cwd = getcwd(NULL, 0);

        absolute = cwd != NULL ? whet_fs_join(cwd, object) : NULL;
        free(cwd);
    } else {
        absolute = whet_strdup(object);
    }
    if (absolute != NULL)
        aside = whet_asprintf("%s.%s.tmp", absolute, strrchr(dir, '/') + 1);
    if (aside == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "reference: out of memory");
        goto out;
    }
    st = write_in(dir, "reference.c", &build->source, err);
    if (st == WHET_OK)
        st = write_in(dir, "whet_task.h", &build->header, err);
    if (st == WHET_OK)
        st = write_in(dir, "tag.c", &build->tag, err);
    if (st == WHET_OK)
        st = compile_in(build, dir, aside, err);
    /* Others must not be able to replace code that we run. */
    if (st == WHET_OK && chmod(aside, 0755) != 0)
        st = whet_err_errno(err, errno, "%s", aside);
    if (st == WHET_OK && rename(aside, absolute) != 0)
        st = whet_err_errno(err, errno, "%s", absolute);
    if (st != WHET_OK)
        unlink(aside);
out:
    whet_fs_remove_tree(dir);
    free(dir);
    free(aside);
    free(absolute);
    return st;
}

whet_status whet_reference_compile(const whet_task *task,
                                   const char *object_path, whet_err *err)
{
    struct build build = {.march = shipped_march};
    char *beside = NULL;
    whet_status st;

    if (object_path == NULL && shipped_name == NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "task '%s': no name for a shipped object on this "
                            "architecture, expected x86-64 or aarch64",
                            task->name);
    if (object_path == NULL) {
        object_path = beside = whet_fs_join(task->dir, shipped_name);
        if (beside == NULL)
            return whet_err_set(err, WHET_ENOMEM, "reference: out of memory");
    }
    st = build_init(&build, task, err);
    if (st == WHET_OK)
        st = build_object(&build, object_path, err);
    build_deinit(&build);
    free(beside);
    return st;
}

/* Code is loaded from here, so nobody else may write to it. */
static whet_status check_private(const char *path, whet_err *err)
{
    struct stat info;

    if (lstat(path, &info) != 0)
        return whet_err_errno(err, errno, "%s", path);
    if ((info.st_uid != geteuid() && info.st_uid != 0) ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 || S_ISLNK(info.st_mode))
        return whet_err_set(err, WHET_EFAIL,
                            "%s: others may write to it, expected a file or "
                            "folder of your own; set WHET_CACHE_DIR",
                            path);
    return WHET_OK;
}

static whet_status cache_folder(char **out, whet_err *err)
{
    char *cache = NULL;
    whet_status st = whet_fs_cache_dir(&cache, err);

    *out = NULL;
    if (st != WHET_OK)
        return st;
    *out = whet_fs_join(cache, "reference");
    free(cache);
    if (*out == NULL)
        return whet_err_set(err, WHET_ENOMEM, "reference: out of memory");
    st = whet_fs_mkdirs(*out, err);
    if (st == WHET_OK)
        st = check_private(*out, err);
    return st;
}

whet_status whet_task__reference_cached(char **path_out, const whet_task *task,
                                        whet_err *err)
{
    struct build build = {.march = "-march=native"};
    char *folder = NULL, *path = NULL;
    whet_hash hash;
    whet_status st = build_init(&build, task, err);

    *path_out = NULL;
    if (st == WHET_OK)
        st = cache_folder(&folder, err);
    if (st != WHET_OK)
        goto out;
    hash = build_hash(&build);
    path = whet_asprintf("%s/%s-%s.so", folder, task->name, hash.text);
    if (path == NULL) {
        st = whet_err_set(err, WHET_ENOMEM, "reference: out of memory");
        goto out;
    }
    if (!whet_fs_exists(path))
        st = build_object(&build, path, err);
    if (st == WHET_OK)
        st = check_private(path, err);
    if (st != WHET_OK)
        goto out;

    *path_out = path;
    path = NULL;
out:
    build_deinit(&build);
    free(folder);
    free(path);
    return st;
}
