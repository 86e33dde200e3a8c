#!/bin/sh
# Each src/<room>/<file>.c has tests/<room>/test_<file>.c, or a line with a
# reason in allow/untested.txt; and each such test file is part of the build.
set -u
cd "$(dirname "$0")/.." || exit 2
. tools/allow.sh
bad=0
for source in src/*/*.c; do
    [ -e "$source" ] || continue
    room=$(basename "$(dirname "$source")")
    test=tests/$room/test_$(basename "$source")
    if [ -e "$test" ]; then
        if allowed untested "$source"; then
            echo "tools/allow/untested.txt: $source has a test now"
            bad=1
        fi
    elif ! allowed untested "$source"; then
        echo "$source: no $test"
        bad=1
    fi
done
for test in tests/*/test_*.c; do
    [ -e "$test" ] || continue
    grep -qF "'$(basename "$test")'" "$(dirname "$test")/meson.build" || {
        echo "$test: not named in $(dirname "$test")/meson.build"
        bad=1
    }
done
stale untested || bad=1
[ $bad = 0 ] && echo "check_tests: ok"
exit $bad
