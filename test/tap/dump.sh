#!/bin/sh
# dump.sh - pg_dump and pg_restore: what comes back is what was there.
. test/tap/tap.sh

# ---- a database with all that a dump must keep

make_database source
sql source >"$work/source" <<'SQL'
CREATE ROLE trainer;
GRANT USAGE ON SCHEMA hbscore TO trainer;
GRANT SELECT, INSERT ON hbscore.models TO trainer;
CREATE SCHEMA app;
INSERT INTO hbscore.models (name, model, options, description, created_at)
VALUES ('titanic', model_file('titanic.json'), '{"classes": ["died", "survived"]}', 'first; "quoted", and é',
    '2020-02-29 12:00:00.123456');
SELECT hbscore.register_model('titanic', model_file('titanic.json'),
    options => '{"classes": ["died", "survived"], "rounds": 40,
        "golden": {"rows": [[3, "male", 22, 1, 0, 7.25, "S"]], "prediction": ["died"]}}');
SELECT register_titanic(10);
SELECT hbscore.register_model('titanic', model_file('titanic_catboost.json'));
SELECT hbscore.drop_model('titanic', 2);
SELECT hbscore.drop_model('titanic', 4);
SELECT hbscore.deploy_model('titanic', 1);
SELECT hbscore.deploy_model('titanic', 3, 'challenger');
SELECT hbscore.register_model('wine', model_file('wine.ubj'));
SELECT hbscore.register_model('wine, the "other"', model_file('wine_lightgbm.txt'), description => '');
SET ROLE trainer;
SELECT hbscore.register_model('wine', model_file('wine_lightgbm.txt'));
RESET ROLE;
CREATE TABLE app.passengers AS SELECT * FROM passengers;
CREATE INDEX passengers_fate ON app.passengers
    (public.predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked));
CREATE TABLE generated (alcohol float8, malic_acid float8, ash float8, alcalinity_of_ash float8, magnesium float8,
    total_phenols float8, flavanoids float8, nonflavanoid_phenols float8, proanthocyanins float8,
    color_intensity float8, hue float8, od280_od315_of_diluted_wines float8, proline float8,
    cultivar float8 GENERATED ALWAYS AS (predict_version('wine@1', alcohol, malic_acid, ash, alcalinity_of_ash,
        magnesium, total_phenols, flavanoids, nonflavanoid_phenols, proanthocyanins, color_intensity, hue,
        od280_od315_of_diluted_wines, proline)) STORED);
INSERT INTO generated (alcohol, proline) SELECT alcohol, proline FROM wine;
SELECT hbscore.create_predict_function('titanic@1', 'fate');
SQL
ok "the source is filled" sh -c "! grep ERROR '$work/source'"

# Of each version; the same in all of its copies.
scores() { # DATABASE
    for reference in titanic titanic@1 titanic@3 titanic@challenger; do titanic_scores "$1" "$reference"; done
    for reference in wine@1 wine@2 'wine, the "other"'; do wine_scores "$1" "$reference"; done
}
source_contents=$(contents source)
source_scores=$(scores source)
like "$source_contents" 'trainer' "a row of another role is among them"
is "$(printf '%s\n' "$source_scores" | sort -u | grep -c '^[0-9a-f]\{32\}$')" 4 "models that score differently"

by_index="SELECT count(*) FROM app.passengers AS p
    WHERE predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked) = 'survived'"
without_scan="SET enable_seqscan = off;"
survived=$(sql source "$without_scan $by_index")

same_database() { # DATABASE WHAT
    is "$(contents "$1")" "$source_contents" \
        "[R5] $2: digests, versions, options, descriptions, times, roles and aliases"
    is "$(scores "$1")" "$source_scores" "[R5] $2: scores, bit by bit"
    like "$(sql "$1" "$without_scan EXPLAIN $by_index")" 'passengers_fate' \
        "[R5] $2: the expression index is there"
    is "$(sql "$1" "$without_scan $by_index")" "$survived" "[R5] $2: and answers the same"
    is "$(sql "$1" "SELECT count(*) FILTER (WHERE cultivar IS NOT NULL) FROM generated")" 178 \
        "[R5] $2: a generated column of public, computed anew"
    is "$(sql "$1" "SELECT hbscore.register_model('titanic', model_file('titanic_catboost.json'))")" 5 \
        "[R5] $2: a dropped number stays taken"
    is "$(sql "$1" "SELECT fate(3, 'male', 22, 1, 0, 7.25, 'S')")" died "[R5] $2: a typed function"
    is "$(sql "$1" "SELECT e.extname FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
        WHERE d.objid = 'fate'::regproc AND d.deptype = 'x'")" hbscore "[R5] $2: which goes with the extension"
    is "$(sql "$1" "SELECT count(*) FROM pg_index WHERE NOT indisvalid")" 0 "[R5] $2: all indexes are valid"
}

# ---- plain, custom, in parallel, over what is there

pg_dump -d source >"$work/plain.sql" 2>"$work/dump.log"
is "$(cat "$work/dump.log")" "" "pg_dump has nothing to say"
createdb plain
ok "a plain dump is restored" psql -X -q -v ON_ERROR_STOP=1 -d plain -f "$work/plain.sql" -o /dev/null
same_database plain "plain"

