/* `whet task compile DIR...`: put the compiled reference beside each task, so
 * that a machine without a compiler can judge. `make install` runs it. */

#include "cli/cli.h"

#include "task/task.h"

static int run(const void *options, const whet_args *args)
{
    whet_buf text = {0};
    size_t i;

    (void)options;
    for (i = 0; i < args->count; i++) {
        whet_task *task = NULL;
        whet_err err = {0};
        whet_status st = whet_task_load(&task, args->items[i], &err);

        if (st == WHET_OK)
            st = whet_reference_compile(task, NULL, &err);
        if (st == WHET_OK)
            whet_buf_printf(&text, "%s: reference compiled\n", task->name);
        whet_task_free(task);
        if (st != WHET_OK) {
            whet_buf_deinit(&text);
            return whet_cli_fail(&err);
        }
    }
    return whet_cli_print(&text);
}

const whet_command whet_cmd_task_compile = {
    .name = "task compile",
    .usage = "DIR...",
    .summary = "Put compiled references beside tasks, for machines without a "
               "compiler",
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
