-- hbscore_profile(model, query [, function]): what each operator did for the rows of a query. Times are never compared.
.nullvalue NULL
.read demo/tables.sql
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'));
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'), '{"deploy": false}');
SELECT hbscore_register('targets', readfile('test/golden/xgboost/targets_in_leaf_34.json'));
SELECT hbscore_register('steps', readfile('test/fuzz/fuzz_own/transformer.json'));
CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d);
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO t SELECT i, i % 7 - 1.25, i % 5 + 0.5, nullif(i % 3, 0), i % 11 FROM n;

-- : the lines, in the order in which they run
SELECT position, operator, source, calls > 0, rows, bytes > 0 FROM hbscore_profile('number', 'SELECT * FROM t');
SELECT operator, kernel IN ('portable', 'avx2', 'avx512', 'avx512vbmi') OR kernel LIKE '% bits%' FROM hbscore_profile('number', 'SELECT * FROM t') WHERE kernel IS NOT NULL;
-- : the parts are within the whole, and the shares are theirs
WITH l AS MATERIALIZED (SELECT * FROM hbscore_profile('number', 'SELECT * FROM t'))
SELECT min(ns) >= 0, sum(ns) FILTER (WHERE operator <> 'all') <= max(ns) FILTER (WHERE operator = 'all'), max(share), min(share) >= 0, typeof(max(ns)), typeof(max(share)) FROM l;
-- : positions are those of hbscore_plan
SELECT l.operator FROM hbscore_profile('number', 'SELECT * FROM t') AS l JOIN hbscore_plan('number') AS p ON p.stage = 'plan' AND p.position = l.position AND p.operator = l.operator;
-- : bytes follow from widths, rows and parameters
SELECT l.rows, l.calls, l.bytes = l.calls * (p.bytes + 4) + l.rows * (4 * 4 + 4) FROM hbscore_profile('number', 'SELECT * FROM t') AS l JOIN hbscore_plan('number') AS p ON p.stage = 'plan' AND p.position = l.position WHERE l.source = 'forest';
SELECT operator, bytes FROM hbscore_profile('number', 'SELECT * FROM t') WHERE operator IN ('encode', 'store');
-- : the blocks are those of hbscore_scan: 32 rows, then twice as many, up to 512
SELECT operator, calls, rows FROM hbscore_profile('number', 'SELECT * FROM t WHERE id <= 224') WHERE operator IN ('fetch', 'all');
-- : as the settings say
SELECT hbscore_set('strategy', 'tt');
SELECT kernel LIKE '% tt' FROM hbscore_profile('number', 'SELECT * FROM t') WHERE source = 'forest';
SELECT hbscore_set('strategy', 'auto');
-- : versions, and two models over one query
SELECT rows FROM hbscore_profile('number@2', 'SELECT * FROM t') WHERE operator = 'all';
SELECT m.column1, p.operator, p.rows FROM (VALUES ('number'), ('number@2')) AS m, hbscore_profile(m.column1, 'SELECT * FROM t LIMIT 3') AS p WHERE p.source IS NOT NULL;
-- : no rows; the key is not looked at; more columns than features, if these have names
SELECT position, operator, source, kernel, calls, rows, ns >= 0, bytes FROM hbscore_profile('number', 'SELECT * FROM t WHERE 0');
SELECT rows FROM hbscore_profile('number', 'SELECT x''00'', 1, 2, NULL, ''4''') WHERE operator = 'store';
SELECT rows FROM hbscore_profile('titanic', 'SELECT * FROM titanic') WHERE operator = 'all';
SELECT operator, rows FROM hbscore_profile('number', 'VALUES (1, 2, 3, 4, 5), (2, 3, 4, 5, 6)') WHERE source = 'forest';
-- : only what the function needs is called
SELECT operator, source, calls > 0 FROM hbscore_profile('titanic', 'SELECT * FROM titanic') WHERE position > 0 AND operator <> 'all';
SELECT operator, source, calls > 0 FROM hbscore_profile('titanic', 'SELECT * FROM titanic', 'predict_proba') WHERE position > 0 AND operator <> 'all';
SELECT operator, source, calls > 0 FROM hbscore_profile('titanic', 'SELECT * FROM titanic', 'decision_function') WHERE position > 0 AND operator <> 'all';
SELECT count(*) > 3 FROM hbscore_profile('targets', 'SELECT * FROM t', 'predict_values');
SELECT count(*) > 3 FROM hbscore_profile('steps', 'SELECT 1, 1 AS age, 2 AS visits, 3 AS score, 4 AS rate, ''gold'' AS plan', 'transform');
-- : the steps of a scikit-learn pipeline
SELECT hbscore_register('stepped', readfile('test/fuzz/fuzz_own/steps.json'));
CREATE TABLE people AS SELECT id, id / 7.0 AS age, id % 9 AS visits, iif(id % 2, 'silver', 'gold') AS plan FROM t WHERE id <= 100;
SELECT position, operator, source, rows FROM hbscore_profile('stepped', 'SELECT * FROM people');
SELECT DISTINCT source FROM hbscore_profile('stepped', 'SELECT * FROM people', 'transform') WHERE calls > 0 AND source IS NOT NULL ORDER BY source;
-- : in a join, and within itself
SELECT count(*) FROM t, hbscore_profile('number', 'SELECT * FROM t') AS p WHERE t.id <= 3;
SELECT rows FROM hbscore_profile('number', 'SELECT 1, position, 2, rows, calls FROM hbscore_profile(''number'', ''SELECT * FROM t'')') WHERE operator = 'all';
SELECT rows FROM hbscore_profile('number', 'SELECT key, key, prediction, 3, 4 FROM hbscore_scan(''number'', ''SELECT * FROM t'')') WHERE operator = 'all';
-- : behind a change of the transaction
BEGIN;
DELETE FROM t WHERE id > 10;
SELECT rows FROM hbscore_profile('number', 'SELECT * FROM t') WHERE operator = 'all';
ROLLBACK;

