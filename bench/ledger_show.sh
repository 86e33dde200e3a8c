#!/bin/sh
# Times of `whet show` on a ledger of 10,000 candidates: the ledger's part, and
# the whole command where it is built.   usage: bench/ledger_show.sh [BUILD_DIR]
set -eu
build=${1:-build}
ninja -C "$build" tests/ledger/bench_ledger_show >/dev/null
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$build/tests/ledger/bench_ledger_show" "$dir/many.ledger" 10000 | tee "$dir/out"
id=$(sed -n 's/.*an id of one: //p' "$dir/out")
if [ -x "$build/whet" ] &&
    "$build/whet" --version >/dev/null 2>&1; then
    python3 - "$build/whet" "$dir/many.ledger" "$id" <<'PY'
import statistics, subprocess, sys, time
whet, ledger, subject = sys.argv[1:]
def run(argv):
    times = []
    for _ in range(21):
        start = time.perf_counter()
        done = subprocess.run(argv, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        times.append(1e3 * (time.perf_counter() - start))
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
    return times
for name, argv in [('whet --version', [whet, '--version']),
                   ('whet show', [whet, 'show', ledger, subject])]:
    times = run(argv)
    print('%-16s median %.1f ms, worst %.1f ms'
          % (name, statistics.median(times), max(times)))
PY
fi
