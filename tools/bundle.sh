#!/bin/bash
# `make bundle`: one archive that runs on a bare node: no root, no Python, no
# network, no packages. It holds
#   bin/whet             glibc is the machine's, the small libraries are linked
#                        in: sandboxed children see the program and /usr alone
#   libexec/whet/bwrap   bubblewrap, with its own libraries in lib/whet, found
#                        by a relative run path ($ORIGIN), so that nothing of
#                        ours is in anybody's LD_LIBRARY_PATH
#   share/whet/          tasks with compiled references, skills, records
# Prints the glibc that it needs. Fails if that is newer than Debian 12's.
set -eu -o pipefail
cd "$(dirname "$0")/.."
build=${BUNDLE_BUILD:-build-bundle}
glibc_newest=2.36

for tool in meson ninja patchelf objdump bwrap; do
    command -v "$tool" >/dev/null || {
        echo "bundle: $tool is not installed; \`make deps\` installs it" >&2
        exit 3
    }
done
# Linked in, each from the archive that its -dev package brings.
[ -e "$build/build.ninja" ] || meson setup "$build" --prefix=/ \
    -Dbuildtype=release -Dbundle=true >/dev/null
ninja -C "$build" whet >/dev/null
version=$(meson introspect "$build" --projectinfo |
    sed -n 's/.*"version": "\([^"]*\)".*/\1/p')
name=whet-$version-linux-$(uname -m)
root=$build/$name
rm -rf "$root"
DESTDIR="$PWD/$root" meson install -C "$build" --no-rebuild --quiet
mkdir -p "$root/libexec/whet" "$root/lib/whet" "$root/share/doc/whet"

# needed FILE: paths of the libraries that the loader takes for it.
needed() { ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'; }
is_system() {
    case $(basename "$1") in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | \
        ld-linux*) return 0 ;;
    esac
    return 1
}
carried=$root/libexec/whet/bwrap
install -m 755 "$(command -v bwrap)" "$carried"
needed "$carried" | while read -r library; do
    is_system "$library" && continue
    install -m 755 "$library" "$root/lib/whet/"
    patchelf --set-rpath '$ORIGIN' \
        "$root/lib/whet/$(basename "$library")"
done
patchelf --set-rpath '$ORIGIN/../../lib/whet' "$carried"
for package in bubblewrap libseccomp2 libjansson4 libfyaml0 libsqlite3-0 \
    libmd0 libcap2 libselinux1 libpcre2-8-0; do
    [ ! -e "/usr/share/doc/$package/copyright" ] ||
        install -m 644 "/usr/share/doc/$package/copyright" \
            "$root/share/doc/whet/$package.copyright"
done
install -m 644 LICENSE README.md "$root/share/doc/whet/"
cp -r docs "$root/share/doc/whet/"

left=$(needed "$root/bin/whet" | while read -r library; do
    is_system "$library" || echo "$library"
done)
if [ -n "$left" ]; then
    echo "bundle: bin/whet still needs $left" >&2
    exit 3
fi
glibc=$(find "$root/bin" "$root/libexec" "$root/lib" -type f -exec \
    objdump -T {} + 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -Vu |
    tail -n 1)
newest=$(printf '%s\nGLIBC_%s\n' "$glibc" "$glibc_newest" | sort -V | tail -n 1)
if [ "$newest" != "GLIBC_$glibc_newest" ]; then
    echo "bundle: needs $glibc, newer than $glibc_newest" >&2
    exit 3
fi
mkdir -p dist
tar -C "$build" --owner=0 --group=0 --sort=name -czf "dist/$name.tar.gz" \
    "$name"
echo "dist/$name.tar.gz ($(du -h "dist/$name.tar.gz" | cut -f1)), needs $glibc"
