-- hbscore's own format. The models are scikit-learn pipelines that the Python package wrote (test/fuzz/fuzz_own); the
-- scores that stand here are scikit-learn's own: each comparison gives 1.
.nullvalue NULL
.mode list
SELECT hbscore_register('forest', readfile('test/fuzz/fuzz_own/forest.json'));
SELECT hbscore_register('pipeline', readfile('test/fuzz/fuzz_own/pipeline.json'));
SELECT hbscore_register('classes', readfile('test/fuzz/fuzz_own/classes.json'));
SELECT hbscore_register('boosting', readfile('test/fuzz/fuzz_own/boosting.json'));
SELECT hbscore_register('several', readfile('test/fuzz/fuzz_own/several.json'));
SELECT name, version, format, length(model) > 500 FROM hbscore_models;

-- : what inspect says
SELECT * FROM hbscore_inspect(readfile('test/fuzz/fuzz_own/pipeline.json'));
SELECT role, name, type, note FROM hbscore_inspect(readfile('test/fuzz/fuzz_own/forest.json')) WHERE role IN ('operator', 'feature');
SELECT role, name, type, note FROM hbscore_inspect(readfile('test/fuzz/fuzz_own/several.json'), '{"on_missing": "error"}') WHERE role IN ('output', 'feature');
SELECT position, operator, inputs, dtype, width, outputs FROM hbscore_plan('pipeline') WHERE stage = 'plan' AND operator <> 'all';

-- : as scikit-learn scores
CREATE TABLE t (id INTEGER PRIMARY KEY, age, visits, score, rate);
INSERT INTO t VALUES (1, 0.5, 2, -0.25, 1.5), (2, -1.25, 4, 0, 0.1), (3, 0, 0, 1, -2);
SELECT predict('forest', age, visits, score, rate), predict_proba('forest', age, visits, score, rate) FROM t;
SELECT json_extract(predict_proba('forest', 0.5, 2, -0.25, 1.5), '$[0]') = 0.2653968253968254, json_extract(predict_proba('forest', -1.25, 4, 0, 0.1), '$[1]') = 0.15171368153075468, predict_probability('forest', 'no', 0, 0, 1, -2) = 0.6567414146716045;
SELECT predict('pipeline', age, visits, score, rate), typeof(predict('pipeline', age, visits, score, rate)), round(predict_probability('pipeline', 1, age, visits, score, rate), 12) FROM t;
SELECT abs(json_extract(decision_function('pipeline', 0.5, 2, -0.25, 1.5), '$[0]') / 1.9089701031350224 - 1) < 1e-12, abs(json_extract(decision_function('pipeline', 0, 0, 1, -2), '$[0]') / -4.2737208176003785 - 1) < 1e-12;
SELECT predict('classes', age, visits, score, rate), round(predict_probability('classes', 2.0, age, visits, score, rate), 12) FROM t;
SELECT abs(predict_probability('classes', 0, 0, 0, 1, -2) / 0.26815117070676237 - 1) < 1e-12;
SELECT predict('boosting', 0.5, 2, -0.25, 1.5) = 2.660069992512031, predict('boosting', -1.25, 4, 0, 0.1) = 0.30875185627413615, predict('boosting', 0, 0, 1, -2) = 1.2307273546225879;
SELECT abs(json_extract(predict_values('several', 0.5, 2, -0.25, 1.5), '$[0]') - 0.4998809748948367) < 1e-12;
SELECT predict_json('forest', '{"age": 0.5, "visits": 2, "score": -0.25, "rate": 1.5}');
SELECT id, key, prediction FROM (SELECT key, prediction FROM hbscore_scan('forest', 'SELECT id, age, visits, score, rate FROM t')), t WHERE id = key;
SELECT predict('several', 1, 2, 3, 4);
SELECT predict_values('forest', 1, 2, 3, 4);

