/* Arms: a candidate at a point, built and bound to the session's workload. */

#include "judge/judge_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refuse(whet_verdict *out, whet_reason reason, const char *text)
{
    whet_call call = {.reason = reason};

    whet_strcopy(call.text, sizeof call.text, text);
    whet_judge__blame(out, &call, NULL);
}

static whet_reason diagnostic_reason(whet_diagnostic_kind kind)
{
    switch (kind) {
    case WHET_DIAGNOSTIC_TIMEOUT:
        return WHET_REASON_BUILD_TIMEOUT;
    case WHET_DIAGNOSTIC_CRASH:
        return WHET_REASON_BUILD_CRASH;
    case WHET_DIAGNOSTIC_LIMIT:
        return WHET_REASON_BUILD_LIMIT;
    default:
        return WHET_REASON_COMPILE;
    }
}

static void refuse_build(whet_verdict *out, const whet_diagnostic *diagnostic)
{
    char text[200];

    out->diagnostic = *diagnostic;
    if (diagnostic->line > 0)
        snprintf(text, sizeof text, "line %u: %.160s", diagnostic->line,
                 diagnostic->text);
    else
        snprintf(text, sizeof text, "%.190s", diagnostic->text);
    text[strcspn(text, "\n")] = '\0';
    refuse(out, diagnostic_reason(diagnostic->kind), text);
}

void whet_judge__request(whet_judge_request *out, const whet_arm *arm)
{
    const whet_judge *judge = arm->judge;
    unsigned i,
        count = whet_candidate_defines(out->text, arm->candidate, &arm->point);

    for (i = 0; i < count; i++)
        out->defines[i] = out->text[i];
    out->defines[count] = NULL;
    out->build = (whet_build_request){
        .source = arm->candidate->source,
        .source_bytes = arm->candidate->source_bytes,
        .language = arm->candidate->language,
        .defines = out->defines,
        .options = judge->toolchain->options(false),
        .arch = judge->opts.device->facts.arch,
        .device_index = judge->opts.device->facts.index,
        .timeout_ns = judge->opts.build_timeout_ns,
        .sandbox = &judge->sandbox,
        .is_unsafe = judge->opts.is_unsafe || judge->has_open_builds};
}

static whet_status build(whet_arm *arm, whet_verdict *out, whet_err *err)
{
    const whet_judge *judge = arm->judge;
    whet_diagnostic *diagnostic = &out->diagnostic;
    whet_judge_request request;
    whet_status st;

    whet_judge__request(&request, arm);
    st = whet_toolchain_build(&arm->image, diagnostic, NULL, judge->toolchain,
                              judge->identity, &request.build, err);
    if (st == WHET_OK && diagnostic->kind != WHET_DIAGNOSTIC_NONE) {
        whet_diagnostic copy = *diagnostic;

        refuse_build(out, &copy);
    }
    return st;
}

static bool arg_fits(uint32_t image_arg, uint32_t kind)
{
    switch (image_arg) {
    case WHET_IMAGE_ARG_GLOBAL:
        return kind == WHET_ARG_BUFFER;
    case WHET_IMAGE_ARG_LOCAL:
        return kind == WHET_ARG_SHARED;
    case WHET_IMAGE_ARG_I32:
        return kind == WHET_ARG_I32;
    case WHET_IMAGE_ARG_I64:
        return kind == WHET_ARG_I64;
    case WHET_IMAGE_ARG_F32:
        return kind == WHET_ARG_F32;
    case WHET_IMAGE_ARG_F64:
        return kind == WHET_ARG_F64;
    default:
        return true;
    }
}

/* The worker's driver reads as many bytes as the kernel declares, so that a
 * longer argument would show the kernel what lies behind ours. */
static bool size_fits(uint32_t image_bytes, uint32_t kind)
{
    static const uint32_t bytes[] = {8, 4, 8, 4, 8};

    return image_bytes == 0 || kind >= sizeof bytes / sizeof bytes[0] ||
           image_bytes == bytes[kind];
}

/* Count, types and sizes of the plan's arguments against what the image tells.
 */
