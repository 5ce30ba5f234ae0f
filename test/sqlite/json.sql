-- Rows as one JSON text: objects by name, arrays by position.
.nullvalue NULL
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('nameless', readfile('test/golden/xgboost/classes_option_34.json'));
SELECT hbscore_register('named', readfile('test/golden/xgboost/classes_option_34.json'), '{"features": ["A", "b", "B", "ü"]}');
CREATE TABLE good(row);
INSERT INTO good VALUES ('{"pclass": 1, "sex": "female", "age": 29.0, "sibsp": 0, "parch": 0, "fare": 211.3375, "embarked": "S"}');

-- : the first passenger, as XGBoost scored her (demo/expected/titanic.csv)
SELECT predict_probability('titanic', 'survived', row) = 0.91241276264190674 FROM good;
SELECT predict_probability('titanic', 'survived', '[1, "female", 29, 0, 0, 211.3375, "S"]') = 0.91241276264190674;
-- : names match without regard to case where just one does; other keys are ignored
SELECT predict_probability('titanic', 'survived', upper(replace(row, 'female', 'FEMALE'))) FROM good;
SELECT predict_probability('titanic', 'survived', replace(row, '"pclass"', '"PClass"')) = 0.91241276264190674 FROM good;
SELECT predict_probability('titanic', 'survived', json_set(row, '$.extra', json('{"a": [1, {}]}'))) = 0.91241276264190674 FROM good;
SELECT predict('named', '{"a": 1, "b": 2, "B": 3, "ü": 4}') = predict('named', 1, 2, 3, 4);
SELECT predict('named', '{"A": 1, "b": 2, "B": 3, "Ü": 4}');
-- : null is missing, a feature that is not there an error
SELECT predict_probability('titanic', 'survived', json_set(row, '$.age', NULL)) = predict_probability('titanic', 'survived', 1, 'female', NULL, 0, 0, 211.3375, 'S') FROM good;
SELECT predict('titanic', json_remove(row, '$.age')) FROM good;
SELECT predict('titanic', '{}');
-- : a model without names
SELECT predict('nameless', '{"a": 1}');
SELECT predict('nameless', '[1, 2, 3, 4]') = predict('nameless', 1, 2, 3, 4);

-- S1: the length of an array
SELECT predict('titanic', '[]');
SELECT predict('titanic', '[1, 2]');
SELECT predict('titanic', '[1, 2, 3, 4, 5, 6, 7, 8]');
-- S2: types
SELECT predict('titanic', json_set(row, '$.age', 'old')) FROM good;
SELECT predict('titanic', json_set(row, '$.age', json('[29]'))) FROM good;
SELECT predict('titanic', json_set(row, '$.age', json('{}'))) FROM good;
SELECT predict('titanic', json_set(row, '$.age', json('true'))) IS NULL FROM good;
SELECT predict_probability('titanic', 'survived', json_set(row, '$.age', '29')) = 0.91241276264190674 FROM good;

-- S4: infinities as SQLite's JSON functions write them, in older and newer versions, also where they are ignored
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'), '{"features": ["a", "b", "c", "d"]}');
CREATE TABLE infinite AS SELECT 9e999 AS a, -9e999 AS b;
SELECT predict('number', json_array(a, b, 1, 2)) = predict('number', a, b, 1, 2), predict('number', json_object('a', a, 'b', b, 'c', 1, 'd', 2, 'other', a)) = predict('number', a, b, 1, 2) FROM infinite;
SELECT predict('number', '[9.0e+999, -9.0e+999, 1, 2]') = predict('number', a, b, 1, 2), predict('number', '[9e999,-9e999,1,2]') = predict('number', a, b, 1, 2), predict('number', '[Inf,-Inf,1,2]') = predict('number', a, b, 1, 2) FROM infinite;
SELECT predict('number', '{"a": 9.0e+999, "b": -9.0e+999, "c": 1, "d": 2, "x": 9.0e+999, "y": [{"z": -9e999}, Inf]}') = predict('number', a, b, 1, 2) FROM infinite;
SELECT predict_json('number', '[9.0e+999, -9.0e+999, 1, 2]') = predict_json('number', json_array(9e999, -9e999, 1, 2));
-- S4: other numbers that a double does not reach are none
SELECT predict('number', '[1e400, 1, 2, 3]');
SELECT predict('number', '[9.1e+999, 1, 2, 3]');
SELECT predict('number', '[9e998, 1, 2, 3]');
SELECT predict('number', '[Infinity, 1, 2, 3]');
SELECT predict('number', '[-Infinity, 1, 2, 3]');
SELECT predict('number', '[NaN, 1, 2, 3]');
SELECT predict('number', '[Info, 1, 2, 3]');
SELECT predict('number', '[+Inf, 1, 2, 3]');
SELECT predict('number', '["Inf", 1, 2, 3]') = predict('number', 9e999, 1, 2, 3);
-- S7: what is no JSON
SELECT predict('titanic', '{');
SELECT predict('titanic', '[');
SELECT predict('titanic', '[1, "female", 29, 0, 0, 211.3375, "S"] x');
SELECT predict('titanic', '[1, "female", 29, 0, 0, 211.3375, "S",]');
SELECT predict('titanic', '[1, ''female'', 29, 0, 0, 211.3375, "S"]');
SELECT predict('titanic', '[01, "female", 29, 0, 0, 211.3375, "S"]');
SELECT predict('titanic', '[NaN, "female", 29, 0, 0, 211.3375, "S"]');
SELECT predict('titanic', '[1, "fe\male", 29, 0, 0, 211.3375, "S"]');
SELECT predict('titanic', '[1, "' || CAST(x'ff' AS TEXT) || '", 29, 0, 0, 211.3375, "S"]');
SELECT predict('titanic', '[1, "fem' || char(0) || 'ale", 29, 0, 0, 211.3375, "S"]');
SELECT predict('titanic', '{"pclass": 1, "pclass": 1}');
SELECT predict('titanic', '{"pclass": 1, "PCLASS": 1, "sex": null, "age": null, "sibsp": 0, "parch": 0, "fare": 1, "embarked": null}');
SELECT predict('titanic', '[1e999, "female", 29, 0, 0, 211.3375, "S"]');
SELECT predict('titanic', '[1, "\ud800", 29, 0, 0, 211.3375, "S"]');
-- S7: deep and long
SELECT predict('titanic', replace(printf('%.*c', 100000, 'x'), 'x', '['));
SELECT predict('titanic', replace(printf('%.*c', 100000, 'x'), 'x', '{"a":'));
SELECT predict('titanic', '[' || replace(printf('%.*c', 400000, 'x'), 'x', '1, ') || '1]');
-- S7: text that is no JSON text, of a model with several features
SELECT predict('titanic', 'female');
SELECT predict('titanic', '');
SELECT predict('titanic', '1.5');
-- S7: a JSON value that is no row; a subtype without JSON
SELECT predict('titanic', json('1'));
SELECT predict('titanic', json('"text"'));
SELECT predict('titanic', json('null'));
