#ifndef CARD_KIT_H
#define CARD_KIT_H

/* A machine without cards that tests fill: a folder that stands for /sys, an
 * empty one for tools, one for locks, and no library. */

#include "base/base.h"

typedef struct card_kit {
    char *dir;
    char *sysfs, *tools, *locks; /* below it */
} card_kit;

/** Group set-up and tear-down; *state is a card_kit. Sets the environment so
 *  that nothing of the machine is seen. */
int card_kit_open(void **state);
int card_kit_close(void **state);

/** Write a file below the folder, making what leads to it. */
void card_kit_write(const card_kit *kit, const char *name, const char *text);

/** A card with all its files: `at` = "card0", PCI address, vendor "0x1d94". */
void card_kit_card(const card_kit *kit, const char *at, const char *pci,
                   const char *vendor);

/** A program in the folder of tools. */
void card_kit_tool(const card_kit *kit, const char *name, const char *script);

/** Path of a fake library of the build ("fake_nvml"); caller frees. */
char *card_kit_library(const char *name);

/** Let the fake library, under a name that says what it does wrong ("" =
 *  nothing, ".crash"), stand for NVML. */
void card_kit_nvml(const card_kit *kit, const char *mode);

#endif /* CARD_KIT_H */
