/* `whet task check DIR`: may the task be used to judge? Loads it, binds its
 * baselines, and plays fakes that its numerics must tell from the reference. */

#include "cli/cli.h"

#include "candidate/candidate.h"
#include "report/report.h"
#include "task/task.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A baseline that cannot be bound would only show when a run starts. Limits
 * are those of no device: all unknown. */
static whet_status check_baseline(const whet_task *task,
                                  const whet_baseline *baseline, whet_err *err)
{
    static const whet_limits no_limits = {0};
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    whet_candidate *candidate = NULL;
    whet_point point;
    whet_status st;

    if (plan == NULL)
        return whet_err_set(err, WHET_ENOMEM, "task check: out of memory");
    st = whet_candidate_load(&candidate, baseline->path, task, err);
    if (st != WHET_OK)
        goto out;
    point = whet_candidate_default_point(candidate);
    for (unsigned i = 0; st == WHET_OK && i < task->workload_count; i++) {
        st = whet_candidate_bind(plan, candidate, &point, task,
                                 &task->workloads[i], &no_limits, err);
        if (st != WHET_OK)
            whet_err_prefix(err, st, "%s: workload %s", baseline->path,
                            task->workloads[i].name);
    }
out:
    whet_candidate_free(candidate);
    free(plan);
    return st;
}

static json_t *to_json(const whet_task *task, const whet_admission *results,
                       unsigned count, bool is_fit)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < count; i++)
        json_array_append_new(
            list,
            json_pack("{s:o, s:b, s:o}", "fake",
                      whet_cli_json_text(results[i].name), "is_told_apart",
                      (int)results[i].is_told_apart, "worst_error",
                      whet_json_number(results[i].worst_error)));
    return json_pack("{s:s, s:s, s:b, s:o}", "task", task->name, "hash",
                     task->hash.text, "is_fit", (int)is_fit, "fakes", list);
}

static void to_text(whet_buf *out, const whet_task *task,
                    const whet_admission *results, unsigned count,
                    unsigned missed)
{
    static const whet_table_column columns[] = {
        {.title = "Fake"},
        {.title = "Told apart", .is_whole = true},
        {.title = "Worst error", .align = WHET_ALIGN_RIGHT, .is_whole = true},
    };
    whet_table table;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < count; i++) {
        whet_table_add_cell(&table, "%s", results[i].name);
        whet_table_add_cell(&table, "%s",
                            results[i].is_told_apart ? "yes" : "NO");
        whet_table_add_cell(&table, "%.3g", results[i].worst_error);
    }
    whet_table_print(out, &table);
    whet_table_deinit(&table);
    whet_buf_puts(out, "\nWorst error in units of the bound; a fake is told "
                       "apart if it exceeds 1.\n");
    if (missed == 0)
        whet_buf_printf(out, "%s: fit to judge, all %u fakes told apart\n",
                        task->name, count);
    else
        whet_buf_printf(out,
                        "%s: not fit to judge, %u of %u fakes pass for right\n",
                        task->name, missed, count);
}

/* What the child that runs the reference leaves to its parent. */
struct outcome {
    bool is_whole; /* not so if the reference ended the child */
    whet_status status;
    whet_err err;
    unsigned count;
    whet_admission results[WHET_ADMISSION_MAX];
};

/* In the child: what the reference prints must not mix with our answer. */
static void check_in_child(struct outcome *out, const whet_task *task)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd >= 0)
        (void)dup2(fd, STDOUT_FILENO);
    out->status = whet_task_check(out->results, &out->count, task, &out->err);
    out->is_whole = true;
    _exit(0);
}

/* A reference may crash, and that is for us to tell: it runs in a child. */
static whet_status check_apart(struct outcome *out, const whet_task *task,
                               whet_err *err)
{
    pid_t parent = getpid(), pid = fork();
    int status = 0, rc;

    if (pid < 0)
        return whet_err_errno(err, errno, "task check: fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            check_in_child(out, task);
        _exit(3);
    }
    do
        rc = waitpid(pid, &status, 0);
    while (rc < 0 && errno == EINTR);
    if (rc < 0)
        return whet_err_errno(err, errno, "task check: wait");
    if (!out->is_whole)
        return whet_reference_death(status, err);
    if (out->status != WHET_OK)
        *err = out->err;
    return out->status;
}

static int run(const void *opts, const whet_args *args)
{
    const whet_cli_json_opts *my = opts;
    struct outcome *found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned missed = 0;
    whet_task *task = NULL;
    whet_buf text = {0};
    whet_err err = {0};
    whet_status st;
    int status;

    if (found == MAP_FAILED)
        st = whet_err_set(&err, WHET_ENOMEM, "task check: out of memory");
    else
        st = whet_task_load(&task, args->items[0], &err);
    for (unsigned i = 0; st == WHET_OK && i < task->baseline_count; i++)
        st = check_baseline(task, &task->baselines[i], &err);
    if (st == WHET_OK)
        st = check_apart(found, task, &err);
    if (st != WHET_OK) {
        status = whet_cli_fail(&err);
        goto out;
    }
    for (unsigned i = 0; i < found->count; i++)
        missed += !found->results[i].is_told_apart;
    if (my->json) {
        status = whet_cli_print_json(
            to_json(task, found->results, found->count, missed == 0));
    } else {
        to_text(&text, task, found->results, found->count, missed);
        status = whet_cli_print(&text);
    }
    if (status == 0 && missed > 0)
        status = WHET_CLI_NO;
out:
    whet_task_free(task);
    if (found != MAP_FAILED)
        munmap(found, sizeof *found);
    return status;
}

static const whet_opt json_only[] = {WHET_CLI_OPT_JSON(whet_cli_json_opts)};

const whet_command whet_cmd_task_check = {
    .name = "task check",
    .usage = "DIR",
    .summary = "Test whether a task can tell wrong kernels from right ones",
    .detail = "Loads the task, binds its baselines to its workloads, compiles "
              "its reference\n"
              "and plays fakes: kernels that write nothing, zeros or a "
              "constant, that copy an\n"
              "input, or that replace an operand. Exit status 0: all are told "
              "apart; 1: some\n"
              "pass for right, so the task's inputs or numerics are too weak; "
              "2: the task is\n"
              "malformed.\n"
              "JSON: {task, hash, is_fit, fakes: [{fake, is_told_apart, "
              "worst_error}]}; an\n"
              "error that is not finite is null.",
    .opts = json_only,
    .opt_count = 1,
    .opts_bytes = sizeof(whet_cli_json_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
