#!/bin/sh
# clang-format over the C sources; --fix rewrites them. Kernels and references
# under tasks/ are data and keep their authors' layout.
set -eu
cd "$(dirname "$0")/.."
tool=${CLANG_FORMAT:-clang-format}
command -v "$tool" >/dev/null || {
    echo "check_format: $tool is not installed (package clang-format)" >&2
    exit 3
}
mode="--dry-run -Werror"
[ "${1:-}" != --fix ] || mode=-i
# shellcheck disable=SC2086
find src tests bench -name '*.[ch]' -not -path '*/data/*' \
    -not -path '*/corpus/*' -print0 | sort -z | xargs -0 -r "$tool" $mode
