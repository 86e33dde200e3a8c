/* Builds through a cache of images. An entry is an encoded image in a file
 * named by the key; one that does not decode, or that others could have
 * written, is built again and replaced. A
 * cache that cannot be read or written only costs time. */

#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* 16 folders by the key's first digit; an image has 0.1 to 0.5 MB. */
    FOLDER_ENTRIES_MAX = 128,
    ENTRY_BYTES_MAX = WHET_IMAGE_BYTES_MAX + (1 << 20)
};

static void add_list(whet_hasher *hasher, const char *label,
                     const char *const *items)
{
    size_t i;

    for (i = 0; items[i] != NULL; i++)
        whet_hasher_add_str(hasher, label, items[i]);
}

whet_hash whet_build_key(const whet_toolchain_ops *ops, const char *identity,
                         const whet_build_request *request)
{
    whet_hasher hasher;

    whet_hasher_init(&hasher);
    /* Counted up when images are refused that were not before. */
    whet_hasher_add_str(&hasher, "checks", "2");
    whet_hasher_add_str(&hasher, "toolchain", ops->name);
    whet_hasher_add_str(&hasher, "identity", identity);
    whet_hasher_add_str(&hasher, "arch", request->arch);
    whet_hasher_add_str(&hasher, "language", request->language);
    add_list(&hasher, "option", request->options);
    add_list(&hasher, "define", request->defines);
    if (request->has_openmp)
        whet_hasher_add_str(&hasher, "openmp", "1");
    whet_hasher_add(&hasher, "source", request->source, request->source_bytes);
    return whet_hasher_finish(&hasher);
}

/* "CACHE/images/D" and "CACHE/images/D/KEY"; false if there is no cache. */
static bool entry_path(char **dir_out, char **path_out, const whet_hash *key)
{
    char *cache = NULL;

    *dir_out = NULL;
    *path_out = NULL;
    if (whet_fs_cache_dir(&cache, NULL) != WHET_OK)
        return false;
    *dir_out = whet_asprintf("%s/images/%c", cache, key->text[0]);
    if (*dir_out != NULL)
        *path_out = whet_asprintf("%s/%s", *dir_out, key->text);
    free(cache);
    return *path_out != NULL;
}

/* An image that somebody else put there would be judged in place of what was
 * asked for: a slow one for a baseline. */
static bool is_ours_alone(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 && !S_ISLNK(info.st_mode) &&
           (info.st_uid == geteuid() || info.st_uid == 0) &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool lookup(whet_image *image, const char *dir, const char *path)
{
    whet_buf data = {0};
    bool found = is_ours_alone(dir) && is_ours_alone(path) &&
                 whet_fs_read(&data, path, ENTRY_BYTES_MAX, NULL) == WHET_OK &&
                 whet_image_decode(image, whet_buf_str(&data), data.bytes,
                                   NULL) == WHET_OK;

    whet_buf_deinit(&data);
    return found;
}

struct entry {
    char *path;
    time_t changed;
};

static int by_age(const void *a, const void *b)
{
    time_t x = ((const struct entry *)a)->changed;
    time_t y = ((const struct entry *)b)->changed;

    return (x > y) - (x < y);
}

/* Drop the older half of a full folder. */
static void prune(const char *dir)
{
    char **names = NULL;
    struct entry *entries = NULL;
    size_t count = 0;
    size_t i;

    if (whet_fs_list(&names, dir, NULL) != WHET_OK)
        return;
    while (names[count] != NULL)
        count++;
    if (count >= FOLDER_ENTRIES_MAX)
        entries = calloc(count, sizeof *entries);
    for (i = 0; entries != NULL && i < count; i++) {
        struct stat info;

        entries[i].path = whet_fs_join(dir, names[i]);
        if (entries[i].path != NULL && stat(entries[i].path, &info) == 0)
            entries[i].changed = info.st_mtime;
    }
    if (entries != NULL)
        qsort(entries, count, sizeof *entries, by_age);
    for (i = 0; entries != NULL && i < count; i++) {
        if (i < count / 2 && entries[i].path != NULL)
            (void)unlink(entries[i].path);
        free(entries[i].path);
    }
    free(entries);
    whet_fs_list_free(names);
}

static void store(const char *dir, const char *path, const whet_image *image)
{
    whet_buf data = {0};

    if (whet_fs_mkdirs(dir, NULL) != WHET_OK)
        return;
    prune(dir);
    whet_image_encode(&data, image);
    if (!data.failed)
        (void)whet_fs_write(path, data.data, data.bytes, NULL);
    whet_buf_deinit(&data);
}

whet_status whet_toolchain_build(whet_image *image, whet_diagnostic *diagnostic,
                                 bool *was_cached_out,
                                 const whet_toolchain_ops *ops,
                                 const char *identity,
                                 const whet_build_request *request,
                                 whet_err *err)
{
    whet_hash key = whet_build_key(ops, identity, request);
    whet_status st = WHET_OK;
    char *dir = NULL;
    char *path = NULL;
    bool has_cache = entry_path(&dir, &path, &key);
    bool was_cached;

    memset(image, 0, sizeof *image);
    memset(diagnostic, 0, sizeof *diagnostic);
    was_cached = has_cache && lookup(image, dir, path);
    if (!was_cached) {
        st = ops->build(image, diagnostic, request, err);
        if (st == WHET_OK && has_cache &&
            diagnostic->kind == WHET_DIAGNOSTIC_NONE)
            store(dir, path, image);
    }
    if (was_cached_out != NULL)
        *was_cached_out = was_cached;
    free(path);
    free(dir);
    return st;
}
