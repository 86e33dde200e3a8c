/* Children that are our own program again: `whet __build NAME WORDS...` runs
 * child_main of a toolchain, in the sandbox whenever it touches a candidate. */

#include "toolchain/toolchain_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WORD_MAX = 16,
    ENV_MAX = 32,
    PROGRAM_FD = 3,
    OPEN_FILES_MAX = 512,
    STDERR_BYTES_MAX = 64 << 10
};

/* The address sanitizer reserves terabytes of shadow memory, which a limit on
 * private memory counts: an instrumented build goes without (0 = none). */
#if defined(__SANITIZE_ADDRESS__)
#define IS_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_INSTRUMENTED 1
#endif
#endif
#ifdef IS_INSTRUMENTED
static const uint64_t DATA_BYTES_MAX = 0;
#else
static const uint64_t DATA_BYTES_MAX = (uint64_t)8 << 30;
#endif

static const char build_word[] = "__build";

/* Set in every such child. One that starts another has a main that does not
 * know build_word, and would go on for ever. */
static const char child_mark[] = "WHET_BUILD_CHILD=1";

/* What a run owns. */
struct prepared {
    char *tempdir; /* stands in for the sandbox's private /tmp */
    char *owned[ENV_MAX];
    const char *env[ENV_MAX + 1];
    size_t env_count;
    char **argv;
    int program_fd;
};

static whet_status add_env(struct prepared *prepared, char *entry,
                           whet_err *err)
{
    if (entry == NULL)
        return whet_err_set(err, WHET_ENOMEM, "build child: out of memory");
    if (prepared->env_count == ENV_MAX) {
        free(entry);
        return whet_err_set(err, WHET_EFAIL,
                            "build child: over %d environment entries",
                            ENV_MAX);
    }
    prepared->owned[prepared->env_count] = entry;
    prepared->env[prepared->env_count++] = entry;
    return WHET_OK;
}

/* Without a sandbox "/tmp" is everybody's: a private folder replaces it. */
static char *private_entry(const char *entry, const char *tempdir)
{
    const char *value = strchr(entry, '=');

    if (tempdir == NULL || value == NULL ||
        strncmp(value + 1, "/tmp", 4) != 0 ||
        (value[5] != '\0' && value[5] != '/'))
        return whet_strdup(entry);
    return whet_asprintf("%.*s=%s%s", (int)(value - entry), entry, tempdir,
                         value + 5);
}

static whet_status prepare_env(struct prepared *prepared,
                               const whet_toolchain_run *run, whet_err *err)
{
    const char *library = getenv("WHET_OPENCL_LIBRARY");
    whet_status st = add_env(prepared, whet_strdup(child_mark), err);
    size_t i;

    for (i = 0; st == WHET_OK && run->env[i] != NULL; i++)
        st = add_env(prepared, private_entry(run->env[i], prepared->tempdir),
                     err);
    if (st == WHET_OK && library != NULL)
        st = add_env(prepared, whet_asprintf("WHET_OPENCL_LIBRARY=%s", library),
                     err);
    return st;
}

static whet_status prepare(struct prepared *prepared,
                           const whet_toolchain_run *run, whet_err *err)
{
    const whet_sandbox_opts opts = {.facts = run->sandbox,
                                    .binds = run->binds,
                                    .bind_count = run->bind_count,
                                    .has_dev = run->has_dev,
                                    .program_fd = PROGRAM_FD,
                                    .is_off = run->sandbox == NULL};
    const char *words[WORD_MAX] = {WHET_SANDBOX_PROGRAM, build_word};
    whet_status st;
    size_t i;

    if (getenv("WHET_BUILD_CHILD") != NULL)
        return whet_err_set(err, WHET_EFAIL,
                            "build child: started by a build child; its main "
                            "must call whet_toolchain_child first");
    for (i = 0; run->words[i] != NULL; i++) {
        if (i + 3 >= WORD_MAX)
            return whet_err_set(err, WHET_EFAIL, "build child: over %d words",
                                WORD_MAX);
        words[i + 2] = run->words[i];
    }
    if (run->sandbox == NULL) {
        st = whet_fs_tempdir(&prepared->tempdir, "whet-build", err);
        if (st != WHET_OK)
            return st;
    }
    if ((st = prepare_env(prepared, run, err)) != WHET_OK)
        return st;
    prepared->program_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (prepared->program_fd < 0)
        return whet_err_errno(err, errno, "build child: /proc/self/exe");
    return whet_sandbox_argv(&prepared->argv, words, prepared->env, &opts, err);
}

