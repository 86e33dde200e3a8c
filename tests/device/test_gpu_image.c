/* What an image must be before a driver reads it. */

#include "device/gpu_priv.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CUDA = 190 };

/* A head, a section and a segment over 16 bytes of content. */
struct image {
    Elf64_Ehdr head;
    Elf64_Shdr sections[2];
    Elf64_Phdr segment;
    char content[16];
};

static void make(struct image *image)
{
    memset(image, 0, sizeof *image);
    memcpy(image->head.e_ident, ELFMAG, SELFMAG);
    image->head.e_ident[EI_CLASS] = ELFCLASS64;
    image->head.e_ident[EI_DATA] = ELFDATA2LSB;
    image->head.e_machine = CUDA;
    image->head.e_shoff = offsetof(struct image, sections);
    image->head.e_shnum = 2;
    image->head.e_shentsize = sizeof image->sections[0];
    image->head.e_phoff = offsetof(struct image, segment);
    image->head.e_phnum = 1;
    image->head.e_phentsize = sizeof image->segment;
    image->sections[1].sh_type = SHT_PROGBITS;
    image->sections[1].sh_offset = offsetof(struct image, content);
    image->sections[1].sh_size = sizeof image->content;
    image->segment.p_offset = offsetof(struct image, content);
    image->segment.p_filesz = sizeof image->content;
}

static void expect_refused(const void *image, size_t bytes, const char *word)
{
    whet_err err = {0};

    assert_int_equal(whet_gpu__check_image(image, bytes, CUDA, "FAKE", &err),
                     WHET_EINVAL);
    if (strstr(err.msg, word) == NULL)
        fail_msg("%s", err.msg);
}

static void test_device_gpu_image__accepts_what_lies_within(void **state)
{
    struct image image;

    (void)state;
    make(&image);
    assert_int_equal(
        whet_gpu__check_image(&image, sizeof image, CUDA, "FAKE", NULL),
        WHET_OK);
    /* Sections without bytes in the file may claim any place. */
    image.sections[0].sh_type = SHT_NOBITS;
    image.sections[0].sh_offset = image.sections[0].sh_size = UINT64_MAX;
    image.head.e_phnum = 0;
    assert_int_equal(
        whet_gpu__check_image(&image, sizeof image, CUDA, "FAKE", NULL),
        WHET_OK);
}

static void test_device_gpu_image__refuses_other_files(void **state)
{
    static const char ptx[] = "//\n// Generated\n.version 8.8\n.target sm_90a\n"
                              ".address_size 64 .visible .entry k() { ret; }";
    struct image image;

    (void)state;
    expect_refused(ptx, sizeof ptx, "no ELF file");
    make(&image);
    expect_refused(&image, 0, "no ELF file");
    expect_refused(&image, sizeof image.head - 1, "no ELF file");
    image.head.e_machine = EM_X86_64;
    expect_refused(&image, sizeof image, "machine 62");
    make(&image);
    image.head.e_ident[EI_CLASS] = ELFCLASS32;
    expect_refused(&image, sizeof image, "expected 64 bits");
    make(&image);
    image.head.e_ident[EI_DATA] = ELFDATA2MSB;
    expect_refused(&image, sizeof image, "expected 64 bits");
}

static void test_device_gpu_image__refuses_parts_beyond_the_end(void **state)
{
    struct image image;
    size_t bytes;

    (void)state;
    make(&image);
    for (bytes = sizeof image.head; bytes < sizeof image; bytes++)
        expect_refused(&image, bytes, "cut short");
    image.sections[1].sh_offset = UINT64_MAX - 4;
    expect_refused(&image, sizeof image, "cut short");
    make(&image);
    image.segment.p_filesz = UINT64_MAX;
    expect_refused(&image, sizeof image, "cut short");
    make(&image);
    image.head.e_shoff = UINT64_MAX - 8;
    expect_refused(&image, sizeof image, "cut short");
    make(&image);
    image.head.e_shentsize = 8;
    expect_refused(&image, sizeof image, "cut short");
    make(&image);
    image.head.e_phoff = sizeof image;
    expect_refused(&image, sizeof image, "cut short");
    /* Then the first section would hold the number. */
    make(&image);
    image.head.e_shnum = 0;
    expect_refused(&image, sizeof image, "cut short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_gpu_image__accepts_what_lies_within),
        cmocka_unit_test(test_device_gpu_image__refuses_other_files),
        cmocka_unit_test(test_device_gpu_image__refuses_parts_beyond_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
