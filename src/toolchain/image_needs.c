/* Reading device images, part four: what a kernel asks for beyond its buffers.
 * printf and assert write to the worker's streams, malloc takes device memory
 * that nobody counts, a launch from the device outlives the call that is timed.
 * All of them show as symbols that the image leaves to the driver (cubins; for
 * code objects the linker refuses them) or as hidden arguments (AMDGPU). */

#include "toolchain/image_priv.h"

#include <stdio.h>
#include <string.h>

enum {
    SECTION_SYMBOLS = 2,
    SECTION_DYNAMIC_SYMBOLS = 11,
    SYMBOL_OBJECT = 1, /* Low half of st_info. */
    SYMBOL_BYTES = 24,

    /* A work-item's stack is backed for every work-item that a device holds:
     * 64 KiB for 2048 on each of 132 processors are 16.5 GiB. CUDA's own
     * limit is 512 KiB (CUDA C++ Programming Guide, "Technical Specifications
     * per Compute Capability"). */
    PRIVATE_BYTES_MAX = 64 << 10
};

whet_status whet_image__refuse_need(const char *what, whet_err *err)
{
    return whet_err_set(err, WHET_EUNSUPPORTED,
                        "image: it needs %.64s of the driver: expected no "
                        "printf, assert, malloc or launch in a kernel",
                        what);
}

/* ptxas names the shared memory that the system keeps for itself by objects
 * that are defined nowhere. */
static bool is_tools_own(const whet_elf_symbol *symbol)
{
    return (symbol->info & 0xf) == SYMBOL_OBJECT &&
           strncmp(symbol->name, ".nv.", 4) == 0;
}

static whet_status check_table(const whet_elf *elf,
                               const whet_elf_section *table, whet_err *err)
{
    size_t count = table->data.bytes / SYMBOL_BYTES;
    whet_elf_section names;
    whet_elf_symbol symbol;
    uint32_t i;
    whet_status st = whet_elf__section(&names, elf, table->link, err);

    if (st == WHET_OK && count > WHET_ELF__SYMBOL_MAX)
        st = whet_err_set(err, WHET_EINVAL, "image: more than %d symbols",
                          WHET_ELF__SYMBOL_MAX);
    /* The first one is empty by definition. */
    for (i = 1; st == WHET_OK && i < count; i++) {
        st = whet_elf__symbol(&symbol, &table->data, &names.data, i, err);
        if (st == WHET_OK && symbol.section_index == 0 &&
            symbol.name[0] != '\0' && !is_tools_own(&symbol))
            st = whet_image__refuse_need(symbol.name, err);
    }
    return st;
}

whet_status whet_image__check_needs(const whet_image *image,
                                    const whet_elf *elf, whet_err *err)
{
    whet_elf_section section;
    whet_status st = WHET_OK;
    uint32_t i;

    for (i = 0; st == WHET_OK && i < elf->section_count; i++) {
        st = whet_elf__section(&section, elf, i, err);
        if (st == WHET_OK && (section.type == SECTION_SYMBOLS ||
                              section.type == SECTION_DYNAMIC_SYMBOLS))
            st = check_table(elf, &section, err);
    }
    for (i = 0; st == WHET_OK && i < image->kernel_count; i++)
        if (image->kernels[i].private_bytes > PRIVATE_BYTES_MAX)
            st = whet_err_set(
                err, WHET_EUNSUPPORTED,
                "image: kernel %s takes %llu bytes of stack for each "
                "work-item, expected at most %d",
                image->kernels[i].name,
                (unsigned long long)image->kernels[i].private_bytes,
                PRIVATE_BYTES_MAX);
    return st;
}
