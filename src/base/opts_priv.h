#ifndef WHET_OPTS_PRIV_H
#define WHET_OPTS_PRIV_H

/* Between opts.c (the line), opts_value.c (text to field), opts_help.c and
 * opts_main.c (finding the command). */

#include "base/opts.h"

/**
 * Convert `text` and store it in the option's field of `dest`.
 *
 * @param source  names where the text came from ("--seed", "WHET_SEED")
 */
whet_status whet_opts__store(void *dest, const whet_opt *opt, const char *text,
                             const char *source, whet_err *err);

/** Append the overview of all visible commands. */
void whet_opts__help_all(whet_buf *out, const whet_cli *cli);

/** Append the commands that start with the word `first`, one a line.
 *  @return how many */
size_t whet_opts__help_group(whet_buf *out, const whet_cli *cli,
                             const char *first);

#endif /* WHET_OPTS_PRIV_H */
