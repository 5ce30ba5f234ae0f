#!/bin/sh
# upgrade.sh - ALTER EXTENSION hbscore UPDATE, and libraries and scripts of different versions.
#
# Made here: the script of a next version, which is this one and a function more, and one that differs by its interface.
# tools/postgres.mk makes the libraries: build/postgres/next has that function, build/postgres/other another interface. All
# take the same place one after the other, so that a new session loads the other, and one that is open keeps its own.
. test/tap/tap.sh
trap 'library now; cluster_stop newer immediate' EXIT

version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" postgres/hbscore.control)
next=$version.next
other=$version.other
extension=$HBSCORE_SERVER$("$PG_CONFIG" --sharedir)/extension
installed=$HBSCORE_SERVER$("$PG_CONFIG" --pkglibdir)/hbscore.so
cp "$installed" "$work/now.so"
for library in next other; do cp "${BUILD:-build}/postgres/$library/hbscore.so" "$work/$library.so"; done
library() { install -m 755 "$work/$1.so" "$installed"; } # now, next, other

# ---- scripts
change="CREATE FUNCTION hbscore.one_more(pg_catalog.int4) RETURNS pg_catalog.int4
    LANGUAGE C IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'hbscore_one_more';
COMMENT ON FUNCTION hbscore.one_more(pg_catalog.int4) IS 'what the next version has more';
REVOKE EXECUTE ON FUNCTION hbscore.one_more(pg_catalog.int4) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hbscore.one_more(pg_catalog.int4) TO hbscore_scorer;"
echo "$change" >"$extension/hbscore--$version--$next.sql"
{
    cat "postgres/hbscore--$version.sql"
    echo "$change"
} >"$extension/hbscore--$next.sql"
number=$(sed -n "s/^    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT \([0-9]*\)';/\1/p" "postgres/hbscore--$version.sql")
echo "CREATE OR REPLACE FUNCTION hbscore.interface() RETURNS pg_catalog.int4
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $((number + 1))';" >"$extension/hbscore--$version--$other.sql"
chmod a+r "$extension"/hbscore--*.sql

# ---- databases of this version
sql postgres "CREATE ROLE scorer" >"$work/out"
fill() {
    make_database "$1"
    sql "$1" >"$work/$1.fill" <<'SQL'
SELECT hbscore.register('titanic', model_file('titanic.json'), options => '{"classes": ["died", "survived"],
    "golden": {"rows": [[3, "male", 22, 1, 0, 7.25, "S"]], "prediction": ["died"]}}');
SELECT register_titanic(5);
SELECT hbscore.drop('titanic', 2);
SELECT hbscore.deploy('titanic', 1);
CREATE INDEX fate ON passengers (predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked));
CREATE FUNCTION fate(passengers) RETURNS text LANGUAGE sql STABLE AS $$ SELECT predict_label('titanic', $1) $$;
SELECT hbscore.create_predict_function('titanic@1', 'typed_fate');
GRANT hbscore_scorer TO scorer;
GRANT SELECT ON passengers TO scorer;
SQL
}
fill left
fill updated
cp "$work/left.fill" "$work/fill"
ok "two databases are filled" sh -c "! grep ERROR '$work/fill'"

# All that a database is for.
serves() { # DATABASE
    sql "$1" <<SQL
SET ROLE scorer;
$(titanic_digest titanic)
SET hbscore.batch = off;
$(titanic_digest titanic@1)
RESET hbscore.batch;
SELECT hbscore.pin('titanic'), predict_agg('titanic', alcohol) FROM (VALUES (1.0)) AS x (alcohol) WHERE false;
SELECT version, rows, ok FROM hbscore.verify('titanic');
SELECT count(*), string_agg(operator, ' ') FROM hbscore.plan('titanic');
RESET ROLE;
SELECT count(*) FILTER (WHERE fate(p) = 'died'), count(*) FILTER (WHERE predict_label('titanic', p.*) = 'died'),
    count(*) FILTER (WHERE typed_fate(pclass, sex, age, sibsp, parch, fare, embarked) = 'died') FROM passengers AS p;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM passengers
    WHERE predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked) = 'died';
