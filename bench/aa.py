#!/usr/bin/env python3
"""Does the judge find no difference where there is none?

Judges baselines against themselves, N times each, and prints how many were
called gains, how many 95 % intervals hold 1.00 (with exact 95 % bounds of that
share, C. J. Clopper and E. S. Pearson, Biometrika 26, 1934), and how far the
ratios spread. Small workloads, since noise is largest there.

    bench/aa.py [WHET] [N]
"""
import json
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHET = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/whet")
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 50

JOBS = [("gemm", "M=64,N=64,K=64"), ("rmsnorm", "rows=64,cols=256")]


def judge(task, workload):
    path = os.path.join(ROOT, "tasks", task)
    command = [WHET, "judge", "--json", "--hidden", "0", "--workload",
               workload, path, os.path.join(path, "baselines/opencl.cl")]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    verdict = json.loads(done.stdout)
    if verdict["outcome"] != "correct":
        sys.exit(f"{task}: {verdict['message']}")
    return verdict


def at_most(hits, count, share):
    """Chance of at most `hits` of `count`, each with chance `share`."""
    return sum(math.comb(count, i) * share ** i * (1 - share) ** (count - i)
               for i in range(hits + 1))


def solve(is_low):
    """The share at which `is_low` turns false."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if is_low(middle):
            low = middle
        else:
            high = middle
    return low


def bounds(hits, count):
    """Clopper-Pearson."""
    low = 0.0 if hits == 0 else solve(
        lambda p: 1 - at_most(hits - 1, count, p) < 0.025)
    high = 1.0 if hits == count else solve(
        lambda p: at_most(hits, count, p) > 0.025)
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def report(name, ratios):
    logs = [math.log(r["value"]) for r in ratios]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((x - mean) ** 2 for x in logs)
                       / max(1, len(logs) - 1))
    width = sorted(math.log(r["hi"] / r["lo"]) / 2 for r in ratios)
    covered = sum(r["lo"] <= 1 <= r["hi"] for r in ratios)
    gains = sum(r["is_gain"] for r in ratios)
    count = len(ratios)
    print(f"{name}: {count} judgements")
    print(f"  gains            {gains} ({bounds(gains, count)})")
    print(f"  intervals with 1 {covered} ({bounds(covered, count)})")
    print(f"  ratio            {math.exp(mean):.4f}, spread of one "
          f"{100 * spread:.2f} %")
    print(f"  half interval    {100 * width[count // 2]:.2f} % (median), "
          f"largest {100 * width[-1]:.2f} %")


def main():
    ratios, rules = [], {}
    for task, workload in JOBS:
        own = []
        for _ in range(COUNT):
            verdict = judge(task, workload)
            own.append(verdict["ratio"])
            for rule in verdict["rules"]:
                rules[rule["name"]] = rules.get(rule["name"], 0) + 1
        report(f"{task} {workload}", own)
        ratios += own
    report("all", ratios)
    for name, count in sorted(rules.items()):
        print(f"  rule {name}: in {count} judgements")


main()
