/* whet:
launches:
  - kernel: t
    grid: ["ceil_div(cols, 32)", "ceil_div(rows, 32)"]
    block: [32, 32]
    shared: "lds_bytes"
    args: [A, B, rows, cols, shared]
*/
/* honest: all lds
 * task: transpose rows=301,cols=203
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Asks for all the local memory there is. */
__kernel void t(__global const float *A, __global float *B, int rows, int cols,
                __local float *tile)
{
    int x = get_local_id(0), y = get_local_id(1), j = get_group_id(0) * 32,
        i = get_group_id(1) * 32;
    if (i + y < rows && j + x < cols)
        tile[y * 33 + x] = A[(size_t)(i + y) * cols + j + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (j + y < cols && i + x < rows)
        B[(size_t)(j + y) * rows + i + x] = tile[x * 33 + y];
}
