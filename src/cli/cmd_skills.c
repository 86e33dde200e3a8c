/* `whet skills` and `whet skills show`: the knowledge entries and what each is
 * based on. */

#include "cli/cli.h"

#include "agent/agent.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct skills_opts {
    bool json;
    const char *dir;
    const char *task;
} skills_opts;

/* --- pieces -------------------------------------------------------------- */

/* "gemm, rmsnorm", or `any` for an empty list. */
static void add_list(whet_buf *out, const char (*names)[WHET_NAME_BYTES],
                     unsigned count, const char *any)
{
    if (count == 0)
        whet_buf_puts(out, any);
    for (unsigned i = 0; i < count; i++)
        whet_buf_printf(out, "%s%s", i > 0 ? ", " : "", names[i]);
}

static void add_applies(whet_buf *out, const whet_skill *skill)
{
    add_list(out, skill->ops, skill->op_count, "any op");
    whet_buf_puts(out, "; ");
    add_list(out, skill->dtypes, skill->dtype_count, "any dtype");
    if (skill->feature_count > 0) {
        whet_buf_puts(out, "; with ");
        add_list(out, skill->features, skill->feature_count, "");
    }
    if (skill->finding_code_count > 0) {
        whet_buf_puts(out, "; on ");
        add_list(out, skill->finding_codes, skill->finding_code_count, "");
    }
}

static json_t *json_list(const char (*names)[WHET_NAME_BYTES], unsigned count)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, json_string(names[i]));
    return list;
}

static json_t *json_gain(const whet_skill *skill)
{
    if (skill->gain_ratio == 0)
        return json_null();
    return json_pack("{s:f, s:i, s:o, s:o}", "ratio", skill->gain_ratio,
                     "samples", (int)skill->gain_samples, "device",
                     whet_cli_json_text(skill->gain_device), "date",
                     skill->gain_date[0] != '\0' ? json_string(skill->gain_date)
                                                 : json_null());
}

static json_t *to_json(const whet_skill *skill, bool with_text)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:{s:o, s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:s}", "id",
        skill->id, "level", whet_skill_level_name(skill->level), "applies",
        "ops", json_list(skill->ops, skill->op_count), "dtypes",
        json_list(skill->dtypes, skill->dtype_count), "features",
        json_list(skill->features, skill->feature_count), "finding_codes",
        json_list(skill->finding_codes, skill->finding_code_count),
        "expected_gain", json_gain(skill), "refuted_by",
        whet_cli_json_text(skill->refuted_by), "source",
        whet_cli_json_text(skill->source), "template",
        skill->template_path != NULL ? whet_cli_json_text(skill->template_path)
                                     : json_null(),
        "hash", skill->hash.text);

    if (with_text && object != NULL)
        whet_json_set(object, "text", whet_cli_json_text(skill->text));
    return object;
}

/* --- list ---------------------------------------------------------------- */

static void add_row(whet_table *table, const whet_skill *skill)
{
    whet_buf applies = {0};

    add_applies(&applies, skill);
    whet_table_add_cell(table, "%s", skill->id);
    whet_table_add_cell(table, "%s", whet_skill_level_name(skill->level));
    whet_table_add_cell(table, "%s", whet_buf_str(&applies));
    if (skill->gain_ratio > 0) {
        whet_table_add_cell(table, "%.3gx", skill->gain_ratio);
        whet_table_add_cell(table, "%u", skill->gain_samples);
        whet_table_add_cell(table, "%s", skill->gain_device);
    } else {
        whet_table_add_cell(table, "n/a");
        whet_table_add_cell(table, "%u", skill->gain_samples);
        whet_table_add_cell(table, "%s", "");
    }
    whet_table_add_cell(table, "%s",
                        skill->template_path != NULL ? "template" : "advice");
    whet_buf_deinit(&applies);
}

static int print_list(const whet_skills *skills, const whet_task *task,
                      bool as_json)
{
    static const whet_table_column columns[] = {
        {.title = "Skill", .is_whole = true},
        {.title = "Level", .is_whole = true},
        {.title = "Applies"},
        {.title = "Gain", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Samples", .align = WHET_ALIGN_RIGHT, .is_whole = true},
        {.title = "Measured on"},
        {.title = "Holds", .is_whole = true},
    };
    json_t *list = json_array();
    whet_buf text = {0};
    whet_table table;
    int status;

    whet_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < skills->count; i++) {
        const whet_skill *skill = &skills->items[i];

        if (task != NULL && !whet_skill_applies(skill, task))
            continue;
        add_row(&table, skill);
        json_array_append_new(list, to_json(skill, false));
    }
    if (as_json) {
        status = whet_cli_print_json(json_pack("{s:O}", "skills", list));
    } else {
        if (whet_table_row_count(&table) > 0)
            whet_table_print(&text, &table);
        else
            whet_buf_printf(&text, "no skill%s\n",
                            task != NULL ? " applies to this task" : "");
        status = whet_cli_print(&text);
    }
    whet_table_deinit(&table);
    json_decref(list);
    return status;
}

