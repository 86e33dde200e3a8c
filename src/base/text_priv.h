#ifndef WHET_BASE_TEXT_PRIV_H
#define WHET_BASE_TEXT_PRIV_H

/* UTF-8 pieces shared inside the base room by everything that shows outside
 * text: error messages, escaping, the progress line. */

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Length in bytes of the UTF-8 sequence at `text`, 0 if it is not valid
 * (overlong forms, surrogates and values above U+10FFFF are not).
 *
 * @param code_out  the code point, only set when the result is not 0
 */
size_t whet_base__utf8_next(uint32_t *code_out, const char *text, size_t bytes);

/** Would this code point disturb a terminal: C0, DEL, C1, a line separator or
 *  a bidirectional control? */
bool whet_base__is_unsafe(uint32_t code);

/** Longest prefix of at most `max` bytes that does not end inside a UTF-8
 *  sequence. `bytes` is the length of the text. */
size_t whet_base__utf8_cut(const char *text, size_t bytes, size_t max);

/** whet_buf_escape that stops before the text added exceeds `max_added`
 *  bytes; an escape is never split. */
void whet_base__escape_max(whet_buf *buf, const char *text, size_t bytes,
                           bool keep_newlines, size_t max_added);

#endif /* WHET_BASE_TEXT_PRIV_H */
