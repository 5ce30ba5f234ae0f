-- A1: objects of the same names in schemas that come first: none is ever called.
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.caught() RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'a hostile object was used'; END$$;
-- A1: operators, functions, types, casts, tables
CREATE FUNCTION hostile.eq(text, text) RETURNS bool LANGUAGE sql AS 'SELECT hostile.caught()';
CREATE FUNCTION hostile.eq(int4, int4) RETURNS bool LANGUAGE sql AS 'SELECT hostile.caught()';
CREATE FUNCTION hostile.eq(name, name) RETURNS bool LANGUAGE sql AS 'SELECT hostile.caught()';
CREATE FUNCTION hostile.eq(name, text) RETURNS bool LANGUAGE sql AS 'SELECT hostile.caught()';
CREATE FUNCTION hostile.less(int4, int4) RETURNS bool LANGUAGE sql AS 'SELECT hostile.caught()';
CREATE FUNCTION hostile.less(text, text) RETURNS bool LANGUAGE sql AS 'SELECT hostile.caught()';
CREATE OPERATOR hostile.= (LEFTARG = text, RIGHTARG = text, FUNCTION = hostile.eq);
CREATE OPERATOR hostile.= (LEFTARG = int4, RIGHTARG = int4, FUNCTION = hostile.eq);
CREATE OPERATOR hostile.= (LEFTARG = name, RIGHTARG = name, FUNCTION = hostile.eq);
CREATE OPERATOR hostile.= (LEFTARG = name, RIGHTARG = text, FUNCTION = hostile.eq);
CREATE OPERATOR hostile.< (LEFTARG = int4, RIGHTARG = int4, FUNCTION = hostile.less);
CREATE OPERATOR hostile.< (LEFTARG = text, RIGHTARG = text, FUNCTION = hostile.less);
CREATE OPERATOR hostile.> (LEFTARG = int4, RIGHTARG = int4, FUNCTION = hostile.less);
CREATE FUNCTION hostile.octet_length(bytea) RETURNS int LANGUAGE sql AS 'SELECT hostile.caught()::int';
CREATE FUNCTION hostile.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT hostile.caught()::text::bytea';
CREATE FUNCTION hostile.digest(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT hostile.caught()::text::bytea';
CREATE FUNCTION hostile.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT hostile.caught()::text::timestamptz';
CREATE AGGREGATE hostile.max(int4) (SFUNC = pg_catalog.int4larger, STYPE = int4, INITCOND = '1000');
CREATE TABLE hostile.models (name text, version int, model bytea, sha256 bytea, options jsonb);
CREATE TABLE hostile.aliases (name text, alias text, version int);
CREATE TABLE hostile.pg_extension (extname name, extversion text);
INSERT INTO hostile.models VALUES ('wine', 1, 'hostile');
INSERT INTO hostile.aliases VALUES ('wine', 'default', 666);
INSERT INTO hostile.pg_extension VALUES ('hbscore', '6.6.6');
CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (hostile.caught());
CREATE DOMAIN hostile.bytea AS pg_catalog.bytea CHECK (hostile.caught());
CREATE DOMAIN hostile.float8 AS pg_catalog.float8 CHECK (hostile.caught());
CREATE DOMAIN hostile.jsonb AS pg_catalog.jsonb CHECK (hostile.caught());
SET search_path = hostile, pg_catalog, public;
-- A1: it is hostile
SELECT 1 = 1;
SELECT 'x'::text;
SELECT now();
-- A1: and everything goes on as before
SELECT hbscore.register('among', public.file('demo/models/wine.ubj')) OPERATOR(pg_catalog.=) 1 AS registered;
SELECT hbscore.register('among', public.file('demo/models/wine.ubj'), '{"format": "xgboost", "rounds": 5, "description": "described", "golden": {"rows": [[14.23, 1.71, 2.43, 15.6, 127.0, 2.8, 3.06, 0.28, 2.29, 5.64, 1.04, 3.92, 1065.0]], "prediction": [0]}}');
INSERT INTO hbscore.models (name, model) VALUES ('among', public.file('demo/models/wine.ubj')) RETURNING version;
SELECT predict_json('among', w.*) OPERATOR(pg_catalog.->>) 'model' AS newest FROM public.wine AS w WHERE w.id OPERATOR(pg_catalog.=) 1;
SELECT hbscore.deploy('among', 2);
SELECT hbscore.deploy('among', 1, 'champion');
SELECT predict_json('among', w.*) OPERATOR(pg_catalog.->>) 'model' AS deployed, predict_json('among@champion', w.*) OPERATOR(pg_catalog.->>) 'model' AS champion,
    predict_label('wine', w.*) AS label, predict_version('number@1', 1, 2, 3, 4) OPERATOR(pg_catalog.=) predict('number', 1, 2, 3, 4) AS pinned,
    predict_probability('wine', 'barolo', w.*) OPERATOR(pg_catalog.>) 0.9 AS sure, predict_proba('wine', '{1,2,3,4,5,6,7,8,9,10,11,12,13}'::int4[]) IS NOT NULL AS proba
FROM public.wine AS w WHERE w.id OPERATOR(pg_catalog.=) 1;
SELECT hbscore.pin('among')::varchar OPERATOR(pg_catalog.~) '^among@2#' AS pinned;
SELECT version, rows, ok FROM hbscore.verify('among');
SELECT pg_catalog.count(*) OPERATOR(pg_catalog.>) 0 AS plan FROM hbscore.plan('among');
SELECT pg_catalog.count(*) OPERATOR(pg_catalog.>) 0 AS inspected FROM hbscore.inspect(public.file('demo/models/wine.ubj'));
SELECT predict('amongst', 1);
SELECT predict('among@9', 1);
SELECT hbscore.drop('among', 1);
SELECT hbscore.drop('among', 3);
UPDATE hbscore.models SET description = 'changed' WHERE name OPERATOR(pg_catalog.=) 'among' AND version OPERATOR(pg_catalog.=) 1 RETURNING description;
SELECT hbscore.drop('among');
-- A1: an empty path needs the schema's name in front, and no more
SET search_path = '';
SELECT public.predict('number', 1, 2, 3, 4) = public.predict('number@1', '{1,2,3,4}'::pg_catalog.int4[]) AS same;
SELECT hbscore.register('among', public.file('demo/models/wine.ubj'));
SELECT public.predict_json('among', w.*) ->> 'model' AS model FROM public.wine AS w WHERE id = 1;
SELECT hbscore.drop('among');
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA hostile CASCADE;
