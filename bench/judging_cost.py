#!/usr/bin/env python3
"""Wall time of verdicts over the bare time of their calls, gemm 1024^3 on the
CPU device: screenings (few calls, against the best so far) should stay within
2, a full verdict within 6. Ratios of one run, from its ledger; builds are left
out, since a candidate is built once and judged several times, and are shown
beside.

    bench/judging_cost.py [WHET] [EVALUATIONS] [CALLS]
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHET = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/whet")
EVALUATIONS = sys.argv[2] if len(sys.argv) > 2 else "6"
CALLS = sys.argv[3] if len(sys.argv) > 3 else "24"
LIMITS = {"screened": 2, "raced": 2, "confirmed": 6}


def verdicts(ledger):
    with sqlite3.connect(ledger) as base:
        for kind, data in base.execute("select kind, data from events"):
            if kind in LIMITS:
                yield kind, json.loads(data)


def main():
    with tempfile.TemporaryDirectory() as place:
        ledger = os.path.join(place, "ledger")
        env = dict({"WHET_DATA_DIR": ROOT}, **os.environ)
        env["XDG_STATE_HOME"] = place
        done = subprocess.run(
            [WHET, "run", "gemm", "--device", "opencl", "--evaluations",
             EVALUATIONS, "--calls", CALLS, "--quiet", "--ledger", ledger],
            env=env, stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{WHET} run: exit status {done.returncode}")
        print(f"{'verdict':10} {'pairs':>5} {'calls ms':>9} {'verify':>7} "
              f"{'start':>6} {'ratio':>6} {'limit':>6} {'build ms':>9}")
        for kind, v in verdicts(ledger):
            spend = {k: n / 1e6 for k, n in v["spend"].items()}
            if not v["candidate_time"]:
                continue
            calls = spend["device_ns"]
            wall = spend["wall_ns"] - spend["build_ns"]
            pairs = len(v["candidate_time"]["call_ns"])
            print(f"{kind:10} {pairs:5} {calls:9.0f} {spend['verify_ns']:7.0f} "
                  f"{spend['start_ns']:6.0f} {wall / calls:6.2f} "
                  f"{LIMITS[kind]:6} {spend['build_ns']:9.0f}")


main()