static void discard(struct prepared *prepared)
{
    size_t i;

    if (prepared->tempdir != NULL)
        whet_fs_remove_tree(prepared->tempdir);
    free(prepared->tempdir);
    for (i = 0; i < prepared->env_count; i++)
        free(prepared->owned[i]);
    whet_sandbox_argv_free(prepared->argv);
    if (prepared->program_fd >= 0)
        close(prepared->program_fd);
}

/* No limit on the address space: a compiler reserves far more than it uses.
 * What it may write to is limited, and beyond that it is the first to go: a
 * driver may load what it built, so that candidates' code runs here as well.
 * The number of processes is bounded only where the user is ours alone;
 * another user's own programs would count too. */
static whet_process_limits limits_of(const whet_toolchain_run *run, uid_t uid)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    whet_process_limits limits = {.file_bytes =
                                      (uint64_t)2 * WHET_IMAGE_BYTES_MAX,
                                  .data_bytes = DATA_BYTES_MAX,
                                  .open_files_count = OPEN_FILES_MAX};

    if (uid != 0)
        limits.process_count = 256 + 4 * (uint64_t)(cores > 0 ? cores : 1);
    if (run->timeout_ns != 0)
        limits.cpu_s = (run->timeout_ns / 1000000000u + 1) *
                       (uint64_t)(cores > 0 ? cores : 1);
    return limits;
}

whet_status whet_toolchain__run(whet_process_result *result,
                                const whet_toolchain_run *run, whet_err *err)
{
    struct prepared prepared = {.program_fd = -1};
    whet_process_fd fd = {.child_fd = PROGRAM_FD};
    whet_process_opts opts = {.stdin_data = run->stdin_data,
                              .stdin_bytes = run->stdin_bytes,
                              .stdout_max_bytes = run->stdout_max_bytes,
                              .stderr_max_bytes = STDERR_BYTES_MAX,
                              .timeout_ns = run->timeout_ns,
                              .fds = &fd,
                              .fd_count = 1,
                              .is_expendable = true};
    whet_status st = prepare(&prepared, run, err);

    memset(result, 0, sizeof *result);
    if (st == WHET_OK) {
        fd.parent_fd = prepared.program_fd;
        opts.argv = (const char *const *)prepared.argv;
        if (run->sandbox != NULL)
            opts.run_as_uid = whet_sandbox_uid();
        opts.limits = limits_of(run, opts.run_as_uid);
        st = whet_process_run(result, &opts, err);
    }
    discard(&prepared);
    return st;
}

void whet_toolchain__first_line(char *text, size_t text_bytes,
                                const whet_buf *output)
{
    const char *data = whet_buf_str(output);
    size_t bytes = 0;
    whet_buf line = {0};

    while (bytes < output->bytes && bytes < 512 && data[bytes] != '\n')
        bytes++;
    whet_buf_escape(&line, data, bytes, false);
    (void)whet_strcopy(text, text_bytes, whet_buf_str(&line));
    whet_buf_deinit(&line);
}

bool whet_toolchain_child(int *status_out, int argc, char **argv)
{
    const whet_toolchain_ops *ops;

    if (argc < 2 || strcmp(argv[1], build_word) != 0)
        return false;
    ops = argc > 2 ? whet_toolchain_find(argv[2]) : NULL;
    if (ops == NULL || ops->child_main == NULL) {
        fprintf(stderr, "whet: %s is not for people; expected a toolchain\n",
                build_word);
        *status_out = 2;
        return true;
    }
    *status_out = ops->child_main(argc - 2, argv + 2);
    return true;
}
