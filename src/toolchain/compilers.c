/* The compilers and disassemblers we know, as data: a new one is a new row
 * here and nothing else. Flags that are not obvious say where they come from.
 */

#include "toolchain/compilers_priv.h"

/* Fused multiply-add stays as each compiler has it by default; nothing may be
 * reassociated unless fast maths are asked for. */

/* {cc} and {arch} together leave machine code for this architecture alone: no
 * PTX that a driver would have to compile. */
static const whet_compiler_word nvcc_words[] = {
    {"-gencode=arch=compute_{cc},code={arch}", WHET_WHEN_ALWAYS},
    {"-cubin", WHET_WHEN_ALWAYS},
    {"-O3", WHET_WHEN_ALWAYS},
    {"--use_fast_math", WHET_WHEN_FAST},
    {"-Xcompiler", WHET_WHEN_OPENMP},
    {"-fopenmp", WHET_WHEN_OPENMP},
    {"{options}", WHET_WHEN_ALWAYS},
    {"-std=c++17", WHET_WHEN_ALWAYS},
    {"-lineinfo", WHET_WHEN_ALWAYS},
    {"-Xptxas", WHET_WHEN_ALWAYS},
    {"-v", WHET_WHEN_ALWAYS},
    {"{defines}", WHET_WHEN_ALWAYS},
    {"-include", WHET_WHEN_ALWAYS},
    {"{header}", WHET_WHEN_ALWAYS},
    {"-o", WHET_WHEN_ALWAYS},
    {"{output}", WHET_WHEN_ALWAYS},
    {"{source}", WHET_WHEN_ALWAYS},
    {NULL, WHET_WHEN_ALWAYS},
};

/* What follows the architecture is the same for all of clang's family. Fast
 * maths without -fno-finite-math-only would let the compiler assume that no
 * NaN and no infinity occurs: softmax starts from one, and the judge's poison
 * is made of NaN. Without -c and --no-gpu-bundle-output some drivers link or
 * bundle the code object. */
#define CLANG_TAIL(output)                                                     \
    {"-O3", WHET_WHEN_ALWAYS}, {"-ffast-math", WHET_WHEN_FAST},                \
        {"-Xclang", WHET_WHEN_OPENMP}, {"-fopenmp", WHET_WHEN_OPENMP},         \
        {"{options}", WHET_WHEN_ALWAYS},                                       \
        {"-fno-finite-math-only", WHET_WHEN_FAST},                             \
        {"-std=c++17", WHET_WHEN_ALWAYS}, {output, WHET_WHEN_ALWAYS},          \
        {"--cuda-device-only", WHET_WHEN_ALWAYS},                              \
        {"--no-gpu-bundle-output", WHET_WHEN_ALWAYS},                          \
        {"-Rpass-analysis=kernel-resource-usage", WHET_WHEN_ALWAYS},           \
        {"{defines}", WHET_WHEN_ALWAYS}, {"-include", WHET_WHEN_ALWAYS},       \
        {"hip/hip_runtime.h", WHET_WHEN_ALWAYS},                               \
        {"-include", WHET_WHEN_ALWAYS}, {"{header}", WHET_WHEN_ALWAYS},        \
        {"-o", WHET_WHEN_ALWAYS}, {"{output}", WHET_WHEN_ALWAYS},              \
        {"{source}", WHET_WHEN_ALWAYS},                                        \
    {                                                                          \
        NULL, WHET_WHEN_ALWAYS                                                 \
    }

#define HIP_HEAD                                                               \
    {"-x", WHET_WHEN_ALWAYS},                                                  \
    {                                                                          \
        "hip", WHET_WHEN_ALWAYS                                                \
    }

/* DTK's compiler keeps clang's older spelling of the architecture. */
#define DCC_HEAD                                                               \
    HIP_HEAD,                                                                  \
    {                                                                          \
        "--cuda-gpu-arch={arch}", WHET_WHEN_ALWAYS                             \
    }
#define OFFLOAD_HEAD                                                           \
    HIP_HEAD,                                                                  \
    {                                                                          \
        "--offload-arch={arch}", WHET_WHEN_ALWAYS                              \
    }