static void check_arguments(whet_verdict *out, const whet_kernel_facts *facts,
                            const whet_bound_launch *launch)
{
    static const char *const passes[] = {"a buffer", "int",    "long",
                                         "float",    "double", "local memory"};
    static const char *const takes[] = {"something else",
                                        "a global pointer",
                                        "a local pointer",
                                        "int",
                                        "long",
                                        "float",
                                        "double"};
    char text[200];
    uint32_t a;

    if (facts->arg_count != UINT32_MAX &&
        facts->arg_count != launch->arg_count) {
        snprintf(text, sizeof text,
                 "kernel %.64s takes %u arguments, the plan passes %u",
                 launch->kernel, facts->arg_count, launch->arg_count);
        refuse(out, WHET_REASON_ARGUMENTS, text);
        return;
    }
    for (a = 0; a < launch->arg_count && a < WHET_KERNEL_ARG_MAX; a++)
        if (!arg_fits(facts->args[a], launch->args[a].kind)) {
            snprintf(text, sizeof text,
                     "kernel %.64s: argument %u (of %u) takes %s, the plan "
                     "passes %s",
                     launch->kernel, a + 1, launch->arg_count,
                     takes[facts->args[a]], passes[launch->args[a].kind]);
            refuse(out, WHET_REASON_ARGUMENTS, text);
            return;
        } else if (!size_fits(facts->arg_bytes[a], launch->args[a].kind)) {
            snprintf(text, sizeof text,
                     "kernel %.64s: argument %u (of %u) takes %s%u bytes, the "
                     "plan passes %s",
                     launch->kernel, a + 1, launch->arg_count,
                     facts->arg_bytes[a] == UINT8_MAX ? "at least " : "",
                     facts->arg_bytes[a], passes[launch->args[a].kind]);
            refuse(out, WHET_REASON_ARGUMENTS, text);
            return;
        }
}

static void check_launch(whet_verdict *out, const whet_image *image,
                         const whet_bound_launch *launch,
                         const whet_limits *limits)
{
    const whet_kernel_facts *facts = whet_image_kernel(image, launch->kernel);
    uint64_t items = launch->block[0] * launch->block[1] * launch->block[2];
    char text[200];

    if (facts == NULL) {
        if (image->kernel_count > 0) {
            snprintf(text, sizeof text, "the image has no kernel %.64s",
                     launch->kernel);
            refuse(out, WHET_REASON_NO_KERNEL, text);
        }
        return;
    }
    check_arguments(out, facts, launch);
    if (out->reason != WHET_REASON_NONE)
        return;
    if (facts->group_items_max > 0 && items > facts->group_items_max) {
        snprintf(text, sizeof text,
                 "kernel %.64s: %llu work-items a group, it was built for %llu",
                 launch->kernel, (unsigned long long)items,
                 (unsigned long long)facts->group_items_max);
        refuse(out, WHET_REASON_PLAN_LIMIT, text);
    } else if (facts->wave_size > 0 && limits->wave_size > 0 &&
               facts->wave_size != limits->wave_size) {
        snprintf(text, sizeof text,
                 "kernel %.64s: built for waves of %u, the device has %u",
                 launch->kernel, facts->wave_size, limits->wave_size);
        refuse(out, WHET_REASON_PLAN_LIMIT, text);
    } else if (limits->lds_bytes > 0 &&
               facts->lds_bytes + launch->shared_bytes > limits->lds_bytes) {
        snprintf(text, sizeof text,
                 "kernel %.64s: %llu bytes of LDS, the device has %llu",
                 launch->kernel,
                 (unsigned long long)(facts->lds_bytes + launch->shared_bytes),
                 (unsigned long long)limits->lds_bytes);
        refuse(out, WHET_REASON_PLAN_LIMIT, text);
    }
}

static whet_status bind(whet_arm *arm, whet_verdict *out, whet_err *err)
{
    const whet_judge *judge = arm->judge;
    whet_err why = {0};
    whet_status st = whet_candidate_bind(
        &arm->plan, arm->candidate, &arm->point, judge->task,
        &judge->opts.workload, &judge->opts.device->facts.limits, &why);

    if (st == WHET_EINVAL)
        refuse(out, WHET_REASON_CONSTRAINT, why.msg);
    else if (st == WHET_EUNSUPPORTED)
        refuse(out, WHET_REASON_PLAN_LIMIT, why.msg);
    else if (st != WHET_OK)
        return whet_err_set(err, st, "%s", why.msg);
    return WHET_OK;
}

