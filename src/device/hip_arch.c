/* The architecture of a device: asked of the runtime, the kernel driver and
 * the toolkits' tools in turn; the first that answers is believed, and the
 * answer says who gave it. */

#include "device/hip_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t tool_timeout_ns = 10000000000u;

/* The agent that is the device: by PCI address, else any of them if all are of
 * one architecture, else by number. NULL if that cannot be told. */
static const whet_hip_agent *find_agent(const whet_hip_agents *agents,
                                        const whet_hip_arch_opts *opts)
{
    const whet_hip_agent *first = &agents->agents[0];
    bool is_uniform = true;
    uint32_t i;

    for (i = 0; i < agents->count; i++) {
        const whet_hip_agent *agent = &agents->agents[i];

        if (opts->pci != NULL && opts->pci[0] != '\0' &&
            strcmp(agent->pci, opts->pci) == 0)
            return agent;
        is_uniform = is_uniform && strcmp(agent->arch, first->arch) == 0 &&
                     strcmp(agent->features, first->features) == 0;
    }
    if (opts->ordinal < agents->count)
        return &agents->agents[opts->ordinal];
    return is_uniform && agents->count > 0 ? first : NULL;
}

static bool take(whet_hip_arch *out, const whet_hip_agents *agents,
                 const whet_hip_arch_opts *opts, const char *evidence)
{
    const whet_hip_agent *agent = find_agent(agents, opts);

    if (agent == NULL)
        return false;
    whet_strcopy(out->arch, sizeof out->arch, agent->arch);
    whet_strcopy(out->features, sizeof out->features, agent->features);
    whet_strcopy(out->evidence, sizeof out->evidence, evidence);
    return true;
}

/* Absolute path of a tool; caller frees. NULL if there is none. */
static char *find_tool(const char *dirs, const char *name)
{
    const char *at = dirs != NULL ? dirs : "";
    char *path = NULL;
    char file[512];

    while (*at != '\0') {
        size_t bytes = strcspn(at, ":");

        if (bytes > 0 && bytes < 400 && at[0] == '/') {
            snprintf(file, sizeof file, "%.*s/%s", (int)bytes, at, name);
            if (whet_fs_find_program(&path, file, NULL) == WHET_OK)
                return path;
        }
        at += bytes;
        at += *at == ':';
    }
    return whet_fs_find_program(&path, name, NULL) == WHET_OK ? path : NULL;
}

/* The variables that tools need to find their libraries and cards. */
static void tool_env(char env[4][512], const char *pointers[5])
{
    static const char *const names[] = {"PATH", "LD_LIBRARY_PATH", "ROCM_PATH",
                                        "HOME"};
    size_t count = 0, i;

    for (i = 0; i < 4; i++) {
        const char *value = getenv(names[i]);

        if (value == NULL || strlen(value) > 480)
            continue;
        snprintf(env[count], 512, "%s=%s", names[i], value);
        pointers[count] = env[count];
        count++;
    }
    pointers[count] = NULL;
}

/* Run a tool and read what it prints. */
static bool ask_tool(whet_hip_agents *out, const char *dirs, const char *name,
                     whet_status (*parse)(whet_hip_agents *, const char *,
                                          size_t, whet_err *))
{
    char env[4][512];
    const char *pointers[5];
    const char *argv[] = {NULL, NULL};
    whet_process_opts opts = {.argv = argv,
                              .env = pointers,
                              .stdout_max_bytes = WHET_HIP__TEXT_BYTES_MAX,
                              .timeout_ns = tool_timeout_ns};
    whet_process_result result = {0};
    char *path = find_tool(dirs, name);
    bool answers = false;

    if (path == NULL)
        return false;
    argv[0] = path;
    tool_env(env, pointers);
    if (whet_process_run(&result, &opts, NULL) == WHET_OK)
        answers = result.kind == WHET_EXIT_CODE && result.code == 0 &&
                  parse(out, whet_buf_str(&result.out), result.out.bytes,
                        NULL) == WHET_OK;
    whet_process_result_deinit(&result);
    free(path);
    return answers;
}

static bool ask_tools(whet_hip_arch *out, whet_hip_agents *agents,
                      const whet_hip_arch_opts *opts)
{
    static const struct {
        const char *name;
        whet_status (*parse)(whet_hip_agents *, const char *, size_t,
                             whet_err *);
    } tools[] = {{"rocminfo", whet_hip__parse_rocminfo},
                 {"amdgpu-arch", whet_hip__parse_list},
                 {"rocm_agent_enumerator", whet_hip__parse_list}};
    size_t i;

    if (opts->skips_tools)
        return false;
    for (i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (ask_tool(agents, opts->tool_dirs, tools[i].name, tools[i].parse) &&
            take(out, agents, opts, tools[i].name))
            return true;
    return false;
}

static bool take_text(whet_hip_arch *out, const char *text,
                      const char *evidence)
{
    char arch[WHET_HIP__ARCH_BYTES], features[WHET_HIP__FEATURE_BYTES];

    if (text == NULL ||
        !whet_hip__split_arch(arch, features, text, strlen(text)))
        return false;
    whet_strcopy(out->arch, sizeof out->arch, arch);
    whet_strcopy(out->features, sizeof out->features, features);
    whet_strcopy(out->evidence, sizeof out->evidence, evidence);
    return true;
}

void whet_hip__arch(whet_hip_arch *out, const whet_hip_arch_opts *opts)
{
    whet_hip_agents *agents = calloc(1, sizeof *agents);
    const char *sysfs = opts->sysfs != NULL ? opts->sysfs : "/sys";
    bool has_kfd = false;

    memset(out, 0, sizeof *out);
    if (agents != NULL && whet_hip__read_kfd(agents, sysfs, NULL) == WHET_OK) {
        const whet_hip_agent *agent = find_agent(agents, opts);

        has_kfd = take(out, agents, opts, "KFD sysfs (gfx_target_version)");
        if (agent != NULL)
            out->agent = *agent;
    }
    if (take_text(out, opts->runtime, "runtime (gcnArchName)") || has_kfd)
        goto out;
    if (agents != NULL && ask_tools(out, agents, opts))
        goto out;
    if (!take_text(out, opts->configured, "configured (WHET_HIP_ARCH)"))
        (void)take_text(out, "gfx928", "assumed: default");
out:
    free(agents);
}
