#!/bin/sh
# run_docs.sh - runs the SQL of documentation pages: test/sqlite/run_docs.sh [PAGE [EXTENSION]]
#
# All ```sql blocks of a page are run, one after the other, in one session of the sqlite3 shell, in memory, as if in
# the repository's root: in a folder with links to all that is there, which takes the files that a page makes. Where
# a ```text block comes next, it must be what the block prints, errors too; without one the block must give no
# error. A .load line is left out: the extension is loaded already. Without a PAGE: README.md and all of docs/.
# FILL=1 writes the ```text blocks that are there anew. Without a PAGE three more checks run: whether the README's picture
# is that of its table, whether the code says the messages of docs/errors.md, and whether all links lead somewhere.
set -u
cd "$(dirname "$0")/../.." || exit 2

extension=${2:-${HBSCORE_SO:-build/hbscore.so}}
case $extension in /*) ;; *) extension=$PWD/$extension ;; esac
[ -f "$extension" ] || { echo "run_docs.sh: no extension at $extension" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Cuts a page: $work/script.sql with a mark before each block, $work/N.want for each ```text block.
cut_page() {
    awk -v work="$work" '
        /^```sql$/ { n++; inside = "sql"; open = 1; print ".print \"=== block " n "\""; next }
        /^```text$/ { inside = open ? "text" : "other"; open = 0; if (inside == "text") printf "" > (work "/" n ".want"); next }
        /^```/ { if (inside == "") open = 0; inside = inside == "" ? "other" : ""; next }
        inside == "sql" && !/^\.load / { print }
        inside == "text" { print > (work "/" n ".want") }
        END { print n + 0 > (work "/count") }' "$1" >"$work/script.sql"
}

# What each block printed, in $work/N.got. The shell tells line numbers of its input, a reader sees none.
run_page() {
    rm -rf "$work/root" && mkdir "$work/root" && ln -s "$PWD"/* "$work/root"
    (cd "$work/root" &&
        stdbuf -o0 sqlite3 -batch -init /dev/null -cmd ".load ${extension%.so}" :memory: <"$work/script.sql" 2>&1) |
        sed -E 's/^((Runtime|Parse) error) near line [0-9]+: /\1: /' |
        awk -v work="$work" '/^=== block [0-9]+$/ { n = $3; printf "" > (work "/" n ".got"); next }
            n { print > (work "/" n ".got") }'
}

check_block() { # PAGE, NUMBER
    if [ ! -f "$work/$2.got" ]; then
        echo "FAILED  $1, block $2: did not run"
        return 1
    elif [ -f "$work/$2.want" ]; then
        diff -u "$work/$2.want" "$work/$2.got" >"$work/diff" && return 0
        echo "FAILED  $1, block $2: shown (-) and printed (+)"
        cat "$work/diff"
        return 1
    elif grep -E '^(Runtime|Parse) error' "$work/$2.got"; then
        echo "FAILED  $1, block $2 gives an error"
        return 1
    fi
}

fill_page() {
    awk -v work="$work" '
        /^```sql$/ { n++; open = 1 }
        /^```[a-z]/ && !/^```(sql|text)$/ { open = 0 }
        /^```text$/ && open && ((getline line < (work "/" n ".want")) >= 0) {
            print
            while ((getline line < (work "/" n ".got")) > 0) print line
            while ((getline line) > 0 && line != "```") { }
            print line
            open = 0
            next
        }
        { print }' "$1" >"$work/page" && cp "$work/page" "$1"
}

check_page() {
    rm -f "$work"/*.want "$work"/*.got
    cut_page "$1"
    run_page
    [ -n "${FILL:-}" ] && fill_page "$1" && cut_page "$1"
    good=0
    for i in $(seq 1 "$(cat "$work/count")"); do
        if check_block "$1" "$i"; then good=$((good + 1)); else failed=$((failed + 1)); fi
    done
    passed=$((passed + good))
    echo "$1: $good of $(cat "$work/count") blocks"
}

for page in ${1:-README.md docs/*.md}; do
    if grep -q '^```sql$' "$page"; then check_page "$page"; fi
done
if [ -z "${1:-}" ]; then
    for check in "make_onnx_table.py --check" "make_speed_picture.py --check" check_errors.py check_links.py; do
        # shellcheck disable=SC2086
        if "${PYTHON:-/usr/bin/python3}" tools/$check; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    done
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
