/* Reading device images, part two: the metadata note of AMDGPU code objects,
 * version 3 and later (LLVM, "User Guide for AMDGPU Backend", Code Object
 * Metadata). It is a MessagePack document, walked here by a cursor that never
 * recurses: what is not wanted is skipped item by item. */

#include "toolchain/image_priv.h"

#include <stddef.h>
#include <string.h>

enum {
    NOTE_METADATA = 32, /* NT_AMDGPU_METADATA */
    KERNEL_SEEN_MAX = 1024,
    MACH_MASK = 0xff,
    /* EF_AMDGPU_MACH_AMDGCN_GFX*: parts with one file for both kinds of
     * vector register, where .vgpr_count tells their sum. */
    MACH_GFX90A = 0x3f,
    MACH_GFX940 = 0x40,
    MACH_GFX941 = 0x4b,
    MACH_GFX942 = 0x4c,
    MACH_GFX950 = 0x4f
};

typedef enum item_kind {
    ITEM_OTHER = 0,
    ITEM_NUMBER, /* Not negative. */
    ITEM_TEXT,
    ITEM_ARRAY,
    ITEM_MAP
} item_kind;

typedef struct item {
    item_kind kind;
    uint64_t number; /* Value, or count of items or entries. */
    whet_span text;
} item;

/* Head bytes 0xc0 to 0xdf: kind, bytes of the number that follows, bytes of
 * data beyond it (ext types carry one more for their type). */
typedef struct head {
    uint8_t kind, number_bytes, data_bytes;
    bool has_length; /* The number is the length of the data. */
} head;

static const head heads[32] = {
    [0x00] = {ITEM_OTHER, 0, 0, false},  [0x02] = {ITEM_OTHER, 0, 0, false},
    [0x03] = {ITEM_OTHER, 0, 0, false},  [0x04] = {ITEM_OTHER, 1, 0, true},
    [0x05] = {ITEM_OTHER, 2, 0, true},   [0x06] = {ITEM_OTHER, 4, 0, true},
    [0x07] = {ITEM_OTHER, 1, 1, true},   [0x08] = {ITEM_OTHER, 2, 1, true},
    [0x09] = {ITEM_OTHER, 4, 1, true},   [0x0a] = {ITEM_OTHER, 0, 4, false},
    [0x0b] = {ITEM_OTHER, 0, 8, false},  [0x0c] = {ITEM_NUMBER, 1, 0, false},
    [0x0d] = {ITEM_NUMBER, 2, 0, false}, [0x0e] = {ITEM_NUMBER, 4, 0, false},
    [0x0f] = {ITEM_NUMBER, 8, 0, false}, [0x10] = {ITEM_OTHER, 0, 1, false},
    [0x11] = {ITEM_OTHER, 0, 2, false},  [0x12] = {ITEM_OTHER, 0, 4, false},
    [0x13] = {ITEM_OTHER, 0, 8, false},  [0x14] = {ITEM_OTHER, 0, 2, false},
    [0x15] = {ITEM_OTHER, 0, 3, false},  [0x16] = {ITEM_OTHER, 0, 5, false},
    [0x17] = {ITEM_OTHER, 0, 9, false},  [0x18] = {ITEM_OTHER, 0, 17, false},
    [0x19] = {ITEM_TEXT, 1, 0, true},    [0x1a] = {ITEM_TEXT, 2, 0, true},
    [0x1b] = {ITEM_TEXT, 4, 0, true},    [0x1c] = {ITEM_ARRAY, 2, 0, false},
    [0x1d] = {ITEM_ARRAY, 4, 0, false},  [0x1e] = {ITEM_MAP, 2, 0, false},
    [0x1f] = {ITEM_MAP, 4, 0, false},
};

static whet_status cut_short(whet_err *err)
{
    return whet_err_set(err, WHET_EINVAL,
                        "image: its metadata ends in the middle of a value");
}

