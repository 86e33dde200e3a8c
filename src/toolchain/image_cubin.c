/* Reading device images, part three: cubins. Their layout is not documented by
 * the vendor. The numbers below are those that public tools agree on, and each
 * field was compared with what ptxas 13.0 prints for sm_80, sm_90a, sm_100 and
 * sm_120. Sections: ".nv.info" (records that name a symbol), ".nv.info.KERNEL",
 * ".nv.shared.KERNEL". */

#include "toolchain/image_priv.h"

#include <string.h>

enum {
    SYMBOL_FUNCTION = 2, /* Low half of st_info. */
    SYMBOL_ENTRY = 0x10, /* Bit of st_other: a kernel. */
    SECTION_SYMBOLS = 2,

    /* Formats of a record: no value, one byte, two bytes, a block. */
    FORMAT_NONE = 1,
    FORMAT_BYTE = 2,
    FORMAT_HALF = 3,
    FORMAT_BLOCK = 4,

    ATTR_MAX_THREADS = 0x05,
    ATTR_REQUIRED_THREADS = 0x10,
    ATTR_FRAME_SIZE = 0x11,
    ATTR_MIN_STACK_SIZE = 0x12,
    ATTR_PARAM = 0x17,
    ATTR_REGISTER_COUNT = 0x2f,
    ATTR_PARAM_V2 = 0x45, /* For parameters of 16 KiB and more in all. */

    WAVE_SIZE = 32
};

/* From compute capability 9.0 on the system keeps the first KiB of shared
 * memory of each block for itself (CUDA C++ Programming Guide, "Shared
 * Memory" of 9.0), and the section of a kernel counts it. A section of this
 * name marks such files. */
#define RESERVED_SECTION ".nv.shared.reserved.0"
enum { RESERVED_BYTES = 1024 };

typedef struct record {
    unsigned format, attribute;
    whet_span block;
} record;

/* Next record; WHET_ENOTFOUND at the end. */
static whet_status next_record(record *out, whet_span *at, const char *section,
                               whet_err *err)
{
    size_t bytes;

    *out = (record){0};
    if (at->bytes == 0)
        return WHET_ENOTFOUND;
    if (at->bytes < 4)
        goto cut;
    out->format = at->data[0];
    out->attribute = at->data[1];
    bytes = (size_t)whet_elf__number(at->data + 2, 2);
    at->data += 4;
    at->bytes -= 4;
    if (out->format < FORMAT_NONE || out->format > FORMAT_BLOCK)
        return whet_err_set(err, WHET_EINVAL,
                            "image: a record of %s has unknown format %u",
                            section, out->format);
    if (out->format != FORMAT_BLOCK)
        return WHET_OK;
    if (at->bytes < bytes)
        goto cut;
    out->block = (whet_span){at->data, bytes};
    at->data += bytes;
    at->bytes -= bytes;
    return WHET_OK;
cut:
    return whet_err_set(err, WHET_EINVAL,
                        "image: a record of %s lies outside it", section);
}

/* Work-items of a block given as three extents. */
static uint64_t block_items(const whet_span *block)
{
    uint64_t items = 1;
    unsigned i;

    if (block->bytes < 12)
        return 0;
    for (i = 0; i < 3; i++) {
        items *= whet_elf__number(block->data + 4 * i, 4);
        if (items > UINT32_MAX)
            return 0;
    }
    return items;
}

/* A parameter: u32 index, u16 ordinal, u16 offset, then its size. The older
 * form packs it into the upper 14 bits of a word, the newer one has 16. */
static whet_status read_param(whet_kernel_facts *kernel, const record *rec,
                              uint32_t *param_count, whet_err *err)
{
    const unsigned char *at = rec->block.data;
    uint64_t bytes;

    if (rec->block.bytes != 12)
        return whet_err_set(err, WHET_EINVAL,
                            "image: a parameter of kernel %s is described by "
                            "%zu bytes, expected 12",
                            kernel->name, rec->block.bytes);
    bytes = rec->attribute == ATTR_PARAM ? whet_elf__number(at + 8, 4) >> 18
                                         : whet_elf__number(at + 8, 2);
    if (bytes == 0)
        return whet_err_set(err, WHET_EINVAL,
                            "image: a parameter of kernel %s has no bytes",
                            kernel->name);
    ++*param_count;
    return whet_image__set_arg(kernel, whet_elf__number(at + 4, 2),
                               WHET_IMAGE_ARG_UNKNOWN, bytes, err);
}

static whet_status read_kernel_info(whet_kernel_facts *kernel, whet_span info,
                                    whet_err *err)
{
    uint32_t param_count = 0;
    record rec;
    whet_status st;

    while ((st = next_record(&rec, &info, kernel->name, err)) == WHET_OK) {
        if (rec.format != FORMAT_BLOCK)
            continue;
        if (rec.attribute == ATTR_MAX_THREADS ||
            rec.attribute == ATTR_REQUIRED_THREADS) {
            uint64_t items = block_items(&rec.block);

            if (kernel->group_items_max == 0 ||
                (items > 0 && items < kernel->group_items_max))
                kernel->group_items_max = items;
        } else if (rec.attribute == ATTR_PARAM ||
                   rec.attribute == ATTR_PARAM_V2) {
            st = read_param(kernel, &rec, &param_count, err);
            if (st != WHET_OK)
                return st;
        }
    }
    if (st == WHET_ENOTFOUND && param_count != kernel->arg_count)
        return whet_err_set(err, WHET_EINVAL,
                            "image: kernel %s describes %u of its %u "
                            "parameters",
                            kernel->name, param_count, kernel->arg_count);
    return st == WHET_ENOTFOUND ? WHET_OK : st;
}

