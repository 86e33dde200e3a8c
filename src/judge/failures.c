/* Memory of failures: what once computed something wrong or broke a rule is not
 * judged again unasked. A kernel that is wrong now and then passes if it is
 * only submitted often enough; so the first failure that is seen stays.
 *
 * One small file for each key in a folder of the user. Keys are the source with
 * its point, the same without its layout, and the machine code, which other
 * names do not change. The folder's contents count as outside data: whatever is
 * not as it was written is passed over with a warning. */

#include "judge/judge_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES = 4096, /* a message of 512 bytes, each escaped, fits */
    DAY_BYTES = 11
};

/* What a file says. */
struct failure {
    whet_reason reason;
    char day[DAY_BYTES]; /* "2026-12-01" */
    char message[400];
};

static const char *const kind_names[] = {"source", "text", "image"};

/* Layout-free text and the point's values, as the compiler gets them. */
static whet_status text_key(whet_hash *out, const whet_arm *arm)
{
    whet_judge_request request;
    whet_buf text = {0};
    whet_hasher hasher;
    unsigned i, count;
    whet_status st = whet_judge__failure_text(&text, arm->candidate->source,
                                              arm->candidate->source_bytes);

    whet_hasher_init(&hasher);
    whet_hasher_add(&hasher, "text", whet_buf_str(&text), text.bytes);
    count = whet_candidate_defines(request.text, arm->candidate, &arm->point);
    for (i = 0; i < count; i++)
        whet_hasher_add_str(&hasher, "define", request.text[i]);
    *out = whet_hasher_finish(&hasher);
    whet_buf_deinit(&text);
    return st;
}

whet_status whet_judge__failure_name(whet_hash *out, const whet_verdict *v,
                                     const whet_arm *arm,
                                     whet_failure_kind kind)
{
    whet_hash key = kind == WHET_FAILURE_IMAGE ? arm->image.hash : arm->hash;
    whet_hasher hasher;

    if (kind == WHET_FAILURE_TEXT &&
        (arm->candidate == NULL || text_key(&key, arm) != WHET_OK))
        return WHET_ENOTFOUND;
    if (key.text[0] == '\0')
        return WHET_ENOTFOUND;
    whet_hasher_init(&hasher);
    whet_hasher_add_str(&hasher, "task", v->task_hash.text);
    whet_hasher_add_str(&hasher, "backend", v->device.backend);
    whet_hasher_add_str(&hasher, "arch", v->device.arch);
    whet_hasher_add_str(&hasher, "kind", kind_names[kind]);
    whet_hasher_add_str(&hasher, "key", key.text);
    /* The same code may be wrong by a plan and right by another. */
    if (kind == WHET_FAILURE_IMAGE)
        whet_hasher_add(&hasher, "plan", &arm->plan, sizeof arm->plan);
    *out = whet_hasher_finish(&hasher);
    return WHET_OK;
}

/* --- the folder ----------------------------------------------------------- */

static int open_folder(const char *path, const whet_log *log)
{
    struct stat info;
    whet_err err = {0};
    char *parent = whet_strdup(path), *slash;
    int fd;

    /* The folder itself is closed to others from its first moment. */
    slash = parent ? strrchr(parent, '/') : NULL;
    if (slash != NULL && slash != parent) {
        *slash = '\0';
        (void)whet_fs_mkdirs(parent, &err);
    }
    free(parent);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        whet_log_write(log, WHET_LOG_WARN,
                       "%s: cannot create (%s): failures are not remembered",
                       path, strerror(errno));
        return -1;
    }
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
        (info.st_mode & 0022) == 0)
        return fd;
    whet_log_write(log, WHET_LOG_WARN,
                   "%s: expected a folder that this user owns and no other "
                   "can write to: failures are not remembered",
                   path);
    if (fd >= 0)
        close(fd);
    return -1;
}

void whet_judge__failures_open(whet_judge *judge)
{
    int fd;

    if (judge->opts.failures == NULL)
        return;
    fd = open_folder(judge->opts.failures, &judge->opts.log);
    judge->failures_fd = fd > 0 ? fd : 0;
}

