/* Ctrl-C: the first asks the work to stop at the next call, the second ends
 * the process. A signal handler can reach nothing but a global, so this file
 * holds the program's only one. */

#include "cli/cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int is_interrupted;

static void on_signal(int number)
{
    if (is_interrupted)
        _exit(128 + number);
    is_interrupted = 1;
}

const volatile int *whet_cli_interrupt(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    return &is_interrupted;
}
