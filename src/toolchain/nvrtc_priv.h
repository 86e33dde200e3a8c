#ifndef WHET_NVRTC_PRIV_H
#define WHET_NVRTC_PRIV_H

/* NVRTC, the CUDA compiler as a library, for the files nvrtc*.c. */

#include "toolchain/compilers_priv.h"

/** The calls in use; every result is an nvrtcResult, 0 = success. */
typedef struct whet_nvrtc_api {
    int (*version)(int *major, int *minor);
    const char *(*get_error_string)(int result);
    int (*create_program)(void **program, const char *source, const char *name,
                          int header_count, const char *const *headers,
                          const char *const *header_names);
    int (*compile_program)(void *program, int option_count,
                           const char *const *options);
    int (*get_cubin_size)(void *program, size_t *bytes);
    int (*get_cubin)(void *program, char *cubin);
    int (*get_program_log_size)(void *program, size_t *bytes);
    int (*get_program_log)(void *program, char *log);
} whet_nvrtc_api;

/**
 * Open the first library that has all calls. Never unloaded.
 *
 * @param path_out  which one
 * @param paths  names or paths, separated by ":"
 * @return WHET_EUNSUPPORTED with what is wrong with the last
 */
whet_status whet_nvrtc__load(whet_nvrtc_api *api, char *path_out,
                             size_t path_bytes, const char *paths,
                             whet_err *err);

/** Libraries to try, separated by ":", in `out`: $WHET_NVRTC_LIBRARY alone if
 *  it is set; else those in the toolkit's folders and those that the loader
 *  finds. False: out of memory. */
bool whet_nvrtc__paths(whet_buf *out);

/** Name of the environment variable, outside and in the child. */
#define WHET_NVRTC__VARIABLE "WHET_NVRTC_LIBRARY"

/** Body of `whet __build nvrtc ...`; exit status. */
int whet_nvrtc__child_main(int argc, char **argv);

/** Build, with the log appended to `log` unless that is NULL. */
whet_status whet_nvrtc__build(whet_image *image, whet_diagnostic *diagnostic,
                              whet_buf *log, const whet_build_request *request,
                              whet_err *err);

#endif /* WHET_NVRTC_PRIV_H */
