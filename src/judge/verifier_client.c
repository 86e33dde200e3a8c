/* Starting and asking the verifier: the supervisor's side. */

#include "judge/verifier.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a reference prints must not mix with the answer of the command. */
static void drop_stdout(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd >= 0)
        (void)dup2(fd, STDOUT_FILENO);
}

/* The only code in the verifier that is not ours is the task's reference. */
static whet_status tell_death(whet_verifier *verifier, whet_err *err)
{
    int status = 0, rc;

    /* It is dead already, or it closed its socket and is of no more use. */
    kill(verifier->pid, SIGKILL);
    do
        rc = waitpid(verifier->pid, &status, 0);
    while (rc < 0 && errno == EINTR);
    close(verifier->fd);
    verifier->fd = -1;
    verifier->pid = 0;
    if (rc < 0)
        return whet_err_set(err, WHET_EFAIL, "verifier: gone");
    return whet_reference_death(status, err);
}

/* Far beyond what a reference of real size takes: only one that loops for ever
 * meets it. */
static const uint64_t longest_request_ns = 1800000000000u;

whet_status whet_judge__verifier_start(whet_verifier *out,
                                       const whet_task *task,
                                       const whet_reference *reference,
                                       whet_err *err)
{
    pid_t parent = getpid();
    int pair[2];
    pid_t pid;

    memset(out, 0, sizeof *out);
    out->fd = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return whet_err_errno(err, errno, "verifier: socket pair");
    pid = fork();
    if (pid < 0) {
        close(pair[0]);
        close(pair[1]);
        return whet_err_errno(err, errno, "verifier: fork");
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "whet-verifier");
        /* Ctrl-C reaches the whole terminal group; the supervisor decides
         * when we stop. */
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        close(pair[0]);
        drop_stdout();
        if (getppid() != parent)
            _exit(3);
        _exit(whet_judge__verifier_serve(pair[1], task, reference));
    }
    close(pair[1]);
    out->pid = pid;
    out->fd = pair[0];
    return WHET_OK;
}

void whet_judge__verifier_stop(whet_verifier *verifier)
{
    if (verifier->pid <= 0)
        return;
    close(verifier->fd);
    kill(verifier->pid, SIGKILL);
    while (waitpid(verifier->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    memset(verifier, 0, sizeof *verifier);
    verifier->fd = -1;
}

whet_status whet_judge__verifier_ask(whet_verify_answer *answer,
                                     whet_verifier *verifier,
                                     const whet_verify_request *request,
                                     whet_err *err)
{
    whet_clock clock = whet_clock_system();
    uint64_t start_ns = whet_clock_now(&clock);
    whet_status st =
        whet_judge__send(verifier->fd, request, sizeof *request, err);

    if (st == WHET_OK)
        st = whet_judge__receive(verifier->fd, answer, sizeof *answer,
                                 longest_request_ns, err);
    verifier->spent_ns += whet_clock_now(&clock) - start_ns;
    if (st == WHET_ETIMEOUT)
        return whet_err_set(err, WHET_EINVAL,
                            "the task's reference did not end in 30 minutes");
    if (st != WHET_OK)
        return verifier->pid > 0 ? tell_death(verifier, err)
                                 : whet_err_prefix(err, st, "verifier");
    answer->text[sizeof answer->text - 1] = '\0';
    if (answer->status != WHET_OK)
        return whet_err_set(err, (whet_status)answer->status, "%s",
                            answer->text);
    return WHET_OK;
}
