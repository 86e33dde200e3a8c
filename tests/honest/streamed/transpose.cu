/* whet:
launches:
  - kernel: turn
    grid: ["ceil_div(cols, 32)", "ceil_div(rows, 32)"]
    block: [32, 32]
    args: [A, B, rows, cols]
*/

/* honest: streamed
 * task: transpose rows=2001,cols=1503
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Loads and stores that are marked as used once. */
extern "C" __global__ void turn(const float *__restrict__ A,
                                float *__restrict__ B, int rows, int cols)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    int c = blockIdx.x * 32, r = blockIdx.y * 32;

    if (c + x < cols && r + y < rows)
        tile[y][x] = __ldcs(A + (size_t)(r + y) * cols + c + x);
    __syncthreads();
    if (c + y < cols && r + x < rows)
        __stcs(B + (size_t)(c + y) * rows + r + x, tile[x][y]);
}
