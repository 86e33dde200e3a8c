/* whet:
launches:
  - kernel: rmsnorm
    grid: ["ceil_div(rows, 64)"]
    block: [64]
    args: [x, w, y, rows, cols, eps]
*/

/* attack: e5 looks for the answer around its buffers
 * task: rmsnorm rows=64,cols=256
 * device: cuda
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch wrong/unwritten wrong/not-finite
 */

/* Searches two MiB around its output for something that looks like a result
 * of this size and copies it. */
extern "C" __global__ void rmsnorm(const float *x, const float *w, float *y,
                                   int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    size_t count = (size_t)rows * cols;
    const float *p = (const float *)((unsigned long long)y & ~0x1fffffull);
    const float *found = x;

    if (r >= rows)
        return;
    for (size_t e = 0; e + count < 524288; e += 64)
        if (p + e != x && p + e != y && p[e] == p[e] &&
            p[e + count - 1] == p[e + count - 1] && p[e] != 0.0f &&
            (p + e + count <= x || p + e >= x + count)) {
            found = p + e;
            break;
        }
    for (int c = 0; c < cols; ++c)
        y[(size_t)r * cols + c] =
            found[(size_t)r * cols + c] * (eps < 1.0f) + 0.0f * w[0];
}
