#ifndef WHET_AGENT_H
#define WHET_AGENT_H

/* Whatever proposes candidates. Today: skills alone, no model. A skill is a
 * file skills/ID.md: YAML front matter (when it applies, what it gained, what
 * refutes it, its template) and a text for people and models. */

#include "base/base.h"
#include "candidate/candidate.h"
#include "task/task.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WHET_SKILL_APPLY_MAX = 16, WHET_SKILL_MAX = 512 };

typedef enum whet_skill_level {
    WHET_SKILL_BASIC = 0,
    WHET_SKILL_GENERAL,
    WHET_SKILL_ADVANCED
} whet_skill_level;

/** "basic", "general", "advanced". */
const char *whet_skill_level_name(whet_skill_level level);

/** One knowledge entry. Empty lists mean "any". */
typedef struct whet_skill {
    char id[WHET_NAME_BYTES];
    whet_skill_level level;
    char ops[WHET_SKILL_APPLY_MAX][WHET_NAME_BYTES];
    unsigned op_count;
    char dtypes[WHET_SKILL_APPLY_MAX][WHET_NAME_BYTES];
    unsigned dtype_count;
    char features[WHET_SKILL_APPLY_MAX][WHET_NAME_BYTES];
    unsigned feature_count;
    char finding_codes[WHET_SKILL_APPLY_MAX][WHET_NAME_BYTES];
    unsigned finding_code_count;
    double gain_ratio;     /**< Expected reference / candidate; 0 unknown. */
    unsigned gain_samples; /**< Measurements behind it. */
    char gain_device[128];
    char gain_date[16]; /**< "2026-11-30", "" = unknown. */
    char refuted_by[256];
    char source[256];
    char *template_path; /**< Absolute or cwd-relative; NULL = advice only. */
    char *text;          /**< Body. */
    whet_hash hash;      /**< Over the file and its template. */
} whet_skill;

typedef struct whet_skills {
    whet_skill *items; /**< Sorted by id. */
    unsigned count;
} whet_skills;

/** Load every *.md of a folder (NULL = shipped skills). WHET_EINVAL as
 *  "FILE:LINE:COLUMN: ...". Freed by whet_skills_deinit. */
whet_status whet_skills_load(whet_skills *out, const char *dir, whet_err *err);

/** Parse one skill from hostile text; `dir` resolves its template. */
whet_status whet_skill_parse(whet_skill *out, const char *text, size_t bytes,
                             const char *where, const char *dir, whet_err *err);

/** Release one skill. */
void whet_skill_deinit(whet_skill *skill);

/** Release all. */
void whet_skills_deinit(whet_skills *skills);

/** Does it apply to the task (op, dtypes of all its tensors)? Features and
 *  finding codes are matched by callers that have them. */
bool whet_skill_applies(const whet_skill *skill, const whet_task *task);

#ifdef __cplusplus
}
#endif

#endif /* WHET_AGENT_H */
