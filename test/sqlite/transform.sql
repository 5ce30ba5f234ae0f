-- transform(): the steps of a pipeline before its last one, or a transformer alone. The models are scikit-learn's
-- (test/fuzz/fuzz_own), and so are the numbers that stand here: each comparison gives 1.
.nullvalue NULL
.mode list
SELECT hbscore_register('pipeline', readfile('test/fuzz/fuzz_own/pipeline.json'));
SELECT hbscore_register('several', readfile('test/fuzz/fuzz_own/several.json'));
SELECT hbscore_register('forest', readfile('test/fuzz/fuzz_own/forest.json'));
SELECT hbscore_register('steps', readfile('test/fuzz/fuzz_own/transformer.json'));
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'));

-- : what inspect and plan say
SELECT role, position, name, type, note FROM hbscore_inspect(readfile('test/fuzz/fuzz_own/transformer.json')) WHERE role IN ('feature', 'output', 'operator');
SELECT role, position, name, type, note FROM hbscore_inspect(readfile('test/fuzz/fuzz_own/pipeline.json')) WHERE role = 'output';
SELECT position, operator, inputs, width, outputs FROM hbscore_plan('steps') WHERE stage = 'plan';
SELECT position, operator, outputs FROM hbscore_plan('pipeline') WHERE stage = 'pipeline';
SELECT position, operator, outputs FROM hbscore_plan('pipeline') WHERE stage = 'plan';

-- : as scikit-learn transforms
SELECT transform('steps', 1, 2, 3, 4, 'gold');
SELECT json_extract(transform('steps', 1, 2, 3, NULL, 'gold'), '$[1]') = 2.9460733096411893;
SELECT transform('steps', 0.5, -0.25, NULL, 4, 'other') = '[-0.25,null,0.0,0.0,4.0]';
SELECT typeof(transform('steps', 1, 2, 3, 4, 'gold')), json_valid(transform('steps', 1, 2, NULL, NULL, NULL)), json_type(json_array(transform('steps', 1, 2, 3, 4, 'gold')), '$[0]');
SELECT json_array_length(transform('pipeline', 0.5, 2, -0.25, 1.5)), json_array_length(transform('several', 1, 2, 3, 4));
-- : rows in every form
SELECT transform('steps', '[1, 2, 3, 4, "gold"]') = transform('steps', 1, 2, 3, 4, 'gold'), transform('steps', '{"plan": "gold", "rate": 4, "visits": 2, "AGE": 1, "score": 3, "x": [1]}') = transform('steps', 1, 2, 3, 4, 'gold'), transform('steps', json_array(1, 2, 3, 4, 'gold')) = transform('steps', 1, 2, 3, 4, 'gold');
SELECT transform('steps', NULL), transform(NULL, 1, 2);
-- : for each row, and beside the prediction
CREATE TABLE t (id INTEGER PRIMARY KEY, age, visits, score, rate);
INSERT INTO t VALUES (1, 0.5, 2, -0.25, 1.5), (2, -1.25, NULL, 0, 0.1), (3, 0, 0, 1, 9e999), (4, NULL, 0, 1, NULL);
SELECT id, transform('pipeline', age, visits, score, rate) IS NOT NULL, predict('pipeline', age, visits, score, rate) FROM t;
SELECT id, transform('pipeline', age, visits, score, rate) ->> 3, transform('pipeline', age, visits, score, rate) ->> 2 FROM t;
SELECT instr(predict_json('pipeline', 0.5, 2, -0.25, 1.5), 'transform');

