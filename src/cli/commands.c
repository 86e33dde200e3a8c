/* The table of commands. A new one is a cmd_<name>.c and a row here. */

#include "cli/cli.h"

static const whet_command *const commands[] = {
    &whet_cmd_run,        &whet_cmd_resume,       &whet_cmd_judge,
    &whet_cmd_log,        &whet_cmd_show,         &whet_cmd_export,
    &whet_cmd_arch,       &whet_cmd_calibrate,    &whet_cmd_devices,
    &whet_cmd_doctor,     &whet_cmd_skills,       &whet_cmd_skills_show,
    &whet_cmd_task_check, &whet_cmd_task_compile, &whet_cmd_task_list,
    &whet_cmd_task_show,
};

const whet_cli whet_cli_whet = {
    .program = "whet",
    .version = WHET_VERSION,
    .summary = "Finds faster GPU kernels, and judges each so that it cannot "
               "cheat.",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};
