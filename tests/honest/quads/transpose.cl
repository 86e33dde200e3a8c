/* whet:
launches:
  - kernel: turn
    grid: ["ceil_div(cols, 32)", "ceil_div(rows, 32)"]
    block: [8, 8]
    args: [A, B, rows, cols]
*/

/* honest: quads
 * task: transpose rows=301,cols=203
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Squares of 4 x 4 by vectors; those at an edge one by one. */
__kernel void turn(__global const float *restrict A,
                   __global float *restrict B, int rows, int cols)
{
    int c = 4 * get_global_id(0), r = 4 * get_global_id(1);

    if (c + 4 <= cols && r + 4 <= rows) {
        float4 v[4];
        for (int k = 0; k < 4; ++k)
            v[k] = vload4(0, A + (size_t)(r + k) * cols + c);
        B += (size_t)c * rows + r;
        vstore4((float4)(v[0].x, v[1].x, v[2].x, v[3].x), 0, B);
        vstore4((float4)(v[0].y, v[1].y, v[2].y, v[3].y), 0, B + rows);
        vstore4((float4)(v[0].z, v[1].z, v[2].z, v[3].z), 0,
                B + 2 * (size_t)rows);
        vstore4((float4)(v[0].w, v[1].w, v[2].w, v[3].w), 0,
                B + 3 * (size_t)rows);
        return;
    }
    for (int i = r; i < min(r + 4, rows); ++i)
        for (int k = c; k < min(c + 4, cols); ++k)
            B[(size_t)k * rows + i] = A[(size_t)i * cols + k];
}