#define ROCM_HEAD                                                              \
    OFFLOAD_HEAD, {"--rocm-path={rocm}", WHET_WHEN_ALWAYS},                    \
    {                                                                          \
        "--rocm-device-lib-path={bitcode}", WHET_WHEN_ALWAYS                   \
    }

static const whet_compiler_word dcc_words[] = {DCC_HEAD, CLANG_TAIL("-c")};
static const whet_compiler_word dcc_listing[] = {DCC_HEAD, CLANG_TAIL("-S")};
static const whet_compiler_word offload_words[] = {OFFLOAD_HEAD,
                                                   CLANG_TAIL("-c")};
static const whet_compiler_word offload_listing[] = {OFFLOAD_HEAD,
                                                     CLANG_TAIL("-S")};
static const whet_compiler_word rocm_words[] = {ROCM_HEAD, CLANG_TAIL("-c")};
static const whet_compiler_word rocm_listing[] = {ROCM_HEAD, CLANG_TAIL("-S")};

static const char *const cuda_bins[] = {
    "$CUDA_HOME/bin",        "$CUDA_PATH/bin", "/usr/local/cuda/bin",
    "/usr/local/cuda-*/bin", "/opt/cuda/bin",  NULL};
static const char *const dtk_bins[] = {"$DTKROOT/bin",
                                       "$DTKROOT/llvm/bin",
                                       "$DTK_ROOT/bin",
                                       "$DTK_ROOT/llvm/bin",
                                       "$ROCM_PATH/bin",
                                       "$ROCM_PATH/llvm/bin",
                                       "/opt/dtk/bin",
                                       "/opt/dtk/llvm/bin",
                                       "/opt/dtk-*/bin",
                                       "/opt/dtk-*/llvm/bin",
                                       NULL};
static const char *const rocm_bins[] = {"$ROCM_PATH/bin",
                                        "$ROCM_PATH/llvm/bin",
                                        "$ROCM_PATH/lib/llvm/bin",
                                        "$HIP_PATH/bin",
                                        "/opt/rocm/bin",
                                        "/opt/rocm/llvm/bin",
                                        "/opt/rocm-*/bin",
                                        "/opt/rocm-*/llvm/bin",
                                        "/opt/dtk/bin",
                                        "/opt/dtk/llvm/bin",
                                        "/opt/dtk-*/bin",
                                        "/opt/dtk-*/llvm/bin",
                                        "/usr/lib/llvm-*/bin",
                                        NULL};

/* NVCC_CCBIN names the host compiler, for machines whose default is newer
 * than nvcc takes. */
static const char *const nvcc_env[] = {"NVCC_CCBIN", NULL};
static const char *const hip_env[] = {
    "ROCM_PATH",       "HIP_PATH", "HIP_CLANG_PATH", "HIP_DEVICE_LIB_PATH",
    "DEVICE_LIB_PATH", "DTKROOT",  "DTK_ROOT",       NULL};
static const char *const no_env[] = {NULL};

static const char *const nvcc_programs[] = {"nvcc", NULL};
static const char *const dcc_programs[] = {"dcc", NULL};
static const char *const hipcc_programs[] = {"hipcc", NULL};
static const char *const amdclang_programs[] = {"amdclang++", "amdclang", NULL};
/* Debian's names; the oldest that reads its ROCm bitcode is 15. */
static const char *const clang_programs[] = {
    "clang++-19", "clang-19",   "clang++-18", "clang-18",   "clang++-17",
    "clang-17",   "clang++-16", "clang-16",   "clang++-15", "clang-15",
    "clang++",    "clang",      NULL};

static const whet_compiler nvcc = {.name = "nvcc",
                                   .toolchain = "nvcc",
                                   .programs = nvcc_programs,
                                   .folders = cuda_bins,
                                   .env = nvcc_env,
                                   .words = nvcc_words};
