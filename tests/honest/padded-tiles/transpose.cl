/* whet:
launches:
  - kernel: turn
    grid: ["ceil_div(cols, 16)", "ceil_div(rows, 16)"]
    block: [16, 16]
    args: [A, B, rows, cols]
*/

/* honest: padded tiles
 * task: transpose rows=301,cols=203
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Tiles in local memory whose rows are one element longer. */
__kernel void turn(__global const float *restrict A,
                   __global float *restrict B, int rows, int cols)
{
    __local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int c = get_group_id(0) * 16, r = get_group_id(1) * 16;

    if (c + x < cols && r + y < rows)
        tile[y][x] = A[(size_t)(r + y) * cols + c + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (c + y < cols && r + x < rows)
        B[(size_t)(c + y) * rows + r + x] = tile[x][y];
}
