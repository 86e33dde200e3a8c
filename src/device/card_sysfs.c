/* Cards as the kernel tells without any tool: /sys/class/drm/card*, files of
 * the amdgpu driver and of the drivers made after it (kernel documentation,
 * "AMDGPU driver: miscellaneous and thermal information"), and the KFD
 * topology for architectures and for cards that DRM does not show. */

#include "device/hip_priv.h"
#include "device/inventory_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PCI vendor numbers, pci.ids. */
static const struct {
    uint32_t id;
    const char *name;
} vendors[] = {{0x1002, "amd"}, {0x1d94, "hygon"}};

static const char *vendor_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (vendors[i].id == id)
            return vendors[i].name;
    return NULL;
}

/* A small file as one line; false if it is not there. Files of sysfs have no
 * size to trust, so this reads up to what fits. */
static bool read_line(char *out, size_t bytes, const char *dir,
                      const char *name)
{
    char *path = whet_fs_join(dir, name);
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    bool is_there = file != NULL && fgets(out, (int)bytes, file) != NULL;

    if (file != NULL)
        fclose(file);
    free(path);
    if (!is_there)
        out[0] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    return is_there;
}

static whet_reading read_number(const char *dir, const char *name, double scale)
{
    whet_reading out = {0};
    char text[64], *end;
    unsigned long long value;

    if (!read_line(text, sizeof text, dir, name) ||
        !isdigit((unsigned char)text[0]))
        return out;
    value = strtoull(text, &end, 0);
    if (*end == '\0')
        out = whet_inventory__known((double)value * scale);
    return out;
}

/* PCI_SLOT_NAME of the device's uevent. */
static void read_pci(char out[32], const char *device)
{
    char *path = whet_fs_join(device, "uevent");
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    char line[256];

    out[0] = '\0';
    while (file != NULL && out[0] == '\0' &&
           fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "PCI_SLOT_NAME=", 14) == 0) {
            line[strcspn(line, "\r\n")] = '\0';
            (void)whet_inventory__pci(out, line + 14);
        }
    if (file != NULL)
        fclose(file);
    free(path);
}

/* The hottest spot if it is named, else the first sensor. */
static whet_reading read_temperature(const char *hwmon)
{
    char name[32], label[32];

    for (int i = 1; i <= 4; i++) {
        snprintf(name, sizeof name, "temp%d_label", i);
        if (!read_line(label, sizeof label, hwmon, name) ||
            strcmp(label, "junction") != 0)
            continue;
        snprintf(name, sizeof name, "temp%d_input", i);
        return read_number(hwmon, name, 1e-3);
    }
    return read_number(hwmon, "temp1_input", 1e-3);
}

static void read_hwmon(whet_card *card, const char *device)
{
    char *dir = whet_fs_join(device, "hwmon");
    char **names = NULL;
    char *hwmon = NULL;

    if (dir != NULL && whet_fs_list(&names, dir, NULL) == WHET_OK &&
        names[0] != NULL)
        hwmon = whet_fs_join(dir, names[0]);
    if (hwmon != NULL) {
        card->temperature_c = read_temperature(hwmon);
        card->power_w = read_number(hwmon, "power1_average", 1e-6);
        if (!card->power_w.is_known)
            card->power_w = read_number(hwmon, "power1_input", 1e-6);
        card->clock_mhz = read_number(hwmon, "freq1_input", 1e-6);
        card->memory_clock_mhz = read_number(hwmon, "freq2_input", 1e-6);
    }
    free(hwmon);
    whet_fs_list_free(names);
    free(dir);
}

static void read_card(whet_cards *cards, const char *device)
{
    char text[64];
    const char *vendor;
    whet_card *card;

    if (!read_line(text, sizeof text, device, "vendor") ||
        (vendor = vendor_of((uint32_t)strtoul(text, NULL, 16))) == NULL ||
        (card = whet_inventory__new_card(cards)) == NULL)
        return;
    card->physical_index = cards->count - 1;
    (void)whet_strcopy(card->vendor, sizeof card->vendor, vendor);
    read_pci(card->pci, device);
    (void)read_line(card->name, sizeof card->name, device, "product_name");
    (void)read_line(card->uuid, sizeof card->uuid, device, "unique_id");
    card->memory_used_bytes = read_number(device, "mem_info_vram_used", 1);
    card->memory_total_bytes = read_number(device, "mem_info_vram_total", 1);
    card->use_pct = read_number(device, "gpu_busy_percent", 1);
    if (card->use_pct.value > 100)
        card->use_pct.is_known = false;
    read_hwmon(card, device);
}

/* "card12", not "card0-DP-1". */
static bool is_card(const char *name)
{
    size_t digits = strlen(name) > 4 ? strspn(name + 4, "0123456789") : 0;

    return strncmp(name, "card", 4) == 0 && digits > 0 &&
           name[4 + digits] == '\0';
}

static void read_drm(whet_cards *cards, const char *root)
{
    char *dir = whet_fs_join(root, "class/drm");
    char **names = NULL;

    if (dir != NULL && whet_fs_list(&names, dir, NULL) == WHET_OK)
        for (size_t i = 0; names[i] != NULL; i++) {
            char *device = is_card(names[i])
                               ? whet_asprintf("%s/%s/device", dir, names[i])
                               : NULL;

            if (device != NULL)
                read_card(cards, device);
            free(device);
        }
    whet_fs_list_free(names);
    free(dir);
}

static whet_card *find_pci(whet_cards *cards, const char *pci)
{
    for (uint32_t i = 0; i < cards->count; i++)
        if (pci[0] != '\0' && strcmp(cards->items[i].pci, pci) == 0)
            return &cards->items[i];
    return NULL;
}

/* Architectures, and cards that a container hides from DRM. The order of KFD is
 * the order in which the runtime counts. */
static void add_kfd(whet_cards *cards, const whet_hip_agents *agents)
{
    for (uint32_t i = 0; i < agents->count; i++) {
        const whet_hip_agent *agent = &agents->agents[i];
        whet_card *card = find_pci(cards, agent->pci);

        if (card == NULL && (card = whet_inventory__new_card(cards)) == NULL)
            return;
        card->physical_index = i;
        (void)whet_strcopy(card->arch, sizeof card->arch, agent->arch);
        (void)whet_strcopy(card->pci, sizeof card->pci, agent->pci);
        if (card->vendor[0] == '\0' && vendor_of(agent->vendor_id) != NULL)
            (void)whet_strcopy(card->vendor, sizeof card->vendor,
                               vendor_of(agent->vendor_id));
    }
}

whet_status whet_inventory__sysfs(whet_cards *cards, const char *root,
                                  whet_err *err)
{
    whet_hip_agents *agents = calloc(1, sizeof *agents);

    if (agents == NULL)
        return whet_err_set(err, WHET_ENOMEM, "sysfs: out of memory");
    read_drm(cards, root);
    if (whet_hip__read_kfd(agents, root, NULL) == WHET_OK)
        add_kfd(cards, agents);
    free(agents);
    if (cards->count == 0)
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "no card of a known vendor in %s/class/drm or "
                            "%s/class/kfd",
                            root, root);
    return WHET_OK;
}
