#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

/* A device with memory of its own, played by ordinary memory of the worker:
 * image and kernel are one word that says what a call does. Workers are this
 * test program again, started as the judge starts whet. */

#include "judge/judge_priv.h"

/** Words. Every kernel transposes A into B, but for what the word says. */
#define FAKE_GOOD "good"
#define FAKE_SLOW "slow"           /**< Honestly takes longer. */
#define FAKE_NOTHING "nothing"     /**< Writes nothing. */
#define FAKE_BEHIND "behind"       /**< One byte behind B. */
#define FAKE_STRAY "stray"         /**< Also into the other slot's guards. */
#define FAKE_INPUT "input"         /**< Changes A. */
#define FAKE_FAIL "fail"           /**< The launch fails. */
#define FAKE_DIE "die"             /**< The worker ends. */
#define FAKE_HANG "hang"           /**< The call does not end. */
#define FAKE_NO_TIME "no-time"     /**< The events say 0. */
#define FAKE_LONG_TIME "long-time" /**< The events say an hour. */
#define FAKE_HIDES "hides"         /**< Takes 20 ms that no event shows. */
#define FAKE_BY_LAUNCH "by-launch" /**< 1 us for each launch of the plan. */
#define FAKE_NO_WAY_BACK "stuck"   /**< Copies from the device fail. */
#define FAKE_SETTLE                                                            \
    "settle" /**< Second call fails with what it was                           \
                  settled with. */

enum {
    FAKE_INDEX_EXCLUSIVE = 5, /**< Device that takes one process at a time. */
    FAKE_INDEX_FULL = 6,      /**< Device without free memory. */
    FAKE_INDEX_NO_COPY = 7,   /**< Device whose copies fail. */
    FAKE_INDEX_EAGER = 8      /**< Device that computes without a launch. */
};

extern const whet_device_ops fake_ops;

/** The worker's finder. */
const whet_device_ops *fake_find(const char *name);

/** A session on it: transpose at 40 x 30. */
typedef struct fake_session {
    whet_task *task;
    whet_device_handle device;
    whet_judge *judge;
    whet_candidate *candidates[2];
    whet_arm *arms[2];
} fake_session;

/** Open it with two arms, each a word; the test fails if that fails. */
fake_session *fake_open(uint32_t index, const char *reference,
                        const char *candidate);

/** End it. */
void fake_close(fake_session *session);

#endif /* FAKE_DEVICE_H */
