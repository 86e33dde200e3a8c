/* YAML text from anywhere: parse, then read every node in every way. */

#include "base/base.h"

#include <assert.h>
#include <stdint.h>

static void read_node(const whet_yaml *doc, const whet_yaml_node *node,
                      int depth)
{
    const char *text;
    int64_t integer;
    double number;
    whet_err err = {0};
    size_t i;

    assert(depth <= 64 && node != NULL);
    if (whet_yaml_str(&text, doc, node, &err) == WHET_OK)
        assert(text != NULL);
    else
        assert(err.msg[0] != '\0');
    (void)whet_yaml_i64(&integer, doc, node, -5, 1000, &err);
    (void)whet_yaml_f64(&number, doc, node, &err);
    for (i = 0; i < whet_yaml_count(node); i++) {
        const char *key;
        const whet_yaml_node *key_node;
        const whet_yaml_node *value;

        if (whet_yaml_kind_of(node) == WHET_YAML_SEQ) {
            read_node(doc, whet_yaml_item(node, i), depth + 1);
            continue;
        }
        value = whet_yaml_entry(doc, node, i, &key, &key_node);
        /* No two keys are alike, so a look-up gives this entry. */
        assert(key == NULL || i > 64 || whet_yaml_find(node, key) == value);
        read_node(doc, key_node, depth + 1);
        read_node(doc, value, depth + 1);
    }
}

static whet_status read_any(void *dest, const whet_yaml *doc,
                            const whet_yaml_node *value, whet_err *err)
{
    const char *text;

    (void)dest;
    return whet_yaml_str(&text, doc, value, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const whet_yaml_field fields[] = {
        {"name", WHET_YAML_SCALAR, true, read_any},
        {"dims", WHET_YAML_ANY, false, read_any},
    };
    whet_yaml *doc = NULL;
    whet_err err = {0};
    whet_status st =
        whet_yaml_parse(&doc, (const char *)data, size, "fuzz", 1, &err);

    assert((st == WHET_OK) == (doc != NULL));
    assert(st == WHET_OK || err.msg[0] != '\0');
    if (doc != NULL) {
        const whet_yaml_node *root = whet_yaml_root(doc);

        if (root != NULL)
            read_node(doc, root, 0);
        (void)whet_yaml_walk(NULL, doc, root, fields, 2, &err);
    }
    whet_yaml_free(doc);
    return 0;
}
