/* The tiny task of the search's tests. */

#include "search_kit.h"

static const char task_yaml[] =
    "name: twice\n"
    "summary: y = 2 x\n"
    "op: twice\n"
    "dims: [n]\n"
    "tensors:\n"
    "  x: {role: in, dtype: f32, shape: [n], dist: normal}\n"
    "  y: {role: out, dtype: f32, shape: [n]}\n"
    "cost: {ops: n, bytes: 8 * n}\n"
    "numerics: {policy: f32, class: map}\n"
    "workloads:\n"
    "  small: {n: 4096}\n"
    "  big: {n: 65536}\n"
    "edges: {n: {min: 1, max: 100}}\n"
    "baselines: {opencl: base.cl}\n";

static const char skill_text[] =
    "---\n"
    "id: %s\n"
    "level: basic\n"
    "applies: {ops: [twice], dtypes: [f32], features: [], finding_codes: []}\n"
    "template: templates/%s.wk\n"
    "expected_gain: {ratio: 1.5, samples: 1, device: none, date: 2026-01-01}\n"
    "refuted_by: nothing\n"
    "source: a test\n"
    "---\n"
    "# A test's skill\n";

static const char plan_text[] =
    "/* whet:\n"
    "launches:\n"
    "  - {kernel: k, grid: [\"ceil_div(n, 64)\"], block: [64],\n"
    "     args: [x, y, n]}\n"
    "%s*/\n"
    "int k;\n";

static const char wide_tunables[] = "tunables:\n"
                                    "  V: [1, 2, 4, 8]\n"
                                    "  W: [16, 32, 64, 128]\n"
                                    "constraints: [\"V * W <= 512\"]\n";

static const char flat_tunables[] = "tunables: {U: [1, 2, 3]}\n"
                                    "constraints: [\"U > 1\"]\n";

void kit_write(kit *k, const char *name, const char *text)
{
    char *path = whet_fs_join(k->dir, name);

    assert_int_equal(whet_fs_write(path, text, strlen(text), &k->err), WHET_OK);
    free(path);
}

void kit_script(kit *k, const char *members, const char *rules)
{
    char *text = whet_asprintf("{\"whet_script\": 1, %s \"default\": "
                               "{\"time_ns\": 1000000}, \"rules\": [%s]}",
                               members, rules);

    kit_write(k, "script.json", text);
    free(text);
}

static void add_template(kit *k, const char *name, const char *tunables)
{
    char *skill = whet_asprintf("skills/%s.md", name);
    char *template = whet_asprintf("skills/templates/%s.wk", name);
    char *text = whet_asprintf(skill_text, name, name);

    kit_write(k, skill, text);
    free(text);
    text = whet_asprintf(plan_text, tunables);
    kit_write(k, template, text);
    free(text);
    free(template);
    free(skill);
}

void kit_only(kit *k, const char *name)
{
    char *other = whet_asprintf("%s/%s.md", k->skills,
                                strcmp(name, "wide") == 0 ? "flat" : "wide");

    assert_int_equal(unlink(other), 0);
    free(other);
}

static void make_folder(kit *k, const char *name)
{
    char *path = whet_fs_join(k->dir, name);

    assert_int_equal(whet_fs_mkdirs(path, &k->err), WHET_OK);
    free(path);
}

int kit_setup(void **state)
{
    kit *k = calloc(1, sizeof *k);
    char *text;

    assert_non_null(k);
    *state = k;
    assert_int_equal(whet_fs_tempdir(&k->dir, "whet-test-search", &k->err),
                     WHET_OK);
    setenv("WHET_CACHE_DIR", k->dir, 1);
    setenv("WHET_STATE_DIR", k->dir, 1);
    k->task = whet_fs_join(k->dir, "twice");
    k->skills = whet_fs_join(k->dir, "skills");
    k->ledger = whet_fs_join(k->dir, "x.ledger");
    k->device = whet_asprintf("null:%s/script.json", k->dir);
    make_folder(k, "twice");
    make_folder(k, "skills/templates");
    kit_write(k, "twice/task.yaml", task_yaml);
    kit_write(k, "twice/reference.c", "int reference;\n");
    text = whet_asprintf(plan_text, "");
    kit_write(k, "twice/base.cl", text);
    free(text);
    add_template(k, "wide", wide_tunables);
    add_template(k, "flat", flat_tunables);
    kit_script(k, "", "");
    k->opts = (whet_run_opts){.task = k->task,
                              .device = k->device,
                              .skills = k->skills,
                              .ledger = k->ledger,
                              .seed = 1,
                              .confirm_calls = 24,
                              .cancel = &k->cancel};
    return 0;
}

int kit_teardown(void **state)
{
    kit *k = *state;

    whet_run_result_deinit(&k->result);
    whet_fs_remove_tree(k->dir);
    free(k->dir);
    free(k->task);
    free(k->skills);
    free(k->ledger);
    free(k->device);
    free(k);
    return 0;
}

void kit_run(kit *k)
{
    whet_run_result_deinit(&k->result);
    if (whet_search_run(&k->result, &k->opts, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
}

void kit_resume(kit *k)
{
    whet_run_opts opts = {.ledger = k->ledger,
                          .budget = k->opts.budget,
                          .device = k->opts.device,
                          .cancel = &k->cancel};

    whet_run_result_deinit(&k->result);
    if (whet_search_resume(&k->result, &opts, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
}

void kit_expect_message(const kit *k, const char *words)
{
    assert_true(k->err.msg[0] != '\0');
    assert_null(strchr(k->err.msg, '\n'));
    if (strstr(k->err.msg, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", k->err.msg, words);
}

whet_run *kit_begin(kit *k)
{
    whet_run *run = calloc(1, sizeof *run);

    assert_non_null(run);
    run->opts = k->opts;
    run->result = &k->result;
    run->champion = -1;
    run->incumbent.trial = -1;
    run->incumbent.score = 1.0;
    if (whet_search__begin(run, &k->err) != WHET_OK)
        fail_msg("%s", k->err.msg);
    return run;
}

void kit_end(whet_run *run)
{
    whet_search__close(run);
    free(run);
}

char *kit_point(const whet_run *run, int trial)
{
    const whet_trial *t = &run->trials[trial];
    char text[256];

    whet_point_format(text, sizeof text, run->sources[t->source].candidate,
                      &t->point);
    return whet_strdup(text);
}

struct look {
    size_t count;
    json_t *last;
};

static bool on_event(const whet_event *event, void *payload)
{
    struct look *look = payload;

    look->count++;
    json_decref(look->last);
    look->last = json_deep_copy(event->data);
    return true;
}

static struct look look_at(kit *k, const char *kind)
{
    whet_clock clock = whet_clock_system();
    whet_event_query query = {.kind = kind[0] ? kind : NULL};
    struct look look = {0, NULL};
    whet_ledger *ledger;

    assert_int_equal(
        whet_ledger_open(&ledger, k->ledger, WHET_LEDGER_READ, &clock, &k->err),
        WHET_OK);
    assert_int_equal(whet_ledger_each(ledger, &query, on_event, &look, &k->err),
                     WHET_OK);
    whet_ledger_close(ledger);
    return look;
}

size_t kit_count(kit *k, const char *kind)
{
    struct look look = look_at(k, kind);

    json_decref(look.last);
    return look.count;
}

json_t *kit_last(kit *k, const char *kind)
{
    struct look look = look_at(k, kind);

    assert_non_null(look.last);
    return look.last;
}