static const whet_compiler dcc = {.name = "dcc",
                                  .toolchain = "hip",
                                  .programs = dcc_programs,
                                  .folders = dtk_bins,
                                  .env = hip_env,
                                  .words = dcc_words,
                                  .listing = dcc_listing};
static const whet_compiler hipcc = {.name = "hipcc",
                                    .toolchain = "hip",
                                    .programs = hipcc_programs,
                                    .folders = rocm_bins,
                                    .env = hip_env,
                                    .words = offload_words,
                                    .listing = offload_listing};
static const whet_compiler amdclang = {.name = "amdclang++",
                                       .toolchain = "hip",
                                       .programs = amdclang_programs,
                                       .folders = rocm_bins,
                                       .env = hip_env,
                                       .words = offload_words,
                                       .listing = offload_listing};
static const whet_compiler clang = {.name = "clang",
                                    .toolchain = "hip",
                                    .programs = clang_programs,
                                    .folders = rocm_bins,
                                    .env = hip_env,
                                    .needs_rocm = true,
                                    .words = rocm_words,
                                    .listing = rocm_listing};

const whet_compiler *const whet_compilers__rows[] = {&nvcc,     &dcc,   &hipcc,
                                                     &amdclang, &clang, NULL};

static const whet_compiler_word nvdisasm_words[] = {
    {"-c", WHET_WHEN_ALWAYS}, /* code alone, no data sections */
    {"{source}", WHET_WHEN_ALWAYS},
    {NULL, WHET_WHEN_ALWAYS},
};
static const whet_compiler_word cuobjdump_words[] = {
    {"-sass", WHET_WHEN_ALWAYS},
    {"{source}", WHET_WHEN_ALWAYS},
    {NULL, WHET_WHEN_ALWAYS},
};
static const whet_compiler_word objdump_words[] = {
    {"-d", WHET_WHEN_ALWAYS},
    {"--mcpu={arch}", WHET_WHEN_ALWAYS},
    {"{source}", WHET_WHEN_ALWAYS},
    {NULL, WHET_WHEN_ALWAYS},
};

static const char *const nvdisasm_programs[] = {"nvdisasm", NULL};
static const char *const cuobjdump_programs[] = {"cuobjdump", NULL};
static const char *const objdump_programs[] = {"llvm-objdump",
                                               "llvm-objdump-19",
                                               "llvm-objdump-18",
                                               "llvm-objdump-17",
                                               "llvm-objdump-16",
                                               "llvm-objdump-15",
                                               NULL};

static const whet_compiler nvdisasm = {.name = "nvdisasm",
                                       .toolchain = "nvcc",
                                       .programs = nvdisasm_programs,
                                       .folders = cuda_bins,
                                       .env = no_env,
                                       .words = nvdisasm_words};
static const whet_compiler cuobjdump = {.name = "cuobjdump",
                                        .toolchain = "nvcc",
                                        .programs = cuobjdump_programs,
                                        .folders = cuda_bins,
                                        .env = no_env,
                                        .words = cuobjdump_words};
static const whet_compiler objdump = {.name = "llvm-objdump",
                                      .toolchain = "hip",
                                      .programs = objdump_programs,
                                      .folders = rocm_bins,
                                      .env = no_env,
                                      .words = objdump_words};

const whet_compiler *const whet_compilers__listers[] = {&nvdisasm, &cuobjdump,
                                                        &objdump, NULL};

const char *const whet_compilers__rocm_folders[] = {
    "$ROCM_PATH", "/opt/rocm", "/opt/rocm-*", "/usr", NULL};

/* Debian keeps the bitcode apart from the rest. */
const char *const whet_compilers__bitcode_folders[] = {
    "$HIP_DEVICE_LIB_PATH",
    "$DEVICE_LIB_PATH",
    "$ROCM_PATH/amdgcn/bitcode",
    "$ROCM_PATH/lib/llvm/lib/clang/*/lib/amdgcn/bitcode",
    "/opt/rocm/amdgcn/bitcode",
    "/opt/rocm-*/amdgcn/bitcode",
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/*/amdgcn/bitcode",
    "/usr/amdgcn/bitcode",
    NULL};
