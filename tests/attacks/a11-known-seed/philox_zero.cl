/* whet:
launches:
  - kernel: sums
    grid: [1]
    block: [1]
    args: [x, out, n]
*/

/* attack: a11 the generator with key 0
 * task: reduce_sum n=100003
 * device: opencl
 * options: --calls 2 --hidden 0
 * verdicts: wrong/mismatch
 */

/* The generator of the inputs (docs/judging.md) with a key of zeros. */
static uint4 philox(uint4 c)
{
    uint2 key = (uint2)(0, 0);

    for (int round = 0; round < 10; ++round) {
        uint h0 = mul_hi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
        uint h1 = mul_hi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;

        c = (uint4)(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
        key += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}

static uint mix(uint i, uint p, uint q)
{
    uint v = i + p;

    v = (v ^ v >> 16) * 0x7feb352du;
    v = ((v ^ v >> 15) ^ q) * 0x846ca68bu;
    return v ^ v >> 16;
}

/* Draws the terms itself, as the verifier does, with a guessed key. */
__kernel void sums(__global const float *x, __global float *out, long n)
{
    float s = 0.0f;

    for (long g = 0; g * 4096 < n; ++g) {
        uint4 seed = philox((uint4)((uint)g, 0, 0, 0));

        for (long i = 0; i < 4096 && g * 4096 + i < n; ++i)
            s += (float)(mix((uint)i, seed.x, seed.y) >> 8) * 0x1p-24f;
    }
    out[0] = s + 0.0f * x[0];
}
