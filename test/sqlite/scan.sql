-- hbscore_scan(model, query): what it gives, and what it says where it gives nothing.
.nullvalue NULL
.read demo/tables.sql
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('places', readfile('demo/models/titanic.json'), '{"classes": [0, 1], "features": ["a b", "x\"y", "é", "select", "parch", "f''", "E"]}');
SELECT hbscore_register('nameless', readfile('test/golden/xgboost/regressor_34.json'));
SELECT hbscore_register('targets', readfile('test/golden/xgboost/targets_in_leaf_34.json'));
CREATE TABLE want AS SELECT id, p_survived AS p, label FROM titanic_expected;

-- : the key, the label, the probability of that label; XGBoost's own numbers
SELECT count(*), sum(prediction = label), sum(prediction = 'survived' AND probability <> p), sum(prediction = 'died' AND abs(probability + p - 1) > 1e-6)
FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, age, sibsp, parch, fare, embarked FROM titanic') JOIN want ON id = key;
SELECT *, typeof(key), typeof(prediction), typeof(probability) FROM hbscore_scan('titanic', 'SELECT ''k'', 1 AS pclass, ''female'' AS sex, 29 AS age, 0 AS sibsp, 0 AS parch, 211.3375 AS fare, ''S'' AS embarked');
SELECT key IS NULL, prediction FROM hbscore_scan('titanic', 'SELECT NULL, 1, ''female'', 29, 0, 0, 211.3375, ''S''');
SELECT hex(key) FROM hbscore_scan('titanic', 'VALUES (x''00ff'', 1, ''female'', 29, 0, 0, 211.3375, ''S''), (9e999, 1, ''female'', 29, 0, 0, 211.3375, ''S''), ('''', 1, ''female'', 29, 0, 0, 211.3375, ''S'')');
-- : a regression has no probability
SELECT key, typeof(prediction), probability FROM hbscore_scan('nameless', 'SELECT 7, -1.25, 7.5, NULL, 3');
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'), '{"features": ["a", "b", "c", "d"]}');
SELECT count(DISTINCT prediction) FROM (SELECT prediction FROM hbscore_scan('number', 'SELECT 7, -1.25, 7.5, NULL, 3') UNION ALL SELECT prediction FROM hbscore_scan('number', 'SELECT 7, 3 AS d, NULL AS c, 7.5 AS b, -1.25 AS a'));
-- : one column of JSON texts is one feature
SELECT hbscore_register('hashed', readfile('test/golden/sklearn/feature_hasher_19.json'));
CREATE TABLE documents(id INTEGER PRIMARY KEY, document);
INSERT INTO documents VALUES (1, '{"age": 1}'), (2, '{"city": "Rome"}'), (3, NULL), (4, '{}');
SELECT key, prediction IS predict('hashed', document), prediction IS NULL FROM hbscore_scan('hashed', 'SELECT * FROM documents') JOIN documents ON id = key;
SELECT key, typeof(prediction) FROM hbscore_scan('hashed', 'VALUES (1, ''{"age": 1}''), (2, ''{"age": }'')');
SELECT hbscore_drop('hashed');
DROP TABLE documents;
-- : columns are found by name, exactly or without regard to case; others are left alone
SELECT prediction FROM hbscore_scan('titanic', 'SELECT id, * FROM titanic WHERE id = 1');
SELECT prediction FROM hbscore_scan('titanic', 'SELECT id, PCLASS, SEX, AGE, SIBSP, PARCH, FARE, 17 AS pclass2, EMBARKED FROM (SELECT id, pclass AS PCLASS, sex AS SEX, age AS AGE, sibsp AS SIBSP, parch AS PARCH, fare AS FARE, embarked AS EMBARKED FROM titanic) LIMIT 1');
SELECT prediction FROM hbscore_scan('places', 'SELECT 1, ''S'' AS e, 211.3375 AS "f''", 0 AS parch, 0 AS "SELECT", 29 AS "é", ''female'' AS "X""y", 1 AS [a b]');
-- : names that differ in case only: a column serves one feature, and a feature has one column
SELECT hbscore_register('cases', readfile('test/golden/xgboost/regressor_34.json'), '{"features": ["A", "a", "Bc", "bC"]}');
SELECT prediction = predict('cases', 1, 2, 3, 4) FROM hbscore_scan('cases', 'SELECT 0, 4 AS bC, 2 AS a, 3 AS Bc, 1 AS A, 5 AS bc');
-- S1: a column is not taken for another feature than the one that it is by name
SELECT * FROM hbscore_scan('cases', 'SELECT 0, 1 AS A, 3 AS Bc, 4 AS bC');
SELECT * FROM hbscore_scan('cases', 'SELECT 0, 2 AS a, 3 AS Bc, 4 AS bC, 5 AS x, 6 AS y');
SELECT * FROM hbscore_scan('cases', 'SELECT 0, 1 AS A, 2 AS a, 3 AS bc');
SELECT * FROM hbscore_scan('cases', 'SELECT 0, 1 AS A, 2 AS a, 3 AS bc, 4 AS x');
SELECT * FROM hbscore_scan('cases', 'SELECT 0, 1 AS A, 2 AS a, 3 AS Bc, 3 AS Bc, 4 AS bC');
SELECT predict_json('cases', '{"A": 1, "Bc": 3, "bC": 4}');
SELECT predict_json('cases', '{"A": 1, "a": 2, "bc": 3}');
SELECT hbscore_drop('cases');
-- S1: missing, ambiguous or misordered columns; too few and too many by position
SELECT * FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, age, sibsp, parch, fare FROM titanic');
SELECT * FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, age, sibsp, parch, fare, embarked AS e, id AS more FROM titanic');
SELECT * FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, age, sibsp, parch, fare, embarked, embarked FROM titanic');
SELECT * FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, age, sibsp, parch, fare, fare FROM titanic');
SELECT * FROM hbscore_scan('titanic', 'SELECT id, PClass AS PClass, sex, age, sibsp, parch, fare, embarked AS EMBARKED, 1 AS Embarked FROM titanic');
SELECT * FROM hbscore_scan('titanic', 'SELECT id, sex, pclass, age, sibsp, parch, fare, 1 AS e FROM titanic');
SELECT prediction FROM hbscore_scan('titanic', 'SELECT id, 1, ''female'', 29, 0, 0, 211.3375, ''S'' FROM titanic LIMIT 1');
SELECT * FROM hbscore_scan('nameless', 'SELECT 1, 2, 3');
SELECT * FROM hbscore_scan('nameless', 'SELECT 1, 2, 3, 4, 5, 6');
-- S3: no model reference, no query, and what is neither
SELECT * FROM hbscore_scan(NULL, 'SELECT 1, 2');
SELECT * FROM hbscore_scan('titanic', NULL);
SELECT * FROM hbscore_scan(x'00', 'SELECT 1, 2');
SELECT * FROM hbscore_scan('titanic', 5);
SELECT * FROM hbscore_scan('titanic', x'53454c4543542031');
SELECT * FROM hbscore_scan('titanic');
SELECT * FROM hbscore_scan;
SELECT * FROM hbscore_scan LIMIT 1;
SELECT * FROM hbscore_scan('titanic') LIMIT 1 OFFSET 2;
SELECT * FROM hbscore_scan('titanic', 'SELECT 1, 2', 3);
SELECT * FROM hbscore_scan('titanci', 'SELECT 1, 2');
SELECT * FROM hbscore_scan('titanic@9', 'SELECT 1, 2');
SELECT * FROM hbscore_scan('targets', 'SELECT 1, 2, 3, 4, 5');
SELECT key FROM hbscore_scan('targets', 'SELECT 1, 2, 3, 4, 5');
-- S7: statements that it does not take
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5; SELECT 1');
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5; PRAGMA user_version = 7');
SELECT * FROM hbscore_scan('number', 'PRAGMA user_version = 7');
SELECT * FROM hbscore_scan('number', '/* */ PRAGMA case_sensitive_like = 1');
PRAGMA user_version;
SELECT 'A' LIKE 'a';
SELECT * FROM hbscore_scan('number', 'DELETE FROM want');
SELECT * FROM hbscore_scan('number', 'WITH x AS (SELECT 1) DELETE FROM want RETURNING *');
SELECT count(*) FROM want;
SELECT * FROM hbscore_scan('number', 'COMMIT');
SELECT * FROM hbscore_scan('number', 'ATTACH '':memory:'' AS n');
SELECT * FROM hbscore_scan('number', 'EXPLAIN SELECT 1, 2, 3, 4, 5');
SELECT * FROM hbscore_scan('number', 'SELECT 1');
SELECT * FROM hbscore_scan('number', 'SELECT ?, 2, 3, 4, 5');
SELECT * FROM hbscore_scan('number', 'SELECT :a, 2, 3, 4, 5');
SELECT * FROM hbscore_scan('number', '');
SELECT * FROM hbscore_scan('number', ' ; -- nothing');
SELECT * FROM hbscore_scan('number', '/* open');
SELECT * FROM hbscore_scan('number', 'what is this');
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5 FROM no_such_table');
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5) SELECT hbscore_fill(1) --');
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, hbscore_fill(1, 2)');
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, ''hbscore_rows''');
SELECT hbscore_fill(), hbscore_fill(1);
SELECT hbscore_fill(1);
SELECT hbscore_fill(NULL, 1, 2);
-- S6: the query only reads: no function of ours that writes, nor in a scan of the scan
CREATE TABLE before AS SELECT name, version FROM hbscore_models;
SELECT * FROM hbscore_scan('number', 'SELECT hbscore_drop(''titanic''), 2, 3, 4, 5');
SELECT * FROM hbscore_scan('number', 'SELECT hbscore_drop(''titanic'', 1), 2, 3, 4, 5');
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, hbscore_register(''more'', (SELECT model FROM hbscore_models LIMIT 1))');
SELECT * FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, hbscore_deploy(''titanic'', 1)');
SELECT key FROM hbscore_scan('number', 'SELECT hbscore_set(''max_model_size'', 1000000), 2, 3, 4, 5');
SELECT count(*) FROM hbscore_scan('number', 'SELECT key, 2, 3, 4, 5 FROM hbscore_scan(''number'', ''SELECT hbscore_drop(''''titanic''''), 2, 3, 4, 5'')');
SELECT count(*) FROM before AS b JOIN hbscore_models AS m USING (name, version) WHERE m.model IS NOT NULL;
SELECT count(*) FROM before;
SELECT key, hbscore_register('beside', readfile('test/golden/xgboost/regressor_34.json')) FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5');
SELECT key, hbscore_drop('beside') FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5');
DROP TABLE before;
SELECT * FROM hbscore_scan('nope', 'SELECT 1, 2');
-- : what it takes: comments and a ';' at the end, VALUES, WITH, a statement that ends in a comment
SELECT count(*) FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5;;  -- the end; really');
SELECT count(*) FROM hbscore_scan('number', '/* first */ -- and then
  select 1, 2, 3, 4, 5 /* last; */ ; /* open');
SELECT count(*) FROM hbscore_scan('number', 'VALUES (1, 2, 3, 4, 5), (2, 3, 4, 5, 6)');
SELECT group_concat(key) FROM hbscore_scan('number', 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 70) SELECT i, i, i, i, i FROM n ORDER BY -i');
SELECT count(*) FROM hbscore_scan('number', 'SELECT ''a;b'', 2, ''3'', 4, 5 -- ''');
-- B1: a bad cell in the middle: the rows before it come, and LIMIT before it ends well
SELECT count(*) FROM (SELECT * FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, CASE id WHEN 300 THEN x''00'' ELSE age END AS age, sibsp, parch, fare, embarked FROM titanic') LIMIT 299);
SELECT count(*) FROM (SELECT * FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, CASE id WHEN 300 THEN x''00'' ELSE age END AS age, sibsp, parch, fare, embarked FROM titanic') LIMIT 300);
SELECT key, prediction FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, CASE id WHEN 4 THEN x''00'' ELSE age END AS age, sibsp, parch, fare, embarked FROM titanic');
SELECT key, prediction FROM hbscore_scan('titanic', 'SELECT id, pclass, CASE id WHEN 3 THEN ''neither'' ELSE sex END AS sex, age, sibsp, parch, fare, embarked FROM titanic');
SELECT key, prediction FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, CASE id WHEN 3 THEN ''old'' ELSE age END AS age, sibsp, parch, fare, embarked FROM titanic');
SELECT key FROM hbscore_scan('titanic', 'SELECT id, pclass, sex, x''00'' AS age, sibsp, parch, fare, embarked FROM titanic') LIMIT 2;
-- B9: a scan in a scan, and one that reads its own query from a table
SELECT count(*) FROM hbscore_scan('number', 'SELECT key, key, prediction, 3, 4 FROM hbscore_scan(''number'', ''SELECT 1, 2, 3, 4, 5'')');
CREATE TABLE queries(q);
INSERT INTO queries VALUES ('SELECT key, 2, 3, 4, 5 FROM queries, hbscore_scan(''number'', q)');
SELECT key FROM queries, hbscore_scan('number', q);
SELECT count(*) FROM want, hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5') WHERE id <= 3;
-- S6: never in a view or a trigger
CREATE VIEW scans AS SELECT key FROM hbscore_scan('number', 'SELECT 1, 2, 3, 4, 5');
SELECT * FROM scans;
CREATE TABLE noted(k);
CREATE TRIGGER scans_too AFTER INSERT ON queries BEGIN INSERT INTO noted SELECT key FROM hbscore_scan('number', new.q); END;
INSERT INTO queries VALUES ('SELECT 1, 2, 3, 4, 5');
SELECT count(*) FROM noted;
-- B9: the arguments may come from a table that is read first, whatever stands in OR beside it
CREATE TABLE asked(id INTEGER PRIMARY KEY, m, q);
INSERT INTO asked VALUES (1, 'number', 'SELECT 1, 2, 3, 4, 5');
SELECT count(*) FROM asked JOIN hbscore_scan(asked.m, asked.q) AS s ON asked.id = s.key WHERE s.key = 1 OR s.prediction < 0;
SELECT count(*) FROM asked LEFT JOIN hbscore_scan(asked.m, asked.q) AS s ON true;
