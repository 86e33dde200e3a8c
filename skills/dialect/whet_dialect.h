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

/* Unroll the loop that follows: wholly, or n rounds at a time. */
#define WHET_PRAGMA_(text) _Pragma(#text)
#define WHET_UNROLL _Pragma("unroll")
#define WHET_UNROLL_BY(n) WHET_PRAGMA_(unroll n)

#if defined(__OPENCL_VERSION__)

#define WHET_KERNEL __kernel
/* A kernel that is launched with n work-items a group, all in dimension 0:
 * the compiler may give each as many registers as that allows. */
#define WHET_KERNEL_OF(n)                                                      \
    __kernel __attribute__((reqd_work_group_size(n, 1, 1)))
/* The same if one group at a time on a compute unit is enough: it may take
 * more registers still. */
#define WHET_KERNEL_ALONE(n) WHET_KERNEL_OF(n)
#define WHET_GLOBAL __global
#define WHET_RESTRICT restrict
/* For a helper function of a kernel. */
#define WHET_FUNCTION static inline
/* A work-group array, aligned for vectors; only in a kernel's own scope. */
#define WHET_LOCAL(type, name, count)                                          \
    __local type name[count] __attribute__((aligned(64)))
/* Pointer into such an array. */
#define WHET_LOCAL_PTR(type) __local type *
#define WHET_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)

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

/* The same at a place that is aligned to n floats (WHET_ALIGNED), which costs
 * no look at the address; WHET_LOAD_ONCE also says that nobody will read it
 * again soon. */
#define WHET_LOAD_ALIGNED(n, p) (*(__global const WHET_VEC(n) *)(p))
#define WHET_LOAD_ONCE(n, p) WHET_LOAD_ALIGNED(n, p)
#define WHET_STORE_ALIGNED(n, v, p) (*(__global WHET_VEC(n) *)(p) = (v))

/* The same for a WHET_LOCAL array, at a place that is a multiple of n. */
#define WHET_LOAD_LOCAL(n, p) (*(__local const WHET_VEC(n) *)(p))
#define WHET_STORE_LOCAL(n, v, p) (*(__local WHET_VEC(n) *)(p) = (v))

/* Component i of vector v, as an lvalue; i constant after unrolling. */
#define WHET_AT(n, v, i) (((float *)&(v))[i])

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

/* Fold variable v over a group of n work-items, a power of two: afterwards
 * each of them holds the result. parts is a WHET_LOCAL array of
 * WHET_GROUP_PARTS(n) floats; use another one for the next fold, and the first
 * again for the one after that. */
#define WHET_GROUP_PARTS(n) (n)
#define WHET_GROUP_FOLD_(n, v, parts, fold)                                    \
    do {                                                                       \
        __local float *whet_p = (parts) + get_local_id(0);                     \
        *whet_p = (v);                                                         \
        WHET_BARRIER();                                                        \
        for (int whet_h = (n) / 2; whet_h > 0; whet_h /= 2) {                  \
            if (get_local_id(0) < whet_h)                                      \
                *whet_p = fold(*whet_p, whet_p[whet_h]);                       \
            WHET_BARRIER();                                                    \
        }                                                                      \
        (v) = *(parts);                                                        \
    } while (0)
#define whet_plus_(a, b) ((a) + (b))
#define WHET_GROUP_SUM(n, v, parts) WHET_GROUP_FOLD_(n, v, parts, whet_plus_)
#define WHET_GROUP_MAX(n, v, parts) WHET_GROUP_FOLD_(n, v, parts, fmax)

#elif defined(__CUDACC__) || defined(__HIP__)

#define WHET_KERNEL extern "C" __global__
#define WHET_KERNEL_OF(n) extern "C" __global__ __launch_bounds__(n)
#if defined(__HIP__)
#define WHET_KERNEL_ALONE(n) WHET_KERNEL_OF(n)
#else
#define WHET_KERNEL_ALONE(n) extern "C" __global__ __launch_bounds__(n, 1)
#endif
#define WHET_GLOBAL
#define WHET_RESTRICT __restrict__
#define WHET_FUNCTION static __device__ __forceinline__
#define WHET_LOCAL(type, name, count)                                          \
    __shared__ __attribute__((aligned(64))) type name[count]
