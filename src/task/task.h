#ifndef WHET_TASK_H
#define WHET_TASK_H

/* What must be computed: task files, dims and shapes, tensors, workloads,
 * input generators, the double-precision reference, and the numeric policy.
 *
 * A task is a folder with task.yaml, reference.c and baselines. Task authors
 * are trusted (reference.c is compiled and run); task.yaml is parsed as
 * carefully as any other outside file. See docs/write-a-task.md. */

#include "base/base.h"
#include "task/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_DIM_MAX = 12,
    WHET_TENSOR_MAX = 12,
    WHET_SCALAR_MAX = 8,
    WHET_RANK_MAX = 6,
    WHET_WORKLOAD_MAX = 32,
    WHET_BASELINE_MAX = 8
};

/** Element types. i8, u8 and the FP8 kinds will be appended. */
typedef enum whet_dtype {
    WHET_DTYPE_F64 = 0,
    WHET_DTYPE_F32,
    WHET_DTYPE_F16,
    WHET_DTYPE_BF16,
    WHET_DTYPE_I32,
    WHET_DTYPE_COUNT
} whet_dtype;

/** Bytes of one element. */
size_t whet_dtype_bytes(whet_dtype dtype);
/** "f32" and so on. */
const char *whet_dtype_name(whet_dtype dtype);
/** Parse a dtype name; WHET_EINVAL with "did you mean". */
whet_status whet_dtype_parse(whet_dtype *out, const char *text, whet_err *err);
/** Exact conversions of one stored element to double. */
double whet_dtype_load(whet_dtype dtype, const void *element);

typedef enum whet_role { WHET_ROLE_IN = 0, WHET_ROLE_OUT = 1 } whet_role;

/** How inputs are drawn; every one is integer arithmetic plus exact
 *  conversions, so that each device fills bit-equal data. */
typedef enum whet_dist {
    WHET_DIST_NORMAL = 0, /**< Sum of three 21-bit integers, centred and scaled
                               by 2^-20: mean 0, deviation 1, within +-3. */
    WHET_DIST_UNIFORM,    /**< 24-bit integer * 2^-24, in [0, 1). */
    WHET_DIST_POSITIVE,   /**< (base + 23-bit integer + 1) * 2^-24, in (0, 1];
                               the 23-bit base is one per row and key. */
    WHET_DIST_HEAVY,      /**< Random sign and mantissa, exponent popcount of
                               64 bits - 32: log-normal-like tails. */
    WHET_DIST_MIXED,      /**< By row and key: mostly normal, some rows heavy,
                               some scaled by 2^+-10, some nearly constant,
                               some of small integers, some zero but for 64
                               elements; see docs/judging.md. */
    WHET_DIST_INTEGER,    /**< Integers in [-8, 8] (i32: same). */
    WHET_DIST_EXACT       /**< Odd integers times a power of two, one per row
                               and key, so small that every partial sum of a
                               row is exact in f32. f32 only. */
} whet_dist;

/** Secret of one call: 128 bits from which all its data follow. */
typedef struct whet_key {
    uint32_t word[4];
} whet_key;

/** A named size. Reaches kernels as int, or as long if `is_i64`. */
typedef struct whet_dim {
    char name[WHET_NAME_BYTES];
    bool is_i64;
} whet_dim;

typedef struct whet_tensor {
    char name[WHET_NAME_BYTES];
    whet_role role;
    whet_dtype dtype;
    unsigned rank; /**< 1 to WHET_RANK_MAX. Row-major, contiguous. */
    whet_expr *shape[WHET_RANK_MAX];
    whet_dist dist; /**< Inputs only. */
    int scale_log2; /**< Inputs are multiplied by 2^scale_log2; -20 to 20. */
} whet_tensor;

/** A number handed to kernels by value, the same in every call. */
typedef struct whet_scalar {
    char name[WHET_NAME_BYTES];
    whet_dtype dtype; /**< f32, f64 or i32. */
    double value;
} whet_scalar;

/** One binding of all dims. */
typedef struct whet_workload {
    char name[WHET_NAME_BYTES];
    int64_t dim[WHET_DIM_MAX]; /**< In the order of the task's dims. */
} whet_workload;

/** Hidden edge shapes of one dim lie in [min, max]. */
typedef struct whet_edge {
    int64_t min, max;
} whet_edge;

/** Which arithmetic is allowed. */
typedef enum whet_policy {
    WHET_POLICY_EXACT = 0, /**< Bits must be equal. */
    WHET_POLICY_F64,
    WHET_POLICY_F32,
    WHET_POLICY_TF32,
    WHET_POLICY_BF16,
    WHET_POLICY_F16,
    WHET_POLICY_F8 /**< Operands of 4 significant bits, as e4m3 has. */
} whet_policy;

