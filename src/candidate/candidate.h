#ifndef WHET_CANDIDATE_H
#define WHET_CANDIDATE_H

/* Candidates: one source file whose front comment holds the launch plan as
 * YAML. A plan is data: parsing, validating and binding it never runs any of
 * it. All text here is hostile.
 *
 *   whet:
 *     launches:                     # 1 to WHET_LAUNCH_MAX, run in order
 *       - kernel: name
 *         grid: [rows, 1, 1]        # work-groups, 1 to 3 expressions
 *         block: [BLOCK, 1, 1]      # work-items per group
 *         shared: "4 * BLOCK"       # dynamic shared bytes, optional
 *         args: [x, w, y, rows, {i64: "2 * cols"}, shared]
 *     tunables: {BLOCK: [64, 128]}  # the first value is the default
 *     let: {N4: "ceil_div(cols, 4)"}  # named expressions, no cycles
 *     constraints: ["cols % VEC == 0"]
 *     workspace: {partial: {dtype: f32, shape: ["N4"]}}
 *
 * An argument names a tensor, workspace, dim, scalar, tunable or let, is the
 * word `shared` (an OpenCL __local pointer of the launch's shared bytes), or
 * an expression; {i32: ..} and {i64: ..} force the width of an integer, which
 * otherwise is 64 bits if a dim written i64 occurs in it (also by a let), else
 * 32. `shared` as an argument exists where local memory can be one: not in
 * CUDA, HIP and Triton. Expressions may read dims, i32 scalars, tunables, lets
 * and the device facts wave_size, lds_bytes and cu_count. All names share one
 * space; tunables, lets and workspaces must not start with __, WHET_ or whet_.
 *
 * The plan is the first thing in the file: a comment that starts with "whet:",
 * either C's long one or consecutive lines of "//" ("#" in Triton), which any
 * other line ends. Non-ASCII characters are allowed in comments only. */

#include "base/base.h"
#include "task/task.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHET_LAUNCH_MAX = 8,
    WHET_ARG_MAX = 24,
    WHET_TUNABLE_MAX = 16,
    WHET_DOMAIN_MAX = 32,
    WHET_LET_MAX = 24,
    WHET_CONSTRAINT_MAX = 24,
    WHET_WORKSPACE_MAX = 6,
    WHET_BUFFER_MAX = WHET_TENSOR_MAX + WHET_WORKSPACE_MAX,
    WHET_SOURCE_BYTES_MAX = 1 << 20
};

/** Device facts that a plan may read and must respect. 0 = unknown: a plan
 *  that reads an unknown fact is refused, an unknown limit is not checked. */
typedef struct whet_limits {
    uint32_t wave_size;
    uint32_t cu_count;
    uint64_t lds_bytes;       /**< Per work-group. */
    uint64_t group_items_max; /**< Work-items per group. */
    uint64_t block_max[3];    /**< Per dimension. */
    uint64_t grid_max[3];     /**< Work-groups per dimension. */
    uint64_t memory_bytes;    /**< For tensors and workspace together. */
} whet_limits;

/** A named constant with a finite domain. */
typedef struct whet_tunable {
    char name[WHET_NAME_BYTES];
    int64_t domain[WHET_DOMAIN_MAX];
    unsigned domain_count;
} whet_tunable;

/** A parsed candidate. Read-only after parsing. Opaque beyond these fields. */
typedef struct whet_candidate {
    char language[WHET_NAME_BYTES]; /**< "opencl", "portable", "cuda", ... */
    char *source;                   /**< Whole file, NUL-terminated. */
    size_t source_bytes;
    whet_tunable tunables[WHET_TUNABLE_MAX];
    unsigned tunable_count;
    struct whet_plan *plan; /**< Private. */
} whet_candidate;

/** One value for each tunable, in the candidate's order. */
typedef struct whet_point {
    int64_t value[WHET_TUNABLE_MAX];
} whet_point;

/**
 * Parse and validate a candidate against a task: every name must resolve, and
 * every output must be an argument of some launch.
 *
 * @param where     file name for messages
 * @param language  toolchain's word; NULL = by the ending of `where` (.cl
 *                  opencl, .wk portable, .cu cuda, .hip hip, .py triton)
 * @return WHET_EINVAL as "FILE:LINE:COLUMN: ..." (empty or binary file, no
 *         plan, unknown key, unbound name, cyclic let, too many of anything)
 */
whet_status whet_candidate_parse(whet_candidate **out, const char *text,
                                 size_t bytes, const char *where,
                                 const char *language, const whet_task *task,
                                 whet_err *err);

/** Read a file (at most WHET_SOURCE_BYTES_MAX) and parse it. */
whet_status whet_candidate_load(whet_candidate **out, const char *path,
                                const whet_task *task, whet_err *err);

