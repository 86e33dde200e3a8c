/* Answers of compile children: what is laid out must lie inside them. */

#include "toolchain/compilers_priv.h"

#include <stdlib.h>
#include <string.h>

enum { OUTPUT_BYTES_MAX = 1 << 16 };

static void check_inside(const whet_buf *all, const void *at, size_t bytes)
{
    const char *begin = at;

    if (begin < all->data || bytes > all->bytes ||
        begin + bytes > all->data + all->bytes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whet_compile_result result = {0};
    whet_compile__answer answer;
    whet_buf *all = &result.run.out;

    /* Whoever lays out has seen the first byte. */
    whet_buf_puts(all, "R");
    whet_buf_add(all, data, size);
    if (whet_compile__split(&answer, &result, OUTPUT_BYTES_MAX)) {
        check_inside(all, result.log, result.log_bytes);
        check_inside(all, result.output, result.output_bytes);
        if (result.output_bytes > OUTPUT_BYTES_MAX)
            abort();
    }
    whet_buf_deinit(all);
    return 0;
}
