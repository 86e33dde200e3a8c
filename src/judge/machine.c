/* What this machine and its cards tell of themselves: load, throttling, memory
 * errors. Files of the kernel are read here, cards through the device room.
 * What cannot be read is unknown, which is no evidence of anything. */

#include "judge/machine_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 65536, CPU_MAX = 1024 };

/* Throttle reasons of nvmlClocksEventReasons (NVML API reference): hardware
 * slowdown, thermal by software and by hardware, power brake. */
static const uint64_t slowdown_bits = 0x08 | 0x20 | 0x40 | 0x80;
static const uint64_t idle_bit = 0x01;

/* User, nice, system, irq, softirq and steal of the first line, and all of it;
 * proc(5). */
bool whet_judge__parse_stat(double *busy_out, double *all_out, const char *text)
{
    unsigned long long f[8];
    unsigned i;

    if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &f[0],
               &f[1], &f[2], &f[3], &f[4], &f[5], &f[6], &f[7]) != 8)
        return false;
    *all_out = 0;
    for (i = 0; i < 8; i++)
        *all_out += (double)f[i];
    *busy_out = *all_out - (double)f[3] - (double)f[4]; /* idle, iowait */
    return true;
}

/* Fields 14 to 17 of /proc/PID/stat: user and system time, and that of
 * children that were waited for. The name before them may hold anything but is
 * in parentheses. */
bool whet_judge__parse_process(double *ticks_out, const char *text)
{
    const char *at = strrchr(text, ')');
    unsigned long long user, kernel;
    long long child_user, child_kernel;

    if (at == NULL ||
        sscanf(at + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld "
               "%lld",
               &user, &kernel, &child_user, &child_kernel) != 4)
        return false;
    *ticks_out = (double)user + (double)kernel + (double)child_user +
                 (double)child_kernel;
    return true;
}

static bool read_file(whet_buf *out, const char *path)
{
    return whet_fs_read(out, path, FILE_BYTES, NULL) == WHET_OK &&
           out->data != NULL;
}

static double process_ticks(pid_t pid)
{
    whet_buf text = {0};
    double ticks = NAN;
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!read_file(&text, path) ||
        !whet_judge__parse_process(&ticks, whet_buf_str(&text)))
        ticks = NAN;
    whet_buf_deinit(&text);
    return ticks;
}

static void read_load(whet_machine *out, const pid_t *own)
{
    whet_buf text = {0};

    if (!read_file(&text, "/proc/stat") ||
        !whet_judge__parse_stat(&out->busy_ticks, &out->all_ticks,
                                whet_buf_str(&text)))
        out->busy_ticks = out->all_ticks = NAN;
    whet_buf_deinit(&text);
    out->own_ticks = process_ticks(getpid());
    for (; *own != 0; own++)
        out->own_ticks += process_ticks(*own);
}

/* Of all processors together; unknown on machines that have no such files. */
static double count_throttles(void)
{
    double sum = NAN;
    unsigned i;

    for (i = 0; i < CPU_MAX; i++) {
        whet_buf text = {0};
        char path[96];
        bool is_there;

        snprintf(path, sizeof path,
                 "/sys/devices/system/cpu/cpu%u/thermal_throttle/"
                 "core_throttle_count",
                 i);
        is_there = read_file(&text, path);
        if (is_there)
            sum =
                (isfinite(sum) ? sum : 0.0) + strtod(whet_buf_str(&text), NULL);
        whet_buf_deinit(&text);
        if (!is_there)
            break;
    }
    return sum;
}

void whet_judge__read_card(whet_machine *out, const whet_card *card,
                           unsigned own_count)
{
    uint64_t bits =
        card->throttle_bits.is_known ? (uint64_t)card->throttle_bits.value : 0;

    if (card->throttled_ns.is_known)
        out->throttled_ns = card->throttled_ns.value;
    if (card->ecc_count.is_known)
        out->ecc_count = card->ecc_count.value;
    if (card->throttle_bits.is_known)
        out->slowdown = (bits & slowdown_bits) != 0;
    /* An idle card lowers its clock, which says nothing. */
    if (card->throttle_bits.is_known && !(bits & idle_bit) &&
        card->clock_mhz.is_known)
        out->clock_mhz = card->clock_mhz.value;
    /* Counted, not compared by number: a container numbers them otherwise. */
    if (card->knows_processes)
        out->foreign_count = card->process_count > own_count
                                 ? card->process_count - own_count
                                 : 0;
}

static unsigned count_workers(const whet_judge *judge, const pid_t *own)
{
    unsigned count = 0;

    for (; *own != 0; own++)
        count += *own != judge->verifier.pid;
    return count;
}

void whet_judge__look(whet_machine *out, const whet_judge *judge,
                      const pid_t *own)
{
    const whet_device_facts *facts = &judge->opts.device->facts;
    whet_card *card;

    *out = (whet_machine){.now_ns = whet_clock_now(&judge->clock),
                          .throttle_count = NAN,
                          .throttled_ns = NAN,
                          .slowdown = NAN,
                          .ecc_count = NAN,
                          .clock_mhz = NAN,
                          .foreign_count = NAN,
                          .busy_ticks = NAN,
                          .own_ticks = NAN,
                          .all_ticks = NAN};
    if (!whet_judge__has_stage(judge)) {
        read_load(out, own);
        out->throttle_count = count_throttles();
        return;
    }
    card = calloc(1, sizeof *card);
    if (card != NULL && facts->pci[0] != '\0' &&
        whet_inventory_card(card, facts->pci, NULL) == WHET_OK)
        whet_judge__read_card(out, card, count_workers(judge, own));
    free(card);
}
