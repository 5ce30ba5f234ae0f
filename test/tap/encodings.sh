#!/bin/sh
# encodings.sh - databases of other encodings than UTF-8: texts are converted on the way in and out, and what cannot be is an
# error or, in a message, a '?'.
. test/tap/tap.sh
export PGCLIENTENCODING=UTF8

features="1, 'female', 29, 0, 0, 211, 'S'"
row="SELECT 1 AS pclass, 'female' AS sexe, 29 AS \"âge\", 0 AS sibsp, 0 AS parch, 211 AS fare, 'S' AS \"embarqué\""
# Of two classes, whose labels are in the file as UTF-8.
labelled=$(printf '%s' '{"hbscore": 1, "writer": {}, "task": "classifier", "features": [{"name": "x", "type": "f8"}],
    "classes": {"dtype": "str", "shape": [2], "data": ["éteint", "灯"]}, "ops": [{"op": "linear", "in": [0],
    "coef": {"dtype": "f8", "shape": [1, 1], "data": "AAAAAAAA8D8="},
    "intercept": {"dtype": "f8", "shape": [1], "data": "AAAAAAAAAAA="}}, {"op": "link", "in": [1], "kind": "sigmoid"},
    {"op": "head", "in": [1, 2], "rule": "gt0"}]}' | base64 -w 0)

each() { # ENCODING
    check() { # STATEMENT PATTERN TEXT
        like "$(sql "$database" "$1")" "$2" "[S7] $database: $3"
    }
    database=in_$1
    createdb -T template0 -E "$1" --locale=C "$database"
    sql "$database" >"$work/out" <<SQL
CREATE EXTENSION hbscore;
CREATE TABLE files AS SELECT decode('$(base64 -w 0 demo/models/titanic.json)', 'base64') AS titanic;
SQL
    check "SELECT hbscore.register('modèle', titanic, options => '{\"classes\": [\"mort\", \"réchappé\"],
        \"features\": [\"pclass\", \"sexe\", \"âge\", \"sibsp\", \"parch\", \"fare\", \"embarqué\"],
        \"golden\": {\"rows\": [[$(echo "$features" | tr "'" '"')]], \"prediction\": [\"réchappé\"]}}') FROM files" '^1$' \
        "a name, labels, features, golden rows"
    check "SELECT predict_label('modèle', $features)" '^réchappé$' "a label"
    check "SELECT predict_probability('modèle', 'réchappé', $features) > 0.5" '^t$' "a class by its label"
    check "SELECT predict_label('modèle', r.*), predict_label('modèle', to_jsonb(r)) FROM ($row) AS r" \
        '^réchappé.réchappé$' "a row by name, JSON by name"
    check "SELECT predict_json('modèle', $features)" '"prediction": "réchappé"' "a result in JSON"
    check "SELECT hbscore.deploy('modèle', 1, 'préféré'); SELECT hbscore.pin('modèle@préféré')" \
        '^modèle@1#[0-9a-f]*$' "an alias"
    check "SELECT i.name FROM hbscore.models AS m, hbscore.inspect(m.model, options => m.options) AS i" '^âge$' \
        "inspecting"
    check "SELECT version, ok FROM hbscore.verify('modèle')" '^1.t$' "verifying"
    check "SELECT hbscore.create_predict_function('modèle', 'prédit');
        SELECT prédit(\"âge\" => 29, pclass => 1, sexe => 'female', sibsp => 0, parch => 0, fare => 211, \"embarqué\" => 'S')" \
        '^réchappé$' "a typed function"
    check "SELECT predict_label('modèle', $features); SELECT model FROM hbscore.stats" '^modèle@1$' "what a session has done"

    check "SELECT predict('modéle', 1)" '^HINT: .*"modèle"' "an error with the nearest name"
    check "SELECT predict('modèle@premier', 1)" '^ERROR: .*model "modèle" has no alias "premier"' "one of an alias"
    check "SELECT predict_label('modèle', 1, 'féminin', 29, 0, 0, 211, 'S')" '"sexe" has the value "féminin"' "one of a category"
    check "SELECT predict_label('modèle', 1, 'female', now(), 0, 0, 211, 'S')" '"âge" takes a number' "one of a type"
    check "SELECT predict('modèle', $features)" 'model "modèle" predicts labels that are texts' "one of labels"
    check "SELECT predict_label('modèle', '{{1,2}}'::float8[])" 'model "modèle" takes an array of one' "one of an array"
    check "SELECT hbscore.drop('modèle', 1)" 'model "modèle" is deployed, alias "préféré"' "one of a drop"
    check "SELECT hbscore.register('modèle', '\\x00')" '^ERROR: .*model "modèle": ' "one of a file"

    check "SELECT hbscore.register('lampe', decode('$labelled', 'base64'))" '^1$' \
        "labels in a file, of whatever characters"
    check "SELECT predict_label('lampe', -1)" '^éteint$' "one that the encoding has"
}

each LATIN1
check "SELECT predict_label('lampe', 1)" '^ERROR:  22P05: ' "one that it has not is an error"
check "SELECT predict_json('lampe', -1)" '^ERROR:  22P05: ' "in JSON too"
check "SELECT predict_probability('lampe', 'éteint', -1) > 0.5" '^t$' "what needs it not goes on"
check "SELECT predict_probability('lampe', 'nox', -1)" 'no class "nox"; its classes are [?]+teint, [?]+$' \
    "in a message it is '?'"
each EUC_JP
check "SELECT predict_label('lampe', 1)" '^灯$' "another"
check "SELECT predict_probability('lampe', '灯', 1) > 0.5" '^t$' "and the class by it"
each SQL_ASCII
check "SELECT predict_label('lampe', 1)" '^灯$' "bytes are what they are"
# Bytes that are no text are an error of their row, and not of one that was read before it (rows 1 to 4 are asked for).
sql "$database" >"$work/out" <<'SQL'
CREATE TABLE strange AS SELECT i AS id, 1 AS pclass, CASE i WHEN 5 THEN E'fem\xff' ELSE 'female' END AS sexe, 29 AS "âge", 0 AS sibsp,
    0 AS parch, 211 AS fare, 'S' AS "embarqué" FROM generate_series(1, 9) AS i;
SQL
for way in on off; do
    is "$(sql "$database" <<SQL
SET hbscore.batch = $way;
BEGIN;
DECLARE c CURSOR FOR SELECT id, predict_probability('modèle', 'mort', s.*) < 0.5 FROM strange AS s;
FETCH 4 FROM c;
FETCH 1 FROM c;
SQL
)" "1|t
2|t
3|t
4|t
ERROR:  22021: invalid byte sequence for encoding \"UTF8\": 0xff" "[B1] bytes that are no text, in blocks: $way"
done
finish