/* Value of an attribute of ".nv.info" for a symbol; 0 if there is none or the
 * compiler could not tell (recursion). */
static whet_status symbol_value(uint64_t *out, whet_span info, uint32_t symbol,
                                unsigned attribute, whet_err *err)
{
    record rec;
    whet_status st;

    *out = 0;
    while ((st = next_record(&rec, &info, ".nv.info", err)) == WHET_OK) {
        if (rec.format != FORMAT_BLOCK || rec.attribute != attribute ||
            rec.block.bytes != 8 ||
            whet_elf__number(rec.block.data, 4) != symbol)
            continue;
        *out = whet_elf__number(rec.block.data + 4, 4);
        if (*out == UINT32_MAX)
            *out = 0;
    }
    return st == WHET_ENOTFOUND ? WHET_OK : st;
}

static whet_status read_symbol_info(whet_kernel_facts *kernel,
                                    const whet_elf *elf, uint32_t symbol,
                                    whet_err *err)
{
    whet_elf_section info;
    uint64_t frame_bytes, stack_bytes;
    whet_status st = whet_elf__find_section(&info, NULL, elf, ".nv.info", err);

    if (st == WHET_ENOTFOUND)
        return WHET_OK;
    if (st != WHET_OK ||
        (st = symbol_value(&kernel->register_count, info.data, symbol,
                           ATTR_REGISTER_COUNT, err)) != WHET_OK ||
        (st = symbol_value(&frame_bytes, info.data, symbol, ATTR_FRAME_SIZE,
                           err)) != WHET_OK ||
        (st = symbol_value(&stack_bytes, info.data, symbol, ATTR_MIN_STACK_SIZE,
                           err)) != WHET_OK)
        return st;
    /* The second counts what the kernel calls as well. */
    kernel->private_bytes =
        frame_bytes > stack_bytes ? frame_bytes : stack_bytes;
    return WHET_OK;
}

/* ".nv.NAME.KERNEL" in `text`. */
static void section_name(char text[128], const char *prefix,
                         const whet_kernel_facts *kernel)
{
    size_t bytes = strlen(prefix);

    memcpy(text, prefix, bytes);
    memcpy(text + bytes, kernel->name, strlen(kernel->name) + 1);
}

static whet_status read_kernel(whet_kernel_facts *kernel, const whet_elf *elf,
                               uint32_t symbol, whet_err *err)
{
    whet_elf_section section;
    char name[128];
    whet_status st = read_symbol_info(kernel, elf, symbol, err);

    kernel->wave_size = WAVE_SIZE;
    if (st != WHET_OK)
        return st;
    section_name(name, ".nv.info.", kernel);
    st = whet_elf__find_section(&section, NULL, elf, name, err);
    if (st == WHET_ENOTFOUND)
        return whet_err_set(err, WHET_EINVAL, "image: no section %s", name);
    if (st != WHET_OK ||
        (st = read_kernel_info(kernel, section.data, err)) != WHET_OK)
        return st;
    section_name(name, ".nv.shared.", kernel);
    st = whet_elf__find_section(&section, NULL, elf, name, err);
    if (st != WHET_OK)
        return st == WHET_ENOTFOUND ? WHET_OK : st;
    kernel->lds_bytes = section.size_bytes;
    st = whet_elf__find_section(&section, NULL, elf, RESERVED_SECTION, err);
    if (st == WHET_OK && kernel->lds_bytes >= RESERVED_BYTES)
        kernel->lds_bytes -= RESERVED_BYTES;
    return st == WHET_ENOTFOUND ? WHET_OK : st;
}

static whet_status find_symbols(whet_span *table, whet_span *names,
                                const whet_elf *elf, whet_err *err)
{
    whet_elf_section section, strings;
    uint32_t i;
    whet_status st;

    for (i = 0; i < elf->section_count; i++) {
        if ((st = whet_elf__section(&section, elf, i, err)) != WHET_OK)
            return st;
        if (section.type != SECTION_SYMBOLS)
            continue;
        st = whet_elf__section(&strings, elf, section.link, err);
        *table = section.data;
        *names = strings.data;
        return st;
    }
    return whet_err_set(err, WHET_EINVAL, "image: no symbols");
}

whet_status whet_image__read_cubin(whet_image *image, const whet_elf *elf,
                                   whet_err *err)
{
    whet_elf_symbol symbol;
    whet_span table, names;
    whet_kernel_facts *kernel;
    uint32_t i, count;
    whet_status st = find_symbols(&table, &names, elf, err);

    if (st != WHET_OK)
        return st;
    count = table.bytes / 24 > WHET_ELF__SYMBOL_MAX
                ? WHET_ELF__SYMBOL_MAX + 1
                : (uint32_t)(table.bytes / 24);
    if (count > WHET_ELF__SYMBOL_MAX)
        return whet_err_set(err, WHET_EINVAL, "image: more than %d symbols",
                            WHET_ELF__SYMBOL_MAX);
    for (i = 0; i < count; i++) {
        if ((st = whet_elf__symbol(&symbol, &table, &names, i, err)) != WHET_OK)
            return st;
        if ((symbol.info & 0xf) != SYMBOL_FUNCTION ||
            (symbol.other & SYMBOL_ENTRY) == 0)
            continue;
        st = whet_image__add_kernel(&kernel, image, symbol.name,
                                    strlen(symbol.name), err);
        if (st == WHET_OK && kernel != NULL)
            st = read_kernel(kernel, elf, i, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}
