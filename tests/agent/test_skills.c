/* Folders of skills, the shipped one above all, and which skills apply. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

/* A skill file whose id is `id`. */
static void put(const char *dir, const char *file, const char *id)
{
    char *path = whet_fs_join(dir, file);
    char *text = whet_asprintf("---\nid: %s\nlevel: basic\napplies: {}\n"
                               "refuted_by: x\nsource: y\n---\nDo it.\n",
                               id);

    assert_non_null(path);
    assert_non_null(text);
    assert_int_equal(whet_fs_write(path, text, strlen(text), NULL), WHET_OK);
    free(text);
    free(path);
}

static int make_folder(void **state)
{
    return whet_fs_tempdir((char **)state, "whet-test", NULL);
}

static int remove_folder(void **state)
{
    whet_fs_remove_tree(*state);
    free(*state);
    return 0;
}

static void test_agent_skills__loads_sorted_by_id(void **state)
{
    whet_skills skills;
    whet_err err = {0};

    put(*state, "a.md", "a");
    put(*state, "a-b.md", "a-b"); /* sorts before a.md as a file name */
    put(*state, "z.md", "z");
    put(*state, ".hidden.md", "no");
    put(*state, "notes.txt", "no");
    if (whet_skills_load(&skills, *state, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(skills.count, 3);
    assert_string_equal(skills.items[0].id, "a");
    assert_string_equal(skills.items[1].id, "a-b");
    assert_string_equal(skills.items[2].id, "z");
    whet_skills_deinit(&skills);
    assert_int_equal(skills.count, 0);
}

static void test_agent_skills__empty_folder_is_fine(void **state)
{
    whet_skills skills;

    assert_int_equal(whet_skills_load(&skills, *state, NULL), WHET_OK);
    assert_int_equal(skills.count, 0);
    whet_skills_deinit(&skills);
}

static void test_agent_skills__id_must_be_the_file_name(void **state)
{
    whet_skills skills;
    whet_err err = {0};

    put(*state, "a.md", "a");
    put(*state, "b.md", "a");
    assert_int_equal(whet_skills_load(&skills, *state, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "b.md: id is 'a', expected 'b'"));
    assert_int_equal(skills.count, 0);
    assert_null(skills.items);
}

static void test_agent_skills__one_bad_file_refuses_the_folder(void **state)
{
    char *path = whet_fs_join(*state, "b.md");
    whet_skills skills;
    whet_err err = {0};

    put(*state, "a.md", "a");
    assert_int_equal(whet_fs_write(path, "no skill", 8, NULL), WHET_OK);
    assert_int_equal(whet_skills_load(&skills, *state, &err), WHET_EINVAL);
    assert_non_null(strstr(err.msg, "b.md:1:1: "));
    assert_int_equal(skills.count, 0);
    free(path);
}

static void test_agent_skills__missing_folder_is_not_found(void **state)
{
    char *path = whet_fs_join(*state, "none");
    whet_skills skills;
    whet_err err = {0};

    assert_int_equal(whet_skills_load(&skills, path, &err), WHET_ENOTFOUND);
    assert_string_not_equal(err.msg, "");
    free(path);
}

/* A task of op "gemm" whose tensors have these dtypes. */
static whet_task task_of(whet_dtype first, whet_dtype second)
{
    whet_task task = {.op = "gemm", .tensor_count = 2};

    task.tensors[0].dtype = first;
    task.tensors[1].dtype = second;
    return task;
}

static void test_agent_skills__applies_by_op_and_all_dtypes(void **state)
{
    const whet_task task = task_of(WHET_DTYPE_F32, WHET_DTYPE_F16);
    const whet_skill any = {0};
    const whet_skill op = {.ops = {"softmax", "gemm"}, .op_count = 2};
    const whet_skill other = {.ops = {"gemv"}, .op_count = 1};
    const whet_skill one = {.dtypes = {"f32"}, .dtype_count = 1};
    const whet_skill both = {.dtypes = {"f16", "f32"}, .dtype_count = 2};

    (void)state;
    assert_true(whet_skill_applies(&any, &task));
    assert_true(whet_skill_applies(&op, &task));
    assert_false(whet_skill_applies(&other, &task));
    assert_false(whet_skill_applies(&one, &task));
    assert_true(whet_skill_applies(&both, &task));
}

/* Every template is a candidate of every shipped task that its skill applies
 * to, and some point of it can be bound to the task's first workload. */
static void check_template(const whet_skill *skill, const whet_task *task)
{
    static const whet_limits limits = {
        .wave_size = 32, .cu_count = 8, .lds_bytes = 65536};
    whet_bound_plan *plan = calloc(1, sizeof *plan);
    whet_candidate *candidate = NULL;
    whet_err err = {0};
    uint64_t count;
    bool is_bound = false;

    assert_non_null(plan);
    if (whet_candidate_load(&candidate, skill->template_path, task, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(candidate->language, "portable");
    count = whet_candidate_point_count(candidate);
    for (uint64_t i = 0; !is_bound && i < count && i < 10000; i++) {
        whet_point point = whet_candidate_point_at(candidate, i);

        is_bound =
            whet_candidate_bind(plan, candidate, &point, task,
                                &task->workloads[0], &limits, &err) == WHET_OK;
    }
    if (!is_bound)
        fail_msg("%s: no point fits: %s", skill->id, err.msg);
    whet_candidate_free(candidate);
    free(plan);
}

static void
test_agent_skills__all_shipped_load_and_fit_their_tasks(void **state)
{
    static const char *const names[] = {"gemm", "reduce_sum", "rmsnorm",
                                        "softmax", "transpose"};
    whet_skills skills;
    whet_err err = {0};
    unsigned used = 0;

    (void)state;
    if (whet_skills_load(&skills, NULL, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_true(skills.count > 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsigned templates = 0;
        whet_task *task;

        if (whet_task_load(&task, names[i], &err) != WHET_OK)
            fail_msg("%s", err.msg);
        for (unsigned j = 0; j < skills.count; j++) {
            if (!whet_skill_applies(&skills.items[j], task))
                continue;
            used++;
            if (skills.items[j].template_path == NULL)
                continue;
            check_template(&skills.items[j], task);
            templates++;
        }
        if (templates == 0)
            fail_msg("%s: no template applies", names[i]);
        whet_task_free(task);
    }
    /* A skill for none of our tasks would be dead weight. */
    assert_true(used >= skills.count);
    whet_skills_deinit(&skills);
}

/* Writes the first block of a manual page that starts with `fence`, without
 * it, as DIR/NAME. */
static void extract(const char *page, const char *fence, const char *dir,
                    const char *name)
{
    char *root = whet_strdup(getenv("WHET_DATA_DIR"));
    char *from = whet_asprintf("%s/docs/%s", root, page);
    char *to = whet_fs_join(dir, name);
    const char *first, *end;
    whet_buf text = {0};
    whet_err err = {0};

    if (whet_fs_read(&text, from, 1 << 20, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    first = strstr(whet_buf_str(&text), fence);
    assert_non_null(first);
    first = strchr(first, '\n') + 1;
    end = strstr(first, "\n```");
    assert_non_null(end);
    assert_int_equal(whet_fs_write(to, first, (size_t)(end + 1 - first), &err),
                     WHET_OK);
    whet_buf_deinit(&text);
    free(to);
    free(from);
    free(root);
}

/* The pages "write a task" and "write a skill" build one thing together. */
static void test_agent_skills__the_manuals_skill_fits_its_task(void **state)
{
    char *templates = whet_fs_join(*state, "templates");
    char *baselines = whet_fs_join(*state, "baselines");
    whet_skills skills;
    whet_task *task;
    whet_err err = {0};

    if (getenv("WHET_DATA_DIR") == NULL)
        skip();
    assert_int_equal(whet_fs_mkdirs(templates, NULL), WHET_OK);
    assert_int_equal(whet_fs_mkdirs(baselines, NULL), WHET_OK);
    extract("write-a-task.md", "```yaml\nname: axpby", *state, "task.yaml");
    extract("write-a-task.md", "```c\n/* z = a x + b y.", *state,
            "reference.c");
    extract("write-a-task.md", "```c\n/* whet:", baselines, "opencl.cl");
    extract("write-a-skill.md", "```\n---\nid: axpby_chunks", *state,
            "axpby_chunks.md");
    extract("write-a-skill.md", "```c\n/* whet:", templates, "axpby_chunks.wk");
    if (whet_task_load(&task, *state, &err) != WHET_OK ||
        whet_skills_load(&skills, *state, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(skills.count, 1);
    assert_true(whet_skill_applies(&skills.items[0], task));
    check_template(&skills.items[0], task);
    whet_skills_deinit(&skills);
    whet_task_free(task);
    free(templates);
    free(baselines);
}

#define IN_FOLDER(test)                                                        \
    cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_agent_skills__loads_sorted_by_id),
        IN_FOLDER(test_agent_skills__empty_folder_is_fine),
        IN_FOLDER(test_agent_skills__id_must_be_the_file_name),
        IN_FOLDER(test_agent_skills__one_bad_file_refuses_the_folder),
        IN_FOLDER(test_agent_skills__missing_folder_is_not_found),
        cmocka_unit_test(test_agent_skills__applies_by_op_and_all_dtypes),
        cmocka_unit_test(
            test_agent_skills__all_shipped_load_and_fit_their_tasks),
        IN_FOLDER(test_agent_skills__the_manuals_skill_fits_its_task),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
