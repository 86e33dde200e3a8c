/* The child that lists GPUs, and what its parent makes of its bytes. */

#include "device/gpu_priv.h"
#include "fake_cuda_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bytes as the child writes them, with room to spoil them. */
struct list {
    char magic[8];
    uint32_t record_bytes;
    uint32_t count;
    whet_device_facts facts[2];
};

static void make(struct list *list)
{
    int i;

    memset(list, 0, sizeof *list);
    memcpy(list->magic, "whetgpu1", 8);
    list->record_bytes = sizeof list->facts[0];
    list->count = 2;
    for (i = 0; i < 2; i++) {
        strcpy(list->facts[i].backend, "cuda");
        strcpy(list->facts[i].name, "A card");
        memset(list->facts[i].id, 'a', WHET_HASH_TEXT_BYTES - 1);
        list->facts[i].index = (uint32_t)i;
    }
}

static whet_status parse(const void *data, size_t bytes, whet_err *err)
{
    whet_device_facts *out = calloc(WHET_DEVICE_LIST_MAX, sizeof *out);
    uint32_t count = 9;
    whet_status st =
        whet_gpu__list_parse(out, &count, "cuda", data, bytes, err);

    assert_int_equal(count, st == WHET_OK ? 2 : 0);
    if (st == WHET_OK)
        assert_string_equal(out[1].name, "A card");
    free(out);
    return st;
}

static void expect_malformed(const struct list *list, size_t bytes)
{
    whet_err err = {0};

    assert_int_equal(parse(list, bytes, &err), WHET_EFAIL);
    assert_string_equal(err.msg, "cuda: the list of devices is malformed");
}

static void test_device_gpu_list__reads_records(void **state)
{
    struct list *list = malloc(sizeof *list);
    whet_err err = {0};

    (void)state;
    make(list);
    if (parse(list, sizeof *list, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    free(list);
}

static void test_device_gpu_list__refuses_other_counts(void **state)
{
    struct list *list = malloc(sizeof *list);

    (void)state;
    make(list);
    expect_malformed(list, 0);
    expect_malformed(list, 15);
    expect_malformed(list, sizeof *list - 1);
    list->count = 1;
    expect_malformed(list, sizeof *list);
    list->count = 0;
    expect_malformed(list, 16);
    list->count = UINT32_MAX;
    expect_malformed(list, sizeof *list);
    make(list);
    list->record_bytes--;
    expect_malformed(list, sizeof *list);
    make(list);
    list->magic[7] = '2';
    expect_malformed(list, sizeof *list);
    free(list);
}

/* Put one byte into the second record. */
static void expect_spoiled(size_t offset, int value)
{
    struct list *list = malloc(sizeof *list);

    make(list);
    memset((char *)&list->facts[1] + offset, value, 1);
    expect_malformed(list, sizeof *list);
    free(list);
}

static void test_device_gpu_list__refuses_fields_out_of_range(void **state)
{
    struct list *list = malloc(sizeof *list);

    (void)state;
    expect_spoiled(offsetof(whet_device_facts, is_cpu), 2);
    expect_spoiled(offsetof(whet_device_facts, has_f64), 255);
    expect_spoiled(offsetof(whet_device_facts, has_ecc), 3);
    expect_spoiled(offsetof(whet_device_facts, is_exclusive) + 3, 0x80);
    expect_spoiled(offsetof(whet_device_facts, evidence), 1);
    expect_spoiled(offsetof(whet_device_facts, name), '\n');
    expect_spoiled(offsetof(whet_device_facts, driver), 0xff);
    expect_spoiled(offsetof(whet_device_facts, backend), 'C');
    expect_spoiled(offsetof(whet_device_facts, id), 'g');
    expect_spoiled(offsetof(whet_device_facts, id) + 9, '\0');
    make(list);
    memset(list->facts[0].arch, 'x', sizeof list->facts[0].arch);
    expect_malformed(list, sizeof *list);
    free(list);
}

static void test_device_gpu_list__hands_on_the_reason(void **state)
{
    struct {
        char head[16];
        char text[WHET_ERR_MSG_BYTES];
    } none = {.head = "whetgpu0", .text = "CUDA: none\nhere"};
    whet_err err = {0};

    (void)state;
    assert_int_equal(parse(&none, sizeof none, &err), WHET_EUNSUPPORTED);
    assert_string_equal(err.msg, "CUDA: none?here");
    assert_int_equal(parse(&none, sizeof none - 1, &err), WHET_EFAIL);
    none.text[0] = '\0';
    assert_int_equal(parse(&none, sizeof none, &err), WHET_EFAIL);
    memset(none.text, 'x', sizeof none.text);
    assert_int_equal(parse(&none, sizeof none, &err), WHET_EFAIL);
}

/* --- with the child ------------------------------------------------------- */

static whet_status list(uint64_t timeout_ns, uint32_t *count_out, whet_err *err)
{
    whet_device_facts *out = calloc(WHET_DEVICE_LIST_MAX, sizeof *out);
    whet_status st =
        whet_gpu__list_within(out, count_out, "cuda", timeout_ns, err);

    free(out);
    return st;
}

static void test_device_gpu_list__a_drivers_noise_is_kept_away(void **state)
{
    uint32_t count = 0;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("noisy");
    if (list(0, &count, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(count, 2);
}

static void test_device_gpu_list__a_driver_that_hangs_is_left(void **state)
{
    uint32_t count = 9;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("hang");
    assert_int_equal(list(200000000, &count, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "gave no answer"));
    assert_int_equal(count, 0);
}

static void test_device_gpu_list__unknown_numbers_do_not_hinder(void **state)
{
    uint32_t count = 0;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("bare");
    if (list(0, &count, &err) != WHET_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(count, 2);
}

static void test_device_gpu_list__no_list_within_a_list(void **state)
{
    uint32_t count = 9;
    whet_err err = {0};

    (void)state;
    fake_cuda_use("");
    setenv("WHET_DEVICE_CHILD", "1", 1);
    assert_int_equal(list(0, &count, &err), WHET_EFAIL);
    assert_non_null(strstr(err.msg, "must call whet_device_child first"));
    unsetenv("WHET_DEVICE_CHILD");
    assert_int_equal(whet_gpu__list_within(NULL, &count, "nonesuch", 0, &err),
                     WHET_EINVAL);
    assert_non_null(strstr(err.msg, "nonesuch"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_gpu_list__reads_records),
        cmocka_unit_test(test_device_gpu_list__refuses_other_counts),
        cmocka_unit_test(test_device_gpu_list__refuses_fields_out_of_range),
        cmocka_unit_test(test_device_gpu_list__hands_on_the_reason),
        cmocka_unit_test(test_device_gpu_list__a_drivers_noise_is_kept_away),
        cmocka_unit_test(test_device_gpu_list__a_driver_that_hangs_is_left),
        cmocka_unit_test(test_device_gpu_list__unknown_numbers_do_not_hinder),
        cmocka_unit_test(test_device_gpu_list__no_list_within_a_list),
    };
    int status;

    if (whet_device_child(&status, argc, argv))
        return status;
    return cmocka_run_group_tests(tests, NULL, fake_cuda_remove);
}
