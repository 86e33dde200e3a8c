/* The verifier against a child process that offers plain memory and plays
 * kernels, good and bad. The parent maps the memory and forks, so both have it
 * at the same address, each its own copy; or both share it as a stage. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 37, COLS = 1500 };

/* What the child does in a call. */
enum role {
    GOOD = 'g',
    ZEROS = 'z',
    NOTHING = 'n',
    ONE_LEFT_OUT = 'o',
    NOT_A_NUMBER = 'a',
    BEFORE = 'b',
    BEHIND = 'c',
    SLOT_END = 'e',
    NEXT_SLOT = 's',
    CHANGE_INPUT = 'i',
    INPUT_AND_GUARD = 'h',
    UNMAP = 'u',
    GO = 'x'
};

struct kit {
    whet_task *task;
    whet_reference *reference;
    whet_verifier verifier;
    whet_workload workload;
    whet_layout layout;
    char *region;
    size_t region_bytes;
    int stage_fd; /* 0: memory of the child's own */
    pid_t child;
    int to_child, from_child;
};

static void transpose(const struct kit *k, char *slot)
{
    const float *in = (const float *)(slot + k->layout.buffers[0].offset);
    float *out = (float *)(slot + k->layout.buffers[1].offset);
    long r, c;

    for (r = 0; r < ROWS; r++)
        for (c = 0; c < COLS; c++)
            out[c * ROWS + r] = in[r * COLS + c];
}

static void play(const struct kit *k, char *slot, enum role role)
{
    char *in = slot + k->layout.buffers[0].offset;
    char *out = slot + k->layout.buffers[1].offset;
    uint64_t bytes = k->layout.buffers[1].bytes;

    if (role == ZEROS)
        memset(out, 0, bytes);
    if (role == ZEROS || role == NOTHING)
        return;
    if (role == UNMAP) {
        munmap(k->region, k->region_bytes);
        return;
    }
    if (role == ONE_LEFT_OUT) {
        float keep = ((float *)out)[12345];

        transpose(k, slot);
        ((float *)out)[12345] = keep;
        return;
    }
    transpose(k, slot);
    if (role == NOT_A_NUMBER)
        ((float *)out)[777] = NAN;
    if (role == BEFORE)
        out[-1] ^= 1;
    if (role == BEHIND || role == INPUT_AND_GUARD)
        out[bytes] ^= 1;
    if (role == SLOT_END)
        slot[k->layout.slot_bytes - 1] ^= 1;
    if (role == NEXT_SLOT)
        slot[k->layout.slot_bytes + 8] ^= 1;
    if (role == CHANGE_INPUT || role == INPUT_AND_GUARD)
        in[k->layout.buffers[0].bytes - 1] ^= 1;
}

static void be_child(const struct kit *k, int from_parent, int to_parent)
{
    char order[2];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (write(to_parent, "", 1) != 1)
        _exit(1);
    while (read(from_parent, order, 2) == 2) {
        if (order[0] == GO)
            break;
        play(k, k->region + (size_t)order[1] * k->layout.slot_bytes,
             (enum role)order[0]);
        if (write(to_parent, "", 1) != 1)
            break;
    }
    _exit(0);
}

