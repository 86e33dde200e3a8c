/* The worker of a GPU over the fake driver: plans, memory, timing, and what
 * it makes of failures. Each test has a driver of its own. */

#include "device/gpu_priv.h"
#include "fake_cuda_kit.h"

#include <dlfcn.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 1000, REGION_BYTES = 1 << 20, Y_OFFSET = 8192 };

/* The least that passes for an image. */
struct image {
    Elf64_Ehdr head;
    Elf64_Shdr section;
};

struct fixture {
    const whet_device_ops *ops;
    whet_worker_ctx *ctx;
    char *base;
    whet_bound_plan plan; /* good, for a test to spoil */
    void *address[WHET_BUFFER_MAX];
    whet_err err;
};

static void must(struct fixture *fix, whet_status st)
{
    if (st != WHET_OK)
        fail_msg("%s", fix->err.msg);
}

static void expect(struct fixture *fix, whet_status st, whet_status wanted,
                   const char *word)
{
    if (st != wanted || strstr(fix->err.msg, word) == NULL)
        fail_msg("status %d: %s", st, fix->err.msg);
}

static struct fixture *begin(const char *mode)
{
    struct fixture *fix = calloc(1, sizeof *fix);

    fake_cuda_use(mode);
    fix->ops = whet_device_find("cuda");
    must(fix, fix->ops->worker_open(&fix->ctx, 0, &fix->err));
    return fix;
}

static whet_status load(struct fixture *fix)
{
    struct image image = {.head.e_machine = 190,
                          .head.e_shoff = sizeof image.head,
                          .head.e_shnum = 1,
                          .head.e_shentsize = sizeof image.section};

    memcpy(image.head.e_ident, ELFMAG, SELFMAG);
    image.head.e_ident[EI_CLASS] = ELFCLASS64;
    image.head.e_ident[EI_DATA] = ELFDATA2LSB;
    return fix->ops->worker_load(fix->ctx, &image, sizeof image, &fix->err);
}

/* y += 2 x over 4 groups of 250. */
static void make_plan(struct fixture *fix)
{
    whet_bound_plan *plan = &fix->plan;
    whet_bound_launch *launch = &plan->launches[0];

    plan->launch_count = 1;
    plan->buffer_count = plan->tensor_count = 2;
    plan->buffers[0].bytes = plan->buffers[1].bytes = COUNT * sizeof(float);
    strcpy(launch->kernel, "saxpy");
    launch->grid[0] = 4;
    launch->block[0] = 250;
    launch->grid[1] = launch->grid[2] = 1;
    launch->block[1] = launch->block[2] = 1;
    launch->arg_count = 4;
    launch->args[0] = (whet_bound_arg){.kind = WHET_ARG_BUFFER};
    launch->args[1] = (whet_bound_arg){.kind = WHET_ARG_BUFFER, .buffer = 1};
    launch->args[2] = (whet_bound_arg){.kind = WHET_ARG_I32, .value = COUNT};
    launch->args[3] = (whet_bound_arg){.kind = WHET_ARG_F32, .real = 2};
    fix->address[0] = fix->base;
    fix->address[1] = fix->base + Y_OFFSET;
}

static struct fixture *begin_ready(void)
{
    struct fixture *fix = begin("");
    void *base = NULL;

    must(fix, load(fix));
    must(fix,
         fix->ops->worker_allocate(fix->ctx, REGION_BYTES, &base, &fix->err));
    fix->base = base;
    make_plan(fix);
    return fix;
}

static void end(struct fixture *fix)
{
    fix->ops->worker_close(fix->ctx);
    free(fix);
}

static whet_status prepare(struct fixture *fix, uint32_t slot)
{
    return fix->ops->worker_prepare(fix->ctx, slot, &fix->plan, fix->address,
                                    &fix->err);
}

static whet_status run(struct fixture *fix, uint32_t slot, uint64_t *elapsed_ns)
{
    return fix->ops->worker_run(fix->ctx, slot, elapsed_ns, &fix->err);
}

static whet_status copy(struct fixture *fix, bool to_device, uint64_t offset,
                        void *host, uint64_t bytes)
{
    return fix->ops->worker_copy(fix->ctx, to_device, offset, host, bytes,
                                 &fix->err);
}

/* --- plans ---------------------------------------------------------------- */

