-- Where the extension goes, and that it comes and goes.
CREATE DATABASE regress_hbscore_other TEMPLATE template0;
\c regress_hbscore_other
SET client_min_messages = warning;
-- : into another schema
CREATE SCHEMA scoring;
CREATE EXTENSION hbscore SCHEMA scoring;
SELECT extname, nspname AS schema, extrelocatable FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'hbscore';
SELECT scoring.predict('m', 1);
SELECT predict('m', 1);
SELECT 'm@1'::scoring.model_ref;
SELECT hbscore.register('m', '{"hbscore": 1, "writer": {}, "task": "regressor", "features": [{"name": "x", "type": "f8"}], "ops": [{"op": "linear", "in": [0], "coef": {"dtype": "f8", "shape": [1, 1], "data": "AAAAAAAAAEA="}, "intercept": {"dtype": "f8", "shape": [1], "data": "AAAAAAAA8D8="}}]}');
SELECT scoring.predict('m', 3), scoring.predict_version('m@1', 4), scoring.predict_json('m', '{"x": 5}'::jsonb);
SET search_path = scoring;
SELECT predict('m', 3);
RESET search_path;
ALTER EXTENSION hbscore SET SCHEMA public;
CREATE EXTENSION hbscore;
SELECT hbscore.create_predict_function('m', 'typed');
SELECT typed(x => 3);
-- L5: dropped in a session that has used it, and made again: the numbers begin anew, what was kept is not used
-- : functions that were made of models go with it, and what needs these holds it
CREATE VIEW holds AS SELECT typed(4);
DROP EXTENSION hbscore;
DROP VIEW holds;
DROP EXTENSION hbscore;
SELECT to_regproc('typed');
SELECT scoring.predict('m', 3);
SELECT hbscore.drop('m');
CREATE EXTENSION hbscore;
SELECT predict('m', 3);
SELECT hbscore.register('m', '{"hbscore": 1, "writer": {}, "task": "regressor", "features": [{"name": "x", "type": "f8"}], "ops": [{"op": "linear", "in": [0], "coef": {"dtype": "f8", "shape": [1, 1], "data": "AAAAAAAACEA="}, "intercept": {"dtype": "f8", "shape": [1], "data": "AAAAAAAA8D8="}}]}');
SELECT predict('m', 3);
-- L5: an index and a generated column hold it; CASCADE takes them along
CREATE TABLE t (x int, y float8 GENERATED ALWAYS AS (predict_version('m@1', x)) STORED);
CREATE INDEX ON t (predict_version('m@1', x));
INSERT INTO t VALUES (3);
SELECT * FROM t;
-- (its detail names the column from version 15 on)
\set VERBOSITY terse
DROP EXTENSION hbscore;
\set VERBOSITY default
DROP EXTENSION hbscore CASCADE;
SELECT * FROM t;
SELECT count(*) FROM pg_namespace WHERE nspname = 'hbscore';
-- L5: rolled back
BEGIN;
CREATE EXTENSION hbscore;
SELECT predict('m', 1);
ROLLBACK;
SELECT predict('m', 1);
-- : a schema of that name that is there already belongs to somebody
CREATE SCHEMA hbscore;
-- (from version 18 on its context says where in the script)
\set SHOW_CONTEXT never
CREATE EXTENSION hbscore;
\set SHOW_CONTEXT errors
\c contrib_regression
DROP DATABASE regress_hbscore_other;
