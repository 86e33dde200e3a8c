#ifndef WHET_TOOLCHAIN_H
#define WHET_TOOLCHAIN_H

/* Toolchains: from source to a device image, in a sandboxed child, with a
 * cache. Each toolchain is one const table of ops and one registry row. What
 * comes out of a build child (image, kernel facts, diagnostics) is hostile
 * data: bounded here, checked by whoever loads it. */

#include "base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_KERNEL_MAX = 16, /**< Kernels described per image. */
    WHET_KERNEL_ARG_MAX = 32,
    WHET_KERNEL_NAME_BYTES = 64,
    WHET_IMAGE_BYTES_MAX = 64 << 20,
    WHET_DIAGNOSTIC_BYTES_MAX = 4096,
    WHET_LISTING_BYTES_MAX = 16 << 20
};

/** What the image tells of one kernel argument. */
typedef enum whet_image_arg {
    WHET_IMAGE_ARG_UNKNOWN = 0,
    WHET_IMAGE_ARG_GLOBAL, /**< Pointer to global memory. */
    WHET_IMAGE_ARG_LOCAL,  /**< Pointer to LDS. */
    WHET_IMAGE_ARG_I32,
    WHET_IMAGE_ARG_I64,
    WHET_IMAGE_ARG_F32,
    WHET_IMAGE_ARG_F64
} whet_image_arg;

/** What the image tells of one kernel; 0 = unknown. */
typedef struct whet_kernel_facts {
    char name[WHET_KERNEL_NAME_BYTES];
    uint32_t arg_count;                 /**< UINT32_MAX = unknown. */
    uint32_t args[WHET_KERNEL_ARG_MAX]; /**< whet_image_arg. */
    /** Size of each argument, 255 = that or more, 0 = unknown. */
    uint8_t arg_bytes[WHET_KERNEL_ARG_MAX];
    uint64_t lds_bytes;         /**< Static. */
    uint64_t private_bytes;     /**< Per work-item: stack, scratch. */
    uint64_t group_items_max;   /**< Most work-items a group it was built for;
                                     a larger launch is undefined. */
    uint64_t register_count;    /**< Vector registers per work-item. */
    uint64_t accumulator_count; /**< Matrix accumulators beside them (AGPRs). */
    uint64_t scalar_count;      /**< Scalar registers of a wave. */
    uint64_t spill_bytes;       /**< Stores plus loads, where the compiler says
                                     so; else spilled registers times 4. */
    uint64_t spill_count;       /**< Spilled vector registers. */
    uint64_t scalar_spill_count;
    uint32_t wave_size;
} whet_kernel_facts;

/** Machine code for one device architecture. */
typedef struct whet_image {
    whet_hash hash; /**< Of `bytes`. */
    void *bytes;
    size_t byte_count;
    whet_kernel_facts kernels[WHET_KERNEL_MAX];
    uint32_t kernel_count;
} whet_image;

/** Release the bytes and reset to zero. */
void whet_image_deinit(whet_image *image);

/** Facts of a kernel by name, or NULL. */
const whet_kernel_facts *whet_image_kernel(const whet_image *image,
                                           const char *name);

/** Why a build was refused. */
typedef enum whet_diagnostic_kind {
    WHET_DIAGNOSTIC_NONE = 0,
    WHET_DIAGNOSTIC_ERROR,   /**< The compiler refused the source. */
    WHET_DIAGNOSTIC_TIMEOUT, /**< The build outran its deadline. */
    WHET_DIAGNOSTIC_CRASH,   /**< The compiler died. */
    WHET_DIAGNOSTIC_LIMIT    /**< Image or output over a limit. */
} whet_diagnostic_kind;

/** First complaint of a build, reduced and escaped (hostile origin). */
typedef struct whet_diagnostic {
    whet_diagnostic_kind kind;
    uint32_t line, column; /**< In the candidate's file; 0 = unknown. */
    /** Escaped, capped. The first line is the message; lines of context may
     *  follow. */
    char text[WHET_DIAGNOSTIC_BYTES_MAX];
} whet_diagnostic;

/** What to build. All fields required unless noted. */
typedef struct whet_build_request {
    const char *source;
    size_t source_bytes;
    const char *language;       /**< Candidate's language. */
    const char *const *defines; /**< "-DNAME=VALUE", NULL-terminated. */
    const char *const *options; /**< Frozen per task, NULL-terminated. */
    const char *arch;           /**< Device architecture, from its facts. */
    uint32_t device_index;      /**< Where a toolchain needs the device. */
    uint64_t timeout_ns;
    const whet_sandbox_facts *sandbox;
    bool is_unsafe;  /**< Build without sandbox (--unsafe). */
    bool has_openmp; /**< Device OpenMP asked for. */
} whet_build_request;

