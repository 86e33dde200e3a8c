/* Cases that hold for every GPU toolchain with a real compiler. */

#include "gpu_kit.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const none[] = {NULL};

static const char saxpy[] =
    "extern \"C\" __global__ void saxpy(const float *x, float *y, int n,\n"
    "                                 float a)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] += a * x[i];\n"
    "}\n";

int gpu_kit_setup(gpu_kit *kit, const char *toolchain, const char *language,
                  const char *arch, const char *other_arch)
{
    whet_err err = {0};

    memset(kit, 0, sizeof *kit);
    kit->ops = whet_toolchain_find(toolchain);
    kit->language = language;
    kit->arch = arch;
    kit->other_arch = other_arch;
    whet_sandbox_probe(&kit->sandbox);
    if (!kit->sandbox.has_namespaces || !kit->sandbox.has_seccomp) {
        printf("skipped: no sandbox: %s\n", kit->sandbox.reason);
        return GPU_KIT_SKIPPED;
    }
    if (kit->ops->identify(kit->identity, 0, &err) != WHET_OK) {
        printf("skipped: %s\n", err.msg);
        return GPU_KIT_SKIPPED;
    }
    return 0;
}

whet_build_request gpu_kit_request(const gpu_kit *kit, const char *source)
{
    return (whet_build_request){.source = source,
                                .source_bytes = strlen(source),
                                .language = kit->language,
                                .defines = none,
                                .options = kit->ops->options(false),
                                .arch = kit->arch,
                                .timeout_ns = 100000000000u,
                                .sandbox = &kit->sandbox};
}

void gpu_kit_build(whet_image *image, const gpu_kit *kit,
                   const whet_build_request *request)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_err err = {0};

    if (kit->ops->build(image, diagnostic, request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(diagnostic->text, "");
    assert_int_equal(diagnostic->kind, WHET_DIAGNOSTIC_NONE);
    assert_non_null(image->bytes);
    assert_true(image->kernel_count > 0);
    free(diagnostic);
}

void gpu_kit_refuse(const gpu_kit *kit, const whet_build_request *request,
                    whet_diagnostic_kind kind, uint32_t line, const char *word)
{
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image = {0};
    whet_err err = {0};

    if (kit->ops->build(&image, diagnostic, request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    if (diagnostic->kind != kind || diagnostic->line != line ||
        strstr(diagnostic->text, word) == NULL)
        fail_msg("kind %d line %u: %s; expected kind %d line %u: %s",
                 (int)diagnostic->kind, diagnostic->line, diagnostic->text,
                 (int)kind, line, word);
    assert_null(image.bytes);
    assert_int_equal(image.kernel_count, 0);
    free(diagnostic);
}

void gpu_kit_case_builds(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(kit, saxpy);
    const whet_kernel_facts *kernel;
    whet_image image;

    gpu_kit_build(&image, kit, &request);
    assert_int_equal(image.kernel_count, 1);
    kernel = whet_image_kernel(&image, "saxpy");
    assert_non_null(kernel);
    assert_true(kernel->register_count > 0);
    assert_int_equal(kernel->lds_bytes, 0);
    assert_int_equal(kernel->spill_bytes, 0);
    whet_image_deinit(&image);
}

/* The dialect is in front; lines are the source's own. */
void gpu_kit_case_portable(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(
        kit, "WHET_KERNEL_OF(128) void twice(const float *x, float *y)\n"
             "{\n"
             "    WHET_LOCAL(float, s, 128);\n"
             "    s[whet_local_id(0)] = x[whet_global_id(0)];\n"
             "    WHET_BARRIER();\n"
             "    y[whet_global_id(0)] = 2 * s[127 - whet_local_id(0)];\n"
             "}\n");
    whet_image image;

    request.language = "portable";
    gpu_kit_build(&image, kit, &request);
    assert_string_equal(image.kernels[0].name, "twice");
    assert_int_equal(image.kernels[0].lds_bytes, 512);
    assert_int_equal(image.kernels[0].group_items_max, 128);
    whet_image_deinit(&image);
    request.source = "WHET_KERNEL void k(float *x)\n{\n    y[0] = 1;\n}\n";
    request.source_bytes = strlen(request.source);
    gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_ERROR, 3, "y");
}

void gpu_kit_case_defines(void **state)
{
    const gpu_kit *kit = *state;
    const char *const defines[] = {"-DCOUNT=96", "-DNAME=planned", NULL};
    whet_build_request request = gpu_kit_request(
        kit, "WHET_KERNEL void NAME(float *x)\n"
             "{ WHET_LOCAL(float, s, COUNT); s[threadIdx.x] = x[0];\n"
             "  __syncthreads(); x[threadIdx.x] = s[COUNT - 1]; }\n");
    whet_image image;

    request.defines = defines;
    gpu_kit_build(&image, kit, &request);
    assert_string_equal(image.kernels[0].name, "planned");
    assert_int_equal(image.kernels[0].lds_bytes, 384);
    whet_image_deinit(&image);
}

void gpu_kit_case_archs_differ(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(kit, saxpy);
    whet_image one, other, featured;
    char text[64];

    gpu_kit_build(&one, kit, &request);
    request.arch = kit->other_arch;
    gpu_kit_build(&other, kit, &request);
    assert_string_not_equal(one.hash.text, other.hash.text);
    /* What a device reports behind its architecture is not compiled for. */
    snprintf(text, sizeof text, "%s:sramecc+:xnack-", kit->other_arch);
    request.arch = text;
    gpu_kit_build(&featured, kit, &request);
    assert_string_equal(featured.hash.text, other.hash.text);
    whet_image_deinit(&one);
    whet_image_deinit(&other);
    whet_image_deinit(&featured);
}

void gpu_kit_case_fast_differs(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(
        kit, "extern \"C\" __global__ void k(float *x)\n"
             "{ x[threadIdx.x] = expf(x[threadIdx.x]) / x[0]; }\n");
    whet_image strict, fast;

    gpu_kit_build(&strict, kit, &request);
    request.options = kit->ops->options(true);
    gpu_kit_build(&fast, kit, &request);
    assert_string_not_equal(strict.hash.text, fast.hash.text);
    whet_image_deinit(&strict);
    whet_image_deinit(&fast);
}

void gpu_kit_case_refuses_error(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request =
        gpu_kit_request(kit, "extern \"C\" __global__ void k(float *x)\n"
                             "{\n"
                             "    *x = missing_thing;\n"
                             "}\n");

    gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_ERROR, 3, "missing_thing");
    request.source = "\n#error planted\n";
    request.source_bytes = strlen(request.source);
    gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_ERROR, 2, "planted");
}

