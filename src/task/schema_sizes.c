/* Parts of task.yaml about sizes: edges and workloads. See schema.c. */

#include "task/schema_priv.h"

#include <string.h>

/* --- edges --- */

static whet_status read_edge_min(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    whet_edge *edge = dest;

    return whet_yaml_i64(&edge->min, doc, node, 1, INT32_MAX, err);
}

static whet_status read_edge_max(void *dest, const whet_yaml *doc,
                                 const whet_yaml_node *node, whet_err *err)
{
    whet_edge *edge = dest;

    return whet_yaml_i64(&edge->max, doc, node, edge->min, INT32_MAX, err);
}

static const whet_yaml_field edge_fields[] = {
    {"min", WHET_YAML_SCALAR, true, read_edge_min},
    {"max", WHET_YAML_SCALAR, true, read_edge_max},
};

static whet_status dim_of_key(unsigned *index_out, const whet_task *task,
                              const char *name, const whet_yaml *doc,
                              const whet_yaml_node *node, whet_err *err)
{
    const char *dims[WHET_DIM_MAX];
    const char *close;
    int index = name != NULL ? whet_task__dim_index(task, name) : -1;

    *index_out = index >= 0 ? (unsigned)index : 0;
    if (index >= 0)
        return WHET_OK;
    for (unsigned i = 0; i < task->dim_count; i++)
        dims[i] = task->dims[i].name;
    if (name == NULL)
        name = "";
    close = whet_closest_name(name, dims, task->dim_count);
    if (close != NULL)
        return whet_yaml_error(doc, node, err,
                               "'%.64s' is no dim, did you mean '%s'?", name,
                               close);
    return whet_yaml_error(doc, node, err,
                           "'%.64s' is no dim, expected one listed in `dims`",
                           name);
}

whet_status whet_task__read_edges(void *dest, const whet_yaml *doc,
                                  const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;

    for (size_t i = 0; i < whet_yaml_count(node); i++) {
        const whet_yaml_node *key_node, *value;
        const char *name;
        unsigned dim;
        whet_status st;

        value = whet_yaml_entry(doc, node, i, &name, &key_node);
        st = dim_of_key(&dim, task, name, doc, key_node, err);
        if (st == WHET_OK)
            st = whet_yaml_walk(&task->edges[dim], doc, value, edge_fields,
                                WHET_COUNT_OF(edge_fields), err);
        if (st != WHET_OK)
            return st;
    }
    for (unsigned i = 0; i < task->dim_count; i++) {
        if (task->edges[i].max == 0)
            return whet_yaml_error(doc, node, err,
                                   "no edges for dim '%s', expected "
                                   "`%s: {min: 1, max: ...}`",
                                   task->dims[i].name, task->dims[i].name);
    }
    return WHET_OK;
}

whet_status whet_task__read_edge_where(void *dest, const whet_yaml *doc,
                                       const whet_yaml_node *node,
                                       whet_err *err)
{
    whet_task *task = dest;

    return whet_task__read_expr(&task->edge_where, task, doc, node, err);
}

/* --- workloads --- */

static whet_status read_workload_dims(whet_workload *workload,
                                      const whet_task *task,
                                      const whet_yaml *doc,
                                      const whet_yaml_node *map, whet_err *err)
{
    if (whet_yaml_kind_of(map) != WHET_YAML_MAP)
        return whet_yaml_error(doc, map, err,
                               "a workload is no mapping, expected "
                               "`{DIM: SIZE, ...}`");
    for (size_t i = 0; i < whet_yaml_count(map); i++) {
        const whet_yaml_node *key_node, *value;
        const char *name;
        unsigned dim;
        whet_status st;

        value = whet_yaml_entry(doc, map, i, &name, &key_node);
        st = dim_of_key(&dim, task, name, doc, key_node, err);
        if (st == WHET_OK)
            st = whet_yaml_i64(&workload->dim[dim], doc, value, 1,
                               task->dims[dim].is_i64 ? INT64_MAX : INT32_MAX,
                               err);
        if (st != WHET_OK)
            return st;
    }
    for (unsigned i = 0; i < task->dim_count; i++) {
        if (workload->dim[i] == 0)
            return whet_yaml_error(doc, map, err,
                                   "dim '%s' is unbound, expected a size for "
                                   "every dim",
                                   task->dims[i].name);
    }
    return WHET_OK;
}

static whet_status read_workload(whet_task *task, const char *name,
                                 const whet_yaml *doc,
                                 const whet_yaml_node *node,
                                 const whet_yaml_node *map, whet_err *err)
{
    whet_workload *workload = &task->workloads[task->workload_count];
    char text[WHET_NAME_BYTES];
    whet_err inner = {0};
    whet_status st = read_workload_dims(workload, task, doc, map, err);

    if (st != WHET_OK)
        return st;
    if (name == NULL) { /* an item of a list: named by its sizes */
        whet_workload_format(text, sizeof text, task, workload);
        for (char *at = text; *at != '\0'; at++)
            *at = *at == ' ' || *at == '=' ? '-' : *at;
        name = text;
    }
    if (!whet_task__is_word(name))
        return whet_yaml_error(doc, node, err,
                               "'%.64s' is no name, expected 1 to 63 of "
                               "A-Z a-z 0-9 _ . -",
                               name);
    for (unsigned i = 0; i < task->workload_count; i++) {
        if (strcmp(task->workloads[i].name, name) == 0)
            return whet_yaml_error(doc, node, err,
                                   "workload '%s' is there twice, expected "
                                   "each once",
                                   name);
    }
    whet_strcopy(workload->name, sizeof workload->name, name);
    task->workload_count++;
    if (whet_task__workload_check(task, workload, &inner) != WHET_OK)
        return whet_yaml_error(doc, map, err, "workload '%s': %s", name,
                               inner.msg);
    return WHET_OK;
}

whet_status whet_task__read_workloads(void *dest, const whet_yaml *doc,
                                      const whet_yaml_node *node, whet_err *err)
{
    whet_task *task = dest;
    size_t count = whet_yaml_count(node);
    bool is_list = whet_yaml_kind_of(node) == WHET_YAML_SEQ;

    if (count < 1 || count > WHET_WORKLOAD_MAX)
        return whet_yaml_error(doc, node, err,
                               "%zu workloads, expected 1 to %d", count,
                               WHET_WORKLOAD_MAX);
    for (size_t i = 0; i < count; i++) {
        const whet_yaml_node *key_node, *value;
        const char *name = NULL;
        whet_status st;

        if (is_list) {
            key_node = value = whet_yaml_item(node, i);
        } else {
            value = whet_yaml_entry(doc, node, i, &name, &key_node);
            if (name == NULL)
                return whet_yaml_error(doc, key_node, err,
                                       "a workload's name is no plain text, "
                                       "expected `NAME: {DIM: SIZE, ...}`");
        }
        st = read_workload(task, name, doc, key_node, value, err);
        if (st != WHET_OK)
            return st;
    }
    return WHET_OK;
}
