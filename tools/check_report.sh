#!/bin/sh
# check_report.sh - the report must not call a broken run a good one: each kind of trouble is planted alone.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export REPORT="$work/report" CLASSES="$work/classes"
printf 'S1 | now | one\nN1 | ONNX | other\n' >"$CLASSES"
passed=0
failed=0

# expect NAME STATUS LAST-LINE SUITE..: what the report says of the logs that are there
expect() {
    name=$1 status=$2 last=$3
    shift 3
    tools/report "$@" >"$work/out" 2>&1
    got=$?
    if [ $got -eq "$status" ] && [ "$(tail -n 1 "$work/out")" = "$last" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED  $name: status $got, wanted $status; last line wanted: $last"
        cat "$work/out"
    fi
    rm -rf "$REPORT"
}
run() { # NAME COMMAND: a suite
    tools/suite.sh "$1" sh -c "$2" >/dev/null
}
program() { # NAME BODY: a test program
    printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
    chmod +x "$work/$1"
}
fine='echo "class S1: 2 cases, 0 failures"; echo "3 passed, 0 failed"'

run a "$fine"
expect "a good suite" 0 "3 passed, 0 failed" a
grep -qx 'class S1: 2 cases, 0 failures' "$work/out" && grep -qx 'class N1: waits for ONNX' "$work/out" || failed=$((failed + 1))

run a "$fine"
run b 'echo "b: skipped, no package index reachable"; echo "0 passed, 0 failed"'
expect "a suite that was skipped" 0 "3 passed, 0 failed" a b
grep -qx 'note: b: skipped, no package index reachable' "$work/out" || failed=$((failed + 1))

run a "$fine"
run b 'echo "kernels for avx9: not run, this CPU has none"; echo "1 passed, 0 failed"'
expect "a part that cannot run here" 0 "4 passed, 0 failed" a b
grep -qx 'note: b: kernels for avx9: not run, this CPU has none' "$work/out" || failed=$((failed + 1))

run a "$fine; exit 1"
expect "a bad status without a failed test" 1 "3 passed, 1 failed" a
run a "$fine; kill -SEGV \$\$"
expect "a crash after the count" 1 "3 passed, 1 failed" a
run a 'echo "class S1: 2 cases, 0 failures"'
expect "no count" 1 "0 passed, 1 failed" a
run a "$fine"
expect "a suite that did not run" 1 "3 passed, 1 failed" a b
run a "$fine" && sed -i '/=== exit/d' "$REPORT/a.log"
expect "a run that did not end" 1 "3 passed, 1 failed" a
run a 'echo "class S1: 2 cases, 1 failure"; echo "3 passed, 0 failed"'
expect "a class that failed" 1 "3 passed, 1 failed" a
run a 'printf "first\nFAILED  a test\n  wanted 2\n  got 3\nlast\n"; echo "class S1: 2 cases, 1 failure"; echo "2 passed, 1 failed"'
expect "a failed test" 1 "2 passed, 1 failed" a
[ "$(sed -n '/^see /,$p' "$work/out" | sed '1d;$d')" = "  FAILED  a test
    wanted 2
    got 3" ] || failed=$((failed + 1))
run a 'echo "3 passed, 0 failed"'
expect "a class without a case" 1 "3 passed, 1 failed" a
printf 'A1 | PostgreSQL | of a database\n' >>"$CLASSES"
run a "$fine"
expect "a class of PostgreSQL without a case" 1 "3 passed, 1 failed" a
run a "$fine; echo 'class A1: 5 cases, 0 failures'"
expect "a class of PostgreSQL" 0 "3 passed, 0 failed" a
grep -qx 'class A1: 5 cases, 0 failures' "$work/out" || failed=$((failed + 1))
run a "$fine"
run b 'echo "PostgreSQL: not run, there is no pg_config"; echo "0 passed, 0 failed"'
expect "a class of PostgreSQL where there is none" 0 "3 passed, 0 failed" a b
grep -qx 'class A1: not run, there is no PostgreSQL' "$work/out" || failed=$((failed + 1))
sed -i '/^A1/d' "$CLASSES"
run a "$fine; echo 'class Z9: 1 cases, 0 failures'"
expect "a class that is not listed" 1 "3 passed, 1 failed" a
run golden "echo 'xgboost 1.0: 2 models, 1,000 rows, 10 differences'; $fine"
expect "a golden difference" 1 "3 passed, 1 failed" golden
run golden "echo 'xgboost 1.0: 2 models, 1,000 rows, 0 differences'; $fine"
expect "a golden without one" 0 "3 passed, 0 failed" golden
grep -qx 'golden xgboost 1.0: 2 models, 1,000 rows, 0 differences' "$work/out" || failed=$((failed + 1))
run golden "echo 'operator PCA: 2 models, 1,000 rows, 0 differences'; $fine"
run golden-asan "echo 'operator PCA: 2 models, 1,000 rows, 0 differences'; $fine"
expect "operators" 0 "6 passed, 0 failed" golden golden-asan
[ "$(grep -c '^operator PCA  *2 models   1,000 rows   0 differences$' "$work/out")" = 1 ] || failed=$((failed + 1))
run golden "echo 'operator PCA: 2 models, 1,000 rows, 10 differences'; $fine"
expect "an operator that differs" 1 "3 passed, 1 failed" golden

run golden "echo 'pass fuse: 2 models, 1,000 rewrites'; $fine"
run golden-asan "echo 'pass fuse: 2 models, 1,000 rewrites'; $fine"
expect "passes" 0 "6 passed, 0 failed" golden golden-asan
[ "$(grep -cx 'pass fuse: 2 models, 1,000 rewrites' "$work/out")" = 1 ] || failed=$((failed + 1))

run a "$fine; echo 'shape | scan | LIMIT | equal | scan: 1 call'; echo 'shape | scan | LIMIT | equal | scan: 1 call'"
expect "shapes" 0 "3 passed, 0 failed" a
[ "$(grep -cx 'shape | scan | LIMIT | equal | scan: 1 call' "$work/out")" = 1 ] || failed=$((failed + 1))
run a "$fine; echo 'shape | scan | LIMIT | WRONG | scan: 1 call'"
expect "a shape that differs" 1 "3 passed, 1 failed" a

program good 'echo "[  PASSED  ] 4 test(s)." >&2'
program bad 'echo "[  PASSED  ] 2 test(s)."; echo "[  FAILED  ] 1 test(s), listed below:"; echo "[  FAILED  ] name"; exit 1'
program gone 'kill -ABRT $$'
run class "$fine"
tools/suite.sh a tools/programs.sh "$work/good" >/dev/null
expect "cmocka" 0 "7 passed, 0 failed" class a
run class "$fine"
tools/suite.sh a tools/programs.sh "$work/good" "$work/bad" >/dev/null
expect "cmocka with a failed test" 1 "9 passed, 1 failed" class a
run class "$fine"
tools/suite.sh a tools/programs.sh "$work/good" "$work/gone" "$work/good" >/dev/null
expect "a program that crashed" 1 "11 passed, 1 failed" class a
run class "$fine"
tools/suite.sh a tools/programs.sh >/dev/null
expect "no program at all" 1 "3 passed, 1 failed" class a

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
