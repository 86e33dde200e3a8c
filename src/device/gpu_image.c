/* A look at an image before a driver reads it: drivers are handed the bytes
 * without their number, and trust what the headers say. An image comes out of
 * a compiler that read hostile source. */

#include "device/gpu_priv.h"

#include <elf.h>
#include <string.h>

/* Are [offset, offset + size) bytes of the image? */
static bool is_within(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

/* Is a table of `count` entries of at least `least` bytes each in the image? */
static bool is_table(uint64_t offset, uint64_t count, uint64_t entry_bytes,
                     size_t least, size_t bytes)
{
    return count == 0 || (entry_bytes >= least &&
                          is_within(offset, count * entry_bytes, bytes));
}

static bool sections_fit(const unsigned char *image, size_t bytes,
                         const Elf64_Ehdr *head)
{
    unsigned i;

    /* Without a number here, readers look for it in the first section. */
    if (head->e_shnum == 0 ||
        !is_table(head->e_shoff, head->e_shnum, head->e_shentsize,
                  sizeof(Elf64_Shdr), bytes))
        return false;
    for (i = 0; i < head->e_shnum; i++) {
        Elf64_Shdr section;

        memcpy(&section, image + head->e_shoff + (size_t)i * head->e_shentsize,
               sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
            !is_within(section.sh_offset, section.sh_size, bytes))
            return false;
    }
    return true;
}

static bool segments_fit(const unsigned char *image, size_t bytes,
                         const Elf64_Ehdr *head)
{
    unsigned i;

    if (!is_table(head->e_phoff, head->e_phnum, head->e_phentsize,
                  sizeof(Elf64_Phdr), bytes))
        return false;
    for (i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr segment;

        memcpy(&segment, image + head->e_phoff + (size_t)i * head->e_phentsize,
               sizeof segment);
        if (!is_within(segment.p_offset, segment.p_filesz, bytes))
            return false;
    }
    return true;
}

whet_status whet_gpu__check_image(const void *image, size_t bytes,
                                  unsigned machine, const char *name,
                                  whet_err *err)
{
    Elf64_Ehdr head;

    if (bytes < sizeof head || memcmp(image, ELFMAG, SELFMAG) != 0)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: the image is no ELF file, expected machine "
                            "code; sources and intermediate code are not "
                            "compiled here",
                            name);
    memcpy(&head, image, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != machine)
        return whet_err_set(err, WHET_EINVAL,
                            "%s: the image is an ELF file for machine %u, "
                            "expected 64 bits and machine %u",
                            name, head.e_machine, machine);
    if (!sections_fit(image, bytes, &head) ||
        !segments_fit(image, bytes, &head))
        return whet_err_set(err, WHET_EINVAL,
                            "%s: the image is cut short: a part lies beyond "
                            "its %zu bytes",
                            name, bytes);
    return WHET_OK;
}
