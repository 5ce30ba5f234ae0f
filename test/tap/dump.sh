#!/bin/sh
# dump.sh - pg_dump and pg_restore: what comes back is what was there.
#
# Superusers dump and restore. The tables belong to an ordinary role, with whose rights indexes are built; who may do what
# is given by the roles of the extension and by policies.
. test/tap/tap.sh
trap 'cluster_stop moved immediate' EXIT

# ---- a database with all that a dump must keep

make_database source
sql source >"$work/source" <<'SQL'
CREATE ROLE trainer IN ROLE hbscore_registrar;
CREATE ROLE keeper IN ROLE hbscore_scorer;
CREATE ROLE visitor IN ROLE hbscore_scorer;
CREATE SCHEMA app AUTHORIZATION keeper;
GRANT CREATE ON SCHEMA public TO keeper;
GRANT SELECT ON passengers, wine TO PUBLIC;
INSERT INTO hbscore.models (name, model, options, description, created_at)
VALUES ('titanic', model_file('titanic.json'), '{"classes": ["died", "survived"]}', 'first; "quoted", and é',
    '2020-02-29 12:00:00.123456');
SELECT hbscore.register('titanic', model_file('titanic.json'),
    options => '{"classes": ["died", "survived"], "rounds": 40,
        "golden": {"rows": [[3, "male", 22, 1, 0, 7.25, "S"]], "prediction": ["died"]}}');
SELECT register_titanic(10);
SELECT hbscore.register('titanic', model_file('titanic_catboost.json'));
SELECT hbscore.drop('titanic', 2);
SELECT hbscore.drop('titanic', 4);
SELECT hbscore.deploy('titanic', 1);
SELECT hbscore.deploy('titanic', 3, 'challenger');
SELECT hbscore.register('wine', model_file('wine.ubj'));
SELECT hbscore.register('wine, the "other"', model_file('wine_lightgbm.txt'), '{"description": ""}');
SELECT hbscore.register('wine, the "other"', model_file('wine.ubj'), '{"deploy": false}');
SET ROLE trainer;
SELECT hbscore.register('wine', model_file('wine_lightgbm.txt'));
RESET ROLE;
ALTER TABLE hbscore.models ENABLE ROW LEVEL SECURITY;
CREATE POLICY kept ON hbscore.models FOR SELECT TO keeper USING (name IN ('titanic', 'wine'));
CREATE POLICY "visitor's" ON hbscore.models TO visitor USING (name = 'wine');
COMMENT ON POLICY "visitor's" ON hbscore.models IS 'no ship; "quoted"';
CREATE POLICY trained ON hbscore.models TO hbscore_registrar USING (true) WITH CHECK (true);
CREATE POLICY fresh ON hbscore.models AS RESTRICTIVE FOR INSERT TO PUBLIC WITH CHECK (name NOT LIKE 'old%');
SET ROLE keeper;
CREATE TABLE app.passengers AS SELECT * FROM passengers;
CREATE TABLE survivors (LIKE passengers, CHECK (predict_label_version('titanic@1', pclass, sex, age, sibsp, parch,
    fare, embarked) = 'survived'));
INSERT INTO survivors SELECT * FROM passengers AS p WHERE predict_label('titanic', p.*) = 'survived';
CREATE INDEX passengers_fate ON app.passengers
    (public.predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked));
CREATE TABLE generated (alcohol float8, malic_acid float8, ash float8, alcalinity_of_ash float8, magnesium float8,
    total_phenols float8, flavanoids float8, nonflavanoid_phenols float8, proanthocyanins float8,
    color_intensity float8, hue float8, od280_od315_of_diluted_wines float8, proline float8,
    cultivar float8 GENERATED ALWAYS AS (predict_version('wine@1', alcohol, malic_acid, ash, alcalinity_of_ash,
        magnesium, total_phenols, flavanoids, nonflavanoid_phenols, proanthocyanins, color_intensity, hue,
        od280_od315_of_diluted_wines, proline)) STORED);
