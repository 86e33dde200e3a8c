/* Candidates as files: loading, languages, sizes, and the shipped templates
 * against the shipped tasks. */

#include "fixture.h"

static const char plan_text[] =
    "launches: [{kernel: k, grid: [1], block: [1], args: [x, w, y]}]\n";

static void test_candidate_candidate__keeps_the_whole_source(void **state)
{
    char *text = fixture_file(plan_text);
    whet_candidate *candidate = fixture_parse(*state, plan_text);

    assert_int_equal(candidate->source_bytes, strlen(text));
    assert_string_equal(candidate->source, text);
    assert_string_equal(candidate->language, "opencl");
    whet_candidate_free(candidate);
    whet_candidate_free(NULL);
    free(text);
}

static whet_status parse_as(const fixture *f, const char *text,
                            const char *where, const char *language,
                            whet_err *err)
{
    whet_candidate *candidate = NULL;
    whet_status st = whet_candidate_parse(&candidate, text, strlen(text), where,
                                          language, &f->task, err);

    assert_int_equal(candidate != NULL, st == WHET_OK);
    if (candidate != NULL && language != NULL)
        assert_string_equal(candidate->language, language);
    whet_candidate_free(candidate);
    return st;
}

static void
test_candidate_candidate__reads_the_comments_of_each_language(void **state)
{
    static const char lines[] =
        "// whet:\n"
        "//   launches:\n"
        "//     - {kernel: k, grid: [1], block: [1], args: [x, w, y]}\n"
        "\n"
        "void k() {}\n";
    static const char hashes[] =
        "# whet:\n"
        "# launches:\n"
        "#   - {kernel: k, grid: [1], block: [1], args: [x, w, y]}\n"
        "import triton\n";
    static const char nested[] =
        "/* whet:\n"
        "     launches:\n"
        "       - {kernel: k, grid: [1], block: [1], args: [x, w, y]} */\n";
    whet_err err = {0};

    assert_int_equal(parse_as(*state, lines, "a.cu", NULL, &err), WHET_OK);
    assert_int_equal(parse_as(*state, hashes, "a.py", NULL, &err), WHET_OK);
    assert_int_equal(parse_as(*state, nested, "a.hip", NULL, &err), WHET_OK);
    assert_int_equal(parse_as(*state, nested, "reply", "portable", &err),
                     WHET_OK);
    assert_int_equal(parse_as(*state, nested, "reply", "future", &err),
                     WHET_OK);
}

static void
test_candidate_candidate__keeps_places_in_line_comments(void **state)
{
    static const char text[] =
        "\n"
        "// whet:\n"
        "// launches:\n"
        "//   - {kernel: k, grid: [1], block: [1], args: [x, w, yy]}\n";
    whet_err err = {0};

    assert_int_equal(parse_as(*state, text, "a.cl", NULL, &err), WHET_EINVAL);
    assert_memory_equal(err.msg, "a.cl:4:56: unknown name 'yy'", 28);
}

static void test_candidate_candidate__refuses_unknown_languages(void **state)
{
    char *text = fixture_file(plan_text);
    whet_err err = {0};

    assert_int_equal(parse_as(*state, text, "a.txt", NULL, &err), WHET_EINVAL);
    assert_string_equal(err.msg, "a.txt: unknown ending, expected .cl, .wk, "
                                 ".cu, .hip or .py");
    assert_int_equal(parse_as(*state, text, "a.cl", "open cl", &err),
                     WHET_EINVAL);
    assert_string_equal(err.msg, "a.cl: 'open cl' is no language, expected a "
                                 "word like opencl");
    free(text);
}

static void
test_candidate_candidate__refuses_shared_where_it_is_no_argument(void **state)
{
    char *text = fixture_file("launches: [{kernel: k, grid: [1], block: [1], "
                              "shared: 4, args: [x, w, y, shared]}]\n");
    whet_err err = {0};

    assert_int_equal(parse_as(*state, text, "a.wk", NULL, &err), WHET_OK);
    assert_int_equal(parse_as(*state, text, "a.cu", NULL, &err), WHET_EINVAL);
    assert_string_equal(err.msg,
                        "a.cu:2:74: 'shared' is no argument in cuda, expected "
                        "the kernel to declare its dynamic shared memory");
    free(text);
}

static void test_candidate_candidate__refuses_a_file_too_large(void **state)
{
    fixture *f = *state;
    const size_t bytes = WHET_SOURCE_BYTES_MAX;
    char *text = malloc(bytes + 1);
    char *plan = fixture_file(plan_text);
    whet_candidate *candidate = NULL;
    whet_err err = {0};

    assert_non_null(text);
    memset(text, ' ', bytes + 1);
    memcpy(text, plan, strlen(plan));
    assert_int_equal(whet_candidate_parse(&candidate, text, bytes, "a.cl", NULL,
                                          &f->task, &err),
                     WHET_OK);
    whet_candidate_free(candidate);
    assert_int_equal(whet_candidate_parse(&candidate, text, bytes + 1, "a.cl",
                                          NULL, &f->task, &err),
                     WHET_EINVAL);
    assert_string_equal(err.msg, "a.cl: the file has 1048577 bytes, expected "
                                 "at most 1048576");
    free(text);
    free(plan);
}

