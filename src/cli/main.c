/* The whet program: children that are this program again are told apart
 * first, everything else goes through the command table. */

#include "cli/cli.h"

#include "device/device.h"
#include "judge/judge.h"
#include "toolchain/toolchain.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>

/* A standard stream that the caller closed leaves a number that the next file
 * or socket would get: its bytes would mix with what is printed. Writing to
 * such a stream still fails, as it should. */
static void hold_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    int status;

    /* A reader that goes away (`whet log | head`) is an error of one write,
     * reported like a full disk, and no reason to die amid a commit. */
    signal(SIGPIPE, SIG_IGN);
    /* So is a limit on the size of files (`ulimit -f`). */
    signal(SIGXFSZ, SIG_IGN);
    hold_standard_streams();
    if (whet_toolchain_child(&status, argc, argv) ||
        whet_device_child(&status, argc, argv))
        return status;
    if (argc >= 2 && strcmp(argv[1], "__worker") == 0)
        return whet_worker_main(argc - 1, argv + 1);
    return whet_cli_main(&whet_cli_whet, argc, argv);
}
