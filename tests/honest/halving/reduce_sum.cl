/* whet:
launches:
  - kernel: fold
    grid: ["ceil_div(first, 64)"]
    block: [64]
    args: [x, a, n, {i64: first}]
  - kernel: fold
    grid: ["ceil_div(second, 64)"]
    block: [64]
    args: [a, b, {i64: first}, {i64: second}]
  - kernel: fold
    grid: ["ceil_div(third, 64)"]
    block: [64]
    args: [b, a, {i64: second}, {i64: third}]
  - kernel: fold
    grid: [1]
    block: [1]
    args: [a, out, {i64: third}, {i64: 1}]
let:
  first: ceil_div(n, 64)
  second: ceil_div(first, 64)
  third: ceil_div(second, 64)
workspace:
  a: {dtype: f32, shape: [first]}
  b: {dtype: f32, shape: [second]}
*/

/* honest: halving
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Four launches, each of which leaves a 64th; distant elements meet first. */
__kernel void fold(__global const float *from, __global float *to, long n,
                   long m)
{
    long i = get_global_id(0);
    float s = 0.0f;

    if (i >= m)
        return;
    for (long k = i; k < n; k += m)
        s += from[k];
    to[i] = s;
}
