/* Output of hy-smi and rocm-smi, field by field. The tools print the same
 * fields in several forms: "HCU[0] : KEY: VALUE" lines, a concise table, CSV
 * behind noise, and JSON in which commas are missing, values carry units and
 * log lines stand between. So nothing is parsed as a whole: whatever looks like
 * a known key next to a value counts for the card named last. */

#include "device/inventory_priv.h"

#include <string.h>
#include <strings.h>

enum {
    LABEL_MAX = 1023, /* highest card number that is believed */
    COLUMN_MAX = 64,
    KEY_BYTES = 96,
    VALUE_BYTES = 128
};

typedef enum field {
    FIELD_NONE = 0,
    FIELD_USE,
    FIELD_MEMORY_PCT,
    FIELD_TOTAL,
    FIELD_USED,
    FIELD_AVAILABLE,
    FIELD_TEMPERATURE,
    FIELD_POWER,
    FIELD_PCI,
    FIELD_UUID,
    FIELD_NAME,
    FIELD_ARCH,
    FIELD_DRIVER
} field;

/* A key as printed, "*" standing for the word for a card (HCU, DCU, GPU);
 * letters in either case. Of several for one field the higher rank wins. */
struct key {
    const char *text;
    field field;
    int rank;
    double scale;
};

static const struct key keys[] = {
    {"* use (%)", FIELD_USE, 1, 1},
    {"*%", FIELD_USE, 1, 1},
    {"* memory use (%)", FIELD_MEMORY_PCT, 2, 1},
    {"* memory allocated (vram%)", FIELD_MEMORY_PCT, 2, 1},
    {"vram%", FIELD_MEMORY_PCT, 1, 1},
    {"vram total memory (b)", FIELD_TOTAL, 1, 1},
    {"vram total memory (kib)", FIELD_TOTAL, 1, 1024},
    {"vram total memory (mib)", FIELD_TOTAL, 1, 1048576},
    {"vram total used memory (b)", FIELD_USED, 1, 1},
    {"vram total used memory (kib)", FIELD_USED, 1, 1024},
    {"vram total used memory (mib)", FIELD_USED, 1, 1048576},
    {"available memory size (b)", FIELD_AVAILABLE, 1, 1},
    {"available memory size (mib)", FIELD_AVAILABLE, 1, 1048576},
    {"temperature (sensor junction) (c)", FIELD_TEMPERATURE, 5, 1},
    {"temperature (sensor hotspot) (c)", FIELD_TEMPERATURE, 5, 1},
    {"temperature (sensor core) (c)", FIELD_TEMPERATURE, 4, 1},
    {"temperature (sensor edge) (c)", FIELD_TEMPERATURE, 3, 1},
    {"temp", FIELD_TEMPERATURE, 2, 1},
    {"temperature (sensor mem) (c)", FIELD_TEMPERATURE, 1, 1},
    {"average graphics package power (w)", FIELD_POWER, 2, 1},
    {"current socket graphics package power (w)", FIELD_POWER, 2, 1},
    {"avgpwr", FIELD_POWER, 1, 1},
    {"pci bus", FIELD_PCI, 1, 1},
    {"unique id", FIELD_UUID, 2, 1},
    {"serial number", FIELD_UUID, 1, 1},
    {"card series", FIELD_NAME, 3, 1},
    {"device name", FIELD_NAME, 2, 1},
    {"card model", FIELD_NAME, 1, 1},
    {"gfx version", FIELD_ARCH, 1, 1},
    {"driver version", FIELD_DRIVER, 1, 1},
};

static const char *const card_words[] = {"hcu", "dcu", "gpu"};

/* What is gathered of one card besides what whet_card holds. */
struct seen {
    long label;
    int rank[FIELD_DRIVER + 1];
    whet_reading memory_pct, available;
};

struct reader {
    whet_cards *cards;
    struct seen seen[WHET_CARD_MAX];
    whet_card *card; /* named last; NULL = none yet */
    char driver[48]; /* of no card in particular */
};

/* --- values --------------------------------------------------------------- */

