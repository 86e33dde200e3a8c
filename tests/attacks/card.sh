#!/bin/sh
# Judges all CUDA kernels of tests/attacks and tests/honest on a card, three times
# each, with the whet of an unpacked bundle. Needs sh,
# python3 and the driver; no network. Results accumulate in OUT: started again,
# it goes on with what is missing, so repeats may be spread over days.
#
#   tests/attacks/card.sh BUNDLE OUT [REPEATS [SECONDS [WORD]]]
#       OUT/ledger.jsonl  one line for each judgement
#       OUT/verdicts/     every verdict in full
#       SECONDS           begin no judgement after so many (default: no end)
#       WORD              only files whose path holds it
#
# JOBS (1) judgements run at once: then times, and so gains, mean nothing.
#
# Exit status: that of run.py, over all that the ledger holds.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { echo "card.sh: expected BUNDLE OUT [REPEATS [SECONDS]]" >&2
                  exit 2; }
bundle=$(cd "$1" && pwd)
out=$2
whet=$bundle/bin/whet
[ -x "$whet" ] || { echo "card.sh: $whet: no program" >&2; exit 2; }
mkdir -p "$out"

# The bundle's tasks have their references compiled.
if [ -d "$bundle/share/whet" ]; then
    WHET_DATA_DIR=$bundle/share/whet
    export WHET_DATA_DIR
fi
set -- --whet "$whet" --device "${WHET_DEVICE:-cuda}" --repeats "${3:-3}" \
    --jobs "${JOBS:-1}" --budget "${4:-86400}" "--only=${5:-}" --ledger \
    "$out/ledger.jsonl" --resume --out "$out/verdicts" \
    "$here" "$here/../honest"
status=0
python3 "$here/run.py" "$@" > "$out/last.txt" 2>&1 || status=$?
# 77: cannot judge here. 2: bad use. Nothing to summarise then.
if [ "$status" -eq 77 ] || [ "$status" -eq 2 ] ||
   [ ! -s "$out/ledger.jsonl" ]; then
    cat "$out/last.txt"
    exit "$status"
fi
grep '^processes left over' "$out/last.txt" || true
status=0
python3 "$here/run.py" --summary --ledger "$out/ledger.jsonl" || status=$?
exit "$status"