-- S1: counts
SELECT predict('forest', 1, 2, 3);
SELECT predict_values('several', '[1, 2, 3]');
-- S2: types; a number's text is that number
SELECT predict('forest', 'old', 2, 3, 4);
SELECT predict('forest', x'31', 2, 3, 4);
SELECT predict('forest', '0.5', '2', -0.25, '1.5') = predict('forest', 0.5, 2, -0.25, 1.5), predict('boosting', true, false, 1, 0) = predict('boosting', 1, 0, 1, 0);
-- S3: NULL: an imputer fills it, other columns refuse it; trees of scikit-learn 1.4 take it, boosted ones do not
SELECT predict('pipeline', NULL, 2, NULL, 1.5), predict('pipeline', 1, NULL, 1, 1), predict('pipeline', 1, 1, 1, NULL);
SELECT predict('pipeline', 'nan', 2, 'NaN', 1.5) = predict('pipeline', NULL, 2, NULL, 1.5);
SELECT predict('forest', NULL, 2, 3, 4) IS NULL, predict('boosting', NULL, 0, 0, 0), predict_values('several', NULL, 1, 1, 1), predict_json('several', '[1, null, 1, 1]');
SELECT predict_values('several', -1, 1, 1, 1) IS NOT NULL;
-- S3: a feature that no output depends on may be anything
SELECT count(DISTINCT predict('boosting', 1, 1, 1, rate)) FROM (SELECT NULL AS rate UNION ALL SELECT 9e999 UNION ALL SELECT 5);
SELECT key, prediction FROM hbscore_scan('forest', 'SELECT 1, 0, 0, 0, 0 UNION ALL SELECT 2, NULL, 0, 0, 0 UNION ALL SELECT 3, 0, 0, 0, 9e999 UNION ALL SELECT 4, 0, 0, 0, 0');
SELECT hbscore_register('pipeline', readfile('test/fuzz/fuzz_own/pipeline.json'), '{"on_missing": "error"}');
SELECT predict('pipeline', NULL, 2, NULL, 1.5) IS NOT NULL;
SELECT predict('pipeline', 1, NULL, 1, 1);
SELECT predict('pipeline', 1, 1, 9e999, 1);
SELECT hbscore_drop('pipeline', 2);
-- S4: infinities, numbers beyond float32 and next to its end
SELECT predict('pipeline', 9e999, 2, 1, 1), predict('pipeline', 1, 2, 1, -9e999), predict('pipeline', 1e300, 2, -1e300, 1) IS NULL;
SELECT predict('forest', 9e999, 2, 3, 4), predict('forest', 1e300, 2, 3, 4), predict('forest', -3.4028236e38, 2, 3, 4), predict('forest', 3.4028235e38, 2, 3, 4);
SELECT predict('forest', 16777217, 2, 3, 4) = predict('forest', 16777216, 2, 3, 4), predict('forest', 9223372036854775807, -0.0, 1e-320, 0) IS NOT NULL;
SELECT hbscore_register('strict', readfile('test/fuzz/fuzz_own/forest.json'), '{"on_missing": "error"}');
SELECT predict('strict', 1, 2, 1e39, 4);
SELECT predict('strict', NULL, 2, 3, 4);
SELECT predict('strict', 1, -9e999, 3, 4);

-- : options
SELECT hbscore_register('named', readfile('test/fuzz/fuzz_own/forest.json'), '{"classes": [0, 1], "features": ["a", "b", "c", "d"], "format": "hbscore"}');
SELECT predict('named', '{"a": 0.5, "b": 2, "c": -0.25, "d": 1.5}'), typeof(predict('named', 1, 2, 3, 4));
SELECT hbscore_register('bad', readfile('test/fuzz/fuzz_own/forest.json'), '{"classes": ["no"]}');
SELECT hbscore_register('bad', readfile('test/fuzz/fuzz_own/boosting.json'), '{"classes": ["no", "yes"]}');
SELECT hbscore_register('bad', readfile('test/fuzz/fuzz_own/boosting.json'), '{"rounds": 3}');
SELECT hbscore_register('bad', readfile('test/fuzz/fuzz_own/boosting.json'), '{"missing": -1}');
SELECT hbscore_register('bad', readfile('test/fuzz/fuzz_own/boosting.json'), '{"features": ["a"]}');
SELECT hbscore_register('bad', readfile('test/fuzz/fuzz_own/boosting.json'), '{"format": "xgboost"}');
SELECT hbscore_register('bad', readfile('demo/models/titanic.json'), '{"format": "hbscore"}');

CREATE TEMP TABLE source AS SELECT CAST(readfile('test/fuzz/fuzz_own/pipeline.json') AS TEXT) AS s;
-- W13: white space in front, an array around it, what follows the end
SELECT hbscore_register('bad', CAST(' ' || s AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST('[' || s || ']' AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(s || '{}' AS BLOB)) FROM source;
-- W1: cut short
SELECT hbscore_register('bad', substr(readfile('test/fuzz/fuzz_own/pipeline.json'), 1, 700));
-- W14: a newer version, an operator and a member that this version does not know
SELECT hbscore_register('bad', CAST(replace(s, '{"hbscore":1,', '{"hbscore":2,') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(s, '"op":"clip"', '"op":"crop"') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(s, '"lo":', '"low":') AS BLOB)) FROM source;
-- W7: the wrong base64
SELECT hbscore_register('bad', CAST(replace(s, '8D8=', '8D9=') AS BLOB)) FROM source;
SELECT count(*) FROM hbscore_models WHERE name = 'bad';
