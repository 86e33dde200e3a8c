/* whet:
launches:
  - kernel: matrix
    grid: [groups]
    block: [256]
    args: [A, B, y, k, steps, bits]
tunables:
  TYPE: [1, 2, 3, 4, 5, 6]
constraints:
  - "TYPE == type"
  - "wave_size == 64"
  - "lds_bytes >= 65536"
  - "m == 128 or TYPE == 5 and m == 64"
  - "m == 64 or TYPE != 5"
  - "n == 2 * m"
  - "k == 64 or TYPE > 2"
  - "k == 32 or TYPE != 3 and TYPE != 6"
  - "k == 128 or TYPE != 4"
  - "k == 16 or TYPE != 5"
*/

/* Each group holds tiles A (M rows), -A and B (N = 2 M rows), rows of 128
 * bytes, in LDS, and adds A B and -A B in turns, so that sums stay exact
 * however many steps there are. Row r of C is written by the groups r, r + M,
 * ... A group is 4 waves of M/2 x N/2.
 *
 * Per lane an instruction of TILE x TILE takes PART bytes of row lane % TILE,
 * lane / TILE parts into the step, of either operand. Layouts: AMD CDNA2 and
 * CDNA3 instruction set documents, "Matrix arithmetic instructions"; those of
 * mmac (gfx928 and later) are the same as far as third parties tell. The mmac
 * branch has never been compiled where this was written: its compiler was not
 * at hand. */

#define BF16 1
#define F16 2
#define TF32 3
#define I8 4
#define F64 5
#define F32 6

typedef short short4_t __attribute__((ext_vector_type(4)));
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));
typedef float float2_t __attribute__((ext_vector_type(2)));
typedef float float4_t __attribute__((ext_vector_type(4)));
typedef float float16_t __attribute__((ext_vector_type(16)));
typedef int int2_t __attribute__((ext_vector_type(2)));
typedef int int4_t __attribute__((ext_vector_type(4)));
typedef int int16_t_ __attribute__((ext_vector_type(16)));
typedef double double4_t __attribute__((ext_vector_type(4)));

#if defined(__gfx942__) || defined(__gfx941__) || defined(__gfx940__)
#define IS_CDNA3 1
#endif
#if defined(__gfx90a__) || defined(IS_CDNA3)
#define IS_CDNA 1
#endif
#if defined(__gfx928__) || defined(__gfx936__) || defined(__gfx938__)
#define IS_MMAC 1
#endif

#if TYPE == BF16
#define ELEMENT unsigned short
#define OPERAND short4_t
#if defined(IS_CDNA)
#define TILE 32
#define MULTIPLY_ADD __builtin_amdgcn_mfma_f32_32x32x8bf16_1k
#elif defined(IS_MMAC)
#define TILE 16
#define MULTIPLY_ADD __builtin_hcu_mmac_f32_16x16x16_bf16
#endif
#elif TYPE == F16
#define ELEMENT _Float16
#define OPERAND half4_t
#if defined(IS_CDNA)
#define TILE 32
#define MULTIPLY_ADD __builtin_amdgcn_mfma_f32_32x32x8f16
#elif defined(IS_MMAC)
#define TILE 16
#define MULTIPLY_ADD __builtin_hcu_mmac_f32_16x16x16_f16
#endif
#elif TYPE == TF32
#define ELEMENT float
#define OPERAND float2_t
#if defined(IS_CDNA3)
#define TILE 32
#define MULTIPLY_ADD __builtin_amdgcn_mfma_f32_32x32x4_xf32
#elif defined(IS_MMAC)
#define TILE 16
#define MULTIPLY_ADD __builtin_amdgcn_mmac_f32_16x16x8f32
#endif
#elif TYPE == I8
#define ELEMENT signed char
#if defined(IS_CDNA3)
#define TILE 32
#define OPERAND long
#define MULTIPLY_ADD __builtin_amdgcn_mfma_i32_32x32x16_i8
#elif defined(IS_CDNA)
#define TILE 32
#define OPERAND int
#define MULTIPLY_ADD __builtin_amdgcn_mfma_i32_32x32x8i8
#elif defined(IS_MMAC)
#define TILE 16
#define OPERAND int2_t
#define MULTIPLY_ADD __builtin_hcu_mmac_i32_16x16x32_i8
#endif
#elif TYPE == F64
#define ELEMENT double
#define OPERAND double
#if defined(IS_CDNA)
#define TILE 16
#define MULTIPLY_ADD __builtin_amdgcn_mfma_f64_16x16x4f64
#endif
#else
#define ELEMENT float
#define OPERAND float
#if defined(IS_CDNA)
#define TILE 32
#define MULTIPLY_ADD __builtin_amdgcn_mfma_f32_32x32x2f32
#elif defined(IS_MMAC)
#define TILE 16
#define MULTIPLY_ADD __builtin_amdgcn_mmac_f32_16x16x4f32
#endif
#endif

