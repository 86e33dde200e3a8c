/* The bubblewrap argument vector, and a look at what this machine offers.
 * The system call filter is in sandbox_seal.c, freezing in sandbox_freeze.c. */

#include "base/sandbox.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY_UID = 65534 };

#define TMP_BYTES "268435456"

/* A growing argument vector of owned strings. */
struct args {
    char **items;
    size_t count, alloc;
    bool failed;
};

static void push(struct args *args, const char *text)
{
    void *items = args->items;
    bool ok = whet_vec_reserve(&items, &args->alloc, args->count + 2,
                               sizeof *args->items);

    args->items = items;
    if (!ok) {
        args->failed = true;
        return;
    }
    args->items[args->count] = whet_strdup(text);
    if (args->items[args->count] == NULL)
        args->failed = true;
    else
        args->count++;
    args->items[args->count] = NULL;
}

static void push3(struct args *args, const char *a, const char *b,
                  const char *c)
{
    push(args, a);
    push(args, b);
    push(args, c);
}

/* The host's own layout: links into /usr where it has links, read-only
 * folders where an older system has folders. */
static void push_system(struct args *args)
{
    static const char *const roots[] = {"/bin",   "/sbin",  "/lib",
                                        "/lib64", "/lib32", "/libx32"};
    size_t i;

    push3(args, "--ro-bind", "/usr", "/usr");
    for (i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        char target[256];
        ssize_t bytes = readlink(roots[i], target, sizeof target - 1);
        struct stat st;

        if (bytes > 0) {
            target[bytes] = '\0';
            push3(args, "--symlink", target, roots[i]);
        } else if (lstat(roots[i], &st) == 0 && S_ISDIR(st.st_mode)) {
            push3(args, "--ro-bind", roots[i], roots[i]);
        }
    }
    push3(args, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache");
}

static void push_bind(struct args *args, const whet_sandbox_bind *bind)
{
    const char *inside =
        bind->inside_path ? bind->inside_path : bind->host_path;
    const char *word;

    if (bind->writable)
        word = bind->optional ? "--bind-try" : "--bind";
    else
        word = bind->optional ? "--ro-bind-try" : "--ro-bind";
    push3(args, word, bind->host_path, inside);
}

static void push_env(struct args *args, const char *entry)
{
    const char *equals = strchr(entry, '=');
    char *name;

    if (equals == NULL)
        return;
    name = strndup(entry, (size_t)(equals - entry));
    if (name == NULL)
        args->failed = true;
    else
        push3(args, "--setenv", name, equals + 1);
    free(name);
}

static void push_bwrap(struct args *args, const char *const *env,
                       const whet_sandbox_opts *opts)
{
    size_t i;

    push(args, opts->facts->bwrap_path);
    push(args, "--unshare-all");
    if (opts->is_pid_1)
        push(args, "--as-pid-1");
    push(args, "--die-with-parent");
    push(args, "--new-session");
    push(args, "--cap-drop");
    push(args, "ALL");
    push(args, "--clearenv");
    for (i = 0; env != NULL && env[i] != NULL; i++)
        push_env(args, env[i]);
    push_system(args);
    if (opts->has_proc) {
        push(args, "--proc");
        push(args, "/proc");
    }
    if (opts->has_dev) {
        push(args, "--dev");
        push(args, "/dev");
    }
    /* Files there are memory that no limit of the process counts. */
    push3(args, "--size", TMP_BYTES, "--tmpfs");
    push(args, "/tmp");
    for (i = 0; i < opts->bind_count; i++)
        push_bind(args, &opts->binds[i]);
    if (opts->program_fd > 0) {
        char number[16];

        snprintf(number, sizeof number, "%d", opts->program_fd);
        push3(args, "--perms", "0555", "--ro-bind-data");
        push(args, number);
        push(args, WHET_SANDBOX_PROGRAM);
    }
    push(args, "--chdir");
    push(args, "/tmp");
    if (opts->info_fd > 0) {
        char number[16];

        snprintf(number, sizeof number, "%d", opts->info_fd);
        push(args, "--info-fd");
        push(args, number);
    }
    push(args, "--");
}

/* Without a sandbox the environment is still the given one alone. */
static void push_plain(struct args *args, const char *const *env)
{
    size_t i;

    push(args, "/usr/bin/env");
    push(args, "-i");
    for (i = 0; env != NULL && env[i] != NULL; i++)
        push(args, env[i]);
}

whet_status whet_sandbox_argv(char ***out, const char *const *argv,
                              const char *const *env,
                              const whet_sandbox_opts *opts, whet_err *err)
{
    struct args args = {0};
    size_t i;

    *out = NULL;
    if (opts->is_off) {
        push_plain(&args, env);
    } else if (!opts->facts->has_bwrap || !opts->facts->has_namespaces) {
        return whet_err_set(err, WHET_EUNSUPPORTED, "no sandbox: %s",
                            opts->facts->reason);
    } else {
        push_bwrap(&args, env, opts);
    }
    for (i = 0; argv[i] != NULL; i++) {
        char self[32];

        snprintf(self, sizeof self, "/proc/self/fd/%d", opts->program_fd);
        push(&args, i == 0 && opts->is_off && opts->program_fd > 0 &&
                            strcmp(argv[0], WHET_SANDBOX_PROGRAM) == 0
                        ? self
                        : argv[i]);
    }
    if (args.failed) {
        whet_sandbox_argv_free(args.items);
        return whet_err_set(err, WHET_ENOMEM, "sandbox: out of memory");
    }
    *out = args.items;
    return WHET_OK;
}

void whet_sandbox_argv_free(char **argv)
{
    size_t i;

    for (i = 0; argv != NULL && argv[i] != NULL; i++)
        free(argv[i]);
    free(argv);
}

uid_t whet_sandbox_uid(void)
{
    return geteuid() == 0 ? NOBODY_UID : 0;
}

static bool kernel_has_seccomp(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* Append to the reason, parts separated by "; ". */
static void add_reason(whet_sandbox_facts *facts, const char *text)
{
    size_t used = strlen(facts->reason);

    snprintf(facts->reason + used, sizeof facts->reason - used, "%s%s",
             used > 0 ? "; " : "", text);
}

/* Start one sandbox whose program fails if it sees the host's files. */
static bool try_sandbox(const whet_sandbox_facts *facts, whet_buf *why)
{
    static const char *const program[] = {
        "/usr/bin/test", "!", "-e", "/etc/passwd", "-a", "!", "-e",
        "/var",          NULL};
    whet_sandbox_facts assumed = *facts;
    whet_sandbox_opts opts = {.facts = &assumed, .is_pid_1 = true};
    whet_process_opts run = {.stderr_max_bytes = 4096,
                             .timeout_ns = 10000000000u,
                             .run_as_uid = whet_sandbox_uid()};
    whet_process_result result = {0};
    whet_err err = {0};
    char **argv = NULL;
    char text[96];
    bool ok = false;

    assumed.has_namespaces = true;
    if (whet_sandbox_argv(&argv, program, NULL, &opts, &err) != WHET_OK) {
        whet_buf_puts(why, err.msg);
        return false;
    }
    run.argv = (const char *const *)argv;
    if (whet_process_run(&result, &run, &err) != WHET_OK) {
        whet_buf_puts(why, err.msg);
    } else {
        ok = result.kind == WHET_EXIT_CODE && result.code == 0;
        whet_exit_describe(text, sizeof text, result.kind, result.code);
        while (result.err.bytes > 0 &&
               result.err.data[result.err.bytes - 1] == '\n')
            result.err.bytes--;
        if (result.err.bytes > 0)
            whet_buf_escape(why, result.err.data, result.err.bytes, false);
        else
            whet_buf_puts(why, text);
    }
    whet_process_result_deinit(&result);
    whet_sandbox_argv_free(argv);
    return ok;
}

/* The one that was named, the machine's own, or the one that a bundle carries
 * beside the program (BIN/../libexec/whet/bwrap). */
static char *find_bwrap(void)
{
    const char *wanted = getenv("WHET_BWRAP");
    char *path = NULL, *self = NULL, *carried = NULL, *slash;

    if (wanted != NULL && wanted[0] != '\0') {
        (void)whet_fs_find_program(&path, wanted, NULL);
        return path;
    }
    if (whet_fs_find_program(&path, "bwrap", NULL) == WHET_OK ||
        whet_fs_self(&self, NULL) != WHET_OK)
        return path;
    if ((slash = strrchr(self, '/')) != NULL)
        carried = whet_asprintf("%.*s/../libexec/whet/bwrap",
                                (int)(slash - self), self);
    if (carried != NULL)
        (void)whet_fs_find_program(&path, carried, NULL);
    free(carried);
    free(self);
    return path;
}

void whet_sandbox_probe(whet_sandbox_facts *out)
{
    whet_buf why = {0};
    char *path = find_bwrap();
    char text[200];

    memset(out, 0, sizeof *out);
    out->has_seccomp = kernel_has_seccomp();
    if (path != NULL)
        out->has_bwrap =
            whet_strcopy(out->bwrap_path, sizeof out->bwrap_path, path);
    free(path);
    if (out->has_bwrap)
        out->has_namespaces = try_sandbox(out, &why);
    if (!out->has_bwrap) {
        add_reason(out, "bubblewrap (bwrap) not found: install the package "
                        "bubblewrap, or name it in WHET_BWRAP");
    } else if (!out->has_namespaces) {
        bool is_closed = strstr(whet_buf_str(&why), "Permission denied");

        snprintf(text, sizeof text, "bubblewrap cannot start (%.90s): %s",
                 whet_buf_str(&why),
                 is_closed && whet_sandbox_uid() != 0
                     ? "put it where the user nobody can read it, as root it "
                       "runs as that one"
                     : "allow user namespaces (sysctl "
                       "user.max_user_namespaces)");
        add_reason(out, text);
    }
    if (!out->has_seccomp)
        add_reason(out, "the kernel has no seccomp filters");
    whet_buf_deinit(&why);
}
