/* What --pick and its companions mean, for every command that runs on a
 * card. */

#include "cli/cli.h"

#include "device/device.h"

whet_status whet_cli_pick(whet_pick_opts *out, const whet_cli_pick_opts *in,
                          const whet_log *log, whet_err *err)
{
    *out = (whet_pick_opts){.memory_max_pct = in->max_mem_pct,
                            .use_max_pct = in->max_use_pct,
                            .wait_ns = in->wait_ns,
                            .cancel = whet_cli_interrupt(),
                            .log = log};
    return whet_pick_parse(&out->pick, in->word != NULL ? in->word : "default",
                           err);
}
