#!/bin/sh
# size.sh - bytes and dependencies of what is built: tools/size.sh BUILD
set -eu

build=${1:-build}
goal=2000000
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$build/hbscore.so"

row() { printf '%-28s %12s  %s\n' "$1" "$2" "${3:-}"; }
bytes() { wc -c <"$1"; }

size=$(bytes "$stripped")
if [ "$size" -lt $goal ]; then verdict="pass: under 2 MB"; else verdict="MISS: not under 2 MB"; fi
row "hbscore.so, stripped" "$size" "$verdict"
row "hbscore.so, with debug info" "$(bytes "$build/hbscore.so")"
row "libhbscore.a" "$(bytes "$build/libhbscore.a")"
size "$build/hbscore.so" | awk 'NR == 2 { printf "%-28s %12d  code and constants\n%-28s %12d  data, of it zeroed %d\n", "  text", $1, "  data", $2 + $3, $3 }'
needed=$(readelf -d "$build/hbscore.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')
row "hbscore.so needs" "" "${needed:-nothing}"
[ "$size" -lt $goal ]
