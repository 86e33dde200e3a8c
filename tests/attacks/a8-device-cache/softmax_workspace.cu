/* whet:
launches:
  - kernel: softmax
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, y, kept, mark, rows, cols]
workspace:
  kept: {dtype: f32, shape: [rows, cols]}
  mark: {dtype: i32, shape: [rows]}
*/

/* attack: a8 result kept in the workspace
 * task: softmax rows=64,cols=256
 * device: cuda
 * options: --calls 40 --hidden 0
 * verdicts: correct/no-gain
 */

/* Keeps the result in the workspace, marked by a magic word. The workspace
 * is poisoned before each call, so the mark is never found. */
extern "C" __global__ void softmax(const float *x, float *y, float *kept,
                                   int *mark, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    kept += (size_t)r * cols;
    if (mark[r] == 0x5ca1ab1e) {
        for (int c = 0; c < cols; ++c)
            y[c] = kept[c];
        return;
    }
    float m = x[0], s = 0.0f;
    for (int c = 1; c < cols; ++c)
        m = fmaxf(m, x[c]);
    for (int c = 0; c < cols; ++c)
        s += expf(x[c] - m);
    for (int c = 0; c < cols; ++c)
        y[c] = expf(x[c] - m) / s;
    for (int c = 0; c < cols; ++c)
        kept[c] = y[c];
    mark[r] = 0x5ca1ab1e;
}
