#!/bin/sh
# check_instructions.sh - what a scored row costs in instructions, which no noise of a machine changes:
#   tools/check_instructions.sh BUILD
# The demo's cancer model (60 trees of depth 3, 30 features) scores 500 and 1,500 rows under callgrind; the
# difference is that of 1,000 rows; so does the pipeline over the Titanic (5 numbers and 2 texts with gaps), by the
# kernels that every CPU has. Cases whose name begins with forest_ are of one strategy, and only what is inside
# hbs_score, hbs_score_row or hbs_score_numbers is counted, not the reading of the rows: a kernel that costs more is
# not hidden behind SQLite.
# tools/instructions.txt has the bound of each case: a twentieth above what was measured, with Debian 12's gcc. A
# change that costs more must say why it raises a bound; one that costs less lowers it.
set -eu

build=${1:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
columns="mean_radius, mean_texture, mean_perimeter, mean_area, mean_smoothness, mean_compactness, mean_concavity,
    mean_concave_points, mean_symmetry, mean_fractal_dimension, radius_error, texture_error, perimeter_error, area_error,
    smoothness_error, compactness_error, concavity_error, concave_points_error, symmetry_error, fractal_dimension_error,
    worst_radius, worst_texture, worst_perimeter, worst_area, worst_smoothness, worst_compactness, worst_concavity,
    worst_concave_points, worst_symmetry, worst_fractal_dimension"
columns=$(echo $columns)
passenger="pclass, sex, age, sibsp, parch, fare, embarked"
grapes="alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, nonflavanoid_phenols,
    proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines, proline"
grapes=$(echo $grapes)
# For a model of 12 columns without data of its own: numbers between -2 and 2.
spread=
for i in 3 7 11 19 23 31 37 41 43 47 53 59; do
    spread="$spread${spread:+, }(n * $i % 101) / 25.0 - 2"
done
export HBSCORE_INSTRUCTION_SET=portable

shell() { sqlite3 -batch -init /dev/null -cmd ".load $build/hbscore" "$work/rows.db" "$@"; }

{
    sed -n '/^CREATE TABLE cancer (/,/;$/p; /^CREATE TABLE titanic (/,/;$/p
        /^CREATE TABLE wine (/,/;$/p' demo/tables.sql
    echo ".mode csv"
    echo ".import --skip 1 demo/data/cancer.csv cancer"
    echo ".import --skip 1 demo/data/titanic.csv titanic"
    echo ".import --skip 1 demo/data/wine.csv wine"
    echo "UPDATE titanic SET age = nullif(age, ''), fare = nullif(fare, ''), embarked = nullif(embarked, '');"
    echo "SELECT hbscore_register('titanic', readfile('demo/models/titanic_pipeline.json'));"
    echo "SELECT hbscore_register('cancer', readfile('demo/models/cancer.json'));"
    echo "SELECT hbscore_register('wine', readfile('demo/models/wine_lightgbm.txt'));"
    echo "SELECT hbscore_register('vectors', readfile('test/golden/sklearn/random_forest_larger_19.json'));"
    for rows in 500 1500; do
        echo "CREATE TABLE cancer$rows AS SELECT $columns FROM cancer, (VALUES (1), (2), (3)) LIMIT $rows;"
        echo "CREATE TABLE titanic$rows AS SELECT $passenger FROM titanic, (VALUES (1), (2)) LIMIT $rows;"
        echo "CREATE TABLE wine$rows AS SELECT $grapes FROM wine,"
        echo "    (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9)) LIMIT $rows;"
        echo "CREATE TABLE spread$rows AS WITH RECURSIVE count(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM count)"
        echo "    SELECT $spread FROM count LIMIT $rows;"
        echo "CREATE VIRTUAL TABLE scored$rows USING hbscore(model='cancer', source='cancer$rows');"
    done
} | shell >"$work/setup" 2>&1 || { cat "$work/setup"; exit 1; }

# statement CASE ROWS
statement() {
    case $1 in
    forest_row) echo "SELECT hbscore_set('strategy', 'tt');
        SELECT sum(predict_probability('cancer', 1, $columns)) FROM cancer$2" ;;
    forest_bits) echo "SELECT hbscore_set('strategy', 'bits');
        SELECT sum(probability) FROM hbscore_scan('cancer', 'SELECT rowid, $columns FROM cancer$2')" ;;
    forest_float64) echo "SELECT hbscore_set('strategy', 'bits');
        SELECT count(prediction) FROM hbscore_scan('wine', 'SELECT rowid, $grapes FROM wine$2')" ;;
    forest_vectors) echo "SELECT hbscore_set('strategy', 'bits');
        SELECT count(prediction) FROM hbscore_scan('vectors', 'SELECT rowid, * FROM spread$2')" ;;
    scalar) echo "SELECT sum(predict_probability('cancer', 1, $columns)) FROM cancer$2" ;;
    scan) echo "SELECT sum(probability) FROM hbscore_scan('cancer', 'SELECT rowid, $columns FROM cancer$2')" ;;
    pipeline) echo "SELECT sum(predict_probability('titanic', 'died', $passenger)) FROM titanic$2" ;;
    pipeline_scan) echo "SELECT count(prediction) FROM hbscore_scan('titanic', 'SELECT rowid, $passenger FROM titanic$2')" ;;
    table) echo "SELECT sum(probability) FROM scored$2" ;;
    *) echo "unknown case $1" >&2; exit 2 ;;
    esac
}

# instructions CASE ROWS
instructions() {
    inside=
    case $1 in forest_*) inside="--toggle-collect=hbs_score --toggle-collect=hbs_score_row --toggle-collect=hbs_score_numbers" ;; esac
    # The plan is made before the rows are counted: both runs do it once.
    valgrind --tool=callgrind --callgrind-out-file=/dev/null $inside sqlite3 -batch -init /dev/null \
        -cmd ".load $build/hbscore" "$work/rows.db" "$(statement "$1" "$2")" >"$work/out" 2>"$work/err" ||
        { cat "$work/out" "$work/err" >&2; exit 1; }
    grep -q '^[0-9]' "$work/out" || { cat "$work/out" "$work/err" >&2; exit 1; }
    sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$work/err"
}

while read -r name bound; do
    case $name in '' | '#'*) continue ;; esac
    few=$(instructions "$name" 500)
    many=$(instructions "$name" 1500)
    row=$(((many - few) / 1000))
    if [ "$row" -le "$bound" ]; then
        passed=$((passed + 1))
        verdict=pass
    else
        failed=$((failed + 1))
        verdict=MISS
    fi
    echo "instructions | $name | $row a row | at most $bound | $verdict"
done <tools/instructions.txt
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