SELECT count(*) FROM passengers
    WHERE predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked) = 'died';
SELECT count(*) FROM hbscore.inspect(model_file('wine.ubj'));
BEGIN;
SELECT hbscore.register('titanic', model_file('titanic_catboost.json')), hbscore.deploy('titanic', 3);
$(titanic_digest titanic)
SELECT hbscore.deploy('titanic', 1), hbscore.drop('titanic', 3);
INSERT INTO hbscore.models (name, model) VALUES ('more', model_file('wine.ubj')) RETURNING version;
UPDATE hbscore.models SET description = 'x' WHERE name = 'more' RETURNING version;
ROLLBACK;
SELECT count(*) > 0 FROM hbscore.stats;
SELECT count(*) > 0 FROM hbscore.cache;
SQL
}
before=$(serves left)
like "$(printf '%s\n' "$before" | head -1)" '^[0-9a-f]{32}$' "this version scores"
like "$before" 'Index Scan using fate|Bitmap Index Scan on fate' "by its index too"
is "$(printf '%s\n' "$before" | grep -c 'ERROR\|WARNING')" 0 "all of it works"

# ---- old and new: all four pairs, both ways
library next
is "$(sql updated "ALTER EXTENSION hbscore UPDATE TO '$next'")" "" "ALTER EXTENSION hbscore UPDATE"
is "$(sql updated "SELECT hbscore.one_more(1), hbscore.interface()")" "2|$number" "what the next version has more is there"
is "$(serves left)" "$before" "[L5] old SQL, new library: all as before"
is "$(serves updated)" "$before" "[L5] new SQL, new library: all as before"
library now
is "$(serves updated)" "$before" "[L5] new SQL, old library: all as before"
like "$(sql updated "SELECT hbscore.one_more(1)")" 'ERROR: .*hbscore_one_more' "though what only the new one has is missing"
is "$(serves left)" "$before" "[L5] old SQL, old library again: all as before"

# ---- what is open while the files and the SQL change goes on: a prepared statement, a cursor, PL/pgSQL, a look-up anew
fill session
cat >"$work/session.sql" <<SQL
SET plan_cache_mode = force_generic_plan;
PREPARE score (text) AS SELECT md5(string_agg(float8send(predict_probability(\$1, 'survived', p.*))::text, ',' ORDER BY id))
    FROM passengers AS p;
CREATE FUNCTION pg_temp.score() RETURNS text LANGUAGE plpgsql AS \$\$ DECLARE found text; BEGIN
    SELECT md5(string_agg(float8send(predict_probability('titanic', 'survived', p.*))::text, ',' ORDER BY id))
        INTO found FROM passengers AS p; RETURN found; END \$\$;
EXECUTE score ('titanic');
SELECT pg_temp.score();
BEGIN;
DECLARE scores CURSOR FOR SELECT predict_probability('titanic', 'survived', p.*) FROM passengers AS p ORDER BY id;
FETCH 200 FROM scores;
\\! cp '$work/next.so' '$installed.new' && mv '$installed.new' '$installed'
\\! psql -X -q -d session -c "ALTER EXTENSION hbscore UPDATE TO '$next'"
FETCH ALL FROM scores;
COMMIT;
EXECUTE score ('titanic');
SELECT pg_temp.score();
SET hbscore.plan_cache_size = 0;
EXECUTE score ('titanic@1');
DISCARD PLANS;
$(titanic_digest titanic)
SELECT extversion FROM pg_extension WHERE extname = 'hbscore';
SQL
first=$(printf '%s\n' "$before" | head -1)
answers=$(sql session <"$work/session.sql")
is "$(printf '%s\n' "$answers" | grep -c "^$first\$")" 6 \
    "[L5] an upgrade under a session: prepared statements, PL/pgSQL and look-ups score on"