typedef struct whet_toolchain_ops {
    const char *name;             /**< "opencl" */
    const char *summary;          /**< One line for doctor. */
    const char *const *languages; /**< NULL-terminated, it accepts. */

    /**
     * Identity of compiler and frozen headers; enters every cache key and
     * verdict. WHET_EUNSUPPORTED with the reason and remedy if absent.
     */
    whet_status (*identify)(char text[256], uint32_t device_index,
                            whet_err *err);

    /**
     * Options frozen for a task's policy (no relaxed maths unless allowed).
     * NULL-terminated static array.
     */
    const char *const *(*options)(bool allows_relaxed_maths);

    /**
     * Build in a sandboxed child.
     *
     * @return WHET_OK also when the source is refused (diagnostic->kind says
     *         so and the image stays empty); other statuses only when the
     *         toolchain itself cannot run
     */
    whet_status (*build)(whet_image *image, whet_diagnostic *diagnostic,
                         const whet_build_request *request, whet_err *err);

    /**
     * Machine code of the same build as text, for people and for checks of
     * what a kernel holds; may be NULL.
     *
     * @param out  appended, at most WHET_LISTING_BYTES_MAX; hostile text
     * @return WHET_EUNSUPPORTED with the reason where no tool makes one
     */
    whet_status (*listing)(whet_buf *out, const whet_image *image,
                           const whet_build_request *request, whet_err *err);

    /** Body of the build child (`whet __build NAME WORDS...`), already inside
     *  the sandbox; NULL where an outside compiler is run instead.
     *
     *  @param argv  NAME and the words
     *  @return process exit status */
    int (*child_main)(int argc, char **argv);
} whet_toolchain_ops;

/** All toolchains, NULL-terminated. */
const whet_toolchain_ops *const *whet_toolchain_all(void);

/** By name, or NULL. */
const whet_toolchain_ops *whet_toolchain_find(const char *name);

/** Does it accept candidates of this language? "portable" counts for every
 *  toolchain that lists it. */
bool whet_toolchain_accepts(const whet_toolchain_ops *ops,
                            const char *language);

/**
 * Run the body of a build child if argv is "PROGRAM __build NAME WORDS...".
 * To be called first in `main` of every program that builds or lists devices:
 * the child is the same program, since that file is sure to be there.
 *
 * @param status_out  exit status, set if the result is true
 * @return false if argv asks for something else
 */
bool whet_toolchain_child(int *status_out, int argc, char **argv);

/** Cache key: source, language, defines, options, toolchain identity, arch. */
whet_hash whet_build_key(const whet_toolchain_ops *ops, const char *identity,
                         const whet_build_request *request);

/**
 * Build through the cache folder (`WHET_CACHE_DIR`/images). A cached image is
 * used only if its recorded hash equals that of its bytes. Refusals are not
 * cached.
 *
 * @param was_cached_out  may be NULL
 */
whet_status whet_toolchain_build(whet_image *image, whet_diagnostic *diagnostic,
                                 bool *was_cached_out,
                                 const whet_toolchain_ops *ops,
                                 const char *identity,
                                 const whet_build_request *request,
                                 whet_err *err);

/** The frozen header put in front of portable sources, and its length. NULL
 *  with an error if skills/dialect/whet_dialect.h cannot be read. Caller
 *  frees. */
whet_status whet_toolchain_dialect(char **text_out, size_t *bytes_out,
                                   whet_err *err);

/**
 * Read kernels and resources out of `image->bytes` by their format: AMDGPU
 * code object (notes) or cubin (its info sections); bounded, hostile bytes.
 *
 * @return WHET_EUNSUPPORTED if it is neither or asks for what no kernel may
 *         have (printf, malloc, 64 KiB of stack), WHET_EINVAL if malformed
 */
whet_status whet_image_read_resources(whet_image *image, whet_err *err);

/** Add what only the compiler's log tells (spills of ptxas, remarks of
 *  clang) to the kernels of an image; unknown kernels and lines are passed
 *  over. */
void whet_image_add_log(whet_image *image, const char *log, size_t log_bytes);

/** Serialise an image with its facts (for the cache and for build children):
 *  magic, version, counts, facts, bytes. Appends to `out`. */
void whet_image_encode(whet_buf *out, const whet_image *image);

/** Read it back from hostile bytes. WHET_EINVAL on anything out of range. */
whet_status whet_image_decode(whet_image *image, const void *data, size_t bytes,
                              whet_err *err);

#ifdef __cplusplus
}
#endif

#endif /* WHET_TOOLCHAIN_H */
