#ifndef WHET_CLI_DOCTOR_PRIV_H
#define WHET_CLI_DOCTOR_PRIV_H

/* What `whet doctor` found: doctor.c looks, cmd_doctor.c shows. */

#include "cli/cli.h"

#include "device/device.h"
#include "toolchain/toolchain.h"

enum {
    WHET_DOCTOR_ROW_MAX = 64,
    WHET_DOCTOR_NOTE_MAX = 64,
    WHET_DOCTOR_TOOL_MAX = 32
};

/** One device, or one back-end that has none. */
typedef struct whet_doctor_device {
    const whet_device_ops *ops;
    bool is_absent; /**< The back-end cannot work; `reason` says why. */
    bool has_facts; /**< Else it has to be named, as a recording. */
    whet_device_facts facts;
    bool has_calibration;
    whet_calibration calibration;
    uint64_t calibration_age_ns;
    char reason[WHET_ERR_MSG_BYTES];
} whet_doctor_device;

typedef struct whet_doctor_toolchain {
    const whet_toolchain_ops *ops;
    bool is_absent;
    char identity[256];
    char reason[WHET_ERR_MSG_BYTES];
} whet_doctor_toolchain;

/** A folder of ours; NULL path = `reason` says why there is none. */
typedef struct whet_doctor_folder {
    const char *name;
    char *path;
    char reason[WHET_ERR_MSG_BYTES];
} whet_doctor_folder;

/** An outside program that Whet makes use of. */
typedef struct whet_doctor_tool {
    const char *kind; /**< "profiler", "sanitizer", "disassembler". */
    const char *name;
    const char *backend; /**< Whose devices it serves. */
    char *path;          /**< NULL = not found. */
    char version[128];   /**< A line of its own words, escaped; "" unknown. */
} whet_doctor_tool;

/** Something missing or weak. */
typedef struct whet_doctor_note {
    char what[160];                  /**< "device opencl" */
    char reason[WHET_ERR_MSG_BYTES]; /**< Why, and the remedy. */
    const char *effect;              /**< What it costs the user. */
} whet_doctor_note;

enum { WHET_DOCTOR_FOLDER_COUNT = 4 };

typedef struct whet_doctor {
    char system[160]; /**< "Linux 6.1.0 x86_64" */
    unsigned cpu_count;
    uint64_t memory_bytes;
    double load; /**< Of the last minute; negative = unknown. */
    whet_doctor_device devices[WHET_DOCTOR_ROW_MAX];
    unsigned device_count;
    whet_doctor_toolchain toolchains[WHET_DOCTOR_ROW_MAX];
    unsigned toolchain_count;
    whet_doctor_tool tools[WHET_DOCTOR_TOOL_MAX];
    unsigned tool_count;
    whet_sandbox_facts sandbox;
    char *compiler; /**< For references; NULL = none. */
    whet_doctor_folder folders[WHET_DOCTOR_FOLDER_COUNT];
    whet_doctor_note notes[WHET_DOCTOR_NOTE_MAX];
    unsigned note_count;
} whet_doctor;

/** Look at everything. Cannot fail: what is missing becomes a note. Starts
 *  short-lived children. Released by whet_cli__doctor_deinit. */
void whet_cli__doctor_look(whet_doctor *doctor);

/** Add a note; the texts are copied but for `effect`, which is static. */
void whet_cli__doctor_note(whet_doctor *doctor, const char *what,
                           const char *effect, const char *reason);

/** Look for outside tools; devices must have been looked at. */
void whet_cli__doctor_look_at_tools(whet_doctor *doctor);

/** Release what it owns. */
void whet_cli__doctor_deinit(whet_doctor *doctor);

#endif /* WHET_CLI_DOCTOR_PRIV_H */
