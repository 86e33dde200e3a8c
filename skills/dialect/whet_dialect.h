/*
 * The portable kernel dialect: one spelling of kernels, address spaces,
 * barriers, ids and vectors, so that a skill template is written once. The
 * toolchain puts this file in front of every candidate. It defines nothing
 * outside whet_ and WHET_, so a kernel that ignores it is left as it was.
 * Frozen: its bytes are part of what a measured number means.
 */
#ifndef WHET_DIALECT_H
#define WHET_DIALECT_H

#define WHET_CAT_(a, b) a##b
#define WHET_CAT(a, b) WHET_CAT_(a, b)

#if defined(__OPENCL_VERSION__)

#define WHET_KERNEL __kernel
#define WHET_GLOBAL __global
#define WHET_RESTRICT restrict
/* A work-group array; only in the outermost scope of a kernel. */
#define WHET_LOCAL(type, name, count) __local type name[count]
#define WHET_LOCAL_PTR __local
#define WHET_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define WHET_UNROLL _Pragma("unroll")

#define whet_group_id(d) get_group_id(d)
#define whet_local_id(d) get_local_id(d)
#define whet_local_size(d) get_local_size(d)
#define whet_global_id(d) get_global_id(d)
#define whet_num_groups(d) get_num_groups(d)

/* WHET_VEC(n): vector of n floats, n one of 1 2 4 8 16. */
#define whet_vec1 float
#define whet_vec2 float2
#define whet_vec4 float4
#define whet_vec8 float8
#define whet_vec16 float16
#define WHET_VEC(n) WHET_CAT(whet_vec, n)

/* Load from and store to global memory at any 4-byte aligned address. */
#define whet_load1(p) (*(p))
#define whet_load2(p) vload2(0, p)
#define whet_load4(p) vload4(0, p)
#define whet_load8(p) vload8(0, p)
#define whet_load16(p) vload16(0, p)
#define WHET_LOAD(n, p) WHET_CAT(whet_load, n)(p)
#define whet_store1(v, p) (*(p) = (v))
#define whet_store2(v, p) vstore2(v, 0, p)
#define whet_store4(v, p) vstore4(v, 0, p)
#define whet_store8(v, p) vstore8(v, 0, p)
#define whet_store16(v, p) vstore16(v, 0, p)
#define WHET_STORE(n, v, p) WHET_CAT(whet_store, n)(v, p)

/* Store only the first m < n components; m may be negative. */
#define WHET_TAIL(n, v, p, m)                                                  \
    do {                                                                       \
        float whet_t[n];                                                       \
        WHET_CAT(whet_spill, n)(v, whet_t);                                    \
        for (int whet_i = 0; whet_i < (m); ++whet_i)                           \
            (p)[whet_i] = whet_t[whet_i];                                      \
    } while (0)
#define whet_spill1(v, t) (*(t) = (v))
#define whet_spill2(v, t) vstore2(v, 0, t)
#define whet_spill4(v, t) vstore4(v, 0, t)
#define whet_spill8(v, t) vstore8(v, 0, t)
#define whet_spill16(v, t) vstore16(v, 0, t)

/* Store past the caches where the compiler can say so; p must be aligned to
 * n floats (WHET_ALIGNED). */
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define WHET_STREAM(n, v, p)                                                   \
    __builtin_nontemporal_store(v, (__global WHET_VEC(n) *)(p))
#endif
#endif
#ifndef WHET_STREAM
#define WHET_STREAM(n, v, p) WHET_STORE(n, v, p)
#endif
#define WHET_ALIGNED(n, p) (((size_t)(p) & (4 * (n)-1)) == 0)

#define WHET_SPLAT(n, s) ((WHET_VEC(n))(s))
#define WHET_FMA(n, a, b, c) fma(a, b, c)
/* The greater of a and b, component by component; b where a is NaN. */
#define WHET_MAX(n, a, b) ((a) > (b) ? (a) : (b))
#define WHET_EXP(n, a) exp(a)

/* 1 if a > b in any component. */
#define whet_any_gt1(a, b) ((a) > (b))
#define whet_any_gtn(a, b) any((a) > (b))
#define whet_any_gt2 whet_any_gtn
#define whet_any_gt4 whet_any_gtn
#define whet_any_gt8 whet_any_gtn
#define whet_any_gt16 whet_any_gtn
#define WHET_ANY_GT(n, a, b) WHET_CAT(whet_any_gt, n)(a, b)

/* Sum and greatest of the components, as a float. The argument is evaluated
 * more than once: hand over a variable. */
#define whet_sum1(v) (v)
#define whet_sum2(v) ((v).lo + (v).hi)
#define whet_sum4(v) whet_sum2((v).lo + (v).hi)
#define whet_sum8(v) whet_sum4((v).lo + (v).hi)
#define whet_sum16(v) whet_sum8((v).lo + (v).hi)
#define WHET_SUM(n, v) WHET_CAT(whet_sum, n)(v)
#define whet_hmax1(v) (v)
#define whet_hmax2(v) fmax((v).lo, (v).hi)
#define whet_hmax4(v) whet_hmax2(fmax((v).lo, (v).hi))
#define whet_hmax8(v) whet_hmax4(fmax((v).lo, (v).hi))
#define whet_hmax16(v) whet_hmax8(fmax((v).lo, (v).hi))
#define WHET_HMAX(n, v) WHET_CAT(whet_hmax, n)(v)

/* Interleave the lower (upper) halves of a and b: a0 b0 a1 b1 ... */
#define whet_zip4(p, q) ((float4)(p.s0, q.s0, p.s1, q.s1))
#define whet_zip8(p, q)                                                        \
    ((float8)(p.s0, q.s0, p.s1, q.s1, p.s2, q.s2, p.s3, q.s3))
#define whet_zip16(p, q)                                                       \
    ((float16)(p.s0, q.s0, p.s1, q.s1, p.s2, q.s2, p.s3, q.s3, p.s4, q.s4,     \
               p.s5, q.s5, p.s6, q.s6, p.s7, q.s7))
#define WHET_ZIP_LO(n, a, b) WHET_CAT(whet_zip, n)((a).lo, (b).lo)
#define WHET_ZIP_HI(n, a, b) WHET_CAT(whet_zip, n)((a).hi, (b).hi)

#endif
#endif
