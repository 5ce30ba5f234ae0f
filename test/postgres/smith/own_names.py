"""own_names.py - what an unprivileged role makes under the names of the extension's own relations, types and functions: in its
temporary schema, which PostgreSQL searches first, and in a schema `mine`, to which it lends its search path; and statements
whose answers none of that may change. Trigger functions and others of the extension are asked for things that they refuse."""

CHOICES = {
    'schema': ('pg_temp', 'pg_temp', 'mine'),
    'relation': ('models', 'models', 'models', 'aliases', 'aliases', 'row_security', 'stats', 'people'),
    'source': ('models', 'aliases'),
    'trigger': ('models_insert', 'models_update', 'models_delete', 'aliases_write'),
    'when': ('BEFORE', 'BEFORE', 'BEFORE', 'AFTER'),
    'event': ('INSERT', 'UPDATE', 'DELETE', 'INSERT OR UPDATE OR DELETE'),
    'level': ('ROW', 'ROW', 'STATEMENT'),
    'type': ('text', 'name', 'int4', 'bytea', 'oid', 'jsonb'),
    'operator': ('=', '<>', '<', '||'),
    'path': ('pg_temp, mine, public', 'mine, hbscore, public', 'mine, pg_catalog, public', 'mine', "''", 'public, pg_temp',
             'hbscore, pg_temp, pg_catalog'),
    'support': ('hbscore.predict_agg_step', 'hbscore.predict_agg_final', 'hbscore.predict_label_agg_step',
                'hbscore.predict_label_agg_final', 'hbscore.support'),
}