static void test_device_gpu_worker__runs_a_plan(void **state)
{
    struct fixture *fix = begin_ready();
    float x[COUNT], y[COUNT];
    uint64_t elapsed_ns = 0;
    int i;

    (void)state;
    for (i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    must(fix, fix->ops->worker_pin(fix->ctx, x, sizeof x, &fix->err));
    must(fix, copy(fix, true, 0, x, sizeof x));
    must(fix, copy(fix, true, Y_OFFSET, y, sizeof y));
    must(fix, prepare(fix, 3));
    must(fix, run(fix, 3, &elapsed_ns));
    /* As the fake device counts: 2 us a launch and 1 ns a group. */
    assert_int_equal(elapsed_ns, 2004);
    must(fix, copy(fix, false, Y_OFFSET, y, sizeof y));
    for (i = 0; i < COUNT; i++)
        assert_true(y[i] == 1 + 2 * (float)i);
    /* A slot may be filled anew, also with several launches. */
    fix->plan.launch_count = 2;
    fix->plan.launches[1] = fix->plan.launches[0];
    must(fix, prepare(fix, 3));
    must(fix, run(fix, 3, &elapsed_ns));
    assert_int_equal(elapsed_ns, 4008);
    must(fix, copy(fix, false, Y_OFFSET, y, sizeof y));
    assert_true(y[10] == 1 + 6 * (float)10);
    end(fix);
}

static void test_device_gpu_worker__fills_whole_words(void **state)
{
    static const uint64_t bad[][2] = {
        {2, 4}, {0, 6}, {REGION_BYTES, 4}, {4, REGION_BYTES}};
    struct fixture *fix = begin_ready();
    uint32_t words[4] = {1, 2, 3, 4};
    size_t i;

    (void)state;
    must(fix, copy(fix, true, 0, words, sizeof words));
    must(fix, fix->ops->worker_fill(fix->ctx, 4, 0x7f800001u, 8, &fix->err));
    must(fix, copy(fix, false, 0, words, sizeof words));
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 0x7f800001u);
    assert_int_equal(words[2], 0x7f800001u);
    assert_int_equal(words[3], 4);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fix->err.msg[0] = '\0';
        assert_int_equal(
            fix->ops->worker_fill(fix->ctx, bad[i][0], 1, bad[i][1], &fix->err),
            WHET_EINVAL);
        assert_true(fix->err.msg[0] != '\0');
    }
    end(fix);
}

static void test_device_gpu_worker__passes_wide_arguments_and_lds(void **state)
{
    struct fixture *fix = begin_ready();
    whet_bound_launch *launch = &fix->plan.launches[0];
    double out[2] = {0};
    uint64_t elapsed_ns;

    (void)state;
    strcpy(launch->kernel, "wide");
    launch->arg_count = 3;
    launch->args[1] =
        (whet_bound_arg){.kind = WHET_ARG_I64, .value = -(INT64_C(1) << 40)};
    launch->args[2] = (whet_bound_arg){.kind = WHET_ARG_F64, .real = 0.1};
    /* More than a launch may have without opting in, beside 1 KiB static. */
    launch->shared_bytes = 232448 - 1024;
    must(fix, prepare(fix, 0));
    must(fix, run(fix, 0, &elapsed_ns));
    must(fix, copy(fix, false, 0, out, sizeof out));
    assert_true(out[0] == -0x1p40);
    assert_true(out[1] == 0.1);
    launch->shared_bytes++;
    expect(fix, prepare(fix, 0), WHET_EUNSUPPORTED,
           "231425 bytes of dynamic and 1024 of static LDS");
    launch->shared_bytes = UINT64_MAX;
    expect(fix, prepare(fix, 0), WHET_EUNSUPPORTED, "expected at most 232448");
    end(fix);
}

static void test_device_gpu_worker__refuses_sizes_out_of_range(void **state)
{
    static const struct {
        uint64_t grid, block;
        const char *word;
    } rows[] = {
        {0, 250, "grid y 0"},
        {65536, 250, "grid y 65536, expected 1 to 65535"},
        {1, 0, "block y 0"},
        {1, 1025, "block y 1025, expected 1 to 1024"},
        {1, 5, "work-items per group 1250, expected 1 to 1024"},
        {1, UINT64_MAX, "block y"},
        /* The driver would take it, the kernel was built for 256. */
        {1, 2, "built for fewer) 500, expected 1 to 256"},
    };
    struct fixture *fix = begin_ready();
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fix->plan.launches[0].grid[1] = rows[i].grid;
        fix->plan.launches[0].block[1] = rows[i].block;
        expect(fix, prepare(fix, 0), WHET_EUNSUPPORTED, rows[i].word);
    }
    end(fix);
}

