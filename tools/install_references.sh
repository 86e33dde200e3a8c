#!/bin/sh
# Run by `meson install`: compile the references of the installed tasks with
# the program that was just built, so that judging needs no compiler later.
# Not fatal: without them a machine with a compiler judges all the same.
set -u
whet=$1
data=$MESON_INSTALL_DESTDIR_PREFIX/$2/whet
for task in "$data"/tasks/* "$data"/calibration/*; do
    [ -f "$task/task.yaml" ] || continue
    WHET_CACHE_DIR=$(mktemp -d)
    export WHET_CACHE_DIR
    "$whet" task compile "$task" ||
        echo "install: $task goes without a compiled reference" >&2
    rm -rf "$WHET_CACHE_DIR"
done