/* Numbers that do not use the table: they lie in the head byte itself. */
static bool read_short(item *out, unsigned byte, uint64_t *data_bytes)
{
    *data_bytes = 0;
    if (byte < 0x80)
        *out = (item){.kind = ITEM_NUMBER, .number = byte};
    else if (byte < 0x90)
        *out = (item){.kind = ITEM_MAP, .number = byte & 0x0f};
    else if (byte < 0xa0)
        *out = (item){.kind = ITEM_ARRAY, .number = byte & 0x0f};
    else if (byte < 0xc0) {
        *out = (item){.kind = ITEM_TEXT};
        *data_bytes = byte & 0x1f;
    } else if (byte >= 0xe0)
        *out = (item){.kind = ITEM_OTHER}; /* Negative. */
    else
        return false;
    return true;
}

/* One item; of an array or map only its head. */
static whet_status next_item(item *out, whet_span *at, whet_err *err)
{
    uint64_t data_bytes;
    unsigned byte;

    *out = (item){.kind = ITEM_OTHER};
    if (at->bytes == 0)
        return cut_short(err);
    byte = *at->data++;
    at->bytes--;
    if (!read_short(out, byte, &data_bytes)) {
        const head *row = &heads[byte - 0xc0];

        if (at->bytes < row->number_bytes)
            return cut_short(err);
        out->kind = (item_kind)row->kind;
        for (unsigned i = 0; i < row->number_bytes; i++)
            out->number = out->number << 8 | *at->data++;
        at->bytes -= row->number_bytes;
        data_bytes = row->data_bytes + (row->has_length ? out->number : 0);
    }
    if (data_bytes > at->bytes)
        return cut_short(err);
    out->text = (whet_span){at->data, (size_t)data_bytes};
    at->data += data_bytes;
    at->bytes -= (size_t)data_bytes;
    /* Each item takes at least one byte. */
    if ((out->kind == ITEM_ARRAY && out->number > at->bytes) ||
        (out->kind == ITEM_MAP && out->number > at->bytes / 2))
        return cut_short(err);
    return WHET_OK;
}

/* Pass over all that belongs to an item just read. */
static whet_status skip_rest(const item *first, whet_span *at, whet_err *err)
{
    uint64_t pending = 0;
    item it = *first;
    whet_status st;

    for (;;) {
        if (it.kind == ITEM_ARRAY)
            pending += it.number;
        else if (it.kind == ITEM_MAP)
            pending += 2 * it.number;
        if (pending == 0)
            return WHET_OK;
        if (pending > at->bytes)
            return cut_short(err);
        if ((st = next_item(&it, at, err)) != WHET_OK)
            return st;
        pending--;
    }
}

static bool is_text(const item *it, const char *text)
{
    size_t bytes = strlen(text);

    return it->kind == ITEM_TEXT && it->text.bytes == bytes &&
           memcmp(it->text.data, text, bytes) == 0;
}

static bool starts_with(const item *it, const char *text)
{
    size_t bytes = strlen(text);

    return it->kind == ITEM_TEXT && it->text.bytes >= bytes &&
           memcmp(it->text.data, text, bytes) == 0;
}

/* Key and value of a map's next entry; a value that is an array or a map is
 * left to the caller. */
static whet_status next_entry(item *key, item *value, whet_span *at,
                              whet_err *err)
{
    whet_status st = next_item(key, at, err);

    if (st == WHET_OK)
        st = skip_rest(key, at, err);
    return st == WHET_OK ? next_item(value, at, err) : st;
}

/* Older compilers tell the type of a value too. */
static uint32_t kind_of_type(const item *type)
{
    static const struct {
        const char *word;
        uint32_t kind;
    } rows[] = {{"i32", WHET_IMAGE_ARG_I32}, {"u32", WHET_IMAGE_ARG_I32},
                {"i64", WHET_IMAGE_ARG_I64}, {"u64", WHET_IMAGE_ARG_I64},
                {"f32", WHET_IMAGE_ARG_F32}, {"f64", WHET_IMAGE_ARG_F64}};
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_text(type, rows[i].word))
            return rows[i].kind;
    return WHET_IMAGE_ARG_UNKNOWN;
}