-- : models that lack the one or the other
SELECT transform('forest', 1, 2, 3, 4);
SELECT transform('titanic', 1, 'female', 30, 0, 0, 80, 'C');
SELECT predict('steps', 1, 2, 3, 4, 'gold');
SELECT predict_label('steps', 1, 2, 3, 4, 'gold');
SELECT predict_proba('steps', 1, 2, 3, 4, 'gold');
SELECT predict_probability('steps', 'gold', 1, 2, 3, 4, 'gold');
SELECT predict_values('steps', 1, 2, 3, 4, 'gold');
SELECT decision_function('steps', 1, 2, 3, 4, 'gold');
SELECT predict_json('steps', 1, 2, 3, 4, 'gold');
SELECT predict_agg('steps', 1, 2, 3, 4, 'gold');
SELECT * FROM hbscore_scan('steps', 'SELECT 1, 1, 2, 3, 4, ''gold''');
CREATE VIEW u AS SELECT *, 'gold' AS plan FROM t;
CREATE VIRTUAL TABLE scored USING hbscore(model='steps', source='u');
SELECT age, prediction FROM scored;

-- S1: counts
SELECT transform('steps', 1, 2, 3);
SELECT transform('steps', '[1, 2]');
SELECT transform();
-- S2: types; nothing depends on the age, so it may be anything
SELECT transform('steps', 1, 'x', 3, 4, 'gold');
SELECT transform('steps', 'x', 2, 3, 4, 'gold') = transform('steps', 1, 2, 3, 4, 'gold');
SELECT transform('steps', '1', 2, 3, x'00', 'gold');
SELECT transform('steps', '1', '2', '3', '4', 'gold') = transform('steps', 1, 2, 3, 4, 'gold');
-- S3: NULL: the selector takes none, the scaler does, and so does a column that passes as it is
SELECT transform('steps', 1, NULL, 3, 4, 'gold'), transform('steps', NULL, 2, NULL, NULL, NULL);
-- S4: infinities: only the column that passes as it is may have one
SELECT transform('steps', 9e999, 2, 3, -9e999, 'gold'), transform('steps', 1, 9e999, 3, 4, 'gold'), transform('steps', 1, 2, -9e999, 4, 'gold');
SELECT hbscore_register('strict', readfile('test/fuzz/fuzz_own/transformer.json'), '{"on_missing": "error"}');
SELECT transform('strict', 1, NULL, 3, 4, 'gold');
SELECT transform('strict', 1, 2, 9e999, 4, 'gold');
SELECT transform('strict', NULL, 2, NULL, NULL, NULL);

-- : golden rows
SELECT hbscore_register('golden', readfile('test/fuzz/fuzz_own/transformer.json'), '{"golden": {"rows": [[1, 2, 3, null, "gold"], [0, null, 0, 0, "gold"]], "transform": [[2, 2.9460733096411893, 0, 1, "NaN"], null]}}');
SELECT version, rows, max_abs_error, ok FROM hbscore_verify('golden');
SELECT hbscore_register('golden', readfile('test/fuzz/fuzz_own/transformer.json'), '{"golden": {"rows": [[1, 2, 3, null, "gold"]], "transform": [[2, 2.946, 0, 1, "NaN"]]}}');
SELECT hbscore_register('golden', readfile('test/fuzz/fuzz_own/transformer.json'), '{"golden": {"rows": [[1, 2, 3, null, "gold"]], "prediction": [1]}}');
SELECT hbscore_register('golden', readfile('test/fuzz/fuzz_own/forest.json'), '{"golden": {"rows": [[1, 2, 3, 4]], "transform": [[1]]}}');

CREATE TEMP TABLE source AS SELECT CAST(readfile('test/fuzz/fuzz_own/transformer.json') AS TEXT) AS s;
-- W14: a transform that is not there, or that has texts
SELECT hbscore_register('bad', CAST(replace(s, '"transform":9', '"transform":10') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(s, '"transform":9', '"transform":0') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(s, '"transform":9,', '') AS BLOB)) FROM source;
SELECT hbscore_register('bad', readfile('test/fuzz/fuzz_own/transformer.json'), '{"classes": ["no", "yes"]}');
SELECT count(*) FROM hbscore_models WHERE name = 'bad';
