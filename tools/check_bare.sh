#!/bin/sh
# check_bare.sh - the two commands of the README in a bare Debian: tools/check_bare.sh [TARGET..]
#
# Makes a minimal Debian with git and make in a folder (debootstrap), copies the working tree into it and runs
# `make TARGET` there as root: demo and check, or the targets given. DEBIAN: the release, bookworm (Debian 12) if not
# given, or a newer one that this machine's debootstrap knows. Packages come from where this machine's apt takes its
# own; nothing is written down here. Needs root and about 2 GB under $BUILD. The mounts live in a namespace of their
# own and end with the script.
set -eu

suite=${DEBIAN:-bookworm}
own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
build=${BUILD:-build}
[ $# -gt 0 ] || set -- demo check

if [ "$(id -u)" -ne 0 ]; then
    echo "check-bare: needs root (debootstrap, chroot)" >&2
    exit 1
fi
if [ "${HBSCORE_BARE_INSIDE:-}" = "" ]; then
    HBSCORE_BARE_INSIDE=1 exec unshare --mount --propagation private -- "$0" "$@"
fi

# The sources of this machine that are Debian's own, with the wanted release in place of its own.
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    awk -v suite=$suite -v own="$own" '$4 == "Debian" && index($2, own) == 1 {
        print "deb", $1, suite substr($2, length(own) + 1), $3 }' | sort -u)
mirror=$(printf '%s\n' "$sources" | awk -v suite=$suite '$3 == suite { print $2; exit }')
if [ -z "$mirror" ]; then
    echo "check-bare: this machine's apt has no source of Debian's own (after apt-get update?)" >&2
    exit 1
fi

root=$build/bare-$suite
rm -rf "$root"
mkdir -p "$root"
root=$(cd "$root" && pwd)
echo "check-bare: debootstrap $suite"
debootstrap --variant=minbase --include=git,make,ca-certificates $suite "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log"
    exit 1
}
printf '%s\n' "$sources" >"$root/etc/apt/sources.list"
apt-config dump | grep -i 'proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt" 2>/dev/null || true
rm -rf "$root"/var/lib/apt/lists/*

mkdir -p "$root/src"
{ git ls-files --cached --others --exclude-standard 2>/dev/null || find . -path "./$build" -prune -o -type f -print; } |
    while read -r file; do [ ! -e "$file" ] || echo "$file"; done | tar -c -T - | tar -x -C "$root/src"

mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"

failed=0
for target in "$@"; do
    start=$(date +%s)
    echo "check-bare: make $target"
    if chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        make -C /src "$target" >"$root.$target.log" 2>&1; then
        echo "check-bare: make $target: passed in $(($(date +%s) - start)) s"
    else
        echo "check-bare: make $target: FAILED after $(($(date +%s) - start)) s; the end of $root.$target.log:"
        failed=$((failed + 1))
    fi
    tail -n 12 "$root.$target.log" | sed 's/^/    /'
done
umount -R "$root/dev" "$root/proc"
[ $failed -eq 0 ] && rm -rf "$root"
echo "$(($# - failed)) passed, $failed failed"
[ $failed -eq 0 ]
