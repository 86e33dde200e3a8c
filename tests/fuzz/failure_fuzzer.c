/* The memory of failures: files of its folder, and sources without layout. An
 * accepted file has a reason that is remembered, and text that is fit to print;
 * text without layout is never longer than it was. */

#include "judge/judge_priv.h"

#include <stdlib.h>
#include <string.h>

static void check_file(const char *text, size_t bytes)
{
    whet_reason reason = WHET_REASON_COUNT;
    char message[400], day[11];
    size_t i;

    if (whet_judge__failure_parse(&reason, message, sizeof message, day, text,
                                  bytes, "key", NULL) != WHET_OK)
        return;
    if (whet_reason_outcome(reason) != WHET_OUTCOME_WRONG &&
        whet_reason_outcome(reason) != WHET_OUTCOME_INTEGRITY)
        abort();
    for (i = 0; message[i] != '\0'; i++)
        if ((unsigned char)message[i] < 32 || message[i] == 127)
            abort();
    if (strlen(day) != 10)
        abort();
}

static void check_source(const char *text, size_t bytes)
{
    whet_buf once = {0}, twice = {0};

    if (whet_judge__failure_text(&once, text, bytes) == WHET_OK) {
        if (once.bytes > bytes)
            abort();
        if (whet_judge__failure_text(&twice, once.data, once.bytes) !=
                WHET_OK ||
            twice.bytes > once.bytes)
            abort();
    }
    whet_buf_deinit(&once);
    whet_buf_deinit(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_file((const char *)data, size);
    check_source((const char *)data, size);
    return 0;
}
