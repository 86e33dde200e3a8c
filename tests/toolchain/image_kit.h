#ifndef WHET_TESTS_IMAGE_KIT_H
#define WHET_TESTS_IMAGE_KIT_H

/* Images for the tests of their readers: real ones from tests/data/images, and
 * code objects made around a given metadata document. */

#include "toolchain/image_priv.h"

/** Read a file of tests/data/images; the caller frees. */
void image_kit_read(whet_buf *out, const char *name);

/** A code object whose only note holds these bytes; the caller frees. */
void image_kit_wrap(whet_buf *out, const void *metadata, size_t bytes);

/** Read resources out of bytes (borrowed; the image is not to be freed). */
whet_status image_kit_resources(whet_image *image, const whet_buf *data,
                                whet_err *err);

/** Expect a refusal whose message holds a word and that leaves the image
 *  without kernels. */
void image_kit_expect_refused(const whet_buf *data, whet_status status,
                              const char *word);

/** Facts of a kernel that must be there. */
const whet_kernel_facts *image_kit_kernel(const whet_image *image,
                                          const char *name);

#endif /* WHET_TESTS_IMAGE_KIT_H */
