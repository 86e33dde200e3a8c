/* The compiled reference of a task: finds an object (shipped or cached), opens
 * it, and calls it row by row. Building is in reference_build.c. */

#include "task/admission_priv.h"
#include "task/reference_priv.h"

#include <assert.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct whet_args;
typedef void (*row_fn)(const struct whet_args *args, long row, double *value,
                       double *scale);

struct whet_reference {
    void *object;
    row_fn rows[WHET_TENSOR_MAX]; /* NULL for inputs */
    bool is_input[WHET_TENSOR_MAX];
    unsigned tensor_count, dim_count, scalar_count;
    double scalars[WHET_SCALAR_MAX];
};

/* struct whet_args of the generated header is this many 8-byte fields. */
enum {
    FIELD_BYTES = 8,
    FIELD_MAX = WHET_TENSOR_MAX + WHET_DIM_MAX + WHET_SCALAR_MAX
};
_Static_assert(sizeof(void *) == FIELD_BYTES && sizeof(long) == FIELD_BYTES &&
                   sizeof(double) == FIELD_BYTES,
               "struct whet_args needs a 64-bit machine");

void whet_reference_close(whet_reference *reference)
{
    if (reference == NULL)
        return;
    if (reference->object != NULL)
        dlclose(reference->object);
    free(reference);
}

/* dlopen looks along its search path for names without a slash. */
static void *open_object(const char *path)
{
    char *with_slash;
    void *object;

    if (strchr(path, '/') != NULL)
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    with_slash = whet_asprintf("./%s", path);
    object =
        with_slash != NULL ? dlopen(with_slash, RTLD_NOW | RTLD_LOCAL) : NULL;
    free(with_slash);
    return object;
}

static bool has_tag(void *object, const whet_task *task)
{
    whet_reference_tag want = whet_task__reference_tag(task);
    const char *tag = dlsym(object, WHET_REFERENCE_TAG_SYMBOL);

    return tag != NULL && strcmp(tag, want.text) == 0;
}

/* The object that came with the task, or NULL if there is none that fits. */
static void *open_shipped(const whet_task *task)
{
    const char *name = whet_task__reference_shipped_name();
    char *path = name != NULL ? whet_fs_join(task->dir, name) : NULL;
    void *object = NULL;

    if (path != NULL && whet_fs_exists(path))
        object = open_object(path);
    free(path);
    if (object != NULL && !has_tag(object, task)) {
        dlclose(object);
        object = NULL;
    }
    return object;
}

static whet_status find_functions(whet_reference *reference,
                                  const whet_task *task, whet_err *err)
{
    for (unsigned i = 0; i < task->tensor_count; i++) {
        const whet_tensor *tensor = &task->tensors[i];
        char name[WHET_NAME_BYTES + 16];
        void *symbol;

        if (tensor->role != WHET_ROLE_OUT)
            continue;
        snprintf(name, sizeof name, "reference_%s", tensor->name);
        symbol = dlsym(reference->object, name);
        if (symbol == NULL)
            return whet_err_set(err, WHET_EINVAL,
                                "%.256s/reference.c: no function %s, expected "
                                "`void %s(const struct whet_args *t, long row, "
                                "double *value, double *scale)`",
                                task->dir, name, name);
        /* ISO C has no cast from an object to a function pointer. */
        memcpy(&reference->rows[i], &symbol, sizeof symbol);
    }
    return WHET_OK;
}

whet_status whet_reference_open(whet_reference **out, const whet_task *task,
                                whet_err *err)
{
    whet_reference *reference = calloc(1, sizeof *reference);
    char *path = NULL;
    whet_status st = WHET_OK;

    *out = NULL;
    if (reference == NULL)
        return whet_err_set(err, WHET_ENOMEM, "reference: out of memory");
    reference->tensor_count = task->tensor_count;
    reference->dim_count = task->dim_count;
    reference->scalar_count = task->scalar_count;
    for (unsigned i = 0; i < task->tensor_count; i++)
        reference->is_input[i] = task->tensors[i].role == WHET_ROLE_IN;
    for (unsigned i = 0; i < task->scalar_count; i++)
        reference->scalars[i] = task->scalars[i].value;

    reference->object = open_shipped(task);
    if (reference->object == NULL) {
        st = whet_task__reference_cached(&path, task, err);
        if (st != WHET_OK)
            goto out;
        reference->object = open_object(path);
        if (reference->object == NULL) {
            st = whet_err_set(err, WHET_EFAIL, "%s: cannot be loaded: %s", path,
                              dlerror());
            goto out;
        }
    }
    st = find_functions(reference, task, err);
    if (st != WHET_OK)
        goto out;

    *out = reference;
    reference = NULL;
out:
    whet_reference_close(reference);
    free(path);
    return st;
}

static void call_row(double *value, double *scale,
                     const whet_reference *reference, unsigned tensor,
                     const whet_reference_args *args, const double *scalars,
                     uint64_t row)
{
    unsigned char fields[FIELD_MAX * FIELD_BYTES]
        __attribute__((aligned(FIELD_BYTES)));
    unsigned char *to = fields;

    assert(tensor < reference->tensor_count);
    assert(reference->rows[tensor] != NULL);
    for (unsigned i = 0; i < reference->tensor_count; i++) {
        if (!reference->is_input[i])
            continue;
        memcpy(to, &args->tensor[i], FIELD_BYTES);
        to += FIELD_BYTES;
    }
    memcpy(to, args->workload->dim, reference->dim_count * FIELD_BYTES);
    to += reference->dim_count * FIELD_BYTES;
    memcpy(to, scalars, reference->scalar_count * FIELD_BYTES);
    reference->rows[tensor]((const struct whet_args *)(const void *)fields,
                            (long)row, value, scale);
}

void whet_reference_row(double *value, double *scale,
                        const whet_reference *reference, unsigned tensor,
                        const whet_reference_args *args, uint64_t row)
{
    call_row(value, scale, reference, tensor, args, reference->scalars, row);
}

void whet_task__reference_row_scalar(double *value_out, double *scale_out,
                                     const whet_reference *reference,
                                     unsigned tensor,
                                     const whet_reference_args *args,
                                     uint64_t row, unsigned scalar,
                                     double value)
{
    double scalars[WHET_SCALAR_MAX];

    assert(scalar < reference->scalar_count);
    memcpy(scalars, reference->scalars, sizeof scalars);
    scalars[scalar] = value;
    call_row(value_out, scale_out, reference, tensor, args, scalars, row);
}

whet_status whet_reference_death(int status, whet_err *err)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return whet_err_set(err, WHET_EFAIL,
                            "the process that runs reference.c was killed, "
                            "perhaps for want of memory");
    if (WIFSIGNALED(status))
        return whet_err_set(err, WHET_EINVAL,
                            "reference.c: ended by signal %d (%s), expected it "
                            "to return",
                            WTERMSIG(status), strsignal(WTERMSIG(status)));
    return whet_err_set(err, WHET_EINVAL,
                        "reference.c: ended its process with status %d, "
                        "expected it to return",
                        WEXITSTATUS(status));
}
