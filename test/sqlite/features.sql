-- Features: counts, types, missing values, texts, categories.
.nullvalue NULL
.mode list
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'));
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('unseen missing', readfile('demo/models/titanic.json'), '{"on_unseen": "missing"}');
SELECT hbscore_register('unseen null', readfile('demo/models/titanic.json'), '{"on_unseen": "null"}');
SELECT hbscore_register('linear', readfile('test/golden/xgboost/missing_gblinear_34.json'));
SELECT hbscore_register('strict', readfile('test/golden/xgboost/missing_gblinear_34.json'), '{"on_missing": "error"}');

-- S1: counts
SELECT predict('titanic');
SELECT predict('titanic', 1);
SELECT predict('titanic', 1, 'male', 30, 0, 0, 10);
SELECT predict('titanic', 1, 'male', 30, 0, 0, 10, 'S', 9);
SELECT predict('number', 1, 2);
-- S1: also where no row is scored the count is not asked, and where one is, once
SELECT predict('titanic', 1) WHERE 0;
-- S1: more than SQLite passes (127 with the reference)
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 127)
SELECT 'SELECT predict(''titanic''' || group_concat(', 1', '') || ');' FROM n WHERE i < 127;
.once 126.sql
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 126)
SELECT 'SELECT predict(''titanic''' || group_concat(', 1', '') || ');' FROM n;
.once 127.sql
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 127)
SELECT 'SELECT predict(''titanic''' || group_concat(', 1', '') || ');' FROM n;
.read 126.sql
.read 127.sql

-- S2: numbers as integer, real and text are the same
SELECT predict('number', 1, 2, 3, 4) = predict('number', 1.0, '2', ' 3 ', '4e0');
SELECT predict('number', 1, 2, 3, 4) = predict('number', '+1', '2.', '003', '0.4e1');
-- S2: texts that are no numbers, blobs
SELECT predict('number', 1, 2, 3, 'four');
SELECT predict('number', 1, 2, 3, '');
SELECT predict('number', 1, 2, 3, '0x10');
SELECT predict('number', 1, 2, 3, '4 5');
SELECT predict('number', 1, 2, 3, '4' || char(0));
SELECT predict('number', 1, 2, 3, x'34');
SELECT predict('titanic', 1, x'6d616c65', 30, 0, 0, 10, 'S');
SELECT predict('titanic', 1, 'male', x'', 0, 0, 10, 'S');
-- S2: a number where a category's text is wanted
SELECT predict('titanic', 1, 1, 30, 0, 0, 10, 'S');
SELECT predict('titanic', 1, 1.5, 30, 0, 0, 10, 'S');

-- S3: NULL is a missing value, and so is NaN
SELECT predict_probability('titanic', 'died', NULL, NULL, NULL, NULL, NULL, NULL, NULL) BETWEEN 0 AND 1;
SELECT predict('number', NULL, 2, 3, NULL) = predict('number', 'nan', 2, 3, 'NaN');
SELECT predict('number', NULL, 2, 3, NULL) = predict('number', json_array(NULL, 2, 3, NULL));
-- S3: every model of XGBoost takes one (linear ones add nothing for it): on_missing changes nothing
SELECT predict('linear', 1, NULL, 3, 4) = predict('linear', 1, 0, 3, 4), predict('strict', 1, NULL, 3, 4) = predict('linear', 1, NULL, 3, 4);
-- S3: a NULL in the place of a JSON text is a row that is NULL
SELECT predict('titanic', NULL), predict_json('titanic', NULL), predict_probability('titanic', 'died', NULL);

-- S4: infinities, large integers, denormals are numbers
SELECT predict('number', 9e999, -9e999, 9223372036854775807, 1e-310) IS NOT NULL;
SELECT predict('number', 'inf', '-Infinity', '9223372036854775807', '1e-310') = predict('number', 9e999, -9e999, 9223372036854775807, 1e-310);
SELECT predict('number', 9007199254740993, 0, 0, 0) = predict('number', 9007199254740992.0, 0, 0, 0);
SELECT predict('number', -9223372036854775808, 0, 0, 0) = predict('number', -9223372036854775808.0, 0, 0, 0);
SELECT predict('number', '1e999', 0, 0, 0);
SELECT predict('number', 0.0, 0, 0, 0) = predict('number', -0.0, 0, 0, 0);

