/* Reading device images, part one: the ELF container, and the choice of a
 * reader by machine. Field layout after the System V gABI, "Object Files". */

#include "toolchain/image_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
    FILE_HEAD_BYTES = 64,
    SECTION_BYTES = 64,
    SEGMENT_BYTES = 56,
    SYMBOL_BYTES = 24,
    NOTE_HEAD_BYTES = 12,
    SEGMENT_NOTE = 4,
    SECTION_NOTE = 7,
    SECTION_NOBITS = 8
};

uint64_t whet_elf__number(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

static bool lies_inside(const whet_span *file, uint64_t at, uint64_t bytes)
{
    return at <= file->bytes && bytes <= file->bytes - at;
}

/* What people hand in by mistake: clang's bundles (Clang documentation,
 * "Clang Offload Bundler") and CUDA's fat binaries (fatbinary_section.h). */
static const char *other_format(const unsigned char *bytes, size_t count)
{
    static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";
    static const unsigned char fat[] = {0x50, 0xed, 0x55, 0xba};

    if (count >= sizeof bundle - 1 &&
        memcmp(bytes, bundle, sizeof bundle - 1) == 0)
        return "an offload bundle (build with --no-gpu-bundle-output)";
    if (count >= 4 && memcmp(bytes, "CCOB", 4) == 0)
        return "a compressed offload bundle (build with "
               "--no-gpu-bundle-output)";
    if (count >= sizeof fat && memcmp(bytes, fat, sizeof fat) == 0)
        return "a fat binary (build one cubin)";
    return "not a 64-bit little-endian ELF file";
}

static whet_status read_section_names(whet_elf *elf, uint32_t index,
                                      whet_err *err)
{
    whet_elf_section names;
    whet_status st;

    if (elf->section_count == 0)
        return WHET_OK;
    st = whet_elf__section(&names, elf, index, err);
    if (st == WHET_OK)
        elf->section_names = names.data;
    return st;
}

whet_status whet_elf__open(whet_elf *out, const void *bytes, size_t byte_count,
                           whet_err *err)
{
    static const unsigned char ident[] = {0x7f, 'E', 'L', 'F', 2, 1};
    const unsigned char *head = bytes;
    whet_elf elf = {.file = {head, byte_count}};

    memset(out, 0, sizeof *out);
    if (byte_count < FILE_HEAD_BYTES || memcmp(head, ident, sizeof ident) != 0)
        return whet_err_set(err, WHET_EUNSUPPORTED, "image: %s",
                            other_format(head, byte_count));
    elf.machine = (uint16_t)whet_elf__number(head + 18, 2);
    elf.segment_at = whet_elf__number(head + 32, 8);
    elf.section_at = whet_elf__number(head + 40, 8);
    elf.flags = (uint32_t)whet_elf__number(head + 48, 4);
    elf.segment_count = (uint32_t)whet_elf__number(head + 56, 2);
    elf.section_count = (uint32_t)whet_elf__number(head + 60, 2);
    if (elf.section_count > WHET_ELF__SECTION_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "image: %u sections, expected at most %d",
                            elf.section_count, WHET_ELF__SECTION_MAX);
    if (elf.segment_count > WHET_ELF__SECTION_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "image: %u segments, expected at most %d",
                            elf.segment_count, WHET_ELF__SECTION_MAX);
    if ((elf.segment_count > 0 &&
         whet_elf__number(head + 54, 2) != SEGMENT_BYTES) ||
        (elf.section_count > 0 &&
         whet_elf__number(head + 58, 2) != SECTION_BYTES))
        return whet_err_set(err, WHET_EINVAL,
                            "image: its tables have rows of an unknown size");
    if (!lies_inside(&elf.file, elf.segment_at,
                     (uint64_t)elf.segment_count * SEGMENT_BYTES) ||
        !lies_inside(&elf.file, elf.section_at,
                     (uint64_t)elf.section_count * SECTION_BYTES))
        return whet_err_set(err, WHET_EINVAL,
                            "image: its tables lie outside the file");
    *out = elf;
    return read_section_names(out, (uint32_t)whet_elf__number(head + 62, 2),
                              err);
}

/* Text at an offset of a string table, or NULL. */
static const char *text_at(const whet_span *names, uint64_t at)
{
    if (at >= names->bytes ||
        memchr(names->data + at, '\0', names->bytes - (size_t)at) == NULL)
        return NULL;
    return (const char *)names->data + at;
}

whet_status whet_elf__section(whet_elf_section *out, const whet_elf *elf,
                              uint32_t index, whet_err *err)
{
    const unsigned char *row;
    uint64_t at;

    memset(out, 0, sizeof *out);
    if (index >= elf->section_count)
        return whet_err_set(err, WHET_EINVAL,
                            "image: no section %u, expected fewer than %u",
                            index, elf->section_count);
    row = elf->file.data + elf->section_at + (size_t)index * SECTION_BYTES;
    out->type = (uint32_t)whet_elf__number(row + 4, 4);
    at = whet_elf__number(row + 24, 8);
    out->size_bytes = whet_elf__number(row + 32, 8);
    out->link = (uint32_t)whet_elf__number(row + 40, 4);
    out->info = (uint32_t)whet_elf__number(row + 44, 4);
    out->name = "";
    if (elf->section_names.bytes > 0)
        out->name = text_at(&elf->section_names, whet_elf__number(row, 4));
    if (out->name == NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "image: the name of section %u lies outside the "
                            "names",
                            index);
    if (out->type == SECTION_NOBITS || out->type == 0)
        return WHET_OK;
    if (!lies_inside(&elf->file, at, out->size_bytes))
        return whet_err_set(err, WHET_EINVAL,
                            "image: section %u lies outside the file", index);
    out->data = (whet_span){elf->file.data + at, (size_t)out->size_bytes};
    return WHET_OK;
}

whet_status whet_elf__find_section(whet_elf_section *out, uint32_t *index_out,
                                   const whet_elf *elf, const char *name,
                                   whet_err *err)
{
    uint32_t i;
    whet_status st;

    for (i = 0; i < elf->section_count; i++) {
        if ((st = whet_elf__section(out, elf, i, err)) != WHET_OK)
            return st;
        if (strcmp(out->name, name) != 0)
            continue;
        if (index_out != NULL)
            *index_out = i;
        return WHET_OK;
    }
    return WHET_ENOTFOUND;
}

whet_status whet_elf__symbol(whet_elf_symbol *out, const whet_span *table,
                             const whet_span *names, uint32_t index,
                             whet_err *err)
{
    const unsigned char *row;

    memset(out, 0, sizeof *out);
    if (index >= table->bytes / SYMBOL_BYTES)
        return whet_err_set(err, WHET_EINVAL,
                            "image: no symbol %u, expected fewer than %zu",
                            index, table->bytes / SYMBOL_BYTES);
    row = table->data + (size_t)index * SYMBOL_BYTES;
    out->name = text_at(names, whet_elf__number(row, 4));
    out->info = row[4];
    out->other = row[5];
    out->section_index = (uint16_t)whet_elf__number(row + 6, 2);
    if (out->name == NULL)
        return whet_err_set(err, WHET_EINVAL,
                            "image: the name of symbol %u lies outside the "
                            "names",
                            index);
    return WHET_OK;
}

/* Fields of a note are padded to 4 bytes. */
static uint64_t padded(uint64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

static whet_status search_notes(whet_span *out, whet_span notes,
                                const char *owner, uint32_t type, whet_err *err)
{
    size_t owner_bytes = strlen(owner) + 1;
    uint64_t name_bytes, data_bytes, whole;
    uint32_t i;

    for (i = 0; i < WHET_ELF__NOTE_MAX && notes.bytes >= NOTE_HEAD_BYTES; i++) {
        const unsigned char *name = notes.data + NOTE_HEAD_BYTES;

        name_bytes = whet_elf__number(notes.data, 4);
        data_bytes = whet_elf__number(notes.data + 4, 4);
        whole = NOTE_HEAD_BYTES + padded(name_bytes) + data_bytes;
        if (whole > notes.bytes)
            return whet_err_set(err, WHET_EINVAL,
                                "image: note %u lies outside its section", i);
        if (whet_elf__number(notes.data + 8, 4) == type &&
            name_bytes == owner_bytes &&
            memcmp(name, owner, owner_bytes) == 0) {
            *out = (whet_span){name + padded(name_bytes), (size_t)data_bytes};
            return WHET_OK;
        }
        whole = padded(whole);
        if (whole > notes.bytes)
            break;
        notes.data += whole;
        notes.bytes -= (size_t)whole;
    }
    return WHET_ENOTFOUND;
}

whet_status whet_elf__find_note(whet_span *out, const whet_elf *elf,
                                const char *owner, uint32_t type, whet_err *err)
{
    whet_elf_section section;
    uint32_t i;
    whet_status st = WHET_ENOTFOUND;

    for (i = 0; i < elf->segment_count && st == WHET_ENOTFOUND; i++) {
        const unsigned char *row =
            elf->file.data + elf->segment_at + (size_t)i * SEGMENT_BYTES;
        uint64_t at = whet_elf__number(row + 8, 8);
        uint64_t bytes = whet_elf__number(row + 32, 8);

        if (whet_elf__number(row, 4) != SEGMENT_NOTE)
            continue;
        if (!lies_inside(&elf->file, at, bytes))
            return whet_err_set(err, WHET_EINVAL,
                                "image: segment %u lies outside the file", i);
        st = search_notes(out, (whet_span){elf->file.data + at, (size_t)bytes},
                          owner, type, err);
    }
    for (i = 0; i < elf->section_count && st == WHET_ENOTFOUND; i++) {
        if ((st = whet_elf__section(&section, elf, i, err)) != WHET_OK)
            return st;
        st = section.type == SECTION_NOTE
                 ? search_notes(out, section.data, owner, type, err)
                 : WHET_ENOTFOUND;
    }
    return st;
}

whet_status whet_image__add_kernel(whet_kernel_facts **out, whet_image *image,
                                   const char *name, size_t name_bytes,
                                   whet_err *err)
{
    char text[WHET_KERNEL_NAME_BYTES] = {0};
    whet_kernel_facts *kernel;

    *out = NULL;
    if (name_bytes >= sizeof text || !whet_is_identifier(name, name_bytes))
        return WHET_OK;
    memcpy(text, name, name_bytes);
    if (whet_image_kernel(image, text) != NULL)
        return whet_err_set(err, WHET_EINVAL, "image: two kernels named %s",
                            text);
    if (image->kernel_count == WHET_KERNEL_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "image: more than %d kernels (%s is one too many)",
                            WHET_KERNEL_MAX, text);
    kernel = &image->kernels[image->kernel_count++];
    memset(kernel, 0, sizeof *kernel);
    memcpy(kernel->name, text, sizeof text);
    *out = kernel;
    return WHET_OK;
}

whet_status whet_image__set_arg(whet_kernel_facts *kernel, uint64_t ordinal,
                                uint32_t kind, uint64_t bytes, whet_err *err)
{
    if (ordinal >= WHET_KERNEL_ARG_MAX)
        return whet_err_set(err, WHET_EINVAL,
                            "image: kernel %s has more than %d arguments",
                            kernel->name, WHET_KERNEL_ARG_MAX);
    if (kernel->arg_bytes[ordinal] != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "image: kernel %s has two arguments number %u",
                            kernel->name, (unsigned)ordinal);
    kernel->args[ordinal] = kind;
    kernel->arg_bytes[ordinal] = (uint8_t)(bytes < 255 ? bytes : 255);
    if (ordinal >= kernel->arg_count)
        kernel->arg_count = (uint32_t)ordinal + 1;
    return WHET_OK;
}

whet_status whet_image_read_resources(whet_image *image, whet_err *err)
{
    whet_image found;
    whet_elf elf;
    whet_status st = whet_elf__open(&elf, image->bytes, image->byte_count, err);

    if (st != WHET_OK)
        return st;
    memset(&found, 0, sizeof found);
    if (elf.machine == WHET_ELF__MACHINE_AMDGPU)
        st = whet_image__read_amdgpu(&found, &elf, err);
    else if (elf.machine == WHET_ELF__MACHINE_CUDA)
        st = whet_image__read_cubin(&found, &elf, err);
    else
        return whet_err_set(err, WHET_EUNSUPPORTED,
                            "image: ELF machine %u, expected %d (AMDGPU) or "
                            "%d (CUDA)",
                            elf.machine, WHET_ELF__MACHINE_AMDGPU,
                            WHET_ELF__MACHINE_CUDA);
    if (st == WHET_OK)
        st = whet_image__check_needs(&found, &elf, err);
    if (st != WHET_OK)
        return st;
    memcpy(image->kernels, found.kernels, sizeof image->kernels);
    image->kernel_count = found.kernel_count;
    return WHET_OK;
}
