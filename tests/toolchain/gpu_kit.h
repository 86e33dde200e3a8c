#ifndef WHET_TEST_GPU_KIT_H
#define WHET_TEST_GPU_KIT_H

/* What the tests of GPU toolchains share: each builds the same kinds of source
 * with a real compiler, in the sandbox, and is skipped with the reason where
 * compiler or sandbox is missing. */

#include "toolchain/compilers_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GPU_KIT_SKIPPED = 77 };

/** A real toolchain, and for whom to compile. */
typedef struct gpu_kit {
    whet_sandbox_facts sandbox;
    const whet_toolchain_ops *ops;
    const char *language, *arch, *other_arch;
    char identity[256];
} gpu_kit;

/**
 * Set up, or say why not.
 *
 * @return 0, or GPU_KIT_SKIPPED after a line "skipped: ..."
 */
int gpu_kit_setup(gpu_kit *kit, const char *toolchain, const char *language,
                  const char *arch, const char *other_arch);

/** A request for the kit's architecture; no defines, strict options. */
whet_build_request gpu_kit_request(const gpu_kit *kit, const char *source);

/** Build, expecting an image; the caller releases it. */
void gpu_kit_build(whet_image *image, const gpu_kit *kit,
                   const whet_build_request *request);

/** Build, expecting a refusal of that kind on that line whose text holds
 *  `word`. */
void gpu_kit_refuse(const gpu_kit *kit, const whet_build_request *request,
                    whet_diagnostic_kind kind, uint32_t line, const char *word);

/* Cases that hold for every GPU toolchain; *state is the kit. */
void gpu_kit_case_builds(void **state);
void gpu_kit_case_portable(void **state);
void gpu_kit_case_defines(void **state);
void gpu_kit_case_archs_differ(void **state);
void gpu_kit_case_fast_differs(void **state);
void gpu_kit_case_refuses_error(void **state);
void gpu_kit_case_refuses_unknown_arch(void **state);
void gpu_kit_case_refuses_no_kernel(void **state);
void gpu_kit_case_refuses_odd_flags(void **state);
void gpu_kit_case_sees_no_host_file(void **state);
void gpu_kit_case_needs_a_sandbox(void **state);
void gpu_kit_case_deadline(void **state);
void gpu_kit_case_without_sandbox(void **state);
void gpu_kit_case_lists(void **state);

/** All of them, for a table of tests. */
#define GPU_KIT_CASES(kit)                                                     \
    cmocka_unit_test_prestate(gpu_kit_case_builds, kit),                       \
        cmocka_unit_test_prestate(gpu_kit_case_portable, kit),                 \
        cmocka_unit_test_prestate(gpu_kit_case_defines, kit),                  \
        cmocka_unit_test_prestate(gpu_kit_case_archs_differ, kit),             \
        cmocka_unit_test_prestate(gpu_kit_case_fast_differs, kit),             \
        cmocka_unit_test_prestate(gpu_kit_case_refuses_error, kit),            \
        cmocka_unit_test_prestate(gpu_kit_case_refuses_unknown_arch, kit),     \
        cmocka_unit_test_prestate(gpu_kit_case_refuses_no_kernel, kit),        \
        cmocka_unit_test_prestate(gpu_kit_case_refuses_odd_flags, kit),        \
        cmocka_unit_test_prestate(gpu_kit_case_sees_no_host_file, kit),        \
        cmocka_unit_test_prestate(gpu_kit_case_needs_a_sandbox, kit),          \
        cmocka_unit_test_prestate(gpu_kit_case_deadline, kit),                 \
        cmocka_unit_test_prestate(gpu_kit_case_lists, kit),                    \
        cmocka_unit_test_prestate(gpu_kit_case_without_sandbox, kit)

#endif /* WHET_TEST_GPU_KIT_H */