#define WHET_LOCAL_PTR(type) type *
#define WHET_BARRIER() __syncthreads()

#define WHET_PICK_(v, d) ((d) == 0 ? v.x : (d) == 1 ? v.y : v.z)
#define whet_group_id(d) WHET_PICK_(blockIdx, d)
#define whet_local_id(d) WHET_PICK_(threadIdx, d)
#define whet_local_size(d) WHET_PICK_(blockDim, d)
#define whet_num_groups(d) WHET_PICK_(gridDim, d)
#define whet_global_id(d)                                                      \
    ((size_t)whet_group_id(d) * whet_local_size(d) + whet_local_id(d))

template <int N> struct whet_vec {
    float s[N];
};
#define WHET_VEC(n) whet_vec<n>
#define WHET_AT(n, v, i) ((v).s[i])

#define WHET_MAP_(expr)                                                        \
    do {                                                                       \
        whet_vec<N> map_;                                                      \
        _Pragma("unroll") for (int i = 0; i < N; ++i) map_.s[i] = (expr);      \
        return map_;                                                           \
    } while (0)
#define WHET_TEMPLATE_ template <int N> WHET_FUNCTION

WHET_TEMPLATE_ whet_vec<N> whet_load_local(const float *p)
{
    whet_vec<N> r;
    if (N % 4 == 0) {
        _Pragma("unroll") for (int i = 0; i < N / 4; ++i)
        {
            const float4 q = ((const float4 *)p)[i];
            r.s[(4 * i) % N] = q.x;
            r.s[(4 * i + 1) % N] = q.y;
            r.s[(4 * i + 2) % N] = q.z;
            r.s[(4 * i + 3) % N] = q.w;
        }
    } else {
        _Pragma("unroll") for (int i = 0; i < N; ++i) r.s[i] = p[i];
    }
    return r;
}
WHET_TEMPLATE_ void whet_store_local(whet_vec<N> v, float *p)
{
    if (N % 4 == 0) {
        _Pragma("unroll") for (int i = 0; i < N / 4; ++i)((float4 *)p)[i] =
            make_float4(v.s[(4 * i) % N], v.s[(4 * i + 1) % N],
                        v.s[(4 * i + 2) % N], v.s[(4 * i + 3) % N]);
    } else {
        _Pragma("unroll") for (int i = 0; i < N; ++i) p[i] = v.s[i];
    }
}
WHET_TEMPLATE_ whet_vec<N> whet_load(const float *p)
{
    if (N % 4 == 0 && ((size_t)p & 15) == 0)
        return whet_load_local<N>(p);
    WHET_MAP_(p[i]);
}
WHET_TEMPLATE_ void whet_store(whet_vec<N> v, float *p)
{
    if (N % 4 == 0 && ((size_t)p & 15) == 0) {
        whet_store_local<N>(v, p);
    } else {
        _Pragma("unroll") for (int i = 0; i < N; ++i) p[i] = v.s[i];
    }
}
#define WHET_LOAD(n, p) whet_load<n>(p)
#define WHET_STORE(n, v, p) whet_store<n>(v, p)
#define WHET_LOAD_LOCAL(n, p) whet_load_local<n>(p)
#define WHET_STORE_LOCAL(n, v, p) whet_store_local<n>(v, p)
#define WHET_LOAD_ALIGNED(n, p) whet_load_local<n>(p)
#define WHET_STORE_ALIGNED(n, v, p) whet_store_local<n>(v, p)
#define WHET_ALIGNED(n, p) (((size_t)(p) & (4 * (n)-1)) == 0)

#if defined(__HIP__)
typedef float whet_quad __attribute__((ext_vector_type(4)));
#define whet_load_once_(p) __builtin_nontemporal_load((const whet_quad *)(p))
#define whet_stream_(a, b, c, d, p)                                            \
    __builtin_nontemporal_store((whet_quad){a, b, c, d}, (whet_quad *)(p))
#else
#define whet_load_once_(p) __ldcs((const float4 *)(p))
#define whet_stream_(a, b, c, d, p)                                            \
    __stcs((float4 *)(p), make_float4(a, b, c, d))
