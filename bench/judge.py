#!/usr/bin/env python3
"""What judging costs besides building, calling and verifying.

For each shipped task, one judgement of the baseline against itself; prints
where the wall time went (as told by the verdict), the overhead against its
bar (10 % of the wall time plus 100 ms), and the supervisor's peak memory
against its bar (64 MB plus one copy of the task's tensors). Ratios of one run;
the machine may be shared.

    bench/judge.py [WHET] [CALLS]
"""
import json
import os
import select
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHET = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/whet")
CALLS = sys.argv[2] if len(sys.argv) > 2 else "48"

# Task, workload, bytes of its tensors.
JOBS = [
    ("gemm", "square-1024", 3 * 4 * 1024 * 1024),
    ("rmsnorm", "0", 4 * (2 * 4096 * 4096 + 4096)),
    ("softmax", "0", 4 * 2 * 4096 * 4096),
    ("reduce_sum", "0", 4 * (1 << 26)),
    ("transpose", "0", 4 * 2 * 4096 * 4096),
    ("gemm", "M=64,N=64,K=64", 3 * 4 * 64 * 64),
]


def peak_kib(pid):
    """Peak resident size of a process so far, 0 once it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            for line in f:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def judge(task, workload):
    path = os.path.join(ROOT, "tasks", task)
    command = [WHET, "judge", "--json", "--calls", CALLS, "--workload",
               workload, path, os.path.join(path, "baselines/opencl.cl")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    peak = 0
    while child.poll() is None:
        peak = max(peak, peak_kib(child.pid))
        time.sleep(0.02)
        if select.select([child.stdout], [], [], 0)[0]:
            break
    out = child.communicate()[0]
    if child.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit status {child.returncode}")
    return json.loads(out), peak / 1024


def main():
    print(f"{'task':11}{'workload':16}{'wall s':>8}{'build':>7}{'device':>8}"
          f"{'verify':>8}{'start':>7}{'rest':>7}{'overhead':>10}{'bar':>8}"
          f"{'MiB':>6}{'bar':>6}")
    for task, workload, tensor_bytes in JOBS:
        verdict, peak = judge(task, workload)
        if verdict["outcome"] != "correct":
            sys.exit(f"{task}: {verdict['outcome']}: {verdict['message']}")
        spend = {k[:-3]: v / 1e9 for k, v in verdict["spend"].items()}
        over = spend["wall"] - spend["build"] - spend["device"] \
            - spend["verify"]
        bar = 0.1 * spend["wall"] + 0.1
        print(f"{task:11}{workload:16}{spend['wall']:8.2f}"
              f"{spend['build']:7.2f}{spend['device']:8.2f}"
              f"{spend['verify']:8.2f}{spend['start']:7.2f}"
              f"{over - spend['start']:7.2f}{over:8.2f} s{bar:6.2f} s"
              f"{peak:6.0f}{64 + tensor_bytes / 2**20:6.0f}")


main()