static void
test_device_gpu_worker__refuses_arguments_that_do_not_fit(void **state)
{
    struct fixture *fix = begin_ready();
    whet_bound_launch *launch = &fix->plan.launches[0];
    uint64_t elapsed_ns = 0;

    (void)state;
    launch->arg_count = 5;
    launch->args[4] = (whet_bound_arg){.kind = WHET_ARG_I32};
    expect(fix, prepare(fix, 0), WHET_EINVAL, "argument 4 of 5");
    launch->arg_count = 4;
    launch->args[2].kind = WHET_ARG_I64;
    expect(fix, prepare(fix, 0), WHET_EINVAL, "argument 2 of 4");
    launch->args[2].kind = WHET_ARG_SHARED;
    expect(fix, prepare(fix, 0), WHET_EINVAL, "expected a buffer or a number");
    launch->args[2].kind = WHET_ARG_I32;
    launch->args[1].buffer = 2;
    expect(fix, prepare(fix, 0), WHET_EINVAL, "argument 1: expected a buffer");
    launch->args[1].buffer = 1;
    launch->arg_count = WHET_ARG_MAX + 1;
    expect(fix, prepare(fix, 0), WHET_EINVAL, "over 24 arguments");
    /* The image's own count is checked elsewhere; what is missing reads 0. */
    launch->arg_count = 3;
    must(fix, prepare(fix, 0));
    must(fix, run(fix, 0, &elapsed_ns));
    launch->arg_count = 4;
    must(fix, prepare(fix, 0));
    end(fix);
}

static void test_device_gpu_worker__refuses_what_is_not_there(void **state)
{
    struct fixture *fix = begin_ready();
    uint64_t elapsed_ns = 9;

    (void)state;
    strcpy(fix->plan.launches[0].kernel, "nonesuch");
    expect(fix, prepare(fix, 0), WHET_ENOTFOUND, "no kernel nonesuch");
    assert_int_equal(fix->err.code, WHET_ENOTFOUND);
    strcpy(fix->plan.launches[0].kernel, "saxpy");
    expect(fix, prepare(fix, WHET_GPU__SLOT_MAX), WHET_EINVAL, "slot 64");
    fix->address[1] = fix->base + REGION_BYTES - 4;
    expect(fix, prepare(fix, 0), WHET_EINVAL, "buffer 1 of 4000 bytes");
    fix->address[1] = fix->base - 4;
    expect(fix, prepare(fix, 0), WHET_EINVAL, "buffer 1 of 4000 bytes");
    fix->plan.launch_count = WHET_LAUNCH_MAX + 1;
    expect(fix, prepare(fix, 0), WHET_EINVAL, "out of range");
    expect(fix, run(fix, 0, &elapsed_ns), WHET_EINVAL, "slot 0 is not ready");
    expect(fix, run(fix, 64, &elapsed_ns), WHET_EINVAL, "slot 64 is not ready");
    assert_int_equal(elapsed_ns, 0);
    end(fix);
}

static void test_device_gpu_worker__loads_machine_code_once(void **state)
{
    static const char ptx[128] = ".version 8.8\n.target sm_90a\n";
    struct fixture *fix = begin("");

    (void)state;
    expect(fix, prepare(fix, 0), WHET_EFAIL, "no image is loaded");
    expect(fix, fix->ops->worker_load(fix->ctx, ptx, sizeof ptx, &fix->err),
           WHET_EINVAL, "no ELF file");
    must(fix, load(fix));
    expect(fix, load(fix), WHET_EFAIL, "an image is loaded");
    expect(fix, prepare(fix, 0), WHET_EFAIL, "no memory allocated");
    end(fix);
    fix = begin("unloadable");
    expect(fix, load(fix), WHET_EFAIL, "CUDA_ERROR_INVALID_IMAGE (200)");
    end(fix);
}

/* --- memory --------------------------------------------------------------- */