/* Number at the start of `text` ("41.0C", "80 W", "0"), digits and one point
 * only; unknown for anything else. No locale, no hex, no infinity. */
static whet_reading number_of(const char *text)
{
    whet_reading out = {0};
    double scale = 1;
    int digits = 0;
    bool has_point = false;

    for (; *text == ' ' || *text == '\t'; text++)
        ;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point);
         text++) {
        if (*text == '.') {
            has_point = true;
            continue;
        }
        if (++digits > 20)
            return (whet_reading){0};
        out.value = out.value * 10 + (*text - '0');
        if (has_point)
            scale *= 10;
    }
    /* Hexadecimal and exponents are not what these tools print. */
    if (digits == 0 || (*text != '\0' && strchr("xXeE", *text) != NULL))
        return (whet_reading){0};
    out.value /= scale;
    out.is_known = true;
    return out;
}

static void set_number(whet_reading *to, const char *text, double scale,
                       double max)
{
    whet_reading value = number_of(text);

    if (!value.is_known || value.value * scale > max)
        return;
    to->value = value.value * scale;
    to->is_known = true;
}

static bool is_na(const char *text)
{
    return text[0] == '\0' || strcasecmp(text, "N/A") == 0 ||
           strcasecmp(text, "None") == 0 || strcasecmp(text, "unknown") == 0;
}

static void set_text(char *to, size_t bytes, const char *text)
{
    if (!is_na(text))
        (void)whet_strcopy(to, bytes, text);
}

/* --- keys ----------------------------------------------------------------- */

/* Length of the word for a card at `text`, 0 if there is none. */
static size_t card_word(const char *text)
{
    for (size_t i = 0; i < sizeof card_words / sizeof card_words[0]; i++)
        if (strncasecmp(text, card_words[i], 3) == 0)
            return 3;
    return 0;
}

static bool key_matches(const char *pattern, const char *key)
{
    if (pattern[0] != '*')
        return strcasecmp(pattern, key) == 0;
    return card_word(key) > 0 && strcasecmp(pattern + 1, key + 3) == 0;
}

static const struct key *find_key(const char *text)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (key_matches(keys[i].text, text))
            return &keys[i];
    return NULL;
}

/* Only one vendor's tools say these words. */
static void note_vendor(whet_card *card, const char *text)
{
    if (strncasecmp(text, "hcu", 3) == 0 || strncasecmp(text, "dcu", 3) == 0)
        (void)whet_strcopy(card->vendor, sizeof card->vendor, "hygon");
}

/* The card with this number, as the tool counts. */
static void name_card(struct reader *r, long label)
{
    r->card = NULL;
    for (uint32_t i = 0; i < r->cards->count; i++)
        if (r->seen[i].label == label)
            r->card = &r->cards->items[i];
    if (r->card != NULL || label < 0 || label > LABEL_MAX)
        return;
    r->card = whet_inventory__new_card(r->cards);
    if (r->card == NULL)
        return;
    r->card->physical_index = (uint32_t)label;
    memset(&r->seen[r->cards->count - 1], 0, sizeof r->seen[0]);
    r->seen[r->cards->count - 1].label = label;
}

static void set_field(whet_card *card, struct seen *seen, const struct key *key,
                      const char *value)
{
    char pci[32];

    switch (key->field) {
    case FIELD_USE:
        set_number(&card->use_pct, value, 1, 100);
        break;
    case FIELD_MEMORY_PCT:
        set_number(&seen->memory_pct, value, 1, 100);
        break;
    case FIELD_TOTAL:
        set_number(&card->memory_total_bytes, value, key->scale, 1e15);
        break;
    case FIELD_USED:
        set_number(&card->memory_used_bytes, value, key->scale, 1e15);
        break;
    case FIELD_AVAILABLE:
        set_number(&seen->available, value, key->scale, 1e15);
        break;
    case FIELD_TEMPERATURE:
        set_number(&card->temperature_c, value, 1, 300);
        break;
    case FIELD_POWER:
        set_number(&card->power_w, value, 1, 1e5);
        break;
    case FIELD_PCI:
        if (whet_inventory__pci(pci, value))
            (void)whet_strcopy(card->pci, sizeof card->pci, pci);
        break;
    case FIELD_UUID:
        set_text(card->uuid, sizeof card->uuid, value);
        break;
    case FIELD_NAME:
        set_text(card->name, sizeof card->name, value);
        break;
    case FIELD_ARCH:
        set_text(card->arch, sizeof card->arch, value);
        break;
    case FIELD_DRIVER:
        set_text(card->driver, sizeof card->driver, value);
        break;
    case FIELD_NONE:
        break;
    }
}

