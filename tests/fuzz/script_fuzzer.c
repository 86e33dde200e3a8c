/* Scripts of the null device: whatever opens must answer without harm, and no
 * jitter may make a time 0 or absurd. */

#include "device/script_priv.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const points[] = {"-", "RT=8 VEC=4", "BLOCK=64"};
    const whet_device_ops *ops = &whet_device_null;
    whet_hash candidate = whet_hash_bytes("x", 1);
    whet_device *device = NULL;
    whet_diagnostic diagnostic;
    whet_replay_call call;
    unsigned char key[16];
    bool accepted;

    if (whet_null__open_text(&device, (const char *)data, size, "fuzz", NULL) !=
        WHET_OK)
        return 0;
    ops->entropy(device, key, NULL);
    for (unsigned i = 0; i < 9; i++) {
        ops->replay_build(&accepted, &diagnostic, device, &candidate,
                          points[i % 3], NULL);
        if (ops->replay_call(&call, device, &candidate, points[i % 3],
                             i < 5 ? "M=8" : "M=7", i, NULL) == WHET_OK &&
            (call.elapsed_ns < 1 || call.elapsed_ns > UINT64_C(1) << 50 ||
             call.is_correct != (call.reason[0] == '\0')))
            abort();
    }
    ops->close(device);
    return 0;
}