static void test_device_gpu_worker__allocates_once_in_pages(void **state)
{
    struct fixture *fix = begin("");
    void *base = &base;

    (void)state;
    expect(fix,
           fix->ops->worker_allocate(fix->ctx, UINT64_C(1) << 30, &base,
                                     &fix->err),
           WHET_EUNSUPPORTED, "1.00 GiB of device memory asked for");
    assert_null(base);
    expect(fix, fix->ops->worker_allocate(fix->ctx, 0, &base, &fix->err),
           WHET_EFAIL, "1 byte or more");
    expect(fix,
           fix->ops->worker_allocate(fix->ctx, UINT64_MAX, &base, &fix->err),
           WHET_EFAIL, "once");
    must(fix, fix->ops->worker_allocate(fix->ctx, 5000, &base, &fix->err));
    assert_int_equal((uintptr_t)base % 4096, 0);
    memset(base, 1, 5000);
    expect(fix, fix->ops->worker_allocate(fix->ctx, 1, &base, &fix->err),
           WHET_EFAIL, "once");
    end(fix);
    fix = begin("full");
    expect(fix, fix->ops->worker_allocate(fix->ctx, 5000, &base, &fix->err),
           WHET_EUNSUPPORTED, "device memory asked for");
    expect(fix, fix->ops->worker_settle(fix->ctx, 1, 1, &fix->err), WHET_EFAIL,
           "CUDA_ERROR_OUT_OF_MEMORY (2)");
    end(fix);
}

static void test_device_gpu_worker__copies_within_the_allocation(void **state)
{
    struct fixture *fix = begin_ready();
    char bytes[16] = "0123456789abcde", back[16] = "";

    (void)state;
    must(fix, copy(fix, true, REGION_BYTES - 16, bytes, 16));
    must(fix, copy(fix, false, REGION_BYTES - 16, back, 16));
    assert_string_equal(back, bytes);
    must(fix, copy(fix, true, REGION_BYTES, bytes, 0));
    expect(fix, copy(fix, true, REGION_BYTES - 15, bytes, 16), WHET_EINVAL,
           "16 bytes at 1048561");
    expect(fix, copy(fix, false, UINT64_MAX, back, 16), WHET_EINVAL,
           "expected within the 1048576 bytes");
    expect(fix, fix->ops->worker_pin(fix->ctx, NULL, 0, &fix->err), WHET_EFAIL,
           "cannot pin memory: CUDA_ERROR_INVALID_VALUE (1)");
    end(fix);
}

/* --- time ----------------------------------------------------------------- */

