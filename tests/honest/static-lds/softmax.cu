/* whet:
launches:
  - kernel: softmax
    grid: [rows]
    block: [256]
    args: [x, y, cols]
constraints: ["cols <= 12032"]
*/

/* honest: static lds
 * task: softmax rows=1024,cols=4096
 * device: cuda
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Its row in 47 KiB of shared memory and a tree in the last of 48, all that a
 * block has without asking. */
extern "C" __global__ void softmax(const float *x, float *y, int cols)
{
    __shared__ float row[12032], part[256];
    int t = threadIdx.x;
    float m = __int_as_float(0xff800000), s = 0.0f;

    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    for (int c = t; c < cols; c += 256) {
        row[c] = x[c];
        m = fmaxf(m, row[c]);
    }
    part[t] = m;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] = fmaxf(part[t], part[t + step]);
        __syncthreads();
    }
    m = part[0];
    __syncthreads();
    for (int c = t; c < cols; c += 256) {
        row[c] = expf(row[c] - m);
        s += row[c];
    }
    part[t] = s;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    for (int c = t; c < cols; c += 256)
        y[c] = row[c] / part[0];
}
