-- The options of a registration.

-- : classes: labels of a booster that stores only numbers; features: names and order
SELECT hbscore.register('o', file('demo/models/titanic.json'), options => '{"classes": ["no", "yes"], "features": ["a", "b", "c", "d", "e", "f", "g"]}');
SELECT predict_label('o', t.*), predict_label('o@1', '{"a": 1, "b": "female", "c": 29, "d": 0, "e": 0, "f": 211.3375, "g": "S"}'::jsonb)
FROM (SELECT 'S' AS g, 211.3375 AS f, 0 AS e, 0 AS d, 29 AS c, 'female' AS b, 1 AS a) AS t;
SELECT predict_label('o', '{"pclass": 1}'::jsonb);
SELECT hbscore.register('o', file('test/golden/sklearn/ridge_19.json'), options => '{"features": ["w", "x", "y", "z"]}');
SELECT predict('o', t.*) = predict('ridge', 1, 2, 3, 4) FROM (SELECT 4 AS z, 3 AS y, 2 AS x, 1 AS w) AS t;
-- : rounds: how many boosting rounds count
SELECT hbscore.register('o', file('demo/models/wine.ubj'), options => '{"rounds": 1}');
SELECT hbscore.register('o', file('demo/models/wine.ubj'), options => '{"rounds": 50}');
SELECT count(*), sum((predict_proba('o@4', w.*) = predict_proba('wine', w.*))::int) AS all_rounds, sum((predict_proba('o@3', w.*) = predict_proba('wine', w.*))::int) AS one_round
FROM wine AS w;
-- S3: missing: a value that the trainer treated as missing
SELECT hbscore.register('o', file('test/golden/xgboost/regressor_34.json'), options => '{"missing": -999}');
SELECT predict('o', 1, -999, 3, 4) = predict('number', 1, NULL, 3, 4) AS value, predict('number', 1, -999, 3, 4) = predict('number', 1, NULL, 3, 4) AS without;
-- S3: on_missing: what a model that takes none does
SELECT predict_label('forest', 1, 2, 1e39, 4) IS NULL AS beyond_float32, predict('ridge', 1, NULL, 3, 4) IS NULL AS missing,
    predict_json('ridge', 1, NULL, 3, 4) IS NULL AS json;
SELECT hbscore.register('o', file('test/golden/sklearn/ridge_19.json'), options => '{"on_missing": "error"}');
SELECT predict('o', 1, NULL, 3, 4);
SELECT predict('o', 1, 2, 3, 4) = predict('ridge', 1, 2, 3, 4);
SELECT hbscore.register('o', file('test/golden/sklearn/ridge_19.json'), options => '{"on_missing": "null"}');
SELECT predict('o', 1, NULL, 3, 4), predict('o', ARRAY[NULL, 2, 3, 4]), predict('o', '[1, 2, null, 4]'::jsonb);
-- S5: on_unseen: what a category that training has not seen does
SELECT hbscore.register('o', file('demo/models/titanic.json'), options => '{"on_unseen": "missing"}');
SELECT predict_proba('o', 1, 'neither', 30, 0, 0, 10, 'S') = predict_proba('titanic', 1, NULL, 30, 0, 0, 10, 'S');
SELECT hbscore.register('o', file('demo/models/titanic.json'), options => '{"on_unseen": "null"}');
SELECT id, predict('o', t.*) FROM (SELECT id, pclass, CASE id WHEN 2 THEN 'neither' ELSE sex END AS sex, age, sibsp, parch, fare, embarked FROM titanic) AS t WHERE id < 4 ORDER BY id;
-- : golden rows: kept beside the options, scored before the model is stored
SELECT hbscore.register('golden', file('demo/models/titanic.json'), options => '{"classes": ["died", "survived"], "golden":
    {"rows": [[1, "female", 29, 0, 0, 211.3375, "S"], [1, "male", 0.9167, 1, 2, 151.55, "S"]], "prediction": ["survived", "survived"],
     "probabilities": [[0.087587237358093262, 0.91241276264190674], [0.20285993814468384, 0.79714006185531616]]}}');
SELECT options, golden FROM hbscore.models WHERE name = 'golden';
SELECT * FROM hbscore.verify('golden');
-- : a mismatch is refused, and nothing is stored
SELECT hbscore.register('golden', file('demo/models/titanic.json'), options => '{"golden": {"rows": [[1, "female", 29, 0, 0, 211.3375, "S"]], "prediction": [0]}}');
SELECT hbscore.register('golden', file('demo/models/titanic.json'), options => '{"golden": {"rows": [[1, "female", 29, 0, 0, 211.3375, "S"]], "probabilities": [[0.0876, 0.9124]]}}');
SELECT hbscore.register('golden', file('demo/models/titanic.json'), options => '{"rounds": 1, "golden": {"rows": [[1, "female", 29, 0, 0, 211.3375, "S"]], "decision": [[2.5]]}}');
INSERT INTO hbscore.models (name, model, options) VALUES ('golden', file('test/golden/sklearn/ridge_19.json'), '{"golden": {"rows": [[1, 2, 3, 4]], "prediction": [0]}}');
SELECT count(*) FROM hbscore.models WHERE name = 'golden';
-- W7: golden rows that are none
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": null}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {}}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {"rows": [], "prediction": []}}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {"rows": [[1]], "prediction": [1]}}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {"rows": [[1, 2, 3, 4]]}}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {"rows": [[1, 2, 3, 4]], "prediction": [1, 0]}}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {"rows": [[1, 2, 3, 4]], "values": [[1]]}}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {"rows": [[1, 2, 3, "four"]], "prediction": [1]}}');

-- : refused in words
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"colour": "red"}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"rounds": 51}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"rounds": 0}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"rounds": "all"}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"classes": ["barolo", "barbera"]}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"classes": ["a", "b", "a"]}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"classes": "abc"}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"features": ["one"]}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"features": ["x", "x", "y", "z"]}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"on_missing": "zero"}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"on_unseen": 1}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"missing": "none"}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"description": 5}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '{"format": 5}');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '[]');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => 'null');
SELECT hbscore.register('bad', file('demo/models/wine.ubj'), options => '"rounds"');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"rounds": 3}');
SELECT hbscore.register('bad', file('test/golden/sklearn/ridge_19.json'), options => '{"classes": ["no", "yes"]}');
SELECT count(*) FROM hbscore.models WHERE name = 'bad';
SELECT hbscore.drop('o'), hbscore.drop('golden');