/** Shape of the error bound: coefficient(class, length, policy) * scale, where
 *  `scale` comes from the reference for each element. */
typedef enum whet_op_class {
    WHET_CLASS_COPY = 0, /**< No arithmetic. */
    WHET_CLASS_MAP,      /**< A few roundings per element. */
    WHET_CLASS_DOT,      /**< Inner products of `length` terms. */
    WHET_CLASS_SUM,      /**< Sums of `length` terms. */
    WHET_CLASS_NORM,     /**< Elements divided by a root mean square. */
    WHET_CLASS_EXP       /**< exp-based with a sum of `length` terms. */
} whet_op_class;

typedef struct whet_numerics {
    whet_policy policy;
    whet_op_class op_class;
    whet_expr *length; /**< Terms per output; NULL = 1. */
} whet_numerics;

/** One baseline kernel file. */
typedef struct whet_baseline {
    char language[WHET_NAME_BYTES]; /**< "opencl", "cuda", "hip", "triton". */
    char *path;                     /**< Absolute or relative to the cwd. */
} whet_baseline;

/** A loaded task. Read-only after loading; share freely between threads. */
typedef struct whet_task {
    char name[WHET_NAME_BYTES];
    char *dir;
    char *summary;
    char op[WHET_NAME_BYTES]; /**< What skills match on: "gemm", "rmsnorm". */
    whet_dim dims[WHET_DIM_MAX];
    unsigned dim_count;
    whet_tensor tensors[WHET_TENSOR_MAX];
    unsigned tensor_count;
    whet_scalar scalars[WHET_SCALAR_MAX];
    unsigned scalar_count;
    whet_workload workloads[WHET_WORKLOAD_MAX]; /**< Public; [0] is primary. */
    unsigned workload_count;
    whet_edge edges[WHET_DIM_MAX];
    whet_expr *edge_where; /**< Hidden shapes must satisfy it; NULL = any. */
    whet_expr *ops;        /**< Operations of one call (multiply-add = 2). */
    whet_expr *bytes;      /**< Compulsory traffic; NULL = each tensor once. */
    whet_numerics numerics;
    whet_baseline baselines[WHET_BASELINE_MAX];
    unsigned baseline_count;
    whet_hash hash; /**< Over task.yaml and reference.c. */
} whet_task;

/**
 * Load and validate the task in folder `dir` (or name of a shipped task, or a
 * path of a task.yaml). Nothing is compiled.
 *
 * @param out  caller frees with whet_task_free; NULL on failure
 * @return WHET_EINVAL as "FILE:LINE:COLUMN: ...", WHET_ENOTFOUND
 */
whet_status whet_task_load(whet_task **out, const char *dir, whet_err *err);

/** Free a task. NULL is fine. */
void whet_task_free(whet_task *task);

/** Public workload by name or by number ("0"), or built from "M=64,N=3,K=5".
 *  @return WHET_EINVAL naming the workloads there are */
whet_status whet_task_workload(whet_workload *out, const whet_task *task,
                               const char *text, whet_err *err);

/** Text "M=1024 N=1024 K=1024". */
void whet_workload_format(char *text, size_t text_bytes, const whet_task *task,
                          const whet_workload *workload);

/**
 * Hidden edge workload number `index` of `key`: index 0 has every dim at its
 * least; others mix 1, primes, powers of two plus or minus one, and odd
 * non-multiples within the edges, always within `edge_where`.
 */
whet_status whet_task_edge_workload(whet_workload *out, const whet_task *task,
                                    const whet_key *key, unsigned index,
                                    whet_err *err);

/** Sizes of one tensor under a workload. */
typedef struct whet_extent {
    int64_t shape[WHET_RANK_MAX];
    uint64_t element_count;
    uint64_t bytes;
    uint64_t row_elements; /**< Last dimension; a "row" of the reference. */
    uint64_t row_count;
} whet_extent;

/**
 * Evaluate a tensor's shape.
 *
 * @return WHET_EINVAL: a size below 1, or a product beyond 2^62 bytes
 */
whet_status whet_task_extent(whet_extent *out, const whet_task *task,
                             const whet_workload *workload, unsigned tensor,
                             whet_err *err);

/** Operations and compulsory bytes of one call. */
whet_status whet_task_cost(uint64_t *ops_out, uint64_t *bytes_out,
                           const whet_task *task, const whet_workload *workload,
                           whet_err *err);

/**
 * Write elements [first, first + count) of input `tensor` for a key. Any range
 * gives the same bytes as the whole; thread-safe; cannot fail. Which rows of
 * the first input of a product are probes depends on the task's numerics, see
 * docs/judging.md.
 *
 * @param dst  count elements of the tensor's dtype
 * @param row_elements  of the tensor's extent
 */
