#!/bin/sh
# regress.sh - the SQL files of sql/ on the server that PGHOST and its like name: test/postgres/regress.sh [NAME..]
#
# pg_regress runs each in a psql of its own, in the database contrib_regression, and compares what it prints, errors too,
# with expected/. sql/setup.sql comes first; behind it each file stands alone. NAMEs: only setup and those.
# Behind a line "-- S3: what" the statements are cases of class S3 (test/classes.txt), behind "-- : what" of none.
# REGRESS_OPTS: options for pg_regress, as --host. UPDATE=1 writes what came into expected/ instead. DEVICE: what EXPLAIN says of
# a GPU, and of the blocks that it gets, is not compared.
set -u
cd "$(dirname "$0")/../.." || exit 2

pg_config=${PG_CONFIG:-pg_config}
build=${BUILD:-build}
pgxs=$($pg_config --pgxs) || exit 2
pg_regress=${pgxs%/makefiles/*}/test/regress/pg_regress
out=$build/regress${HBSCORE_SERVER:+/${HBSCORE_SERVER##*.}} # suites run side by side, each on a server of its own
passed=0
failed=0

[ $# -gt 0 ] || set -- $(cd sql && ls ./*.sql | sed 's,^\./,,; s,\.sql$,,; /^setup$/d')
mkdir -p "$out"
: >"$out/classes"
[ -z "${UPDATE:-}" ] || for name in setup "$@"; do touch "expected/$name.out"; done
"$pg_regress" --inputdir=. --outputdir="$out" --bindir="$($pg_config --bindir)" --dbname=contrib_regression --encoding=UTF8 --no-locale \
    ${REGRESS_OPTS:-} setup "$@" >"$out/log" 2>&1 || cat "$out/log"
without_device() {
    sed -E '/^ *("?(Device( Reason| Rows| Wait)?|Redone Blocks|Block Rows|Blocks)"?: |<(Device(-[A-Za-z]*)?|Redone-Blocks|Block-Rows|Blocks)>)/d
        s/blocks of [0-9]+ rows, on c(pu|uda)/blocks/; s/ blocks=[0-9]+//; s/^\([0-9]+ rows?\)$//; s/  +/ /g; s/--+/--/g; s/ +$//' "$1"
}
same_without_device() { # NAME
    [ -n "${DEVICE:-}" ] || return 1
    without_device "$out/results/$1.out" >"$out/got"
    for expected in "expected/$1.out" expected/"$1"_[0-9].out; do
        [ -f "$expected" ] || continue
        without_device "$expected" >"$out/wanted"
        diff "$out/wanted" "$out/got" >"$out/diff" && return
    done
    cat "$out/diff"
    return 1
}
for name in setup "$@"; do
    # "test NAME ... ok 12 ms", from version 16 on "ok 1 - NAME 12 ms".
    if grep -qE "^(test $name +\.\.\. ok|ok +[0-9]+ +[-+] $name) " "$out/log" || same_without_device "$name"; then
        passed=$((passed + 1))
        ok=0
        echo "ok      $name"
    else
        failed=$((failed + 1))
        ok=1
        echo "FAILED  $name"
    fi
    [ -z "${UPDATE:-}" ] || cp "$out/results/$name.out" expected/
    # Which case of a file failed is not known: one failure for each class in it.
    awk -v ok=$ok '/^-- ([A-Z]+[0-9]+)?: / { class = $2; sub(/:/, "", class) }
        /^(SELECT|INSERT|UPDATE|DELETE|TRUNCATE|EXECUTE|FETCH|DO|WITH|COMMIT|REFRESH|CREATE|DROP|ALTER)[ ;]/ && class != "" { n[class]++ }
        END { for (c in n) print c, n[c], ok }' "sql/$name.sql" >>"$out/classes"
done
[ $failed -eq 0 ] || [ -n "${DEVICE:-}" ] || cat "$out/regression.diffs" 2>/dev/null
awk '{ cases[$1] += $2; failures[$1] += $3 }
    END { for (c in cases) print "class " c ": " cases[c] " cases, " failures[c] " failures" }' "$out/classes" | sort
[ $failed -ne 0 ] || rm -rf "$out"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
