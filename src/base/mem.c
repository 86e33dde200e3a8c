/* Arena, byte buffer, vector growth and small string helpers. Nothing here
 * aborts on out of memory: the buffer remembers it, the rest returns NULL. */

#include "base/mem.h"

#include "base/text_priv.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARENA_BLOCK_BYTES = 16 * 1024,
    IDENTIFIER_MAX_BYTES = 63,
    CLOSEST_WORD_MAX_BYTES = 63,
    CLOSEST_MAX_DISTANCE = 2
};

typedef struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) unsigned char data[];
} arena_block;

struct whet_arena {
    arena_block *blocks; /* the first one is being filled */
};

whet_arena *whet_arena_new(void)
{
    return calloc(1, sizeof(whet_arena));
}

void whet_arena_free(whet_arena *arena)
{
    arena_block *block, *next;

    if (arena == NULL)
        return;
    for (block = arena->blocks; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void *whet_arena_alloc(whet_arena *arena, size_t bytes)
{
    const size_t align = alignof(max_align_t);
    arena_block *block = arena->blocks;
    size_t capacity = ARENA_BLOCK_BYTES;
    void *result;

    if (bytes > SIZE_MAX - sizeof(arena_block) - align)
        return NULL;
    bytes = bytes == 0 ? align : (bytes + align - 1) / align * align;
    if (block == NULL || bytes > block->capacity - block->used) {
        if (bytes > capacity)
            capacity = bytes;
        block = calloc(1, sizeof *block + capacity);
        if (block == NULL)
            return NULL;
        block->capacity = capacity;
        if (bytes > ARENA_BLOCK_BYTES / 4 && arena->blocks != NULL) {
            /* A large request gets its own block and does not retire the
             * one that still has room. */
            block->next = arena->blocks->next;
            arena->blocks->next = block;
        } else {
            block->next = arena->blocks;
            arena->blocks = block;
        }
    }
    result = block->data + block->used;
    block->used += bytes;
    return result;
}

char *whet_arena_strndup(whet_arena *arena, const char *text, size_t bytes)
{
    char *copy = bytes < SIZE_MAX ? whet_arena_alloc(arena, bytes + 1) : NULL;

    if (copy != NULL && bytes > 0)
        memcpy(copy, text, bytes);
    return copy;
}

void whet_buf_deinit(whet_buf *buf)
{
    free(buf->data);
    *buf = (whet_buf){0};
}

/* Room for `more` bytes and the closing NUL. A failed buffer stays failed, so
 * that content is a prefix of what was meant and never has holes. */
static bool buf_reserve(whet_buf *buf, size_t more)
{
    void *data = buf->data;

    if (buf->failed || more >= SIZE_MAX - buf->bytes) {
        buf->failed = true;
        return false;
    }
    if (!whet_vec_reserve(&data, &buf->alloc_bytes, buf->bytes + more + 1, 1)) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    return true;
}

void whet_buf_add(whet_buf *buf, const void *data, size_t bytes)
{
    if (!buf_reserve(buf, bytes))
        return;
    if (bytes > 0)
        memcpy(buf->data + buf->bytes, data, bytes);
    buf->bytes += bytes;
    buf->data[buf->bytes] = '\0';
}

void whet_buf_puts(whet_buf *buf, const char *text)
{
    whet_buf_add(buf, text, strlen(text));
}

void whet_buf_printf(whet_buf *buf, const char *fmt, ...)
{
    va_list args;
    int need;

    va_start(args, fmt);
    need = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (need < 0) {
        buf->failed = true;
        return;
    }
    if (!buf_reserve(buf, (size_t)need))
        return;
    va_start(args, fmt);
    vsnprintf(buf->data + buf->bytes, (size_t)need + 1, fmt, args);
    va_end(args);
    buf->bytes += (size_t)need;
}

void whet_buf_escape(whet_buf *buf, const char *text, size_t bytes,
                     bool keep_newlines)
{
    whet_base__escape_max(buf, text, bytes, keep_newlines, SIZE_MAX);
}

const char *whet_buf_str(const whet_buf *buf)
{
    return buf->data == NULL ? "" : buf->data;
}

bool whet_vec_reserve(void **items, size_t *alloc, size_t need,
                      size_t item_bytes)
{
    size_t want = *alloc;
    void *grown;

    if (need <= *alloc)
        return true;
    if (item_bytes == 0 || need > SIZE_MAX / item_bytes)
        return false;
    if (want < 8)
        want = 8;
    while (want < need) {
        if (want > SIZE_MAX / 2 / item_bytes) {
            want = need;
            break;
        }
        want *= 2;
    }
    if (want > SIZE_MAX / item_bytes)
        want = need;
    /* Callers cast the address of a typed pointer to void **; copying the
     * pointer's bytes keeps that within the aliasing rules. */
    memcpy(&grown, items, sizeof grown);
    grown = realloc(grown, want * item_bytes);
    if (grown == NULL)
        return false;
    memcpy(items, &grown, sizeof grown);
    *alloc = want;
    return true;
}

char *whet_strdup(const char *text)
{
    return text == NULL ? NULL : strdup(text);
}

char *whet_asprintf(const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    int need;

    va_start(args, fmt);
    need = vasprintf(&text, fmt, args);
    va_end(args);
    return need < 0 ? NULL : text;
}

bool whet_strcopy(char *dst, size_t dst_bytes, const char *src)
{
    size_t bytes = strlen(src);
    bool fits = bytes < dst_bytes;

    if (dst_bytes == 0)
        return false;
    if (!fits)
        bytes = whet_base__utf8_cut(src, bytes, dst_bytes - 1);
    memcpy(dst, src, bytes);
    dst[bytes] = '\0';
    return fits;
}

/* Not isalpha(): the locale must not decide what an identifier is. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool whet_is_identifier(const char *text, size_t bytes)
{
    if (bytes == 0 || bytes > IDENTIFIER_MAX_BYTES || !is_letter(text[0]))
        return false;
    for (size_t i = 1; i < bytes; i++) {
        if (!is_letter(text[i]) && !(text[i] >= '0' && text[i] <= '9'))
            return false;
    }
    return true;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

/* Levenshtein distance with one row; both words are short. */
static unsigned edit_distance(const char *a, size_t a_bytes, const char *b,
                              size_t b_bytes)
{
    unsigned row[CLOSEST_WORD_MAX_BYTES + 1];

    for (size_t j = 0; j <= b_bytes; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a_bytes; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_bytes; j++) {
            unsigned above = row[j];

            row[j] = min3(above + 1, row[j - 1] + 1,
                          diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_bytes];
}

const char *whet_closest_name(const char *word, const char *const *names,
                              size_t name_count)
{
    size_t word_bytes = strlen(word);
    const char *best = NULL;
    unsigned limit = CLOSEST_MAX_DISTANCE + 1;

    if (word_bytes > CLOSEST_WORD_MAX_BYTES)
        return NULL;
    if (word_bytes / 2 + 1 < limit)
        limit = (unsigned)(word_bytes / 2 + 1);
    for (size_t i = 0; i < name_count; i++) {
        size_t name_bytes = strlen(names[i]);
        unsigned distance;

        if (name_bytes > CLOSEST_WORD_MAX_BYTES)
            continue;
        distance = edit_distance(word, word_bytes, names[i], name_bytes);
        if (distance < limit) {
            limit = distance;
            best = names[i];
        }
    }
    return best;
}
