#ifndef WHET_FAKE_HIP_KIT_H
#define WHET_FAKE_HIP_KIT_H

/* Copies of the fake HIP runtimes (fake_hip.c) under names that say what goes
 * wrong with them. */

#include <stdbool.h>

enum { FAKE_HIP_PATH_BYTES = 256 };

/** Copy a fake to FOLDER/NAME; the folder is made. Fails the test if it
 *  cannot. `path` is the copy's. */
void fake_hip_copy(char path[FAKE_HIP_PATH_BYTES], const char *folder,
                   const char *name, bool is_dtk);

/** A fresh copy "libgalaxyhip-MODE.so" or "libamdhip64-MODE.so" in a folder of
 *  this process; WHET_HIP_LIBRARY names it then. */
void fake_hip_use(const char *mode, bool is_dtk);

/** The same, with the library appended to WHET_HIP_LIBRARY. */
void fake_hip_add(const char *mode, bool is_dtk);

/** Teardown: removes the copies and the variables. */
int fake_hip_remove(void **state);

#endif /* WHET_FAKE_HIP_KIT_H */
