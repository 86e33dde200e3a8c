/* What GPUs there are: `PROGRAM __device NAME list` opens the driver, asks it,
 * and writes plain records to its parent. The driver never comes into the
 * supervisor: it is large, starts threads, and may crash or hang. */

#include "device/gpu_priv.h"
#include "device/replay_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHILD_UNUSABLE = 3, ENV_MAX = 64, STDERR_BYTES_MAX = 16 << 10 };

/* In front of the records; a text of WHET_ERR_MSG_BYTES if there are none. */
struct head {
    char magic[8];
    uint32_t record_bytes;
    uint32_t count;
};

static const char magic_found[8] = {'w', 'h', 'e', 't', 'g', 'p', 'u', '1'};
static const char magic_none[8] = {'w', 'h', 'e', 't', 'g', 'p', 'u', '0'};
static const uint64_t list_timeout_ns = 60000000000u;

/* Set in every such child. One that starts another has a main that does not
 * know of __device, and would go on for ever. */
static const char child_mark[] = "WHET_DEVICE_CHILD=1";

/* --- the child ------------------------------------------------------------ */

static int write_list(FILE *out, const whet_device_facts *facts, uint32_t count)
{
    struct head head = {.record_bytes = sizeof *facts, .count = count};

    memcpy(head.magic, magic_found, sizeof head.magic);
    if (fwrite(&head, sizeof head, 1, out) != 1 ||
        fwrite(facts, sizeof *facts, count, out) != count || fflush(out) != 0)
        return CHILD_UNUSABLE;
    return 0;
}

static int write_reason(FILE *out, const whet_err *err)
{
    struct head head = {.record_bytes = sizeof err->msg};

    memcpy(head.magic, magic_none, sizeof head.magic);
    (void)fwrite(&head, sizeof head, 1, out);
    (void)fwrite(err->msg, sizeof err->msg, 1, out);
    (void)fflush(out);
    return CHILD_UNUSABLE;
}

int whet_gpu__list_main(whet_status (*enumerate)(whet_device_facts *out,
                                                 uint32_t *count_out,
                                                 whet_err *err))
{
    whet_device_facts *facts = calloc(WHET_DEVICE_LIST_MAX, sizeof *facts);
    uint32_t count = 0;
    whet_err err = {0};
    int status;

    /* A driver may print to stdout: only our bytes go to the parent. */
    int to = dup(STDOUT_FILENO);
    FILE *out = to >= 0 ? fdopen(to, "wb") : NULL;

    if (facts == NULL || out == NULL ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        free(facts);
        return CHILD_UNUSABLE;
    }
    if (enumerate(facts, &count, &err) == WHET_OK)
        status = write_list(out, facts, count);
    else
        status = write_reason(out, &err);
    /* Without the drivers' exit handlers, which may hang or crash. */
    _exit(status);
}

/* --- reading what it wrote ------------------------------------------------ */

/* A field whose bytes are no value of its type may not even be looked at. */
struct field {
    size_t offset, bytes;
    enum { FIELD_TEXT, FIELD_BOOL, FIELD_KNOWN, FIELD_EVIDENCE } kind;
};

#define FIELD(name, of)                                                        \
    {                                                                          \
        offsetof(whet_device_facts, name),                                     \
            sizeof((whet_device_facts *)0)->name, of                           \
    }

static const struct field fields[] = {
    FIELD(backend, FIELD_TEXT),
    FIELD(name, FIELD_TEXT),
    FIELD(arch, FIELD_TEXT),
    FIELD(arch_features, FIELD_TEXT),
    FIELD(arch_evidence, FIELD_TEXT),
    FIELD(driver, FIELD_TEXT),
    FIELD(pci, FIELD_TEXT),
    FIELD(id, FIELD_TEXT),
    FIELD(is_cpu, FIELD_BOOL),
    FIELD(has_f64, FIELD_BOOL),
    FIELD(has_f16, FIELD_BOOL),
    FIELD(has_ecc, FIELD_KNOWN),
    FIELD(has_pageable_access, FIELD_KNOWN),
    FIELD(is_exclusive, FIELD_KNOWN),
    FIELD(evidence, FIELD_EVIDENCE),
};

/* One line of escaped text with its NUL inside? */
static bool is_text(const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes);
    whet_buf escaped = {0};
    bool is_same;

    if (length == bytes)
        return false;
    whet_buf_escape(&escaped, text, length, false);
    is_same = escaped.bytes == length;
    whet_buf_deinit(&escaped);
    return is_same;
}

static bool field_fits(const char *record, const struct field *field)
{
    const char *at = record + field->offset;
    unsigned value;

    if (field->kind == FIELD_TEXT)
        return is_text(at, field->bytes);
    if (field->kind == FIELD_BOOL)
        return *at == 0 || *at == 1;
    memcpy(&value, at, sizeof value);
    return value <= (field->kind == FIELD_KNOWN
                         ? (unsigned)WHET_KNOWN_YES
                         : (unsigned)WHET_EVIDENCE_MEASURED);
}

