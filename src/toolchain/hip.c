/* The hip toolchain: HIP C++ to a code object through whichever compiler is
 * configured or found. Their rows in compilers.c have the flags. */

#include "toolchain/compilers_priv.h"

#define FAST "-ffast-math"

enum { EM_AMDGPU_MACHINE = 224 };

static const char *const languages[] = {"hip", "portable", NULL};
static const char *const strict_options[] = {NULL};
static const char *const relaxed_options[] = {FAST, NULL};

static const whet_compiler_family family = {
    .toolchain = "hip",
    .config_name = "WHET_HIP_COMPILER",
    .fast_option = FAST,
    .source_name = WHET_TOOLCHAIN__FILE ".hip",
    .image_name = WHET_TOOLCHAIN__FILE ".hsaco",
    .machine = EM_AMDGPU_MACHINE,
    .remedy = "install DTK, ROCm or the packages hipcc and libamdhip64-dev"};

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

whet_status whet_hip__build(whet_image *image, whet_diagnostic *diagnostic,
                            whet_buf *log, const whet_build_request *request,
                            whet_err *err)
{
    return whet_compiler__build(image, diagnostic, log, &family, request, err);
}

static whet_status build(whet_image *image, whet_diagnostic *diagnostic,
                         const whet_build_request *request, whet_err *err)
{
    return whet_hip__build(image, diagnostic, NULL, request, err);
}

static whet_status listing(whet_buf *out, const whet_image *image,
                           const whet_build_request *request, whet_err *err)
{
    return whet_compiler__listing(out, image, &family, request, err);
}

const whet_toolchain_ops whet_toolchain_hip = {
    .name = "hip",
    .summary = "HIP C++ with dcc, hipcc, amdclang++ or clang",
    .languages = languages,
    .identify = identify,
    .options = options_for,
    .build = build,
    .listing = listing,
    .child_main = whet_compiler__child_main,
};
