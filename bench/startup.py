#!/usr/bin/env python3
"""Start-up of `whet --version` against /bin/true in the same run.

    bench/startup.py [WHET]
"""
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHET = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/whet")


def median_ms(command):
    times = []
    for _ in range(60):
        start = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append((time.monotonic() - start) * 1e3)
    return statistics.median(times)


whet, true = median_ms([WHET, "--version"]), median_ms(["/bin/true"])
print(f"whet --version {whet:.2f} ms, /bin/true {true:.2f} ms, "
      f"ratio {whet / true:.2f} (bar: 10 ms)")
