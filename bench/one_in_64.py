#!/usr/bin/env python3
"""How often a kernel that is wrong in one call out of 64 is refused.

Judges tests/judge/one_in_64.cl N times (100) with 450 calls each, gemm
M=64,N=64,K=64, with --again and a fresh folder of kept results each time, so
that no judgement knows of another. Prints how many were refused and the 95 %
bounds of that share (Clopper and Pearson, Biometrika 1934); exit status 1 if
it was fewer than 97 in 100.

    bench/one_in_64.py [WHET] [N]
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHET = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/whet")
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 100
CALLS = 450


def at_most(k, n, p):
    """Chance of at most k hits in n tries."""
    term, total = (1.0 - p) ** n, 0.0
    for i in range(k + 1):
        total += term
        if p < 1.0:
            term *= (n - i) / (i + 1) * p / (1.0 - p)
    return total


def bounds(hits, n):
    """95 % interval of a share, both ends by bisection."""
    def solve(accept):
        lo, hi = 0.0, 1.0
        for _ in range(60):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if accept(mid) else (lo, mid)
        return lo
    low = 0.0 if hits == 0 else solve(
        lambda p: 1.0 - at_most(hits - 1, n, p) < 0.025)
    high = 1.0 if hits == n else solve(lambda p: at_most(hits, n, p) > 0.025)
    return low, high


def judge():
    with tempfile.TemporaryDirectory() as state:
        done = subprocess.run(
            [WHET, "judge", "--json", "--again", "--device", "opencl",
             "--calls", str(CALLS), "--workload", "M=64,N=64,K=64", "gemm",
             os.path.join(ROOT, "tests/judge/one_in_64.cl")],
            env=dict(os.environ, WHET_STATE_DIR=state),
            stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"whet judge: exit status {done.returncode}")
    verdict = json.loads(done.stdout)
    return f"{verdict['outcome']}/{verdict['reason']}"


def main():
    seen = {}
    for _ in range(COUNT):
        verdict = judge()
        seen[verdict] = seen.get(verdict, 0) + 1
    refused = COUNT - seen.get("correct/none", 0)
    low, high = bounds(refused, COUNT)
    print(f"refused {refused} of {COUNT} judgements of {CALLS} calls, "
          f"95 % bounds of the share [{low:.3f}, {high:.3f}]")
    for verdict, count in sorted(seen.items()):
        print(f"  {verdict:24}{count:5}")
    return 0 if refused * 100 >= 97 * COUNT else 1


if __name__ == "__main__":
    sys.exit(main())