INSERT INTO generated (alcohol, proline) SELECT alcohol, proline FROM wine;
CREATE INDEX typed_fate ON app.passengers (predict_label_version('titanic@3', pclass, sex, age, sibsp, parch, fare, embarked))
    WHERE split = 'test';
RESET ROLE;
SELECT hbscore.create_predict_function('titanic@1', 'fate');
SQL
ok "the source is filled" sh -c "! grep ERROR '$work/source'"

# What each role may see, and whether it may write: all in a transaction that is undone.
views() { # DATABASE
    for role in keeper visitor trainer; do
        sql "$1" <<SQL
SET ROLE $role;
SELECT current_user, string_agg(DISTINCT name, ',' ORDER BY name) FROM hbscore.models;
SELECT predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S');
SELECT predict('wine@1', w.*) FROM wine AS w WHERE id = 1;
SELECT predict_label_version('titanic@1', 3, 'male', 22, 1, 0, 7.25, 'S');
SELECT count(*) FROM hbscore.verify('titanic');
SELECT count(*) FROM hbscore.models WHERE model IS NULL;
BEGIN;
SELECT hbscore.register('old', '\x7b7d');
ROLLBACK;
SELECT count(*) > 0 FROM hbscore.session_stats();
SQL
    done
}

# Of each version; the same in all of its copies.
scores() { # DATABASE
    for reference in titanic titanic@1 titanic@3 titanic@challenger; do titanic_scores "$1" "$reference"; done
    for reference in wine@1 wine@2 'wine, the "other"'; do wine_scores "$1" "$reference"; done
}
source_contents=$(contents source)
source_scores=$(scores source)
source_views=$(views source)
source_security=$(sql source "SELECT hbscore.security_script()")
like "$source_views" 'visitor\|wine$' "a role that sees one model"
like "$source_views" 'keeper\|titanic,wine$' "one that sees two"
like "$source_views" 'trainer\|titanic,wine,wine, the "other"' "and one that sees all"
is "$(sql source "SELECT count(*) FROM survivors")" "$(sql source \
    "SELECT count(*) FROM passengers AS p WHERE predict_label('titanic@1', p.*) = 'survived'")" "a CHECK over a twin"
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
    is "$(sql "$1" "SELECT hbscore.register('titanic', model_file('titanic_catboost.json'))")" 5 \
        "[R5] $2: a dropped number stays taken"
    is "$(sql "$1" "SELECT substr(hbscore.pin('wine, the \"other\"')::text, 19, 2), hbscore.pin('wine, the \"other\"@2') IS NOT NULL")" "1#|t" \
        "[R5] $2: a version that waits goes on to wait"
    is "$(sql "$1" "SELECT fate(3, 'male', 22, 1, 0, 7.25, 'S')")" died "[R5] $2: a typed function"
    is "$(sql "$1" "SELECT e.extname FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
        WHERE d.objid = 'fate'::regproc AND d.deptype = 'x'")" hbscore "[R5] $2: which goes with the extension"
    is "$(sql "$1" "SELECT count(*) FROM pg_index WHERE NOT indisvalid")" 0 "[R5] $2: all indexes are valid"
    is "$(sql "$1" "SELECT count(*) FROM pg_index WHERE indrelid = 'app.passengers'::regclass")" 2 "[R5] $2: and are there"
    like "$(sql "$1" "INSERT INTO survivors SELECT * FROM passengers")" 'ERROR:  23514' "[R5] $2: the CHECK checks"
    is "$(sql "$1" "SELECT count(*) FROM survivors")" "$survived" \
        "[R5] $2: and its rows are there"
}

