#!/bin/sh
# Each public header must be self-contained: it is compiled alone as C17 and as
# C++17 with warnings as errors. *_priv.h stay inside their room and are exempt.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0
count=0
flags="-Isrc -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsyntax-only"
flags="$flags $(pkg-config --cflags jansson libfyaml sqlite3)"
for header in src/*/*.h; do
    case $header in *_priv.h) continue ;; esac
    count=$((count + 1))
    # Included, not compiled directly: `#pragma once`-like notes do not apply.
    unit="#include \"${header#src/}\""
    # shellcheck disable=SC2086
    echo "$unit" | ${CC:-gcc} -x c -std=c17 $flags - || {
        echo "check_headers: $header fails as C17"
        bad=1
    }
    # shellcheck disable=SC2086
    echo "$unit" | ${CXX:-clang++} -x c++ -std=c++17 $flags - || {
        echo "check_headers: $header fails as C++17"
        bad=1
    }
done
[ $count -gt 0 ] || { echo "check_headers: no header found"; bad=1; }
echo "check_headers: $count headers"
exit $bad
