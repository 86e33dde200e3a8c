/* whet:
launches:
  - kernel: turn
    grid: ["ceil_div(cols, 32)", "ceil_div(rows, 32)"]
    block: [32, 32]
    args: [A, B, rows, cols]
*/

/* honest: naive
 * task: transpose rows=2001,cols=1503
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* One thread for each element. */
extern "C" __global__ void turn(const float *__restrict__ A,
                                float *__restrict__ B, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;

    if (c < cols && r < rows)
        B[(size_t)c * rows + r] = A[(size_t)r * cols + c];
}
