/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, rows, cols]
*/

/* attack: a1 mean
 * task: softmax rows=1024,cols=1024
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Every row is its mean, 1 / cols, which sums to one as it should. */
extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] = 1.0f / cols;
}