#endif
WHET_TEMPLATE_ whet_vec<N> whet_load_once(const float *p)
{
    whet_vec<N> r;
    if (N % 4 == 0) {
        _Pragma("unroll") for (int i = 0; i < N / 4; ++i)
        {
            const auto q = whet_load_once_(p + 4 * i);
            r.s[(4 * i) % N] = q.x;
            r.s[(4 * i + 1) % N] = q.y;
            r.s[(4 * i + 2) % N] = q.z;
            r.s[(4 * i + 3) % N] = q.w;
        }
    } else {
        _Pragma("unroll") for (int i = 0; i < N; ++i) r.s[i] = p[i];
    }
    return r;
}
WHET_TEMPLATE_ void whet_stream(whet_vec<N> v, float *p)
{
    if (N % 4 == 0) {
        _Pragma("unroll") for (int i = 0; i < N / 4; ++i)
            whet_stream_(v.s[(4 * i) % N], v.s[(4 * i + 1) % N],
                         v.s[(4 * i + 2) % N], v.s[(4 * i + 3) % N], p + 4 * i);
    } else {
        _Pragma("unroll") for (int i = 0; i < N; ++i) p[i] = v.s[i];
    }
}
#define WHET_LOAD_ONCE(n, p) whet_load_once<n>(p)
#define WHET_STREAM(n, v, p) whet_stream<n>(v, p)

WHET_TEMPLATE_ whet_vec<N> whet_splat(float a)
{
    WHET_MAP_(a);
}
WHET_TEMPLATE_ whet_vec<N> operator+(whet_vec<N> a, whet_vec<N> b)
{
    WHET_MAP_(a.s[i] + b.s[i]);
}
WHET_TEMPLATE_ whet_vec<N> operator*(whet_vec<N> a, whet_vec<N> b)
{
    WHET_MAP_(a.s[i] * b.s[i]);
}
WHET_TEMPLATE_ whet_vec<N> operator*(whet_vec<N> a, float b)
{
    WHET_MAP_(a.s[i] * b);
}
WHET_TEMPLATE_ whet_vec<N> operator-(whet_vec<N> a, float b)
{
    WHET_MAP_(a.s[i] - b);
}
WHET_TEMPLATE_ whet_vec<N> whet_fma(whet_vec<N> a, whet_vec<N> b, whet_vec<N> c)
{
    WHET_MAP_(fmaf(a.s[i], b.s[i], c.s[i]));
}
WHET_TEMPLATE_ whet_vec<N> whet_max(whet_vec<N> a, whet_vec<N> b)
{
    WHET_MAP_(a.s[i] > b.s[i] ? a.s[i] : b.s[i]);
}
WHET_TEMPLATE_ whet_vec<N> whet_exp(whet_vec<N> a)
{
    WHET_MAP_(expf(a.s[i]));
}
WHET_TEMPLATE_ int whet_any_gt(whet_vec<N> a, whet_vec<N> b)
{
    int any = 0;
    _Pragma("unroll") for (int i = 0; i < N; ++i) any |= a.s[i] > b.s[i];
    return any;
}
/* Halves are folded like the OpenCL side does, so both round alike. */
template <int N> struct whet_fold {
    static __device__ __forceinline__ float sum(const whet_vec<N> &a)
    {
        whet_vec<N / 2> half;
        _Pragma("unroll") for (int i = 0; i < N / 2; ++i) half.s[i] =
            a.s[i] + a.s[i + N / 2];
        return whet_fold<N / 2>::sum(half);
    }
    static __device__ __forceinline__ float max(const whet_vec<N> &a)
    {
        whet_vec<N / 2> half;
        _Pragma("unroll") for (int i = 0; i < N / 2; ++i) half.s[i] =
            fmaxf(a.s[i], a.s[i + N / 2]);
        return whet_fold<N / 2>::max(half);
    }
};
template <> struct whet_fold<1> {
    static __device__ __forceinline__ float sum(const whet_vec<1> &a)
    {
        return a.s[0];
    }
    static __device__ __forceinline__ float max(const whet_vec<1> &a)
    {
        return a.s[0];
    }
};
WHET_TEMPLATE_ whet_vec<N> whet_zip(whet_vec<N> a, whet_vec<N> b, int from)
{
    WHET_MAP_(i % 2 ? b.s[from + i / 2] : a.s[from + i / 2]);
}
#define WHET_SPLAT(n, a) whet_splat<n>(a)
#define WHET_FMA(n, a, b, c) whet_fma<n>(a, b, c)
#define WHET_MAX(n, a, b) whet_max<n>(a, b)
#define WHET_EXP(n, a) whet_exp<n>(a)
#define WHET_ANY_GT(n, a, b) whet_any_gt<n>(a, b)
#define WHET_SUM(n, v) whet_fold<n>::sum(v)
#define WHET_HMAX(n, v) whet_fold<n>::max(v)
#define WHET_ZIP_LO(n, a, b) whet_zip<n>(a, b, 0)
#define WHET_ZIP_HI(n, a, b) whet_zip<n>(a, b, (n) / 2)

