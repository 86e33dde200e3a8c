/* Expressions: any text parses or is refused with a message, and what parses
 * evaluates to a value or a message, twice the same. */

#include "task/expr.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"rows", "cols", "BLOCK", "a", "n"};
    static const int64_t values[] = {4096, 1000003, 64, -7, INT64_MAX};
    whet_binding binding = {names, values, 5};
    whet_expr *expr = NULL;
    whet_err err = {0};
    whet_status st = whet_expr_parse(&expr, (const char *)data, size, &err);
    int64_t first = 0, second = 0;
    size_t count = 0;

    if (st != WHET_OK) {
        assert(expr == NULL && err.msg[0] != '\0' && err.code == st);
        return 0;
    }
    assert(strlen(whet_expr_text(expr)) == size);
    whet_expr_names(expr, &count);
    assert(count <= size);
    st = whet_expr_eval(&first, expr, whet_binding_lookup, &binding, &err);
    assert(st == WHET_OK || (err.msg[0] != '\0' && first == 0));
    assert(whet_expr_eval(&second, expr, whet_binding_lookup, &binding, &err) ==
           st);
    assert(first == second);
    whet_expr_free(expr);
    return 0;
}
