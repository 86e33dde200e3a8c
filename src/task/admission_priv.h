#ifndef WHET_TASK_ADMISSION_PRIV_H
#define WHET_TASK_ADMISSION_PRIV_H

/* Between admission.c (which fakes, what they prove) and sample.c (data of one
 * workload, the reference's answer, and playing a fake against it). */

#include "task/task_priv.h"

/** Inputs, reference values and bounds of one workload. */
struct whet_sample;

/** How a fake kernel makes its output. */
enum whet_fake_kind {
    WHET_FAKE_NOTHING,  /**< Output keeps its poison. */
    WHET_FAKE_ZERO,     /**< Output is zero. */
    WHET_FAKE_CONSTANT, /**< Output is its mean over other inputs. */
    WHET_FAKE_COPY,     /**< Output is input `in`, element by element. */
    WHET_FAKE_IN_MEAN,  /**< Output is the mean of input `in` everywhere. */
    WHET_FAKE_REDRAWN,  /**< All outputs right, for another draw of `in`. */
    WHET_FAKE_ZEROED,   /**< All outputs right, for `in` all zero. */
    WHET_FAKE_ONES,     /**< All outputs right, for `in` all one. */
    WHET_FAKE_ROUNDED,  /**< ... for `in` rounded to `bits` bits. */
    WHET_FAKE_SKIPPED,  /**< ... for `in` with one element taken as zero. */
    WHET_FAKE_SCALAR    /**< All outputs right, for scalar `in` doubled. */
};

/** One fake. `out` matters for those that make one output, `bits` (significant
 *  ones, 2 to 24) for those that round. */
struct whet_fake {
    enum whet_fake_kind kind;
    unsigned out;
    unsigned in;
    unsigned bits;
};

/**
 * Fill the inputs of a workload and compute the reference.
 *
 * @param reference  borrowed as long as the sample lives
 * @return WHET_EINVAL if a value of the reference is not finite, or beyond the
 *         output's dtype
 */
whet_status whet_task__sample_new(struct whet_sample **out,
                                  const whet_task *task,
                                  const whet_reference *reference,
                                  const whet_workload *workload,
                                  const whet_key *key, whet_err *err);

/** Free a sample. NULL is fine. */
void whet_task__sample_free(struct whet_sample *sample);

/** Has the fake's input as many elements as its output? */
bool whet_task__sample_can_copy(const struct whet_sample *sample,
                                const struct whet_fake *fake);

/**
 * Worst error of a fake, in units of the bound: above 1 it is refused.
 * A copy between tensors of different sizes counts as refused.
 */
whet_status whet_task__sample_play(double *worst_out,
                                   const struct whet_sample *sample,
                                   const struct whet_fake *fake, whet_err *err);

/** Are the inputs f32 matrices whose product, by its sizes, is the output? */
bool whet_task__sample_is_product(const struct whet_sample *sample);

/**
 * Worst error of their product in f32, each element summed term by term, in
 * units of the bound: what an honest kernel may come to. The sample must be a
 * product.
 */
whet_status whet_task__sample_play_serial(double *worst_out,
                                          const struct whet_sample *sample,
                                          whet_err *err);

/** whet_reference_row with scalar number `scalar` replaced by `value`. */
void whet_task__reference_row_scalar(double *value_out, double *scale_out,
                                     const whet_reference *reference,
                                     unsigned tensor,
                                     const whet_reference_args *args,
                                     uint64_t row, unsigned scalar,
                                     double value);

#endif /* WHET_TASK_ADMISSION_PRIV_H */
