/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: a4 nothing written
 * task: gemm M=512,N=512,K=512
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/unwritten
 */

/* Hopes that the last result, or that of the reference, still lies in the
 * output. */
extern "C" __global__ void gemm(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    if (M < 0)
        C[0] = A[0] + B[0] + N + K;
}
