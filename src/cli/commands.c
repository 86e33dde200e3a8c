/* The table of commands. A new one is a cmd_<name>.c and a row here. */

#include "cli/cli.h"

static const whet_command *const commands[] = {
    NULL,
};

const whet_cli whet_cli_whet = {
    .program = "whet",
    .version = WHET_VERSION,
    .summary = "Sharpens GPU kernels: proposes faster ones, and judges each so "
               "that it cannot cheat.",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0] - 1,
};
