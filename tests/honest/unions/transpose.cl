/* whet:
launches:
  - kernel: t
    grid: [cols]
    block: [1]
    args: [A, B, rows, cols]
*/
/* honest: unions
 * task: transpose rows=301,cols=203
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Vectors, unions, structs and helper functions. */
union u {
    float16 v;
    float f[16];
    uint4 q[4];
};
struct pair {
    union u a;
    int n;
};
static int put(struct pair *p, float f)
{
    p->a.f[p->n++] = f;
    return p->n == 16;
}
static void flush(struct pair *p, __global float *B)
{
    for (int i = 0; i < p->n; ++i)
        B[i] = p->a.f[i];
    p->n = 0;
}
__kernel void t(__global const float *A, __global float *B, int rows, int cols)
{
    struct pair p = {.n = 0};
    size_t j = get_global_id(0), base = j * rows;
    int i;
    for (i = 0; i < rows; ++i)
        if (put(&p, A[(size_t)i * cols + j])) {
            vstore16(p.a.v, 0, B + base + i - 15);
            p.n = 0;
        }
    flush(&p, B + base + rows - p.n);
}
