#ifndef WHET_DEVICE_GPU_PRIV_H
#define WHET_DEVICE_GPU_PRIV_H

/* GPUs behind a driver of the two families that are shaped alike: one table of
 * calls, one worker over it. A vendor's file fills the table from its library
 * (symbol names, calling details, attribute numbers) and names its errors.
 *
 * A driver is opened only in children (`whet __device NAME list`) and workers,
 * never in the supervisor, and never closed again: exit handlers of some crash
 * afterwards. The null stream is never used. */

#include "device/device.h"

enum {
    WHET_GPU__PATH_MAX = 32, /**< Candidate libraries looked at. */
    WHET_GPU__SLOT_MAX = 64
};

/** An error of a vendor's interface: what it means and what helps. */
typedef struct whet_gpu_error {
    int code;
    const char *name; /**< "CUDA_ERROR_OUT_OF_MEMORY" */
    const char *cause;
    const char *remedy;
} whet_gpu_error;

/** Facts that drivers tell by number; each vendor maps them to its own
 *  numbering (per ABI), see whet_gpu_api.numbering. */
typedef enum whet_gpu_attribute {
    WHET_GPU_CU_COUNT,
    WHET_GPU_WAVE_SIZE,
    WHET_GPU_LDS_GROUP_BYTES,       /**< Without opting in. */
    WHET_GPU_LDS_GROUP_OPTIN_BYTES, /**< Most, with opting in. */
    WHET_GPU_LDS_CU_BYTES,
    WHET_GPU_CU_REGISTERS,
    WHET_GPU_CU_ITEMS_MAX,
    WHET_GPU_GROUP_ITEMS_MAX,
    WHET_GPU_BLOCK_X_MAX,
    WHET_GPU_BLOCK_Y_MAX,
    WHET_GPU_BLOCK_Z_MAX,
    WHET_GPU_GRID_X_MAX,
    WHET_GPU_GRID_Y_MAX,
    WHET_GPU_GRID_Z_MAX,
    WHET_GPU_CLOCK_KHZ,
    WHET_GPU_MEMORY_CLOCK_KHZ,
    WHET_GPU_L2_BYTES,
    WHET_GPU_ECC,
    WHET_GPU_PAGEABLE_ACCESS,
    WHET_GPU_COMPUTE_MODE, /**< 0 = shared, 3 = one process (both families). */
    WHET_GPU_ARCH_MAJOR,
    WHET_GPU_ARCH_MINOR,
    WHET_GPU_PCI_DOMAIN,
    WHET_GPU_PCI_BUS,
    WHET_GPU_PCI_DEVICE,
    WHET_GPU_ATTRIBUTE_COUNT
} whet_gpu_attribute;

/** Opaque handles of the vendor. */
typedef void *whet_gpu_handle;

/** The calls in use. All return the vendor's code, 0 = success. Device memory
 *  is a 64-bit number in both families. */
typedef struct whet_gpu_api {
    const char *name;  /**< "CUDA", "HIP": for messages. */
    char library[256]; /**< The one that was taken, and why. */
    /** Attribute numbers of this ABI, WHET_GPU_ATTRIBUTE_COUNT of them in the
     *  order of whet_gpu_attribute; -1 = it has no such attribute. Static. */
    const int *numbering;
    /** Images are ELF files for this machine (e_machine), checked before the
     *  driver sees one: 190 CUDA, 224 AMDGPU; 0 = not checked at all. */
    unsigned elf_machine;

    int (*init)(unsigned flags);
    int (*driver_version)(int *out);
    int (*device_count)(int *out);
    int (*device_name)(char *out, int bytes, int device);
    int (*device_memory)(size_t *out, int device);
    int (*device_attribute)(int *out, int number, int device);
    int (*device_pci)(char *out, int bytes, int device); /**< May be NULL. */

    int (*stream_create)(whet_gpu_handle *out, unsigned flags);
    int (*stream_synchronize)(whet_gpu_handle stream);
    int (*memory_allocate)(uint64_t *out, size_t bytes);
    int (*memory_info)(size_t *free_out, size_t *total_out);
    int (*host_register)(void *host, size_t bytes, unsigned flags);
    int (*copy_in)(uint64_t to, const void *from, size_t bytes,
                   whet_gpu_handle stream);
    int (*copy_out)(void *to, uint64_t from, size_t bytes,
                    whet_gpu_handle stream);
    int (*fill_u32)(uint64_t to, unsigned value, size_t count,
                    whet_gpu_handle stream);
    int (*event_create)(whet_gpu_handle *out, unsigned flags);
    int (*event_record)(whet_gpu_handle event, whet_gpu_handle stream);
    int (*event_synchronize)(whet_gpu_handle event);
    int (*event_elapsed_ms)(float *out, whet_gpu_handle begin,
                            whet_gpu_handle end);
    int (*module_load)(whet_gpu_handle *out, const void *image);
    int (*module_function)(whet_gpu_handle *out, whet_gpu_handle module,
                           const char *name);
    int (*function_attribute)(int *out, int attribute,
                              whet_gpu_handle function); /**< May be NULL. */
    /** Offset and bytes of a kernel's parameter; an error from the first
     *  number on that the kernel does not have. May be NULL. */
    int (*function_parameter)(whet_gpu_handle function, size_t index,
                              size_t *offset_out, size_t *bytes_out);
    int (*launch)(whet_gpu_handle function, unsigned grid_x, unsigned grid_y,
                  unsigned grid_z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned shared_bytes,
                  whet_gpu_handle stream, void **params, void **extra);
    /* What the families do differently; the vendor's file implements them over
     * its own symbols, which live in `vendor` (malloced; whoever holds the
     * table frees it: whet_gpu__worker_new takes it over). */
    void *vendor;
    int (*make_current)(const struct whet_gpu_api *api, int device);
    int (*allow_shared)(const struct whet_gpu_api *api,
                        whet_gpu_handle function, unsigned bytes);
    int (*last_error)(const struct whet_gpu_api *api); /**< Sticky one. */
    /** Make cache lines that persist ordinary ones. May be NULL. */
    int (*reset_cache)(const struct whet_gpu_api *api);
    const whet_gpu_error *(*explain)(int code); /**< NULL if unknown. */
} whet_gpu_api;

