/* Build logs: whatever a compiler, or a candidate in its place, writes. The
 * result must be printable and within its bounds. */

#include "toolchain/toolchain_priv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const whet_diagnostic_kind kind = WHET_DIAGNOSTIC_ERROR;
    whet_diagnostic *out = malloc(sizeof *out);
    size_t i;

    if (out == NULL)
        return 0;
    memset(out, 0xA5, sizeof *out);
    whet_toolchain__diagnose(out, kind, (const char *)data, size);
    if (out->kind != kind || out->text[0] == '\0' ||
        memchr(out->text, '\0', sizeof out->text) == NULL)
        abort();
    for (i = 0; out->text[i] != '\0'; i++) {
        unsigned char byte = (unsigned char)out->text[i];

        if (byte != '\n' && (byte < ' ' || byte == 0x7f))
            abort();
    }
    free(out);
    return 0;
}
