/* Records of architectures by name: finding the file, and questions to what it
 * holds. The reader is in arch_schema.c. */

#include "device/arch_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".yaml"

/* The part before a colon, or "" if it can be no file's name. */
static void record_name(char out[24], const char *name)
{
    size_t bytes = strcspn(name, ":");

    out[0] = '\0';
    if (bytes >= 24 ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") < bytes)
        return;
    memcpy(out, name, bytes);
    out[bytes] = '\0';
}

/* CUDA's targets of one architecture, such as sm_90a, add a letter to its
 * number; those of other vendors have letters as digits. */
static bool strip_variant(char name[24])
{
    size_t bytes = strlen(name);

    if (bytes < 5 || strncmp(name, "sm_", 3) != 0 || name[bytes - 1] < 'a')
        return false;
    name[bytes - 1] = '\0';
    return true;
}

static whet_status read_file(whet_arch *out, const char *dir, const char *name,
                             whet_err *err)
{
    char *path = whet_asprintf("%s/%s" SUFFIX, dir, name);
    whet_buf text = {0};
    whet_status st;

    if (path == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", name);
    st = whet_fs_read(&text, path, WHET_ARCH__BYTES_MAX, err);
    if (st == WHET_OK)
        st = whet_arch__parse(out, whet_buf_str(&text), text.bytes, path, err);
    if (st == WHET_OK && strcmp(out->name, name) != 0)
        st = whet_err_set(err, WHET_EINVAL,
                          "%s: its name is '%s', expected '%s' as the file's",
                          path, out->name, name);
    whet_buf_deinit(&text);
    free(path);
    return st;
}

static whet_status no_record(const char *name, whet_err *err)
{
    whet_buf list = {0};
    char **names = NULL;
    const char *close;
    uint32_t count = 0, i;
    whet_status st = whet_arch_names(&names, &count, err);

    if (st != WHET_OK)
        return st;
    close = whet_closest_name(name, (const char *const *)names, count);
    for (i = 0; i < count; i++)
        whet_buf_printf(&list, "%s%s", i > 0 ? " " : "", names[i]);
    if (close != NULL)
        st = whet_err_set(err, WHET_ENOTFOUND,
                          "no record of architecture '%.40s', did you mean "
                          "'%s'?",
                          name, close);
    else
        st = whet_err_set(err, WHET_ENOTFOUND,
                          "no record of architecture '%.40s', expected one of "
                          "%s",
                          name, whet_buf_str(&list));
    whet_buf_deinit(&list);
    whet_arch_names_free(names, count);
    return st;
}

whet_status whet_arch_load(whet_arch *out, const char *name, whet_err *err)
{
    char *dir = NULL;
    char file[24];
    whet_status st = whet_fs_data_dir(&dir, "arch", err);

    memset(out, 0, sizeof *out);
    if (st != WHET_OK)
        return st;
    record_name(file, name);
    st = file[0] != '\0' ? read_file(out, dir, file, err) : WHET_ENOTFOUND;
    if (st == WHET_ENOTFOUND && strip_variant(file))
        st = read_file(out, dir, file, err);
    free(dir);
    if (st != WHET_OK)
        memset(out, 0, sizeof *out);
    return st == WHET_ENOTFOUND ? no_record(name, err) : st;
}

whet_status whet_arch_names(char ***out, uint32_t *count_out, whet_err *err)
{
    char *dir = NULL;
    char **names = NULL;
    uint32_t count = 0;
    size_t i;
    whet_status st = whet_fs_data_dir(&dir, "arch", err);

    *out = NULL;
    *count_out = 0;
    if (st == WHET_OK)
        st = whet_fs_list(&names, dir, err);
    free(dir);
    if (st != WHET_OK)
        return st;
    /* Keep the records, in place: they are sorted already. */
    for (i = 0; names[i] != NULL; i++) {
        size_t bytes = strlen(names[i]), suffix = strlen(SUFFIX);

        if (bytes <= suffix || strcmp(names[i] + bytes - suffix, SUFFIX) != 0) {
            free(names[i]);
            continue;
        }
        names[i][bytes - suffix] = '\0';
        names[count++] = names[i];
    }
    names[count] = NULL;
    *out = names;
    *count_out = count;
    return WHET_OK;
}

void whet_arch_names_free(char **names, uint32_t count)
{
    uint32_t i;

    for (i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

const whet_arch_unit *whet_arch_find_unit(const whet_arch *arch,
                                          const char *name)
{
    uint32_t i;

    for (i = 0; i < arch->unit_count; i++)
        if (strcmp(arch->units[i].name, name) == 0)
            return &arch->units[i];
    return NULL;
}

bool whet_arch_has(const whet_arch *arch, const char *feature)
{
    uint32_t i;

    for (i = 0; i < arch->feature_count; i++)
        if (strcmp(arch->features[i], feature) == 0)
            return true;
    return whet_arch_find_unit(arch, feature) != NULL;
}
