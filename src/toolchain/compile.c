/* The parent's side of compilers that leave an ELF image: hand the job to a
 * child in the sandbox, and make of its answer an image or a diagnostic. From
 * READY on every byte of the answer is hostile. */

#include "toolchain/compilers_priv.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIGNAL_STATUS = 128, /* what bubblewrap adds to a signal's number */
    CHILD_WORD_MAX = 4
};

static void diagnose(whet_diagnostic *out, whet_diagnostic_kind kind,
                     const char *text)
{
    whet_toolchain__diagnose(out, kind, text, strlen(text));
}

static whet_status compose(whet_buf *job, const whet_compile *what,
                           whet_err *err)
{
    whet_compile__job head = {.header_bytes = what->header_bytes,
                              .source_bytes = what->source_bytes,
                              .output_max_bytes = what->output_max_bytes};
    whet_buf words = {0};
    whet_status st = WHET_OK;
    size_t i;

    whet_buf_add(&words, what->source_name, strlen(what->source_name) + 1);
    whet_buf_add(&words, what->output_name, strlen(what->output_name) + 1);
    for (i = 0; what->argv[i] != NULL; i++)
        whet_buf_add(&words, what->argv[i], strlen(what->argv[i]) + 1);
    head.words_bytes = words.bytes;
    if (words.bytes > WHET_COMPILE__WORDS_BYTES_MAX ||
        what->source_bytes > WHET_COMPILE__SOURCE_BYTES_MAX) {
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: %zu bytes of source and %zu of flags, at most "
                          "%d and %d",
                          what->name, what->source_bytes, words.bytes,
                          WHET_COMPILE__SOURCE_BYTES_MAX,
                          WHET_COMPILE__WORDS_BYTES_MAX);
        goto out;
    }
    memcpy(head.magic, WHET_COMPILE__JOB_MAGIC, sizeof head.magic);
    whet_buf_add(job, &head, sizeof head);
    whet_buf_add(job, words.data, words.bytes);
    whet_buf_add(job, what->header, what->header_bytes);
    whet_buf_add(job, what->source, what->source_bytes);
    if (job->failed || words.failed)
        st = whet_err_set(err, WHET_ENOMEM, "%s: out of memory", what->name);
out:
    whet_buf_deinit(&words);
    return st;
}

/* The child never became ready: no candidate was involved. */
static whet_status explain_start(const whet_process_result *run,
                                 const char *name, whet_err *err)
{
    char how[96];
    char line[256];

    whet_toolchain__first_line(line, sizeof line, &run->err);
    if (run->kind == WHET_EXIT_CODE &&
        run->code == WHET_TOOLCHAIN__CHILD_UNUSABLE && line[0] != '\0')
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s: %s", name, line);
    whet_exit_describe(how, sizeof how, run->kind, run->code);
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "%s: the build process cannot start: %s%s%s", name, how,
                        line[0] != '\0' ? ": " : "", line);
}

/* With the last words, which say more than the way it died. */
static void diagnose_death(whet_diagnostic *out, whet_exit_kind kind, int code,
                           const char *log, size_t log_bytes)
{
    char how[96];
    char *text;

    if (kind == WHET_EXIT_CODE && code > SIGNAL_STATUS &&
        code < SIGNAL_STATUS + 65) {
        kind = WHET_EXIT_SIGNAL;
        code -= SIGNAL_STATUS;
    }
    whet_exit_describe(how, sizeof how, kind, code);
    if (log_bytes > 0)
        whet_toolchain__diagnose(out, WHET_DIAGNOSTIC_CRASH, log, log_bytes);
    text = whet_asprintf("the compiler died: %s\n%s", how,
                         log_bytes > 0 ? out->text : "");
    diagnose(out, WHET_DIAGNOSTIC_CRASH,
             text != NULL ? text : "the compiler died");
    free(text);
}

