# Sourced by the check scripts. allow/NAME.txt lists agreed exceptions, one a
# line: `what  # reason`. A reason is required.

# Is $2 an agreed exception of list $1?
allowed() {
    awk -v what="$2" '
        /^#/ || /^[ \t]*$/ { next }
        $1 == what && NF >= 3 && $2 == "#" { found = 1 }
        END { exit !found }' "tools/allow/$1.txt"
}

# Fails on entries of list $1 without a reason, or whose file is gone.
stale() {
    awk '/^#/ || /^[ \t]*$/ { next } { print $1, $2, $3 }' \
        "tools/allow/$1.txt" | {
        rc=0
        while read -r what mark reason; do
            if [ "$mark" != "#" ] || [ -z "$reason" ]; then
                echo "tools/allow/$1.txt: $what needs '# reason'"
                rc=1
            fi
            if [ ! -e "${what%%:*}" ]; then
                echo "tools/allow/$1.txt: $what: no such file any more"
                rc=1
            fi
        done
        exit $rc
    }
}
