/* Looks at the machine for `whet doctor`. Nothing here is a failure: a part
 * that is missing becomes a note with its cost and its remedy. */

#include "cli/doctor_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const uint64_t day_ns = UINT64_C(86400) * 1000000000u;

enum { CALIBRATION_DAYS_MAX = 90 };

void whet_cli__doctor_note(whet_doctor *doctor, const char *what,
                           const char *effect, const char *reason)
{
    whet_doctor_note *add;

    if (doctor->note_count == WHET_DOCTOR_NOTE_MAX)
        return;
    add = &doctor->notes[doctor->note_count++];
    (void)whet_strcopy(add->what, sizeof add->what, what);
    (void)whet_strcopy(add->reason, sizeof add->reason, reason);
    add->effect = effect;
}

/* --- machine ------------------------------------------------------------- */

static void look_at_load(whet_doctor *doctor)
{
    char reason[160];
    double load[1];

    doctor->load = getloadavg(load, 1) == 1 ? load[0] : -1;
    if (doctor->load <= 0.5 * doctor->cpu_count)
        return;
    snprintf(reason, sizeof reason,
             "%.1f processes ran in the last minute on %u CPUs; stop other "
             "work while measuring",
             doctor->load, doctor->cpu_count);
    whet_cli__doctor_note(
        doctor, "load",
        "times on CPU devices scatter, so small gains are not seen", reason);
}

static void look_at_pages(whet_doctor *doctor)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    whet_buf text = {0};

    if (whet_fs_read(&text, path, 4096, NULL) == WHET_OK &&
        strstr(whet_buf_str(&text), "[never]") != NULL)
        whet_cli__doctor_note(
            doctor, "huge pages",
            "equal kernels that are bound by memory may differ by some 2 %",
            "transparent huge pages are off; as root: echo madvise > "
            "/sys/kernel/mm/transparent_hugepage/enabled");
    whet_buf_deinit(&text);
}

static void look_at_machine(whet_doctor *doctor)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    struct utsname name;

    doctor->cpu_count = cpus > 0 ? (unsigned)cpus : 1;
    if (pages > 0 && page_bytes > 0)
        doctor->memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
    if (uname(&name) == 0)
        snprintf(doctor->system, sizeof doctor->system, "%.40s %.60s %.40s",
                 name.sysname, name.release, name.machine);
    look_at_load(doctor);
    look_at_pages(doctor);
}

/* --- devices ------------------------------------------------------------- */

static whet_doctor_device *add_device(whet_doctor *doctor,
                                      const whet_device_ops *ops)
{
    whet_doctor_device *device;

    if (doctor->device_count == WHET_DOCTOR_ROW_MAX)
        return NULL;
    device = &doctor->devices[doctor->device_count++];
    device->ops = ops;
    return device;
}

static void look_at_calibration(whet_doctor *doctor, whet_doctor_device *device)
{
    const whet_clock clock = whet_clock_system();
    uint64_t now_ns = whet_clock_wall(&clock);
    char what[160], reason[160];
    whet_err err = {0};

    snprintf(what, sizeof what, "calibration of %s:%u", device->facts.backend,
             device->facts.index);
    if (whet_calibration_load(&device->calibration, &device->facts, &err) !=
        WHET_OK) {
        snprintf(reason, sizeof reason, "%s; run 'whet calibrate'",
                 strstr(err.msg, "damaged") != NULL
                     ? "the stored one is damaged"
                     : "none is stored for this device and driver");
        whet_cli__doctor_note(
            doctor, what,
            "limit and share of limit are unknown, and no run stops at it",
            reason);
        return;
    }
    device->has_calibration = true;
    if (now_ns > device->calibration.wall_ns)
        device->calibration_age_ns = now_ns - device->calibration.wall_ns;
    if (device->calibration_age_ns > CALIBRATION_DAYS_MAX * day_ns) {
        snprintf(reason, sizeof reason,
                 "it is %llu days old; run 'whet calibrate'",
                 (unsigned long long)(device->calibration_age_ns / day_ns));
        whet_cli__doctor_note(doctor, what,
                              "limit and share of limit may be off", reason);
    }
}

