/* Logs: ptxas, clang's remarks, AMDGPU assembly in both spellings of a spill,
 * and lines that mean nothing. */

#include "image_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void make(whet_image *image)
{
    memset(image, 0, sizeof *image);
    image->kernel_count = 3;
    strcpy(image->kernels[0].name, "axpy");
    strcpy(image->kernels[1].name, "staged");
    strcpy(image->kernels[2].name, "spilled");
}

static void add_file(whet_image *image, const char *name)
{
    whet_buf log = {0};

    image_kit_read(&log, name);
    whet_image_add_log(image, log.data, log.bytes);
    whet_buf_deinit(&log);
}

static void test_toolchain_image_log__reads_ptxas(void **state)
{
    whet_image image;

    (void)state;
    make(&image);
    add_file(&image, "sm_90a.log");
    assert_int_equal(image.kernels[0].register_count, 10);
    assert_int_equal(image.kernels[0].spill_bytes, 0);
    assert_int_equal(image.kernels[1].lds_bytes, 1088);
    assert_int_equal(image.kernels[2].register_count, 32);
    assert_int_equal(image.kernels[2].spill_bytes, 84 + 84);
    assert_int_equal(image.kernels[2].private_bytes, 48);
}

static void test_toolchain_image_log__passes_over_device_functions(void **state)
{
    static const char log[] =
        "ptxas info    : Function properties for axpy\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Function properties for helper\n"
        "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n";
    whet_image image;

    (void)state;
    make(&image);
    whet_image_add_log(&image, log, sizeof log - 1);
    assert_int_equal(image.kernels[0].spill_bytes, 0);
    assert_int_equal(image.kernels[0].private_bytes, 0);
}

static void test_toolchain_image_log__reads_remarks(void **state)
{
    whet_image image;

    (void)state;
    make(&image);
    add_file(&image, "gfx90a.log");
    assert_int_equal(image.kernels[1].lds_bytes, 1088);
    assert_int_equal(image.kernels[2].register_count, 128);
    assert_int_equal(image.kernels[2].scalar_count, 104);
    assert_int_equal(image.kernels[2].private_bytes, 380);
    assert_int_equal(image.kernels[2].spill_count, 196);
    assert_int_equal(image.kernels[2].spill_bytes, 4 * 196);
    assert_int_equal(image.kernels[2].scalar_spill_count, 56);
}

static void test_toolchain_image_log__keeps_what_the_image_tells(void **state)
{
    whet_image image;

    (void)state;
    make(&image);
    image.kernels[2].register_count = 7;
    add_file(&image, "gfx90a.log");
    assert_int_equal(image.kernels[2].register_count, 7);
}

/* 46 stores and 33 loads of one register each, as counted in the file. */
static void test_toolchain_image_log__counts_spills_in_assembly(void **state)
{
    whet_image image;

    (void)state;
    make(&image);
    image.kernels[2].spill_bytes = 4 * 46; /* An estimate, replaced. */
    add_file(&image, "gfx906.s");
    assert_int_equal(image.kernels[2].spill_bytes, 4 * (46 + 33));
    assert_int_equal(image.kernels[2].private_bytes, 96);
    assert_int_equal(image.kernels[0].spill_bytes, 0);
}

static void test_toolchain_image_log__knows_both_spellings(void **state)
{
    static const char text[] =
        "axpy:   ; @axpy\n"
        "\tscratch_store_dwordx4 off, v[2:5], s32 ; 16-byte Folded Spill\n"
        "\tscratch_load_dword v1, off, s32 offset:4 ; 4-byte Folded Reload\n"
        "\tscratch_load_dword v9, off, s32 ; a private array, no spill\n"
        "\tv_mov_b32 v1, v2 ; 4-byte Folded Spill\n"
        "staged:\n"
        "\tbuffer_store_dword v2, off, s[0:3], s32 ; 4-byte Folded Spill\n"
        "\tbuffer_load_dword v2, off, s[0:3], s32 ; Folded Reload\n"
        ".Lfunc_end1:\n"
        "; ScratchSize: 20\n"
        "helper:\n"
        "\tbuffer_store_dword v2, off, s[0:3], s32 ; 4-byte Folded Spill\n"
        "; ScratchSize: 99\n";
    whet_image image;

    (void)state;
    make(&image);
    whet_image_add_log(&image, text, sizeof text - 1);
    assert_int_equal(image.kernels[0].spill_bytes, 20);
    assert_int_equal(image.kernels[1].spill_bytes, 8);
    assert_int_equal(image.kernels[1].private_bytes, 20);
    assert_int_equal(image.kernels[2].spill_bytes, 0);
}

static void test_toolchain_image_log__bears_nonsense(void **state)
{
    static const char text[] =
        "12 bytes spill stores, 12 bytes spill loads\n"
        "Compiling entry function 'axpy' for\n"
        "99999999999999 bytes spill stores, 1 bytes spill loads\n"
        " bytes spill stores,  bytes spill loads\n"
        "remark: Function Name: axpy\n"
        "remark:     VGPRs: many\n"
        "remark:     VGPRs Spill: -1\n"
        "axpy:\nbuffer_store_dword ; 999999999-byte Folded Spill\n"
        "Used registers";
    whet_image image, same;

    (void)state;
    make(&image);
    whet_image_add_log(&image, NULL, 0);
    whet_image_add_log(&image, text, sizeof text - 1);
    make(&same);
    same.kernels[0].spill_bytes = 4; /* A width beyond reason counts as 4. */
    assert_memory_equal(&image, &same, sizeof image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_image_log__reads_ptxas),
        cmocka_unit_test(
            test_toolchain_image_log__passes_over_device_functions),
        cmocka_unit_test(test_toolchain_image_log__reads_remarks),
        cmocka_unit_test(test_toolchain_image_log__keeps_what_the_image_tells),
        cmocka_unit_test(test_toolchain_image_log__counts_spills_in_assembly),
        cmocka_unit_test(test_toolchain_image_log__knows_both_spellings),
        cmocka_unit_test(test_toolchain_image_log__bears_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
