#!/bin/sh
# own.sh MODEL DATA [EXTENSION [DATABASE]] - scores a CSV file (first line: column names) with a
# model file, in SQLite. By name where every feature of the model has a column of its name (others,
# such as an id or the answer, may stand beside them); by position where the model has no names and
# the file has exactly as many columns. An empty field is a missing value; what looks like a number
# is one. HBSCORE_OPTIONS: registration options, such as '{"classes": ["no", "yes"]}'.
set -eu
. "$(dirname "$0")/shell.sh"

model=${1:-}
data=${2:-}
database=${4:-build/demo/own.db}
if [ -z "$model" ] || [ -z "$data" ]; then
    fail "usage: make demo MODEL=file DATA=file.csv"
fi
need_file "$model"
need_file "$data"
use_extension "${3:-build/hbscore.so}"

mkdir -p "$(dirname "$database")"
rm -f "$database" "$database-journal"

# ask SQL: the answer as text.
ask() {
    sql "$database" "$1"
}

options=$(sql_quote "${HBSCORE_OPTIONS:-"{}"}")
file=$(sql_quote "$model")
ask "SELECT hbscore_register('own', readfile($file), $options);" >/dev/null ||
    fail "$model was not registered"

ask "CREATE TABLE inspection AS
    SELECT role, position, name, type, note FROM hbscore_inspect(readfile($file), $options);"

# .import makes text columns; numeric affinity makes numbers of the texts that are numbers. Categories
# stay the texts that they are: 05 is not 5.
echo ".import --csv $(dot_quote "$data") raw" | sql "$database" || fail "$data was not imported"
ask "$(ask "SELECT 'CREATE TABLE data ('
        || group_concat(printf('\"%w\" %s', name, type), ', ') || '); INSERT INTO data SELECT '
        || group_concat(printf('nullif(\"%w\", '''')', name), ', ') || ' FROM raw; DROP TABLE raw;'
    FROM (SELECT name, CASE WHEN EXISTS (
            SELECT 1 FROM inspection AS i
            WHERE i.role = 'feature' AND i.type = 'text' AND i.name = c.name COLLATE NOCASE)
        THEN 'TEXT' ELSE 'NUMERIC' END AS type FROM pragma_table_info('raw') AS c);")" ||
    fail "$data was not imported"
rows=$(ask "SELECT count(*) FROM data;")
[ "$rows" -gt 0 ] || fail "$data has a line of column names but no rows"

# The model's features, each with the column that it is taken from.
ask "CREATE TABLE columns AS
    SELECT cid + 1 AS position, name FROM pragma_table_info('data');
    CREATE TABLE feature AS
    SELECT position, name, CASE
        WHEN name <> '' THEN coalesce(
            (SELECT c.name FROM columns AS c WHERE c.name = f.name),
            (SELECT c.name FROM columns AS c WHERE c.name = f.name COLLATE NOCASE))
        WHEN (SELECT count(*) FROM columns)
            = (SELECT count(*) FROM inspection WHERE role = 'feature')
        THEN (SELECT c.name FROM columns AS c WHERE c.position = f.position)
        END AS source
    FROM inspection AS f WHERE role = 'feature' ORDER BY position;"

echo "What $model says of itself:"
sql "$database" <<'SQL'
.mode box --wrap 60
SELECT * FROM inspection WHERE role <> 'feature' OR position <= 10;
.mode list
SELECT '(and ' || (count(*) - 10) || ' features more)' FROM feature HAVING count(*) > 10;
SQL

columns=$(ask "SELECT group_concat(name, ', ') FROM columns;")
missing=$(ask "SELECT group_concat(name, ', ') FROM feature WHERE source IS NULL AND name <> '';")
if [ -n "$missing" ]; then
    fail "the model takes features that are no columns of $data: $missing
  its columns: $columns"
fi
if [ "$(ask "SELECT count(*) FROM feature WHERE source IS NULL;")" -gt 0 ]; then
    fail "the model has no feature names and takes $(ask "SELECT count(*) FROM feature;") columns,
  in its order; $data has others: $columns
  leave out what is no feature"
fi

# The rows as JSON, and where SQLite's 127 arguments allow, the same values as plain arguments. JSON
# is made of pieces of 60 values for that limit too.
json_by() { # json_by FUNCTION OPEN CLOSE VALUE
    ask "SELECT '''$2''' || group_concat(' || trim($1(' || list || '), ''$2$3'')', ' || '',''')
        || ' || ''$3''' FROM (
            SELECT group_concat($4, ', ') AS list FROM feature GROUP BY (position - 1) / 60);"
}
if [ "$(ask "SELECT count(*) FROM feature WHERE name <> '';")" -gt 0 ]; then
    how="by name"
    json=$(json_by json_object '{' '}' "quote(name) || printf(', \"%w\"', source)")
else
    how="by position"
    json=$(json_by json_array '[' ']' "printf('\"%w\"', source)")
fi
plain=$(ask "SELECT group_concat(printf('\"%w\"', source), ', ')
    FROM feature HAVING count(*) <= 126;")
shown=$(ask "SELECT group_concat(printf('\"%w\"', name), ', ') FROM columns WHERE position <= 5;")
function=$(ask "SELECT name FROM inspection
    WHERE role = 'output' AND name IN ('predict_label', 'predict', 'predict_values')
    ORDER BY name = 'predict_label' DESC, name = 'predict' DESC LIMIT 1;")
[ -n "$function" ] || fail "the model answers neither predict nor predict_values"

echo
echo "The first rows, scored $how:"
sql "$database" <<SQL || fail "the first rows could not be scored"
.mode box --wrap 60
.nullvalue "."
WITH scored AS MATERIALIZED (
    SELECT $shown, predict_json('own', $json) AS "its answer" FROM data LIMIT 10)
SELECT $shown,
    coalesce("its answer" ->> '\$.prediction', "its answer" -> '\$.values') AS prediction,
    (SELECT round(value, 4) FROM json_each("its answer", '\$.probabilities')
        WHERE key = trim("its answer" -> '\$.prediction', '"')) AS probability
FROM scored;
SQL

# A small table is scored several times over: the clock has milliseconds. The first call compiles
# the model, so it is made before.
passes=$((20000 / rows + 1))
echo
sql "$database" <<SQL || fail "a row could not be scored"
CREATE TEMP TABLE first AS SELECT $function('own', ${plain:-$json}) FROM data LIMIT 1;
CREATE TEMP TABLE lap (begun REAL, scored INTEGER, ended REAL);
INSERT INTO lap (begun) VALUES (julianday('now'));
WITH RECURSIVE pass (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM pass WHERE n < $passes)
UPDATE lap SET scored =
    (SELECT count($function('own', ${plain:-$json})) FROM pass, data) / $passes;
UPDATE lap SET ended = julianday('now');
SELECT printf('%,d of %,d rows have a score.', scored, $rows)
    || iif(scored < $rows, ' The others gave NULL.', '') FROM lap;
SELECT printf('Speed: %,d rows a second ($function, one thread, passes over the rows: $passes)',
    $rows * $passes / max((ended - begun) * 86400, 0.001)) FROM lap;
SQL
echo "The table data and the model own are in $database."