/* Work-items that run in step: they fold values without local memory. */
#if !defined(__HIP__)
#define WHET_WAVE_SIZE 32
#define whet_shuffle_(v, mask) __shfl_xor_sync(0xffffffffu, v, mask)
#else
#if defined(__AMDGCN_WAVEFRONT_SIZE__)
#define WHET_WAVE_SIZE __AMDGCN_WAVEFRONT_SIZE__
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
#define WHET_WAVE_SIZE __AMDGCN_WAVEFRONT_SIZE
#else
#define WHET_WAVE_SIZE 64
#endif
#define whet_shuffle_(v, mask) __shfl_xor(v, mask)
#endif

/* Over the N work-items of a wave, all of which must come here. */
WHET_TEMPLATE_ float whet_wave_sum(float v)
{
    _Pragma("unroll") for (int m = N / 2; m > 0; m /= 2) v +=
        whet_shuffle_(v, m);
    return v;
}
WHET_TEMPLATE_ float whet_wave_max(float v)
{
    _Pragma("unroll") for (int m = N / 2; m > 0; m /= 2) v =
        fmaxf(v, whet_shuffle_(v, m));
    return v;
}
#define WHET_WAVE_SUM(v) whet_wave_sum<WHET_WAVE_SIZE>(v)
#define WHET_WAVE_MAX(v) whet_wave_max<WHET_WAVE_SIZE>(v)

/* Waves fold first and leave one value each, so one barrier is enough. n must
 * be a multiple of the wave. */
#define WHET_GROUP_PARTS(n) (((n) + WHET_WAVE_SIZE - 1) / WHET_WAVE_SIZE)
#define WHET_GROUP_SHARE_(v, parts)                                            \
    do {                                                                       \
        const float whet_v = (v);                                              \
        if (threadIdx.x % WHET_WAVE_SIZE == 0)                                 \
            (parts)[threadIdx.x / WHET_WAVE_SIZE] = whet_v;                    \
        WHET_BARRIER();                                                        \
    } while (0)
WHET_TEMPLATE_ float whet_group_sum(float v, float *parts)
{
    WHET_GROUP_SHARE_(WHET_WAVE_SUM(v), parts);
    v = parts[0];
    _Pragma("unroll") for (int i = 1; i < WHET_GROUP_PARTS(N); ++i) v +=
        parts[i];
    return v;
}
WHET_TEMPLATE_ float whet_group_max(float v, float *parts)
{
    WHET_GROUP_SHARE_(WHET_WAVE_MAX(v), parts);
    v = parts[0];
    _Pragma("unroll") for (int i = 1; i < WHET_GROUP_PARTS(N); ++i) v =
        fmaxf(v, parts[i]);
    return v;
}
#define WHET_GROUP_SUM(n, v, parts) ((void)((v) = whet_group_sum<n>(v, parts)))
#define WHET_GROUP_MAX(n, v, parts) ((void)((v) = whet_group_max<n>(v, parts)))

#endif

/* Store only the first m < n components of variable v; m may be negative. */
#define WHET_TAIL(n, v, p, m)                                                  \
    do {                                                                       \
        WHET_UNROLL                                                            \
        for (int whet_i = 0; whet_i < (n); ++whet_i)                           \
            if (whet_i < (m))                                                  \
                (p)[whet_i] = WHET_AT(n, v, whet_i);                           \
    } while (0)

#endif
