#!/bin/sh
# pgtap.sh - the pgTAP files of test/pgtap on the server that PGHOST and its like name, by pg_prove: test/postgres/pgtap.sh [FILE..]
#
# In a database of its own, regress_hbscore_pgtap, of which each file leaves nothing. A test whose name begins with "S3: " is a
# case of that class (test/classes.txt).
set -u
cd "$(dirname "$0")/../.." || exit 2

database=regress_hbscore_pgtap
out=${BUILD:-build}/pgtap
command -v pg_prove >/dev/null || { echo "pgtap: there is no pg_prove: skipped"; echo "0 passed, 0 failed"; exit 0; }
if [ -z "$(psql -XAtd postgres -c "SELECT 1 FROM pg_available_extensions WHERE name = 'pgtap'")" ]; then
    echo "pgtap: the server has no pgtap: skipped"
    echo "0 passed, 0 failed"
    exit 0
fi

[ $# -gt 0 ] || set -- test/pgtap/*.sql
mkdir -p "${out%/*}"
psql -Xqd postgres -c 'SET client_min_messages = warning' -c "DROP DATABASE IF EXISTS $database" \
    -c "CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'" || exit 1
pg_prove --verbose -d $database "$@" >"$out" 2>&1
status=$?
psql -Xqd postgres -c "DROP DATABASE $database"
[ $status -eq 0 ] || grep -vE '^ok ' "$out"
# A file that breaks off has no count of its own to miss: it counts as one that failed.
awk -v status=$status '
    /^(not )?ok [0-9]+/ {
        good = !/^not/
        n[good]++
        if (match($0, /- [A-Z]+[0-9]+: /)) {
            class = substr($0, RSTART + 2, RLENGTH - 4)
            cases[class]++
            failures[class] += !good
        }
    }
    END {
        if (status && !n[0]) n[0] = 1
        for (c in cases) print "class " c ": " cases[c] " cases, " failures[c] " failures"
        print n[1] + 0 " passed, " n[0] + 0 " failed"
    }' "$out"
exit $status
