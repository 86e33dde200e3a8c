/* The numbers that the HIP interface is called by: against the vendor's header
 * where it is installed (compared by the compiler then), and among each
 * other. */

#include "device/hip_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#if __has_include(<hip/hip_runtime_api.h>)
#define HAS_HEADER
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

/* The calls as the table has them: same number of arguments, of same sizes and
 * kinds. What the table calls a 64-bit number or a handle is a pointer here. */
#define SAME_CALL(name, ...)                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name),             \
                                                hipError_t (*)(__VA_ARGS__)),  \
                   #name)

_Static_assert(sizeof(hipError_t) == sizeof(int), "codes are ints");
_Static_assert(sizeof(hipDeviceptr_t) == sizeof(uint64_t), "addresses");
_Static_assert(sizeof(hipDevice_t) == sizeof(int), "devices are ints");
_Static_assert(sizeof(hipDeviceAttribute_t) == sizeof(int), "numbers");
_Static_assert(sizeof(hipFunction_attribute) == sizeof(int), "numbers");
_Static_assert(sizeof(hipStream_t) == sizeof(void *), "streams");
_Static_assert(sizeof(hipEvent_t) == sizeof(void *), "events");
_Static_assert(sizeof(hipModule_t) == sizeof(void *), "modules");
_Static_assert(sizeof(hipFunction_t) == sizeof(void *), "functions");
SAME_CALL(hipInit, unsigned);
SAME_CALL(hipDriverGetVersion, int *);
SAME_CALL(hipGetDeviceCount, int *);
SAME_CALL(hipDeviceGetName, char *, int, hipDevice_t);
SAME_CALL(hipDeviceTotalMem, size_t *, hipDevice_t);
SAME_CALL(hipDeviceGetAttribute, int *, hipDeviceAttribute_t, int);
SAME_CALL(hipDeviceGetPCIBusId, char *, int, int);
SAME_CALL(hipSetDevice, int);
SAME_CALL(hipGetDevice, int *);
SAME_CALL(hipPeekAtLastError, void);
SAME_CALL(hipStreamCreateWithFlags, hipStream_t *, unsigned);
SAME_CALL(hipStreamSynchronize, hipStream_t);
SAME_CALL(hipMalloc, void **, size_t);
SAME_CALL(hipMemGetInfo, size_t *, size_t *);
SAME_CALL(hipHostRegister, void *, size_t, unsigned);
SAME_CALL(hipMemcpyDtoHAsync, void *, hipDeviceptr_t, size_t, hipStream_t);
SAME_CALL(hipMemsetD32Async, hipDeviceptr_t, int, size_t, hipStream_t);
SAME_CALL(hipEventCreateWithFlags, hipEvent_t *, unsigned);
SAME_CALL(hipEventRecord, hipEvent_t, hipStream_t);
SAME_CALL(hipEventSynchronize, hipEvent_t);
SAME_CALL(hipEventElapsedTime, float *, hipEvent_t, hipEvent_t);
SAME_CALL(hipModuleLoadData, hipModule_t *, const void *);
SAME_CALL(hipModuleGetFunction, hipFunction_t *, hipModule_t, const char *);
SAME_CALL(hipFuncGetAttribute, int *, hipFunction_attribute, hipFunction_t);
SAME_CALL(hipModuleLaunchKernel, hipFunction_t, unsigned, unsigned, unsigned,
          unsigned, unsigned, unsigned, unsigned, hipStream_t, void **,
          void **);

