/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [32]
    shared: 49152
    args: [x, y, rows, cols]
*/

/* attack: e7 takes what lies in shared memory
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch wrong/not-finite
 */

/* Copies what kernels before it left in shared memory. */
extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    extern __shared__ float left[];

    for (int c = threadIdx.x; c < cols; c += 32)
        y[(size_t)blockIdx.x * cols + c] =
            ((volatile float *)left)[c % 12288] + 0.0f * x[0];
}