static void look_at_backend(whet_doctor *doctor, whet_device_facts *found,
                            const whet_device_ops *ops, unsigned *live_count)
{
    bool is_live = (ops->caps & WHET_DEVICE_CAP_LIVE) != 0;
    whet_doctor_device *device;
    whet_err err = {0};
    uint32_t count = 0;
    char what[160];

    if (ops->probe(found, &count, &err) != WHET_OK) {
        snprintf(what, sizeof what, "device %s", ops->name);
        whet_cli__doctor_note(doctor, what, "no kernel can be measured on it",
                              err.msg);
        if ((device = add_device(doctor, ops)) != NULL) {
            device->is_absent = true;
            (void)whet_strcopy(device->reason, sizeof device->reason, err.msg);
        }
        return;
    }
    if (count == 0)
        (void)add_device(doctor, ops);
    for (uint32_t i = 0; i < count; i++) {
        if ((device = add_device(doctor, ops)) == NULL)
            return;
        device->has_facts = true;
        device->facts = found[i];
        *live_count += is_live;
        if (is_live)
            look_at_calibration(doctor, device);
    }
}

/* A card that answers to two interfaces counts once. */
static void drop_duplicates(whet_doctor *doctor)
{
    whet_device_row rows[WHET_DOCTOR_ROW_MAX] = {0};
    static const whet_device_facts nothing;
    unsigned kept = 0, i;
    char what[160], reason[160];

    for (i = 0; i < doctor->device_count; i++)
        rows[i].facts =
            doctor->devices[i].has_facts ? &doctor->devices[i].facts : &nothing;
    whet_device_mark_duplicates(rows, doctor->device_count);
    for (i = 0; i < doctor->device_count; i++) {
        const whet_device_facts *facts = rows[i].facts;

        if (rows[i].same_as == NULL)
            continue;
        snprintf(what, sizeof what, "device %s:%u", facts->backend,
                 facts->index);
        snprintf(reason, sizeof reason, "card %s is also %s:%u", facts->pci,
                 rows[i].same_as->backend, rows[i].same_as->index);
        whet_cli__doctor_note(doctor, what, "it is not counted a second time",
                              reason);
    }
    /* Only now: rows point to each other's facts. */
    for (i = 0; i < doctor->device_count; i++)
        if (rows[i].same_as == NULL)
            doctor->devices[kept++] = doctor->devices[i];
    doctor->device_count = kept;
}

static void look_at_devices(whet_doctor *doctor)
{
    whet_device_facts *found = calloc(WHET_DEVICE_LIST_MAX, sizeof *found);
    const whet_device_ops *const *all = whet_device_all();
    unsigned live_count = 0;
    char warning[160];

    for (; found != NULL && *all != NULL; all++)
        look_at_backend(doctor, found, *all, &live_count);
    drop_duplicates(doctor);
    whet_visible_warning(warning);
    if (warning[0] != '\0')
        whet_cli__doctor_note(doctor, "visible devices",
                              "an index may mean another card than it seems",
                              warning);
    if (live_count == 0)
        whet_cli__doctor_note(
            doctor, "devices",
            "'whet run' and 'whet judge' end with status 3; recordings can "
            "still be replayed",
            "there is none that could run a kernel");
    free(found);
}

/* --- toolchains, sandbox, folders ---------------------------------------- */

static void look_at_toolchains(whet_doctor *doctor)
{
    const whet_toolchain_ops *const *all = whet_toolchain_all();

    for (; *all != NULL && doctor->toolchain_count < WHET_DOCTOR_ROW_MAX;
         all++) {
        whet_doctor_toolchain *row =
            &doctor->toolchains[doctor->toolchain_count++];
        whet_err err = {0};
        char what[160];

        row->ops = *all;
        if ((*all)->identify(row->identity, 0, &err) == WHET_OK)
            continue;
        row->is_absent = true;
        row->identity[0] = '\0';
        (void)whet_strcopy(row->reason, sizeof row->reason, err.msg);
        snprintf(what, sizeof what, "toolchain %s", (*all)->name);
        whet_cli__doctor_note(
            doctor, what, "kernels in its languages cannot be built", err.msg);
    }
}

