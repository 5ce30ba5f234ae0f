#!/bin/sh
# check_demo.sh - runs the demo as a test, in its short form: tools/check_demo.sh BUILD
#
# Every score must equal the training library's; a model and a table of one's own must be scored; and the
# demo must not pass with a score that differs.
set -u
. tools/tally.sh

build=${1:-build}
so=$build/hbscore.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

HBSCORE_DEMO_ROWS=20000 demo/run.sh "$so" "$work/demo.db" >"$work/out" 2>&1
result "the demo runs and all scores are equal" $?
cat "$work/out"
cp "$work/out" "$work/demo"

grep -c 'scores equal the library' "$work/demo" >"$work/count"
[ "$(cat "$work/count")" = 6 ]
result "six models were compared" $?
for line in 'hbscore_scan  *1309 of 1309' 'virtual table  *178 of  *178' 'hbscore_deploy  *2 of  *2' 'titanic_onnx  *1309 of 1309' 'tickets  *400 of  *400'; do
    grep "^$line " "$work/demo" >"$work/out"
    result "compared too: $line" $?
done

for pair in titanic.json:titanic.csv cancer.json:cancer.csv wine_lightgbm.txt:wine.csv titanic_catboost.json:titanic.csv \
    titanic_pipeline.json:titanic.csv; do
    demo/own.sh "demo/models/${pair%:*}" "demo/data/${pair#*:}" "$so" "$work/own.db" >"$work/out" 2>&1
    result "a model and a table of one's own: $pair" $?
done
demo/own.sh demo/models/titanic.json demo/data/absent.csv "$so" "$work/own.db" >"$work/out" 2>&1
[ $? -eq 1 ]
result "a table that is not there is an error" $?

# Copies of the demo in which one stored score of the library is another: a probability; the last digit
# of a raw score.
so_path=$(cd "$(dirname "$so")" && pwd)/$(basename "$so")
differs() { # FILE, SED SCRIPT
    rm -rf "$work/tree" "$work/out"
    mkdir "$work/tree"
    cp -r demo "$work/tree/"
    sed -i "$2" "$work/tree/demo/expected/$1"
    ! cmp -s "demo/expected/$1" "$work/tree/demo/expected/$1" &&
        (cd "$work/tree" && HBSCORE_DEMO_ROWS=0 demo/run.sh "$so_path" "$work/other.db") >"$work/out" 2>&1
    [ $? -eq 1 ] && grep -q 'demo: scores differ' "$work/out"
    result "a score that differs is an error: $1" $?
}
differs cancer.csv '2s/malignant,0.9/malignant,0.8/'
differs wine_lightgbm.csv '2s/8338511\]/8338512]/'
differs titanic_catboost.csv '2s/,0\.0/,0.1/'
differs titanic_pipeline.csv '2s/^1,survived/1,died/'

tally
