#!/bin/sh
# Fails on C functions over 60 lines (brace to brace) and files over 800 lines
# in src, tests and bench. Exempt, since splitting would not help the reader:
# *_table.c, *_tables.c, *_gen.c, *_gen.h, and the lines of allow/sizes.txt.
set -u
cd "$(dirname "$0")/.." || exit 2
. tools/allow.sh
max_function=60
max_file=800
bad=0
for file in $(find src tests bench -name '*.[ch]' | sort); do
    case $file in *_table.c | *_tables.c | *_gen.[ch]) continue ;; esac
    lines=$(wc -l <"$file")
    if [ "$lines" -gt $max_file ] && ! allowed sizes "$file"; then
        echo "$file: $lines lines, at most $max_file"
        bad=1
    fi
    # clang-format puts a function's braces, and only those, in column 1.
    long=$(awk -v max=$max_function '
        /^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name)
                           sub(/.*[ *]/, "", name) }
        /^\{$/ { start = NR }
        /^\}$/ { if (start && NR - start + 1 > max)
                     print name, start, NR - start + 1
                 start = 0 }' "$file")
    while read -r name line count; do
        [ -n "$name" ] || continue
        allowed sizes "$file:$name" && continue
        echo "$file:$line: $name has $count lines, at most $max_function"
        bad=1
    done <<END
$long
END
done
stale sizes || bad=1
[ $bad = 0 ] && echo "check_sizes: ok"
exit $bad