/* Drivers report the death of a program they run as an error of their own. */
static bool tells_of_death(const char *log, size_t bytes)
{
    static const char *const marks[] = {
        "died due to signal",        /* nvcc */
        "unable to execute command", /* clang */
        "PLEASE submit a bug report" /* clang */
    };
    size_t i;

    for (i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (bytes > 0 && memmem(log, bytes, marks[i], strlen(marks[i])) != NULL)
            return true;
    return false;
}

bool whet_compile__split(whet_compile__answer *answer,
                         whet_compile_result *result, size_t output_max_bytes)
{
    const whet_buf *out = &result->run.out;
    size_t rest = out->bytes - 1;

    if (rest < sizeof *answer)
        return false;
    memcpy(answer, out->data + 1, sizeof *answer);
    rest -= sizeof *answer;
    if (answer->log_bytes > WHET_COMPILE__LOG_BYTES_MAX ||
        answer->output_bytes > output_max_bytes ||
        answer->log_bytes + answer->output_bytes != rest)
        return false;
    result->log = out->data + 1 + sizeof *answer;
    result->log_bytes = (size_t)answer->log_bytes;
    result->output = result->log + answer->log_bytes;
    result->output_bytes = (size_t)answer->output_bytes;
    return true;
}

static void judge_answer(whet_diagnostic *out, const whet_compile__answer *got,
                         const whet_compile_result *result)
{
    if (got->kind != WHET_EXIT_CODE)
        diagnose_death(out, WHET_EXIT_SIGNAL, got->code, result->log,
                       result->log_bytes);
    else if (got->code != 0 && tells_of_death(result->log, result->log_bytes))
        diagnose_death(out, WHET_EXIT_CODE, got->code, result->log,
                       result->log_bytes);
    else if (got->code != 0)
        whet_toolchain__diagnose(out, WHET_DIAGNOSTIC_ERROR, result->log,
                                 result->log_bytes);
    else if (got->is_too_large != 0)
        diagnose(out, WHET_DIAGNOSTIC_LIMIT,
                 "the compiler wrote more than the largest image");
    else if (got->has_output == 0 || got->output_bytes == 0)
        diagnose(out, WHET_DIAGNOSTIC_CRASH,
                 "the compiler ended well but wrote nothing");
}

static whet_status judge_run(whet_compile_result *result,
                             whet_diagnostic *diagnostic,
                             const whet_compile *what, whet_err *err)
{
    const whet_process_result *run = &result->run;
    whet_compile__answer answer;

    if (run->out.bytes == 0 || run->out.data[0] != WHET_COMPILE__READY)
        return explain_start(run, what->name, err);
    if (run->kind == WHET_EXIT_TIMEOUT)
        diagnose(diagnostic, WHET_DIAGNOSTIC_TIMEOUT,
                 "the compiler outran its deadline");
    else if (run->out_cut)
        diagnose(diagnostic, WHET_DIAGNOSTIC_LIMIT,
                 "the compiler wrote more than the largest image");
    else if (run->kind != WHET_EXIT_CODE || run->code != 0)
        diagnose_death(diagnostic, run->kind, run->code, "", 0);
    else if (!whet_compile__split(&answer, result, what->output_max_bytes))
        diagnose(diagnostic, WHET_DIAGNOSTIC_CRASH,
                 "the compiler's answer is malformed");
    else
        judge_answer(diagnostic, &answer, result);
    return WHET_OK;
}

whet_status whet_compile__run(whet_compile_result *result,
                              whet_diagnostic *diagnostic,
                              const whet_compile *what, whet_err *err)
{
    const char *const words[CHILD_WORD_MAX] = {
        what->toolchain, "compile", what->is_unsafe ? "unsealed" : "sealed",
        NULL};
    whet_toolchain_run run = {.words = words,
                              .env = what->env,
                              .binds = what->binds,
                              .bind_count = what->bind_count,
                              .has_dev = true,
                              .stdout_max_bytes = 1 +
                                                  sizeof(whet_compile__answer) +
                                                  WHET_COMPILE__LOG_BYTES_MAX +
                                                  what->output_max_bytes,
                              .timeout_ns = what->timeout_ns};
    whet_buf job = {0};
    whet_status st;

    memset(result, 0, sizeof *result);
    memset(diagnostic, 0, sizeof *diagnostic);
    if (!what->is_unsafe && what->sandbox == NULL)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "%s: no sandbox was given to build in", what->name);
    if ((st = compose(&job, what, err)) != WHET_OK)
        goto out;
    run.sandbox = what->is_unsafe ? NULL : what->sandbox;
    run.stdin_data = job.data;
    run.stdin_bytes = job.bytes;
    if ((st = whet_toolchain__run(&result->run, &run, err)) == WHET_OK)
        st = judge_run(result, diagnostic, what, err);
out:
    whet_buf_deinit(&job);
    return st;
}

void whet_compile__result_free(whet_compile_result *result)
{
    whet_process_result_deinit(&result->run);
    memset(result, 0, sizeof *result);
}

static bool is_elf_for(const void *bytes, size_t byte_count, uint16_t machine)
{
    Elf64_Ehdr head;

    if (byte_count < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
           head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == machine;
}

whet_status whet_compile__image(whet_image *image, whet_diagnostic *diagnostic,
                                const whet_compile_result *result,
                                uint16_t machine, whet_err *err)
{
    char text[160];
    whet_err why = {0};
    whet_status st;

    if (!is_elf_for(result->output, result->output_bytes, machine)) {
        snprintf(text, sizeof text,
                 "the compiler wrote %zu bytes that are no machine code of "
                 "the device (expected ELF for machine %u)",
                 result->output_bytes, machine);
        diagnose(diagnostic, WHET_DIAGNOSTIC_CRASH, text);
        return WHET_OK;
    }
    image->bytes = malloc(result->output_bytes);
    if (image->bytes == NULL)
        return whet_err_set(err, WHET_ENOMEM, "image: out of memory");
    memcpy(image->bytes, result->output, result->output_bytes);
    image->byte_count = result->output_bytes;
    image->hash = whet_hash_bytes(image->bytes, image->byte_count);
    st = whet_image_read_resources(image, &why);
    if (st != WHET_OK) {
        /* Well-formed, but asks for what it may not have? */
        diagnose(diagnostic,
                 st == WHET_EUNSUPPORTED ? WHET_DIAGNOSTIC_LIMIT
                                         : WHET_DIAGNOSTIC_CRASH,
                 why.msg);
    } else if (image->kernel_count == 0) {
        diagnose(diagnostic, WHET_DIAGNOSTIC_ERROR,
                 "error: the source has no kernel");
    } else {
        whet_image_add_log(image, result->log, result->log_bytes);
        return WHET_OK;
    }
    whet_image_deinit(image);
    return WHET_OK;
}

whet_status whet_compile__dialect_tag(char text[17], whet_err *err)
{
    char *dialect = NULL;
    size_t bytes = 0;
    whet_status st = whet_toolchain_dialect(&dialect, &bytes, err);

    text[0] = '\0';
    if (st == WHET_OK) {
        whet_hash hash = whet_hash_bytes(dialect, bytes);

        (void)whet_strcopy(text, 17, hash.text);
    }
    free(dialect);
    return st;
}