static void test_candidate_candidate__refuses_empty_and_binary(void **state)
{
    fixture *f = *state;
    whet_candidate *candidate = NULL;
    whet_err err = {0};

    assert_int_equal(
        whet_candidate_parse(&candidate, "", 0, "a.cl", NULL, &f->task, &err),
        WHET_EINVAL);
    assert_memory_equal(err.msg, "a.cl:1:1: the file is empty", 27);
    assert_int_equal(whet_candidate_parse(&candidate,
                                          "\x7f"
                                          "ELF\0",
                                          5, "a.cl", NULL, &f->task, &err),
                     WHET_EINVAL);
    assert_memory_equal(err.msg, "a.cl:1:1: byte 0x7f", 19);
    assert_null(candidate);
}

static void test_candidate_candidate__says_when_a_file_is_missing(void **state)
{
    fixture *f = *state;
    whet_candidate *candidate = NULL;
    whet_err err = {0};

    assert_int_equal(
        whet_candidate_load(&candidate, "nowhere/k.cl", &f->task, &err),
        WHET_ENOTFOUND);
    assert_true(err.msg[0] != '\0');
    assert_null(candidate);
}

/* Each template's first part is the op it is for. */
static void load_template(const whet_task *task, const char *path)
{
    static const whet_limits cpu = {.wave_size = 8,
                                    .cu_count = 2,
                                    .lds_bytes = 65536,
                                    .group_items_max = 4096,
                                    .block_max = {4096, 4096, 4096},
                                    .memory_bytes = (uint64_t)4 << 30};
    whet_candidate *candidate = NULL;
    whet_err err = {0};
    uint64_t count, bound_count = 0;

    if (whet_candidate_load(&candidate, path, task, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    count = whet_candidate_point_count(candidate);
    for (uint64_t i = 0; i < count; i++) {
        whet_point point = whet_candidate_point_at(candidate, i);
        whet_bound_plan bound;

        if (whet_candidate_bind(&bound, candidate, &point, task,
                                &task->workloads[0], &cpu, &err) != WHET_OK) {
            /* Only a false constraint may rule a point out. */
            if (strstr(err.msg, "is false") == NULL)
                fail_msg("%s: %s", path, err.msg);
            continue;
        }
        assert_int_equal(whet_bound_plan_check(&bound, &err), WHET_OK);
        bound_count++;
    }
    if (bound_count == 0)
        fail_msg("%s: no point satisfies the constraints", path);
    whet_candidate_free(candidate);
}

static void test_candidate_candidate__binds_every_shipped_template(void **state)
{
    const char *data = getenv("WHET_DATA_DIR");
    static const char *const tasks[] = {"gemm", "rmsnorm", "softmax",
                                        "reduce_sum", "transpose"};
    char *dir;
    char **names = NULL;
    size_t loaded = 0, seen = 0;

    (void)state;
    if (data == NULL)
        skip();
    dir = whet_fs_join(data, "skills/templates");
    assert_int_equal(whet_fs_list(&names, dir, NULL), WHET_OK);
    for (size_t i = 0; names[i] != NULL; i++) {
        char *path = whet_fs_join(dir, names[i]);

        if (strstr(names[i], ".wk") == NULL) {
            free(path);
            continue;
        }
        seen++;
        for (size_t t = 0; t < sizeof tasks / sizeof tasks[0]; t++) {
            /* "reduce_two_stage.wk" is for "reduce_sum". */
            const size_t stem = strcspn(tasks[t], "_");
            char *task_dir;
            whet_task *task = NULL;

            if (strncmp(names[i], tasks[t], stem) != 0)
                continue;
            task_dir = whet_asprintf("%s/tasks/%s", data, tasks[t]);
            assert_int_equal(whet_task_load(&task, task_dir, NULL), WHET_OK);
            load_template(task, path);
            loaded++;
            whet_task_free(task);
            free(task_dir);
        }
        free(path);
    }
    assert_true(seen > 0);
    assert_int_equal(loaded, seen);
    whet_fs_list_free(names);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_candidate_candidate__keeps_the_whole_source),
        FIXTURE_TEST(
            test_candidate_candidate__reads_the_comments_of_each_language),
        FIXTURE_TEST(test_candidate_candidate__keeps_places_in_line_comments),
        FIXTURE_TEST(test_candidate_candidate__refuses_unknown_languages),
        FIXTURE_TEST(
            test_candidate_candidate__refuses_shared_where_it_is_no_argument),
        FIXTURE_TEST(test_candidate_candidate__refuses_a_file_too_large),
        FIXTURE_TEST(test_candidate_candidate__refuses_empty_and_binary),
        FIXTURE_TEST(test_candidate_candidate__says_when_a_file_is_missing),
        FIXTURE_TEST(test_candidate_candidate__binds_every_shipped_template),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
