#!/bin/sh
# isolation.sh - sessions that meet (test/isolation/specs), on the server that PGHOST and its like name, by pg_isolation_regress:
# test/postgres/isolation.sh [NAME..]
#
# In the database isolation_regression. ISOLATION_OPTS: options for pg_isolation_regress; UPDATE=1 writes what came into
# test/isolation/expected/ instead. A spec's permutations are cases of the classes that stand here.
set -u
cd "$(dirname "$0")/../isolation" || exit 2

pg_config=${PG_CONFIG:-pg_config}
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/../../$build ;; esac
pgxs=$($pg_config --pgxs) || exit 2
pg_isolation_regress=${pgxs%/makefiles/*}/test/isolation/pg_isolation_regress
out=$build/isolation
passed=0
failed=0

class_of() {
    case $1 in
    register) echo L4 ;;
    cursor) echo L3 ;;
    deploy) echo L1 ;;
    extension) echo L5 ;;
    recheck) echo B6 ;;
    esac
}

[ $# -gt 0 ] || set -- $(cd specs && ls ./*.spec | sed 's,^\./,,; s,\.spec$,,')
mkdir -p "$out" expected
[ -z "${UPDATE:-}" ] || for name; do touch "expected/$name.out"; done
"$pg_isolation_regress" --inputdir=. --outputdir="$out" --bindir="$($pg_config --bindir)" --dbname=isolation_regression \
    --encoding=UTF8 --no-locale ${ISOLATION_OPTS:-} "$@" >"$out/log" 2>&1 || cat "$out/log"
for name; do
    cases=$(grep -c '^permutation' "specs/$name.spec")
    if grep -qE "^(test $name +\.\.\. ok|ok +[0-9]+ +[-+] $name) " "$out/log"; then
        passed=$((passed + 1))
        failures=0
        echo "ok      $name"
    else
        failed=$((failed + 1))
        failures=1
        echo "FAILED  $name"
    fi
    [ -z "${UPDATE:-}" ] || cp "$out/results/$name.out" expected/
    echo "class $(class_of "$name"): $cases cases, $failures failures"
done
[ $failed -eq 0 ] || cat "$out/regression.diffs" 2>/dev/null
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
