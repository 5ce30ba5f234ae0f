#!/bin/sh
# run_docs.sh - runs the PostgreSQL of documentation pages: test/postgres/run_docs.sh [PAGE]
#
# All ```pgsql blocks of a page are run, one after the other, in one session of psql in the repository's root, in a
# database of their own. Where a ```text block comes next, it must be what the block prints, errors too; without one the
# block must give no error. psql finds the server by its environment (tools/postgres_server.sh). Without a PAGE:
# README.md and all of docs/. FILL=1 writes the ```text blocks that are there anew.
set -u
cd "$(dirname "$0")/../.." || exit 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Cuts a page: $work/script.sql with a mark before each block, $work/N.want for each ```text block.
cut_page() {
    awk -v work="$work" '
        /^```pgsql$/ { n++; inside = "sql"; open = 1; print "\\echo === block " n; next }
        /^```text$/ { inside = open ? "text" : "other"; open = 0; if (inside == "text") printf "" > (work "/" n ".want"); next }
        /^```/ { if (inside == "") open = 0; inside = inside == "" ? "other" : ""; next }
        inside == "sql" { print }
        inside == "text" { print > (work "/" n ".want") }
        END { print n + 0 > (work "/count") }' "$1" >"$work/script.sql"
}

# What each block printed, in $work/N.got.
run_page() {
    dropdb --if-exists hbscore_docs 2>/dev/null
    createdb hbscore_docs
    psql -X -q -d hbscore_docs <"$work/script.sql" 2>&1 |
        awk -v work="$work" '/^=== block [0-9]+$/ { n = $3; printf "" > (work "/" n ".got"); next }
            n { print > (work "/" n ".got") }'
    dropdb hbscore_docs
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
    elif grep -E '^(ERROR|FATAL|PANIC)' "$work/$2.got"; then
        echo "FAILED  $1, block $2 gives an error"
        return 1
    fi
}

fill_page() {
    awk -v work="$work" '
        /^```pgsql$/ { n++; open = 1 }
        /^```$/ { closed = 1 }
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
    if grep -q '^```pgsql$' "$page"; then check_page "$page"; fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
