#ifndef WHET_JUDGE_PROJECTION_H
#define WHET_JUDGE_PROJECTION_H

/* Private to the judge: checking a large matrix product without computing it.
 *
 * C = A B is compared with A (B r) for secret vectors r (R. Freivalds,
 * "Probabilistic machines can use less running time", IFIP 1977), which costs
 * O(n^2), and some whole rows are recomputed in double. Two kinds of call:
 *
 * - ordinary inputs: strips of columns, random signs as r. What a strip may be
 *   off by follows from its elements' own bounds, added as independent errors,
 *   so a kernel that passes element by element passes here; an error within
 *   one strip may hide below that sum.
 * - exact inputs: A and B are small integers, so every partial sum is an
 *   integer below 2^24 and f32 computes it exactly in any order. r are 64-bit
 *   words, the sums are taken modulo 2^64, and any single wrong element shows
 *   but for a chance of 2^-40. */

#include "judge/verifier.h"

/** Which tensors are A, B and C, and the sizes. */
typedef struct whet_product {
    unsigned a, b, c;
    uint64_t m, n, k;
} whet_product;

/**
 * Is this workload of a task a plain matrix product: op "gemm" and class dot,
 * two f32, f16 or bf16 inputs of shapes [M, K] and [K, N], one output [M, N],
 * and no scalars?
 */
bool whet_judge__product(whet_product *out, const whet_task *task,
                         const whet_workload *workload);

/** Is it too dear to recompute in every call: over 2^33 operations, or, while
 *  screening (`is_brief`), 2^26? */
bool whet_judge__product_is_dear(const whet_product *product, bool is_brief);

/** Does a call of this key have exact inputs? One in four; never where K is so
 *  large (over 2^17) or a tensor so narrow that sums would not be exact. */
bool whet_judge__product_is_exact(const whet_product *product,
                                  const whet_task *task, const whet_key *key);

/**
 * Elements [first, first + count) of an f32 input of an exact call: integers
 * of [-8, 7] by key, tensor and place alone, since elements drawn as usual may
 * be zero all along a row. Any range gives the same values as the whole.
 */
void whet_judge__draw_exact(float *dst, const whet_key *key, unsigned tensor,
                            uint64_t first, uint64_t count);

/** A check of one output against the inputs. */
typedef struct whet_projection_args {
    const whet_product *product;
    const whet_task *task;
    const whet_reference *reference;
    const whet_reference_args
        *inputs; /**< As of whet_reference_row: widened. */
    const whet_key *key;
    bool is_exact;
    bool is_brief;        /**< Fewer rows are recomputed. */
    double factor, floor; /**< Of the output's bound. */
    uint32_t arm_count;
    const void *got[WHET_ARM_COUNT]; /**< Sealed outputs; NULL = not asked. */
} whet_projection_args;

/**
 * Check the outputs of one or both arms; both share B r and A (B r).
 *
 * @param tally  one per arm, added to: bad elements of the rows that failed
 *               and of the sampled ones; `worst` from the sampled rows
 * @return WHET_EINVAL if the task's reference is no product after all (a
 *         sampled row of it contradicts A (B r)); WHET_ENOMEM
 */
whet_status whet_judge__project(whet_tally tally[WHET_ARM_COUNT],
                                const whet_projection_args *args,
                                whet_err *err);

#endif /* WHET_JUDGE_PROJECTION_H */