static void look_at_sandbox(whet_doctor *doctor)
{
    const whet_sandbox_facts *facts = &doctor->sandbox;

    whet_sandbox_probe(&doctor->sandbox);
    if (facts->has_bwrap && facts->has_namespaces && facts->has_seccomp)
        return;
    whet_cli__doctor_note(
        doctor, "sandbox",
        "kernels for CPU devices are judged with --unsafe only, and none of "
        "them becomes champion",
        facts->reason);
}

/* The first word of $CC, else the names that the task room tries. */
static void look_at_compiler(whet_doctor *doctor)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *chosen = getenv("CC");
    char *first;

    if (chosen != NULL && chosen[0] != '\0') {
        first = strndup(chosen, strcspn(chosen, " "));
        if (first != NULL)
            (void)whet_fs_find_program(&doctor->compiler, first, NULL);
        free(first);
    } else {
        for (size_t i = 0; doctor->compiler == NULL && i < 3; i++)
            (void)whet_fs_find_program(&doctor->compiler, names[i], NULL);
    }
    if (doctor->compiler == NULL)
        whet_cli__doctor_note(
            doctor, "C compiler",
            "a task is judged only if its compiled reference is shipped or "
            "cached",
            "neither $CC nor cc, gcc or clang was found; apt-get install gcc");
}

static void look_at_folders(whet_doctor *doctor)
{
    static const char *const effects[] = {
        "tasks have to be named by their folder",
        "no skill is known, and portable kernels cannot be built",
        "images and references cannot be kept", "calibrations cannot be kept"};
    whet_doctor_folder *folders = doctor->folders;
    whet_status st[WHET_DOCTOR_FOLDER_COUNT];
    whet_err err[WHET_DOCTOR_FOLDER_COUNT] = {{0}};

    folders[0].name = "tasks";
    st[0] = whet_fs_data_dir(&folders[0].path, "tasks", &err[0]);
    folders[1].name = "skills";
    st[1] = whet_fs_data_dir(&folders[1].path, "skills", &err[1]);
    folders[2].name = "cache";
    st[2] = whet_fs_cache_dir(&folders[2].path, &err[2]);
    folders[3].name = "state";
    st[3] = whet_fs_state_dir(&folders[3].path, &err[3]);
    for (unsigned i = 0; i < WHET_DOCTOR_FOLDER_COUNT; i++) {
        char what[160];

        if (st[i] == WHET_OK && (i < 2 || access(folders[i].path, W_OK) == 0))
            continue;
        if (st[i] == WHET_OK)
            whet_err_set(&err[i], WHET_EFAIL, "%s: not writable",
                         folders[i].path);
        (void)whet_strcopy(folders[i].reason, sizeof folders[i].reason,
                           err[i].msg);
        snprintf(what, sizeof what, "folder of %s", folders[i].name);
        whet_cli__doctor_note(doctor, what, effects[i], err[i].msg);
    }
}

void whet_cli__doctor_look(whet_doctor *doctor)
{
    memset(doctor, 0, sizeof *doctor);
    look_at_machine(doctor);
    look_at_devices(doctor);
    look_at_toolchains(doctor);
    whet_cli__doctor_look_at_tools(doctor);
    look_at_sandbox(doctor);
    look_at_compiler(doctor);
    look_at_folders(doctor);
}

void whet_cli__doctor_deinit(whet_doctor *doctor)
{
    for (unsigned i = 0; i < WHET_DOCTOR_FOLDER_COUNT; i++)
        free(doctor->folders[i].path);
    for (unsigned i = 0; i < doctor->tool_count; i++)
        free(doctor->tools[i].path);
    free(doctor->compiler);
    memset(doctor, 0, sizeof *doctor);
}