/* How long the fake device has worked. */
static uint64_t now_ns(void)
{
    void *handle = dlopen(getenv("WHET_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    uint64_t (*now)(void);

    assert_non_null(handle);
    *(void **)&now = dlsym(handle, "fake_cuda_now_ns");
    assert_non_null(now);
    return now();
}

static void test_device_gpu_worker__settles_as_long_as_asked(void **state)
{
    struct fixture *fix = begin_ready();
    uint64_t before, after, elapsed_ns;

    (void)state;
    must(fix, fix->ops->worker_settle(fix->ctx, 1000000, 1 << 20, &fix->err));
    before = now_ns();
    /* A fill of 64 MiB takes 17 us; the first two are measured. */
    assert_in_range(before, 1000000, 1100000);
    must(fix, prepare(fix, 0));
    must(fix, run(fix, 0, &elapsed_ns));
    assert_int_equal(elapsed_ns, 2004);
    before = now_ns();
    must(fix, fix->ops->worker_settle(fix->ctx, 3000000, 1 << 20, &fix->err));
    after = now_ns();
    assert_in_range(after - before, 3000000, 3020000);
    /* Caches are flushed even if nothing is to be spun. */
    must(fix, fix->ops->worker_settle(fix->ctx, 0, 1 << 20, &fix->err));
    assert_in_range(now_ns() - after, 16000, 18000);
    /* More to flush takes another buffer. */
    after = now_ns();
    must(fix, fix->ops->worker_settle(fix->ctx, 1000000, 128 << 20, &fix->err));
    assert_in_range(now_ns() - after, 1000000, 1200000);
    expect(fix, fix->ops->worker_settle(fix->ctx, 1, UINT64_MAX, &fix->err),
           WHET_EINVAL, "flush of");
    end(fix);
}

static whet_status count_call(void *payload, whet_gpu_handle stream,
                              whet_err *err)
{
    int *count = payload;

    (void)err;
    assert_non_null(stream);
    ++*count;
    return WHET_OK;
}

static whet_status fail_call(void *payload, whet_gpu_handle stream,
                             whet_err *err)
{
    (void)payload;
    (void)stream;
    return whet_err_set(err, WHET_EUNSUPPORTED, "no such routine");
}

static void test_device_gpu_worker__calls_a_routine_in_a_slot(void **state)
{
    struct fixture *fix = begin_ready();
    int *count = calloc(1, sizeof *count); /* the slot's from now on */
    const whet_gpu_routine good = {count_call, count};
    const whet_gpu_routine bad = {fail_call, NULL};
    uint64_t elapsed_ns = 0;

    (void)state;
    must(fix, whet_gpu__worker_routine(fix->ctx, 7, &good, &fix->err));
    must(fix, run(fix, 7, &elapsed_ns));
    must(fix, run(fix, 7, &elapsed_ns));
    assert_int_equal(*count, 2);
    /* The device did nothing; 0 would mean that it has no clock. */
    assert_int_equal(elapsed_ns, 1);
    must(fix, whet_gpu__worker_routine(fix->ctx, 8, &bad, &fix->err));
    expect(fix, run(fix, 8, &elapsed_ns), WHET_EUNSUPPORTED, "no such routine");
    expect(fix, whet_gpu__worker_routine(fix->ctx, 64, &bad, &fix->err),
           WHET_EINVAL, "slot 64");
    end(fix);
}

/* --- failures ------------------------------------------------------------- */

static void make_single(struct fixture *fix, const char *kernel)
{
    strcpy(fix->plan.launches[0].kernel, kernel);
    fix->plan.launches[0].arg_count = 1;
}

static void test_device_gpu_worker__a_failed_launch_is_told(void **state)
{
    struct fixture *fix = begin_ready();
    uint64_t elapsed_ns = 9;

    (void)state;
    make_single(fix, "greedy");
    must(fix, prepare(fix, 0));
    expect(fix, run(fix, 0, &elapsed_ns), WHET_EFAIL,
           "cannot launch: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)");
    assert_int_equal(elapsed_ns, 0);
    end(fix);
}

static void test_device_gpu_worker__an_error_that_sticks_is_told(void **state)
{
    struct fixture *fix = begin_ready();
    uint64_t elapsed_ns = 9;
    char byte = 0;

    (void)state;
    make_single(fix, "stray");
    must(fix, prepare(fix, 0));
    expect(fix, run(fix, 0, &elapsed_ns), WHET_EFAIL,
           "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    assert_int_equal(elapsed_ns, 0);
    /* The context is lost. */
    expect(fix, run(fix, 0, &elapsed_ns), WHET_EFAIL, "(700)");
    expect(fix, copy(fix, false, 0, &byte, 1), WHET_EFAIL,
           "copy from the device failed: CUDA_ERROR_ILLEGAL_ADDRESS");
    expect(fix, fix->ops->worker_settle(fix->ctx, 1, 1, &fix->err), WHET_EFAIL,
           "(700)");
    end(fix);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_gpu_worker__runs_a_plan),
        cmocka_unit_test(test_device_gpu_worker__fills_whole_words),
        cmocka_unit_test(test_device_gpu_worker__passes_wide_arguments_and_lds),
        cmocka_unit_test(test_device_gpu_worker__refuses_sizes_out_of_range),
        cmocka_unit_test(
            test_device_gpu_worker__refuses_arguments_that_do_not_fit),
        cmocka_unit_test(test_device_gpu_worker__refuses_what_is_not_there),
        cmocka_unit_test(test_device_gpu_worker__loads_machine_code_once),
        cmocka_unit_test(test_device_gpu_worker__allocates_once_in_pages),
        cmocka_unit_test(test_device_gpu_worker__copies_within_the_allocation),
        cmocka_unit_test(test_device_gpu_worker__settles_as_long_as_asked),
        cmocka_unit_test(test_device_gpu_worker__calls_a_routine_in_a_slot),
        cmocka_unit_test(test_device_gpu_worker__a_failed_launch_is_told),
        cmocka_unit_test(test_device_gpu_worker__an_error_that_sticks_is_told),
    };
    int status;

    if (whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, fake_cuda_remove);
}
