#ifndef WHET_JUDGE_MACHINE_PRIV_H
#define WHET_JUDGE_MACHINE_PRIV_H

/* Private to machine.c and its tests: readings of files and cards. */

#include "judge/judge_priv.h"

/** Busy and all ticks of all processors from the text of /proc/stat.
 *  @return false if it is not understood */
bool whet_judge__parse_stat(double *busy_out, double *all_out,
                            const char *text);

/** Ticks that a process and its ended children have used, from the text of
 *  /proc/PID/stat. @return false if it is not understood */
bool whet_judge__parse_process(double *ticks_out, const char *text);

/** Take from a card what is known of it.
 *  @param own_count  workers of ours that hold it */
void whet_judge__read_card(whet_machine *out, const whet_card *card,
                           unsigned own_count);

#endif /* WHET_JUDGE_MACHINE_PRIV_H */
