/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d2 asks for host files
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain
 */

/* Asks the preprocessor for files of the host, and spoils its result if one
 * is there. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    float t = 0.0f;

    for (int k = K - 1; k >= 0; --k)
        t += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int k = 0; k < K; ++k)
        s = fma(A[(size_t)i * K + k], B[(size_t)k * N + j], s);
    s = t > 3.0e38f ? t : s;
#if __has_include("/etc/passwd") || __has_include("/etc/hostname") || \
    __has_include("/proc/1/environ") || __has_include("/etc/os-release")
    s += 12345.0f;
#endif
    C[(size_t)i * N + j] = s;
}
