/* How many terminal columns text takes. The C library knows only under a
 * UTF-8 locale, which a tool that must write the same bytes everywhere does
 * not set; so the ranges that matter are here, from Unicode's EastAsianWidth
 * (W and F) and the nonspacing marks of common scripts. */

#include "report/report_priv.h"

struct range {
    uint32_t first, last;
};

static const struct range zero_wide[] = {
    {0x0300, 0x036f},   {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f},   {0x06d6, 0x06dc}, {0x0900, 0x0902}, {0x093c, 0x093c},
    {0x0941, 0x0948},   {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2060, 0x2064},
    {0x20d0, 0x20f0},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
    {0xe0100, 0xe01ef},
};

static const struct range two_wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},
    {0x2614, 0x2615},   {0x26a1, 0x26a1},   {0x2705, 0x2705},
    {0x274c, 0x274c},   {0x2728, 0x2728},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x2b1b, 0x2b1c},
    {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18cd5}, {0x1b000, 0x1b2fb},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f265},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6fc}, {0x1f7e0, 0x1f7eb},
    {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static unsigned columns_of(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (is_in(zero_wide, sizeof zero_wide / sizeof zero_wide[0], code))
        return 0;
    return is_in(two_wide, sizeof two_wide / sizeof two_wide[0], code) ? 2 : 1;
}

/* Length of the sequence at `text`. Cells are valid UTF-8 once escaped, so a
 * malformed sequence need only do no harm: it counts as one byte. */
static size_t next(uint32_t *code_out, const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t need = at[0] < 0x80             ? 1
                  : (at[0] & 0xe0) == 0xc0 ? 2
                  : (at[0] & 0xf0) == 0xe0 ? 3
                  : (at[0] & 0xf8) == 0xf0 ? 4
                                           : 0;
    size_t i;

    *code_out = at[0];
    if (need <= 1 || need > bytes)
        return 1;
    *code_out = at[0] & (0x7fu >> need);
    for (i = 1; i < need; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            *code_out = '?';
            return 1;
        }
        *code_out = *code_out << 6 | (at[i] & 0x3fu);
    }
    return need;
}

size_t whet_report__cut(size_t *columns_out, const char *text, size_t bytes,
                        size_t max_columns)
{
    size_t at = 0, columns = 0;

    while (at < bytes) {
        uint32_t code;
        size_t used = next(&code, text + at, bytes - at);
        unsigned wide = columns_of(code);

        if (columns + wide > max_columns)
            break;
        columns += wide;
        at += used;
    }
    *columns_out = columns;
    return at;
}

size_t whet_text_columns(const char *text, size_t bytes)
{
    size_t columns;

    (void)whet_report__cut(&columns, text, bytes, SIZE_MAX);
    return columns;
}