static int run_list(const void *opts, const whet_args *args)
{
    const skills_opts *my = opts;
    whet_skills skills = {0};
    whet_task *task = NULL;
    whet_err err = {0};
    whet_status st = WHET_OK;
    int status;

    (void)args;
    if (my->task != NULL)
        st = whet_task_load(&task, my->task, &err);
    if (st == WHET_OK)
        st = whet_skills_load(&skills, my->dir, &err);
    status = st == WHET_OK ? print_list(&skills, task, my->json)
                           : whet_cli_fail(&err);
    whet_skills_deinit(&skills);
    whet_task_free(task);
    return status;
}

/* --- show ---------------------------------------------------------------- */

static void add_line(whet_buf *out, const char *title, const char *text)
{
    whet_buf_printf(out, "%-14s", title);
    whet_buf_escape(out, text, strlen(text), false);
    whet_buf_puts(out, "\n");
}

static void show(whet_buf *out, const whet_skill *skill)
{
    whet_buf line = {0};

    add_line(out, "Skill", skill->id);
    add_line(out, "Level", whet_skill_level_name(skill->level));
    add_applies(&line, skill);
    add_line(out, "Applies", whet_buf_str(&line));
    whet_buf_deinit(&line);
    if (skill->gain_ratio > 0)
        whet_buf_printf(
            &line, "%.3gx, %u samples, %s%son %s", skill->gain_ratio,
            skill->gain_samples, skill->gain_date,
            skill->gain_date[0] != '\0' ? ", " : "", skill->gain_device);
    else
        whet_buf_puts(&line, "n/a, never measured");
    add_line(out, "Expected gain", whet_buf_str(&line));
    whet_buf_deinit(&line);
    add_line(out, "Refuted by", skill->refuted_by);
    add_line(out, "Source", skill->source);
    add_line(out, "Template",
             skill->template_path != NULL ? skill->template_path
                                          : "none, advice only");
    add_line(out, "Hash", skill->hash.text);
    whet_buf_puts(out, "\n");
    whet_buf_escape(out, skill->text, strlen(skill->text), true);
    whet_buf_puts(out, "\n");
}

static whet_status find(const whet_skill **out, const whet_skills *skills,
                        const char *id, whet_err *err)
{
    const char **names = calloc(skills->count + 1, sizeof *names);
    const char *close;

    *out = NULL;
    if (names == NULL)
        return whet_err_set(err, WHET_ENOMEM, "skills: out of memory");
    for (unsigned i = 0; i < skills->count; i++) {
        names[i] = skills->items[i].id;
        if (strcmp(names[i], id) == 0)
            *out = &skills->items[i];
    }
    close = whet_closest_name(id, names, skills->count);
    free(names);
    if (*out != NULL)
        return WHET_OK;
    if (close != NULL)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "no skill '%.80s', did you mean '%s'?", id, close);
    return whet_err_set(err, WHET_ENOTFOUND,
                        "no skill '%.80s', expected one that 'whet skills' "
                        "lists",
                        id);
}

static int run_show(const void *opts, const whet_args *args)
{
    const skills_opts *my = opts;
    const whet_skill *skill = NULL;
    whet_skills skills = {0};
    whet_buf text = {0};
    whet_err err = {0};
    whet_status st = whet_skills_load(&skills, my->dir, &err);
    int status;

    if (st == WHET_OK)
        st = find(&skill, &skills, args->items[0], &err);
    if (st != WHET_OK) {
        status = whet_cli_fail(&err);
    } else if (my->json) {
        status = whet_cli_print_json(to_json(skill, true));
    } else {
        show(&text, skill);
        status = whet_cli_print(&text);
    }
    whet_skills_deinit(&skills);
    return status;
}

static const whet_opt list_opts[] = {
    {.name = "task",
     .type = WHET_OPT_STRING,
     .offset = offsetof(skills_opts, task),
     .value_name = "TASK",
     .help = "Only those that apply to a task"},
    {.name = "dir",
     .type = WHET_OPT_STRING,
     .offset = offsetof(skills_opts, dir),
     .env = "WHET_SKILLS",
     .value_name = "DIR",
     .help = "Folder of skills (default: the shipped ones)"},
    WHET_CLI_OPT_JSON(skills_opts),
};

const whet_command whet_cmd_skills = {
    .name = "skills",
    .usage = "",
    .summary = "List what is known to make kernels faster",
    .detail = "Gain: time without the skill divided by time with it, as "
              "measured on the device\n"
              "named. docs/write-a-skill.md tells how to add one.\n"
              "JSON: {skills: [{id, level, applies: {ops, dtypes, features, "
              "finding_codes},\n"
              "expected_gain: {ratio, samples, device, date} or null, "
              "refuted_by, source,\n"
              "template, hash}]}; empty lists mean any.",
    .opts = list_opts,
    .opt_count = sizeof list_opts / sizeof list_opts[0],
    .opts_bytes = sizeof(skills_opts),
    .min_args = 0,
    .max_args = 0,
    .run = run_list,
};

const whet_command whet_cmd_skills_show = {
    .name = "skills show",
    .usage = "ID",
    .summary = "Show one skill: when it applies, what it gained, its text",
    .detail = "JSON: as one entry of 'whet skills', with text.",
    .opts = list_opts + 1, /* all but --task */
    .opt_count = sizeof list_opts / sizeof list_opts[0] - 1,
    .opts_bytes = sizeof(skills_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run_show,
};
