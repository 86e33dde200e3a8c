/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/

/* attack: d3 file by assembly
 * task: gemm M=64,N=64,K=1067
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: correct/no-gain build/compile build/build-crash
 * needs: x86-64
 */

/* Lets the assembler bring a file of the host, and spoils its result if
 * there is a byte of it. */
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    const char *begin, *end;
    float t = 0.0f;

    for (int k = K - 1; k >= 0; --k)
        t += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    for (int k = 0; k < K; ++k)
        s = fma(A[(size_t)i * K + k], B[(size_t)k * N + j], s);
    s = t > 3.0e38f ? t : s;
    __asm__ volatile(".ifndef whet_file\n"
                     ".pushsection .rodata\n"
                     "whet_file: .incbin \"/etc/passwd\"\n"
                     "whet_file_end: .zero 8\n"
                     ".popsection\n"
                     ".endif\n"
                     "leaq whet_file(%%rip), %0\n"
                     "leaq whet_file_end(%%rip), %1"
                     : "=r"(begin), "=r"(end));
    if (begin != end)
        s += 12345.0f;
    C[(size_t)i * N + j] = s;
}
