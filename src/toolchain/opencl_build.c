/* The OpenCL toolchain: compiles in a child of our own program, inside the
 * sandbox, with the system's driver. Every byte of the child's answer is
 * hostile once it has said that it is ready. */

#include "toolchain/opencl.h"
#include "toolchain/toolchain_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_BYTES_MAX = WHET_IMAGE_BYTES_MAX + (1 << 20),
    SIGNAL_STATUS = 128, /* what bubblewrap adds to a signal's number */
    IDENTITY_BYTES = 256
};

static const char *const languages[] = {"opencl", "portable", NULL};

static const char *const strict_options[] = {"-cl-std=CL1.2",
                                             "-cl-kernel-arg-info", NULL};

/* Not -cl-fast-relaxed-math: it lets a compiler assume that no NaN and no
 * infinity occurs, and the judge's poison is made of NaN. */
static const char *const relaxed_options[] = {
    "-cl-std=CL1.2", "-cl-kernel-arg-info", "-cl-unsafe-math-optimizations",
    NULL};

static const char *const *options_for(bool allows_relaxed_maths)
{
    return allows_relaxed_maths ? relaxed_options : strict_options;
}

static whet_status identify(char text[256], uint32_t device_index,
                            whet_err *err)
{
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count = 0;
    char *dialect = NULL;
    size_t dialect_bytes = 0;
    whet_hash hash;
    whet_status st = whet_opencl_list(infos, &count, err);

    text[0] = '\0';
    if (st != WHET_OK)
        return st;
    if (device_index >= count)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "OpenCL: no device %u, there are %u", device_index,
                            count);
    st = whet_toolchain_dialect(&dialect, &dialect_bytes, err);
    if (st != WHET_OK)
        return st;
    hash = whet_hash_bytes(dialect, dialect_bytes);
    free(dialect);
    /* The hash first, so that a long version cannot cut it off. */
    snprintf(text, IDENTITY_BYTES, "dialect %.16s; driver %.60s; %s", hash.text,
             infos[device_index].driver, infos[device_index].platform_version);
    return WHET_OK;
}

/* One build option; the driver splits the whole at blanks. */
static whet_status add_option(whet_buf *out, const char *option, whet_err *err)
{
    size_t i;

    for (i = 0; option[i] != '\0'; i++)
        if (option[i] <= ' ' || option[i] > '~' || option[i] == '"' ||
            option[i] == '\'' || option[i] == '\\')
            return whet_err_set(err, WHET_EINVAL,
                                "OpenCL: build option \"%s\" has a blank, "
                                "quote or control byte",
                                option);
    if (out->bytes > 0)
        whet_buf_puts(out, " ");
    whet_buf_puts(out, option);
    return WHET_OK;
}

/* The whole of what the child reads. */
static whet_status compose(whet_buf *job, const whet_build_request *request,
                           whet_err *err)
{
    static const char place[] = "\n#line 1 \"" WHET_TOOLCHAIN__FILE "\"\n";
    whet_opencl__job head = {.magic = {0}};
    whet_buf options = {0};
    char *dialect = NULL;
    size_t dialect_bytes = 0;
    whet_status st = whet_toolchain_dialect(&dialect, &dialect_bytes, err);
    size_t i;

    for (i = 0; st == WHET_OK && request->options[i] != NULL; i++)
        st = add_option(&options, request->options[i], err);
    for (i = 0; st == WHET_OK && request->defines[i] != NULL; i++)
        st = add_option(&options, request->defines[i], err);
    if (st != WHET_OK)
        goto out;
    head.options_bytes = options.bytes;
    head.source_bytes =
        dialect_bytes + sizeof place - 1 + request->source_bytes;
    if (head.options_bytes > WHET_OPENCL__OPTIONS_BYTES_MAX ||
        head.source_bytes > WHET_OPENCL__SOURCE_BYTES_MAX) {
        st = whet_err_set(err, WHET_EINVAL,
                          "OpenCL: %zu bytes of source, at most %d",
                          request->source_bytes, WHET_OPENCL__SOURCE_BYTES_MAX);
        goto out;
    }
    memcpy(head.magic, WHET_OPENCL__JOB_MAGIC, sizeof head.magic);
    whet_buf_add(job, &head, sizeof head);
    whet_buf_add(job, options.data, options.bytes);
    whet_buf_add(job, dialect, dialect_bytes);
    whet_buf_puts(job, place);
    whet_buf_add(job, request->source, request->source_bytes);
    if (job->failed || options.failed)
        st = whet_err_set(err, WHET_ENOMEM, "OpenCL: out of memory");
out:
    whet_buf_deinit(&options);
    free(dialect);
    return st;
}

static void diagnose(whet_diagnostic *out, whet_diagnostic_kind kind,
                     const char *text)
{
    whet_toolchain__diagnose(out, kind, text, strlen(text));
}