static void start_child(struct kit *k)
{
    int down[2], up[2];
    char byte;

    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    k->child = fork();
    assert_true(k->child >= 0);
    if (k->child == 0)
        be_child(k, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    k->to_child = down[1];
    k->from_child = up[0];
    assert_int_equal(read(k->from_child, &byte, 1), 1);
}

static void ask(whet_verify_answer *answer, struct kit *k,
                whet_verify_request *request)
{
    whet_err err = {0};

    if (whet_judge__verifier_ask(answer, &k->verifier, request, &err) !=
        WHET_OK)
        fail_msg("%s", err.msg);
}

static void attach(struct kit *k)
{
    whet_verify_request request = {.type = WHET_VERIFY_ATTACH,
                                   .arm = 1,
                                   .stage_fd = k->stage_fd,
                                   .pid = k->child,
                                   .base = (uint64_t)(uintptr_t)k->region,
                                   .layout = k->layout};
    whet_verify_answer answer;

    ask(&answer, k, &request);
}

static void make_layout(struct kit *k)
{
    whet_bound_plan plan = {
        .launch_count = 1,
        .buffer_count = 2,
        .tensor_count = 2,
        .buffers = {{4 * ROWS * COLS, WHET_BUFFER_IN, WHET_DTYPE_F32},
                    {4 * ROWS * COLS, WHET_BUFFER_OUT, WHET_DTYPE_F32}}};
    whet_key key = {{9, 9, 9, 9}};

    assert_int_equal(
        whet_judge__layout(&k->layout, &plan, 0, 1 << 30, &key, NULL), WHET_OK);
}

static void map_region(struct kit *k)
{
    k->region_bytes = k->layout.slot_bytes * k->layout.slot_count;
    if (k->stage_fd > 0)
        assert_int_equal(ftruncate(k->stage_fd, (off_t)k->region_bytes), 0);
    k->region = mmap(NULL, k->region_bytes, PROT_READ | PROT_WRITE,
                     k->stage_fd > 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                     k->stage_fd > 0 ? k->stage_fd : -1, 0);
    assert_true(k->region != MAP_FAILED);
}

static int set_up_at(void **state, bool has_stage)
{
    struct kit *k = calloc(1, sizeof *k);
    whet_verify_request request = {.type = WHET_VERIFY_SHAPE};
    whet_verify_answer answer;
    whet_err err = {0};

    k->task = kit_task("transpose");
    if (has_stage) {
        k->stage_fd = memfd_create("stage", MFD_CLOEXEC);
        assert_true(k->stage_fd > 0);
    }
    if (whet_reference_open(&k->reference, k->task, &err) != WHET_OK ||
        whet_judge__verifier_start(&k->verifier, k->task, k->reference, &err) !=
            WHET_OK)
        fail_msg("%s", err.msg);
    k->workload.dim[0] = ROWS;
    k->workload.dim[1] = COLS;
    make_layout(k);
    map_region(k);
    start_child(k);
    request.workload = k->workload;
    ask(&answer, k, &request);
    attach(k);
    *state = k;
    return 0;
}

static int set_up(void **state)
{
    return set_up_at(state, false);
}

static int set_up_stage(void **state)
{
    return set_up_at(state, true);
}

static int tear_down(void **state)
{
    struct kit *k = *state;

    whet_judge__verifier_stop(&k->verifier);
    whet_judge__verifier_stop(&k->verifier);
    kill(k->child, SIGKILL);
    waitpid(k->child, NULL, 0);
    close(k->to_child);
    close(k->from_child);
    munmap(k->region, k->region_bytes);
    if (k->stage_fd > 0)
        close(k->stage_fd);
    whet_reference_close(k->reference);
    whet_task_free(k->task);
    free(k);
    return 0;
}

static void order(struct kit *k, enum role role, uint32_t slot)
{
    /* A stage holds the slot of the call at hand, whichever that is. */
    char text[2] = {(char)role, k->stage_fd > 0 ? 0 : (char)slot};
    char byte;

    assert_int_equal(write(k->to_child, text, 2), 2);
    assert_int_equal(read(k->from_child, &byte, 1), 1);
}

/* Fill, play, seal and check a call; the first reason that is found. */
static whet_reason call(whet_verify_finding *finding, struct kit *k,
                        enum role role, uint32_t slot, uint32_t number)
{
    whet_verify_request request = {.type = WHET_VERIFY_FILL,
                                   .arm = 1,
                                   .slot = slot,
                                   .arm_mask = 2,
                                   .key = {{number, 1, 2, 3}}};
    whet_verify_answer answer;

    ask(&answer, k, &request);
    *finding = answer.arm[1];
    if (answer.arm[1].reason != WHET_REASON_NONE)
        return (whet_reason)answer.arm[1].reason;
    if (k->stage_fd > 0) /* made by the worker, on the device */
        whet_judge__poison(k->region + k->layout.buffers[1].offset,
                           k->layout.buffers[1].bytes, WHET_DTYPE_F32,
                           &request.key, 1);
    order(k, role, slot);
    request.type = WHET_VERIFY_SEAL;
    ask(&answer, k, &request);
    *finding = answer.arm[1];
    if (answer.arm[1].reason == WHET_REASON_CRASH)
        return WHET_REASON_CRASH;
    request.type = WHET_VERIFY_CHECK;
    ask(&answer, k, &request);
    *finding = answer.arm[1];
    return (whet_reason)answer.arm[1].reason;
}

static void expect(void **state, enum role role, whet_reason reason)
{
    whet_verify_finding finding;

    assert_int_equal(call(&finding, *state, GOOD, 1, 1), WHET_REASON_NONE);
    assert_int_equal(call(&finding, *state, role, 0, 2), reason);
}

static void test_judge_verifier__good_calls_pass(void **state)
{
    whet_verify_finding first, again, other;

    assert_int_equal(call(&first, *state, GOOD, 0, 1), WHET_REASON_NONE);
    assert_true(first.worst == 0.0);
    assert_int_equal(call(&again, *state, GOOD, 1, 1), WHET_REASON_NONE);
    assert_int_equal(call(&other, *state, GOOD, 0, 2), WHET_REASON_NONE);
}

static void test_judge_verifier__zeros_mismatch(void **state)
{
    expect(state, ZEROS, WHET_REASON_MISMATCH);
}

static void test_judge_verifier__poison_tells_unwritten(void **state)
{
    expect(state, NOTHING, WHET_REASON_UNWRITTEN);
    expect(state, ONE_LEFT_OUT, WHET_REASON_UNWRITTEN);
}

static void test_judge_verifier__nan_is_told_from_poison(void **state)
{
    expect(state, NOT_A_NUMBER, WHET_REASON_NOT_FINITE);
}

static void test_judge_verifier__guards_see_single_bits(void **state)
{
    expect(state, BEFORE, WHET_REASON_GUARD);
    expect(state, BEHIND, WHET_REASON_GUARD);
    expect(state, SLOT_END, WHET_REASON_GUARD);
}

static void test_judge_verifier__stray_bits_show_at_the_next_fill(void **state)
{
    whet_verify_finding finding;

    assert_int_equal(call(&finding, *state, GOOD, 1, 1), WHET_REASON_NONE);
    assert_int_equal(call(&finding, *state, NEXT_SLOT, 0, 2), WHET_REASON_NONE);
    assert_int_equal(call(&finding, *state, GOOD, 1, 3), WHET_REASON_GUARD);
    /* A worker that is attached anew starts without a past. */
    attach(*state);
    assert_int_equal(call(&finding, *state, GOOD, 1, 4), WHET_REASON_NONE);
}

static void test_judge_verifier__inputs_see_single_bits(void **state)
{
    expect(state, CHANGE_INPUT, WHET_REASON_INPUT);
    expect(state, INPUT_AND_GUARD, WHET_REASON_GUARD);
}

static void test_judge_verifier__unmapped_memory_is_a_crash(void **state)
{
    whet_verify_finding finding;

    expect(state, UNMAP, WHET_REASON_CRASH);
    assert_int_equal(call(&finding, *state, GOOD, 1, 3), WHET_REASON_CRASH);
}

static void test_judge_verifier__gone_worker_is_a_crash(void **state)
{
    struct kit *k = *state;
    whet_verify_finding finding;

    kill(k->child, SIGKILL);
    assert_int_equal(waitpid(k->child, NULL, 0), k->child);
    assert_int_equal(call(&finding, k, GOOD, 0, 1), WHET_REASON_CRASH);
    start_child(k);
    attach(k);
    assert_int_equal(call(&finding, k, GOOD, 0, 2), WHET_REASON_NONE);
}

static void refuse(struct kit *k, const whet_verify_request *request)
{
    whet_verify_answer answer;
    whet_err err = {0};

    assert_int_equal(
        whet_judge__verifier_ask(&answer, &k->verifier, request, &err),
        WHET_EINVAL);
    assert_string_not_equal(err.msg, "");
}

static void test_judge_verifier__malformed_requests_are_refused(void **state)
{
    whet_verify_request bad[] = {{.type = 0},
                                 {.type = 99},
                                 {.type = WHET_VERIFY_FILL, .arm = 2},
                                 {.type = WHET_VERIFY_FILL, .slot = 8},
                                 {.type = WHET_VERIFY_CHECK, .arm_mask = 4},
                                 {.type = WHET_VERIFY_SHAPE}};
    whet_verify_finding finding;
    whet_verify_request request = {.type = WHET_VERIFY_SHAPE};
    whet_verify_answer answer;
    struct kit *k = *state;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuse(k, &bad[i]);
    /* A shape of zeros is none; afterwards one has to be told again. */
    bad[0].type = WHET_VERIFY_FILL;
    refuse(k, &bad[0]);
    request.workload = k->workload;
    ask(&answer, k, &request);
    assert_int_equal(call(&finding, k, GOOD, 0, 1), WHET_REASON_NONE);
}

static void test_judge_verifier__a_dead_verifier_is_reported(void **state)
{
    struct kit *k = *state;
    whet_verify_request request = {.type = WHET_VERIFY_SHAPE};
    whet_verify_answer answer;
    whet_err err = {0};

    signal(SIGPIPE, SIG_IGN);
    kill(k->verifier.pid, SIGKILL);
    usleep(20000);
    assert_int_equal(
        whet_judge__verifier_ask(&answer, &k->verifier, &request, &err),
        WHET_EFAIL);
    assert_non_null(strstr(err.msg, "was killed"));
    /* It is gone: to ask again is an error, not a wait. */
    assert_int_equal(
        whet_judge__verifier_ask(&answer, &k->verifier, &request, &err),
        WHET_EFAIL);
    assert_string_not_equal(err.msg, "");
}

/* Only the task's reference can do that to it. */
static void test_judge_verifier__a_crash_is_the_references(void **state)
{
    struct kit *k = *state;
    whet_verify_request request = {.type = WHET_VERIFY_SHAPE};
    whet_verify_answer answer;
    whet_err err = {0};

    signal(SIGPIPE, SIG_IGN);
    /* Of the signals of a crash the one that the test library leaves alone. */
    kill(k->verifier.pid, SIGABRT);
    assert_int_equal(
        whet_judge__verifier_ask(&answer, &k->verifier, &request, &err),
        WHET_EINVAL);
    assert_non_null(strstr(err.msg, "reference.c: ended by signal"));
}

static void test_judge_verifier__a_stage_is_checked_alike(void **state)
{
    whet_verify_finding first, again, other;

    assert_int_equal(call(&first, *state, GOOD, 0, 1), WHET_REASON_NONE);
    assert_true(first.worst == 0.0);
    assert_int_equal(call(&again, *state, GOOD, 1, 1), WHET_REASON_NONE);
    assert_int_equal(call(&other, *state, GOOD, 0, 2), WHET_REASON_NONE);
    expect(state, ZEROS, WHET_REASON_MISMATCH);
    expect(state, NOTHING, WHET_REASON_UNWRITTEN);
    expect(state, ONE_LEFT_OUT, WHET_REASON_UNWRITTEN);
    expect(state, NOT_A_NUMBER, WHET_REASON_NOT_FINITE);
    expect(state, BEFORE, WHET_REASON_GUARD);
    expect(state, BEHIND, WHET_REASON_GUARD);
    expect(state, SLOT_END, WHET_REASON_GUARD);
    expect(state, CHANGE_INPUT, WHET_REASON_INPUT);
    expect(state, INPUT_AND_GUARD, WHET_REASON_GUARD);
}

static whet_reason look_at_guards(struct kit *k, uint32_t slot)
{
    whet_verify_request request = {
        .type = WHET_VERIFY_GUARDS, .arm = 1, .slot = slot};
    whet_verify_answer answer;

    ask(&answer, k, &request);
    return (whet_reason)answer.arm[1].reason;
}

/* The test plays the device: it keeps a slot and brings it back. */
static void test_judge_verifier__guards_are_looked_at_later(void **state)
{
    struct kit *k = *state;
    char *kept = malloc(k->layout.slot_bytes);
    whet_verify_finding finding;
    whet_verify_request request = {
        .type = WHET_VERIFY_GUARDS, .arm = 1, .slot = 0};

    assert_non_null(kept);
    refuse(k, &request); /* never filled */
    assert_int_equal(call(&finding, k, GOOD, 0, 1), WHET_REASON_NONE);
    memcpy(kept, k->region, k->layout.slot_bytes);
    assert_int_equal(call(&finding, k, GOOD, 1, 2), WHET_REASON_NONE);
    assert_int_equal(look_at_guards(k, 0), WHET_REASON_GUARD);
    memcpy(k->region, kept, k->layout.slot_bytes);
    assert_int_equal(look_at_guards(k, 0), WHET_REASON_NONE);
    k->region[k->layout.buffers[1].offset - 1] ^= 4;
    assert_int_equal(look_at_guards(k, 0), WHET_REASON_GUARD);
    /* What lies in the stage now is not the outputs that were sealed. */
    request.type = WHET_VERIFY_CHECK;
    request.arm_mask = 2;
    refuse(k, &request);
    free(kept);
}

/* A worker with a larger slot is attached: the stage is mapped anew. */
static void test_judge_verifier__a_stage_may_grow(void **state)
{
    struct kit *k = *state;
    whet_layout_buffer *last = &k->layout.buffers[1];
    whet_verify_finding finding;
    uint64_t more = k->layout.slot_bytes;

    k->layout.slot_bytes += more;
    last->guard_after += more;
    attach(k);
    assert_int_equal(call(&finding, k, GOOD, 0, 1), WHET_REASON_NONE);
    k->region[k->layout.slot_bytes - 1] ^= 1;
    assert_int_equal(look_at_guards(k, 0), WHET_REASON_GUARD);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#define STAGE_TEST(name)                                                       \
    cmocka_unit_test_setup_teardown(name, set_up_stage, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_judge_verifier__good_calls_pass),
        TEST(test_judge_verifier__zeros_mismatch),
        TEST(test_judge_verifier__poison_tells_unwritten),
        TEST(test_judge_verifier__nan_is_told_from_poison),
        TEST(test_judge_verifier__guards_see_single_bits),
        TEST(test_judge_verifier__stray_bits_show_at_the_next_fill),
        TEST(test_judge_verifier__inputs_see_single_bits),
        TEST(test_judge_verifier__unmapped_memory_is_a_crash),
        TEST(test_judge_verifier__gone_worker_is_a_crash),
        TEST(test_judge_verifier__malformed_requests_are_refused),
        TEST(test_judge_verifier__a_dead_verifier_is_reported),
        TEST(test_judge_verifier__a_crash_is_the_references),
        STAGE_TEST(test_judge_verifier__a_stage_is_checked_alike),
        STAGE_TEST(test_judge_verifier__guards_are_looked_at_later),
        STAGE_TEST(test_judge_verifier__a_stage_may_grow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