# In this order. Each may be refused, but never as an internal error.
MADE = (
    'CREATE TABLE {schema}.{relation} (LIKE hbscore.{source} INCLUDING ALL)',
    'CREATE TABLE {schema}.{relation} (LIKE hbscore.{source} INCLUDING ALL)',
    'CREATE TABLE {schema}.{relation} AS SELECT * FROM hbscore.{source}',
    'CREATE TABLE {schema}.{relation} (name text, alias text, version int) PARTITION BY LIST (name)',
    'CREATE TABLE {schema}.{relation}_1 PARTITION OF {schema}.{relation} DEFAULT',
    'CREATE TABLE {schema}.{relation} () INHERITS (hbscore.{source})',
    'CREATE TABLE {schema}.{relation} (name int, version text, model text, sha256 text, options text, golden int)',
    'CREATE VIEW {schema}.{relation} AS SELECT * FROM hbscore.{source} OFFSET 0',
    'CREATE MATERIALIZED VIEW mine.{relation} AS SELECT * FROM hbscore.{source}',
    'CREATE FOREIGN TABLE {schema}.{relation} (name text, alias text, version int) SERVER here OPTIONS (table_name $$kinds$$)',
    'CREATE SEQUENCE {schema}.{relation}',
    'CREATE TYPE {schema}.{relation} AS (name text, version int)',
    'CREATE DOMAIN {schema}.model_ref AS text CHECK (value IS NULL)',
    'CREATE TYPE {schema}.model_ref AS ENUM ($$number$$)',
    'CREATE FUNCTION pg_temp.predict(model public.model_ref, VARIADIC "any") RETURNS float8 LANGUAGE internal AS $$int4in$$',
    'CREATE FUNCTION pg_temp.predict(text, float8, float8, float8, float8) RETURNS float8 LANGUAGE sql RETURN -1',
    'CREATE FUNCTION {schema}.mine(internal) RETURNS internal LANGUAGE c AS $$$libdir/hbscore$$, $$hbscore_support$$',
    'CREATE FUNCTION {schema}.helped(int) RETURNS int SUPPORT hbscore.support LANGUAGE sql RETURN $1',
    'CREATE AGGREGATE {schema}.gathered(public.model_ref, VARIADIC "any") (sfunc = hbscore.predict_agg_step, stype = internal)',
    'CREATE AGGREGATE {schema}.gathered(float8) (sfunc = float8pl, stype = float8, finalfunc = hbscore.predict_agg_final)',
    'CREATE FUNCTION mine.trap({type}, {type}) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE $x$trapped$x$; END $$; '
    'CREATE OPERATOR mine.{operator} (function = mine.trap, leftarg = {type}, rightarg = {type})',
    'CREATE FUNCTION mine.trap({type}, {type}) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE $x$trapped$x$; END $$; '
    'CREATE OPERATOR mine.{operator} (function = mine.trap, leftarg = {type}, rightarg = {type})',
    'CREATE CAST ({type} AS public.model_ref) WITH INOUT AS IMPLICIT',
    'CREATE FUNCTION mine.octet_length(bytea) RETURNS int LANGUAGE sql RETURN 1',
    'CREATE FUNCTION mine.max(int) RETURNS int LANGUAGE sql RETURN 7',
    'CREATE TRIGGER t {when} {event} ON {schema}.{relation} FOR EACH {level} EXECUTE FUNCTION hbscore.{trigger}()',
    'CREATE TRIGGER t {when} {event} ON {schema}.{relation} FOR EACH {level} EXECUTE FUNCTION hbscore.{trigger}()',
    'CREATE TRIGGER t BEFORE TRUNCATE ON {schema}.{relation} EXECUTE FUNCTION hbscore.{trigger}()',
    'CREATE TRIGGER t INSTEAD OF {event} ON {schema}.{relation} FOR EACH ROW EXECUTE FUNCTION hbscore.{trigger}()',
    'CREATE CONSTRAINT TRIGGER t AFTER {event} ON {schema}.{relation} DEFERRABLE FOR EACH ROW EXECUTE FUNCTION hbscore.{trigger}()',
    'CREATE RULE r AS ON UPDATE TO {schema}.{relation} DO ALSO SELECT hbscore.pin($$number$$)',
    'CREATE FUNCTION {schema}.{trigger}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'ALTER TABLE {schema}.{relation} ENABLE ROW LEVEL SECURITY',
    'ALTER TABLE {schema}.{relation} FORCE ROW LEVEL SECURITY',
    'CREATE POLICY p ON {schema}.{relation} USING (predict($$number$$, version, 1, 2, 3) > 0)',
    'CREATE INDEX ON {schema}.{relation} (predict_version($$number@1$$, version, 1, 2, 3))',
    'CREATE INDEX ON {schema}.{relation} (predict($$number$$, version, 1, 2, 3))',
    'ALTER TABLE {schema}.{relation} ADD COLUMN s float8 GENERATED ALWAYS AS (predict_version($$number@1$$, version, 1, 2, 3)) STORED',
    'ALTER TABLE {schema}.{relation} ADD CHECK (predict_version($$number@1$$, version, 1, 2, 3) > 0)',
    'ALTER TABLE {schema}.{relation} RENAME TO models',
    'ALTER TABLE {schema}.{relation} SET SCHEMA hbscore',
    'ALTER TABLE {schema}.{relation} DROP COLUMN name',
    'ALTER TABLE {schema}.{relation} INHERIT hbscore.{source}',
    'ALTER EXTENSION hbscore ADD TABLE {schema}.{relation}',
    'ALTER EXTENSION hbscore DROP TABLE hbscore.{source}',
    'ALTER TABLE hbscore.{source} DISABLE TRIGGER ALL',
    'CREATE TRIGGER t {when} {event} ON hbscore.{source} FOR EACH {level} EXECUTE FUNCTION hbscore.{trigger}()',
    'CREATE TABLE hbscore.{relation} (name text)',
    'CREATE SCHEMA hbscore',
    'CREATE SCHEMA hbscore_next',
    'INSERT INTO {schema}.{relation} SELECT * FROM hbscore.{source}',
    'INSERT INTO {schema}.{relation} (name, alias, version) VALUES ($$number$$, $$default$$, 1), ($$number$$, $$best$$, 7)',
    'INSERT INTO {schema}.{relation} (name, model) SELECT name, model FROM hbscore.models',
    'INSERT INTO {schema}.{relation} (name, version) VALUES (NULL, NULL), ($$number$$, 2147483647)',
    'UPDATE {schema}.{relation} SET model = NULL',
    'UPDATE {schema}.{relation} SET version = version + 1, name = NULL',
    'UPDATE {schema}.{relation} SET name = $$titanic$$ RETURNING *',
    'DELETE FROM {schema}.{relation}',
    'TRUNCATE {schema}.{relation}',
    'COPY {schema}.{relation} FROM PROGRAM $$true$$',
    'DROP TABLE {schema}.{relation}',
    'SET CONSTRAINTS ALL IMMEDIATE',
    'SELECT {support}(NULL)',
    'SELECT {support}(NULL, $$number$$, 1)',
    'SELECT hbscore.{trigger}()',
    'SET LOCAL search_path = {path}',
    'SET LOCAL search_path = {path}',
    'SET LOCAL hbscore.batch = auto',
    'PREPARE kept AS SELECT public.predict($$number$$, id, 1, 2, 3) FROM public.kept',
    'SELECT * FROM {schema}.{relation}',
)

