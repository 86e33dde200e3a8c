#!/bin/bash
# The checks are checked: in a small made-up tree each must pass, and must fail
# once its one fault is put in. A check that cannot fail is worth nothing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

fresh() {
    rm -rf "$work/t"
    mkdir -p "$work/t/src/base" "$work/t/tests/base" "$work/t/bench" \
        "$work/t/b/libwhet.a.p"
    cp -r "$here" "$work/t/tools"
    cp "$here/../.clang-format" "$work/t/"
    cd "$work/t" || exit 2
    for list in tools/allow/*.txt; do : >"$list"; done
    printf '/** Add. */\nint whet_a(int x);\nint whet_b(int x);\n' \
        >src/base/a.h
    printf 'int whet_a(int x)\n{\n    return x;\n}\n' >src/base/a.c
    printf 'int test_a(void);\n' >tests/base/test_a.c
    printf "unit_tests += {'test_a': files('test_a.c')}\n" \
        >tests/base/meson.build
    compile
}
compile() { gcc -c src/base/a.c -o b/libwhet.a.p/src_base_a.c.o; }

# expect pass|fail WHAT COMMAND...
expect() {
    want=$1 what=$2
    shift 2
    if "$@" >"$work/out" 2>&1; then got=pass; else got=fail; fi
    if [ $got != "$want" ]; then
        echo "check_self: $what: expected $want, got $got"
        sed 's/^/    /' "$work/out"
        bad=1
    fi
}

fresh
expect pass 'clean headers' tools/check_headers.sh
expect pass 'clean docs' tools/check_docs.py
expect pass 'clean sizes' tools/check_sizes.sh
expect pass 'clean globals' tools/check_globals.sh b
expect pass 'clean format' tools/check_format.sh
expect pass 'clean tests' tools/check_tests.sh
expect pass 'clean text' tools/check_text.py
expect pass 'no broken link' tools/check_links.py

echo 'size_t whet_c(void);' >>src/base/a.h
expect fail 'header that is not self-contained' tools/check_headers.sh
fresh
echo 'int whet_new(int new);' >>src/base/a.h
expect fail 'header that is no C++' tools/check_headers.sh
fresh
printf '\nint whet_c(void);\n' >>src/base/a.h
expect fail 'prototype without a comment' tools/check_docs.py
fresh
printf '\n/** Type. */\ntypedef int whet_t;\nint whet_c(whet_t (*f)(int));\n' \
    >>src/base/a.h
expect fail 'prototype below a type' tools/check_docs.py
fresh
{
    printf 'int whet_l(void)\n{\n'
    seq -f '    /* %g */' 60
    printf '    return 0;\n}\n'
} >>src/base/a.c
expect fail 'long function' tools/check_sizes.sh
echo 'src/base/a.c:whet_l # measured' >tools/allow/sizes.txt
expect pass 'allowed long function' tools/check_sizes.sh
echo 'src/base/a.c:whet_l' >tools/allow/sizes.txt
expect fail 'exception without a reason' tools/check_sizes.sh
fresh
echo 'src/base/gone.c # old' >tools/allow/sizes.txt
expect fail 'exception for a file that is gone' tools/check_sizes.sh
fresh
seq -f '/* %g */' 801 >>src/base/a.h
expect fail 'long file' tools/check_sizes.sh
for line in 'int whet_g = 1;' 'static int z; int *whet_z(void) { return &z; }' \
    '__thread int whet_t;' 'int *whet_f(void) { static int c = 3; return &c; }'
do
    fresh
    echo "$line" >>src/base/a.c
    compile
    expect fail "writable data: $line" tools/check_globals.sh b
done
fresh
echo 'const char *const whet_names[] = {"a", "b"};' >>src/base/a.c
compile
expect pass 'constant table of pointers' tools/check_globals.sh b
fresh
echo 'int  whet_x ( void );' >>src/base/a.h
expect fail 'bad format' tools/check_format.sh
fresh
cp src/base/a.c src/base/b.c
expect fail 'source without a test' tools/check_tests.sh
echo 'src/base/b.c # data only' >tools/allow/untested.txt
expect pass 'allowed source without a test' tools/check_tests.sh
fresh
cp src/base/a.c src/base/a_part.c
expect pass 'part tested through the whole' tools/check_tests.sh
cp src/base/a.h src/base/a_part.h
expect fail 'part with a header of its own' tools/check_tests.sh
fresh
mkdir -p tests/fuzz/corpus/x
: >tests/fuzz/x_fuzzer.c
: >tests/fuzz/corpus/x/1
printf "fuzz_targets = [\n  'x',\n]\n" >tests/fuzz/meson.build
expect pass 'listed fuzz target' tools/check_tests.sh
printf "fuzz_targets = [\n]\nx = 'x'\n" >tests/fuzz/meson.build
expect fail 'fuzz target that is not listed' tools/check_tests.sh
fresh
: >tests/base/meson.build
expect fail 'test that is not built' tools/check_tests.sh
for line in '/wo''rk/main' 'see /ro''ot/x' 'https:''//pkg.internal/x' \
    'TO''DO: later' 'pip from py''pi.org' 'at 10.1''.2.3'; do
    fresh
    echo "/* $line */" >>src/base/a.c
    expect fail "text: $line" tools/check_text.py
done

fresh
echo 'see [that](docs/that.md)' >README.md
expect fail 'broken link' tools/check_links.py

[ $bad = 0 ] && echo "check_self: ok"
exit $bad
