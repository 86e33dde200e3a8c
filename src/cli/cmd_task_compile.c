/* `whet task compile DIR...`: put the compiled reference beside each task, so
 * that a machine without a compiler can judge. `make install` runs it. */

#include "cli/cli.h"

#include "task/task.h"

static int run(const void *opts, const whet_args *args)
{
    const whet_cli_json_opts *my = opts;
    json_t *names = json_array();
    whet_buf text = {0};
    int status = 0;
    size_t i;

    for (i = 0; status == 0 && i < args->count; i++) {
        whet_task *task = NULL;
        whet_err err = {0};
        whet_status st = whet_task_load(&task, args->items[i], &err);

        if (st == WHET_OK)
            st = whet_reference_compile(task, NULL, &err);
        if (st == WHET_OK) {
            whet_buf_printf(&text, "%s: reference compiled\n", task->name);
            json_array_append_new(names, json_string(task->name));
        } else {
            status = whet_cli_fail(&err);
        }
        whet_task_free(task);
    }
    if (status == 0)
        status = my->json
                     ? whet_cli_print_json(json_pack("{s:O}", "tasks", names))
                     : whet_cli_print(&text);
    whet_buf_deinit(&text);
    json_decref(names);
    return status;
}

static const whet_opt json_only[] = {WHET_CLI_OPT_JSON(whet_cli_json_opts)};

const whet_command whet_cmd_task_compile = {
    .name = "task compile",
    .usage = "DIR...",
    .summary = "Put compiled references beside tasks, for machines without a "
               "compiler",
    .detail = "JSON: {tasks: [name]}.",
    .opts = json_only,
    .opt_count = 1,
    .opts_bytes = sizeof(whet_cli_json_opts),
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
