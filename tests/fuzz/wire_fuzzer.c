/* Records as a hostile worker sends them, through to the verdict: the message
 * must be one line of plain text, and the JSON must come out whole. */

#include "judge/judge_priv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_wire record = {0};
    whet_call call = {0};
    whet_verdict verdict = {0};
    json_t *json;
    size_t i;

    memcpy(&record, data, size < sizeof record ? size : sizeof record);
    record.text[sizeof record.text - 1] = '\0';
    whet_judge__classify(&call, size < sizeof record ? WHET_EFAIL : WHET_OK,
                         &record);
    if (call.reason == WHET_REASON_NONE)
        return 0;
    whet_judge__blame(&verdict, &call, "on a hidden shape");
    for (i = 0; verdict.message[i] != '\0'; i++)
        if ((unsigned char)verdict.message[i] < ' ' ||
            verdict.message[i] == 127)
            abort();
    json = whet_verdict_to_json(&verdict);
    if (json == NULL)
        abort();
    json_decref(json);
    return 0;
}