pg_dump -Fc -d source -f "$work/custom.dump"
createdb custom
# Workers load tables in no set order, so the models go first (docs/postgresql.md).
in_order() { # DATABASE DUMP [OPTION]
    pg_restore --section=pre-data -d "$1" "$2" &&
        pg_restore --data-only --schema=hbscore -d "$1" $3 "$2" &&
        pg_restore --section=data --exclude-schema=hbscore -d "$1" $3 "$2" &&
        pg_restore --section=post-data -d "$1" $3 "$2"
}
ok "a custom dump is restored with -j 2" in_order custom "$work/custom.dump" "-j 2"
same_database custom "custom, -j 2"
ok "and again over itself with --clean" pg_restore --clean -d custom "$work/custom.dump"
same_database custom "--clean"

# ---- the rows alone

pg_dump -Fc -a -t 'hbscore.models' -t 'hbscore.aliases' -d source -f "$work/rows.dump" 2>"$work/dump.log"
like "$(pg_restore --data-only -d custom "$work/rows.dump" 2>&1)" 'duplicate key' \
    "[R5] rows over rows of the same numbers are refused"
sql custom "SET session_replication_role = replica; TRUNCATE hbscore.models, hbscore.aliases" >"$work/out"
ok "[R5] old rows are emptied as a replica does" sh -c "! grep ERROR '$work/out'"
ok "and the dump's come in" pg_restore --data-only -d custom "$work/rows.dump"
is "$(contents custom)" "$source_contents" "[R5] data alone: all as it was"
is "$(scores custom)" "$source_scores" "[R5] data alone: scores, bit by bit"

sql custom "SET session_replication_role = replica; TRUNCATE hbscore.models, hbscore.aliases" >"$work/out"
{ echo "SET session_replication_role = replica;"; pg_restore -f - "$work/rows.dump"; } >"$work/rows.sql"
ok "data alone as a replica, so unchecked" psql -X -q -v ON_ERROR_STOP=1 -d custom -f "$work/rows.sql" -o /dev/null
is "$(contents custom)" "$source_contents" "[R5] data alone, no trigger: all as it was"
is "$(scores custom)" "$source_scores" "[R5] data alone, no trigger: scores, bit by bit"

# ---- rows that cannot be scored

sql source >"$work/out" <<'SQL'
SET session_replication_role = replica;
INSERT INTO hbscore.models (name, version, model, format) VALUES ('broken', 1, '\x7b7d', 'xgboost-json');
INSERT INTO hbscore.models (name, version, model, options)
VALUES ('strange', 7, model_file('wine.ubj'), '{"later": 1}');
SQL
pg_dump -Fc -d source -f "$work/broken.dump"
createdb broken
pg_restore --verbose -d broken "$work/broken.dump" >"$work/out" 2>&1
is "$?" 0 "[R5] a dump with models that no longer score is restored"
like "$(cat "$work/out")" 'WARNING:  model "broken@1" is stored, but cannot be scored here: ' \
    "[R5] with a warning for one"
like "$(cat "$work/out")" 'WARNING:  model "strange@7" is stored, but cannot be scored here: .*"later"' \
    "[R5] and one for the other"
like "$(sql broken "SELECT predict('broken', 1)")" 'ERROR:  22P03: model "broken@1": ' \
    "[R5] the error comes with the score"
like "$(sql broken "SELECT predict('strange@7', w.*) FROM wine AS w")" 'ERROR:  22023: .*"later"' \
    "[R5] also of bad options"
is "$(scores broken)" "$source_scores" "[R5] the others score"
sql broken "SELECT hbscore.drop_model('broken', 1)" >"$work/out"
like "$(sql broken "SELECT predict('broken', 1)")" 'ERROR:  42704' "[R5] and it can be dropped"

# ---- a generated column in a schema that is restored before hbscore (docs/postgresql.md)

sql source >"$work/out" <<'SQL'
CREATE TABLE app.generated (LIKE generated INCLUDING GENERATED);
INSERT INTO app.generated (alcohol, proline) SELECT alcohol, proline FROM wine;
SQL
pg_dump -Fc -d source -f "$work/generated.dump"
createdb generated
like "$(pg_restore -d generated "$work/generated.dump" 2>&1)" 'ERROR:  unknown model "wine"' \
    "[R5] a generated column in a schema before hbscore fails at restore, as documented"
is "$(sql generated "SELECT (SELECT count(*) FROM app.generated), (SELECT count(*) FROM public.generated)")" "0|178" \
    "[R5] its rows are missing, those of public are there"
pg_restore --data-only -t generated -n app -d generated "$work/generated.dump" >"$work/out" 2>&1
is "$(sql generated "SELECT count(*) FROM app.generated")" 178 "[R5] and they come in with the models there"
createdb ordered
ok "[R5] the schema hbscore restored first: nothing fails" in_order ordered "$work/generated.dump" ""
is "$(sql ordered "SELECT (SELECT count(*) FROM app.generated), (SELECT count(*) FROM public.generated)")" "178|178" \
    "[R5] and all rows are there"
finish