/* Constants that the worker and hip_api.c use by value. */
_Static_assert(hipStreamNonBlocking == 1, "flag of a stream");
_Static_assert(hipEventDefault == 0, "flag of an event");
_Static_assert(hipHostRegisterDefault == 0, "flag of pinning");
_Static_assert(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK == 0, "items");
_Static_assert(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES == 1, "LDS");
_Static_assert(hipComputeModeDefault == 0, "shared");
_Static_assert(hipComputeModeExclusiveProcess == 3, "one process");
#if HIP_VERSION_MAJOR < 6
SAME_CALL(hipGetDeviceProperties, hipDeviceProp_t *, int);
SAME_CALL(hipMemcpyHtoDAsync, hipDeviceptr_t, void *, size_t, hipStream_t);
_Static_assert(sizeof(hipDeviceProp_t) == 792, "the struct before R0600");
_Static_assert(offsetof(hipDeviceProp_t, gcnArchName) == 396, "its field");
#else
_Static_assert(offsetof(hipDeviceProp_t, gcnArchName) == 1160, "of R0600");
#endif
_Static_assert(sizeof(((hipDeviceProp_t *)NULL)->name) == 256, "its name");

static void test_device_hip_numbers__are_those_of_the_header(void **state)
{
    static const int expected[WHET_GPU_ATTRIBUTE_COUNT] = {
        [WHET_GPU_CU_COUNT] = hipDeviceAttributeMultiprocessorCount,
        [WHET_GPU_WAVE_SIZE] = hipDeviceAttributeWarpSize,
        [WHET_GPU_LDS_GROUP_BYTES] = hipDeviceAttributeMaxSharedMemoryPerBlock,
        [WHET_GPU_LDS_GROUP_OPTIN_BYTES] =
            hipDeviceAttributeSharedMemPerBlockOptin,
        [WHET_GPU_LDS_CU_BYTES] =
            hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
        [WHET_GPU_CU_REGISTERS] =
            hipDeviceAttributeMaxRegistersPerMultiprocessor,
        [WHET_GPU_CU_ITEMS_MAX] = hipDeviceAttributeMaxThreadsPerMultiProcessor,
        [WHET_GPU_GROUP_ITEMS_MAX] = hipDeviceAttributeMaxThreadsPerBlock,
        [WHET_GPU_BLOCK_X_MAX] = hipDeviceAttributeMaxBlockDimX,
        [WHET_GPU_BLOCK_Y_MAX] = hipDeviceAttributeMaxBlockDimY,
        [WHET_GPU_BLOCK_Z_MAX] = hipDeviceAttributeMaxBlockDimZ,
        [WHET_GPU_GRID_X_MAX] = hipDeviceAttributeMaxGridDimX,
        [WHET_GPU_GRID_Y_MAX] = hipDeviceAttributeMaxGridDimY,
        [WHET_GPU_GRID_Z_MAX] = hipDeviceAttributeMaxGridDimZ,
        [WHET_GPU_CLOCK_KHZ] = hipDeviceAttributeClockRate,
        [WHET_GPU_MEMORY_CLOCK_KHZ] = hipDeviceAttributeMemoryClockRate,
        [WHET_GPU_L2_BYTES] = hipDeviceAttributeL2CacheSize,
        [WHET_GPU_ECC] = hipDeviceAttributeEccEnabled,
        [WHET_GPU_PAGEABLE_ACCESS] = hipDeviceAttributePageableMemoryAccess,
        [WHET_GPU_COMPUTE_MODE] = hipDeviceAttributeComputeMode,
        [WHET_GPU_ARCH_MAJOR] = hipDeviceAttributeComputeCapabilityMajor,
        [WHET_GPU_ARCH_MINOR] = hipDeviceAttributeComputeCapabilityMinor,
        [WHET_GPU_PCI_DOMAIN] = hipDeviceAttributePciDomainID,
        [WHET_GPU_PCI_BUS] = hipDeviceAttributePciBusId,
        [WHET_GPU_PCI_DEVICE] = hipDeviceAttributePciDeviceId,
    };
    size_t i;

    (void)state;
    for (i = 0; i < WHET_GPU_ATTRIBUTE_COUNT; i++)
        assert_int_equal(whet_hip__rocm.number[i], expected[i]);
}

