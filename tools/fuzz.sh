#!/bin/sh
# Builds every fuzz target with clang's libFuzzer, address and undefined-
# behaviour sanitizers in build-fuzz/ and runs each for FUZZ_SECONDS. New inputs
# gather in build-fuzz/corpus/, crashes in build-fuzz/crashes/; the corpora in
# tests/fuzz/corpus/ are only read. Last line: `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 2
seconds=${FUZZ_SECONDS:-60}
build=${FUZZ_BUILD:-build-fuzz}
command -v clang >/dev/null || {
    echo "fuzz: clang is not installed (section [check] of" \
        "tools/packages.txt)" >&2
    exit 3
}
[ -e "$build/build.ninja" ] ||
    CC=clang meson setup "$build" -Dfuzz=true -Db_lundef=false \
        -Db_sanitize=address,undefined || exit 1
ninja -C "$build" build.ninja || exit 1
if ! ninja -C "$build" -t query fuzzers >/dev/null 2>&1; then
    echo "fuzz: no target is listed in tests/fuzz/meson.build"
    echo "0 passed, 0 failed"
    exit 0
fi
ninja -C "$build" fuzzers || {
    echo "0 passed, 1 failed"
    exit 1
}
passed=0
failed=0
mkdir -p "$build/crashes"
for program in "$build"/tests/fuzz/fuzz_*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
    name=${program##*/fuzz_}
    mkdir -p "$build/corpus/$name"
    echo "fuzz: $name, $seconds s"
    if UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$program" \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$build/crashes/$name-" \
        "$build/corpus/$name" "tests/fuzz/corpus/$name" \
        >"$build/$name.log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        grep -E 'number_of_executed_units|peak_rss_mb' "$build/$name.log"
    else
        failed=$((failed + 1))
        echo "FAILED: fuzz $name; the input is in $build/crashes/," \
            "the log in $build/$name.log:"
        tail -n 40 "$build/$name.log" | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