void whet_judge__failures_close(whet_judge *judge)
{
    if (judge->failures_fd > 0)
        close(judge->failures_fd);
    judge->failures_fd = 0;
}

/* --- reading -------------------------------------------------------------- */

/* @return WHET_ENOTFOUND if there is none */
static whet_status read_bounded(char *text, size_t *bytes_out, int folder,
                                const char *name, whet_err *err)
{
    int fd =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    ssize_t got = 0;
    size_t bytes = 0;
    whet_status st = WHET_OK;

    if (fd < 0 && errno == ENOENT)
        return WHET_ENOTFOUND;
    if (fd < 0)
        return whet_err_errno(err, errno, "cannot open");
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
        info.st_uid != geteuid())
        st = whet_err_set(err, WHET_EINVAL,
                          "expected a regular file of this user");
    while (st == WHET_OK && bytes < FILE_BYTES &&
           (got = read(fd, text + bytes, FILE_BYTES - bytes)) > 0)
        bytes += (size_t)got;
    if (st == WHET_OK && got < 0)
        st = whet_err_errno(err, errno, "cannot read");
    else if (st == WHET_OK && bytes == FILE_BYTES)
        st = whet_err_set(err, WHET_EINVAL, "expected less than %d bytes",
                          FILE_BYTES);
    close(fd);
    *bytes_out = bytes;
    return st;
}

static bool is_day(const char *text)
{
    static const char form[] = "0000-00-00";
    size_t i;

    for (i = 0; form[i] != '\0'; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != '-')
            return false;
    return text[i] == '\0';
}

static bool is_kept(whet_reason reason)
{
    return reason > WHET_REASON_NONE && reason < WHET_REASON_COUNT &&
           (whet_reason_outcome(reason) == WHET_OUTCOME_WRONG ||
            whet_reason_outcome(reason) == WHET_OUTCOME_INTEGRITY);
}

whet_status whet_judge__failure_parse(whet_reason *reason, char *text,
                                      size_t text_bytes, char *day,
                                      const char *json_text, size_t bytes,
                                      const char *key, whet_err *err)
{
    json_t *json = NULL;
    char said[32];
    struct failure f = {.reason = WHET_REASON_NONE};
    char name[WHET_HASH_TEXT_BYTES];
    whet_status st = whet_json_parse(&json, json_text, bytes, "failure", err);

    if (st == WHET_OK && !json_is_object(json))
        st = whet_err_set(err, WHET_EINVAL, "failure: expected an object");
    if (st != WHET_OK ||
        (st = whet_judge__read_word(name, sizeof name, json, "key", err)) !=
            WHET_OK ||
        (st = whet_judge__read_word(said, sizeof said, json, "reason", err)) !=
            WHET_OK ||
        (st = whet_judge__read_word(f.day, sizeof f.day, json, "day", err)) !=
            WHET_OK ||
        (st = whet_judge__read_word(f.message, sizeof f.message, json,
                                    "message", err)) != WHET_OK)
        goto out;
    f.reason = whet_reason_find(said);
    if (strcmp(name, key) != 0)
        st = whet_err_set(err, WHET_EINVAL, "key: is that of another file");
    else if (!is_kept(f.reason))
        st = whet_err_set(err, WHET_EINVAL,
                          "reason: expected one of wrong or integrity");
    else if (!is_day(f.day))
        st = whet_err_set(err, WHET_EINVAL, "day: expected 2026-12-01");
    if (st != WHET_OK)
        goto out;
    *reason = f.reason;
    (void)whet_strcopy(text, text_bytes, f.message);
    memcpy(day, f.day, sizeof f.day);
out:
    json_decref(json);
    return st;
}