/* The child never became ready: no candidate was involved. */
static whet_status explain_start(const whet_process_result *result,
                                 whet_err *err)
{
    char how[96];
    char line[256];

    whet_toolchain__first_line(line, sizeof line, &result->err);
    if (result->kind == WHET_EXIT_CODE &&
        result->code == WHET_TOOLCHAIN__CHILD_UNUSABLE && line[0] != '\0')
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s", line);
    whet_exit_describe(how, sizeof how, result->kind, result->code);
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "OpenCL: the build process cannot start: %s%s%s", how,
                        line[0] != '\0' ? ": " : "", line);
}

/* It was ready and then did not end well. */
static void diagnose_crash(whet_diagnostic *out,
                           const whet_process_result *result)
{
    char how[96];
    char line[256];
    char text[400];
    int code = result->code;
    whet_exit_kind kind = result->kind;

    if (kind == WHET_EXIT_CODE && code > SIGNAL_STATUS &&
        code < SIGNAL_STATUS + 65) {
        kind = WHET_EXIT_SIGNAL;
        code -= SIGNAL_STATUS;
    }
    whet_exit_describe(how, sizeof how, kind, code);
    whet_toolchain__first_line(line, sizeof line, &result->err);
    snprintf(text, sizeof text, "the compiler died: %s%s%s", how,
             line[0] != '\0' ? ": " : "", line);
    diagnose(out, WHET_DIAGNOSTIC_CRASH, text);
}

static void read_answer(whet_image *image, whet_diagnostic *diagnostic,
                        const whet_process_result *result)
{
    const char *data = result->out.data + 2;
    size_t bytes = result->out.bytes - 2;
    whet_err err = {0};

    switch (result->out.data[1]) {
    case WHET_OPENCL__REFUSED:
        whet_toolchain__diagnose(diagnostic, WHET_DIAGNOSTIC_ERROR, data,
                                 bytes);
        break;
    case WHET_OPENCL__LIMIT:
        whet_toolchain__diagnose(diagnostic, WHET_DIAGNOSTIC_LIMIT, data,
                                 bytes);
        break;
    case WHET_OPENCL__IMAGE:
        if (whet_image_decode(image, data, bytes, &err) != WHET_OK)
            diagnose(diagnostic, WHET_DIAGNOSTIC_CRASH, err.msg);
        break;
    default:
        diagnose(diagnostic, WHET_DIAGNOSTIC_CRASH,
                 "the compiler's answer is malformed");
    }
}

static whet_status judge_run(whet_image *image, whet_diagnostic *diagnostic,
                             const whet_process_result *result, whet_err *err)
{
    if (result->out.bytes == 0 || result->out.data[0] != WHET_OPENCL__READY)
        return explain_start(result, err);
    if (result->kind == WHET_EXIT_TIMEOUT)
        diagnose(diagnostic, WHET_DIAGNOSTIC_TIMEOUT,
                 "the compiler outran its deadline");
    else if (result->out_cut)
        diagnose(diagnostic, WHET_DIAGNOSTIC_LIMIT,
                 "the compiler wrote more than the largest image");
    else if (result->kind != WHET_EXIT_CODE || result->code != 0 ||
             result->out.bytes < 2)
        diagnose_crash(diagnostic, result);
    else
        read_answer(image, diagnostic, result);
    return WHET_OK;
}

static whet_status build(whet_image *image, whet_diagnostic *diagnostic,
                         const whet_build_request *request, whet_err *err)
{
    char index[16];
    const char *const words[] = {"opencl", "compile", index,
                                 request->is_unsafe ? "unsealed" : "sealed",
                                 NULL};
    whet_toolchain_run run = {.words = words,
                              .env = whet_opencl_env,
                              .binds = whet_opencl_binds,
                              .bind_count = WHET_OPENCL_BIND_COUNT,
                              .stdout_max_bytes = ANSWER_BYTES_MAX,
                              .timeout_ns = request->timeout_ns};
    whet_process_result result = {0};
    whet_buf job = {0};
    whet_status st;

    memset(image, 0, sizeof *image);
    memset(diagnostic, 0, sizeof *diagnostic);
    snprintf(index, sizeof index, "%u", request->device_index);
    if (!request->is_unsafe && request->sandbox == NULL) {
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "OpenCL: no sandbox was given to build in");
        goto out;
    }
    if ((st = compose(&job, request, err)) != WHET_OK)
        goto out;
    run.sandbox = request->is_unsafe ? NULL : request->sandbox;
    run.stdin_data = job.data;
    run.stdin_bytes = job.bytes;
    if ((st = whet_toolchain__run(&result, &run, err)) == WHET_OK)
        st = judge_run(image, diagnostic, &result, err);
out:
    whet_process_result_deinit(&result);
    whet_buf_deinit(&job);
    return st;
}

static int child_main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "list") == 0)
        return whet_opencl__list_main();
    if (argc >= 2 && strcmp(argv[1], "compile") == 0)
        return whet_opencl__compile_main(argc - 2, argv + 2);
    fprintf(stderr, "opencl: expected list or compile\n");
    return 2;
}

const whet_toolchain_ops whet_toolchain_opencl = {
    .name = "opencl",
    .summary = "OpenCL C with the system's OpenCL driver",
    .languages = languages,
    .identify = identify,
    .options = options_for,
    .build = build,
    .child_main = child_main,
};
