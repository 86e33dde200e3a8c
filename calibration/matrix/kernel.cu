/* whet:
launches:
  - kernel: matrix
    grid: [groups]
    block: [256]
    shared: "82944"
    args: [A, B, y, k, steps, bits]
tunables:
  TYPE: [1, 2, 3, 4, 5]
constraints:
  - "TYPE == type"
  - "m == 128 or TYPE == 5 and m == 64"
  - "m == 64 or TYPE != 5"
  - "n == 2 * m"
  - "k == 64 or TYPE > 2"
  - "k == 32 or TYPE != 3"
  - "k == 128 or TYPE != 4"
  - "k == 16 or TYPE != 5"
  - "groups <= 1048576"
*/

/* Each group holds tiles A (M rows) and B (N = 2 M rows), rows of 128 bytes, in
 * shared memory, B a second time negated, and adds A B and -A B in turns, so
 * that sums stay exact however many steps there are. Row r of C is written by
 * the groups r, r + M, ...
 *
 * sm_90a: wgmma, operands in shared memory, two warpgroups of 64 x 256 each.
 * Else: mma.sync with fragments read by ldmatrix, 8 warps of 64 x 64 (f64: 32 x
 * 32). Layouts of fragments, descriptors and the 128-byte swizzle: PTX ISA,
 * "Matrix multiply-accumulate instructions". A step along K is 32 bytes for
 * every dtype, which is why one text serves all. */

#define BF16 1
#define F16 2
#define TF32 3
#define I8 4
#define F64 5

#define M (TYPE == F64 ? 64 : 128)
#define N (2 * M)
#define ROW 128 /* bytes */

#if TYPE == I8
#define SUM int
#define INOUT "+r"
#elif TYPE == F64
#define SUM double
#define INOUT "+d"
#else
#define SUM float
#define INOUT "+f"
#endif

#if TYPE == BF16
#define ELEMENT unsigned short
#elif TYPE == F16
#define ELEMENT unsigned short
#elif TYPE == TF32
#define ELEMENT float
#elif TYPE == I8
#define ELEMENT signed char
#else
#define ELEMENT double
#endif

/* A whole number of few enough bits to be exact in the element's type. */
static __device__ __forceinline__ ELEMENT narrow(float v)
{
#if TYPE == BF16
    return (unsigned short)(__float_as_uint(v) >> 16);
#elif TYPE == F16
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
    return h;
#else
    return (ELEMENT)v;
#endif
}

/* 16-byte chunks of a row change places within 8 rows: no bank is hit twice. */
static __device__ __forceinline__ unsigned place(unsigned row, unsigned byte)
{
    return row * ROW + ((byte ^ (row << 4)) & 112) + (byte & 15);
}