void gpu_kit_case_refuses_unknown_arch(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(kit, saxpy);

    request.arch = "sm_7";
    gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_ERROR, 0, "");
}

void gpu_kit_case_refuses_no_kernel(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request =
        gpu_kit_request(kit, "__device__ int unused(int x) { return x; }\n");

    gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_ERROR, 0, "no kernel");
}

void gpu_kit_case_refuses_odd_flags(void **state)
{
    const gpu_kit *kit = *state;
    static const char *const odd[][2] = {
        {"-DA=1 -DB", NULL}, {"@words", NULL}, {"-DA=$(id)", NULL}};
    whet_build_request request = gpu_kit_request(kit, saxpy);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    size_t i;

    for (i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        whet_image image = {0};
        whet_err err = {0};

        request.defines = odd[i];
        assert_int_equal(kit->ops->build(&image, diagnostic, &request, &err),
                         WHET_EINVAL);
        assert_non_null(strstr(err.msg, "plain flag"));
        assert_null(image.bytes);
    }
    request.defines = none;
    request.arch = "../sm_90";
    assert_int_equal(
        kit->ops->build(&(whet_image){0}, diagnostic, &request, NULL),
        WHET_EINVAL);
    free(diagnostic);
}

#define CANARY "CANARY_5e0b2f"