-- S5: categories that training has not seen
SELECT predict('titanic', 1, 'neither', 30, 0, 0, 10, 'S');
SELECT predict('titanic', 1, 'Male', 30, 0, 0, 10, 'S');
SELECT predict('titanic', 1, '', 30, 0, 0, 10, 'S');
SELECT predict('titanic', 1, printf('%.*c', 5000, 'm'), 30, 0, 0, 10, 'S');
SELECT predict('titanic', 1, 'ma' || char(10, 34), 30, 0, 0, 10, 'S');
SELECT predict_probability('unseen missing', 1, 1, 'neither', 30, 0, 0, 10, 'S') = predict_probability('titanic', 'survived', 1, NULL, 30, 0, 0, 10, 'S');
SELECT predict('unseen null', 1, 'neither', 30, 0, 0, 10, 'S'), predict('unseen null', 1, 'male', 30, 0, 0, 10, 'S') IS NULL;

-- A3: of values, errors show only the caller's own, cut short; of the model, names and counts
SELECT predict('titanic', 1, 'male', 30, 0, 0, printf('%.*c', 1000, 'x'), 'S');
SELECT predict('titanic', '{"pclass": 1, "sex": "secret", "age": 30, "sibsp": 0, "parch": 0, "fare": 10, "embarked": "S"}');

-- S8: the other functions check in the same way
SELECT predict_label('titanic', 1);
SELECT predict_proba('titanic', 1, 2);
SELECT predict_json('titanic', 1, 2, 3);
SELECT decision_function('titanic', 1, 2, 3, x'00', 5, 6, 7);
SELECT predict_probability('titanic', 'died', 1, 'male', 'old', 0, 0, 10, 'S');

-- : whole numbers that no double holds are categories of their own, row by row and in blocks
SELECT hbscore_register('large', readfile('test/golden/lightgbm/pandas_large_47.txt'));
CREATE TABLE large AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 300) SELECT id, 0 AS age, 0 AS monthly_fee, 9007199254740992 + id % 4 AS zone FROM n;
SELECT zone, count(DISTINCT predict('large', 0, 0, zone)), count(DISTINCT predict('large', 0, 0, zone || '.0')), min(predict('large', 0, 0, zone) = predict('large', 0, 0, zone || '')), min(predict('large', 0, 0, zone) = predict('large', 0, 0, zone || '.00')), min(predict('large', 0, 0, zone) = predict('large', json_array(0, 0, zone))), min(predict('large', 0, 0, zone) = predict('large', printf('[0, 0, %d.0]', zone))) FROM large GROUP BY zone;
SELECT count(DISTINCT predict('large', 0, 0, zone)) FROM large;
SELECT sum(prediction = predict('large', 0, 0, zone)) FROM hbscore_scan('large', 'SELECT * FROM large') JOIN large ON id = key;
CREATE VIRTUAL TABLE large_scored USING hbscore(model='large', source='large');
SELECT sum(prediction = predict('large', 0, 0, zone)) FROM large_scored;
-- S5: a fraction that a double has no room for is no category
SELECT predict('large', 0, 0, '9007199254740992.5') = predict('large', 0, 0, NULL), predict('large', 0, 0, 9007199254740992.0) = predict('large', 0, 0, 9007199254740992);
-- S5: an encoder's categories are doubles: it refuses what they would round
SELECT hbscore_register('encoded', CAST('{"hbscore":1,"writer":{},"task":"regressor","features":[{"name":"zone","type":"f8"}],"ops":[{"op":"ordinal","in":[0],"columns":[{"values":{"dtype":"f8","shape":[2],"data":"AAAAAAAAHEAAAAAAAABAQw=="},"missing":0,"map":{"dtype":"f8","shape":[2],"data":"AAAAAAAA8D8AAAAAAAAAQA=="},"unknown":{"dtype":"f8","shape":[],"data":"AAAAAAAA8L8="}}]}]}' AS BLOB));
SELECT predict('encoded', 7), predict('encoded', 9007199254740992), predict('encoded', 8), predict('encoded', 1e300);
SELECT predict('encoded', 9007199254740993);
SELECT predict('encoded', '9007199254740993');
SELECT predict('encoded', '[9007199254740993.0]');
SELECT count(*) FROM hbscore_scan('encoded', 'SELECT id, zone FROM large ORDER BY zone') WHERE prediction = 2;
