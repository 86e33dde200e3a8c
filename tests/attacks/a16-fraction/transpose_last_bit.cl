/* whet:
launches:
  - kernel: t
    grid: ["ceil_div(cols, 16)", "ceil_div(rows, 16)"]
    block: [16, 16]
    args: [A, B, rows, cols]
*/

/* attack: a16 transpose last bit
 * task: transpose rows=301,cols=203
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* Clears the lowest bit of one element in a million: far below any tolerance.
 */
__kernel void t(__global const float *A, __global float *B, int rows, int cols)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i >= rows || j >= cols)
        return;
    float v = A[(size_t)i * cols + j];
    if (i == rows / 2 && j == cols / 3)
        v = as_float(as_uint(v) ^ 1u);
    B[(size_t)j * rows + i] = v;
}
