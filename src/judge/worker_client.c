/* Starting, calling and ending workers: the supervisor's side.
 *
 * The clock of a call starts before the worker is let go and stops when the
 * kernel says that every thread of it is stopped again, so that nothing a
 * native kernel does, early or late, falls outside the measured span. */

#include "judge/judge_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { INFO_FD = 5, PROGRAM_FD = 6, FD_COUNT = 5 };

static const uint64_t start_timeout_ns = 60000000000u;
static const uint64_t tool_timeout_ns = 60000000000u;
static const uint64_t freeze_timeout_ns = 5000000000u;

static void fail(whet_call *call, whet_reason reason, const char *text)
{
    whet_buf escaped = {0};

    call->reason = reason;
    whet_buf_escape(&escaped, text, strnlen(text, 200), false);
    whet_strcopy(call->text, sizeof call->text, whet_buf_str(&escaped));
    whet_buf_deinit(&escaped);
}

/* The job travels in a memory file that is sealed against change. */
static whet_status write_job(int *fd_out, const whet_judge *judge,
                             const whet_layout *layout, const whet_image *image,
                             const whet_bound_plan *plan,
                             const whet_library_call *library, whet_err *err)
{
    whet_job *job = calloc(1, sizeof *job);
    int fd = memfd_create("whet-job", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    whet_status st = WHET_OK;

    if (job == NULL || fd < 0) {
        st = whet_err_errno(err, job ? errno : ENOMEM, "job file");
        goto out;
    }
    job->magic = WHET_JOB_MAGIC;
    job->device_index = judge->opts.device->facts.index;
    whet_strcopy(job->device, sizeof job->device, judge->ops->name);
    job->is_sealed =
        (judge->ops->caps & WHET_DEVICE_CAP_NATIVE) && !judge->opts.is_unsafe;
    job->image_bytes = image->byte_count;
    job->flush_bytes = whet_judge__flush_bytes(judge);
    job->layout = *layout;
    job->plan = *plan;
    if (library != NULL)
        job->library = *library;
    if (!whet_fs_write_fd(fd, job, sizeof *job) ||
        !whet_fs_write_fd(fd, image->bytes, image->byte_count))
        st = whet_err_errno(err, errno, "job file");
    if (st == WHET_OK &&
        fcntl(fd, F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        st = whet_err_errno(err, errno, "job file");
out:
    free(job);
    if (st != WHET_OK && fd >= 0) {
        close(fd);
        fd = -1;
    }
    *fd_out = fd;
    return st;
}

/* Descriptors of one start, closed together. */
struct start_fds {
    int job, ours, theirs, info_read, info_write, program;
};

static void close_fds(struct start_fds *fds)
{
    int *all[] = {&fds->job,       &fds->ours,       &fds->theirs,
                  &fds->info_read, &fds->info_write, &fds->program};
    size_t i;

    for (i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (*all[i] >= 0)
            close(*all[i]);
        *all[i] = -1;
    }
}

static whet_status open_fds(struct start_fds *fds, whet_err *err)
{
    int pair[2], tube[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return whet_err_errno(err, errno, "worker: socket pair");
    fds->ours = pair[0];
    fds->theirs = pair[1];
    if (pipe2(tube, O_CLOEXEC) != 0)
        return whet_err_errno(err, errno, "worker: pipe");
    fds->info_read = tube[0];
    fds->info_write = tube[1];
    fds->program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fds->program < 0)
        return whet_err_errno(err, errno, "worker: own program");
    return WHET_OK;
}

/* Native code may ask for memory as it likes; beyond its region it gets what
 * a driver with its threads needs, so that it cannot starve the machine. */
static uint64_t address_space(const whet_layout *layout)
{
    const uint64_t driver = (uint64_t)4 << 30, thread = (uint64_t)128 << 20;

    return layout->slot_bytes * layout->slot_count + driver +
           thread * whet_parallel_cpu_count();
}

static whet_status spawn(whet_worker *worker, const whet_judge *judge,
                         struct start_fds *fds, whet_err *err)
{
    static const char *const plain[] = {WHET_SANDBOX_PROGRAM, "__worker", NULL};
    bool has_stage = whet_judge__has_stage(judge);
    bool is_boxed = !has_stage && !judge->opts.is_unsafe;
    whet_sandbox_opts box = {.facts = &judge->sandbox,
                             .binds = judge->ops->worker_binds,
                             .bind_count = judge->ops->worker_bind_count,
                             .is_pid_1 = true,
                             .info_fd = INFO_FD,
                             .program_fd = PROGRAM_FD,
                             .is_off = !is_boxed};
    whet_process_fd pass[] = {
        {fds->theirs, WHET_WORKER_SOCKET_FD},
        {fds->job, WHET_WORKER_JOB_FD},
        {fds->info_write, INFO_FD},
        {fds->program, PROGRAM_FD},
        {judge->stage_fd[worker->stage], WHET_WORKER_STAGE_FD}};
    whet_process_opts run = {.fds = pass,
                             .fd_count = has_stage ? FD_COUNT : FD_COUNT - 1,
                             .is_expendable = true};
    char **boxed = NULL, **env = NULL, **under = NULL;
    whet_status st = whet_judge__worker_env(&env, judge, err);

    if (st == WHET_OK && judge->opts.under != NULL)
        st = whet_judge__under_argv(&under, judge->opts.under, err);
    if (st == WHET_OK)
        st = whet_sandbox_argv(
            &boxed, under != NULL ? (const char *const *)under : plain,
            (const char *const *)env, &box, err);
    whet_judge__worker_env_free(env);
    whet_judge__worker_env_free(under);
    if (st != WHET_OK)
        return st;
    /* A driver opens what it needs; native code does not get that far. */
    if (!has_stage)
        run.limits = (whet_process_limits){.file_bytes = 64u << 20,
                                           .open_files_count = 256};
    run.argv = (const char *const *)boxed;
    run.run_as_uid = is_boxed ? whet_sandbox_uid() : 0;
    if (is_boxed)
        run.limits.address_space_bytes = address_space(&worker->layout);
    st = whet_process_start(&worker->process, &run, err);
    whet_sandbox_argv_free(boxed);
    if (st != WHET_OK)
        return st;
    close(fds->info_write);
    fds->info_write = -1;
    close(fds->theirs);
    fds->theirs = -1;
    worker->is_running = true;
    worker->tool_log = judge->opts.under != NULL ? &judge->opts.log : NULL;
    worker->fd = fds->ours;
    fds->ours = -1;
    worker->pid = worker->process.pid;
    return is_boxed ? whet_sandbox_read_pid(&worker->pid, fds->info_read,
                                            start_timeout_ns, err)
                    : WHET_OK;
}

/* What the worker's stderr says, for the message of a failed start. */
static void add_stderr(const whet_worker *worker, whet_err *err)
{
    char text[200], before[sizeof err->msg];
    ssize_t n = worker->process.stderr_fd >= 0
                    ? read(worker->process.stderr_fd, text, sizeof text - 1)
                    : 0;
    size_t used = err != NULL ? strlen(err->msg) : 0;

    if (n <= 0 || err == NULL || used == 0)
        return;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    whet_strcopy(before, sizeof before, err->msg);
    whet_err_set(err, err->code, "%s (%s)", before, text);
}

/* Before HELLO no byte of the candidate was loaded: failures are ours. */
static whet_status await_hello(whet_worker *worker, whet_err *err)
{
    whet_wire record;
    whet_status st = whet_judge__receive(worker->fd, &record, sizeof record,
                                         start_timeout_ns, err);

    record.text[sizeof record.text - 1] = '\0';
    if (st != WHET_OK) {
        whet_err_prefix(err, st, "worker did not start");
        add_stderr(worker, err);
        return WHET_EFAIL;
    }
    if (record.magic == WHET_WIRE_MAGIC && record.type == WHET_WIRE_FAIL)
        return whet_err_set(err, WHET_EFAIL, "worker did not start: %s",
                            record.text);
    if (record.magic != WHET_WIRE_MAGIC || record.type != WHET_WIRE_HELLO)
        return whet_err_set(err, WHET_EFAIL,
                            "worker did not start: unknown record");
    worker->base = record.a;
    return WHET_OK;
}

/* A native worker is in the candidate's hands once an image is loaded: its
 * words would be a way out for what a kernel has seen, hidden sizes and inputs
 * among it. */
static void drop_text(whet_wire *record, const whet_judge *judge)
{
    record->text[sizeof record->text - 1] = '\0';
    if (!whet_judge__has_stage(judge))
        (void)whet_strcopy(record->text, sizeof record->text,
                           "the driver refuses it");
}

/* From here on the candidate's bytes are in the worker. */
static void await_ready(whet_call *blame, const whet_judge *judge,
                        whet_worker *worker)
{
    whet_wire record;
    whet_status st = whet_judge__receive(worker->fd, &record, sizeof record,
                                         start_timeout_ns, NULL);

    drop_text(&record, judge);
    if (st == WHET_ETIMEOUT)
        fail(blame, WHET_REASON_CALL_TIMEOUT, "loading did not end");
    else if (st != WHET_OK)
        fail(blame, WHET_REASON_CRASH, "the worker died while loading");
    else if (record.magic == WHET_WIRE_MAGIC && record.type == WHET_WIRE_FAIL)
        fail(blame,
             record.status == WHET_EUNSUPPORTED ? WHET_REASON_PLAN_LIMIT
                                                : WHET_REASON_LAUNCH,
             record.text);
    else if (record.magic != WHET_WIRE_MAGIC || record.type != WHET_WIRE_READY)
        fail(blame, WHET_REASON_PROTOCOL, "unknown record while loading");
}

/* With a flush before every call two slots are enough; rotating over more is
 * what keeps a native device's caches cold. */
static whet_status carve(whet_worker *out, whet_call *blame, whet_judge *judge,
                         const whet_bound_plan *plan, whet_err *err)
{
    bool has_stage = whet_judge__has_stage(judge);
    uint64_t max_bytes = whet_judge__room_bytes(judge);
    uint64_t pool_bytes =
        has_stage ? 0 : 3 * judge->opts.device->facts.llc_bytes;
    char text[256];
    whet_key key;
    whet_status st = whet_judge__key(&key, judge, err);

    if (st != WHET_OK)
        return st;
    st = whet_judge__layout(&out->layout, plan, pool_bytes,
                            max_bytes ? max_bytes : (uint64_t)1 << 40, &key,
                            err);
    if (st != WHET_EUNSUPPORTED)
        return st;
    snprintf(text, sizeof text, "%.120s (%s of the device's memory)", err->msg,
             has_stage ? "a third" : "half");
    fail(blame, WHET_REASON_PLAN_LIMIT, text);
    return WHET_OK;
}

static whet_status begin(whet_worker *out, whet_call *blame, whet_judge *judge,
                         const whet_image *image, const whet_bound_plan *plan,
                         const whet_library_call *library,
                         struct start_fds *fds, whet_err *err)
{
    bool has_stage = whet_judge__has_stage(judge);
    whet_status st = carve(out, blame, judge, plan, err);

    if (st != WHET_OK || blame->reason != WHET_REASON_NONE)
        return st;
    if (has_stage)
        st = whet_judge__stage_reserve(judge, out->stage,
                                       out->layout.slot_bytes, err);
    if (st != WHET_OK || (st = open_fds(fds, err)) != WHET_OK ||
        (st = write_job(&fds->job, judge, &out->layout, image, plan, library,
                        err)) != WHET_OK)
        return st;
    return spawn(out, judge, fds, err);
}

whet_status whet_judge__worker_begin(whet_worker *out, whet_call *blame,
                                     whet_judge *judge, unsigned index,
                                     const whet_image *image,
                                     const whet_bound_plan *plan,
                                     const whet_library_call *library,
                                     whet_err *err)
{
    struct start_fds fds = {-1, -1, -1, -1, -1, -1};
    uint64_t begin_ns = whet_clock_now(&judge->clock);
    whet_err local = {0};
    whet_status st;

    memset(out, 0, sizeof *out);
    memset(blame, 0, sizeof *blame);
    out->stage = index;
    st = begin(out, blame, judge, image, plan, library, &fds,
               err ? err : &local);
    close_fds(&fds);
    if (st != WHET_OK)
        whet_judge__worker_stop(out);
    judge->start_ns += whet_clock_now(&judge->clock) - begin_ns;
    return st;
}

whet_status whet_judge__worker_ready(whet_worker *worker, whet_call *blame,
                                     whet_judge *judge, whet_err *err)
{
    uint64_t begin_ns = whet_clock_now(&judge->clock);
    whet_status st = await_hello(worker, err);

    memset(blame, 0, sizeof *blame);
    if (st == WHET_OK)
        await_ready(blame, judge, worker);
    /* A driver's threads are never stopped. */
    if (st == WHET_OK && blame->reason == WHET_REASON_NONE &&
        !whet_judge__has_stage(judge)) {
        if (whet_sandbox_freeze(worker->pid, freeze_timeout_ns, NULL) !=
            WHET_OK)
            fail(blame, WHET_REASON_PROTOCOL, "the worker cannot be frozen");
        worker->is_frozen = blame->reason == WHET_REASON_NONE;
    }
    if (st != WHET_OK || blame->reason != WHET_REASON_NONE)
        whet_judge__worker_stop(worker);
    judge->start_ns += whet_clock_now(&judge->clock) - begin_ns;
    return st;
}

whet_status whet_judge__worker_start(whet_worker *out, whet_call *blame,
                                     whet_judge *judge, unsigned index,
                                     const whet_image *image,
                                     const whet_bound_plan *plan,
                                     const whet_library_call *library,
                                     whet_err *err)
{
    whet_status st = whet_judge__worker_begin(out, blame, judge, index, image,
                                              plan, library, err);

    if (st != WHET_OK || blame->reason != WHET_REASON_NONE)
        return st;
    return whet_judge__worker_ready(out, blame, judge, err);
}

/* A tool sums up when its program ends by itself, which a worker does once its
 * socket is gone. */
static void let_tool_end(whet_worker *worker)
{
    whet_exit_kind kind = WHET_EXIT_CODE;
    char text[96];
    int code = 0;

    close(worker->fd);
    worker->fd = -1;
    if (!whet_process_wait(&worker->process, tool_timeout_ns, &kind, &code)) {
        whet_log_write(worker->tool_log, WHET_LOG_WARN,
                       "the tool that a worker ran under did not end");
        return;
    }
    whet_exit_describe(text, sizeof text, kind, code);
    if (kind != WHET_EXIT_CODE || code != 0)
        whet_log_write(worker->tool_log, WHET_LOG_WARN,
                       "the tool that a worker ran under ended with %s", text);
}

void whet_judge__worker_stop(whet_worker *worker)
{
    whet_exit_kind kind;
    int code;

    if (!worker->is_running)
        return;
    if (worker->tool_log != NULL)
        let_tool_end(worker);
    /* The worker first, then wait until bubblewrap has seen it end: its memory
     * is given back before anything else is timed. */
    if (worker->pid != worker->process.pid && worker->pid > 0)
        kill(worker->pid, SIGKILL);
    if (worker->pid != worker->process.pid)
        whet_process_wait(&worker->process, 2000000000u, &kind, &code);
    whet_process_kill(&worker->process);
    if (worker->fd >= 0)
        close(worker->fd);
    memset(worker, 0, sizeof *worker);
}

/* A record that was waiting before it was asked for, or after the answer, is
 * a lie. */
static bool has_more(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) > 0 && (p.revents & POLLIN);
}

/* Orders left unread would pile up until sending one blocks. */
static bool is_unread(int fd)
{
    int bytes = 0;

    return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

void whet_judge__classify(whet_call *out, whet_status st,
                          const whet_wire *record)
{
    if (st == WHET_ETIMEOUT)
        fail(out, WHET_REASON_CALL_TIMEOUT, "the call did not end in time");
    else if (st != WHET_OK)
        fail(out, WHET_REASON_CRASH, "the worker died in the call");
    else if (record->magic == WHET_WIRE_MAGIC && record->type == WHET_WIRE_FAIL)
        fail(out, WHET_REASON_LAUNCH, record->text);
    else if (record->magic != WHET_WIRE_MAGIC || record->type != WHET_WIRE_DONE)
        fail(out, WHET_REASON_PROTOCOL, "unknown record from the worker");
}

void whet_judge__worker_call(whet_call *out, whet_judge *judge,
                             whet_worker *worker, uint32_t slot)
{
    whet_wire record = {
        .magic = WHET_WIRE_MAGIC, .type = WHET_WIRE_RUN, .slot = slot};
    whet_clock clock = whet_clock_system();
    uint64_t begin_ns;
    whet_status st;

    memset(out, 0, sizeof *out);
    if (has_more(worker->fd)) {
        fail(out, WHET_REASON_PROTOCOL, "a record came before the call");
        return;
    }
    /* Before the order goes out: it might wake a worker by itself. */
    begin_ns = whet_clock_now(&clock);
    st = whet_judge__send(worker->fd, &record, sizeof record, NULL);
    if (st == WHET_OK)
        st = whet_sandbox_thaw(worker->pid, NULL);
    worker->is_frozen = false;
    if (st == WHET_OK)
        st = whet_judge__receive(worker->fd, &record, sizeof record,
                                 judge->call_timeout_ns, NULL);
    drop_text(&record, judge);
    whet_judge__classify(out, st, &record);
    if (st == WHET_OK &&
        whet_sandbox_freeze(worker->pid, freeze_timeout_ns, NULL) != WHET_OK)
        fail(out, WHET_REASON_PROTOCOL, "the worker cannot be frozen");
    out->elapsed_ns = whet_clock_now(&clock) - begin_ns;
    judge->device_ns += out->elapsed_ns;
    worker->is_frozen = out->reason == WHET_REASON_NONE;
    if (worker->is_frozen && has_more(worker->fd))
        fail(out, WHET_REASON_PROTOCOL, "a second record came in the call");
    else if (worker->is_frozen && is_unread(worker->fd))
        fail(out, WHET_REASON_PROTOCOL, "it answered without being asked");
    if (out->reason != WHET_REASON_NONE)
        whet_judge__worker_stop(worker);
}
