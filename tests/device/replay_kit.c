/* See replay_kit.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay_kit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

whet_hash kit_hash(char digit)
{
    whet_hash hash = {{0}};

    memset(hash.text, digit, sizeof hash.text - 1);
    return hash;
}

whet_status kit_open(whet_device **out, const whet_device_ops *ops,
                     const char *text, whet_err *err)
{
    char *dir = NULL, *path;
    whet_status st;

    assert_int_equal(whet_fs_tempdir(&dir, "whet-test", err), WHET_OK);
    path = whet_fs_join(dir, "input.json");
    assert_non_null(path);
    assert_int_equal(whet_fs_write(path, text, strlen(text), err), WHET_OK);
    st = ops->open(out, path, err);
    whet_fs_remove_tree(dir);
    free(path);
    free(dir);
    return st;
}

void kit_expect_refused(const whet_device_ops *ops, const char *text,
                        const char *part)
{
    whet_device *device = (whet_device *)1;
    whet_err err = {0};

    assert_int_equal(kit_open(&device, ops, text, &err), WHET_EINVAL);
    assert_null(device);
    assert_non_null(strstr(err.msg, "input.json"));
    if (strstr(err.msg, part) == NULL)
        fail_msg("\"%s\" does not hold \"%s\"", err.msg, part);
}

static void play_candidate(whet_buf *log, const whet_device_ops *ops,
                           whet_device *device, char digit, const char *point)
{
    static const char *const workloads[] = {"M=8 N=8", "M=7 N=3"};
    whet_hash hash = kit_hash(digit);
    whet_diagnostic diagnostic;
    whet_replay_call call;
    whet_err err = {0};
    bool accepted;
    whet_status st =
        ops->replay_build(&accepted, &diagnostic, device, &hash, point, &err);

    whet_buf_printf(log, "%c build %d %d %d %s\n", digit, (int)st, accepted,
                    (int)diagnostic.kind, diagnostic.text);
    for (unsigned i = 0; i < 20; i++) {
        st = ops->replay_call(&call, device, &hash, point,
                              workloads[i % 5 == 4], i, &err);
        whet_buf_printf(log, "%c call %u %d %" PRIu64 " %d %s %s\n", digit, i,
                        (int)st, call.elapsed_ns, call.is_correct, call.reason,
                        st == WHET_OK ? "" : err.msg);
    }
}

void kit_play(whet_buf *log, const whet_device_ops *ops, whet_device *device)
{
    whet_clock clock = ops->clock(device);
    unsigned char key[16];

    for (char digit = 'a'; digit <= 'd'; digit++) {
        assert_int_equal(ops->entropy(device, key, NULL), WHET_OK);
        for (size_t i = 0; i < sizeof key; i++)
            whet_buf_printf(log, "%02x", key[i]);
        play_candidate(log, ops, device, digit,
                       digit == 'b' ? "RT=8 VEC=4" : "RT=80 VEC=4");
        whet_buf_printf(log, "\n%" PRIu64 " %" PRIu64 "\n",
                        whet_clock_now(&clock), whet_clock_wall(&clock));
    }
    whet_buf_puts(log, ops->facts(device)->id);
    assert_false(log->failed);
}