static bool is_set(const whet_card *card, const struct seen *seen, field which)
{
    switch (which) {
    case FIELD_TEMPERATURE:
        return card->temperature_c.is_known;
    case FIELD_POWER:
        return card->power_w.is_known;
    case FIELD_MEMORY_PCT:
        return seen->memory_pct.is_known;
    case FIELD_UUID:
        return card->uuid[0] != '\0';
    case FIELD_NAME:
        return card->name[0] != '\0';
    default:
        return false; /* of one rank: the last one counts */
    }
}

/* A key with its value, for the card named last. */
static void take(struct reader *r, const char *name, const char *value)
{
    const struct key *key = find_key(name);
    struct seen *seen;

    if (key == NULL)
        return;
    if (key->field == FIELD_DRIVER && r->card == NULL) {
        set_text(r->driver, sizeof r->driver, value);
        return;
    }
    if (r->card == NULL)
        return;
    seen = &r->seen[r->card - r->cards->items];
    note_vendor(r->card, name);
    if (is_set(r->card, seen, key->field) &&
        key->rank <= seen->rank[key->field])
        return;
    set_field(r->card, seen, key, value);
    if (is_set(r->card, seen, key->field))
        seen->rank[key->field] = key->rank;
}

/* --- pieces of text ------------------------------------------------------- */

/* Copy without blanks and quotes at the ends. */
static void copy_trimmed(char *to, size_t to_bytes, const char *text,
                         size_t bytes)
{
    while (bytes > 0 && strchr(" \t\r\"'", text[0]) != NULL && text[0] != '\0')
        text++, bytes--;
    while (bytes > 0 && text[bytes - 1] != '\0' &&
           strchr(" \t\r\"'", text[bytes - 1]) != NULL)
        bytes--;
    if (bytes >= to_bytes)
        bytes = to_bytes - 1;
    memcpy(to, text, bytes);
    to[bytes] = '\0';
    /* A NUL inside ends the text, which is fine. */
}

/* Decimal number at `text`, -1 if there is none or it is too long. */
static long label_of(const char *text, size_t bytes, size_t *used_out)
{
    long label = 0;
    size_t i = 0;

    while (i < bytes && i < 5 && text[i] >= '0' && text[i] <= '9')
        label = label * 10 + (text[i++] - '0');
    *used_out = i;
    return i > 0 && i < 5 ? label : -1;
}

/* --- lines: "HCU[0]\t\t: KEY: VALUE", "Driver version: 5.16" ---------------
 */

static void take_pair(struct reader *r, const char *text, size_t bytes)
{
    const char *colon = memchr(text, ':', bytes);
    char key[KEY_BYTES], value[VALUE_BYTES];

    if (colon == NULL)
        return;
    copy_trimmed(key, sizeof key, text, (size_t)(colon - text));
    copy_trimmed(value, sizeof value, colon + 1,
                 bytes - (size_t)(colon + 1 - text));
    take(r, key, value);
}

/* "HCU[12]": number and what follows; NULL if the line does not begin so. */
static const char *line_label(long *label_out, const char *line, size_t bytes)
{
    size_t used;

    if (bytes < 6 || card_word(line) == 0 || line[3] != '[')
        return NULL;
    *label_out = label_of(line + 4, bytes - 4, &used);
    if (*label_out < 0 || 4 + used >= bytes || line[4 + used] != ']')
        return NULL;
    return line + 5 + used;
}

