/* Metadata of AMDGPU code objects: what clang 15 printed for the same kernels,
 * and documents that are malformed. */

#include "image_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* {"amdhsa.kernels": [ ... ]} with `n` kernels; 14 bytes of key. */
#define KERNELS(n)                                                             \
    "\x81\xae"                                                                 \
    "amdhsa.kernels" n

static void expect_args(const whet_kernel_facts *kernel, const uint32_t *kinds,
                        const uint8_t *bytes, uint32_t count)
{
    assert_int_equal(kernel->arg_count, count);
    assert_memory_equal(kernel->args, kinds, count * sizeof *kinds);
    assert_memory_equal(kernel->arg_bytes, bytes, count);
}

static void test_toolchain_image_amdgpu__reads_gfx906(void **state)
{
    static const uint32_t kinds[] = {WHET_IMAGE_ARG_GLOBAL,
                                     WHET_IMAGE_ARG_GLOBAL};
    whet_buf data = {0};
    const whet_kernel_facts *kernel;
    whet_image image;
    whet_err err = {0};

    (void)state;
    image_kit_read(&data, "gfx906.hsaco");
    assert_int_equal(image_kit_resources(&image, &data, &err), WHET_OK);
    assert_int_equal(image.kernel_count, 3);
    kernel = image_kit_kernel(&image, "axpy");
    expect_args(kernel, (uint32_t[4]){kinds[0], kinds[1]},
                (uint8_t[4]){8, 8, 4, 4}, 4);
    assert_int_equal(kernel->group_items_max, 256);
    assert_int_equal(kernel->register_count, 4);
    assert_int_equal(kernel->scalar_count, 11);
    assert_int_equal(kernel->lds_bytes, 0);
    assert_int_equal(kernel->wave_size, 64);
    kernel = image_kit_kernel(&image, "staged");
    expect_args(kernel, (uint32_t[4]){kinds[0], kinds[1]},
                (uint8_t[4]){8, 8, 24, 2}, 4);
    assert_int_equal(kernel->lds_bytes, 16 * 17 * 4);
    assert_int_equal(kernel->group_items_max, 1024);
    kernel = image_kit_kernel(&image, "spilled");
    assert_int_equal(kernel->register_count, 64);
    assert_int_equal(kernel->private_bytes, 96);
    assert_int_equal(kernel->spill_count, 46);
    assert_int_equal(kernel->spill_bytes, 4 * 46);
    assert_int_equal(kernel->scalar_spill_count, 0);
    whet_buf_deinit(&data);
}

static void test_toolchain_image_amdgpu__reads_gfx90a(void **state)
{
    whet_buf data = {0};
    const whet_kernel_facts *kernel;
    whet_image image;
    whet_err err = {0};

    (void)state;
    image_kit_read(&data, "gfx90a.hsaco");
    assert_int_equal(image_kit_resources(&image, &data, &err), WHET_OK);
    kernel = image_kit_kernel(&image, "spilled");
    assert_int_equal(kernel->register_count, 128);
    assert_int_equal(kernel->accumulator_count, 0);
    assert_int_equal(kernel->scalar_count, 104);
    assert_int_equal(kernel->spill_count, 196);
    assert_int_equal(kernel->scalar_spill_count, 56);
    assert_int_equal(kernel->private_bytes, 380);
    whet_buf_deinit(&data);
}

/* One kernel by hand: its name only as a symbol, types of values, a local
 * pointer, a hidden argument, numbers of each width. */
static const char by_hand[] =
    KERNELS("\x91") "\x85"
                    "\xa7.symbol"
                    "\xa4k.kd"
                    "\xab.vgpr_count"
                    "\xcd\x01\x2c"
                    "\xab.agpr_count"
                    "\xcc\xc8"
                    "\xaf.wavefront_size"
                    "\x20"
                    "\xa5.args"
                    "\x95"
                    "\x83\xa5.size\x04\xab.value_kind\xa8"
                    "by_value\xab.value_type\xa3"
                    "f32"
                    "\x83\xab.value_type\xa3u64\xa5.size\x08\xab.value_kind\xa8"
                    "by_value"
                    "\x82\xa5.size\x04\xab.value_kind\xb6"
                    "dynamic_shared_pointer"
                    "\x82\xa5.size\x08\xab.value_kind\xb6hidden_global_offset_x"
                    "\x82\xa5.size\x04\xab.value_kind\xa8"
                    "by_value";