static __device__ void fill(char *tile, const float *from, int rows, int k,
                            float scale, float sign)
{
    for (int i = threadIdx.x; i < rows * k; i += 256) {
        const unsigned at = place(i / k, i % k * (int)sizeof(ELEMENT));
        *(ELEMENT *)(tile + at) = narrow(sign * rintf(from[i] * scale));
    }
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && TYPE != F64

#if TYPE == BF16
#define WGMMA "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"
#define SCALES ", 1, 1, 1, 0, 0;"
#elif TYPE == F16
#define WGMMA "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16"
#define SCALES ", 1, 1, 1, 0, 0;"
#elif TYPE == TF32
#define WGMMA "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32"
#define SCALES ", 1, 1, 1;"
#else
#define WGMMA "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8"
#define SCALES ", 1;"
#endif

#define ACCUMULATORS                                                           \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "   \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "   \
    "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "   \
    "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "   \
    "%58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "   \
    "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "   \
    "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "   \
    "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "       \
    "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, "       \
    "%122, %123, %124, %125, %126, %127"

static __device__ __forceinline__ void
multiply_add(SUM (&d)[128], unsigned long long a, unsigned long long b)
{
    asm volatile(
        WGMMA " {" ACCUMULATORS "}, %128, %129" SCALES
        :
        INOUT(d[0]), INOUT(d[1]), INOUT(d[2]), INOUT(d[3]),
        INOUT(d[4]), INOUT(d[5]), INOUT(d[6]), INOUT(d[7]),
        INOUT(d[8]), INOUT(d[9]), INOUT(d[10]), INOUT(d[11]),
        INOUT(d[12]), INOUT(d[13]), INOUT(d[14]), INOUT(d[15]),
        INOUT(d[16]), INOUT(d[17]), INOUT(d[18]), INOUT(d[19]),
        INOUT(d[20]), INOUT(d[21]), INOUT(d[22]), INOUT(d[23]),
        INOUT(d[24]), INOUT(d[25]), INOUT(d[26]), INOUT(d[27]),
        INOUT(d[28]), INOUT(d[29]), INOUT(d[30]), INOUT(d[31]),
        INOUT(d[32]), INOUT(d[33]), INOUT(d[34]), INOUT(d[35]),
        INOUT(d[36]), INOUT(d[37]), INOUT(d[38]), INOUT(d[39]),
        INOUT(d[40]), INOUT(d[41]), INOUT(d[42]), INOUT(d[43]),
        INOUT(d[44]), INOUT(d[45]), INOUT(d[46]), INOUT(d[47]),
        INOUT(d[48]), INOUT(d[49]), INOUT(d[50]), INOUT(d[51]),
        INOUT(d[52]), INOUT(d[53]), INOUT(d[54]), INOUT(d[55]),
        INOUT(d[56]), INOUT(d[57]), INOUT(d[58]), INOUT(d[59]),
        INOUT(d[60]), INOUT(d[61]), INOUT(d[62]), INOUT(d[63]),
        INOUT(d[64]), INOUT(d[65]), INOUT(d[66]), INOUT(d[67]),
        INOUT(d[68]), INOUT(d[69]), INOUT(d[70]), INOUT(d[71]),
        INOUT(d[72]), INOUT(d[73]), INOUT(d[74]), INOUT(d[75]),
        INOUT(d[76]), INOUT(d[77]), INOUT(d[78]), INOUT(d[79]),
        INOUT(d[80]), INOUT(d[81]), INOUT(d[82]), INOUT(d[83]),
        INOUT(d[84]), INOUT(d[85]), INOUT(d[86]), INOUT(d[87]),
        INOUT(d[88]), INOUT(d[89]), INOUT(d[90]), INOUT(d[91]),
        INOUT(d[92]), INOUT(d[93]), INOUT(d[94]), INOUT(d[95]),
        INOUT(d[96]), INOUT(d[97]), INOUT(d[98]), INOUT(d[99]),
        INOUT(d[100]), INOUT(d[101]), INOUT(d[102]), INOUT(d[103]),
        INOUT(d[104]), INOUT(d[105]), INOUT(d[106]), INOUT(d[107]),
        INOUT(d[108]), INOUT(d[109]), INOUT(d[110]), INOUT(d[111]),
        INOUT(d[112]), INOUT(d[113]), INOUT(d[114]), INOUT(d[115]),
        INOUT(d[116]), INOUT(d[117]), INOUT(d[118]), INOUT(d[119]),
        INOUT(d[120]), INOUT(d[121]), INOUT(d[122]), INOUT(d[123]),
        INOUT(d[124]), INOUT(d[125]), INOUT(d[126]), INOUT(d[127])
        : "l"(a), "l"(b));
}

/* Start in 16 bytes, 1024 bytes from 8 rows to the next, 128-byte swizzle. */
static __device__ __forceinline__ unsigned long long descriptor(unsigned at)
{
    return ((at & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

static __device__ __forceinline__ void step(SUM (&d)[128], unsigned long long a,
                                            unsigned long long b)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < ROW / 32; ++i)
        multiply_add(d, a + 2 * i, b + 2 * i);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

static __device__ void run(unsigned at, float *y, int steps, int want)
{
    const int t = threadIdx.x, quad = t % 4;
    const unsigned long long a = descriptor(at + t / 128 * 64 * ROW);
    const unsigned long long plus = descriptor(at + M * ROW);
    const unsigned long long minus = descriptor(at + (M + N) * ROW);
    SUM d[128];

#pragma unroll
    for (int i = 0; i < 128; ++i)
        d[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    for (int s = 0; s + 1 < steps; s += 2) {
        step(d, a, plus);
        step(d, a, minus);
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    if (steps % 2)
        step(d, a, plus);
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const int row = t / 32 * 16 + t % 32 / 4;
#pragma unroll
    for (int i = 0; i < 128; ++i)
        if (row + i % 4 / 2 * 8 == want)
            y[i / 4 * 8 + quad * 2 + i % 2] = (float)d[i];
}

#elif TYPE != F64

#if TYPE == BF16
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
#elif TYPE == F16
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#elif TYPE == TF32
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
#else
#define MMA "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
#endif

static __device__ __forceinline__ void
multiply_add(SUM (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile(MMA "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                 : INOUT(d[0]), INOUT(d[1]), INOUT(d[2]), INOUT(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
                   "r"(b1));
}

/* 16 rows of 32 bytes: {rows 0-7, 8-15} x {bytes 0-15, 16-31}. */
static __device__ __forceinline__ void load(unsigned (&r)[4], unsigned tile,
                                            int row, int byte)
{
    const int lane = threadIdx.x % 32;
    const unsigned at = tile + place(row + lane % 16, byte + lane / 16 * 16);

    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
                 "[%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

static __device__ void run(unsigned at, float *y, int steps, int want)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int top = warp / 4 * 64, left = warp % 4 * 64;
    SUM d[4][8][4] = {};

    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        const unsigned tile = at + (M + (s % 2 ? N : 0)) * ROW;

#pragma unroll
        for (int byte = 0; byte < ROW; byte += 32) {
            unsigned a[4][4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                load(a[i], at, top + 16 * i, byte);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                unsigned b[4];
                load(b, tile, left + 16 * j, byte);
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    multiply_add(d[i][2 * j], a[i], b[0], b[2]);
                    multiply_add(d[i][2 * j + 1], a[i], b[1], b[3]);
                }
            }
        }
    }
    const int row = top + lane / 4, column = left + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 128; ++i)
        if (row + i / 32 * 16 + i % 4 / 2 * 8 == want)
            y[column + i / 4 % 8 * 8 + i % 2] =
                (float)d[i / 32][i / 4 % 8][i % 4];
}

#else

/* f64: 16 x 8 x 8, on sm_80 two of 8 x 8 x 4 for each half. */
static __device__ __forceinline__ void multiply_add(double (&d)[4],
                                                    const double (&a)[4],
                                                    const double (&b)[2])
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : INOUT(d[0]), INOUT(d[1]), INOUT(d[2]), INOUT(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]),
                   "d"(b[1]));
#else
#pragma unroll
    for (int i = 0; i < 4; ++i)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                     "{%0, %1}, {%2}, {%3}, {%0, %1};"
                     : INOUT(d[i % 2 * 2]), INOUT(d[i % 2 * 2 + 1])
                     : "d"(a[i]), "d"(b[i / 2]));