static whet_status read_arg(whet_kernel_facts *kernel, uint64_t entry_count,
                            whet_span *at, whet_err *err)
{
    /* What printf and assert, malloc, and a launch from the device go by
     * (LLVM, "User Guide for AMDGPU Backend", code object metadata). Others,
     * among them hidden_none in their place, are harmless. */
    static const char *const refused[] = {
        "hidden_printf_buffer", "hidden_hostcall_buffer", "hidden_heap_v1",
        "hidden_default_queue", "hidden_completion_action"};
    item key, value, what = {0}, type = {0};
    uint64_t bytes = 0, i;
    uint32_t kind = WHET_IMAGE_ARG_UNKNOWN;
    whet_status st;

    for (i = 0; i < entry_count; i++) {
        if ((st = next_entry(&key, &value, at, err)) != WHET_OK ||
            (st = skip_rest(&value, at, err)) != WHET_OK)
            return st;
        if (is_text(&key, ".size") && value.kind == ITEM_NUMBER)
            bytes = value.number;
        else if (is_text(&key, ".value_kind"))
            what = value;
        else if (is_text(&key, ".value_type"))
            type = value;
    }
    for (i = 0; i < sizeof refused / sizeof *refused; i++)
        if (is_text(&what, refused[i]))
            return whet_image__refuse_need(refused[i], err);
    if (starts_with(&what, "hidden_"))
        return WHET_OK; /* The runtime's, not the candidate's. */
    if (is_text(&what, "global_buffer"))
        kind = WHET_IMAGE_ARG_GLOBAL;
    else if (is_text(&what, "dynamic_shared_pointer"))
        kind = WHET_IMAGE_ARG_LOCAL;
    else if (is_text(&what, "by_value"))
        kind = kind_of_type(&type);
    return whet_image__set_arg(kernel, kernel->arg_count, kind, bytes, err);
}

static whet_status read_args(whet_kernel_facts *kernel, const item *list,
                             whet_span *at, whet_err *err)
{
    uint64_t i;
    item arg;
    whet_status st;

    if (list->kind != ITEM_ARRAY)
        return whet_err_set(err, WHET_EINVAL,
                            "image: .args of its metadata is no list");
    for (i = 0; i < list->number; i++) {
        if ((st = next_item(&arg, at, err)) != WHET_OK)
            return st;
        if (arg.kind != ITEM_MAP)
            return whet_err_set(err, WHET_EINVAL,
                                "image: an argument of its metadata is no map");
        if ((st = read_arg(kernel, arg.number, at, err)) != WHET_OK)
            return st;
    }
    return WHET_OK;
}

typedef struct number_field {
    const char *key;
    size_t at;
} number_field;

#define FIELD(key, member)                                                     \
    {                                                                          \
        key, offsetof(whet_kernel_facts, member)                               \
    }
static const number_field number_fields[] = {
    FIELD(".group_segment_fixed_size", lds_bytes),
    FIELD(".private_segment_fixed_size", private_bytes),
    FIELD(".max_flat_workgroup_size", group_items_max),
    FIELD(".vgpr_count", register_count),
    FIELD(".agpr_count", accumulator_count),
    FIELD(".sgpr_count", scalar_count),
    FIELD(".vgpr_spill_count", spill_count),
    FIELD(".sgpr_spill_count", scalar_spill_count),
};
#undef FIELD

static whet_status read_number(whet_kernel_facts *kernel, const item *key,
                               const item *value, whet_err *err)
{
    size_t i;

    if (is_text(key, ".wavefront_size")) {
        if (value->kind != ITEM_NUMBER || value->number > 1024)
            return whet_err_set(err, WHET_EINVAL,
                                "image: .wavefront_size of its metadata is no "
                                "number of at most 1024");
        kernel->wave_size = (uint32_t)value->number;
    }
    for (i = 0; i < sizeof number_fields / sizeof *number_fields; i++) {
        if (!is_text(key, number_fields[i].key))
            continue;
        if (value->kind != ITEM_NUMBER || value->number > UINT32_MAX)
            return whet_err_set(err, WHET_EINVAL,
                                "image: %s of its metadata is no number of at "
                                "most 32 bits",
                                number_fields[i].key);
        memcpy((char *)kernel + number_fields[i].at, &value->number,
               sizeof value->number);
    }
    return WHET_OK;
}