static void
test_device_hip_numbers__errors_are_those_of_the_header(void **state)
{
    static const int codes[] = {hipErrorInvalidValue,
                                hipErrorOutOfMemory,
                                hipErrorNoDevice,
                                hipErrorInvalidDevice,
                                hipErrorInvalidImage,
                                hipErrorNoBinaryForGpu,
                                hipErrorInvalidKernelFile,
                                hipErrorSharedObjectInitFailed,
                                hipErrorNotFound,
                                hipErrorIllegalAddress,
                                hipErrorLaunchOutOfResources,
                                hipErrorLaunchFailure,
                                hipErrorRuntimeOther};
    static const char *const names[] = {"hipErrorInvalidValue",
                                        "hipErrorOutOfMemory",
                                        "hipErrorNoDevice",
                                        "hipErrorInvalidDevice",
                                        "hipErrorInvalidImage",
                                        "hipErrorNoBinaryForGpu",
                                        "hipErrorInvalidKernelFile",
                                        "hipErrorSharedObjectInitFailed",
                                        "hipErrorNotFound",
                                        "hipErrorIllegalAddress",
                                        "hipErrorLaunchOutOfResources",
                                        "hipErrorLaunchFailure",
                                        "hipErrorRuntimeOther"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        assert_non_null(whet_hip__explain(codes[i]));
        assert_string_equal(whet_hip__explain(codes[i])->name, names[i]);
    }
}
#else
static void test_device_hip_numbers__are_those_of_the_header(void **state)
{
    (void)state;
    print_message("no hip/hip_runtime_api.h when this was built (package "
                  "libamdhip64-dev)\n");
    skip();
}

static void
test_device_hip_numbers__errors_are_those_of_the_header(void **state)
{
    (void)state;
    skip();
}
#endif

/* In each ABI a number stands for one fact, and DTK's are HIP 4's shifted. */
static void test_device_hip_numbers__fit_together(void **state)
{
    static const whet_hip_numbering *const all[] = {
        &whet_hip__rocm, &whet_hip__hip4, &whet_hip__dtk,
        &whet_hip__dtk_checked, &whet_hip__none};
    size_t a, i, j;

    (void)state;
    for (a = 0; a < sizeof all / sizeof all[0]; a++)
        for (i = 0; i < WHET_GPU_ATTRIBUTE_COUNT; i++)
            for (j = 0; j < i; j++)
                assert_true(all[a]->number[i] == -1 ||
                            all[a]->number[i] != all[a]->number[j]);
    for (i = 0; i < WHET_GPU_ATTRIBUTE_COUNT; i++) {
        int dtk = whet_hip__dtk.number[i],
            checked = whet_hip__dtk_checked.number[i];

        assert_int_equal(whet_hip__none.number[i], -1);
        assert_true(checked == dtk || (checked == -1 && dtk < 25));
        if (dtk >= 0 && dtk < 10000)
            assert_int_equal(dtk, whet_hip__hip4.number[i] + 18);
    }
}

/* --- telling them apart --------------------------------------------------- */

/* A runtime that answers every number with the same. */
static int constant(int *out, int number, int device)
{
    (void)number;
    *out = device == 0 ? 64 : -1;
    return 0;
}

static int refuse(int *out, int number, int device)
{
    (void)number;
    (void)device;
    *out = 64;
    return 1;
}

static void test_device_hip_numbers__are_not_guessed(void **state)
{
    whet_gpu_api api = {.device_attribute = constant};

    (void)state;
    assert_ptr_equal(whet_hip__numbering(&api, true), &whet_hip__none);
    assert_ptr_equal(whet_hip__numbering(&api, false), &whet_hip__none);
    api.device_attribute = refuse;
    assert_ptr_equal(whet_hip__numbering(&api, true), &whet_hip__none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_hip_numbers__are_those_of_the_header),
        cmocka_unit_test(
            test_device_hip_numbers__errors_are_those_of_the_header),
        cmocka_unit_test(test_device_hip_numbers__fit_together),
        cmocka_unit_test(test_device_hip_numbers__are_not_guessed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
