#!/bin/sh
# format.sh [--check] - formats the C sources as .clang-format says, or says which are not formatted so.
#
# Another version of clang-format breaks lines elsewhere, so only version 14 will do. postgres/ and test/postgres/ are in
# PostgreSQL's own style.
set -eu

sources() {
    find core gpu host sqlite test bench tools -path test/postgres -prune -o \( -name '*.[ch]' -o -name '*.inc' \) -print
}

format=$(command -v clang-format-14 || command -v clang-format || true)
case $("$format" --version 2>&1) in
*version\ 14.*) ;;
*)
    echo "format: clang-format 14 is not installed (Debian 12: apt-get install clang-format)" >&2
    exit 1
    ;;
esac

if [ "${1-}" != --check ]; then
    sources | xargs -P "$(nproc)" -n 40 "$format" -i
    exit
fi

wrong=0
for file in $(sources | xargs -P "$(nproc)" -n 40 "$format" --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9].*/\1/p' | sort -u); do
    echo "format: $file: make format changes it"
    wrong=$((wrong + 1))
done
# It breaks no string, and a long one that is searched for is better whole.
for place in $(sources | xargs awk 'length($0) > 120 && !/"/ { print FILENAME ":" FNR }'); do
    echo "format: $place: longer than 120 columns"
    wrong=$((wrong + 1))
done
echo "$(($(sources | wc -l) - wrong)) passed, $wrong failed"
[ $wrong = 0 ]
