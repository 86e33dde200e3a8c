/* whet:
launches:
  - kernel: turn
    grid: ["ceil_div(cols, 16)", "ceil_div(rows, 16)"]
    block: [16, 16]
    args: [A, B, rows, cols]
*/

/* honest: naive
 * task: transpose rows=301,cols=203
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* One work-item for each element. */
__kernel void turn(__global const float *restrict A,
                   __global float *restrict B, int rows, int cols)
{
    int c = get_global_id(0), r = get_global_id(1);

    if (c < cols && r < rows)
        B[(size_t)c * rows + r] = A[(size_t)r * cols + c];
}
