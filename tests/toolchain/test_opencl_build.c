/* Builds in the sandbox with a real driver: images and their facts, refusals,
 * deadlines, and what a source cannot see. Needs an OpenCL device and a
 * sandbox. */

#include "toolchain/opencl.h"
#include "toolchain/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

static const char *const no_defines[] = {NULL};

static const char saxpy[] =
    "__kernel void saxpy(__global const float *x, __global float *y, int n,\n"
    "                    float a)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        y[i] += a * x[i];\n"
    "}\n";

struct fixture {
    whet_sandbox_facts sandbox;
    const whet_toolchain_ops *ops;
};

static whet_build_request request_for(const struct fixture *fix,
                                      const char *source)
{
    whet_build_request request = {.source = source,
                                  .source_bytes = strlen(source),
                                  .language = "opencl",
                                  .defines = no_defines,
                                  .options = fix->ops->options(false),
                                  .arch = "any",
                                  .timeout_ns = 60000000000u,
                                  .sandbox = &fix->sandbox};

    return request;
}

/* Expect an image; the caller releases it. */
static void build(whet_image *image, const struct fixture *fix,
                  const whet_build_request *request)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_err err = {0};

    if (fix->ops->build(image, diagnostic, request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(diagnostic->text, "");
    assert_int_equal(diagnostic->kind, WHET_DIAGNOSTIC_NONE);
    assert_true(image->byte_count > 0);
    free(diagnostic);
}

/* Expect a refusal with this word in its text. */
static void refuse(whet_diagnostic *diagnostic, const struct fixture *fix,
                   const char *source, whet_diagnostic_kind kind,
                   const char *word)
{
    whet_build_request request = request_for(fix, source);
    whet_image image;
    whet_err err = {0};

    if (fix->ops->build(&image, diagnostic, &request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    if (diagnostic->kind != kind || strstr(diagnostic->text, word) == NULL)
        fail_msg("kind %d: %s", (int)diagnostic->kind, diagnostic->text);
    assert_null(image.bytes);
    assert_int_equal(image.byte_count, 0);
}

static void test_toolchain_opencl_build__tells_facts_of_kernels(void **state)
{
    static const char source[] =
        "__kernel void one(__global float *a, __constant int *b,\n"
        "                  __local float *c, uint d, ulong e, float f,\n"
        "                  double g, float4 h)\n"
        "{\n"
        "    c[get_local_id(0)] = b[d] + f + g + h.x;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    a[e] = c[0];\n"
        "}\n"
        "__kernel void two(__global float *a)\n"
        "{\n"
        "    __local float t[100];\n"
        "    t[get_local_id(0)] = 1;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    a[0] = t[99];\n"
        "}\n";
    static const uint32_t kinds[] = {
        WHET_IMAGE_ARG_GLOBAL, WHET_IMAGE_ARG_GLOBAL, WHET_IMAGE_ARG_LOCAL,
        WHET_IMAGE_ARG_I32,    WHET_IMAGE_ARG_I64,    WHET_IMAGE_ARG_F32,
        WHET_IMAGE_ARG_F64,    WHET_IMAGE_ARG_UNKNOWN};
    const struct fixture *fix = *state;
    whet_build_request request = request_for(fix, source);
    const whet_kernel_facts *facts;
    whet_image image;
    whet_hash hash;

    build(&image, fix, &request);
    hash = whet_hash_bytes(image.bytes, image.byte_count);
    assert_string_equal(image.hash.text, hash.text);
    assert_int_equal(image.kernel_count, 2);
    facts = whet_image_kernel(&image, "one");
    assert_non_null(facts);
    assert_int_equal(facts->arg_count, 8);
    assert_memory_equal(facts->args, kinds, sizeof kinds);
    assert_int_equal(facts->lds_bytes, 0);
    assert_true(facts->group_items_max > 0);
    facts = whet_image_kernel(&image, "two");
    assert_non_null(facts);
    assert_int_equal(facts->arg_count, 1);
    assert_int_equal(facts->lds_bytes, 400);
    whet_image_deinit(&image);
}

static void test_toolchain_opencl_build__passes_defines_on(void **state)
{
    static const char *const defines[] = {"-DBLOCK=64", "-DT=float", NULL};
    static const char source[] =
        "#if BLOCK != 64\n#error block\n#endif\n"
        "#ifndef WHET_KERNEL\n#error no dialect\n#endif\n"
        "WHET_KERNEL void f(WHET_GLOBAL T *x) { x[0] = BLOCK; }\n";
    const struct fixture *fix = *state;
    whet_build_request request = request_for(fix, source);
    whet_image image;

    request.defines = defines;
    request.language = "portable";
    build(&image, fix, &request);
    assert_non_null(whet_image_kernel(&image, "f"));
    whet_image_deinit(&image);
}

static void
test_toolchain_opencl_build__places_errors_in_candidate(void **state)
{
    const struct fixture *fix = *state;
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);

    refuse(diagnostic, fix,
           "/* whet:\n*/\n__kernel void f(__global float *x)\n{\n"
           "    x[0] = nonesuch;\n}\n",
           WHET_DIAGNOSTIC_ERROR, "undeclared identifier 'nonesuch'");
    assert_int_equal(diagnostic->line, 5);
    assert_int_equal(diagnostic->column, 12);
    free(diagnostic);
}

static void
test_toolchain_opencl_build__refuses_what_is_no_program(void **state)
{
    const struct fixture *fix = *state;
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_buf many = {0};
    int i;

    refuse(diagnostic, fix, "", WHET_DIAGNOSTIC_ERROR, "no kernel");
    refuse(diagnostic, fix,
           "\x7f"
           "ELF\x02\x01",
           WHET_DIAGNOSTIC_ERROR, "");
    assert_string_not_equal(diagnostic->text, "");
    refuse(diagnostic, fix,
           "float g(float);\n"
           "__kernel void f(__global float *x) { x[0] = g(x[1]); }\n",
           WHET_DIAGNOSTIC_ERROR, "g");
    for (i = 0; i <= WHET_KERNEL_MAX; i++)
        whet_buf_printf(&many, "__kernel void f%d(void) {}\n", i);
    refuse(diagnostic, fix, whet_buf_str(&many), WHET_DIAGNOSTIC_LIMIT,
           "16 kernels");
    whet_buf_deinit(&many);
    free(diagnostic);
}

/* The host's files are not there to be included. */
static void test_toolchain_opencl_build__cannot_read_host_files(void **state)
{
    const struct fixture *fix = *state;
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);

    refuse(diagnostic, fix,
           "#include \"/etc/passwd\"\n__kernel void f(void) {}\n",
           WHET_DIAGNOSTIC_ERROR, "'/etc/passwd' file not found");
    free(diagnostic);
}

/* The driver's parser runs out of stack. Another driver may cope. */
static void test_toolchain_opencl_build__outlives_its_compiler(void **state)
{
    const struct fixture *fix = *state;
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_buf source = {0};
    whet_build_request request;
    whet_image image;
    whet_err err = {0};
    int i;

    whet_buf_puts(&source, "__kernel void f(__global int *x) { x[0] = ");
    for (i = 0; i < 100000; i++)
        whet_buf_puts(&source, "- ");
    whet_buf_puts(&source, "x[1]; }\n");
    request = request_for(fix, whet_buf_str(&source));
    assert_int_equal(fix->ops->build(&image, diagnostic, &request, &err),
                     WHET_OK);
    if (diagnostic->kind == WHET_DIAGNOSTIC_CRASH)
        assert_non_null(strstr(diagnostic->text, "signal 11"));
    assert_int_equal(image.bytes == NULL,
                     diagnostic->kind != WHET_DIAGNOSTIC_NONE);
    whet_image_deinit(&image);
    whet_buf_deinit(&source);
    free(diagnostic);
}

/* Preprocessing this takes far longer than the deadline. */
static void test_toolchain_opencl_build__ends_at_its_deadline(void **state)
{
    static const char source[] =
        "#define A(x) x x x x x x x x\n"
        "#define B(x) A(A(A(A(x))))\n"
        "__kernel void f(__global int *x) { B(B(B(B(x[0]++;)))) }\n";
    const struct fixture *fix = *state;
    whet_build_request request = request_for(fix, source);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_clock clock = whet_clock_system();
    uint64_t start_ns = whet_clock_now(&clock);
    whet_image image;
    whet_err err = {0};

    request.timeout_ns = 2000000000u;
    assert_int_equal(fix->ops->build(&image, diagnostic, &request, &err),
                     WHET_OK);
    assert_int_equal(diagnostic->kind, WHET_DIAGNOSTIC_TIMEOUT);
    assert_non_null(strstr(diagnostic->text, "deadline"));
    assert_true(whet_clock_now(&clock) - start_ns < 20000000000u);
    assert_null(image.bytes);
    free(diagnostic);
}

/* A request that cannot be carried out says so and builds nothing. */
static void test_toolchain_opencl_build__refuses_bad_requests(void **state)
{
    static const char *const blank[] = {"-DA=1 -DB=2", NULL};
    static const char *const quote[] = {"-DA=\"x\"", NULL};
    const struct fixture *fix = *state;
    whet_build_request request = request_for(fix, saxpy);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    whet_err err = {0};

    request.defines = blank;
    assert_int_equal(fix->ops->build(&image, diagnostic, &request, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "-DA=1 -DB=2"));
    request.defines = quote;
    err.msg[0] = '\0';
    assert_int_equal(fix->ops->build(&image, diagnostic, &request, &err),
                     WHET_EINVAL);
    assert_string_not_equal(err.msg, "");
    request = request_for(fix, saxpy);
    request.sandbox = NULL;
    assert_int_equal(fix->ops->build(&image, diagnostic, &request, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "sandbox"));
    request = request_for(fix, saxpy);
    request.device_index = 31;
    assert_int_equal(fix->ops->build(&image, diagnostic, &request, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "no device 31"));
    assert_null(image.bytes);
    free(diagnostic);
}

static void
test_toolchain_opencl_build__builds_without_sandbox_on_demand(void **state)
{
    const struct fixture *fix = *state;
    whet_build_request request = request_for(fix, saxpy);
    whet_image image;

    request.sandbox = NULL;
    request.is_unsafe = true;
    build(&image, fix, &request);
    assert_non_null(whet_image_kernel(&image, "saxpy"));
    whet_image_deinit(&image);
}

static void
test_toolchain_opencl_build__tells_when_sandbox_is_missing(void **state)
{
    const struct fixture *fix = *state;
    whet_sandbox_facts none = {.reason = "no bwrap here"};
    whet_build_request request = request_for(fix, saxpy);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image;
    whet_err err = {0};

    request.sandbox = &none;
    assert_int_equal(fix->ops->build(&image, diagnostic, &request, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "no bwrap here"));
    assert_null(image.bytes);
    free(diagnostic);
}

int main(int argc, char **argv)
{
    static struct fixture fix;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__tells_facts_of_kernels, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__passes_defines_on, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__places_errors_in_candidate, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__refuses_what_is_no_program, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__cannot_read_host_files, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__outlives_its_compiler, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__ends_at_its_deadline, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__refuses_bad_requests, &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__builds_without_sandbox_on_demand,
            &fix),
        cmocka_unit_test_prestate(
            test_toolchain_opencl_build__tells_when_sandbox_is_missing, &fix),
    };
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count;
    whet_err err = {0};
    int status;

    if (whet_toolchain_child(&status, argc, argv))
        return status;
    whet_sandbox_probe(&fix.sandbox);
    if (!fix.sandbox.has_namespaces || !fix.sandbox.has_seccomp) {
        printf("skipped: %s\n", fix.sandbox.reason);
        return SKIPPED;
    }
    if (whet_opencl_list(infos, &count, &err) == WHET_EUNSUPPORTED) {
        printf("skipped: %s\n", err.msg);
        return SKIPPED;
    }
    fix.ops = whet_toolchain_find("opencl");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
