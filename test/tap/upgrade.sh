#!/bin/sh
# upgrade.sh - ALTER EXTENSION hbscore UPDATE, and a library that is not of the SQL's version.
#
# The next version is made here: the SQL of this one and one function more, and build/postgres/next/hbscore.so, the same
# library with another stamp (tools/postgres.mk). Both libraries take the same place one after the other, so that a new
# session loads the other.
. test/tap/tap.sh
trap 'library "$work/now.so"' EXIT

version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" postgres/hbscore.control)
next=$version.next
extension=$HBSCORE_SERVER$("$PG_CONFIG" --sharedir)/extension
installed=$HBSCORE_SERVER$("$PG_CONFIG" --pkglibdir)/hbscore.so
other=${BUILD:-build}/postgres/next/hbscore.so

library() { install -m 755 "$1" "$installed"; }
cp "$installed" "$work/now.so"

# ---- files of the next version
change="CREATE FUNCTION hbscore.one_more() RETURNS pg_catalog.int4 LANGUAGE sql IMMUTABLE AS 'SELECT 1';
COMMENT ON FUNCTION hbscore.one_more() IS 'what the next version has more';"
echo "$change" >"$extension/hbscore--$version--$next.sql"
{
    cat "postgres/hbscore--$version.sql"
    echo "$change"
} >"$extension/hbscore--$next.sql"
chmod a+r "$extension"/hbscore--*.sql

# ---- new SQL, old library; then the new library; all in databases of this version
make_database upgraded
make_database left
for database in upgraded left; do
    sql "$database" >"$work/out" <<'SQL'
SELECT register_titanic();
SELECT register_titanic(5);
SELECT hbscore.drop_model('titanic', 2);
SELECT hbscore.deploy_model('titanic', 1);
CREATE INDEX fate ON passengers (predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked));
CREATE FUNCTION fate(passengers) RETURNS text LANGUAGE sql STABLE AS $$ SELECT predict_label('titanic', $1) $$;
SQL
done
before=$(titanic_scores upgraded titanic)
like "$before" '^[0-9a-f]{32}$' "this version scores"

is "$(sql upgraded "ALTER EXTENSION hbscore UPDATE TO '$next'")" "" "ALTER EXTENSION hbscore UPDATE"
mixed="ERROR:  55000: the library of hbscore is version $version, the extension in this database is version $next"
hint="HINT:  Install the files of one version, run ALTER EXTENSION hbscore UPDATE, and start a new session."
like "$(titanic_scores upgraded titanic)" "^$mixed" "[L5] new SQL, old library: an error"
like "$(titanic_scores upgraded titanic)" "$hint" "[L5] with its hint"
like "$(sql upgraded "SELECT * FROM hbscore.describe_plan('titanic')")" "^$mixed" \
    "[L5] new SQL, old library: describing"
like "$(sql upgraded "SELECT hbscore.register_model('more', model_file('wine.ubj'))")" "^$mixed" \
    "[L5] new SQL, old library: registering"

library "$other"
is "$(titanic_scores upgraded titanic)" "$before" "after the upgrade: scores, bit by bit"
is "$(sql upgraded "SELECT hbscore.register_model('titanic', model_file('titanic_catboost.json'))")" 3 \
    "and numbers go on"
is "$(sql upgraded "SELECT DISTINCT fate(p) = predict_label('titanic', p.*) FROM passengers AS p")" t \
    "a function over it lives on"
like "$(sql upgraded "SET enable_seqscan = off; EXPLAIN SELECT count(*) FROM passengers
    WHERE predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked) = 'died'")" 'fate' \
    "and the index"

like "$(titanic_scores left titanic)" \
    "^ERROR:  55000: the library of hbscore is version $next, the extension in this database is version $version" \
    "[L5] old SQL, new library: an error"
like "$(titanic_scores left titanic)" "$hint" "[L5] with its hint"
is "$(sql left "ALTER EXTENSION hbscore UPDATE TO '$next'")" "" "[L5] what the hint says can be done"
is "$(titanic_scores left titanic)" "$before" "[L5] and helps"

# ---- a session that was there before has the old library until it ends
library "$work/now.so"
createdb session
sql session "CREATE EXTENSION hbscore" >"$work/out"
cat >"$work/session.sql" <<SQL
SELECT hbscore.register_model('wine', decode('$(base64 -w 0 demo/models/wine.ubj)', 'base64')) \\g /dev/null
SELECT predict('wine', array_fill(1.0::float8, ARRAY[13]));
\\! psql -X -q -d session -c "ALTER EXTENSION hbscore UPDATE TO '$next'"
SELECT predict('wine', array_fill(1.0::float8, ARRAY[13]));
SET hbscore.plan_cache_size = 0;
SELECT predict('wine', array_fill(1.0::float8, ARRAY[13]));
SQL
like "$(sql session <"$work/session.sql" | tr '\n' ' ')" "^([0-9]+) \\1 $mixed" \
    "[L5] an upgrade under a session: the plan that it has scores on, what it would read is an error"

# ---- what \dx+ shows is what a fresh install has
library "$other"
createdb fresh
sql fresh "CREATE EXTENSION hbscore VERSION '$next'" >"$work/out"
is "$(cat "$work/out")" "" "a fresh install of the next version"
objects() { psql -X -A -t -d "$1" -c '\dx+ hbscore' | sort; }
is "$(objects upgraded)" "$(objects fresh)" "\\dx+ hbscore: an upgrade has the objects of a fresh install"
like "$(objects fresh)" 'function hbscore.one_more' "the new one too"
# Not only their names: how they are defined, who may use them, what a dump takes.
definitions() {
    sql "$1" "SELECT pg_get_functiondef(p.oid), p.proacl FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid
        JOIN pg_extension AS e ON d.refobjid = e.oid
        WHERE e.extname = 'hbscore' AND d.deptype = 'e' AND p.prokind = 'f' ORDER BY 1"
    sql "$1" "SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attgenerated, attstorage
        FROM pg_attribute WHERE attrelid IN ('hbscore.models'::regclass, 'hbscore.aliases'::regclass) AND attnum > 0
        ORDER BY 1, 2"
    sql "$1" "SELECT adrelid::regclass, adnum, pg_get_expr(adbin, adrelid) FROM pg_attrdef
        WHERE adrelid IN ('hbscore.models'::regclass, 'hbscore.aliases'::regclass) ORDER BY 1, 2"
    sql "$1" "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'hbscore.%' ORDER BY 1"
    sql "$1" "SELECT c.oid::regclass, pg_get_viewdef(c.oid), obj_description(c.oid, 'pg_class') FROM pg_class AS c
        WHERE relkind = 'v' AND relnamespace = 'hbscore'::regnamespace ORDER BY 1"
    sql "$1" "SELECT extversion, array_length(extconfig, 1), extcondition FROM pg_extension WHERE extname = 'hbscore'"
}
is "$(definitions upgraded)" "$(definitions fresh)" "and they are defined alike"
like "$(definitions fresh)" "$next\|3\|" "the tables are in a dump"
like "$(definitions upgraded)" 'score_time' "and what the views show is among what is compared"
finish
