#ifndef WHET_TOOLCHAIN_IMAGE_PRIV_H
#define WHET_TOOLCHAIN_IMAGE_PRIV_H

/* Between the readers of device images: a bounded view of a 64-bit
 * little-endian ELF file, and one reader per format. All bytes are hostile:
 * every offset and count is checked against the file before it is used, and
 * nothing here allocates. */

#include "toolchain/toolchain.h"

enum {
    WHET_ELF__MACHINE_CUDA = 190,   /**< EM_CUDA, ELF registry. */
    WHET_ELF__MACHINE_AMDGPU = 224, /**< EM_AMDGPU, ELF registry. */
    WHET_ELF__SECTION_MAX = 4096,
    WHET_ELF__SYMBOL_MAX = 65536,
    WHET_ELF__NOTE_MAX = 256
};

/** Bytes borrowed from the image. */
typedef struct whet_span {
    const unsigned char *data;
    size_t bytes;
} whet_span;

/** An opened file; borrowed from the image's bytes. */
typedef struct whet_elf {
    whet_span file;
    uint16_t machine;
    uint32_t flags;
    uint64_t section_at, segment_at;
    uint32_t section_count, segment_count;
    whet_span section_names;
} whet_elf;

typedef struct whet_elf_section {
    const char *name; /**< NUL-terminated inside the file. */
    uint32_t type;
    uint32_t link, info;
    uint64_t size_bytes; /**< As stated; NOBITS have no data. */
    whet_span data;      /**< Empty for NOBITS. */
} whet_elf_section;

typedef struct whet_elf_symbol {
    const char *name;
    uint8_t info, other;
    uint16_t section_index;
} whet_elf_symbol;

/** Little-endian number of `bytes` (1 to 8) at `at`, which the caller has
 *  checked. */
uint64_t whet_elf__number(const unsigned char *at, size_t bytes);

/** Open. WHET_EUNSUPPORTED if it is no such file (bundles and fat binaries are
 *  named), WHET_EINVAL if its tables lie outside the file. */
whet_status whet_elf__open(whet_elf *out, const void *bytes, size_t byte_count,
                           whet_err *err);

/** Section by index. WHET_EINVAL if it lies outside the file. */
whet_status whet_elf__section(whet_elf_section *out, const whet_elf *elf,
                              uint32_t index, whet_err *err);

/** First section of this name, with its index; WHET_ENOTFOUND without a
 *  message if there is none. `index_out` may be NULL. */
whet_status whet_elf__find_section(whet_elf_section *out, uint32_t *index_out,
                                   const whet_elf *elf, const char *name,
                                   whet_err *err);

/** Symbol by index of a symbol table (a section with data); its names are in
 *  `names`. WHET_EINVAL if there is none. */
whet_status whet_elf__symbol(whet_elf_symbol *out, const whet_span *table,
                             const whet_span *names, uint32_t index,
                             whet_err *err);

/** Description of the first note of this owner and type: note segments first,
 *  since loaders read those, then note sections. WHET_ENOTFOUND without a
 *  message if there is none. */
whet_status whet_elf__find_note(whet_span *out, const whet_elf *elf,
                                const char *owner, uint32_t type,
                                whet_err *err);

/** Add a kernel: the next free entry of the image, with this name. NULL in
 *  `*out` for a name that no candidate can ask for (no identifier of at most
 *  63 bytes). WHET_EINVAL for a second of that name or one too many. */
whet_status whet_image__add_kernel(whet_kernel_facts **out, whet_image *image,
                                   const char *name, size_t name_bytes,
                                   whet_err *err);

/** Record the size of an argument and grow arg_count; WHET_EINVAL beyond
 *  WHET_KERNEL_ARG_MAX. */
whet_status whet_image__set_arg(whet_kernel_facts *kernel, uint64_t ordinal,
                                uint32_t kind, uint64_t bytes, whet_err *err);

/** Kernels out of an AMDGPU code object's metadata note. */
whet_status whet_image__read_amdgpu(whet_image *image, const whet_elf *elf,
                                    whet_err *err);

/** Kernels out of a cubin's information sections. */
whet_status whet_image__read_cubin(whet_image *image, const whet_elf *elf,
                                   whet_err *err);

/** WHET_EUNSUPPORTED: the image leaves to the driver what no kernel may ask
 *  for. */
whet_status whet_image__refuse_need(const char *what, whet_err *err);

/** After its kernels were read: WHET_EUNSUPPORTED if it leaves a symbol to the
 *  driver (printf, malloc, a launch) or needs too much stack. */
whet_status whet_image__check_needs(const whet_image *image,
                                    const whet_elf *elf, whet_err *err);

#endif /* WHET_TOOLCHAIN_IMAGE_PRIV_H */
