/* Outside tools for `whet doctor`: profilers, sanitizers, disassemblers. A row
 * each; a missing one is degraded only where there is a device that it would
 * serve. */

#include "cli/doctor_priv.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* What the lack of a kind costs. */
static const struct {
    const char *kind, *effect;
} effects[] = {
    {"profiler", "no hardware counters: findings come from resources, the "
                 "roofline and timing alone"},
    {"sanitizer", "memory errors and races of kernels are not looked for on "
                  "the device"},
    {"disassembler", "what a kernel's machine code holds is not checked"},
};

/* `backend`: whose devices it serves. The first program of a kind that is
 * found will do for that back-end. */
static const struct {
    const char *kind, *name, *backend, *folders, *remedy;
} tools[] = {
    {"profiler", "ncu", "cuda",
     "/usr/local/cuda/bin:/opt/nvidia/nsight-compute/*",
     "install Nsight Compute"},
    {"profiler", "hipprof", "hip", "/opt/dtk/bin:/opt/dtk*/bin",
     "it comes with DTK: source its env.sh, or install DTK"},
    {"profiler", "rocprofv3", "hip", "/opt/rocm/bin:/opt/rocm*/bin",
     "install rocprofiler-sdk"},
    {"profiler", "rocprof", "hip", "/opt/rocm/bin:/opt/rocm*/bin",
     "install rocprofiler"},
    {"sanitizer", "compute-sanitizer", "cuda", "/usr/local/cuda/bin",
     "install the CUDA toolkit's compute-sanitizer"},
    {"disassembler", "nvdisasm", "cuda", "/usr/local/cuda/bin",
     "install the CUDA toolkit's nvdisasm"},
    {"disassembler", "cuobjdump", "cuda", "/usr/local/cuda/bin",
     "install the CUDA toolkit's cuobjdump"},
    {"disassembler", "llvm-objdump", "hip",
     "/opt/rocm*/llvm/bin:/opt/dtk*/llvm/bin:/usr/lib/llvm-15/bin",
     "install llvm of the same release as the compiler"},
};

enum { TOOL_COUNT = sizeof tools / sizeof tools[0] };

/* On PATH, or in one of the colon-separated patterns of folders. */
static char *find(const char *name, const char *folders)
{
    char *path = NULL;

    if (whet_fs_find_program(&path, name, NULL) == WHET_OK)
        return path;
    while (*folders != '\0' && path == NULL) {
        size_t bytes = strcspn(folders, ":");
        char *pattern = whet_asprintf("%.*s/%s", (int)bytes, folders, name);
        glob_t found = {0};

        if (pattern != NULL && glob(pattern, 0, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc && path == NULL; i++)
                (void)whet_fs_find_program(&path, found.gl_pathv[i], NULL);
        globfree(&found);
        free(pattern);
        folders += bytes;
        folders += *folders == ':';
    }
    return path;
}

/* First line with a digit of what `--version` prints, escaped. */
static void read_version(char *text, size_t text_bytes, const char *path)
{
    const char *const argv[] = {path, "--version", NULL};
    whet_process_opts run = {.argv = argv,
                             .stdout_max_bytes = 4096,
                             .stderr_max_bytes = 4096,
                             .timeout_ns = 10000000000u};
    whet_process_result result = {0};
    whet_buf escaped = {0};
    const char *line;

    text[0] = '\0';
    if (whet_process_run(&result, &run, NULL) != WHET_OK)
        return;
    for (line = whet_buf_str(&result.out); *line != '\0';) {
        size_t bytes = strcspn(line, "\n");

        if (strcspn(line, "0123456789") < bytes) {
            whet_buf_escape(&escaped, line, bytes, false);
            (void)whet_strcopy(text, text_bytes, whet_buf_str(&escaped));
            break;
        }
        line += bytes;
        line += *line == '\n';
    }
    whet_buf_deinit(&escaped);
    whet_process_result_deinit(&result);
}

static bool has_device(const whet_doctor *doctor, const char *backend)
{
    for (unsigned i = 0; i < doctor->device_count; i++)
        if (doctor->devices[i].has_facts &&
            strcmp(doctor->devices[i].ops->name, backend) == 0)
            return true;
    return false;
}

/* Is there any tool of this kind for the back-end of row `i`? */
static bool has_kind(const whet_doctor *doctor, size_t i)
{
    for (size_t j = 0; j < TOOL_COUNT; j++)
        if (doctor->tools[j].path != NULL &&
            strcmp(tools[j].kind, tools[i].kind) == 0 &&
            strcmp(tools[j].backend, tools[i].backend) == 0)
            return true;
    return false;
}

/* Only the first row of a kind speaks for it. */
static bool is_first(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(tools[j].kind, tools[i].kind) == 0 &&
            strcmp(tools[j].backend, tools[i].backend) == 0)
            return false;
    return true;
}

void whet_cli__doctor_look_at_tools(whet_doctor *doctor)
{
    char what[160], reason[200];

    for (size_t i = 0; i < TOOL_COUNT && i < WHET_DOCTOR_TOOL_MAX; i++) {
        whet_doctor_tool *tool = &doctor->tools[doctor->tool_count++];

        tool->kind = tools[i].kind;
        tool->name = tools[i].name;
        tool->backend = tools[i].backend;
        tool->path = find(tools[i].name, tools[i].folders);
        if (tool->path != NULL)
            read_version(tool->version, sizeof tool->version, tool->path);
    }
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        const char *effect = "";

        if (!is_first(i) || has_kind(doctor, i) ||
            !has_device(doctor, tools[i].backend))
            continue;
        for (size_t j = 0; j < sizeof effects / sizeof effects[0]; j++)
            if (strcmp(effects[j].kind, tools[i].kind) == 0)
                effect = effects[j].effect;
        snprintf(what, sizeof what, "%s of %s devices", tools[i].kind,
                 tools[i].backend);
        snprintf(reason, sizeof reason, "%s was not found; %s", tools[i].name,
                 tools[i].remedy);
        whet_cli__doctor_note(doctor, what, effect, reason);
    }
}
