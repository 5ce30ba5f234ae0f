#!/bin/sh
# check_demo_postgres.sh - runs the second tour as a test, in the server that psql reaches: every score must equal the
# training library's, and the tour must not pass with a score that differs.
set -u
. tools/tally.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tour() { # FOLDER: in a database of its own
    dropdb --if-exists hbscore_demo 2>/dev/null
    createdb hbscore_demo
    PGDATABASE=hbscore_demo "$1/demo/postgres/run.sh" >"$work/out" 2>&1
}

tour .
result "the demo runs and all scores are equal" $?
cat "$work/out"
[ "$(grep -c 'scores equal the library' "$work/out")" = 6 ]
result "six models were compared" $?
grep -q '^tickets  *400 of  *400 ' "$work/out"
result "texts were compared" $?
grep -q 'Custom Scan (HbPredict)' "$work/out"
result "a scan is scored in blocks" $?

# A copy in which one stored probability of the library is another.
mkdir "$work/tree"
cp -r demo "$work/tree/"
sed -i '2s/malignant,0.9/malignant,0.8/' "$work/tree/demo/expected/cancer.csv"
if tour "$work/tree"; then status=1; else status=0; fi
grep -q 'demo: scores differ' "$work/out" || status=1
result "a score that differs is an error" $status

tally
