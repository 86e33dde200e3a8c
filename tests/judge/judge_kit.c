/* See judge_kit.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge_kit.h"

#include <stdlib.h>
#include <string.h>

static const char source[] =
    "/* whet:\n"
    "launches:\n"
    "  - kernel: gemm\n"
    "    grid: [\"ceil_div(N, 16)\", \"ceil_div(M, 16)\"]\n"
    "    block: [16, 16]\n"
    "    args: [A, B, C, M, N, K]\n"
    "tunables: {SPEED: [1, 2, 3, 4]}\n"
    "constraints: [\"SPEED != 3\", \"SPEED == 1 or M != 13\"]\n"
    "*/\n"
    "__kernel void gemm(void) {}\n";

whet_task *kit_task(const char *name)
{
    whet_task *task = NULL;
    whet_err err = {0};
    char *dir = whet_asprintf("%s/tasks/%s", getenv("WHET_DATA_DIR"), name);

    assert_non_null(dir);
    if (whet_task_load(&task, dir, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    free(dir);
    return task;
}

static void open_device(whet_device_handle *out, const char *script)
{
    whet_err err = {0};
    char *dir = NULL, *path, *name;
    whet_status st;

    assert_int_equal(whet_fs_tempdir(&dir, "whet-test", &err), WHET_OK);
    path = whet_fs_join(dir, "script.json");
    assert_int_equal(whet_fs_write(path, script, strlen(script), &err),
                     WHET_OK);
    name = whet_asprintf("null:%s", path);
    st = whet_device_open(out, name, &err);
    whet_fs_remove_tree(dir);
    free(name);
    free(path);
    free(dir);
    if (st != WHET_OK)
        fail_msg("%s", err.msg);
}

whet_arm *kit_open_arm(whet_verdict *refusal, kit_session *session, int speed)
{
    whet_point point = {.value = {speed}};
    whet_arm *arm = NULL;
    whet_err err = {0};

    if (whet_arm_open(&arm, refusal, session->judge, session->candidate, &point,
                      &err) != WHET_OK)
        fail_msg("%s", err.msg);
    return arm;
}

kit_session *kit_open_session(const char *script)
{
    kit_session *s = calloc(1, sizeof *s);
    whet_judge_opts opts = {0};
    whet_err err = {0};
    int i;

    assert_non_null(s);
    s->task = kit_task("gemm");
    open_device(&s->device, script);
    if (whet_candidate_parse(&s->candidate, source, sizeof source - 1, "kit.cl",
                             NULL, s->task, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    opts.device = &s->device;
    opts.task = s->task;
    assert_int_equal(
        whet_task_workload(&opts.workload, s->task, "M=8,N=8,K=8", &err),
        WHET_OK);
    if (whet_judge_open(&s->judge, &opts, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    for (i = 0; i < 2; i++) {
        whet_verdict refusal;

        s->arms[i] = kit_open_arm(&refusal, s, i + 1);
        assert_non_null(s->arms[i]);
        whet_verdict_deinit(&refusal);
    }
    return s;
}

void kit_close_session(kit_session *session)
{
    whet_arm_close(session->arms[0]);
    whet_arm_close(session->arms[1]);
    whet_judge_close(session->judge);
    whet_candidate_free(session->candidate);
    whet_device_close(&session->device);
    whet_task_free(session->task);
    free(session);
}

static whet_timing timing(uint64_t first_ns)
{
    whet_timing t = {.call_count = 3,
                     .total_ns = 3 * first_ns + 3,
                     .median_ns = first_ns + 1,
                     .p5_ns = first_ns,
                     .p95_ns = first_ns + 2};
    uint32_t i;

    t.call_ns = calloc(3, sizeof *t.call_ns);
    t.block_index = calloc(3, sizeof *t.block_index);
    assert_true(t.call_ns != NULL && t.block_index != NULL);
    for (i = 0; i < 3; i++) {
        t.call_ns[i] = first_ns + i;
        t.block_index[i] = i / 2;
    }
    return t;
}

whet_verdict kit_verdict(void)
{
    whet_verdict v = {
        .outcome = WHET_OUTCOME_CORRECT,
        .message = "said \\x1b plainly",
        .protocol = "confirm",
        .task = "gemm",
        .workload = "M=8 N=8 K=8",
        .point = "SPEED=2",
        .task_hash = whet_hash_bytes("t", 1),
        .candidate = whet_hash_bytes("c", 1),
        .reference = whet_hash_bytes("r", 1),
        .image = whet_hash_bytes("i", 1),
        .toolchain = "a compiler",
        .device = {.backend = "null",
                   .index = 3,
                   .name = "a device",
                   .arch = "none",
                   .driver = "driver 1",
                   .pci = "0000:01:00.0",
                   .id = "abc"},
        .evidence = WHET_EVIDENCE_SCRIPTED,
        .verified_calls = 17,
        .shapes_verified = 2,
        .shapes_uncovered = 1,
        .worst_error = 0.1,
        .has_ratio = true,
        .ratio = 2.0,
        .ratio_lo = 1.0 / 3.0,
        .ratio_hi = 7.0 / 3.0,
        .ratio_error = 0.25,
        .tried = 40,
        .block_count = 2,
        .total_ratio = 1.9,
        .is_gain = true,
        .aa_error = 0.001,
        .limit_ns = 50,
        .floor_ns = 5,
        .launch_ns = 7,
        .spend = {100, 20, 30, 40, 10},
        .is_unsafe = true,
        .kernels = {{.name = "first",
                     .register_count = 96,
                     .accumulator_count = 32,
                     .spill_bytes = 8,
                     .private_bytes = 16,
                     .lds_bytes = 4096,
                     .group_items = 256,
                     .occupancy = {2, 8, 2, "registers", true}},
                    {.name = "second", .group_items = 64}},
        .kernel_count = 2,
        .diagnostic = {WHET_DIAGNOSTIC_ERROR, 4, 5, "first\nsecond"}};

    v.device.evidence = v.evidence;
    v.device.is_exclusive = WHET_KNOWN_YES;
    v.candidate_time = timing(100);
    v.reference_time = timing(200);
    return v;
}
