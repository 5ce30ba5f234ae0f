#!/bin/sh
# run.sh [EXTENSION [DATABASE]] - eight models score four tables in SQLite, and every score is
# compared with the one that the training library gave. Needs the sqlite3 shell and the built
# extension only. Ends with 1 if any score differs. HBSCORE_DEMO_ROWS: rows of the speed test
# (1000000; 0: no test).
set -eu
cd "$(dirname "$0")/.."
. demo/shell.sh

extension=${1:-build/hbscore.so}
database=${2:-build/demo/demo.db}
rows=${HBSCORE_DEMO_ROWS:-1000000}
big=$database-speed

case $rows in
'' | *[!0-9]*) fail "HBSCORE_DEMO_ROWS is a number of rows, not \"$rows\"" ;;
esac
use_extension "$extension"

mkdir -p "$(dirname "$database")"
rm -f "$database" "$database-journal" "$big" "$big-journal"

cat demo/tables.sql demo/models.sql demo/scores.sql | sql "$database"
differ=$(sql "$database" 'SELECT total(rows <> equal) <> 0 FROM demo_check;')
[ "$differ" = 0 ] || fail "scores differ: see the lines above; *_scored and *_expected in $database"

if [ "$rows" -gt 0 ]; then
    trap 'rm -f "$big" "$big-journal"' EXIT
    trap 'exit 1' INT TERM
    {
        echo ".parameter set :rows $rows"
        echo ".parameter set :file $(dot_quote "$(sql_quote "$big")")"
        cat demo/speed.sql
    } | sql "$database"
fi

echo
echo "To go on by hand: sqlite3 $database, and in it .load $load"
[ "$(sqlite3 -batch -init /dev/null :memory: 'PRAGMA trusted_schema')" = 1 ] ||
    echo "and PRAGMA trusted_schema = ON; so that the views in it may score"
