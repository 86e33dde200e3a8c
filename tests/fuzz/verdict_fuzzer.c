/* Verdicts from a ledger. What is accepted must come back the same from the
 * text that we would write ourselves, and must be fit to print. */

#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

static char *text_of(const whet_verdict *verdict)
{
    json_t *json = whet_verdict_to_json(verdict);
    char *text = json != NULL ? json_dumps(json, JSON_SORT_KEYS) : NULL;

    json_decref(json);
    if (text == NULL)
        abort();
    return text;
}

static void check_print(const whet_verdict *verdict)
{
    whet_buf out = {0};
    size_t i;

    whet_verdict_print(&out, verdict);
    for (i = 0; i < out.bytes; i++)
        if (out.data[i] != '\n' &&
            ((unsigned char)out.data[i] < 32 || out.data[i] == 127))
            abort();
    whet_buf_deinit(&out);
}

static void check_again(const whet_verdict *verdict)
{
    char *first = text_of(verdict), *second;
    json_t *json = json_loads(first, 0, NULL);
    whet_verdict again;

    if (json == NULL || whet_verdict_from_json(&again, json, NULL) != WHET_OK)
        abort();
    second = text_of(&again);
    if (strcmp(first, second) != 0)
        abort();
    whet_verdict_deinit(&again);
    json_decref(json);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *json = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
    whet_verdict verdict;

    if (json == NULL)
        return 0;
    if (whet_verdict_from_json(&verdict, json, NULL) == WHET_OK) {
        check_print(&verdict);
        check_again(&verdict);
    }
    whet_verdict_deinit(&verdict);
    json_decref(json);
    return 0;
}
