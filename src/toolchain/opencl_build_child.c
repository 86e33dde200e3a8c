/* `whet __build opencl compile`: builds one program with the system's OpenCL
 * compiler and writes the image to its parent. Runs in the sandbox; from the
 * moment at which the compiler sees the candidate, nothing that this process
 * says is believed. */

#include "toolchain/opencl.h"
#include "toolchain/toolchain_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One compilation. */
struct work {
    whet_opencl_api api;
    cl_device_id device;
    cl_context context;
    cl_program program;
    int out_fd;
};

/* Exits: one answer is all that this process is for, and the driver's exit
 * handlers may hang. */
static void answer(const struct work *work, char kind, const void *data,
                   size_t bytes)
{
    bool ok = whet_fs_write_fd(work->out_fd, &kind, 1) &&
              whet_fs_write_fd(work->out_fd, data, bytes);

    _exit(ok ? 0 : 1);
}

static void answer_text(const struct work *work, char kind, const char *text)
{
    answer(work, kind, text, strlen(text));
}

/* Everything that can fail for reasons of this machine. */
static whet_status begin(struct work *work, const char *index_text,
                         const char *seal, whet_err *err)
{
    char *end;
    unsigned long index = strtoul(index_text, &end, 10);
    cl_int rc = CL_SUCCESS;
    whet_status st;

    if (index_text[0] == '\0' || *end != '\0' ||
        index >= WHET_OPENCL_DEVICE_MAX)
        return whet_err_set(err, WHET_EINVAL, "OpenCL: no device \"%s\"",
                            index_text);
    work->out_fd = dup(STDOUT_FILENO);
    if (work->out_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return whet_err_errno(err, errno, "OpenCL: cannot move stdout");
    if ((st = whet_opencl_load(&work->api, err)) != WHET_OK)
        return st;
    st = whet_opencl_device(&work->device, &work->api, (uint32_t)index, err);
    if (st != WHET_OK)
        return st;
    work->context =
        work->api.create_context(NULL, 1, &work->device, NULL, NULL, &rc);
    if (rc != CL_SUCCESS || work->context == NULL)
        return whet_opencl_fail(err, rc, "cannot make a context");
    if (strcmp(seal, "sealed") == 0)
        st = whet_sandbox_seal(WHET_SANDBOX_BUILD, err);
    return st;
}

/* The job from stdin: options and source as fresh texts. */
static bool read_job(char **options, char **source, size_t *source_bytes)
{
    whet_opencl__job job;

    if (!whet_fs_read_fd(STDIN_FILENO, &job, sizeof job) ||
        memcmp(job.magic, WHET_OPENCL__JOB_MAGIC, sizeof job.magic) != 0 ||
        job.options_bytes > WHET_OPENCL__OPTIONS_BYTES_MAX ||
        job.source_bytes > WHET_OPENCL__SOURCE_BYTES_MAX)
        return false;
    *options = calloc(1, (size_t)job.options_bytes + 1);
    *source = calloc(1, (size_t)job.source_bytes + 1);
    *source_bytes = (size_t)job.source_bytes;
    return *options != NULL && *source != NULL &&
           whet_fs_read_fd(STDIN_FILENO, *options, (size_t)job.options_bytes) &&
           whet_fs_read_fd(STDIN_FILENO, *source, (size_t)job.source_bytes);
}

static void answer_log(const struct work *work, cl_int rc)
{
    size_t bytes = 0;
    char *log;

    if (work->api.get_program_build_info(work->program, work->device,
                                         CL_PROGRAM_BUILD_LOG, 0, NULL,
                                         &bytes) != CL_SUCCESS ||
        bytes < 2)
        answer_text(work, WHET_OPENCL__REFUSED, whet_opencl_error_name(rc));
    log = calloc(1, bytes);
    if (log == NULL)
        _exit(1);
    (void)work->api.get_program_build_info(
        work->program, work->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    bytes = strnlen(log, bytes);
    answer(work, WHET_OPENCL__REFUSED, log,
           bytes < WHET_OPENCL__LOG_BYTES_MAX ? bytes
                                              : WHET_OPENCL__LOG_BYTES_MAX);
}

static whet_image_arg kind_of_value(const char *type)
{
    static const struct {
        const char *name;
        whet_image_arg kind;
    } rows[] = {
        {"int", WHET_IMAGE_ARG_I32},   {"uint", WHET_IMAGE_ARG_I32},
        {"long", WHET_IMAGE_ARG_I64},  {"ulong", WHET_IMAGE_ARG_I64},
        {"float", WHET_IMAGE_ARG_F32}, {"double", WHET_IMAGE_ARG_F64},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, type) == 0)
            return rows[i].kind;
    return WHET_IMAGE_ARG_UNKNOWN;
}

static whet_image_arg arg_kind(const struct work *work, cl_kernel kernel,
                               cl_uint index)
{
    cl_kernel_arg_address_qualifier space = 0;
    char type[64] = "";

    if (work->api.get_kernel_arg_info(kernel, index,
                                      CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                      sizeof space, &space, NULL) != CL_SUCCESS)
        return WHET_IMAGE_ARG_UNKNOWN;
    if (work->api.get_kernel_arg_info(kernel, index, CL_KERNEL_ARG_TYPE_NAME,
                                      sizeof type - 1, type,
                                      NULL) != CL_SUCCESS)
        type[0] = '\0';
    /* Images and samplers are called global by some drivers. */
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
        return WHET_IMAGE_ARG_LOCAL;
    if (space == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
        space == CL_KERNEL_ARG_ADDRESS_CONSTANT)
        return strchr(type, '*') != NULL ? WHET_IMAGE_ARG_GLOBAL
                                         : WHET_IMAGE_ARG_UNKNOWN;
    return kind_of_value(type);
}

static void describe_kernel(whet_kernel_facts *out, const struct work *work,
                            cl_kernel kernel)
{
    const whet_opencl_api *api = &work->api;
    cl_uint arg_count = 0;
    cl_ulong lds = 0, private = 0;
    size_t group = 0;
    cl_uint i;

    if (api->get_kernel_info(kernel, CL_KERNEL_FUNCTION_NAME, sizeof out->name,
                             out->name, NULL) != CL_SUCCESS)
        answer_text(work, WHET_OPENCL__LIMIT,
                    "a kernel's name is over 63 bytes");
    if (api->get_kernel_info(kernel, CL_KERNEL_NUM_ARGS, sizeof arg_count,
                             &arg_count, NULL) != CL_SUCCESS ||
        arg_count > WHET_KERNEL_ARG_MAX)
        answer_text(work, WHET_OPENCL__LIMIT, "a kernel has over 32 arguments");
    out->arg_count = arg_count;
    for (i = 0; i < arg_count; i++)
        out->args[i] = arg_kind(work, kernel, i);
    (void)api->get_kernel_work_group_info(
        kernel, work->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof lds, &lds, NULL);
    (void)api->get_kernel_work_group_info(kernel, work->device,
                                          CL_KERNEL_PRIVATE_MEM_SIZE,
                                          sizeof private, &private, NULL);
    (void)api->get_kernel_work_group_info(kernel, work->device,
                                          CL_KERNEL_WORK_GROUP_SIZE,
                                          sizeof group, &group, NULL);
    out->lds_bytes = lds;
    out->private_bytes = private;
    out->group_items_max = group;
}

static void describe_kernels(whet_image *image, const struct work *work)
{
    cl_kernel kernels[WHET_KERNEL_MAX];
    cl_uint count = 0;
    cl_int rc =
        work->api.create_kernels_in_program(work->program, 0, NULL, &count);
    cl_uint i;

    if (rc != CL_SUCCESS || count == 0)
        answer_text(work, WHET_OPENCL__REFUSED,
                    "error: the source has no kernel");
    if (count > WHET_KERNEL_MAX)
        answer_text(work, WHET_OPENCL__LIMIT, "more than 16 kernels");
    rc = work->api.create_kernels_in_program(work->program, count, kernels,
                                             NULL);
    if (rc != CL_SUCCESS)
        answer_text(work, WHET_OPENCL__REFUSED, whet_opencl_error_name(rc));
    for (i = 0; i < count; i++) {
        describe_kernel(&image->kernels[i], work, kernels[i]);
        (void)work->api.release_kernel(kernels[i]);
    }
    image->kernel_count = count;
}

static void get_binary(whet_image *image, const struct work *work)
{
    const whet_opencl_api *api = &work->api;
    size_t bytes = 0;
    unsigned char *binary;
    cl_int rc = api->get_program_info(work->program, CL_PROGRAM_BINARY_SIZES,
                                      sizeof bytes, &bytes, NULL);

    if (rc != CL_SUCCESS || bytes == 0)
        answer_text(work, WHET_OPENCL__REFUSED,
                    "error: the driver gives no machine code");
    if (bytes > WHET_IMAGE_BYTES_MAX)
        answer_text(work, WHET_OPENCL__LIMIT, "the image is over 64 MiB");
    binary = calloc(1, bytes);
    if (binary == NULL)
        _exit(1);
    rc = api->get_program_info(work->program, CL_PROGRAM_BINARIES,
                               sizeof binary, &binary, NULL);
    if (rc != CL_SUCCESS)
        answer_text(work, WHET_OPENCL__REFUSED, whet_opencl_error_name(rc));
    image->bytes = binary;
    image->byte_count = bytes;
    image->hash = whet_hash_bytes(binary, bytes);
}

int whet_opencl__compile_main(int argc, char **argv)
{
    struct work work = {.out_fd = -1};
    whet_image image = {0};
    whet_buf encoded = {0};
    whet_err err = {0};
    const char ready = WHET_OPENCL__READY;
    char *options = NULL;
    char *source = NULL;
    size_t source_bytes = 0;
    cl_int rc = CL_SUCCESS;

    if (argc != 2 || begin(&work, argv[0], argv[1], &err) != WHET_OK) {
        fprintf(stderr, "%s\n",
                argc == 2 ? err.msg : "usage: compile INDEX sealed|unsealed");
        _exit(WHET_TOOLCHAIN__CHILD_UNUSABLE);
    }
    if (!whet_fs_write_fd(work.out_fd, &ready, 1) ||
        !read_job(&options, &source, &source_bytes))
        _exit(1);
    work.program = work.api.create_program_with_source(
        work.context, 1, (const char **)&source, &source_bytes, &rc);
    if (rc != CL_SUCCESS || work.program == NULL)
        answer_text(&work, WHET_OPENCL__REFUSED, whet_opencl_error_name(rc));
    rc = work.api.build_program(work.program, 1, &work.device, options, NULL,
                                NULL);
    if (rc != CL_SUCCESS)
        answer_log(&work, rc);
    describe_kernels(&image, &work);
    get_binary(&image, &work);
    whet_image_encode(&encoded, &image);
    if (encoded.failed)
        _exit(1);
    answer(&work, WHET_OPENCL__IMAGE, encoded.data, encoded.bytes);
    return 1;
}