static void read_line(struct reader *r, const char *line, size_t bytes)
{
    const char *end = line + bytes;
    const char *rest;
    long label;

    if ((rest = line_label(&label, line, bytes)) == NULL) {
        r->card = NULL;
        take_pair(r, line, bytes);
        return;
    }
    while (rest < end && (*rest == ' ' || *rest == '\t'))
        rest++;
    if (rest == end || *rest != ':')
        return;
    name_card(r, label);
    if (r->card != NULL)
        note_vendor(r->card, line);
    take_pair(r, rest + 1, (size_t)(end - rest - 1));
}

/* --- columns: CSV and the concise table ----------------------------------- */

/* Cells of a row, by commas or by blanks. */
static size_t split(const char *cells[COLUMN_MAX], size_t lengths[COLUMN_MAX],
                    const char *line, size_t bytes, bool by_comma)
{
    size_t count = 0, at = 0;

    while (at < bytes && count < COLUMN_MAX) {
        size_t begin;

        while (!by_comma && at < bytes && strchr(" \t\r", line[at]) != NULL &&
               line[at] != '\0')
            at++;
        if (at == bytes)
            break;
        begin = at;
        while (at < bytes && (by_comma ? line[at] != ','
                                       : line[at] != ' ' && line[at] != '\t' &&
                                             line[at] != '\r'))
            at++;
        cells[count] = line + begin;
        lengths[count++] = at - begin;
        at += by_comma;
    }
    return count;
}

struct header {
    char keys[COLUMN_MAX][KEY_BYTES];
    size_t count;
    bool by_comma;
};

/* A row that names columns: "device,..." or one with Temp and VRAM%. */
static bool read_header(struct header *out, const char *line, size_t bytes)
{
    const char *cells[COLUMN_MAX];
    size_t lengths[COLUMN_MAX];
    bool has_temp = false, has_vram = false;

    out->by_comma = bytes > 7 && strncasecmp(line, "device,", 7) == 0;
    if (!out->by_comma && (bytes < 4 || card_word(line) == 0 ||
                           (line[3] != ' ' && line[3] != '\t')))
        return false;
    out->count = split(cells, lengths, line, bytes, out->by_comma);
    for (size_t i = 0; i < out->count; i++) {
        copy_trimmed(out->keys[i], KEY_BYTES, cells[i], lengths[i]);
        has_temp = has_temp || strcasecmp(out->keys[i], "temp") == 0;
        has_vram = has_vram || strcasecmp(out->keys[i], "vram%") == 0;
    }
    return out->by_comma || (has_temp && has_vram);
}

static void read_row(struct reader *r, const struct header *header,
                     const char *line, size_t bytes)
{
    const char *cells[COLUMN_MAX];
    size_t lengths[COLUMN_MAX], used, skip = 0;
    size_t count = split(cells, lengths, line, bytes, header->by_comma);
    char value[VALUE_BYTES];
    long label;

    if (count == 0 || count > header->count ||
        (!header->by_comma && count != header->count))
        return;
    if (header->by_comma) {
        if (lengths[0] < 5 || strncasecmp(cells[0], "card", 4) != 0)
            return;
        skip = 4;
    }
    label = label_of(cells[0] + skip, lengths[0] - skip, &used);
    if (label < 0 || used + skip != lengths[0])
        return;
    name_card(r, label);
    if (r->card != NULL)
        note_vendor(r->card, header->keys[0]);
    for (size_t i = 1; i < count; i++) {
        copy_trimmed(value, sizeof value, cells[i], lengths[i]);
        take(r, header->keys[i], value);
    }
}

static void read_lines(struct reader *r, const char *text, size_t bytes)
{
    struct header header = {.count = 0}, next;

    for (size_t at = 0; at < bytes;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', bytes - at);
        size_t length = end != NULL ? (size_t)(end - line) : bytes - at;

        if (read_header(&next, line, length))
            header = next;
        else if (header.count > 0)
            read_row(r, &header, line, length);
        read_line(r, line, length);
        at += length + 1;
    }
}

/* --- JSON, or what was meant to be ---------------------------------------- */

/* Bytes of a quoted word at `text` (which is '"') up to its closing quote, 0 if
 * there is none in this line. */