/** One row of a symbol table. */
typedef struct whet_gpu_symbol {
    const char
        *names[3]; /**< Versioned name first, then fallbacks; NULL ends. */
    size_t offset; /**< Of the pointer in the destination. */
    bool is_required;
} whet_gpu_symbol;

/** Open one library file (RTLD_NOW | RTLD_LOCAL; never closed) and fill
 *  `destination`. WHET_EUNSUPPORTED with the reason (the file, the symbol). */
whet_status whet_gpu__load(void *destination, void **handle_out,
                           const char *path, const whet_gpu_symbol *symbols,
                           size_t symbol_count, whet_err *err);

/** Files to try, in order. */
typedef struct whet_gpu_paths {
    char path[WHET_GPU__PATH_MAX][256];
    uint32_t count;
} whet_gpu_paths;

/** Add a file name, or all files that a pattern with wildcards matches, those
 *  with the highest version first; what is listed already, does not fit or is
 *  beyond WHET_GPU__PATH_MAX is passed over. */
void whet_gpu__paths_add(whet_gpu_paths *paths, const char *pattern);

/** File that an open library was read from ("" if unknown). */
void whet_gpu__library_file(char *text, size_t text_bytes, void *handle);

/** Set `err` from a vendor's code: "CUDA: WHAT: NAME (2): cause; remedy".
 *  @return WHET_EFAIL */
whet_status whet_gpu__fail(whet_err *err, const whet_gpu_api *api, int code,
                           const char *what);

/** Facts of device `index` through the table, over zeroed memory; the vendor's
 *  file adds backend, arch, driver text and what no attribute tells, and then
 *  calls whet_replay__identify. What the driver does not tell stays unknown.
 *  @return WHET_EFAIL if not even a name is told */
whet_status whet_gpu__facts(whet_device_facts *out, const whet_gpu_api *api,
                            int index, whet_err *err);

/** One attribute. @return false if the ABI lacks it, the driver refuses, or
 *  the value is negative; `*out` is 0 then */
bool whet_gpu__attribute(int *out, const whet_gpu_api *api,
                         whet_gpu_attribute which, int index);

/** Physical index of logical device `index` under a list like
 *  CUDA_VISIBLE_DEVICES (NULL = none: the same). UINT32_MAX unless it is a
 *  plain list of numbers. */
uint32_t whet_gpu__visible(const char *list, uint32_t index);

/** PCI address in the form of whet_device_facts.pci: lower case, a domain of
 *  four digits unless it needs more. false ("") if it is none. */
bool whet_gpu__pci(char *text, size_t text_bytes, const char *address);

/* --- listing in a child ----------------------------------------------------
 */

/** Run `PROGRAM __device NAME list` and read what it writes.
 *  @return WHET_EUNSUPPORTED with the child's one line if it found none */
whet_status whet_gpu__list(whet_device_facts *out, uint32_t *count_out,
                           const char *name, whet_err *err);

/** As whet_gpu__list, with a deadline (60 s there). */
whet_status whet_gpu__list_within(whet_device_facts *out, uint32_t *count_out,
                                  const char *name, uint64_t timeout_ns,
                                  whet_err *err);

