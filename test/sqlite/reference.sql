-- Model references: 'name', 'name@version', 'name@version#digest'; and the answers to those that name nothing.
.nullvalue NULL
SELECT hbscore_register('churn', readfile('demo/models/cancer.json'));
SELECT hbscore_register('churn', readfile('demo/models/cancer.json'), '{"rounds": 1}');
SELECT hbscore_register('church', readfile('demo/models/cancer.json'));
SELECT hbscore_register('Churn', readfile('demo/models/cancer.json'), '{"rounds": 2}');
SELECT hbscore_register('größe', readfile('demo/models/cancer.json'));
CREATE TABLE patient AS SELECT json_group_array(0.5) AS row FROM generate_series(1, 30);

-- : the newest version, a version; names are told apart by case
SELECT predict_json('churn', row) ->> 'model', predict_json('churn@1', row) ->> 'model',
       predict_json('Churn', row) ->> 'model', predict_json('größe@1', row) ->> 'model' FROM patient;
SELECT predict_json('churn', row) -> 'decision' = predict_json('churn@2', row) -> 'decision',
       predict_json('churn', row) -> 'decision' = predict_json('churn@1', row) -> 'decision' FROM patient;

-- : a version with its digest, in either case; other bytes under that number are an error
SELECT predict_json('churn@1#' || substr(sha256, 1, 16), row) ->> 'model',
       predict_json('churn@1#' || upper(substr(sha256, 1, 16)), row) ->> 'model'
FROM hbscore_models, patient WHERE name = 'churn' AND version = 1;
SELECT predict('churn@1#0123456789abcdef', row) FROM patient;

-- S3: a NULL reference gives NULL
SELECT predict(NULL, 1, 2), predict_label(NULL), predict_proba(NULL, x'00'), predict_json(NULL), predict_values(NULL),
       decision_function(NULL), predict_probability(NULL, 'x', 1);

-- : nothing of that name: the nearest ones
SELECT predict('chrun', row) FROM patient;
SELECT predict('CHURN', row) FROM patient;
SELECT predict('grösse', row) FROM patient;

-- : no such version, alias
SELECT predict('churn@3', row) FROM patient;
SELECT predict('churn@champion', row) FROM patient;
SELECT hbscore_drop('churn', 2);
SELECT predict('churn@2', row) FROM patient;
SELECT predict_json('churn', row) ->> 'model' FROM patient;
SELECT hbscore_drop('church');
SELECT predict('church@champion', row) FROM patient;

-- S7: no references at all
SELECT predict('', 1);
SELECT predict('@1', 1);
SELECT predict('churn@', 1);
SELECT predict('churn@0', 1);
SELECT predict('churn@01', 1);
SELECT predict('churn@-1', 1);
SELECT predict('churn@1.0', 1);
SELECT predict('churn@99999999999', 1);
SELECT predict('churn@2147483648', 1);
SELECT predict('churn@1#', 1);
SELECT predict('churn@1#0123', 1);
SELECT predict('churn@1#0123456789abcdeg', 1);
SELECT predict('churn#0123456789abcdef', 1);
SELECT predict('churn@champion#0123456789abcdef', 1);
SELECT predict('churn@1@1', 1);
SELECT predict('churn@a@b', 1);
SELECT predict('churn' || char(0), 1);
SELECT predict('churn' || char(10), 1);

-- S2: a reference is text
SELECT predict(1, 1);
SELECT predict(1.5, 1);
SELECT predict(x'636875726e', 1);
SELECT predict();
SELECT predict_probability('churn');

-- : a bound parameter, and a name that is computed for each row
.parameter set $model "'churn@1'"
SELECT predict_json($model, row) ->> 'model' FROM patient;
SELECT group_concat(predict_json(name || '@' || version, row) ->> 'model')
FROM hbscore_models, patient WHERE model IS NOT NULL;

-- : no models at all, with an empty table and without one
DELETE FROM hbscore_models;
SELECT predict('churn', 1);
SELECT predict('churn@champion', 1);
SELECT hbscore_drop('churn');
DROP TABLE hbscore_models;
SELECT predict('churn', 1);
SELECT predict('churn@2', 1);
SELECT hbscore_drop('churn');
SELECT hbscore_register('churn', readfile('demo/models/cancer.json'));
SELECT predict_json('churn', row) ->> 'model' FROM patient;
