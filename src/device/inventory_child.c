/* Management libraries run in a child: `PROGRAM __device inventory WORD` opens
 * one, asks it, and writes records to a private copy of stdout; the parent
 * takes nothing in them on trust. A library that crashes, hangs or prints
 * costs its source alone. */

#include "device/inventory_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    READING_COUNT = 10,
    REASON_BYTES = 256,
    STDERR_BYTES_MAX = 4096,
    CHILD_FAILED = 3
};

static const char magic[8] = {'w', 'h', 'e', 't', 'i', 'n', 'v', '2'};
/* A driver that has to wake its cards takes seconds; one that takes longer is
 * stuck. */
static const uint64_t timeout_ns = 30000000000u;
/* A program whose main does not know the words would start itself for ever. */
static const char mark_name[] = "WHET_DEVICE_CHILD";

struct head {
    char magic[8];
    uint32_t record_bytes, count;
    char reason[REASON_BYTES]; /* if count is 0 */
};

/* whet_card without booleans: NaN is unknown, so no byte pattern is invalid. */
struct record {
    uint32_t physical_index, process_count, knows_processes;
    uint32_t pids[WHET_CARD_PROCESS_MAX];
    double process_bytes[WHET_CARD_PROCESS_MAX];
    double readings[READING_COUNT];
    whet_card texts; /* its text fields only */
};

static const whet_inventory_library *const libraries[] = {
    &whet_inventory_nvml, &whet_inventory_amdsmi, &whet_inventory_rocm_smi,
    NULL};

const whet_inventory_library *const *whet_inventory__libraries(void)
{
    return libraries;
}

static void list_readings(whet_reading *out[READING_COUNT], whet_card *card)
{
    whet_reading *const all[READING_COUNT] = {
        &card->memory_used_bytes, &card->memory_total_bytes,
        &card->use_pct,           &card->temperature_c,
        &card->power_w,           &card->clock_mhz,
        &card->memory_clock_mhz,  &card->throttled_ns,
        &card->throttle_bits,     &card->ecc_count};

    memcpy(out, all, sizeof all);
}

/* --- child ---------------------------------------------------------------- */

static double to_double(const whet_reading *reading)
{
    return reading->is_known ? reading->value : NAN;
}

static void pack(struct record *out, whet_card *card)
{
    whet_reading *readings[READING_COUNT];

    memset(out, 0, sizeof *out);
    list_readings(readings, card);
    for (int i = 0; i < READING_COUNT; i++)
        out->readings[i] = to_double(readings[i]);
    out->physical_index = card->physical_index;
    out->knows_processes = card->knows_processes;
    out->process_count = card->process_count;
    for (uint32_t i = 0; i < card->process_count; i++) {
        out->pids[i] = card->processes[i].pid;
        out->process_bytes[i] = to_double(&card->processes[i].memory_bytes);
    }
    out->texts = *card;
}

static const whet_inventory_library *find_library(const char *word)
{
    for (size_t i = 0; word != NULL && libraries[i] != NULL; i++)
        if (strcmp(libraries[i]->word, word) == 0)
            return libraries[i];
    return NULL;
}

/* The first path that works; else the reason of the first one that was there
 * but did not work, or of the first. */
static whet_status read_library(whet_cards *cards,
                                const whet_inventory_library *library,
                                whet_err *err)
{
    const char *named = getenv(library->path_env);
    const char *const only[] = {named, NULL};
    bool is_named = named != NULL && named[0] != '\0';
    const char *const *paths = is_named ? only : library->paths;

    for (size_t i = 0; paths[i] != NULL; i++) {
        whet_err why = {0};
        whet_status st = library->read(cards, paths[i], &why);

        if (st == WHET_OK)
            return st;
        cards->count = 0;
        if (i == 0 || strstr(why.msg, "No such file") == NULL)
            *err = why;
    }
    return err->code;
}

int whet_inventory__child_main(int argc, char **argv)
{
    const whet_inventory_library *library =
        find_library(argc == 2 ? argv[1] : NULL);
    whet_cards *cards = calloc(1, sizeof *cards);
    struct record record;
    struct head head = {.record_bytes = sizeof record};
    whet_err err = {0};
    /* The library may print: only our bytes go to the parent. */
    int to = dup(STDOUT_FILENO);
    FILE *out = to >= 0 ? fdopen(to, "wb") : NULL;

    if (library == NULL || cards == NULL || out == NULL ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        fprintf(stderr, "whet: __device inventory: expected a library\n");
        return CHILD_FAILED;
    }
    memcpy(head.magic, magic, sizeof magic);
    if (read_library(cards, library, &err) != WHET_OK)
        (void)whet_strcopy(head.reason, sizeof head.reason, err.msg);
    head.count = cards->count;
    (void)fwrite(&head, sizeof head, 1, out);
    for (uint32_t i = 0; i < cards->count; i++) {
        pack(&record, &cards->items[i]);
        (void)fwrite(&record, sizeof record, 1, out);
    }
    /* Without the library's exit handlers, which may hang or crash. */
    _exit(fflush(out) == 0 ? 0 : CHILD_FAILED);
}

/* --- parent --------------------------------------------------------------- */

static whet_reading to_reading(double value)
{
    whet_reading reading = {0};

    if (isfinite(value) && value >= 0)
        reading = whet_inventory__known(value);
    return reading;
}

static void take_text(char *to, size_t bytes, const char *from)
{
    memcpy(to, from, bytes);
    to[bytes - 1] = '\0';
}

