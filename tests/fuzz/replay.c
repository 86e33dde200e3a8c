/* Replays a fuzz target's corpus as an ordinary test: every file of the folder
 * named on the command line goes to LLVMFuzzerTestOneInput, whole and cut short
 * at evenly spaced places, since truncation is the commonest malformed input.
 * A target fails by crashing, asserting or tripping a sanitizer. */

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUT_BYTES = 1 << 20, CUT_COUNT = 16 };

/* The input lies in a block of exactly its size, so that the address sanitizer
 * sees a read of even one byte beyond it. */
static int feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (copy == NULL) {
        fprintf(stderr, "replay: out of memory\n");
        return -1;
    }
    if (size > 0)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

static int feed_with_cuts(const uint8_t *data, size_t size)
{
    size_t last = SIZE_MAX;

    for (size_t i = 0; i <= CUT_COUNT; i++) {
        size_t cut = size * i / CUT_COUNT;

        if (cut == last)
            continue;
        last = cut;
        if (feed(data, cut) != 0)
            return -1;
    }
    return 0;
}

static int replay_file(const char *path)
{
    int rc = -1;
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MAX_INPUT_BYTES + 1);
    size_t size;

    if (file == NULL || data == NULL) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        goto out;
    }
    size = fread(data, 1, MAX_INPUT_BYTES + 1, file);
    if (ferror(file)) {
        fprintf(stderr, "replay: %s: read error\n", path);
        goto out;
    }
    if (size > MAX_INPUT_BYTES) {
        fprintf(stderr, "replay: %s: over %d bytes\n", path, MAX_INPUT_BYTES);
        goto out;
    }
    /* Printed first: after a crash the last name is the culprit. */
    printf("%s (%zu bytes)\n", path, size);
    fflush(stdout);
    rc = feed_with_cuts(data, size);
out:
    free(data);
    if (file != NULL)
        fclose(file);
    return rc;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    int count, done = 0, rc = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    count = scandir(argv[1], &entries, is_visible, alphasort);
    if (count < 0) {
        fprintf(stderr, "replay: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat info;

        snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
            fprintf(stderr, "replay: %s: not a regular file\n", path);
            rc = 1;
        } else if (replay_file(path) != 0) {
            rc = 1;
        } else {
            done++;
        }
        free(entries[i]);
    }
    free(entries);
    if (done == 0) {
        fprintf(stderr, "replay: %s: no input was replayed\n", argv[1]);
        rc = 1;
    }
    return rc;
}
