#!/bin/sh
# Worst errors of honest and of narrow arithmetic in units of the bound, as the
# table at the end of docs/judging.md.   usage: bench/numeric_gate.sh [BUILD_DIR] [CALLS]
set -eu
build=${1:-build}
root=$(cd "$(dirname "$0")/.." && pwd)
ninja -C "$build" libwhet.a >/dev/null
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O2 -I"$root/src" "$root/bench/numeric_gate.c" \
    -o "$dir/gate" "$build/libwhet.a" -pthread -ldl -lm \
    $(pkg-config --libs jansson libfyaml sqlite3 libseccomp) -lmd
WHET_DATA_DIR=$root "$dir/gate" "${2:-3}"
