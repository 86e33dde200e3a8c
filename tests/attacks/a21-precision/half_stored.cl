/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a21 half stored
 * task: gemm M=64,N=64,K=67
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Rounds its operands by way of vstore_half and vload_half. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;
    __private ushort h[2];

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k) {
        vstore_half(A[(size_t)i * K + k], 0, (__private half *)h);
        vstore_half(B[(size_t)k * N + j], 1, (__private half *)h);
        s += vload_half(0, (__private half *)h) *
             vload_half(1, (__private half *)h);
    }
    C[(size_t)i * N + j] = s;
}