#if defined(__HIP_DEVICE_COMPILE__)
#if !defined(MULTIPLY_ADD)
#error "no matrix instruction of this type on this architecture"
#endif
#if defined(IS_CDNA)
#define APPLY(a, b, c) MULTIPLY_ADD(a, b, c, 0, 0, 0)
#else
#define APPLY(a, b, c) MULTIPLY_ADD(a, b, c)
#endif

#if TYPE == F64
#define SUM double4_t
#elif TYPE == I8 && TILE == 32
#define SUM int16_t_
#elif TYPE == I8
#define SUM int4_t
#elif TILE == 32
#define SUM float16_t
#else
#define SUM float4_t
#endif

#define M (TYPE == F64 ? 64 : 128)
#define N (2 * M)
#define ROW 128 /* bytes */
#define PART ((int)sizeof(OPERAND))
#define STEP (PART * (64 / TILE))
#define DOWN (M / 2 / TILE)
#define ACROSS (N / 2 / TILE)
#define SUMS (TILE * TILE / 64)

/* 16-byte chunks of a row change places within 8 rows: fewer bank conflicts. */
static __device__ __forceinline__ int place(int row, int byte)
{
    return row * ROW + ((byte ^ (row << 4)) & 112) + (byte & 15);
}

static __device__ void fill(char *tile, const float *from, int rows, int k,
                            float scale, float sign)
{
    for (int i = threadIdx.x; i < rows * k; i += 256) {
        const float v = sign * __builtin_rintf(from[i] * scale);
        ELEMENT *to = (ELEMENT *)(tile + place(i / k, i % k * sizeof(ELEMENT)));
#if TYPE == BF16
        /* Few enough bits: cutting them off is exact. */
        *to = (unsigned short)(__builtin_bit_cast(unsigned, v) >> 16);
#else
        *to = (ELEMENT)v;
#endif
    }
}

/* Row of element i of a lane's sums. */
static __device__ __forceinline__ int row_of(int lane, int i)
{
#if TYPE == F64
    return 4 * i + lane / 16;
#elif TILE == 32
    return i / 4 * 8 + lane / 32 * 4 + i % 4;
#else
    return lane / 16 * 4 + i;
#endif
}

static __device__ __forceinline__ OPERAND load(const char *tile, int row,
                                               int byte)
{
    const int lane = threadIdx.x % 64;

    return *(const OPERAND *)(tile + place(row + lane % TILE,
                                           byte + lane / TILE * PART));
}

static __device__ void run(const char *tiles, float *y, int steps, int want)
{
    const int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
    const int top = wave / 2 * (M / 2), left = wave % 2 * (N / 2);
    const char *b_tile = tiles + 2 * M * ROW;
    SUM d[DOWN][ACROSS] = {};

    for (int s = 0; s < steps; ++s) {
        const char *a_tile = tiles + s % 2 * M * ROW;

        asm volatile("" ::: "memory"); /* read LDS again in every step */
#pragma unroll
        for (int byte = 0; byte < ROW; byte += STEP) {
            OPERAND a[DOWN], b[ACROSS];
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
                a[i] = load(a_tile, top + i * TILE, byte);
#pragma unroll
            for (int j = 0; j < ACROSS; ++j)
                b[j] = load(b_tile, left + j * TILE, byte);
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
#pragma unroll
                for (int j = 0; j < ACROSS; ++j)
                    d[i][j] = APPLY(a[i], b[j], d[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < DOWN; ++i)
#pragma unroll
        for (int j = 0; j < ACROSS; ++j)
#pragma unroll
            for (int e = 0; e < SUMS; ++e)
                if (top + i * TILE + row_of(lane, e) == want)
                    y[left + j * TILE + lane % TILE] = (float)d[i][j][e];
}
#endif

extern "C" __global__ void __launch_bounds__(256)
    matrix(const float *A, const float *B, float *y, int k, int steps, int bits)
{
#if defined(__HIP_DEVICE_COMPILE__)
    __shared__ __attribute__((aligned(128))) char tiles[(2 * M + N) * ROW];
    const float scale = (float)(1 << bits);

    fill(tiles, A, M, k, scale, 1);
    fill(tiles + M * ROW, A, M, k, scale, -1);
    fill(tiles + 2 * M * ROW, B, N, k, scale, 1);
    __syncthreads();
    run(tiles, y + (size_t)blockIdx.x * N, steps, blockIdx.x % M);
#endif
}
