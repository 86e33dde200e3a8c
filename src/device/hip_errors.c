/* Codes of the HIP interface: what each means and what helps. Numbers are those
 * of hipError_t in hip_runtime_api.h (HIP 5.2.3, later ones the same); a code
 * that only one of the two runtimes is known to give says so. */

#include "device/hip_priv.h"

static const whet_gpu_error errors[] = {
    {1, "hipErrorInvalidValue", "an argument is out of range",
     "check grid, block and dynamic LDS of the launch"},
    {2, "hipErrorOutOfMemory", "the device has not so much memory free",
     "use a smaller workload or end what else uses the card"},
    {3, "hipErrorNotInitialized", "the runtime could not start",
     "check that /dev/kfd and /dev/dri can be opened"},
    {4, "hipErrorDeinitialized", "the runtime is shutting down", "run again"},
    {9, "hipErrorInvalidConfiguration",
     "grid or block is zero, too large, or above 2^32 work-items together",
     "use fewer work-items per launch"},
    {13, "hipErrorInvalidSymbol", "the image lacks a global variable",
     "declare it in the kernel's file"},
    {17, "hipErrorInvalidDevicePointer", "an address is not of this device",
     "keep to the buffers that the plan names"},
    {21, "hipErrorInvalidMemcpyDirection", "a copy names the wrong direction",
     "report this: the copies are not the kernel's"},
    {35, "hipErrorInsufficientDriver",
     "the kernel driver is older than the runtime needs",
     "update the kernel driver or use an older runtime"},
    {52, "hipErrorMissingConfiguration", "a launch lacks its configuration",
     "report this: launches are not the kernel's"},
    {53, "hipErrorPriorLaunchFailure", "an earlier launch failed",
     "see the first failure"},
    {98, "hipErrorInvalidDeviceFunction",
     "the kernel is not built for this architecture",
     "build for the architecture that `whet devices` shows"},
    {100, "hipErrorNoDevice", "the runtime sees no device",
     "check the kernel driver (amdgpu, or hycu for DCUs), the groups render "
     "and video, and *_VISIBLE_DEVICES"},
    {101, "hipErrorInvalidDevice",
     "there is no device of this number, or at the start none at all",
     "see `whet devices`; *_VISIBLE_DEVICES renumber; at the start also where "
     "libamd_comgr is missing"},
    {200, "hipErrorInvalidImage", "the image is no code object",
     "build again; the cache folder may be damaged"},
    {201, "hipErrorInvalidContext", "the context is gone",
     "see the first failure"},
    {205, "hipErrorMapFailed", "memory could not be mapped",
     "check the limit of locked memory (ulimit -l)"},
    {206, "hipErrorUnmapFailed", "memory could not be unmapped", "run again"},
    {208, "hipErrorAlreadyMapped", "memory is mapped already", "run again"},
    {209, "hipErrorNoBinaryForGpu",
     "the image holds no code for this architecture",
     "build for what `whet devices` shows; sramecc and xnack must match too"},
    {214, "hipErrorECCNotCorrectable", "the memory has a hard error",
     "take the card out of service and look into the kernel's log"},
    {215, "hipErrorUnsupportedLimit", "the device has no such limit",
     "update the runtime"},
    {216, "hipErrorContextAlreadyInUse", "another process holds the device",
     "wait or choose another card"},
    {217, "hipErrorPeerAccessUnsupported", "the cards cannot reach each other",
     "use one card"},
    {218, "hipErrorInvalidKernelFile",
     "DTK cannot read the code object or finds no code for this architecture",
     "list the architectures inside it and build for the device's"},
    {300, "hipErrorInvalidSource", "the source cannot be compiled",
     "see the compiler's message"},
    {301, "hipErrorFileNotFound", "the runtime misses a file of its own",
     "reinstall the runtime; check ROCM_PATH"},
    {302, "hipErrorSharedObjectSymbolNotFound",
     "a library of the runtime lacks a symbol",
     "do not mix libraries of two releases in LD_LIBRARY_PATH"},
    {303, "hipErrorSharedObjectInitFailed",
     "a library of the runtime could not start",
     "install what `ldd` shows as missing (often libamd_comgr or "
     "libhsa-runtime64)"},
    {304, "hipErrorOperatingSystem", "the operating system refused a call",
     "check the kernel's log and the rights on /dev/kfd"},
    {400, "hipErrorInvalidHandle", "a stream, event or module is not valid",
     "see the first failure"},
    {401, "hipErrorIllegalState", "a resource is in the wrong state",
     "run again"},
    {500, "hipErrorNotFound", "the image has no kernel of this name",
     "declare it extern \"C\" and check the plan's spelling"},
    {600, "hipErrorNotReady", "work is still under way", "wait for it"},
    {700, "hipErrorIllegalAddress",
     "the kernel touched memory that is not its "
     "own",
     "check index arithmetic at the edges of the buffers"},
    {701, "hipErrorLaunchOutOfResources",
     "the launch needs more registers or LDS than there are",
     "use smaller groups or less LDS"},
    {702, "hipErrorLaunchTimeOut", "the kernel ran too long",
     "look for an endless loop"},
    {704, "hipErrorPeerAccessAlreadyEnabled", "peer access is on already",
     "use one card"},
    {705, "hipErrorPeerAccessNotEnabled", "peer access is off", "use one card"},
    {708, "hipErrorSetOnActiveProcess", "the device is in use already",
     "run again"},
    {709, "hipErrorContextIsDestroyed", "the context is gone",
     "see the first failure"},
    {710, "hipErrorAssert", "the kernel's assert failed",
     "read the kernel's output"},
    {712, "hipErrorHostMemoryAlreadyRegistered",
     "the host memory is pinned already", "run again"},
    {713, "hipErrorHostMemoryNotRegistered", "the host memory is not pinned",
     "run again"},
    {719, "hipErrorLaunchFailure", "the kernel died on the device",
     "check addresses and barriers; on DCUs also that the group is not larger "
     "than the kernel was built for"},
    {720, "hipErrorCooperativeLaunchTooLarge",
     "the groups do not fit on the device together", "launch fewer groups"},
    {801, "hipErrorNotSupported", "this runtime or device cannot do that",
     "update the runtime"},
    {900, "hipErrorStreamCaptureUnsupported",
     "not allowed while a graph is captured", "run without capture"},
    {999, "hipErrorUnknown", "the runtime gives no reason",
     "look into the kernel's log (dmesg)"},
    {1052, "hipErrorRuntimeMemory", "the HSA layer ran out of memory",
     "end what else uses the card"},
    {1053, "hipErrorRuntimeOther", "the HSA layer failed",
     "look into the kernel's log (dmesg)"},
};

const whet_gpu_error *whet_hip__errors(size_t *count_out)
{
    *count_out = sizeof errors / sizeof errors[0];
    return errors;
}

const whet_gpu_error *whet_hip__explain(int code)
{
    size_t i;

    for (i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == code)
            return &errors[i];
    return NULL;
}
