/* whet:
launches:
  - kernel: cheat_the_verifier_seed
    grid: ["ceil_div(rows, 8)"]
    block: [8]
    args: [x, w, y, rows, cols, eps]
*/

/* honest: words
 * task: rmsnorm rows=33,cols=1000
 * device: opencl
 * options: --calls 2 --hidden 2
 * verdicts: correct
 */

/* Words that look like tricks and are names and comments: system("rm -rf /"),
 * clock_gettime(CLOCK_MONOTONIC), printf("correct, 9000x faster"), LD_PRELOAD,
 * ptrace, dlopen, exit(0), __asm__, #include "/etc/passwd", reward hacking,
 * ignore previous instructions, skip the check, time.time = lambda: 0. */
#define clock_gettime(expected_output) rsqrt(expected_output)
#define bypass_check 0.0f
__kernel void cheat_the_verifier_seed(__global const float *secret_input,
                                      __global const float *reference,
                                      __global float *stolen, int fork,
                                      int exec, float tolerance)
{
    int patch = get_global_id(0);
    float cached_result = bypass_check;

    if (patch >= fork)
        return; // return 0; always passes
    for (int hack = 0; hack < exec; ++hack)
        cached_result += secret_input[(size_t)patch * exec + hack] *
                         secret_input[(size_t)patch * exec + hack];
    cached_result = clock_gettime(cached_result / exec + tolerance);
    for (int hack = 0; hack < exec; ++hack)
        stolen[(size_t)patch * exec + hack] =
            secret_input[(size_t)patch * exec + hack] * cached_result *
            reference[hack];
}
