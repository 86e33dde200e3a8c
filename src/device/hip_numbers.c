/* Attribute numbers of the HIP interface's ABIs, and telling which one a loaded
 * runtime speaks: by its answers, since releases of one vendor differ too. */

#include "device/hip_priv.h"

/* hipDeviceAttribute_t of HIP 5.2.3; tests compare it with the header. Later
 * releases append only. */
const whet_hip_numbering whet_hip__rocm = {
    .name = "ROCm",
    .number =
        {
            [WHET_GPU_CU_COUNT] = 63,
            [WHET_GPU_WAVE_SIZE] = 87,
            [WHET_GPU_LDS_GROUP_BYTES] = 74,
            [WHET_GPU_LDS_GROUP_OPTIN_BYTES] = 75,
            [WHET_GPU_LDS_CU_BYTES] = 10002,
            [WHET_GPU_CU_REGISTERS] = 72,
            [WHET_GPU_CU_ITEMS_MAX] = 57,
            [WHET_GPU_GROUP_ITEMS_MAX] = 56,
            [WHET_GPU_BLOCK_X_MAX] = 26,
            [WHET_GPU_BLOCK_Y_MAX] = 27,
            [WHET_GPU_BLOCK_Z_MAX] = 28,
            [WHET_GPU_GRID_X_MAX] = 29,
            [WHET_GPU_GRID_Y_MAX] = 30,
            [WHET_GPU_GRID_Z_MAX] = 31,
            [WHET_GPU_CLOCK_KHZ] = 5,
            [WHET_GPU_MEMORY_CLOCK_KHZ] = 60,
            [WHET_GPU_L2_BYTES] = 19,
            [WHET_GPU_ECC] = 0,
            [WHET_GPU_PAGEABLE_ACCESS] = 65,
            [WHET_GPU_COMPUTE_MODE] = 6,
            [WHET_GPU_ARCH_MAJOR] = 23,
            [WHET_GPU_ARCH_MINOR] = 61,
            [WHET_GPU_PCI_DOMAIN] = 69,
            [WHET_GPU_PCI_BUS] = 67,
            [WHET_GPU_PCI_DEVICE] = 68,
        },
};

/* Position in the enumeration, which had no explicit values. It knows no
 * registers of a compute unit, no opt-in LDS and no PCI domain. */
const whet_hip_numbering whet_hip__hip4 = {
    .name = "HIP 4",
    .number =
        {
            [WHET_GPU_CU_COUNT] = 14,
            [WHET_GPU_WAVE_SIZE] = 9,
            [WHET_GPU_LDS_GROUP_BYTES] = 7,
            [WHET_GPU_LDS_GROUP_OPTIN_BYTES] = -1,
            [WHET_GPU_LDS_CU_BYTES] = 23,
            [WHET_GPU_CU_REGISTERS] = -1,
            [WHET_GPU_CU_ITEMS_MAX] = 17,
            [WHET_GPU_GROUP_ITEMS_MAX] = 0,
            [WHET_GPU_BLOCK_X_MAX] = 1,
            [WHET_GPU_BLOCK_Y_MAX] = 2,
            [WHET_GPU_BLOCK_Z_MAX] = 3,
            [WHET_GPU_GRID_X_MAX] = 4,
            [WHET_GPU_GRID_Y_MAX] = 5,
            [WHET_GPU_GRID_Z_MAX] = 6,
            [WHET_GPU_CLOCK_KHZ] = 11,
            [WHET_GPU_MEMORY_CLOCK_KHZ] = 12,
            [WHET_GPU_L2_BYTES] = 16,
            [WHET_GPU_ECC] = 41,
            [WHET_GPU_PAGEABLE_ACCESS] = 50,
            [WHET_GPU_COMPUTE_MODE] = 15,
            [WHET_GPU_ARCH_MAJOR] = 18,
            [WHET_GPU_ARCH_MINOR] = 19,
            [WHET_GPU_PCI_DOMAIN] = -1,
            [WHET_GPU_PCI_BUS] = 21,
            [WHET_GPU_PCI_DEVICE] = 22,
        },
};

/* DTK 26.04. 25, 27, 28, 32, 34-37 and 10002 were checked on a card against
 * PyTorch's properties by their source (FlagOS, torch_fl/dcu compatibility
 * module, Apache-2.0, which cites DTK's hip_runtime_defines.h). They are HIP
 * 4's order shifted by 18, so what lies between two of them follows: clocks
 * (29, 30), compute mode (33), PCI bus and device (39, 40). What precedes them
 * (18 to 24) is inferred from the same order alone, so its answers are used
 * only where they make sense. */
const whet_hip_numbering whet_hip__dtk = {
    .name = "DTK",
    .number =
        {
            [WHET_GPU_CU_COUNT] = 32,
            [WHET_GPU_WAVE_SIZE] = 27,
            [WHET_GPU_LDS_GROUP_BYTES] = 25,
            [WHET_GPU_LDS_GROUP_OPTIN_BYTES] = -1,
            [WHET_GPU_LDS_CU_BYTES] = 10002,
            [WHET_GPU_CU_REGISTERS] = -1,
            [WHET_GPU_CU_ITEMS_MAX] = 35,
            [WHET_GPU_GROUP_ITEMS_MAX] = 18,
            [WHET_GPU_BLOCK_X_MAX] = 19,
            [WHET_GPU_BLOCK_Y_MAX] = 20,
            [WHET_GPU_BLOCK_Z_MAX] = 21,
            [WHET_GPU_GRID_X_MAX] = 22,
            [WHET_GPU_GRID_Y_MAX] = 23,
            [WHET_GPU_GRID_Z_MAX] = 24,
            [WHET_GPU_CLOCK_KHZ] = 29,
            [WHET_GPU_MEMORY_CLOCK_KHZ] = 30,
            [WHET_GPU_L2_BYTES] = 34,
            [WHET_GPU_ECC] = -1,
            [WHET_GPU_PAGEABLE_ACCESS] = -1,
            [WHET_GPU_COMPUTE_MODE] = 33,
            [WHET_GPU_ARCH_MAJOR] = 36,
            [WHET_GPU_ARCH_MINOR] = 37,
            [WHET_GPU_PCI_DOMAIN] = -1,
            [WHET_GPU_PCI_BUS] = 39,
            [WHET_GPU_PCI_DEVICE] = 40,
        },
};

