#!/bin/sh
# Checks this machine against tools/packages.txt and installs what is missing.
#
#   tools/packages.sh missing SECTION...   print missing packages, one a line
#   tools/packages.sh install SECTION...   install them (root or sudo)
#
# Exit status 3: something is missing and could not be installed; the message
# holds the command that would do it.
set -eu
list=$(dirname "$0")/packages.txt

# Lines "first|other|...<tab>what for" of the given sections.
rows() {
    for section in "$@"; do
        grep -qx "\[$section\]" "$list" || {
            echo "packages: no section [$section] in $list" >&2
            exit 2
        }
        awk -v want="[$section]" '
            /^\[/ { on = ($0 == want); next }
            /^#/ || /^[ \t]*$/ || !on { next }
            {
                hash = index($0, "#")
                names = hash ? substr($0, 1, hash - 1) : $0
                what = hash ? substr($0, hash + 1) : ""
                gsub(/[ \t]/, "", names)
                sub(/^ +/, "", what)
                print names "\t" what
            }' "$list"
    done
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Rows of which no alternative is installed, with the first alternative.
missing() {
    rows "$@" | while IFS='	' read -r names what; do
        found=no
        for name in $(echo "$names" | tr '|' ' '); do
            if is_installed "$name"; then found=yes; fi
        done
        [ $found = yes ] || printf '%s\t%s\n' "${names%%|*}" "$what"
    done
}

install_missing() {
    todo=$(missing "$@")
    if [ -z "$todo" ]; then
        echo "packages: all there ($*)"
        return 0
    fi
    names=$(echo "$todo" | cut -f 1 | tr '\n' ' ')
    names=${names% }
    echo "packages: missing on this machine:"
    echo "$todo" | awk -F '\t' '{ printf "  %-20s %s\n", $1, $2 }'
    apt="apt-get install -y --no-install-recommends $names"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        # Without a terminal sudo could only hang or fail on its question.
        if command -v sudo >/dev/null &&
            { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            as_root=sudo
            echo "packages: installing needs root, so this runs with sudo:"
            echo "  apt-get update; $apt"
        else
            echo "packages: installing needs root. Run this as root, then" \
                "repeat your command:" >&2
            echo "  apt-get update && $apt" >&2
            exit 3
        fi
    fi
    # Stale lists matter only if the install fails with the fresh ones too.
    $as_root apt-get update -q </dev/null || true
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive $apt </dev/null || {
        echo "packages: apt-get failed; the command was:" >&2
        echo "  $apt" >&2
        exit 3
    }
}

mode=${1:-}
[ $# -ge 2 ] || mode=
case $mode in
missing | install) shift ;;
*)
    echo "usage: $0 missing|install SECTION..." >&2
    exit 2
    ;;
esac
rows "$@" >/dev/null
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "packages: not a Debian or Ubuntu system, so nothing was checked." \
        "Needed, by their Debian names:" >&2
    rows "$@" | awk -F '\t' '{ printf "  %-40s %s\n", $1, $2 }' >&2
    exit 0
fi
case $mode in
missing) missing "$@" | cut -f 1 ;;
install) install_missing "$@" ;;
esac