#endif
}

static __device__ __forceinline__ double at_of(const char *tile, int row, int k)
{
    return *(const double *)(tile + place(row, 8 * k));
}

static __device__ void run(const char *tiles, float *y, int steps, int want)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int top = warp / 4 * 32, left = warp % 4 * 32;
    const int g = lane / 4, q = lane % 4;
    double d[2][4][4] = {};

    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        const char *tile = tiles + (M + (s % 2 ? N : 0)) * ROW;

#pragma unroll
        for (int k = 0; k < ROW / 8; k += 8) {
            double a[2][4];
#pragma unroll
            for (int i = 0; i < 8; ++i)
                a[i / 4][i % 4] = at_of(tiles, top + i / 4 * 16 + i % 2 * 8 + g,
                                        k + i % 4 / 2 * 4 + q);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const double b[2] = {at_of(tile, left + 8 * j + g, k + q),
                                     at_of(tile, left + 8 * j + g, k + 4 + q)};
                multiply_add(d[0][j], a[0], b);
                multiply_add(d[1][j], a[1], b);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 32; ++i)
        if (top + i / 16 * 16 + i % 4 / 2 * 8 + g == want)
            y[left + i / 4 % 4 * 8 + q * 2 + i % 2] =
                (float)d[i / 16][i / 4 % 4][i % 4];
}

#endif

extern "C" __global__ void __launch_bounds__(256, 1)
    matrix(const float *A, const float *B, float *y, int k, int steps, int bits)
{
    extern __shared__ char memory[];
    const unsigned begin = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned at = (begin + 1023) & ~1023u;
    char *tiles = memory + (at - begin);
    const float scale = (float)(1 << bits);

    fill(tiles, A, M, k, scale, 1);
    fill(tiles + M * ROW, B, N, k, scale, 1);
    fill(tiles + (M + N) * ROW, B, N, k, scale, -1);
#if TYPE == F64
    run(tiles, y + (size_t)blockIdx.x * N, steps, blockIdx.x % M);
#else
    run(at, y + (size_t)blockIdx.x * N, steps, blockIdx.x % M);
#endif
}
