/* `whet __build nvrtc compile|version`: the library is opened here and nowhere
 * else. It compiles in memory; the candidate's include lines reach what the
 * sandbox shows. */

#include "toolchain/nvrtc_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, ARG_BASE = 1 };

static void open_or_exit(whet_nvrtc_api *api, char path[PATH_BYTES])
{
    const char *paths = getenv(WHET_NVRTC__VARIABLE);
    whet_err err = {0};

    if (whet_nvrtc__load(api, path, PATH_BYTES, paths != NULL ? paths : "",
                         &err) != WHET_OK)
        whet_compile__unusable(err.msg);
}

static int print_version(void)
{
    whet_nvrtc_api api;
    char path[PATH_BYTES];
    int major = 0, minor = 0;

    open_or_exit(&api, path);
    if (api.version(&major, &minor) != 0)
        whet_compile__unusable("nvrtcVersion failed");
    printf("%d.%d %s\n", major, minor, path);
    return fflush(stdout) == 0 ? 0 : 1;
}

static char *take_log(size_t *bytes_out, const whet_nvrtc_api *api,
                      void *program)
{
    size_t bytes = 0;
    char *log = NULL;

    *bytes_out = 0;
    if (api->get_program_log_size(program, &bytes) == 0 && bytes > 1 &&
        (log = calloc(1, bytes)) != NULL &&
        api->get_program_log(program, log) == 0) {
        bytes = strnlen(log, bytes);
        *bytes_out = bytes < WHET_COMPILE__LOG_BYTES_MAX
                         ? bytes
                         : WHET_COMPILE__LOG_BYTES_MAX;
    }
    return log;
}

static char *take_cubin(whet_compile__answer *answer, const whet_nvrtc_api *api,
                        void *program, uint64_t max_bytes)
{
    size_t bytes = 0;
    char *cubin;

    if (api->get_cubin_size(program, &bytes) != 0 || bytes == 0)
        return NULL;
    answer->has_output = 1;
    if (bytes > max_bytes) {
        answer->is_too_large = 1;
        return NULL;
    }
    cubin = calloc(1, bytes);
    if (cubin == NULL || api->get_cubin(program, cubin) != 0)
        _exit(1);
    answer->output_bytes = bytes;
    return cubin;
}

static int compile(const char *seal)
{
    whet_nvrtc_api api;
    whet_compile__task task;
    whet_compile__answer answer = {0};
    char path[PATH_BYTES];
    void *program = NULL;
    size_t log_bytes = 0;
    char *log;
    char *cubin = NULL;
    int count = 0;
    int rc;

    /* Before the filter: the loader may need more than a compiler. */
    open_or_exit(&api, path);
    whet_compile__begin(&task, seal);
    /* argv[0] stands for the program, as with those that are one. */
    while (task.argv[ARG_BASE + count] != NULL)
        count++;
    whet_compile__ready(&task);
    rc = api.create_program(&program, task.source, task.source_name, 0, NULL,
                            NULL);
    if (rc == 0)
        rc = api.compile_program(program, count, task.argv + ARG_BASE);
    log = program != NULL ? take_log(&log_bytes, &api, program) : NULL;
    if (rc == 0) {
        cubin = take_cubin(&answer, &api, program, task.head.output_max_bytes);
    } else if (log_bytes == 0) {
        log = whet_asprintf("error: %s", api.get_error_string(rc));
        log_bytes = log != NULL ? strlen(log) : 0;
    }
    answer.kind = WHET_EXIT_CODE;
    answer.code = rc != 0;
    answer.log_bytes = log_bytes;
    whet_compile__answer_and_exit(&task, answer, log, cubin);
    return 1;
}

int whet_nvrtc__child_main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "version") == 0)
        return print_version();
    if (argc == 3 && strcmp(argv[1], "compile") == 0)
        return compile(argv[2]);
    fprintf(stderr, "nvrtc: expected version or compile sealed|unsealed\n");
    return 2;
}
