/* Recordings: whatever opens must answer every question without harm. */

#include "device/recording_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const whet_device_ops *ops = &whet_device_recorded;
    whet_recording_data *parsed = NULL;
    whet_device *device = NULL;
    whet_diagnostic diagnostic;
    whet_replay_call call;
    unsigned char key[16];
    bool accepted;

    if (whet_recorded__open_text(&device, (const char *)data, size, "fuzz",
                                 NULL) != WHET_OK)
        return 0;
    if (whet_recording__parse(&parsed, (const char *)data, size, "fuzz",
                              NULL) != WHET_OK)
        goto out;
    ops->entropy(device, key, NULL);
    for (size_t i = 0; i < parsed->entry_count; i++) {
        const whet_recording_entry *entry = &parsed->entries[i];

        ops->replay_build(&accepted, &diagnostic, device, &entry->candidate,
                          "-", NULL);
        for (size_t j = 0; j < entry->workload_count; j++)
            ops->replay_call(&call, device, &entry->candidate, "-",
                             entry->workloads[j].text, i + j, NULL);
        ops->replay_call(&call, device, &entry->candidate, "-", "", i, NULL);
    }
out:
    whet_recording__free(parsed);
    ops->close(device);
    return 0;
}
