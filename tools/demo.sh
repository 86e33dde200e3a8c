#!/bin/bash
# `make demo`: packages, build, then the main job on real input: a search for a
# faster gemm and a faster rmsnorm on the CPU device, no GPU and no model
# needed. Running it again starts from scratch and ends the same way.
set -eu -o pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
out=$build/demo

# On the CPU also where there is a card, which needs a compiler besides;
# `WHET_DEVICE=cuda make demo` takes the card.
export WHET_DEVICE=${WHET_DEVICE:-opencl}

# The two jobs: task and options. Everything else in this file is about them.
jobs=(
    "gemm    --evaluations 12 --time 3m --seed 1"
    "rmsnorm --evaluations 10 --time 3m --seed 1"
)
# How to look at the evidence in LEDGER.
evidence=(
    "whet log LEDGER|what was tried, and how it went"
    "whet show LEDGER ID|one candidate: source, point, every verdict"
    "whet judge --from LEDGER ID|judge it again, from the ledger alone"
)

tools/packages.sh install run build
make --no-print-directory BUILD="$build" binary
whet=$build/whet
if [ ! -x "$whet" ]; then
    echo "demo: $whet was not built" >&2
    exit 3
fi

mkdir -p "$out"
echo "== calibration: $whet calibrate"
"$whet" calibrate </dev/null
status=0
for job in "${jobs[@]}"; do
    # shellcheck disable=SC2086
    set -- $job
    task=$1
    shift
    ledger=$out/$task.ledger
    # A fresh ledger each time: the demo shows a search, not a stored result.
    rm -f "$ledger" "$ledger-wal" "$ledger-shm" "$ledger-journal"
    echo
    echo "== $task: $whet run tasks/$task --ledger $ledger $*"
    rc=0
    "$whet" run "tasks/$task" --ledger "$ledger" "$@" </dev/null |
        tee "$out/$task.txt" || rc=$?
    # 130: stopped by the user, who does not want the next job either.
    [ $rc != 130 ] || exit 130
    if [ $rc != 0 ]; then
        echo "demo: $task ended with status $rc" >&2
        status=$rc
    fi
done

echo
echo "== results"
for job in "${jobs[@]}"; do
    task=${job%% *}
    cat "$out/$task.txt"
done
echo
echo "The evidence lies in:"
for job in "${jobs[@]}"; do
    echo "  $out/${job%% *}.ledger"
done
echo "Look at it with (LEDGER is one of these files):"
for row in "${evidence[@]}"; do
    printf '  %-48s %s\n' "$build/${row%%|*}" "${row#*|}"
done
exit $status