static size_t quoted_bytes(const char *text, size_t bytes)
{
    for (size_t i = 1; i < bytes && i < 512 && text[i] != '\n'; i++)
        if (text[i] == '"')
            return i + 1;
    return 0;
}

static size_t blanks(const char *text, size_t bytes)
{
    size_t i = 0;

    while (i < bytes && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' ||
                         text[i] == '\n'))
        i++;
    return i;
}

/* Bytes of a value: a quoted word, or all up to what cannot belong to it. */
static size_t value_bytes(const char *text, size_t bytes)
{
    size_t i = 0;

    if (bytes > 0 && text[0] == '"')
        return quoted_bytes(text, bytes);
    while (i < bytes && strchr(",{}\"\n", text[i]) == NULL)
        i++;
    return i;
}

/* A key was read: a card begins, or a value follows. @return bytes used */
static size_t take_json(struct reader *r, const char *key, const char *text,
                        size_t bytes)
{
    char value[VALUE_BYTES];
    size_t used, length;

    if (bytes > 0 && text[0] == '{') {
        long label = strncasecmp(key, "card", 4) == 0
                         ? label_of(key + 4, strlen(key + 4), &used)
                         : -1;

        if (label >= 0 && key[4 + used] == '\0')
            name_card(r, label);
        else
            r->card = NULL; /* "system" */
        return 1;
    }
    length = value_bytes(text, bytes);
    copy_trimmed(value, sizeof value, text, length);
    take(r, key, value);
    return length;
}

static void read_json(struct reader *r, const char *text, size_t bytes)
{
    char key[KEY_BYTES];

    r->card = NULL;
    for (size_t at = 0; at < bytes;) {
        size_t length =
            text[at] == '"' ? quoted_bytes(text + at, bytes - at) : 0;

        if (length == 0) {
            at++;
            continue;
        }
        copy_trimmed(key, sizeof key, text + at, length);
        at += length;
        at += blanks(text + at, bytes - at);
        if (at >= bytes || text[at] != ':')
            continue; /* a value that lost its key, or a key that lost ':' */
        at++;
        at += blanks(text + at, bytes - at);
        at += take_json(r, key, text + at, bytes - at);
    }
}

/* --- all ------------------------------------------------------------------ */

/* Memory told as a share or as what is left. */
static void settle_memory(whet_card *card, const struct seen *seen)
{
    double total = card->memory_total_bytes.value;

    if (!card->memory_total_bytes.is_known)
        return;
    if (card->memory_used_bytes.is_known) {
        if (card->memory_used_bytes.value > total)
            card->memory_used_bytes.is_known = false;
    } else if (seen->available.is_known && seen->available.value <= total) {
        card->memory_used_bytes =
            whet_inventory__known(total - seen->available.value);
    } else if (seen->memory_pct.is_known) {
        card->memory_used_bytes =
            whet_inventory__known(total * seen->memory_pct.value / 100);
    }
}

/* Was anything but its number read? */
static bool is_told(const whet_card *card, const struct seen *seen)
{
    return card->memory_used_bytes.is_known ||
           card->memory_total_bytes.is_known || card->use_pct.is_known ||
           card->temperature_c.is_known || card->power_w.is_known ||
           seen->memory_pct.is_known || card->pci[0] != '\0' ||
           card->name[0] != '\0';
}

void whet_smi__read(whet_cards *cards, const char *text, size_t bytes)
{
    struct reader r = {.cards = cards};
    uint32_t kept = 0;

    cards->count = 0;
    read_lines(&r, text, bytes);
    read_json(&r, text, bytes);
    for (uint32_t i = 0; i < cards->count; i++) {
        whet_card *card = &cards->items[i];

        if (!is_told(card, &r.seen[i]))
            continue;
        settle_memory(card, &r.seen[i]);
        if (card->driver[0] == '\0')
            (void)whet_strcopy(card->driver, sizeof card->driver, r.driver);
        if (kept != i)
            cards->items[kept] = *card;
        kept++;
    }
    cards->count = kept;
}