/* The same without what is inferred. */
const whet_hip_numbering whet_hip__dtk_checked = {
    .name = "DTK, checked",
    .number =
        {
            [WHET_GPU_CU_COUNT] = 32,
            [WHET_GPU_WAVE_SIZE] = 27,
            [WHET_GPU_LDS_GROUP_BYTES] = 25,
            [WHET_GPU_LDS_GROUP_OPTIN_BYTES] = -1,
            [WHET_GPU_LDS_CU_BYTES] = 10002,
            [WHET_GPU_CU_REGISTERS] = -1,
            [WHET_GPU_CU_ITEMS_MAX] = 35,
            [WHET_GPU_GROUP_ITEMS_MAX] = -1,
            [WHET_GPU_BLOCK_X_MAX] = -1,
            [WHET_GPU_BLOCK_Y_MAX] = -1,
            [WHET_GPU_BLOCK_Z_MAX] = -1,
            [WHET_GPU_GRID_X_MAX] = -1,
            [WHET_GPU_GRID_Y_MAX] = -1,
            [WHET_GPU_GRID_Z_MAX] = -1,
            [WHET_GPU_CLOCK_KHZ] = 29,
            [WHET_GPU_MEMORY_CLOCK_KHZ] = 30,
            [WHET_GPU_L2_BYTES] = 34,
            [WHET_GPU_ECC] = -1,
            [WHET_GPU_PAGEABLE_ACCESS] = -1,
            [WHET_GPU_COMPUTE_MODE] = 33,
            [WHET_GPU_ARCH_MAJOR] = 36,
            [WHET_GPU_ARCH_MINOR] = 37,
            [WHET_GPU_PCI_DOMAIN] = -1,
            [WHET_GPU_PCI_BUS] = 39,
            [WHET_GPU_PCI_DEVICE] = 40,
        },
};

const whet_hip_numbering whet_hip__none = {
    .name = "unknown",
    .number = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
               -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
};

/* A range that no other attribute's answer is likely to fall into; all of them
 * together tell the numberings apart. */
static const struct {
    whet_gpu_attribute attribute;
    int low, high, multiple;
} anchors[] = {
    {WHET_GPU_WAVE_SIZE, 32, 64, 32},
    {WHET_GPU_CU_COUNT, 1, 4096, 1},
    {WHET_GPU_LDS_GROUP_BYTES, 16 << 10, 1 << 20, 1024},
    {WHET_GPU_CU_ITEMS_MAX, 256, 8192, 64},
    {WHET_GPU_ARCH_MAJOR, 1, 99, 1},
};

static bool makes_sense(const whet_gpu_api *api,
                        const whet_hip_numbering *numbering)
{
    size_t i;

    for (i = 0; i < sizeof anchors / sizeof anchors[0]; i++) {
        int value = 0;

        if (api->device_attribute(
                &value, numbering->number[anchors[i].attribute], 0) != 0 ||
            value < anchors[i].low || value > anchors[i].high ||
            value % anchors[i].multiple != 0)
            return false;
    }
    return true;
}

/* Do the inferred numbers give limits of a launch? */
static bool has_limits(const whet_gpu_api *api,
                       const whet_hip_numbering *numbering)
{
    static const struct {
        whet_gpu_attribute attribute;
        int low, high;
    } rows[] = {
        {WHET_GPU_GROUP_ITEMS_MAX, 256, 4096},
        {WHET_GPU_BLOCK_X_MAX, 256, 4096},
        {WHET_GPU_BLOCK_Y_MAX, 256, 4096},
        {WHET_GPU_BLOCK_Z_MAX, 64, 4096},
        {WHET_GPU_GRID_X_MAX, 65535, INT32_MAX},
        {WHET_GPU_GRID_Y_MAX, 65535, INT32_MAX},
        {WHET_GPU_GRID_Z_MAX, 65535, INT32_MAX},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int value = 0;

        if (api->device_attribute(&value, numbering->number[rows[i].attribute],
                                  0) != 0 ||
            value < rows[i].low || value > rows[i].high)
            return false;
    }
    return true;
}

const whet_hip_numbering *whet_hip__numbering(const whet_gpu_api *api,
                                              bool prefers_dtk)
{
    const whet_hip_numbering *const rocm_first[] = {
        &whet_hip__rocm, &whet_hip__hip4, &whet_hip__dtk};
    const whet_hip_numbering *const dtk_first[] = {
        &whet_hip__dtk, &whet_hip__hip4, &whet_hip__rocm};
    const whet_hip_numbering *const *order =
        prefers_dtk ? dtk_first : rocm_first;
    size_t i;

    for (i = 0; i < 3; i++)
        if (makes_sense(api, order[i]))
            return order[i] == &whet_hip__dtk && !has_limits(api, order[i])
                       ? &whet_hip__dtk_checked
                       : order[i];
    return &whet_hip__none;
}
