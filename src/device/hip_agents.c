/* What the kernel driver and the toolkits' tools print about GPUs, read as
 * outside text: bounded, and refused with one line where it is malformed. */

#include "device/hip_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 4096 };

/* One line of a text, without its end and without blanks around it. */
struct line {
    const char *text;
    size_t bytes;
    unsigned number;
};

/* Next line; false at the end. */
static bool next_line(struct line *line, const char **at, const char *end)
{
    const char *stop;

    if (*at >= end)
        return false;
    stop = memchr(*at, '\n', (size_t)(end - *at));
    if (stop == NULL)
        stop = end;
    line->text = *at;
    line->bytes = (size_t)(stop - *at);
    line->number++;
    *at = stop < end ? stop + 1 : end;
    while (line->bytes > 0 && strchr(" \t\r", line->text[0]) != NULL) {
        line->text++;
        line->bytes--;
    }
    while (line->bytes > 0 &&
           strchr(" \t\r", line->text[line->bytes - 1]) != NULL)
        line->bytes--;
    return true;
}

static whet_status check_text(const char *what, const char *text, size_t bytes,
                              whet_err *err)
{
    if (bytes > WHET_HIP__TEXT_BYTES_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: %zu bytes, expected at most %d", what, bytes,
                            WHET_HIP__TEXT_BYTES_MAX);
    if (memchr(text, '\0', bytes) != NULL)
        return whet_err_set(err, WHET_EINVAL, "%s: holds a NUL byte", what);
    return WHET_OK;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* "sramecc+:xnack-": words that end in + or -. */
static bool are_features(const char *text, size_t bytes)
{
    size_t i, word = 0;

    for (i = 0; i < bytes; i++) {
        bool ends = i + 1 == bytes || text[i + 1] == ':';

        if (!(is_word(text[i]) || (text[i] == '+' && ends)))
            return false;
        if (ends && (word == 0 || (text[i] != '+' && text[i] != '-')))
            return false;
        word++;
        if (ends && i + 1 < bytes) {
            i++;
            word = 0;
            if (i + 1 == bytes)
                return false;
        }
    }
    return bytes > 0;
}

bool whet_hip__split_arch(char arch[WHET_HIP__ARCH_BYTES],
                          char features[WHET_HIP__FEATURE_BYTES],
                          const char *text, size_t bytes)
{
    size_t head = 3;

    arch[0] = '\0';
    features[0] = '\0';
    if (bytes < 6 || memcmp(text, "gfx", 3) != 0)
        return false;
    while (head < bytes && is_hex(text[head]))
        head++;
    /* From three digits (gfx906) to four (gfx1100, gfx12xx). */
    if (head < 6 || head > 7 || text[3] == '0' ||
        (head < bytes && text[head] != ':'))
        return false;
    if (head < bytes && (bytes - head - 1 >= WHET_HIP__FEATURE_BYTES ||
                         !are_features(text + head + 1, bytes - head - 1)))
        return false;
    memcpy(arch, text, head);
    arch[head] = '\0';
    if (head < bytes) {
        memcpy(features, text + head + 1, bytes - head - 1);
        features[bytes - head - 1] = '\0';
    }
    return true;
}

bool whet_hip__target_arch(char arch[WHET_HIP__ARCH_BYTES], uint64_t version)
{
    unsigned long long major = version / 10000, minor = version / 100 % 100,
                       step = version % 100;

    arch[0] = '\0';
    if (major < 6 || major > 99 || minor > 15 || step > 15)
        return false;
    snprintf(arch, WHET_HIP__ARCH_BYTES, "gfx%llu%llx%llx", major, minor, step);
    return true;
}

/* --- KFD ------------------------------------------------------------------ */

/* What is kept of a properties file. */
struct kfd {
    uint64_t target, vendor_id, location, domain, simd_count, simd_per_cu;
    uint64_t wave_size, waves_per_simd, lds_kb, clock_mhz;
};

static const struct {
    const char *name;
    size_t offset;
} kfd_fields[] = {
    {"gfx_target_version", offsetof(struct kfd, target)},
    {"vendor_id", offsetof(struct kfd, vendor_id)},
    {"location_id", offsetof(struct kfd, location)},
    {"domain", offsetof(struct kfd, domain)},
    {"simd_count", offsetof(struct kfd, simd_count)},
    {"simd_per_cu", offsetof(struct kfd, simd_per_cu)},
    {"wave_front_size", offsetof(struct kfd, wave_size)},
    {"max_waves_per_simd", offsetof(struct kfd, waves_per_simd)},
    {"lds_size_in_kb", offsetof(struct kfd, lds_kb)},
    {"max_engine_clk_fcompute", offsetof(struct kfd, clock_mhz)},
};

/* A whole decimal number. */
static bool get_number(uint64_t *out, const char *text, size_t bytes)
{
    uint64_t value = 0;
    size_t i;

    if (bytes == 0 || bytes > 20)
        return false;
    for (i = 0; i < bytes; i++)
        if (text[i] < '0' || text[i] > '9' ||
            __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return false;
    *out = value;
    return true;
}

static whet_status set_field(struct kfd *out, const struct line *line,
                             whet_err *err)
{
    size_t name = 0, i;
    uint64_t value;

    while (name < line->bytes && line->text[name] != ' ')
        name++;
    if (name == line->bytes ||
        !get_number(&value, line->text + name + 1, line->bytes - name - 1))
        return whet_err_set(err, WHET_EINVAL,
                            "KFD properties: line %u: expected NAME NUMBER",
                            line->number);
    for (i = 0; i < sizeof kfd_fields / sizeof kfd_fields[0]; i++)
        if (strlen(kfd_fields[i].name) == name &&
            memcmp(kfd_fields[i].name, line->text, name) == 0)
            memcpy((char *)out + kfd_fields[i].offset, &value, sizeof value);
    return WHET_OK;
}

/* Numbers of a device beyond any that is or will be count as unknown. */
static uint32_t clip(uint64_t value, uint64_t max)
{
    return value <= max ? (uint32_t)value : 0;
}

static void from_kfd(whet_hip_agent *out, const struct kfd *kfd)
{
    if (kfd->location <= 0xffff && kfd->domain <= 0xffffffff)
        /* Bus, device and function as in PCI's own numbering. */
        snprintf(out->pci, sizeof out->pci, "%04x:%02x:%02x.%x",
                 (unsigned)kfd->domain, (unsigned)(kfd->location >> 8),
                 (unsigned)(kfd->location >> 3 & 31),
                 (unsigned)(kfd->location & 7));
    out->vendor_id = clip(kfd->vendor_id, 0xffff);
    out->simd_per_cu = clip(kfd->simd_per_cu, 64);
    if (out->simd_per_cu > 0)
        out->cu_count = clip(kfd->simd_count / out->simd_per_cu, 4096);
    out->wave_size = kfd->wave_size == 32 || kfd->wave_size == 64
                         ? (uint32_t)kfd->wave_size
                         : 0;
    out->waves_per_simd = clip(kfd->waves_per_simd, 64);
    out->lds_bytes = clip(kfd->lds_kb, 4096) << 10;
    out->clock_mhz = clip(kfd->clock_mhz, 100000);
}

whet_status whet_hip__parse_kfd(whet_hip_agent *out, const char *text,
                                size_t bytes, whet_err *err)
{
    const char *at = text;
    struct kfd kfd = {0};
    struct line line = {0};
    whet_status st = check_text("KFD properties", text, bytes, err);

    memset(out, 0, sizeof *out);
    while (st == WHET_OK && next_line(&line, &at, text + bytes))
        if (line.bytes > 0)
            st = set_field(&kfd, &line, err);
    if (st != WHET_OK)
        return st;
    if (kfd.simd_count == 0)
        return whet_err_set(err, WHET_ENOTFOUND,
                            "KFD properties: no SIMD units, so no GPU");
    if (!whet_hip__target_arch(out->arch, kfd.target))
        return whet_err_set(err, WHET_EINVAL,
                            "KFD properties: gfx_target_version %llu, expected "
                            "major * 10000 + minor * 100 + step",
                            (unsigned long long)kfd.target);
    from_kfd(out, &kfd);
    return WHET_OK;
}

static int by_number(const void *a, const void *b)
{
    unsigned long first = strtoul(*(char *const *)a, NULL, 10);
    unsigned long second = strtoul(*(char *const *)b, NULL, 10);

    return first < second ? -1 : first > second;
}

/* One node; nodes without a GPU are passed over. */
static whet_status read_node(whet_hip_agents *out, const char *folder,
                             const char *name, whet_err *err)
{
    whet_buf text = {0};
    whet_status st;
    char path[512];

    snprintf(path, sizeof path, "%.400s/%.60s/properties", folder, name);
    st = whet_fs_read(&text, path, WHET_HIP__TEXT_BYTES_MAX, err);
    if (st == WHET_OK)
        st = whet_hip__parse_kfd(&out->agents[out->count], whet_buf_str(&text),
                                 text.bytes, err);
    whet_buf_deinit(&text);
    if (st == WHET_OK)
        out->count++;
    else if (st == WHET_EINVAL)
        whet_err_prefix(err, st, "%s", path);
    return st == WHET_EINVAL ? st : WHET_OK;
}

whet_status whet_hip__read_kfd(whet_hip_agents *out, const char *sysfs,
                               whet_err *err)
{
    char folder[512];
    char **names = NULL;
    size_t count = 0, i;
    whet_status st = WHET_OK;

    memset(out, 0, sizeof *out);
    snprintf(folder, sizeof folder, "%.400s/class/kfd/kfd/topology/nodes",
             sysfs);
    if (whet_fs_list(&names, folder, NULL) != WHET_OK)
        return whet_err_set(err, WHET_ENOTFOUND, "%s: no KFD here", folder);
    while (names[count] != NULL)
        count++;
    qsort(names, count, sizeof names[0], by_number);
    for (i = 0; st == WHET_OK && i < count; i++)
        if (names[i][0] >= '0' && names[i][0] <= '9' &&
            out->count < WHET_HIP__AGENT_MAX)
            st = read_node(out, folder, names[i], err);
    whet_fs_list_free(names);
    if (st == WHET_OK && out->count == 0)
        st = whet_err_set(err, WHET_ENOTFOUND, "%s: no GPU among %zu nodes",
                          folder, count);
    return st;
}

/* --- tools ---------------------------------------------------------------- */

/* Value of a line "NAME:   VALUE", or NULL. */
static const char *get_value(size_t *bytes_out, const struct line *line,
                             const char *name)
{
    size_t used = strlen(name);

    if (line->bytes <= used || memcmp(line->text, name, used) != 0 ||
        line->text[used] != ':')
        return NULL;
    used++;
    while (used < line->bytes && strchr(" \t", line->text[used]) != NULL)
        used++;
    *bytes_out = line->bytes - used;
    return line->text + used;
}

static bool is_gpu_type(const char *text, size_t bytes)
{
    return bytes == 3 &&
           (memcmp(text, "GPU", 3) == 0 || memcmp(text, "HCU", 3) == 0 ||
            memcmp(text, "DCU", 3) == 0);
}

/* An agent of rocminfo's output while it is read. */
struct agent {
    whet_hip_agent facts;
    bool is_open, is_gpu, has_name;
};

static whet_status close_agent(whet_hip_agents *out, struct agent *agent,
                               unsigned line, whet_err *err)
{
    whet_status st = WHET_OK;

    if (agent->is_open && agent->is_gpu) {
        if (agent->facts.arch[0] == '\0')
            st = whet_err_set(err, WHET_EINVAL,
                              "rocminfo: line %u: a GPU agent ends without an "
                              "architecture, expected a Name gfx...",
                              line);
        else if (out->count < WHET_HIP__AGENT_MAX)
            out->agents[out->count++] = agent->facts;
    }
    memset(agent, 0, sizeof *agent);
    return st;
}

/* A name: of the agent first, later of its ISAs, which alone carry features
 * ("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"). */
static void take_name(struct agent *agent, const char *value, size_t bytes)
{
    static const char isa[] = "amdgcn-amd-amdhsa--";
    char arch[WHET_HIP__ARCH_BYTES], features[WHET_HIP__FEATURE_BYTES];

    if (!agent->has_name) {
        agent->has_name = true;
        (void)whet_hip__split_arch(agent->facts.arch, agent->facts.features,
                                   value, bytes);
    } else if (bytes > sizeof isa - 1 &&
               memcmp(value, isa, sizeof isa - 1) == 0 &&
               whet_hip__split_arch(arch, features, value + sizeof isa - 1,
                                    bytes - (sizeof isa - 1)) &&
               strcmp(arch, agent->facts.arch) == 0 &&
               agent->facts.features[0] == '\0')
        whet_strcopy(agent->facts.features, sizeof agent->facts.features,
                     features);
}

static void take_line(struct agent *agent, const struct line *line)
{
    uint64_t number;
    size_t bytes;
    const char *value;

    if ((value = get_value(&bytes, line, "Name")) != NULL) {
        take_name(agent, value, bytes);
    } else if ((value = get_value(&bytes, line, "Device Type")) != NULL) {
        agent->is_gpu = is_gpu_type(value, bytes);
    } else if ((value = get_value(&bytes, line, "BDFID")) != NULL) {
        if (get_number(&number, value, bytes) && number <= 0xffff)
            snprintf(agent->facts.pci, sizeof agent->facts.pci,
                     "0000:%02x:%02x.%x", (unsigned)(number >> 8),
                     (unsigned)(number >> 3 & 31), (unsigned)(number & 7));
    } else if ((value = get_value(&bytes, line, "Compute Unit")) != NULL) {
        if (get_number(&number, value, bytes))
            agent->facts.cu_count = clip(number, 4096);
    }
}

whet_status whet_hip__parse_rocminfo(whet_hip_agents *out, const char *text,
                                     size_t bytes, whet_err *err)
{
    const char *at = text;
    struct agent agent = {0};
    struct line line = {0};
    whet_status st = check_text("rocminfo", text, bytes, err);

    memset(out, 0, sizeof *out);
    while (st == WHET_OK && next_line(&line, &at, text + bytes)) {
        if (line.bytes > LINE_BYTES_MAX)
            st = whet_err_set(err, WHET_EINVAL,
                              "rocminfo: line %u is longer than %d bytes",
                              line.number, LINE_BYTES_MAX);
        else if (line.bytes > 6 && memcmp(line.text, "Agent ", 6) == 0) {
            st = close_agent(out, &agent, line.number, err);
            agent.is_open = true;
        } else if (agent.is_open)
            take_line(&agent, &line);
    }
    if (st == WHET_OK)
        st = close_agent(out, &agent, line.number, err);
    if (st == WHET_OK && out->count == 0)
        st = whet_err_set(err, WHET_ENOTFOUND, "rocminfo: shows no GPU");
    if (st != WHET_OK)
        out->count = 0;
    return st;
}

whet_status whet_hip__parse_list(whet_hip_agents *out, const char *text,
                                 size_t bytes, whet_err *err)
{
    const char *at = text;
    struct line line = {0};
    whet_status st = check_text("list of architectures", text, bytes, err);

    memset(out, 0, sizeof *out);
    while (st == WHET_OK && next_line(&line, &at, text + bytes)) {
        whet_hip_agent *agent = &out->agents[out->count];

        if (line.bytes == 0 ||
            (line.bytes == 6 && memcmp(line.text, "gfx000", 6) == 0))
            continue;
        if (out->count == WHET_HIP__AGENT_MAX)
            break;
        if (whet_hip__split_arch(agent->arch, agent->features, line.text,
                                 line.bytes))
            out->count++;
        else
            st = whet_err_set(err, WHET_EINVAL,
                              "list of architectures: line %u: \"%.*s\", "
                              "expected gfx...",
                              line.number,
                              (int)(line.bytes < 60 ? line.bytes : 60),
                              line.text);
    }
    if (st == WHET_OK && out->count == 0)
        st = whet_err_set(err, WHET_ENOTFOUND,
                          "list of architectures: shows no GPU");
    if (st != WHET_OK)
        out->count = 0;
    return st;
}