/* Whatever the compiler makes of a source: is anything of the canary in it? */
static bool sees_canary(const gpu_kit *kit, bool is_unsafe, const char *lines)
{
    char *source = whet_asprintf("%s%s", lines, saxpy);
    whet_build_request request = gpu_kit_request(kit, source);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image = {0};
    whet_err err = {0};
    bool sees;

    assert_non_null(diagnostic);
    request.is_unsafe = is_unsafe;
    if (kit->ops->build(&image, diagnostic, &request, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    sees = strstr(diagnostic->text, CANARY) != NULL ||
           strstr(diagnostic->text, "SEEN") != NULL ||
           (image.bytes != NULL && memmem(image.bytes, image.byte_count, CANARY,
                                          sizeof CANARY - 1) != NULL);
    whet_image_deinit(&image);
    free(diagnostic);
    free(source);
    return sees;
}

/* A file that anybody may read, and the environment of every process. Without
 * a sandbox the same words find it. */
static void expect_unseen(const gpu_kit *kit, const char *path)
{
    long self = (long)getpid();
    char *lines[] = {
        whet_asprintf("#if __has_include(\"%s\") || "
                      "__has_include(\"../../../../..%s\") || "
                      "__has_include(\"/proc/self/root%s\") || "
                      "__has_include(\"/proc/%ld/root%s\")\n"
                      "#error SEEN\n#endif\n",
                      path, path, path, self, path),
        whet_asprintf("#include \"%s\"\n", path),
        whet_asprintf("#include \"/proc/%ld/root%s\"\n", self, path),
        whet_asprintf("asm(\".incbin \\\"%s\\\"\");\n"
                      "#pragma comment(lib, \"%s\")\n",
                      path, path),
        whet_asprintf("#include \"/proc/%ld/environ\"\n", self)};
    size_t i;

    assert_true(sees_canary(kit, true, lines[0]));
    for (i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (sees_canary(kit, false, lines[i]))
            fail_msg("seen by %s", lines[i]);
        free(lines[i]);
    }
}

void gpu_kit_case_sees_no_host_file(void **state)
{
    static const char content[] = CANARY " x;\n";
    const gpu_kit *kit = *state;
    whet_build_request request =
        gpu_kit_request(kit, "#include \"/etc/passwd\"\n");
    char *folder, *path;

    gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_ERROR, 1, "/etc/passwd");
    assert_int_equal(whet_fs_tempdir(&folder, "kit", NULL), WHET_OK);
    assert_int_equal(chmod(folder, 0755), 0);
    path = whet_fs_join(folder, "secret.h");
    assert_int_equal(whet_fs_write(path, content, sizeof content - 1, NULL),
                     WHET_OK);
    setenv("AWS_SECRET_ACCESS_KEY", CANARY, 1);
    expect_unseen(kit, path);
    unsetenv("AWS_SECRET_ACCESS_KEY");
    whet_fs_remove_tree(folder);
    free(path);
    free(folder);
}

void gpu_kit_case_needs_a_sandbox(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(kit, saxpy);
    whet_diagnostic *diagnostic = calloc(1, sizeof *diagnostic);
    whet_image image = {0};
    whet_err err = {0};

    request.sandbox = NULL;
    assert_int_equal(kit->ops->build(&image, diagnostic, &request, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "no sandbox was given"));
    assert_null(image.bytes);
    free(diagnostic);
}

/* A template that needs for ever: the compiler is stopped at the deadline. */
void gpu_kit_case_deadline(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(
        kit, "template <int N, int K> struct slow {\n"
             "    static constexpr int at(int i)\n"
             "    { return slow<N - 1, 2 * K>::at(i)\n"
             "           + slow<N - 1, 2 * K + 1>::at(i); }\n"
             "};\n"
             "template <int K> struct slow<0, K> {\n"
             "    static constexpr int at(int i) { return i + K; } };\n"
             "extern \"C\" __global__ void k(int *x)\n"
             "{ *x = slow<22, 1>::at(*x); }\n");

    request.timeout_ns = 1500000000u;
    gpu_kit_refuse(kit, &request, WHET_DIAGNOSTIC_TIMEOUT, 0, "deadline");
}

void gpu_kit_case_without_sandbox(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(kit, saxpy);
    whet_image inside, outside;

    gpu_kit_build(&inside, kit, &request);
    request.sandbox = NULL;
    request.is_unsafe = true;
    gpu_kit_build(&outside, kit, &request);
    /* Not the hashes: line tables name the working folder. */
    assert_int_equal(inside.kernels[0].register_count,
                     outside.kernels[0].register_count);
    whet_image_deinit(&inside);
    whet_image_deinit(&outside);
}

/* Text of the machine code, or the names of the tools that would make it. */
void gpu_kit_case_lists(void **state)
{
    const gpu_kit *kit = *state;
    whet_build_request request = gpu_kit_request(kit, saxpy);
    whet_buf text = {0};
    whet_image image;
    whet_err err = {0};
    whet_status st;

    gpu_kit_build(&image, kit, &request);
    st = kit->ops->listing(&text, &image, &request, &err);
    if (st == WHET_OK) {
        assert_non_null(strstr(whet_buf_str(&text), "saxpy"));
        assert_true(text.bytes <= WHET_LISTING_BYTES_MAX);
    } else {
        assert_int_equal(st, WHET_EUNSUPPORTED);
        assert_non_null(strstr(err.msg, "no disassembler found"));
        assert_int_equal(text.bytes, 0);
    }
    whet_buf_deinit(&text);
    whet_image_deinit(&image);
}