# The first of these make a relation or a type of its name.
OF_TABLES = 12

# Everything with its schema, and no operator: what PostgreSQL itself reads in them is the same by any search path.
ASKED = (
    "SELECT id, public.predict('number', pclass, age, sibsp, fare) FROM public.people",
    "SELECT id, public.predict_label('titanic', p.*) FROM public.people AS p",
    "SELECT pg_catalog.sum(public.predict_probability('lenient', 'died', p.*)) FROM public.people AS p",
    "SELECT pclass, public.predict_agg('number', pclass, age, sibsp, fare) FROM public.people GROUP BY pclass",
    "SELECT id, public.predict_version('number@1', vec) FROM public.secured",
    "SELECT public.predict_json('pipeline', p.*) FROM public.guarded_both AS p",
    "SELECT public.transform('pipeline', p.*) FROM public.secured_score AS p",
    "SELECT public.predict('nothing', 1)",
    "SELECT public.predict('number@7', 1)",
    "SELECT hbscore.pin('number')",
    "SELECT * FROM hbscore.verify('number')",
    "SELECT position, operator, calls, rows"
    " FROM hbscore.profile('number', 'SELECT id, pclass, age, sibsp, fare FROM public.people')",
    "SELECT * FROM hbscore.inspect('titanic')",
    "SELECT stage, position, operator FROM hbscore.plan('number')",
    "SELECT hbscore.plan('number', 'dot')",
    "SELECT hbscore.security_script()",
    "SELECT name, version, model IS NULL FROM hbscore.models ORDER BY name, version",
    "SELECT name, alias, version FROM hbscore.aliases ORDER BY name, alias",
    "SELECT FROM hbscore.stats LIMIT 0",
    "SELECT hbscore.register('number', (SELECT m.model FROM hbscore.models AS m ORDER BY name LIMIT 1))",
    "SELECT hbscore.deploy('number', 1)",
    "SELECT hbscore.deploy('number', 1, 'best')",
    "SELECT public.predict('number@best', 1, 2, 3, 4)",
    "SELECT hbscore.drop('titanic', 1)",
    "SELECT hbscore.drop('number', force => true)",
    "SELECT hbscore.create_predict_function('number', 'mine.number') IS NULL",
    "SELECT hbscore.create_predict_function('number', 'pg_temp.number') IS NULL",
    "SELECT pg_temp.number(1, 2, 3, 4)",
    "SELECT hbscore.require_row_security(true)",
    "INSERT INTO hbscore.models (name, version) VALUES ('number', 2147483647)",
    "INSERT INTO hbscore.models (name, model) SELECT 'other', m.model FROM hbscore.models AS m ORDER BY name LIMIT 1",
    "UPDATE hbscore.models SET model = NULL",
    "UPDATE hbscore.models SET version = 9",
    "DELETE FROM hbscore.models",
    "INSERT INTO hbscore.aliases VALUES ('number', 'best', 1), ('number', 'none', 3)",
    "DELETE FROM hbscore.aliases",
    "TRUNCATE hbscore.models, hbscore.aliases",
)


def choose(random):
    return {kind: random.choice(values) for kind, values in CHOICES.items()}


# What is asked needs the schemas.
FIRST = ('CREATE SCHEMA mine', 'CREATE TEMP SEQUENCE temporary')


def made(random):
    """Behind the first ones mostly things of one name."""
    mostly = choose(random)
    places = sorted([random.randrange(OF_TABLES)] + random.choices(range(len(MADE)), k=random.randrange(4, 20)))
    return [
        MADE[place].format_map({**choose(random), **{kind: value for kind, value in mostly.items() if random.random() < 0.9}})
        for place in places]


def asked(random):
    return random.choices(ASKED, k=random.randrange(1, 6))