# Policies are not in a dump: until they are restored nobody finds a model whom they could concern; then all is as before.
unsecured='ERROR:  55000: hbscore.models has no row security, which it had when this database was dumped'
secures() { # DATABASE WHAT
    for role in keeper visitor; do
        for call in "predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S')" "predict_label_version('titanic@1', 1)" \
            "predict('nothing', 1)" "hbscore.pin('wine')" "(hbscore.verify('wine')).version"; do
            like "$(sql "$1" "SET ROLE $role; SELECT $call")" "^$unsecured" "[R5] $2: no row security yet: $role: $call"
        done
    done
    like "$(sql "$1" "SET ROLE visitor; SELECT predict('wine', 1)")" '^HINT:  A superuser runs what hbscore.security_script' \
        "[R5] $2: with the way to mend it"
    for call in "hbscore.register('x', '\x7b7d')" "hbscore.deploy('titanic', 1)" "hbscore.drop('wine')"; do
        like "$(sql "$1" "SET ROLE trainer; SELECT $call")" "^$unsecured" "[R5] $2: no row security yet: trainer: $call"
    done
    like "$(sql "$1" "SET ROLE keeper; EXPLAIN (COSTS OFF) SELECT predict_label('titanic', p.*) FROM passengers AS p")" \
        'Seq Scan' "[R5] $2: a plan can be shown"
    printf '%s\n' "$source_security" >"$work/security.sql"
    ok "[R5] $2: the script of the source" psql -X -q -v ON_ERROR_STOP=1 -d "$1" -f "$work/security.sql" -o "$work/out"
    is "$(views "$1")" "$source_views" "[R5] $2: each role sees what it saw"
    is "$(sql "$1" "SELECT hbscore.security_script()")" "$source_security" "[R5] $2: by the same policies"
    ok "[R5] $2: the script can be run again" psql -X -q -v ON_ERROR_STOP=1 -d "$1" -f "$work/security.sql" -o "$work/out"
}

# ---- plain, custom, in parallel, over what is there

pg_dump -d source >"$work/plain.sql" 2>"$work/dump.log"
is "$(cat "$work/dump.log")" "" "pg_dump has nothing to say"
createdb plain
ok "a plain dump is restored" psql -X -q -v ON_ERROR_STOP=1 -d plain -f "$work/plain.sql" -o /dev/null
secures plain "plain"
same_database plain "plain"

pg_dump -Fc -d source -f "$work/custom.dump"
createdb custom
# Workers load tables in no set order, so the models go first (docs/postgresql-operations.md).
in_order() { # DATABASE DUMP [OPTION]
    pg_restore --section=pre-data -d "$1" "$2" &&
        pg_restore --data-only --schema=hbscore -d "$1" $3 "$2" &&
        pg_restore --section=data --exclude-schema=hbscore -d "$1" $3 "$2" &&
        pg_restore --section=post-data -d "$1" $3 "$2"
}
ok "a custom dump is restored with -j 2" in_order custom "$work/custom.dump" "-j 2"
secures custom "custom, -j 2"
same_database custom "custom, -j 2"
ok "and again over itself with --clean" pg_restore --clean -d custom "$work/custom.dump"
secures custom "--clean"
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
sql broken "SELECT hbscore.drop('broken', 1)" >"$work/out"
like "$(sql broken "SELECT predict('broken', 1)")" 'ERROR:  42704' "[R5] and it can be dropped"

# ---- a generated column in a schema that is restored before hbscore (docs/postgresql-operations.md)

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

# ---- the script before the data: at no moment is there more to see
createdb closed
closed() {
    pg_restore --section=pre-data -d closed "$work/custom.dump" &&
        psql -X -q -v ON_ERROR_STOP=1 -d closed -f "$work/security.sql" -o "$work/out" 2>"$work/notices" &&
        pg_restore --data-only --schema=hbscore -d closed "$work/custom.dump" &&
        pg_restore --section=data --exclude-schema=hbscore -d closed "$work/custom.dump" &&
        pg_restore --section=post-data --enable-row-security -d closed "$work/custom.dump"
}
ok "[R5] policies, then data, then indexes: nothing fails" closed
is "$(views closed)" "$source_views" "[R5] policies first: each role sees what it saw"
same_database closed "policies first"

# ---- a restored database is dumped before its policies came back
sql plain "ALTER TABLE hbscore.models DISABLE ROW LEVEL SECURITY" >"$work/out"
like "$(sql plain "SET ROLE keeper; SELECT predict('wine', 1)")" "^$unsecured" \
    "[R5] row security that a restored database needs is missed where somebody disables it"
