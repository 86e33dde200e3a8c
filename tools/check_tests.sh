#!/bin/sh
# Each src/<room>/<file>.c has tests/<room>/test_<file>.c, or a line with a
# reason in allow/untested.txt; each such test file and each fuzz target is part
# of the build. A part without a public header of its own is tested through the
# file that it was split from: fs_remove.c through test_fs.c.
set -u
cd "$(dirname "$0")/.." || exit 2
. tools/allow.sh
bad=0

# Test file of a source, "" if there is none.
test_of() {
    room=$(basename "$(dirname "$1")")
    stem=$(basename "$1" .c)
    while :; do
        if [ -e "tests/$room/test_$stem.c" ]; then
            echo "tests/$room/test_$stem.c"
            return
        fi
        [ ! -e "src/$room/$stem.h" ] || return
        case $stem in *_*) stem=${stem%_*} ;; *) return ;; esac
    done
}

for source in src/*/*.c; do
    [ -e "$source" ] || continue
    if [ -n "$(test_of "$source")" ]; then
        if allowed untested "$source"; then
            echo "tools/allow/untested.txt: $source has a test now"
            bad=1
        fi
    elif ! allowed untested "$source"; then
        echo "$source: no ${source%/*}/test_${source##*/}" | sed 's/no src/no tests/'
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
for target in tests/fuzz/*_fuzzer.c; do
    [ -e "$target" ] || continue
    name=$(basename "$target" _fuzzer.c)
    sed -n '/^fuzz_targets/,/\]/p' tests/fuzz/meson.build | grep -qF "'$name'" || {
        echo "$target: '$name' is not in fuzz_targets of tests/fuzz/meson.build"
        bad=1
    }
    [ -n "$(ls "tests/fuzz/corpus/$name" 2>/dev/null)" ] || {
        echo "$target: tests/fuzz/corpus/$name is empty"
        bad=1
    }
done
stale untested || bad=1
[ $bad = 0 ] && echo "check_tests: ok"
exit $bad