/** Records as they come out of the child, WHET_DEVICE_LIST_MAX at most, each
 *  field checked: a driver ran in that process.
 *  @return WHET_EUNSUPPORTED with the child's line, WHET_EFAIL if malformed */
whet_status whet_gpu__list_parse(whet_device_facts *out, uint32_t *count_out,
                                 const char *name, const void *data,
                                 size_t bytes, whet_err *err);

/** Body of that child: calls `enumerate` and writes the records to stdout,
 *  from which all else has been kept away. @return exit status */
int whet_gpu__list_main(whet_status (*enumerate)(whet_device_facts *out,
                                                 uint32_t *count_out,
                                                 whet_err *err));

/* --- supervisor's side (gpu_device.c) ---------------------------------------
 */

/** Slot `open` of whet_device_ops for a back-end that lists by whet_gpu__list;
 *  selector = logical index or PCI address. The rest is live_priv.h's. */
whet_status whet_gpu__open(whet_device **out, const char *name,
                           const char *selector, whet_err *err);

/* --- worker's side, over a table (gpu_worker.c) ----------------------------
 */

/** Check an image before a driver reads it, for it is handed over without its
 *  length: a 64-bit little-endian ELF file for `machine` with all its parts
 *  within `bytes`. WHET_EINVAL. */
whet_status whet_gpu__check_image(const void *image, size_t bytes,
                                  unsigned machine, const char *name,
                                  whet_err *err);

/** Begin with a loaded table: it is copied, and `api->vendor` is taken over
 *  (freed by close, and at once on failure). */
whet_status whet_gpu__worker_new(whet_worker_ctx **out, const whet_gpu_api *api,
                                 int index, whet_err *err);

/* The rest are slots of whet_device_ops as they stand. */
void whet_gpu__worker_close(whet_worker_ctx *ctx);
whet_status whet_gpu__worker_load(whet_worker_ctx *ctx, const void *image,
                                  size_t bytes, whet_err *err);
whet_status whet_gpu__worker_allocate(whet_worker_ctx *ctx, uint64_t bytes,
                                      void **base_out, whet_err *err);
whet_status whet_gpu__worker_pin(whet_worker_ctx *ctx, void *host,
                                 uint64_t bytes, whet_err *err);
whet_status whet_gpu__worker_copy(whet_worker_ctx *ctx, bool to_device,
                                  uint64_t offset, void *host, uint64_t bytes,
                                  whet_err *err);
whet_status whet_gpu__worker_fill(whet_worker_ctx *ctx, uint64_t offset,
                                  uint32_t word, uint64_t bytes, whet_err *err);
whet_status whet_gpu__worker_settle(whet_worker_ctx *ctx, uint64_t spin_ns,
                                    uint64_t flush_bytes, whet_err *err);
whet_status whet_gpu__worker_prepare(whet_worker_ctx *ctx, uint32_t slot,
                                     const whet_bound_plan *plan,
                                     void *const *address, whet_err *err);
whet_status whet_gpu__worker_run(whet_worker_ctx *ctx, uint32_t slot,
                                 uint64_t *elapsed_ns_out, whet_err *err);

/** A library routine in the place of a slot's plan: `call` queues it on
 *  `stream` and returns a status; `payload` is malloced and becomes the
 *  slot's, which frees it. */
typedef struct whet_gpu_routine {
    whet_status (*call)(void *payload, whet_gpu_handle stream, whet_err *err);
    void *payload;
} whet_gpu_routine;

/** Put a routine into a slot; worker_run calls it between its events. */
whet_status whet_gpu__worker_routine(whet_worker_ctx *ctx, uint32_t slot,
                                     const whet_gpu_routine *routine,
                                     whet_err *err);

/* --- vendors' matrix libraries (gpu_blas.c) --------------------------------
 */

/** Slot worker_library of whet_device_ops: the routine `call->library`
 * ("cublas", "cublaslt", "rocblas", "hipblas") on the slot's buffers. The
 * library is opened at run time and never closed; WHET_BLAS_LIBRARY names
 * another file. Its handle lives as long as the worker.
 *  @return WHET_EUNSUPPORTED: unknown name, no such library, or sizes beyond
 *          its 32-bit integers */
whet_status whet_gpu__worker_library(whet_worker_ctx *ctx, uint32_t slot,
                                     const whet_library_call *call,
                                     void *const *address, whet_err *err);

/* --- back-ends --------------------------------------------------------------
 */

extern const whet_device_ops whet_device_cuda;
extern const whet_device_ops whet_device_hip;

#endif /* WHET_DEVICE_GPU_PRIV_H */
