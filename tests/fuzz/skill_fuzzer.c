/* Skill files: whatever is accepted keeps its promises to the callers that put
 * ids in file names and lists in queries. */

#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_skill skill;
    whet_err err = {0};

    if (whet_skill_parse(&skill, (const char *)data, size, "fuzz.md",
                         "no-such-folder", &err) != WHET_OK) {
        if (err.msg[0] == '\0' || skill.text != NULL)
            abort();
        return 0;
    }
    if (skill.id[0] == '\0' || strchr(skill.id, '/') != NULL ||
        skill.id[0] == '.' || skill.text == NULL || skill.text[0] == '\0' ||
        skill.template_path != NULL || skill.op_count > WHET_SKILL_APPLY_MAX ||
        !(skill.gain_ratio >= 0 && skill.gain_ratio < 1e7) ||
        (skill.gain_ratio > 0 && skill.gain_samples == 0))
        abort();
    whet_skill_deinit(&skill);
    return 0;
}