/** Free a candidate. NULL is fine. */
void whet_candidate_free(whet_candidate *candidate);

/** Content hash of a candidate at a point: source bytes, language and every
 *  tunable's value. The build adds toolchain, options and architecture. */
whet_hash whet_candidate_hash(const whet_candidate *candidate,
                              const whet_point *point);

/** First value of every domain. Constraints may exclude it. */
whet_point whet_candidate_default_point(const whet_candidate *candidate);

/** Text "BLOCK=64 VEC=4" ("-" without tunables). */
void whet_point_format(char *text, size_t text_bytes,
                       const whet_candidate *candidate,
                       const whet_point *point);

/** Parse "BLOCK=64,VEC=4" over the default point; values must be in their
 *  domains. */
whet_status whet_point_parse(whet_point *out, const whet_candidate *candidate,
                             const char *text, whet_err *err);

/** Number of points of the whole product of domains (saturating). */
uint64_t whet_candidate_point_count(const whet_candidate *candidate);

/** Point number `index` in mixed-radix order (last tunable fastest). */
whet_point whet_candidate_point_at(const whet_candidate *candidate,
                                   uint64_t index);

/* --- bound plans: plain numbers, safe to send to a worker ---------------- */

typedef enum whet_arg_kind {
    WHET_ARG_BUFFER = 0,
    WHET_ARG_I32,
    WHET_ARG_I64,
    WHET_ARG_F32,
    WHET_ARG_F64,
    WHET_ARG_SHARED /**< OpenCL local memory of `value` bytes. */
} whet_arg_kind;

typedef struct whet_bound_arg {
    uint32_t kind;   /**< whet_arg_kind. */
    uint32_t buffer; /**< Index into buffers, for WHET_ARG_BUFFER. */
    int64_t value;   /**< Integers, and bytes of shared memory. */
    double real;     /**< F32 (exactly representable) and F64. */
} whet_bound_arg;

typedef struct whet_bound_launch {
    char kernel[WHET_NAME_BYTES];
    uint64_t grid[3];
    uint64_t block[3];
    uint64_t shared_bytes;
    uint32_t arg_count;
    uint32_t pad;
    whet_bound_arg args[WHET_ARG_MAX];
} whet_bound_launch;

typedef struct whet_bound_buffer {
    uint64_t bytes;
    uint32_t kind;  /**< 0 input, 1 output, 2 workspace. */
    uint32_t dtype; /**< whet_dtype. */
} whet_bound_buffer;

enum { WHET_BUFFER_IN = 0, WHET_BUFFER_OUT = 1, WHET_BUFFER_WORKSPACE = 2 };

/** A plan with every expression evaluated. Plain data, no pointers.
 *  Buffers [0, tensor_count) are the task's tensors in order, then the
 *  workspaces. */
typedef struct whet_bound_plan {
    uint32_t launch_count;
    uint32_t buffer_count;
    uint32_t tensor_count;
    uint32_t pad;
    whet_bound_buffer buffers[WHET_BUFFER_MAX];
    whet_bound_launch launches[WHET_LAUNCH_MAX];
} whet_bound_plan;

/**
 * Does a candidate exclude a workload by a constraint of its own?
 *
 * @return true only if its constraints can be computed and one is false: a plan
 *         that fails in another way has not declared anything
 */
bool whet_candidate_excludes(const whet_candidate *candidate,
                             const whet_point *point, const whet_task *task,
                             const whet_workload *workload,
                             const whet_limits *limits);

/**
 * Bind a candidate at a point to a workload on a device.
 *
 * @return WHET_EINVAL: an expression fails (overflow, division by zero), a
 *         size below 1, or a constraint is false ("constraint ... is false");
 *         WHET_EUNSUPPORTED: more than the device has, naming the limit, what
 *         was asked and what there is
 */
whet_status whet_candidate_bind(whet_bound_plan *out,
                                const whet_candidate *candidate,
                                const whet_point *point, const whet_task *task,
                                const whet_workload *workload,
                                const whet_limits *limits, whet_err *err);

/** Check a bound plan that came over a wire: counts, indices, kinds, names.
 *  WHET_EINVAL if any is out of range. */
whet_status whet_bound_plan_check(const whet_bound_plan *plan, whet_err *err);

/**
 * Append the tunables as compiler macros, "-DNAME=VALUE", one per item.
 *
 * @param out  array of WHET_TUNABLE_MAX texts of WHET_NAME_BYTES + 32 bytes
 * @return how many were written
 */
unsigned
whet_candidate_defines(char out[WHET_TUNABLE_MAX][WHET_NAME_BYTES + 32],
                       const whet_candidate *candidate,
                       const whet_point *point);

#ifdef __cplusplus
}
#endif

#endif /* WHET_CANDIDATE_H */
