#ifndef WHET_TOOLCHAIN_PRIV_H
#define WHET_TOOLCHAIN_PRIV_H

/* Between the files of this room: running the body of a child of our own
 * program, and reducing a build log. */

#include "toolchain/toolchain.h"

/** A run of `whet __build WORDS...`. */
typedef struct whet_toolchain_run {
    const char *const *words; /**< After "__build", NULL-terminated. */
    const char *const *env;
    const whet_sandbox_facts *sandbox; /**< NULL = none: no candidate. */
    const whet_sandbox_bind *binds;
    size_t bind_count;
    bool has_dev; /**< Mount a minimal /dev: drivers of compilers want
                       /dev/null. */
    const void *stdin_data;
    size_t stdin_bytes;
    size_t stdout_max_bytes;
    uint64_t timeout_ns;
} whet_toolchain_run;

/**
 * Run our own program as a child, in the sandbox if one is given, with the
 * limits of a build. The executable is handed in as a descriptor, since the
 * sandbox's user may not be able to reach its path.
 *
 * @param result  caller frees with whet_process_result_deinit
 */
whet_status whet_toolchain__run(whet_process_result *result,
                                const whet_toolchain_run *run, whet_err *err);

/** First line of what a child wrote, escaped, in `text`. */
void whet_toolchain__first_line(char *text, size_t text_bytes,
                                const whet_buf *output);

/** Name that candidates go by in build logs. */
#define WHET_TOOLCHAIN__FILE "candidate"

/**
 * Reduce a compiler's log to its first error.
 *
 * Places count only if the log names WHET_TOOLCHAIN__FILE. The first line of
 * `text` is the message, lines with the source and marks may follow.
 */
void whet_toolchain__diagnose(whet_diagnostic *out, whet_diagnostic_kind kind,
                              const char *log, size_t log_bytes);

/** The OpenCL toolchain. */
extern const whet_toolchain_ops whet_toolchain_opencl;

/** CUDA by library and by program, HIP. */
extern const whet_toolchain_ops whet_toolchain_nvrtc;
extern const whet_toolchain_ops whet_toolchain_nvcc;
extern const whet_toolchain_ops whet_toolchain_hip;

/** Body of `whet __build opencl list`; exit status. */
int whet_opencl__list_main(void);

/** Body of `whet __build opencl compile INDEX sealed|unsealed`. */
int whet_opencl__compile_main(int argc, char **argv);

enum {
    /** Exit status of a child that could not begin; stderr says why. */
    WHET_TOOLCHAIN__CHILD_UNUSABLE = 3
};

/* What a compile child reads on stdin, followed by the two texts. */
typedef struct whet_opencl__job {
    char magic[8]; /**< WHET_OPENCL__JOB_MAGIC without its NUL. */
    uint64_t options_bytes;
    uint64_t source_bytes;
} whet_opencl__job;

#define WHET_OPENCL__JOB_MAGIC "whetjob1"

/* What it writes: READY before it reads the job, so that failures before this
 * byte are those of the machine and not of the candidate; then one of the
 * others and its data up to the end. */
enum {
    WHET_OPENCL__READY = 'R',
    WHET_OPENCL__IMAGE = 'I',   /**< An encoded image. */
    WHET_OPENCL__REFUSED = 'E', /**< The build log. */
    WHET_OPENCL__LIMIT = 'L'    /**< One line of text. */
};

enum {
    WHET_OPENCL__OPTIONS_BYTES_MAX = 64 << 10,
    WHET_OPENCL__SOURCE_BYTES_MAX = 16 << 20,
    WHET_OPENCL__LOG_BYTES_MAX = 256 << 10
};

#endif /* WHET_TOOLCHAIN_PRIV_H */