/* Field by field: padding and booleans of `texts` are never looked at. */
static void unpack(whet_card *card, const struct record *record)
{
    whet_reading *readings[READING_COUNT];
    const whet_card *texts = &record->texts;

    list_readings(readings, card);
    for (int i = 0; i < READING_COUNT; i++)
        *readings[i] = to_reading(record->readings[i]);
    card->physical_index = record->physical_index;
    card->knows_processes = record->knows_processes != 0;
    card->process_count = record->process_count < WHET_CARD_PROCESS_MAX
                              ? record->process_count
                              : WHET_CARD_PROCESS_MAX;
    for (uint32_t i = 0; i < card->process_count; i++) {
        card->processes[i].pid = record->pids[i];
        card->processes[i].memory_bytes = to_reading(record->process_bytes[i]);
    }
    take_text(card->vendor, sizeof card->vendor, texts->vendor);
    take_text(card->name, sizeof card->name, texts->name);
    take_text(card->arch, sizeof card->arch, texts->arch);
    take_text(card->pci, sizeof card->pci, texts->pci);
    take_text(card->uuid, sizeof card->uuid, texts->uuid);
    take_text(card->driver, sizeof card->driver, texts->driver);
}

static whet_status parse(whet_cards *cards, const whet_buf *data,
                         const char *title, whet_err *err)
{
    struct record *record = NULL;
    struct head head = {0};

    if (data->bytes >= sizeof head)
        memcpy(&head, data->data, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 ||
        head.record_bytes != sizeof *record || head.count > WHET_CARD_MAX ||
        data->bytes != sizeof head + head.count * sizeof *record)
        return whet_err_set(err, WHET_EFAIL,
                            "%s: the list of cards is malformed", title);
    if (head.count == 0) {
        head.reason[sizeof head.reason - 1] = '\0';
        return whet_err_set(err, WHET_EUNSUPPORTED, "%s",
                            head.reason[0] != '\0' ? head.reason : "no card");
    }
    if ((record = malloc(sizeof *record)) == NULL)
        return whet_err_set(err, WHET_ENOMEM, "%s: out of memory", title);
    for (uint32_t i = 0; i < head.count; i++) {
        whet_card *card = whet_inventory__new_card(cards);

        memcpy(record, data->data + sizeof head + i * sizeof *record,
               sizeof *record);
        if (card != NULL)
            unpack(card, record);
    }
    free(record);
    return WHET_OK;
}

/* What a vendor's library may need to be found, and what names it. */
static size_t collect_env(char **env, size_t max,
                          const whet_inventory_library *library)
{
    const char *const names[] = {"PATH", "HOME", "LD_LIBRARY_PATH",
                                 library->path_env};
    size_t count = 0;

    env[count++] = whet_asprintf("%s=1", mark_name);
    for (size_t i = 0; i < sizeof names / sizeof names[0] && count < max; i++)
        if (getenv(names[i]) != NULL)
            env[count++] = whet_asprintf("%s=%s", names[i], getenv(names[i]));
    return count;
}

static whet_status run_child(whet_process_result *result,
                             const whet_inventory_library *library,
                             whet_err *err)
{
    char *env[6] = {NULL}, *self = NULL;
    size_t env_count = collect_env(env, 5, library);
    whet_status st = whet_fs_self(&self, err);

    if (st == WHET_OK) {
        const char *const argv[] = {self, "__device", "inventory",
                                    library->word, NULL};
        whet_process_opts opts = {.argv = argv,
                                  .env = (const char *const *)env,
                                  .stdout_max_bytes =
                                      sizeof(struct head) +
                                      WHET_CARD_MAX * sizeof(struct record),
                                  .stderr_max_bytes = STDERR_BYTES_MAX,
                                  .timeout_ns = timeout_ns,
                                  .is_expendable = true};

        st = whet_process_run(result, &opts, err);
    }
    for (size_t i = 0; i < env_count; i++)
        free(env[i]);
    free(self);
    return st;
}

whet_status whet_inventory__ask(whet_cards *cards,
                                const whet_inventory_library *library,
                                whet_err *err)
{
    whet_process_result result = {0};
    char how[96];
    whet_status st;

    if (getenv(mark_name) != NULL)
        return whet_err_set(err, WHET_EFAIL,
                            "%s: asked by a device child; its main must call "
                            "whet_device_child first",
                            library->title);
    st = run_child(&result, library, err);
    if (st == WHET_OK && (result.kind != WHET_EXIT_CODE || result.code != 0)) {
        whet_exit_describe(how, sizeof how, result.kind, result.code);
        st = whet_err_set(err, WHET_EUNSUPPORTED,
                          "%s: the library failed while it was asked: %s",
                          library->title, how);
    } else if (st == WHET_OK) {
        st = parse(cards, &result.out, library->title, err);
    }
    whet_process_result_deinit(&result);
    return st;
}

whet_status whet_inventory_card(whet_card *out, const char *pci, whet_err *err)
{
    whet_cards *cards = calloc(1, sizeof *cards);
    whet_status st = WHET_ENOTFOUND;

    memset(out, 0, sizeof *out);
    if (cards == NULL)
        return whet_err_set(err, WHET_ENOMEM, "inventory: out of memory");
    for (size_t i = 0; st != WHET_OK && libraries[i] != NULL; i++) {
        cards->count = 0;
        if (whet_inventory__ask(cards, libraries[i], NULL) != WHET_OK)
            continue;
        for (uint32_t n = 0; n < cards->count; n++) {
            if (strcmp(cards->items[n].pci, pci) != 0)
                continue;
            *out = cards->items[n];
            st = WHET_OK;
        }
    }
    free(cards);
    if (st != WHET_OK)
        return whet_err_set(err, st, "no management library lists card %s",
                            pci);
    out->vendor[0] = out->name[0] = out->arch[0] = out->pci[0] = '\0';
    out->uuid[0] = out->driver[0] = out->source[0] = '\0';
    return WHET_OK;
}