void whet_judge__failures_ask(whet_verdict *out, const whet_arm *arm,
                              whet_failure_kind kind)
{
    const whet_judge *judge = arm->judge;
    struct failure f;
    char text[FILE_BYTES], why[160];
    size_t bytes = 0;
    whet_err err = {0};
    whet_hash name;
    whet_status st;

    if (judge->failures_fd <= 0 || judge->opts.is_again ||
        out->reason != WHET_REASON_NONE ||
        whet_judge__failure_name(&name, out, arm, kind) != WHET_OK)
        return;
    st = read_bounded(text, &bytes, judge->failures_fd, name.text, &err);
    if (st == WHET_ENOTFOUND)
        return;
    if (st == WHET_OK)
        st = whet_judge__failure_parse(&f.reason, f.message, sizeof f.message,
                                       f.day, text, bytes, name.text, &err);
    if (st != WHET_OK) {
        whet_log_write(&judge->opts.log, WHET_LOG_WARN,
                       "%s/%s: passed over: %s", judge->opts.failures,
                       name.text, err.msg);
        return;
    }
    out->reason = f.reason;
    out->outcome = whet_reason_outcome(f.reason);
    snprintf(out->message, sizeof out->message,
             "failed before (%s): %s; --again judges it again", f.day,
             f.message);
    snprintf(why, sizeof why, "%s of %s", kind_names[kind], f.day);
    whet_judge__rule(out, "failed-before", why);
}

/* --- writing -------------------------------------------------------------- */

static json_t *to_json(const whet_verdict *v, const whet_hash *name,
                       const char *day)
{
    return json_pack(
        "{s:s,s:s,s:s,s:s,s:o}", "key", name->text, "day", day, "outcome",
        whet_outcome_name(v->outcome), "reason", whet_reason_name(v->reason),
        "message",
        whet_json_outside_text(v->message, strlen(v->message),
                               sizeof(((struct failure *)0)->message) - 1));
}

/* Aside and renamed, so that no reader sees half of it. */
static bool write_aside(int folder, const char *name, const char *text)
{
    char aside[WHET_HASH_TEXT_BYTES + 32];
    int fd;
    bool ok;

    snprintf(aside, sizeof aside, ".%s.%ld", name, (long)getpid());
    (void)unlinkat(folder, aside, 0); /* of a process that had our number */
    fd = openat(folder, aside,
                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    ok = whet_fs_write_fd(fd, text, strlen(text)) && fsync(fd) == 0;
    ok = close(fd) == 0 && ok;
    ok = ok && renameat(folder, aside, folder, name) == 0;
    if (!ok)
        (void)unlinkat(folder, aside, 0);
    return ok;
}

static void keep_one(const whet_verdict *v, const whet_arm *arm,
                     whet_failure_kind kind)
{
    const whet_judge *judge = arm->judge;
    whet_clock clock = whet_clock_system();
    char now[32], *text;
    whet_hash name;
    json_t *json;

    if (whet_judge__failure_name(&name, v, arm, kind) != WHET_OK)
        return;
    whet_clock_format(now, whet_clock_wall(&clock));
    now[DAY_BYTES - 1] = '\0';
    json = to_json(v, &name, now);
    text = json ? whet_json_pretty(json) : NULL;
    if (text == NULL || !write_aside(judge->failures_fd, name.text, text))
        whet_log_write(&judge->opts.log, WHET_LOG_WARN,
                       "%s: a failure could not be written (%s)",
                       judge->opts.failures, strerror(errno));
    free(text);
    json_decref(json);
}

void whet_judge__failures_keep(const whet_verdict *v, const whet_judge *judge,
                               const whet_arm *reference,
                               const whet_arm *candidate)
{
    int kind;

    /* A library in the candidate's place is not the candidate, and a tool may
     * make what it watches fail. What equals the reference cannot fail by
     * itself: it would take the task's own baseline with it. */
    if (judge->failures_fd <= 0 || !is_kept(v->reason) ||
        judge->opts.under != NULL || candidate->library.op != 0 ||
        judge->ops->caps & WHET_DEVICE_CAP_REPLAY ||
        strcmp(reference->hash.text, candidate->hash.text) == 0 ||
        (candidate->image.hash.text[0] != '\0' &&
         strcmp(reference->image.hash.text, candidate->image.hash.text) == 0 &&
         memcmp(&reference->plan, &candidate->plan, sizeof candidate->plan) ==
             0))
        return;
    for (kind = WHET_FAILURE_SOURCE; kind <= WHET_FAILURE_IMAGE; kind++)
        keep_one(v, candidate, (whet_failure_kind)kind);
}
