#ifndef WHET_DEVICE_CUDA_PRIV_H
#define WHET_DEVICE_CUDA_PRIV_H

/* Between the files of the CUDA back-end, and for a library's calls in its
 * worker. */

#include "device/gpu_priv.h"

/** Opens a driver that sees devices and fills the table; call it in children
 *  and workers only. $WHET_CUDA_LIBRARY names the file in the place of all
 *  that are looked for.
 *
 * @param api        `vendor` is for the caller to free
 * @param count_out  devices seen, at least 1
 * @return WHET_EUNSUPPORTED with the reason and the remedy
 */
whet_status whet_cuda__load(whet_gpu_api *api, int *count_out, whet_err *err);

/** Row of an error code (CUresult of the driver interface), or NULL. */
const whet_gpu_error *whet_cuda__explain(int code);

/** All rows, by code; for tests. */
const whet_gpu_error *whet_cuda__errors(size_t *count_out);

/** Attribute numbers of the driver interface, as whet_gpu_api.numbering. They
 *  are those of enum CUdevice_attribute in cuda.h, which NVIDIA documents as
 *  part of the driver interface and has only ever added to. */
extern const int whet_cuda__numbering[WHET_GPU_ATTRIBUTE_COUNT];

/** Architecture text for the toolchains: "sm_80", and from 9.0 on, where
 *  there is code for exactly one architecture, "sm_90a". */
void whet_cuda__arch(char *text, size_t text_bytes, int major, int minor);

/** Release of the kernel module in the text of /proc/driver/nvidia/version:
 *  "580.65.06", or "" if there is none. */
void whet_cuda__release(char *text, size_t text_bytes, const char *version);

#endif /* WHET_DEVICE_CUDA_PRIV_H */
