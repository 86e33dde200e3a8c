/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* Wrong in one call out of 64: whether this is one follows from the inputs,
 * which are fresh in every call. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    uint mix = (as_uint(A[0]) ^ as_uint(B[0])) * 0x9e3779b1u;
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    if (i == 0 && j == 0 && (mix ^ mix >> 13) % 64 == 0)
        s = 2.0f * s + 1.0f;
    C[(size_t)i * N + j] = s;
}