void whet_task_fill(void *dst, const whet_task *task, unsigned tensor,
                    uint64_t row_elements, const whet_key *key, uint64_t first,
                    uint64_t count);

/** The compiled reference of a task. Thread-safe. */
typedef struct whet_reference whet_reference;

/**
 * Open the reference: the object shipped with the task if it fits its hash
 * and this CPU, else reference.c compiled once by `cc` ($CC, else cc, gcc,
 * clang) into the cache folder under a name made of all that decides it.
 *
 * @return WHET_EUNSUPPORTED if there is neither object nor compiler (with the
 *         remedy), WHET_EINVAL if it does not compile or lacks a function
 */
whet_status whet_reference_open(whet_reference **out, const whet_task *task,
                                whet_err *err);

/** Close it. NULL is fine. */
void whet_reference_close(whet_reference *reference);

/**
 * Compile the reference of a task for shipping, for any CPU of this
 * architecture that whet_reference_open accepts (x86-64 with AVX2).
 *
 * @param object_path  NULL = beside the task, where whet_reference_open looks
 * @return statuses of whet_reference_open; WHET_EUNSUPPORTED also if tasks
 *         ship no objects for this architecture and `object_path` is NULL
 */
whet_status whet_reference_compile(const whet_task *task,
                                   const char *object_path, whet_err *err);

/** Everything a reference call reads. f16 and bf16 inputs must be expanded to
 *  f32 first (exact); f32, f64 and i32 are passed as they are. */
typedef struct whet_reference_args {
    const void *tensor[WHET_TENSOR_MAX]; /**< Inputs; outputs are NULL. */
    const whet_workload *workload;
} whet_reference_args;

/**
 * Compute one row (see whet_extent) of output `tensor` in double precision.
 *
 * @param value  row_elements exact-as-double-can results
 * @param scale  row_elements magnitudes that the error bound is relative to
 *               (sum |x| for sums, |y| for maps, for products the scale of
 *               docs/judging.md, ...)
 */
void whet_reference_row(double *value, double *scale,
                        const whet_reference *reference, unsigned tensor,
                        const whet_reference_args *args, uint64_t row);

/**
 * Error bound factor: an element passes if !(|got - value| > factor * scale +
 * whet_numerics_floor()). Working bounds of docs/judging.md with lambda = 6
 * and L = 4096, u = 2^-24 for f32.
 *
 * @return WHET_EINVAL: a length below 1, or beyond a row of exact data
 */
whet_status whet_numerics_factor(double *factor_out, const whet_task *task,
                                 const whet_workload *workload,
                                 whet_dtype out_dtype, whet_err *err);

/** Absolute slack for results that an honest kernel may flush to zero: the
 *  smallest normal number of the dtype; 0 for exact and copy policies. */
double whet_numerics_floor(const whet_numerics *numerics, whet_dtype dtype);

/**
 * Why a process that ran a reference is dead; call it when it should not be.
 *
 * @param status  as waitpid gave it
 * @return WHET_EFAIL if it was killed (memory), else WHET_EINVAL: the
 *         reference crashed or ended its process
 */
whet_status whet_reference_death(int status, whet_err *err);

/** One admission test of a task (see whet_task_check). */
typedef struct whet_admission {
    char name[WHET_NAME_BYTES]; /**< "no-op", "zero", "operand A replaced". */
    bool is_told_apart;         /**< The fake was refused, as it must be; of
                                     the row "honest ...": it passed, far from
                                     the fakes. */
    double worst_error;         /**< In units of the bound; inf for NaN. */
} whet_admission;

enum { WHET_ADMISSION_MAX = 48 };

/**
 * Admission tests: kernels that do nothing, write zeros or a constant, copy
 * an input, or ignore or replace each operand must all be told apart from the
 * reference by the task's numerics, on its smallest public workload and on
 * edge shapes; so must operands rounded to the next format that the policy
 * forbids (dot, norm, exp, exact sums; the last on edge shapes alone) and an
 * exact sum that leaves one element out. A serial f32 product must pass, its
 * error a tenth of that of rounded operands at most.
 *
 * @param results  WHET_ADMISSION_MAX rows; `*count_out` filled
 * @return WHET_EINVAL if the task is unusable (reference not finite, a
 *         workload too large, hidden shapes impossible)
 */
whet_status whet_task_check(whet_admission *results, unsigned *count_out,
                            const whet_task *task, whet_err *err);

#ifdef __cplusplus
}
#endif

#endif /* WHET_TASK_H */