is "$(printf '%s\n' "$answers" | grep '^[0-9.e-]*$')" "$(sql session \
    "SELECT predict_probability('titanic', 'survived', p.*) FROM passengers AS p ORDER BY id")" \
    "[L5] and so does an open cursor"
is "$(printf '%s\n' "$answers" | tail -1)" "$next" "and the SQL was upgraded meanwhile"
is "$(printf '%s\n' "$answers" | grep -c 'ERROR\|WARNING')" 0 "without an error"

# A session's parallel workers load the library that is installed by then.
workers() { # LIBRARY: what a session that began with the old one gets after this one was installed
    library now
    cat >"$work/workers.sql" <<SQL
SELECT predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S');
SET hbscore.batch = on;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT id, predict_probability('titanic', 'survived', p.*) FROM passengers AS p;
\\! cp '$work/$1.so' '$installed.new' && mv '$installed.new' '$installed'
SELECT count(*), count(DISTINCT s) > 100 FROM (SELECT predict_probability('titanic', 'survived', p.*) AS s
    FROM passengers AS p OFFSET 0) AS x;
SQL
    sql session <"$work/workers.sql"
}
by_next=$(workers next)
like "$by_next" 'Custom Scan .HbPredict' "workers score in blocks"
like "$by_next" 'Parallel Seq Scan' "of a parallel scan"
is "$(printf '%s\n' "$by_next" | tail -1)" "$(sql session "SELECT count(*) FROM passengers")|t" \
    "[L5] workers with the new library, a session with the old one"
like "$(workers other)" 'ERROR:  55000: the library of hbscore was replaced while this session was open: its parallel workers have interface 2, the session has interface 1' \
    "[L5] but of another interface they are refused"

# ---- another interface
library other
older="ERROR:  55000: the library of hbscore \(version $version\) has interface $((number + 1)), the extension in this database has interface $number"
like "$(titanic_scores left titanic)" "^$older" "[L5] a library of a later interface: an error"
like "$(titanic_scores left titanic)" "^HINT:  Run ALTER EXTENSION hbscore UPDATE, or install a library whose interface is $number\." \
    "[L5] with its hint"
for statement in "SELECT * FROM hbscore.plan('titanic')" "SELECT hbscore.pin('titanic')" \
    "SELECT hbscore.deploy('titanic', 1)" "SELECT hbscore.drop('titanic')" \
    "SELECT hbscore.register('more', model_file('wine.ubj'))" \
    "INSERT INTO hbscore.models (name, model) VALUES ('more', model_file('wine.ubj'))" \
    "SELECT * FROM hbscore.inspect(model_file('wine.ubj'))" "SELECT * FROM hbscore.verify('titanic')" \
    "SELECT * FROM hbscore.stats"; do
    like "$(sql left "$statement")" "^$older" "[L5] also of $statement"
done
like "$(sql left "EXPLAIN (COSTS OFF) SELECT predict_label('titanic', p.*) FROM passengers AS p")" 'Seq Scan' \
    "though a plan can be shown"

cat >"$work/session.sql" <<SQL
SELECT predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S');
\\! psql -X -q -d left -c "ALTER EXTENSION hbscore UPDATE TO '$other'" -c "ALTER TABLE hbscore.models RENAME options TO settings"
SELECT predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S');
SQL
library now
newer="ERROR:  55000: the library of hbscore \(version $version\) has interface $number, the extension in this database has interface $((number + 1))"
like "$(sql left <"$work/session.sql" | tr '\n' ' ')" "^died $newer HINT:  Install a library whose interface is $((number + 1)), and start a new session\." \
    "[L5] a script of a later interface, under a session that has scored: an error that says so"
sql left "ALTER TABLE hbscore.models RENAME settings TO options" >"$work/out"
library other
is "$(serves left)" "$before" "[L5] what the hint says helps"
sql left "DROP FUNCTION hbscore.interface()" >"$work/out"
like "$(sql left "ALTER EXTENSION hbscore DROP FUNCTION hbscore.interface(); DROP FUNCTION hbscore.interface();
    SELECT predict('titanic', 1)")" "ERROR:  55000: .* has interface 0" "[L5] a script that has no number"

