/* Layouts and records. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/wire.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint64_t mega = 1 << 20;

static whet_bound_plan plan_of(uint64_t first, uint64_t second)
{
    whet_bound_plan plan = {.launch_count = 1,
                            .buffer_count = 3,
                            .tensor_count = 2,
                            .buffers = {{first, WHET_BUFFER_IN, 1},
                                        {second, WHET_BUFFER_OUT, 1},
                                        {4, WHET_BUFFER_WORKSPACE, 1}}};

    return plan;
}

static whet_key key_of(uint32_t number)
{
    whet_key key = {{number, number * 77, 5, 6}};

    return key;
}

/* Guards and data fill the slot from its start to its end without a gap. */
static void assert_carved(const whet_layout *l, const whet_bound_plan *plan)
{
    uint64_t end = 0;
    uint32_t i;

    assert_int_equal(l->buffer_count, plan->buffer_count);
    for (i = 0; i < l->buffer_count; i++) {
        const whet_layout_buffer *b = &l->buffers[i];

        assert_int_equal(b->bytes, plan->buffers[i].bytes);
        assert_int_equal(b->kind, plan->buffers[i].kind);
        assert_int_equal(b->dtype, plan->buffers[i].dtype);
        assert_int_equal(b->offset % WHET_PAGE_BYTES, 0);
        assert_true(b->guard_before >= WHET_PAGE_BYTES);
        assert_true(b->guard_after >= WHET_PAGE_BYTES);
        assert_int_equal(b->offset - b->guard_before, end);
        end = b->offset + b->bytes + b->guard_after;
    }
    assert_int_equal(end, l->slot_bytes);
    assert_int_equal(l->slot_bytes % (2 * mega), 0);
}

static void test_judge_wire__layout_guards_every_byte_between(void **state)
{
    static const uint64_t sizes[] = {4, 4092, 4096, 4100, 1 << 21, 12345676};
    uint32_t i, k;

    (void)state;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (k = 0; k < 8; k++) {
            whet_bound_plan plan = plan_of(sizes[i], sizes[5 - i]);
            whet_key key = key_of(k);
            whet_layout layout;

            assert_int_equal(
                whet_judge__layout(&layout, &plan, 0, 1000 * mega, &key, NULL),
                WHET_OK);
            assert_carved(&layout, &plan);
            assert_int_equal(whet_judge__layout_check(&layout, &plan, NULL),
                             WHET_OK);
        }
}

static void test_judge_wire__layout_follows_the_key(void **state)
{
    whet_bound_plan plan = plan_of(100, 200);
    whet_key key = key_of(1), other = key_of(2);
    whet_layout a, b, c;

    (void)state;
    assert_int_equal(whet_judge__layout(&a, &plan, 0, mega * 64, &key, NULL),
                     WHET_OK);
    assert_int_equal(whet_judge__layout(&b, &plan, 0, mega * 64, &key, NULL),
                     WHET_OK);
    assert_int_equal(whet_judge__layout(&c, &plan, 0, mega * 64, &other, NULL),
                     WHET_OK);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_not_equal(&a, &c, sizeof a);
}

static void test_judge_wire__slots_cover_the_pool_within_limits(void **state)
{
    whet_bound_plan plan = plan_of(100, 200);
    whet_key key = key_of(1);
    whet_layout l;

    (void)state;
    assert_int_equal(whet_judge__layout(&l, &plan, 0, 64 * mega, &key, NULL),
                     WHET_OK);
    assert_int_equal(l.slot_count, 2);
    assert_int_equal(
        whet_judge__layout(&l, &plan, 9 * mega, 64 * mega, &key, NULL),
        WHET_OK);
    assert_int_equal(l.slot_count, 5);
    assert_int_equal(
        whet_judge__layout(&l, &plan, UINT64_MAX, 64 * mega, &key, NULL),
        WHET_OK);
    assert_int_equal(l.slot_count, WHET_SLOT_MAX);
    assert_int_equal(
        whet_judge__layout(&l, &plan, UINT64_MAX, 7 * mega, &key, NULL),
        WHET_OK);
    assert_int_equal(l.slot_count, 3);
}

