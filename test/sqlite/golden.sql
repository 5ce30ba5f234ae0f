-- Golden rows: checked when a model is registered, kept with it, verified again by hbscore_verify.
.nullvalue NULL
.mode list
CREATE TABLE m AS SELECT readfile('demo/models/titanic.json') AS titanic, readfile('demo/models/wine.ubj') AS wine;
CREATE TABLE g(name, json);
-- what XGBoost says of the first passengers (demo/expected/titanic.csv)
INSERT INTO g VALUES
 ('good', '{"rows": [[1,"female",29,0,0,211.3375,"S"],[3,"male",22,1,0,7.25,"S"]], "prediction": ["survived","died"], "probabilities": [[0.08758723735809326,0.9124127626419067],[0.8895298,0.11047019]]}'),
 ('row', '{"rows": [[1,"female",29,0,0,211.3375,"S"]], "prediction": ["survived"]}');
-- : kept beside the options, which stay as they were otherwise
SELECT hbscore_register('titanic', titanic, '{"classes": ["died","survived"], "golden": ' || json || ', "description": "two rows"}') FROM m, g WHERE name = 'good';
SELECT m.name, version, description, options, golden = g.json FROM hbscore_models AS m, g WHERE g.name = 'good';
SELECT predict_label('titanic', 1, 'female', 29, 0, 0, 211.3375, 'S');
SELECT * FROM hbscore_verify('titanic');
-- : options alone, and an object that only has golden rows
SELECT hbscore_register('plain', titanic), hbscore_register('only', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"S"]], "prediction": [1]}}') FROM m;
SELECT name, options, golden FROM hbscore_models WHERE name <> 'titanic' ORDER BY name;
SELECT * FROM hbscore_verify('plain');
SELECT * FROM hbscore_verify('only');
-- : a mismatch is refused in words, and nothing is stored
SELECT hbscore_register('titanic', titanic, '{"classes": ["died","survived"], "golden": ' || replace(json, '["survived","died"]', '["survived","survived"]') || '}') FROM m, g WHERE name = 'good';
SELECT hbscore_register('titanic', titanic, '{"classes": ["died","survived"], "golden": ' || replace(json, '0.11047019', '0.11047029') || '}') FROM m, g WHERE name = 'good';
SELECT hbscore_register('new "one"', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"S"]], "decision": [[2.5]]}}') FROM m;
SELECT hbscore_register('titanic', titanic, '{"rounds": 1, "classes": ["died","survived"], "golden": ' || json || '}') FROM m, g WHERE name = 'good';
SELECT name, count(*) FROM hbscore_models GROUP BY 1;
-- W7: golden rows that are none
SELECT hbscore_register('bad', titanic, '{"golden": null}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [], "prediction": []}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1]], "prediction": [1]}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"S"]]}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"S"]], "prediction": [1, 0]}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"S"]], "predictions": [1]}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"S"]], "values": [[1]]}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"Q"],[1,"divers",29,0,0,211.3375,"S"]], "prediction": [1, 1]}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1,"female",29,0,0,NaN,"S"]], "prediction": [1]}}') FROM m;
SELECT hbscore_register('bad', titanic, '{"golden": {"rows": [[1,"female",29,0,0,211.3375,"S"]], "prediction": [1]}, "golden": 1}') FROM m;
SELECT count(*) FROM hbscore_models WHERE name = 'bad';
-- : three classes; a result that is NULL
SELECT hbscore_register('wine', wine, '{"golden": {"rows": [[14.23,1.71,2.43,15.6,127.0,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065.0]], "prediction": ["0"], "probabilities": [[0.9959285855293274,0.0019091989379376173,0.0021622537169605494]]}}') FROM m;
SELECT hbscore_register('wine', wine, '{"golden": {"rows": [[14.23,1.71,2.43,15.6,127.0,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065.0]], "prediction": [0]}}') FROM m;
SELECT hbscore_register('unseen', titanic, '{"on_unseen": "null", "golden": {"rows": [[1,"divers",29,0,0,211.3375,"S"]], "prediction": [null], "probabilities": [null]}}') FROM m;
SELECT * FROM hbscore_verify('unseen');
-- : hbscore_inspect takes the same options
SELECT count(*) FROM m, hbscore_inspect(m.titanic, '{"golden": {"rows": 5}}');

