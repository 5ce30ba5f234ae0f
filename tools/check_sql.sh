#!/bin/sh
# check_sql.sh - the SQL scripts of the extension, checked for what a hostile search_path could turn: tools/check_sql.sh [FILE..]
#
# A superuser runs these scripts, in a database where others have made objects. So
#  - every function, type, table, cast and operator is written with its schema: pg_catalog, hbscore or @extschema@;
#  - nothing is taken over that is there already: no CREATE OR REPLACE, no IF NOT EXISTS;
#  - nothing runs with its owner's rights: no SECURITY DEFINER;
#  - functions are in C, the extension's or the server's own: a body in SQL or PL/pgSQL is text that this check cannot read, and
#    that is read at each call; but a body may be SELECT and a number, and what a DO runs once is checked as the rest is;
#  - operators outside pg_catalog stand only where one is made or put into a class: there their types are those of the script.
# Without FILEs: postgres/hbscore--*.sql, after a check of itself against planted breaches; and those of releases, which are
# listed in postgres/released.sha256, are as they were released.
set -u

# check FILE..: prints the breaches; status 1 if there are any.
check() {
    awk '
function breach(text) { print file ":" line_of[t] ": " text; n_breaches++ }

# Texts and comments away, the rest in tokens: words, "words", numbers, operators, single marks.
function tokenize(s,    c, w, line) {
    n = 0
    line = 1
    while (s != "") {
        c = substr(s, 1, 1)
        if (c == "\n") line++
        if (c ~ /[ \t\r\n]/) { s = substr(s, 2); continue }
        if (match(s, /^--[^\n]*/) || match(s, /^\\[^\n]*/)) { s = substr(s, RLENGTH + 1); continue }
        if (c == "\047") {
            match(s, /^(\047[^\047]*\047)+/)
            w = substr(s, 1, RLENGTH)
            token[++n] = w ~ /^\047SELECT [0-9]+\047$/ ? "CONSTANT" : "TEXT"
        } else if (match(s, /^@extschema@/) || match(s, /^"[^"]*"/) || match(s, /^[A-Za-z_][A-Za-z0-9_]*/) || match(s, /^[0-9]+/) ||
                   match(s, /^::/) || match(s, /^[-+*\/<>=~!@#%^&|`?]+/) || match(s, /^\$[A-Za-z_0-9]*\$/) || match(s, /^./)) {
            w = substr(s, 1, RLENGTH)
            token[++n] = w
        }
        line_of[n] = line
        line += gsub(/\n/, "\n", w)
        s = substr(s, RLENGTH + 1)
    }
    token[n + 1] = token[n + 2] = ""
}
function is_word(w) { return w ~ /^([A-Za-z_]|"|@extschema@)/ && w != "TEXT" && w != "CONSTANT" }
function is_keyword(w) { return toupper(w) in keyword }
function is_schema(w) { return w == "pg_catalog" || w == "hbscore" || w == "@extschema@" }

# The name that token t begins. Returns its last token.
function check_name(    first, last) {
    first = t
    for (last = t; token[last + 1] == "." && (is_word(token[last + 2]) || token[last + 2] == "*"); last += 2) {}
    if (last > first) {
        if (!is_schema(token[first]) && !(token[first] in alias)) breach("\"" token[first] "\" is none of the schemas pg_catalog, hbscore and @extschema@")
        return last
    }
    if (token[t - 1] == "." || (is_keyword(token[t]) && token[t] !~ /^"/ && !(token[t + 1] == "(" && !(toupper(token[t]) in before_list)))) return last
    if (token[t + 1] == "(" && !defines(token[t - 1])) breach("the function or type \"" token[t] "\" stands without its schema")
    else if (type_follows()) column[token[t]] = 1
    else if (toupper(token[t - 1]) == "AS" ? in_cast() : !defines(token[t - 1]) && !in_columns && !is_option() && !is_column() && !is_role())
        breach("\"" token[t] "\" stands without its schema")
    return last
}
# In an expression over the columns of the table that is made.
function is_column() { return token[t] in column && !is_word(token[t - 1]) }
# CAST (x AS type)
function in_cast(    i, depth) {
    for (i = t - 1; i > 0 && depth >= 0; i--) depth += (token[i] == ")") - (token[i] == "(")
    return toupper(token[i]) == "CAST"
}
# FROM hbscore.f() AS s, for names as s.x in the whole statement
function find_aliases(    i) {
    delete alias
    delete column
    for (i = t; i <= n && token[i] != ";"; i++) if (toupper(token[i]) == "AS" && is_word(token[i + 1])) alias[token[i + 1]] = 1
}
# Behind these a new name stands, or one of a column.
function defines(before) { return toupper(before) ~ /^(SCHEMA|COLUMN|TRIGGER|CONSTRAINT|AS|ROLE)$/ }
# A role, behind TO or FROM.
function is_role(    i) {
    for (i = t - 1; token[i] == "," && is_word(token[i - 1]); i -= 2) {}
    return makes_right && toupper(token[i]) ~ /^(TO|FROM)$/
}
# The body of a function in SQL.
function is_constant(    i) {
    for (i = t; i <= n && token[i] != ";"; i++) if (token[i] == "CONSTANT") return toupper(token[i - 1]) == "AS" && token[i + 1] == ";"
    return 0
}
# A parameter or column: its type is next, with its schema.
function type_follows() { return is_schema(token[t + 1]) && token[t + 2] == "." }
# OPTION = value, of CREATE TYPE and CREATE AGGREGATE.
function is_option() { return token[t + 1] == "=" && (token[t - 1] == "(" || token[t - 1] == ",") }

function check_file(    w) {
    in_columns = 0
    block = ""
    for (t = 1; t <= n; t++) {
        w = token[t]
        if (t == 1 || token[t - 1] == ";") find_aliases()
        if (t == 1 || token[t - 1] == ";") makes_operator = toupper(w) == "CREATE" && toupper(token[t + 1]) == "OPERATOR"
        if (t == 1 || token[t - 1] == ";") makes_right = toupper(w) ~ /^(GRANT|REVOKE)$/
        if (w ~ /^\$/ && toupper(token[t - 1]) == "DO") block = w
        else if (w ~ /^\$/ && w == block) block = ""
        else if (w ~ /^\$/) breach("a body of a function: only C functions can be checked")
        if (toupper(w) == "OR" && toupper(token[t + 1]) == "REPLACE") breach("OR REPLACE takes over what is there")
        if (toupper(w) == "IF" && toupper(token[t + 1]) == "NOT") breach("IF NOT EXISTS takes over what is there")
        if (toupper(w) == "SECURITY" && toupper(token[t + 1]) == "DEFINER") breach("SECURITY DEFINER")
        if (toupper(w) == "LANGUAGE") {
            if (toupper(token[++t]) !~ /^(C|INTERNAL)$/ && !(toupper(token[t]) == "SQL" && is_constant())) breach("LANGUAGE " token[t] ": only C functions can be checked")
            continue
        }
        if (w == "(" && toupper(token[t - 1]) ~ /^(KEY|UNIQUE)$/) in_columns = 1
        if (w == ")") in_columns = 0
        if (toupper(w) == "OPERATOR" && token[t + 1] == "(") {
            if (token[t + 2] != "pg_catalog" && !(makes_operator && token[t + 2] == "@extschema@")) breach("an operator of another schema than pg_catalog")
            t += 5
            continue
        }
        if (makes_operator && w == "@extschema@" && token[t + 1] == "." && is_operator(token[t + 2])) {
            t += 2
            continue
        }
        if (is_operator(w) && !(w == "=" && option_before())) breach("the operator " w " stands without OPERATOR(pg_catalog." w ")")
        if (is_word(w)) t = check_name()
    }
}
function is_operator(w) { return w ~ /^[-+*\/<>=~!@#%^&|`?]+$/ }
function option_before() { return is_word(token[t - 1]) && (token[t - 2] == "(" || token[t - 2] == ",") }

BEGIN {
    split("ADD AFTER AGGREGATE ALTER ALWAYS AND AS ASC ASSIGNMENT BEFORE BTREE BY C CALLED CASCADE CAST CHECK CLASS COLLATE COLUMN COMMENT CONSTRAINT COST CREATE " \
        "CURRENT_USER DEFAULT DEFINER DELETE DESC DISTINCT DROP EACH EVENT EXECUTE EXISTS EXTERNAL FALSE FOR FROM FUNCTION GENERATED GRANT ENABLE " \
        "GROUP HASH HASHES HEAP IF IMMUTABLE IMPLICIT IN INDEX INOUT INPUT INSERT INTERNALLENGTH INVOKER IS JOIN KEY LANGUAGE LEAKPROOF LIMIT MAIN MERGES NOT NULL OF ON " \
        "OPERATOR OPTION OR ORDER PARALLEL PRIMARY PUBLIC REPLACE RESTRICTED RETURNS REVOKE ROW ROWS SAFE SCHEMA SECURITY SELECT SET SETOF " \
        "STABLE STATEMENT STORAGE STORED STRICT SUPPORT TABLE TO TRIGGER TRUE TRUNCATE TYPE UNIQUE UNSAFE UPDATE USAGE USING VALUES VARIABLE " \
        "VARIADIC VIEW VOLATILE WHERE WITH WITHOUT EXTENDED PLAIN INTO ROLE DO BEGIN END EXCEPTION WHEN THEN DUPLICATE_OBJECT UNIQUE_VIOLATION", words, " ")
    for (i in words) keyword[words[i]] = 1
    split("AS BY CAST CHECK COST IN KEY TABLE UNIQUE VALUES WITH ON", words, " ")
    for (i in words) before_list[words[i]] = 1
    RS = "\001"
    for (a = 1; a < ARGC; a++) {
        file = ARGV[a]
        if ((getline source < file) <= 0) { print file ": cannot be read"; n_breaches++; continue }
        close(file)
        tokenize(source)
        check_file()
        n_tokens += n
    }
    print n_tokens + 0 " tokens, " n_breaches + 0 " breaches"
    exit n_breaches > 0
}' "$@"
}

# Each breach is planted alone behind statements that are right.
self_check() {
    found=0
    missed=0
    cat >"$work/good.sql" <<'SQL'
-- good.sql - what is right: CREATE OR REPLACE is only a word here.
\echo Use "CREATE EXTENSION" \quit
CREATE SCHEMA hbscore;
CREATE TYPE @extschema@.t;
CREATE FUNCTION hbscore.t_in(pg_catalog.cstring) RETURNS @extschema@.t LANGUAGE C STRICT AS 'MODULE_PATHNAME', 't_in';
CREATE TYPE @extschema@.t (INPUT = hbscore.t_in, INTERNALLENGTH = VARIABLE, STORAGE = extended);
CREATE CAST (pg_catalog.text AS @extschema@.t) WITH INOUT AS IMPLICIT;
CREATE TABLE hbscore.m (
    name pg_catalog.text COLLATE pg_catalog."C" NOT NULL, "position" pg_catalog.int4 DEFAULT 5,
    sum pg_catalog.bytea GENERATED ALWAYS AS (pg_catalog.sha256(name)) STORED, by pg_catalog.text DEFAULT CURRENT_USER,
    UNIQUE ("position"), PRIMARY KEY (name, sum)
);
ALTER TABLE hbscore.m ALTER COLUMN name SET STORAGE EXTERNAL;
CREATE FUNCTION hbscore.f(name pg_catalog.text, VARIADIC features pg_catalog."any") RETURNS TABLE (a pg_catalog.float8[], b pg_catalog.text)
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'it''s';
CREATE TRIGGER watch BEFORE INSERT OR UPDATE ON hbscore.m FOR EACH ROW EXECUTE FUNCTION hbscore.g();
CREATE VIEW hbscore.v AS SELECT s.a, s.b AS c FROM hbscore.f('x') AS s WHERE s.a OPERATOR(pg_catalog.=) 'y'::pg_catalog.text;
CREATE AGGREGATE @extschema@.agg(x pg_catalog.int4) (SFUNC = hbscore.step, STYPE = pg_catalog.internal, PARALLEL = SAFE);
CREATE FUNCTION hbscore.eq(@extschema@.t, @extschema@.t) RETURNS pg_catalog.bool LANGUAGE internal AS 'byteaeq';
CREATE OPERATOR @extschema@.= (LEFTARG = @extschema@.t, RIGHTARG = @extschema@.t, FUNCTION = hbscore.eq,
    COMMUTATOR = OPERATOR(@extschema@.=), RESTRICT = pg_catalog.eqsel, HASHES, MERGES);
CREATE OPERATOR CLASS hbscore.ops DEFAULT FOR TYPE @extschema@.t USING hash AS OPERATOR 1 @extschema@.=, FUNCTION 1 hbscore.h(@extschema@.t);
COMMENT ON FUNCTION hbscore.f(pg_catalog.text, VARIADIC pg_catalog."any") IS 'security definer; a = b';
SELECT pg_catalog.pg_extension_config_dump('hbscore.m', '');
CREATE FUNCTION hbscore.n() RETURNS pg_catalog.int4 LANGUAGE sql IMMUTABLE AS 'SELECT 12';
DO $$
BEGIN
    CREATE ROLE scorer;
    COMMENT ON ROLE scorer IS 'scores';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
INSERT INTO hbscore.m VALUES ('x', 'y');
GRANT SELECT ON hbscore.m TO scorer, other;
REVOKE EXECUTE ON FUNCTION hbscore.f(pg_catalog.text) FROM PUBLIC;
SQL
    check "$work/good.sql" >"$work/out"
    if [ $? -ne 0 ]; then
        echo "a script without a breach was refused:"
        cat "$work/out"
        missed=$((missed + 1))
    fi
    plant() { # STATEMENT: must be found, on its line
        { cat "$work/good.sql"; printf '%s\n' "$1"; } >"$work/bad.sql"
        if ! check "$work/bad.sql" >"$work/out" && grep -q ":$(wc -l <"$work/bad.sql" | tr -d ' '): " "$work/out"; then
            found=$((found + 1))
        else
            echo "a planted breach was not found: $1"
            missed=$((missed + 1))
        fi
    }
    plant "CREATE OR REPLACE FUNCTION hbscore.f() RETURNS pg_catalog.int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "create or replace view hbscore.v AS SELECT s.a FROM hbscore.f() AS s;"
    plant "CREATE SCHEMA IF NOT EXISTS other;"
    plant "CREATE TABLE IF NOT EXISTS hbscore.m (name pg_catalog.text);"
    plant "CREATE FUNCTION hbscore.f() RETURNS pg_catalog.int4 LANGUAGE C SECURITY DEFINER AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE FUNCTION hbscore.f() RETURNS int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE FUNCTION hbscore.f(name text) RETURNS pg_catalog.int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE FUNCTION hbscore.f(VARIADIC features \"any\") RETURNS pg_catalog.int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE FUNCTION hbscore.f(name model_ref) RETURNS pg_catalog.int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE FUNCTION f() RETURNS pg_catalog.int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE FUNCTION public.f() RETURNS pg_catalog.int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE FUNCTION hbscore.f() RETURNS pg_catalog.int4 LANGUAGE sql AS 'SELECT g()';"
    plant "CREATE FUNCTION hbscore.f() RETURNS pg_catalog.int4 LANGUAGE sql AS 'SELECT 1' SET a TO 'b';"
    plant "CREATE FUNCTION hbscore.f() RETURNS pg_catalog.int4 LANGUAGE plpgsql AS 'SELECT 1';"
    plant "DO \$\$BEGIN PERFORM f(); END\$\$;"
    plant "DO \$\$BEGIN CREATE TABLE t (a pg_catalog.int4); END\$\$;"
    plant "GRANT SELECT ON hbscore.m, other TO scorer;"
    plant "CREATE TABLE hbscore.w (a pg_catalog.text); INSERT INTO other VALUES ('x');"
    plant "CREATE FUNCTION hbscore.f() RETURNS pg_catalog.int4 LANGUAGE C AS \$\$SELECT 1\$\$;"
    plant "CREATE FUNCTION hbscore.f() RETURNS SETOF int4 LANGUAGE C AS 'MODULE_PATHNAME', 'f';"
    plant "CREATE TABLE models (name pg_catalog.text);"
    plant "CREATE TABLE hbscore.m (name text);"
    plant "CREATE TABLE hbscore.m (name pg_catalog.text COLLATE \"C\");"
    plant "CREATE TABLE hbscore.m (name pg_catalog.text DEFAULT now());"
    plant "CREATE TABLE hbscore.m (n pg_catalog.int4 CHECK (n > 0));"
    plant "CREATE TRIGGER watch BEFORE INSERT ON models FOR EACH ROW EXECUTE FUNCTION hbscore.g();"
    plant "CREATE TRIGGER watch BEFORE INSERT ON hbscore.m FOR EACH ROW EXECUTE FUNCTION g();"
    plant "CREATE CAST (text AS @extschema@.t) WITH INOUT AS IMPLICIT;"
    plant "CREATE CAST (pg_catalog.text AS t) WITH INOUT AS IMPLICIT;"
    plant "CREATE VIEW hbscore.w AS SELECT s.a FROM hbscore.f() AS s WHERE s.a = 1;"
    plant "CREATE VIEW hbscore.w AS SELECT s.a || 'x' AS b FROM hbscore.f() AS s;"
    plant "CREATE VIEW hbscore.w AS SELECT s.a FROM hbscore.f() AS s WHERE s.a OPERATOR(public.=) 1;"
    plant "CREATE VIEW hbscore.w AS SELECT s.a::text AS b FROM hbscore.f() AS s;"
    plant "CREATE VIEW hbscore.w AS SELECT CAST(s.a AS text) AS b FROM hbscore.f() AS s;"
    plant "CREATE VIEW hbscore.w AS SELECT lower(s.a) AS b FROM hbscore.f() AS s;"
    plant "CREATE VIEW hbscore.w AS SELECT s.a FROM models AS s;"
    plant "CREATE AGGREGATE @extschema@.agg(x pg_catalog.int4) (SFUNC = step, STYPE = pg_catalog.internal);"
    plant "CREATE AGGREGATE @extschema@.agg(x pg_catalog.int4) (SFUNC = hbscore.step, STYPE = internal);"
    plant "CREATE TYPE @extschema@.t (INPUT = t_in);"
    plant "CREATE VIEW hbscore.w AS SELECT s.a FROM hbscore.f() AS s WHERE s.a OPERATOR(@extschema@.=) 1;"
    plant "CREATE OPERATOR = (LEFTARG = @extschema@.t, RIGHTARG = @extschema@.t, FUNCTION = hbscore.eq);"
    plant "CREATE OPERATOR public.= (LEFTARG = @extschema@.t, RIGHTARG = @extschema@.t, FUNCTION = hbscore.eq);"
    plant "CREATE OPERATOR @extschema@.= (LEFTARG = text, RIGHTARG = @extschema@.t, FUNCTION = hbscore.eq);"
    plant "CREATE OPERATOR @extschema@.= (LEFTARG = @extschema@.t, RIGHTARG = @extschema@.t, FUNCTION = eq);"
    plant "CREATE OPERATOR @extschema@.= (LEFTARG = @extschema@.t, FUNCTION = hbscore.eq, NEGATOR = OPERATOR(public.<>));"
    plant "CREATE OPERATOR CLASS ops DEFAULT FOR TYPE @extschema@.t USING hash AS OPERATOR 1 @extschema@.=;"
    plant "CREATE OPERATOR CLASS hbscore.ops DEFAULT FOR TYPE @extschema@.t USING hash AS OPERATOR 1 =;"
    plant "COMMENT ON FUNCTION hbscore.f(text) IS 'text';"
    plant "SELECT pg_extension_config_dump('hbscore.m', '');"
    plant "GRANT SELECT ON models TO PUBLIC;"
    echo "self-check: $found of $((found + missed)) planted breaches found"
}

# released FOLDER: prints the scripts of its released.sha256 that were edited or removed; status 1 if there are any.
released() {
    sed '/^#/d' "$1/released.sha256" >"$work/list"
    [ ! -s "$work/list" ] || (cd "$1" && sha256sum --check --quiet --strict "$work/list" 2>&1)
}

self_check_released() {
    mkdir "$work/postgres"
    cp "$work/good.sql" "$work/postgres/hbscore--1.sql"
    { echo "# scripts"; (cd "$work/postgres" && sha256sum hbscore--1.sql); } >"$work/postgres/released.sha256"
    if released "$work/postgres" >"$work/out"; then found=$((found + 1)); else missed=$((missed + 1)); cat "$work/out"; fi
    echo "-- later" >>"$work/postgres/hbscore--1.sql"
    if ! released "$work/postgres" >"$work/out"; then found=$((found + 1)); else missed=$((missed + 1)); echo "an edited script was not found"; fi
    rm "$work/postgres/hbscore--1.sql"
    if ! released "$work/postgres" >"$work/out"; then found=$((found + 1)); else missed=$((missed + 1)); echo "a removed script was not found"; fi
}

if [ $# -gt 0 ]; then
    check "$@"
    exit $?
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
self_check
self_check_released
check postgres/hbscore--*.sql && released postgres
status=$?
echo "$((found + (status == 0))) passed, $((missed + (status != 0))) failed"
[ $status -eq 0 ] && [ $missed -eq 0 ]
