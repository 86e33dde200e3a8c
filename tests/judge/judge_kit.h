#ifndef JUDGE_KIT_H
#define JUDGE_KIT_H

/* Shared by the judge's tests: sessions on the null device over a script, and
 * verdicts. */

#include "judge/judge_priv.h"

/** A shipped task by name; the test fails if it cannot be loaded. */
whet_task *kit_task(const char *name);

/** A session on the null device with two arms of one candidate. */
typedef struct kit_session {
    whet_task *task; /**< gemm, at M=8 N=8 K=8. */
    whet_device_handle device;
    whet_candidate *candidate;
    whet_judge *judge;
    whet_arm *arms[2]; /**< Points SPEED=1 (reference) and SPEED=2. */
} kit_session;

/** Open it; the test fails if that fails. `script` as for the null device;
 *  its rules may match " SPEED=1 " and " SPEED=2 ". */
kit_session *kit_open_session(const char *script);

/** End it. */
void kit_close_session(kit_session *session);

/** Open an arm at SPEED=`speed`; NULL if it was refused. */
whet_arm *kit_open_arm(whet_verdict *refusal, kit_session *session, int speed);

/** A verdict with every field set. Caller deinits. */
whet_verdict kit_verdict(void);

#endif /* JUDGE_KIT_H */
