/* The whet program: children that are this program again are told apart
 * first, everything else goes through the command table. */

#include "cli/cli.h"

#include "judge/judge.h"
#include "toolchain/toolchain.h"

#include <signal.h>
#include <string.h>

int main(int argc, char **argv)
{
    int status;

    /* A reader that goes away (`whet log | head`) is an error of one write,
     * reported like a full disk, and no reason to die amid a commit. */
    signal(SIGPIPE, SIG_IGN);
    if (whet_toolchain_child(&status, argc, argv))
        return status;
    if (argc >= 2 && strcmp(argv[1], "__worker") == 0)
        return whet_worker_main(argc - 1, argv + 1);
    return whet_cli_main(&whet_cli_whet, argc, argv);
}