static bool has_one_register_file(uint32_t flags)
{
    uint32_t mach = flags & MACH_MASK;

    return mach == MACH_GFX90A || mach == MACH_GFX940 || mach == MACH_GFX941 ||
           mach == MACH_GFX942 || mach == MACH_GFX950;
}

static whet_status add_kernel(whet_image *image, whet_kernel_facts *facts,
                              whet_span name, bool has_one_file, whet_err *err)
{
    whet_kernel_facts *kernel;
    whet_status st = whet_image__add_kernel(
        &kernel, image, (const char *)name.data, name.bytes, err);

    if (st != WHET_OK || kernel == NULL)
        return st;
    if (has_one_file && facts->accumulator_count <= facts->register_count)
        facts->register_count -= facts->accumulator_count;
    facts->spill_bytes = 4 * facts->spill_count;
    memcpy(facts->name, kernel->name, sizeof facts->name);
    *kernel = *facts;
    return WHET_OK;
}

static whet_status read_kernel(whet_image *image, uint64_t entry_count,
                               bool has_one_file, whet_span *at, whet_err *err)
{
    whet_kernel_facts facts = {0};
    whet_span name = {0}, symbol = {0};
    item key, value;
    uint64_t i;
    whet_status st;

    for (i = 0; i < entry_count; i++) {
        if ((st = next_entry(&key, &value, at, err)) != WHET_OK)
            return st;
        if (is_text(&key, ".args")) {
            if ((st = read_args(&facts, &value, at, err)) != WHET_OK)
                return st;
            continue;
        }
        if ((st = skip_rest(&value, at, err)) != WHET_OK ||
            (st = read_number(&facts, &key, &value, err)) != WHET_OK)
            return st;
        if (is_text(&key, ".name") && value.kind == ITEM_TEXT)
            name = value.text;
        else if (is_text(&key, ".symbol") && value.kind == ITEM_TEXT)
            symbol = value.text;
    }
    if (name.bytes == 0 && symbol.bytes > 3 &&
        memcmp(symbol.data + symbol.bytes - 3, ".kd", 3) == 0)
        name = (whet_span){symbol.data, symbol.bytes - 3};
    if (name.bytes == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "image: a kernel of its metadata has no name");
    return add_kernel(image, &facts, name, has_one_file, err);
}

static whet_status read_kernels(whet_image *image, const item *list,
                                bool has_one_file, whet_span *at, whet_err *err)
{
    uint64_t i;
    item kernel;
    whet_status st;

    if (list->kind != ITEM_ARRAY || list->number > KERNEL_SEEN_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "image: amdhsa.kernels of its metadata is no list "
                            "of at most %d",
                            KERNEL_SEEN_MAX);
    for (i = 0; i < list->number; i++) {
        if ((st = next_item(&kernel, at, err)) != WHET_OK)
            return st;
        if (kernel.kind != ITEM_MAP)
            return whet_err_set(err, WHET_EINVAL,
                                "image: a kernel of its metadata is no map");
        st = read_kernel(image, kernel.number, has_one_file, at, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}

whet_status whet_image__read_amdgpu(whet_image *image, const whet_elf *elf,
                                    whet_err *err)
{
    bool has_one_file = has_one_register_file(elf->flags);
    whet_span at;
    item top, key, value;
    uint64_t i;
    whet_status st =
        whet_elf__find_note(&at, elf, "AMDGPU", NOTE_METADATA, err);

    if (st == WHET_ENOTFOUND)
        return whet_err_set(err, WHET_EINVAL,
                            "image: no AMDGPU metadata note, expected a code "
                            "object of version 3 or later");
    if (st != WHET_OK || (st = next_item(&top, &at, err)) != WHET_OK)
        return st;
    if (top.kind != ITEM_MAP)
        return whet_err_set(err, WHET_EINVAL, "image: its metadata is no map");
    for (i = 0; i < top.number; i++) {
        if ((st = next_entry(&key, &value, &at, err)) != WHET_OK)
            return st;
        st = is_text(&key, "amdhsa.kernels")
                 ? read_kernels(image, &value, has_one_file, &at, err)
                 : skip_rest(&value, &at, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}