static whet_status build_replay(whet_arm *arm, whet_verdict *out, whet_err *err)
{
    const whet_judge *judge = arm->judge;
    whet_diagnostic diagnostic = {WHET_DIAGNOSTIC_NONE, 0, 0, ""};
    bool accepted = false;
    whet_status st = judge->ops->replay_build(&accepted, &diagnostic,
                                              judge->opts.device->device,
                                              &arm->hash, arm->point_text, err);

    if (st == WHET_ENOTFOUND) {
        refuse(out, WHET_REASON_NOT_RECORDED, err ? err->msg : "");
        return WHET_OK;
    }
    if (st == WHET_OK && !accepted) {
        if (diagnostic.kind == WHET_DIAGNOSTIC_NONE)
            diagnostic.kind = WHET_DIAGNOSTIC_ERROR;
        refuse_build(out, &diagnostic);
    }
    return st;
}

static whet_status open_live(whet_arm *arm, whet_verdict *out,
                             bool is_reference, whet_err *err)
{
    const whet_judge *judge = arm->judge;
    whet_status st;
    uint32_t i;

    if (!whet_toolchain_accepts(judge->toolchain, arm->candidate->language)) {
        char text[200];

        snprintf(text, sizeof text,
                 "language %.40s is not what toolchain %s compiles",
                 arm->candidate->language, judge->toolchain->name);
        refuse(out, WHET_REASON_COMPILE, text);
        return WHET_OK;
    }
    if (!is_reference)
        whet_judge__failures_ask(out, arm, WHET_FAILURE_SOURCE);
    if (!is_reference)
        whet_judge__failures_ask(out, arm, WHET_FAILURE_TEXT);
    if (out->reason != WHET_REASON_NONE)
        return WHET_OK;
    st = build(arm, out, err);
    if (st != WHET_OK || out->reason != WHET_REASON_NONE)
        return st;
    out->image = arm->image.hash;
    if (!is_reference)
        whet_judge__failures_ask(out, arm, WHET_FAILURE_IMAGE);
    if (out->reason != WHET_REASON_NONE)
        return WHET_OK;
    whet_judge__resources(out, arm);
    for (i = 0; i < arm->plan.launch_count && out->reason == WHET_REASON_NONE;
         i++)
        check_launch(out, &arm->image, &arm->plan.launches[i],
                     &judge->opts.device->facts.limits);
    return WHET_OK;
}

static whet_status open_arm(whet_arm **out, whet_verdict *refusal,
                            whet_judge *judge, const whet_candidate *candidate,
                            const whet_point *point, bool is_reference,
                            whet_err *err)
{
    whet_arm *arm = calloc(1, sizeof *arm);
    uint64_t begin_ns = whet_clock_now(&judge->clock);
    whet_status st;

    *out = NULL;
    memset(refusal, 0, sizeof *refusal);
    if (arm == NULL)
        return whet_err_set(err, WHET_ENOMEM, "out of memory");
    arm->judge = judge;
    arm->candidate = candidate;
    arm->point = *point;
    arm->hash = whet_candidate_hash(candidate, point);
    whet_point_format(arm->point_text, sizeof arm->point_text, candidate,
                      point);
    whet_judge__verdict_init(refusal, judge, arm->point_text, &arm->hash);
    st = bind(arm, refusal, err);
    if (st == WHET_OK && refusal->reason == WHET_REASON_NONE)
        st = judge->ops->caps & WHET_DEVICE_CAP_REPLAY
                 ? build_replay(arm, refusal, err)
                 : open_live(arm, refusal, is_reference, err);
    refusal->spend.build_ns = whet_clock_now(&judge->clock) - begin_ns;
    refusal->spend.wall_ns = refusal->spend.build_ns;
    if (st == WHET_OK && refusal->reason == WHET_REASON_NONE) {
        *out = arm;
        arm = NULL;
    }
    whet_arm_close(arm);
    return st;
}

whet_status whet_arm_open(whet_arm **out, whet_verdict *refusal,
                          whet_judge *judge, const whet_candidate *candidate,
                          const whet_point *point, whet_err *err)
{
    return open_arm(out, refusal, judge, candidate, point, false, err);
}

whet_status whet_arm_open_reference(whet_arm **out, whet_verdict *refusal,
                                    whet_judge *judge,
                                    const whet_candidate *candidate,
                                    const whet_point *point, whet_err *err)
{
    return open_arm(out, refusal, judge, candidate, point, true, err);
}

void whet_arm_park(whet_arm *arm)
{
    whet_judge__worker_stop(&arm->worker);
}

void whet_arm_close(whet_arm *arm)
{
    if (arm == NULL)
        return;
    whet_arm_park(arm);
    whet_image_deinit(&arm->image);
    free(arm);
}

uint64_t whet_arm_best_ns(const whet_arm *arm)
{
    return arm->best_ns;
}