static void
test_toolchain_image_amdgpu__reads_every_kind_of_argument(void **state)
{
    whet_buf data = {0};
    const whet_kernel_facts *kernel;
    whet_image image;
    whet_err err = {0};

    (void)state;
    image_kit_wrap(&data, by_hand, sizeof by_hand - 1);
    if (image_kit_resources(&image, &data, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    kernel = image_kit_kernel(&image, "k");
    expect_args(kernel,
                (uint32_t[4]){WHET_IMAGE_ARG_F32, WHET_IMAGE_ARG_I64,
                              WHET_IMAGE_ARG_LOCAL, WHET_IMAGE_ARG_UNKNOWN},
                (uint8_t[4]){4, 8, 4, 4}, 4);
    assert_int_equal(kernel->register_count, 300);
    assert_int_equal(kernel->accumulator_count, 200);
    assert_int_equal(kernel->wave_size, 32);
    whet_buf_deinit(&data);
}

static void
test_toolchain_image_amdgpu__parts_one_file_of_registers(void **state)
{
    whet_buf data = {0};
    whet_image image;
    whet_err err = {0};

    (void)state;
    image_kit_wrap(&data, by_hand, sizeof by_hand - 1);
    data.data[48] = 0x3f; /* gfx90a, where .vgpr_count is the sum of both. */
    assert_int_equal(image_kit_resources(&image, &data, &err), WHET_OK);
    assert_int_equal(image.kernels[0].register_count, 100);
    assert_int_equal(image.kernels[0].accumulator_count, 200);
    whet_buf_deinit(&data);
}

static void expect_refused(const char *metadata, size_t bytes, const char *word)
{
    whet_buf data = {0};

    image_kit_wrap(&data, metadata, bytes);
    image_kit_expect_refused(&data, WHET_EINVAL, word);
    whet_buf_deinit(&data);
}

static void test_toolchain_image_amdgpu__refuses_every_cut(void **state)
{
    size_t bytes;

    (void)state;
    for (bytes = 0; bytes < sizeof by_hand - 1; bytes++)
        expect_refused(by_hand, bytes, "metadata");
}

#define REFUSE(text, word) expect_refused(text, sizeof text - 1, word)

static void test_toolchain_image_amdgpu__refuses_nonsense(void **state)
{
    char deep[4096];

    (void)state;
    REFUSE("\xc0", "no map");
    REFUSE(KERNELS("\x05"), "no list");
    REFUSE(KERNELS("\xdd\xff\xff\xff\xff"), "in the middle");
    REFUSE("\xdf\xff\xff\xff\xff\x01\x01", "in the middle");
    REFUSE("\x81\xdb\xff\xff\xff\xff", "in the middle");
    REFUSE("\x81\xa1x\xc6\xff\xff\xff\xff", "in the middle");
    REFUSE(KERNELS("\x91\x01"), "a kernel of its metadata is no map");
    REFUSE(KERNELS("\x91\x80"), "has no name");
    REFUSE(KERNELS("\x91\x81\xa5.args\x01"), "no list");
    REFUSE(KERNELS("\x91\x81\xa5.args\x91\x01"), "is no map");
    REFUSE(KERNELS("\x91\x81\xab.vgpr_count\xff"), ".vgpr_count");
    REFUSE(KERNELS("\x91\x81\xab.vgpr_count\xcf\1\0\0\0\0\0\0\0"),
           ".vgpr_count");
    REFUSE(KERNELS("\x91\x81\xaf.wavefront_size\xcd\x04\x01"),
           ".wavefront_size");
    REFUSE(KERNELS("\x92\x81\xa5.name\xa1k\x81\xa5.name\xa1k"), "two kernels");
    /* Lists in lists, without an end and with one. */
    memset(deep, '\x91', sizeof deep);
    memcpy(deep, "\x81\xa1x", 3);
    expect_refused(deep, sizeof deep, "in the middle");
    deep[sizeof deep - 1] = 1;
    deep[0] = '\x82';
    expect_refused(deep, sizeof deep, "in the middle");
}

static void test_toolchain_image_amdgpu__refuses_too_many(void **state)
{
    whet_buf text = {0};
    unsigned i;

    (void)state;
    whet_buf_puts(&text, KERNELS("\xdc"));
    whet_buf_add(&text, "\0\x11", 2);
    for (i = 0; i <= WHET_KERNEL_MAX; i++)
        whet_buf_printf(&text, "\x81\xa5.name\xa2k%c", 'a' + (int)i);
    expect_refused(text.data, text.bytes, "more than 16 kernels");
    whet_buf_deinit(&text);

    whet_buf_puts(&text, KERNELS("\x91\x82\xa5.name\xa1k\xa5.args\xdc"));
    whet_buf_add(&text, "\0\x21", 2);
    for (i = 0; i <= WHET_KERNEL_ARG_MAX; i++)
        whet_buf_puts(&text, "\x81\xa5.size\x08");
    expect_refused(text.data, text.bytes, "more than 32 arguments");
    whet_buf_deinit(&text);
}

static void test_toolchain_image_amdgpu__passes_over_odd_names(void **state)
{
    static const char text[] = KERNELS("\x92\x81\xa5.name\xa3"
                                       "a-b\x81\xa5.name\xa1k");
    whet_buf data = {0};
    whet_image image;
    whet_err err = {0};

    (void)state;
    image_kit_wrap(&data, text, sizeof text - 1);
    assert_int_equal(image_kit_resources(&image, &data, &err), WHET_OK);
    assert_int_equal(image.kernel_count, 1);
    assert_string_equal(image.kernels[0].name, "k");
    whet_buf_deinit(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchain_image_amdgpu__reads_gfx906),
        cmocka_unit_test(test_toolchain_image_amdgpu__reads_gfx90a),
        cmocka_unit_test(
            test_toolchain_image_amdgpu__reads_every_kind_of_argument),
        cmocka_unit_test(
            test_toolchain_image_amdgpu__parts_one_file_of_registers),
        cmocka_unit_test(test_toolchain_image_amdgpu__refuses_every_cut),
        cmocka_unit_test(test_toolchain_image_amdgpu__refuses_nonsense),
        cmocka_unit_test(test_toolchain_image_amdgpu__refuses_too_many),
        cmocka_unit_test(test_toolchain_image_amdgpu__passes_over_odd_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
