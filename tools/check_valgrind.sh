#!/bin/sh
# check_valgrind.sh - the demo's statements and some that fail, in the sqlite3 shell under valgrind:
#   tools/check_valgrind.sh BUILD
# No invalid read or write, no use of what was not set, nothing lost at the end. What the shell and its
# libraries do by themselves is the first run, without the extension.
set -u

build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

under_valgrind() { # NAME: the statements are in $work/NAME.sql
    valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect sqlite3 -batch -init /dev/null "$work/$1.db" \
        <"$work/$1.sql" >"$work/out" 2>&1
    status=$?
    if [ $status -ne 9 ] && ! grep -q '^==[0-9]*==' "$work/out"; then
        passed=$((passed + 1))
        echo "ok      $1 (status $status)"
    else
        failed=$((failed + 1))
        echo "FAILED  $1 (status $status)"
        tail -n 60 "$work/out"
    fi
}

load=".load $(pwd)/$build/hbscore"
case $build in /*) load=".load $build/hbscore" ;; esac

echo "SELECT 1;" >"$work/shell.sql"
{ echo "$load"; cat demo/tables.sql demo/models.sql demo/scores.sql; } >"$work/demo.sql"
{
    echo "$load"
    cat <<'SQL'
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
SELECT hbscore_register('m', readfile('demo/models/titanic.json'));
SELECT hbscore_register('bad', x'7b226c6561726e6572');
SELECT hbscore_register('bad', substr(readfile('demo/models/titanic.json'), 1, 5000));
SELECT hbscore_register('bad', substr(readfile('demo/models/wine.ubj'), 1, 5000));
SELECT hbscore_register('bad', readfile('demo/models/wine.ubj'), '{"classes": [');
SELECT * FROM hbscore_inspect(readfile('demo/models/cancer.json'));
SELECT predict('m@1', 1, 2, 3);
SELECT predict('m', 1, 2, 3);
SELECT predict('m', 1, 'female', 30, 0, 0, 80, NULL), predict_proba('m@2', 3, 'male', NULL, 0, 0, 7, 'S');
SELECT predict('m', 1, 'neither', 30, 0, 0, 80, 'X');
SELECT predict('none', 1);
SELECT predict_json('m', '{"pclass": 1');
SELECT predict_json('m', '{"pclass": 1}');
SELECT hbscore_deploy('m', 1), hbscore_deploy('m', 9);
SELECT predict('m@default', 1), predict('m', 1);
SELECT predict('m@other', 1);
SELECT hbscore_drop('m', 1);
SELECT hbscore_drop('m', 2);
SELECT hbscore_drop('m');
SQL
} >"$work/errors.sql"

for name in scan scored agg; do
    { echo "$load"; cat "test/sqlite/$name.sql"; } >"$work/$name.sql"
done

for name in shell demo errors scan scored agg; do
    under_valgrind $name
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