# ---- a standby whose library is newer
library now
fill sailing
ok "a backup, for a standby" sh -c ". tools/postgres_clusters.sh
    as_user pg_basebackup -D '$HBSCORE_SERVER/newer' -R --checkpoint=fast --no-sync >'$work/backup.log' 2>&1"
echo "hot_standby = on" | cluster_configure newer 5439
library next
ok "the standby starts" cluster_start newer
on_standby() { (export PGPORT=5439; "$@"); }
is "$(on_standby titanic_scores sailing titanic)" "$first" "[L5] a standby whose library is newer scores"
is "$(on_standby sql sailing "SELECT rows, ok FROM hbscore.verify('titanic@1')")" "1|t" "[L5] and verifies"
library now
is "$(titanic_scores sailing titanic)" "$first" "[L5] as does its primary, with the old one"
library next
is "$(sql sailing "ALTER EXTENSION hbscore UPDATE TO '$next'")" "" "then the primary is upgraded"
upgraded() { on_standby wait_for sailing "SELECT extversion = '$next' FROM pg_extension WHERE extname = 'hbscore'"; }
ok "which comes to the standby" upgraded
is "$(on_standby titanic_scores sailing titanic)" "$first" "[L5] and it scores on"

# ---- an upgrade has what a fresh install has: each member, how it is defined, who may use it, what a dump takes
createdb fresh
createdb upgraded
sql fresh "CREATE EXTENSION hbscore VERSION '$next'" >"$work/out"
sql upgraded "CREATE EXTENSION hbscore VERSION '$version'; ALTER EXTENSION hbscore UPDATE TO '$next'" >>"$work/out"
is "$(cat "$work/out")" "" "a fresh install of the next version, and one that was upgraded to it"
members() {
    sql "$1" "SELECT i.type, i.identity, obj_description(d.objid, d.classid::regclass::name)
        FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid,
            pg_identify_object(d.classid, d.objid, 0) AS i
        WHERE e.extname = 'hbscore' AND d.deptype = 'e' ORDER BY 1, 2"
    sql "$1" "SELECT i.identity, p.privtype, p.initprivs FROM pg_init_privs AS p,
        pg_identify_object(p.classoid, p.objoid, p.objsubid) AS i WHERE i.identity ~ 'hbscore|predict' ORDER BY 1"
    sql "$1" "SELECT extversion, (SELECT array_agg(c.t::regclass) FROM unnest(extconfig) AS c (t)), extcondition
        FROM pg_extension WHERE extname = 'hbscore'"
}
# So pg_dump shows what members are, as pg_upgrade needs it; numbers of objects and transactions are left out.
definitions() {
    pg_dump --binary-upgrade --schema-only -d "$1" |
        grep -Ev "binary_upgrade|^(--|$|\\\\(un)?restrict |SET relfrozenxid|WHERE oid = '[0-9]*')"
}
members upgraded >"$work/upgraded.members"
definitions upgraded >"$work/upgraded.definitions"
members fresh >"$work/fresh.members"
definitions fresh >"$work/fresh.definitions"
ok "an upgrade has the members of a fresh install, their initial rights and dumped tables" \
    diff "$work/upgraded.members" "$work/fresh.members"
ok "and they are defined alike" diff "$work/upgraded.definitions" "$work/fresh.definitions"
like "$(cat "$work/fresh.members")" 'function\|hbscore.one_more\(integer\)\|what the next version has more' "the new one is among them"
like "$(cat "$work/fresh.members")" '\{hbscore.models,hbscore.aliases,hbscore.row_security\}' "and the dumped tables"
like "$(cat "$work/fresh.definitions")" 'GRANT (ALL|EXECUTE) ON FUNCTION hbscore.one_more\(integer\) TO hbscore_scorer' "rights"
like "$(cat "$work/fresh.definitions")" 'CREATE TRIGGER hbscore_insert' "triggers"
like "$(cat "$work/fresh.definitions")" 'score_time' "and what the views show are compared"
finish