static bool record_fits(const char *record, const char *name)
{
    size_t i;

    for (i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (!field_fits(record, &fields[i]))
            return false;
    return strcmp(record + offsetof(whet_device_facts, backend), name) == 0 &&
           whet_replay__is_hash(record + offsetof(whet_device_facts, id));
}

static whet_status malformed(const char *name, whet_err *err)
{
    return whet_err_set(err, WHET_EFAIL, "%s: the list of devices is malformed",
                        name);
}

static whet_status parse_reason(const char *name, const char *text,
                                size_t bytes, whet_err *err)
{
    if (bytes != WHET_ERR_MSG_BYTES || text[0] == '\0' ||
        memchr(text, '\0', bytes) == NULL)
        return malformed(name, err);
    return whet_err_set(err, WHET_EUNSUPPORTED, "%s", text);
}

whet_status whet_gpu__list_parse(whet_device_facts *out, uint32_t *count_out,
                                 const char *name, const void *data,
                                 size_t bytes, whet_err *err)
{
    const char *at = (const char *)data + sizeof(struct head);
    struct head head;
    uint32_t i;

    *count_out = 0;
    if (bytes < sizeof head)
        return malformed(name, err);
    memcpy(&head, data, sizeof head);
    bytes -= sizeof head;
    if (memcmp(head.magic, magic_none, sizeof head.magic) == 0)
        return parse_reason(name, at, bytes, err);
    if (memcmp(head.magic, magic_found, sizeof head.magic) != 0 ||
        head.record_bytes != sizeof *out || head.count == 0 ||
        head.count > WHET_DEVICE_LIST_MAX || bytes != head.count * sizeof *out)
        return malformed(name, err);
    for (i = 0; i < head.count; i++)
        if (!record_fits(at + i * sizeof *out, name))
            return malformed(name, err);
    memcpy(out, at, head.count * sizeof *out);
    *count_out = head.count;
    return WHET_OK;
}

/* --- the parent ----------------------------------------------------------- */

/* How the child ended that wrote nothing of use. */
static whet_status explain(const whet_process_result *result, const char *name,
                           whet_err *err)
{
    const char *words = whet_buf_str(&result->err);
    size_t bytes = strcspn(words, "\n");
    char how[96];

    if (result->kind == WHET_EXIT_TIMEOUT)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "%s: the driver gave no answer in %.0f s while "
                            "devices were listed; look for its complaint in "
                            "dmesg, and see whether its own tool answers",
                            name, (double)result->wall_ns / 1e9);
    whet_exit_describe(how, sizeof how, result->kind, result->code);
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "%s: the driver failed while devices were listed: "
                        "%s%s%.*s",
                        name, how, bytes > 0 ? ": " : "",
                        (int)(bytes < 200 ? bytes : 200), words);
}

static whet_status run_child(whet_process_result *result, const char *name,
                             char *const *env, uint64_t timeout_ns,
                             whet_err *err)
{
    const char *const argv[] = {"/proc/self/exe", "__device", name, "list",
                                NULL};
    const char *all[ENV_MAX + 2] = {child_mark};
    const whet_process_opts opts = {
        .argv = argv,
        .env = all,
        .stdout_max_bytes = sizeof(struct head) + WHET_ERR_MSG_BYTES +
                            WHET_DEVICE_LIST_MAX * sizeof(whet_device_facts),
        .stderr_max_bytes = STDERR_BYTES_MAX,
        .timeout_ns = timeout_ns};
    size_t i;

    if (getenv("WHET_DEVICE_CHILD") != NULL)
        return whet_err_set(err, WHET_EFAIL,
                            "%s: listed by a child that lists devices; its "
                            "main must call whet_device_child first",
                            name);
    for (i = 0; i < ENV_MAX && env[i] != NULL; i++)
        all[i + 1] = env[i];
    return whet_process_run(result, &opts, err);
}

whet_status whet_gpu__list_within(whet_device_facts *out, uint32_t *count_out,
                                  const char *name, uint64_t timeout_ns,
                                  whet_err *err)
{
    const whet_device_ops *ops = whet_device_find(name);
    whet_process_result result = {0};
    char **env = NULL;
    whet_status st;

    *count_out = 0;
    if (ops == NULL)
        return whet_err_set(err, WHET_EINVAL, "%s: no such back-end", name);
    if ((st = whet_device_env(&env, ops, err)) != WHET_OK)
        return st;
    if ((st = run_child(&result, name, env, timeout_ns, err)) != WHET_OK)
        goto out;
    if (result.kind == WHET_EXIT_CODE &&
        (result.code == 0 || result.out.bytes > 0))
        st = whet_gpu__list_parse(out, count_out, name,
                                  whet_buf_str(&result.out), result.out.bytes,
                                  err);
    else
        st = explain(&result, name, err);
out:
    whet_process_result_deinit(&result);
    whet_device_env_free(env);
    return st;
}

whet_status whet_gpu__list(whet_device_facts *out, uint32_t *count_out,
                           const char *name, whet_err *err)
{
    return whet_gpu__list_within(out, count_out, name, list_timeout_ns, err);
}