-- : arguments
SELECT * FROM hbscore_profile(NULL, 'SELECT * FROM t');
SELECT * FROM hbscore_profile('number', NULL);
SELECT * FROM hbscore_profile('number', 'SELECT * FROM t', NULL);
SELECT * FROM hbscore_profile('number', 5);
SELECT * FROM hbscore_profile('number', 'SELECT * FROM t', x'00');
SELECT * FROM hbscore_profile('number', 'SELECT * FROM t', 'predict_prob');
SELECT * FROM hbscore_profile('number', 'SELECT * FROM t', 'predict_proba');
SELECT * FROM hbscore_profile('targets', 'SELECT * FROM t');
SELECT * FROM hbscore_profile('number');
SELECT * FROM hbscore_profile;
SELECT * FROM hbscore_profile('number', 'SELECT * FROM t', 'predict', 1);
SELECT * FROM hbscore_profile('numbr', 'SELECT * FROM t');
SELECT * FROM hbscore_profile('number@9', 'SELECT * FROM t');
-- : queries that are none, or do more than read
SELECT * FROM hbscore_profile('number', '');
SELECT * FROM hbscore_profile('number', 'SELECT 1');
SELECT * FROM hbscore_profile('number', 'SELECT * FROM t; SELECT 1');
SELECT * FROM hbscore_profile('number', 'DELETE FROM t RETURNING *');
SELECT * FROM hbscore_profile('number', 'WITH x AS (SELECT 1) DELETE FROM t RETURNING *');
SELECT * FROM hbscore_profile('number', 'PRAGMA user_version = 7');
SELECT * FROM hbscore_profile('number', 'SELECT * FROM t WHERE id = ?');
SELECT * FROM hbscore_profile('number', 'SELECT * FROM no_such_table');
SELECT * FROM hbscore_profile('number', 'SELECT 1, 2, 3, 4, ''hbscore_rows''');
SELECT * FROM hbscore_profile('number', 'SELECT hbscore_drop(''targets''), 2, 3, 4, 5');
SELECT * FROM hbscore_profile('number', 'SELECT 1, 2, 3, 4, json(''x'')');
PRAGMA user_version;
SELECT count(*) FROM t;
-- : features that the function does not need have no bytes, whatever they hold
SELECT hbscore_register('second', CAST('{"hbscore":1,"writer":{},"task":"regressor","features":[{"type":"f8"},{"type":"f8"}],"ops":[{"op":"select","in":[0],"cols":[1]}]}' AS BLOB));
SELECT operator, rows, bytes FROM hbscore_profile('second', 'SELECT 1, ''no number'', 3.0') WHERE operator = 'encode';
-- S1: counts and names
SELECT * FROM hbscore_profile('number', 'SELECT id, a, b, c FROM t');
SELECT * FROM hbscore_profile('titanic', 'SELECT 1 AS id, 3 AS pclass');
-- S2: a row that the model refuses, behind good ones
SELECT * FROM hbscore_profile('number', 'SELECT id, a, b, CASE id WHEN 300 THEN ''x'' ELSE c END, d FROM t');
SELECT * FROM hbscore_profile('number', 'SELECT id, a, b, x''00'', d FROM t');
-- : never from a view or a trigger of the file
CREATE VIEW v AS SELECT * FROM hbscore_profile('number', 'SELECT * FROM t');
SELECT * FROM v;
CREATE TEMP VIEW w AS SELECT * FROM hbscore_profile('number', 'SELECT * FROM t');
SELECT count(*) FROM w;