static void assert_too_much(uint64_t first, uint64_t second, uint64_t max_bytes)
{
    whet_bound_plan plan = plan_of(first, second);
    whet_key key = key_of(1);
    whet_layout layout;
    whet_err err = {0};

    assert_int_equal(
        whet_judge__layout(&layout, &plan, 0, max_bytes, &key, &err),
        WHET_EUNSUPPORTED);
    assert_string_not_equal(err.msg, "");
}

static void test_judge_wire__too_much_memory_is_refused(void **state)
{
    const uint64_t most = (uint64_t)1 << 62;

    (void)state;
    assert_too_much(100, 200, 4 * mega - 1);
    assert_too_much(100 * mega, 4, 64 * mega);
    assert_too_much(20 * mega, 20 * mega, 64 * mega);
    assert_too_much(most, most, UINT64_MAX);
    assert_too_much(most - 1, most - 1, most);
    assert_too_much((uint64_t)1 << 45, (uint64_t)1 << 45, UINT64_MAX);
}

static void refuse(const whet_layout *layout, const whet_bound_plan *plan)
{
    whet_err err = {0};

    assert_int_equal(whet_judge__layout_check(layout, plan, &err), WHET_EINVAL);
    assert_string_not_equal(err.msg, "");
}

static void test_judge_wire__hostile_layouts_are_refused(void **state)
{
    whet_bound_plan plan = plan_of(100, 200);
    whet_key key = key_of(1);
    whet_layout good, l;

    (void)state;
    assert_int_equal(whet_judge__layout(&good, &plan, 0, mega * 64, &key, NULL),
                     WHET_OK);
    l = good;
    l.buffer_count = 2;
    refuse(&l, &plan);
    l = good;
    l.buffer_count = UINT32_MAX;
    refuse(&l, &plan);
    l = good;
    l.slot_count = 0;
    refuse(&l, &plan);
    l = good;
    l.slot_count = WHET_SLOT_MAX + 1;
    refuse(&l, &plan);
    l = good;
    l.slot_bytes = UINT64_MAX;
    refuse(&l, &plan);
    l = good;
    l.slot_bytes = good.buffers[2].offset;
    refuse(&l, &plan);
    l = good;
    l.buffers[1].offset = l.slot_bytes - 199;
    refuse(&l, &plan);
    l = good;
    l.buffers[1].offset = UINT64_MAX;
    refuse(&l, &plan);
    l = good;
    l.buffers[1].bytes++;
    refuse(&l, &plan);
}

static void test_judge_wire__records_arrive_whole(void **state)
{
    whet_wire out = {.magic = WHET_WIRE_MAGIC, .type = WHET_WIRE_RUN, .a = 7};
    whet_wire in;
    int pair[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(whet_judge__send(pair[0], &out, sizeof out, NULL),
                     WHET_OK);
    assert_int_equal(
        whet_judge__receive(pair[1], &in, sizeof in, 1000000000, NULL),
        WHET_OK);
    assert_memory_equal(&in, &out, sizeof in);
    close(pair[0]);
    close(pair[1]);
}

static void test_judge_wire__late_part_and_lost_records(void **state)
{
    whet_wire out = {.magic = WHET_WIRE_MAGIC}, in;
    whet_err err = {0};
    int pair[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(
        whet_judge__receive(pair[1], &in, sizeof in, 2000000, &err),
        WHET_ETIMEOUT);
    assert_string_not_equal(err.msg, "");
    assert_int_equal(whet_judge__send(pair[0], &out, 100, NULL), WHET_OK);
    assert_int_equal(
        whet_judge__receive(pair[1], &in, sizeof in, 2000000, NULL),
        WHET_ETIMEOUT);
    assert_int_equal(whet_judge__send(pair[0], &out, 100, NULL), WHET_OK);
    close(pair[0]);
    err.msg[0] = '\0';
    assert_int_equal(whet_judge__receive(pair[1], &in, sizeof in, 0, &err),
                     WHET_EFAIL);
    assert_string_not_equal(err.msg, "");
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_wire__layout_guards_every_byte_between),
        cmocka_unit_test(test_judge_wire__layout_follows_the_key),
        cmocka_unit_test(test_judge_wire__slots_cover_the_pool_within_limits),
        cmocka_unit_test(test_judge_wire__too_much_memory_is_refused),
        cmocka_unit_test(test_judge_wire__hostile_layouts_are_refused),
        cmocka_unit_test(test_judge_wire__records_arrive_whole),
        cmocka_unit_test(test_judge_wire__late_part_and_lost_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
