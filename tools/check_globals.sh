#!/bin/sh
# Fails on writable data in the objects of the library and the binary: no
# mutable file-scope, global or function-static variables, except the lines of
# allow/globals.txt. Argument: a build folder without sanitizers.
set -u
cd "$(dirname "$0")/.." || exit 2
. tools/allow.sh
build=${1:-build}
bad=0
count=0
for object in $(find "$build"/libwhet.a.p "$build"/whet.p -name '*.o' \
    2>/dev/null | sort); do
    count=$((count + 1))
    # meson: src/base/err.c -> src_base_err.c.o
    source=$(basename "$object" .o)
    source=$(echo "$source" | sed 's/_/\//; s/_/\//')
    # Constant tables of pointers are in .data.rel.ro: read-only once loaded.
    for symbol in $(objdump -t "$object" | awk '
        $0 ~ /^[0-9a-f]+ / {
            flags = substr($0, 18, 7); rest = substr($0, 26)
            split(rest, part, /[ \t]+/)
            section = part[1]; name = part[3]
            # d marks a section symbol; thread-local ones lack the O.
            if (flags !~ /d/ && section !~ /^\.data\.rel\.ro/ &&
                section ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/)
                print name
        }'); do
        allowed globals "$source:${symbol%%.*}" && continue
        echo "$source: writable data symbol $symbol"
        bad=1
    done
done
stale globals || bad=1
[ $count -gt 0 ] || { echo "check_globals: no object in $build"; bad=1; }
echo "check_globals: $count objects"
exit $bad
