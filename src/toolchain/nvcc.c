/* The nvcc toolchain: CUDA C++ to a cubin for one architecture. Its row in
 * compilers.c has the flags. */

#include "toolchain/compilers_priv.h"

#define FAST "--use_fast_math"

enum { EM_CUDA_MACHINE = 190 };

static const char *const languages[] = {"cuda", "portable", NULL};
static const char *const strict_options[] = {NULL};
static const char *const relaxed_options[] = {FAST, NULL};

static const whet_compiler_family family = {
    .toolchain = "nvcc",
    .config_name = "WHET_NVCC",
    .fast_option = FAST,
    .source_name = WHET_TOOLCHAIN__FILE ".cu",
    .image_name = WHET_TOOLCHAIN__FILE ".cubin",
    .machine = EM_CUDA_MACHINE,
    .remedy = "install the CUDA toolkit's compiler"};

static const char *const *options_for(bool allows_relaxed_maths)
{
    return allows_relaxed_maths ? relaxed_options : strict_options;
}

static whet_status identify(char text[256], uint32_t device_index,
                            whet_err *err)
{
    (void)device_index;
    return whet_compiler__identify(text, &family, err);
}

whet_status whet_nvcc__build(whet_image *image, whet_diagnostic *diagnostic,
                             whet_buf *log, const whet_build_request *request,
                             whet_err *err)
{
    return whet_compiler__build(image, diagnostic, log, &family, request, err);
}

static whet_status build(whet_image *image, whet_diagnostic *diagnostic,
                         const whet_build_request *request, whet_err *err)
{
    return whet_nvcc__build(image, diagnostic, NULL, request, err);
}

static whet_status listing(whet_buf *out, const whet_image *image,
                           const whet_build_request *request, whet_err *err)
{
    return whet_compiler__disassemble(out, image, "nvcc", NULL, request, err);
}

const whet_toolchain_ops whet_toolchain_nvcc = {
    .name = "nvcc",
    .summary = "CUDA C++ with nvcc",
    .languages = languages,
    .identify = identify,
    .options = options_for,
    .build = build,
    .listing = listing,
    .child_main = whet_compiler__child_main,
};