-- : one version or all, dropped ones not
SELECT hbscore_register('titanic', titanic, '{"classes": ["died","survived"]}'), hbscore_register('titanic', titanic, '{"classes": ["died","survived"], "golden": ' || json || '}') FROM m, g WHERE name = 'row';
SELECT * FROM hbscore_verify('titanic');
SELECT * FROM hbscore_verify('titanic@3');
SELECT * FROM hbscore_verify('titanic@3#d3b3f4ba50e69ca7');
SELECT hbscore_drop('titanic', 2), hbscore_drop('unseen');
SELECT name, version, model, golden FROM hbscore_models WHERE model IS NULL ORDER BY 1;
SELECT * FROM hbscore_verify('titanic');
SELECT n.name, v.version, v.rows, v.ok FROM (SELECT DISTINCT name FROM hbscore_models WHERE model IS NOT NULL) AS n, hbscore_verify(n.name) AS v ORDER BY 1, 2;
-- : what is not there
SELECT * FROM hbscore_verify('titanic@2');
SELECT * FROM hbscore_verify('unseen');
SELECT * FROM hbscore_verify('titanic@9');
SELECT * FROM hbscore_verify('titanic@3#0123456789abcdef');
SELECT * FROM hbscore_verify('titani');
SELECT * FROM hbscore_verify('titanic@champion');
SELECT * FROM hbscore_verify('a@b@c');
SELECT * FROM hbscore_verify(5);
SELECT * FROM hbscore_verify(x'00');
SELECT count(*) FROM hbscore_verify(NULL);
SELECT * FROM hbscore_verify;
SELECT * FROM hbscore_verify('titanic', 1);

-- L6: rows that somebody changed: the others are verified all the same
UPDATE hbscore_models SET golden = replace(golden, 'survived', 'died') WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET golden = substr(golden, 1, 50) WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET golden = '' WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET golden = x'00ff' WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET golden = 5 WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET golden = CAST(x'7bff00' AS TEXT) WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
-- L6: scoring does not look at them
SELECT predict_label('titanic@3', 1, 'female', 29, 0, 0, 211.3375, 'S');
UPDATE hbscore_models SET golden = (SELECT json FROM g WHERE name = 'row') WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
-- L6: other bytes under the same plan in the cache
UPDATE hbscore_models SET model = CAST(replace(CAST(model AS TEXT), '"split_conditions":[', '"split_conditions": [') AS BLOB) WHERE name = 'titanic' AND version = 3;
SELECT predict_label('titanic@3', 1, 'female', 29, 0, 0, 211.3375, 'S');
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET model = (SELECT wine FROM m), sha256 = (SELECT sha256 FROM hbscore_models WHERE name = 'wine') WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET options = '{"rounds": 1, "classes": ["died","survived"]}', model = (SELECT titanic FROM m), sha256 = (SELECT sha256 FROM hbscore_models WHERE name = 'plain') WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET options = '{"round": 1}' WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET sha256 = 'x', options = '{}' WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
UPDATE hbscore_models SET model = 'text' WHERE name = 'titanic' AND version = 3;
SELECT * FROM hbscore_verify('titanic');
-- S6: a view may verify; nothing is written
CREATE VIEW health AS SELECT n.name, v.* FROM (SELECT DISTINCT name FROM hbscore_models WHERE model IS NOT NULL) AS n, hbscore_verify(n.name) AS v;
SELECT name, version, ok FROM health WHERE ok IS NULL OR NOT ok ORDER BY 1, 2;
PRAGMA query_only = ON;
SELECT version, ok FROM hbscore_verify('titanic@1');
PRAGMA query_only = OFF;
CREATE VIRTUAL TABLE v USING hbscore_verify;
INSERT INTO hbscore_verify(rows) VALUES (1);
-- : rowids, and the same cursor used again
SELECT rowid, version FROM hbscore_verify('titanic');
SELECT a.version, b.version FROM hbscore_verify('titanic') AS a, hbscore_verify('titanic') AS b;

-- S6: an alias stands for the version that it names
SELECT hbscore_deploy('titanic', 1, 'champion');
SELECT version, rows, ok FROM hbscore_verify('titanic@champion');
SELECT count(*) > 5, sum(operator = 'tree_ensemble') > 0 FROM hbscore_plan('titanic@champion');
SELECT hbscore_drop('titanic');
SELECT version, model, golden FROM hbscore_models WHERE name = 'titanic';