pg_dump -d plain >"$work/third.sql"
createdb third
ok "[R5] a dump of a dump" psql -X -q -v ON_ERROR_STOP=1 -d third -f "$work/third.sql" -o /dev/null
of_source=$source_views
source_views=$(views closed) # which is one version further, as plain is
secures third "a dump of a dump"
source_views=$of_source
is "$(sql third "SELECT relation, count(*) FROM hbscore.row_security GROUP BY 1 ORDER BY 1")" "aliases|1
models|2" "[R5] which does not grow by it"

# ---- names in the script stand with their schema, whatever the search_path of who makes it
createdb named
sql named >"$work/out" <<'SQL'
CREATE EXTENSION hbscore;
CREATE FUNCTION public.kept(text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$ SELECT $1 = 'it''s' $$;
ALTER TABLE hbscore.aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE hbscore.aliases FORCE ROW LEVEL SECURITY;
CREATE POLICY "a ""b""" ON hbscore.aliases FOR UPDATE TO keeper, visitor USING (kept(name)) WITH CHECK (kept(alias) OR version > 3);
SQL
script="SELECT hbscore.security_script()"
is "$(sql named "$script")" "SELECT pg_catalog.set_config('search_path', '', false);
DROP POLICY IF EXISTS \"a \"\"b\"\"\" ON hbscore.aliases;
CREATE POLICY \"a \"\"b\"\"\" ON hbscore.aliases AS PERMISSIVE FOR UPDATE TO keeper, visitor USING (public.kept(name)) WITH CHECK ((public.kept(alias) OR (version > 3)));
ALTER TABLE hbscore.aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE hbscore.aliases FORCE ROW LEVEL SECURITY;" "[R5] the script: names and roles stand in quotes where they need them"
printf "SET search_path = pg_temp;\n%s;\nSHOW search_path;" "$script" >"$work/script.sql"
is "$(sql named <"$work/script.sql")" "$(sql named "$script")
pg_temp" "[R5] the script is the same by any search_path, which it leaves"
pg_dump -d named >"$work/named.sql"
createdb named2
psql -X -q -d named2 -f "$work/named.sql" -o /dev/null
like "$(sql named2 "SET ROLE visitor; SELECT predict('wine', 1)")" 'ERROR:  55000: hbscore.aliases has no row security' \
    "[R5] row security of the aliases alone"
sql named "$script" | psql -X -q -d named2 -o /dev/null 2>"$work/out"
like "$(sql named2 "SET ROLE visitor; SELECT predict('wine', 1)")" 'ERROR:  42704: unknown model "wine"' "[R5] which comes back"
createdb bare
is "$(sql bare "CREATE EXTENSION hbscore" && sql bare "$script")" "" \
    "[R5] the script of a database without row security is empty"

# ---- the requirement is given up, or made without a dump
sql plain "SELECT hbscore.require_row_security(false)" >"$work/out"
is "$(sql plain "SET ROLE visitor; SELECT predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S')")" died \
    "[R5] without the requirement every role sees every model"
like "$(sql plain "SET ROLE trainer; SELECT hbscore.require_row_security(false)")" 'ERROR:  42501' \
    "[R5] which is for the owner to say"
pg_dump -d plain >"$work/open.sql"
createdb open
psql -X -q -d open -f "$work/open.sql" -o /dev/null
is "$(sql open "SET ROLE visitor; SELECT predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S')")" died \
    "[R5] and a database without row security is restored without it"
sql open "SELECT hbscore.require_row_security(true)" >"$work/out"
is "$(sql open "SELECT count(*) FROM hbscore.row_security")" 2 "[R5] only a table that has row security comes to need it"
psql -X -q -d open -f "$work/security.sql" -o /dev/null 2>"$work/out"
sql open "SELECT hbscore.require_row_security(true); ALTER TABLE hbscore.models DISABLE ROW LEVEL SECURITY" >"$work/out"
like "$(sql open "SET ROLE visitor; SELECT predict('wine', 1)")" "^$unsecured" "[R5] required, and disabled by mistake"

# ---- a session that is open sees what becomes of it, also within a transaction that is undone, and what a replica wrote
cat >"$work/session.sql" <<'SQL'
SET ROLE visitor;
SELECT predict('wine@1', w.*) FROM wine AS w WHERE id = 1;
\! psql -X -q -A -t -d open -c "SELECT hbscore.require_row_security(false)" -o /dev/null
SELECT predict('wine@1', w.*) FROM wine AS w WHERE id = 1;
RESET ROLE;
BEGIN;
SET LOCAL session_replication_role = replica;
INSERT INTO hbscore.row_security VALUES ('models');
SET ROLE visitor;
SAVEPOINT s;
SELECT predict('wine@1', w.*) FROM wine AS w WHERE id = 1;
ROLLBACK;
SET ROLE visitor;
SELECT predict('wine@1', w.*) FROM wine AS w WHERE id = 1;
\! psql -X -q -A -t -d open -c "INSERT INTO hbscore.row_security VALUES ('models')" -o /dev/null
SELECT predict('wine@1', w.*) FROM wine AS w WHERE id = 1;
SQL
hint="$(sql open "SET ROLE visitor; SELECT predict('wine', 1)" | tail -1)"
is "$(sql open <"$work/session.sql")" "$unsecured
$hint
0
$unsecured
$hint
0
$unsecured
$hint" "[R5] an open session sees what becomes of the requirement"

# ---- another cluster, with the roles of this one
ok "another cluster" cluster_init moved
cluster_configure moved 5438 </dev/null
ok "which starts" cluster_start moved
pg_dumpall --globals-only | grep -v 'ROLE postgres' >"$work/globals.sql"
(
    export PGPORT=5438
    sql postgres "CREATE ROLE hbscore_scorer LOGIN; CREATE ROLE stranger IN ROLE hbscore_scorer"
    createdb first
    sql first "CREATE EXTENSION hbscore"
    sql first "SET ROLE stranger; SELECT predict('titanic', 1)"
    sql first "SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname ~ '^hbscore' ORDER BY 1"
    sql first "DROP EXTENSION hbscore; SELECT count(*) FROM pg_roles WHERE rolname ~ '^hbscore'"
    dropdb first
    sql postgres "DROP ROLE stranger, hbscore_scorer, hbscore_registrar"
) >"$work/first" 2>&1
is "$(cat "$work/first")" "ERROR:  42704: unknown model \"titanic\"
HINT:  This database has no models that you may see; hbscore.register stores one.
hbscore_registrar|f
hbscore_scorer|t
2" "roles: one that is there is used as it is, DROP EXTENSION leaves both, and nothing then holds them"
ok "its roles" psql -X -q -v ON_ERROR_STOP=1 -p 5438 -d postgres -f "$work/globals.sql" -o /dev/null
ok "its database" createdb -p 5438 moved
ok "[R5] a dump is restored there" psql -X -q -v ON_ERROR_STOP=1 -p 5438 -d moved -f "$work/plain.sql" -o /dev/null
export PGPORT=5438
secures moved "another cluster"
same_database moved "another cluster"

# ---- an owner of a database who is no superuser, where the administrator trusts the extension
control=$HBSCORE_SERVER$("$PG_CONFIG" --sharedir)/extension/hbscore.control
cp "$control" "$work/control"
echo "trusted = true" >>"$control"
dropdb moved
sql postgres "DROP ROLE trainer, keeper, visitor, hbscore_scorer, hbscore_registrar" >"$work/out"
is "$(cat "$work/out")" "" "without the database nothing holds the roles"
createuser lord
createdb -O lord manor
is "$(PGUSER=lord sql manor "CREATE EXTENSION hbscore")" "" "an owner of a database makes the extension"
cp "$work/control" "$control"
is "$(sql manor "SELECT rolname, rolsuper, rolcreaterole FROM pg_roles WHERE rolname ~ '^hbscore' ORDER BY 1")" \
    "hbscore_registrar|f|f
hbscore_scorer|f|f" "with its roles"
finish
