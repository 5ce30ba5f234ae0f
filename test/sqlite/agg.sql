-- predict_agg(model, f1, ..): the scores of a group's rows as one JSON array.
.nullvalue NULL
.read demo/tables.sql
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'), '{"features": ["a", "b", "c", "d"]}');
SELECT hbscore_register('targets', readfile('test/golden/xgboost/targets_in_leaf_34.json'));
CREATE TABLE want AS SELECT id, p_survived AS p, label FROM titanic_expected;

-- : one label a row, in the order of the rows
SELECT json_array_length(a), a = (SELECT json_group_array(label) FROM (SELECT label FROM want ORDER BY id)) FROM (SELECT predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) AS a FROM (SELECT * FROM titanic ORDER BY id));
SELECT a = (SELECT json_group_array(label) FROM (SELECT label FROM want ORDER BY id DESC)) FROM (SELECT predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) AS a FROM (SELECT * FROM titanic ORDER BY id DESC));
SELECT pclass, json_array_length(predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) = count(*) FROM titanic GROUP BY pclass;
SELECT predict_agg('number', -1.25, 7.5, NULL, 3) = json_array(predict('number', -1.25, 7.5, NULL, 3));
-- : labels of every type
SELECT hbscore_register('titanic i', readfile('demo/models/titanic.json'), '{"classes": [-5, 7]}');
SELECT hbscore_register('titanic f', readfile('demo/models/titanic.json'), '{"classes": [0.5, 1e300]}');
SELECT hbscore_register('titanic b', readfile('demo/models/titanic.json'), '{"classes": [false, true]}');
SELECT hbscore_register('titanic t', readfile('demo/models/titanic.json'), '{"classes": ["it''s \"so\" \\ \n \u0001 ø", ""]}');
WITH p(c, s) AS (VALUES (1, 'female'), (3, 'male')) SELECT predict_agg('titanic i', c, s, 29, 0, 0, 211.3375, 'S'), predict_agg('titanic f', c, s, 29, 0, 0, 211.3375, 'S'), predict_agg('titanic b', c, s, 29, 0, 0, 211.3375, 'S'), predict_agg('titanic t', c, s, 29, 0, 0, 211.3375, 'S') FROM p;
WITH p(c, s) AS (VALUES (1, 'female'), (3, 'male')) SELECT json_valid(a), a ->> '$[1]' = (SELECT predict('titanic t', 3, 'male', 29, 0, 0, 211.3375, 'S')) FROM (SELECT predict_agg('titanic t', c, s, 29, 0, 0, 211.3375, 'S') AS a FROM p);
-- : predict_label_agg: the labels of classifiers, and of nothing else
SELECT predict_label_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) = predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic;
SELECT predict_label_agg('titanic', '[3, "male", 22, 1, 0, 7.25, "S"]'), predict_label_agg('titanic i', 1, 'female', 29, 0, 0, 211.3375, 'S');
SELECT pclass, json_array_length(predict_label_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) = count(*) FROM titanic GROUP BY pclass;
SELECT predict_label_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked), predict_label_agg(NULL, 1) FROM titanic WHERE 0;
SELECT predict_label_agg(NULL, 1), json_array(predict_label_agg('titanic', 1, 'female', 29, 0, 0, 211.3375, 'S'));
SELECT predict_label_agg('number', 1, 2, 3, 4);
SELECT predict_label_agg('targets', 1, 2, 3, 4);
SELECT predict_label_agg(CASE WHEN id < 9 THEN 'titanic' ELSE 'titanic i' END, 1, 'female', 29, 0, 0, 211.3375, 'S') FROM titanic;
SELECT predict_label_agg();
-- : no rows, FILTER, DISTINCT, HAVING; it is JSON for other functions
SELECT predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic WHERE 0;
SELECT predict_agg('no such model', pclass) FROM titanic WHERE 0;
SELECT predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic WHERE 0 GROUP BY pclass;
SELECT json_array(predict_agg('number', 1, 2, 3, 4)), typeof(predict_agg('number', 1, 2, 3, 4));
SELECT json_array_length(predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FILTER (WHERE id <= 600)), predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FILTER (WHERE id < 0) FROM titanic;
SELECT predict_agg(DISTINCT 'number') FROM titanic;
SELECT predict_agg(DISTINCT 'number', 1, 2, 3, 4) FROM titanic;
SELECT pclass FROM titanic GROUP BY pclass HAVING json_array_length(predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) > 300;
SELECT predict_agg('number', 1, 2, 3, 4) OVER () FROM titanic;
SELECT (SELECT json_array_length(predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) FROM titanic AS t WHERE t.id <= w.id) FROM want AS w WHERE w.id <= 3;
-- S3: NULL features; a NULL reference; what no number is, is null in the array
SELECT predict_agg('number', NULL, NULL, NULL, NULL);
SELECT predict_agg(NULL, 1, 2), predict_agg(NULL) FROM titanic;
SELECT hbscore_register('strict', readfile('test/golden/xgboost/regressor_34.json'), '{"features": ["a", "b", "c", "d"]}');
-- S7: JSON rows, alone and among others
SELECT predict_agg('number', '{"a": -1.25, "b": 7.5, "c": null, "d": 3}') = predict_agg('number', -1.25, 7.5, NULL, 3);
SELECT predict_agg('number', '[-1.25, 7.5, null, 3]') = predict_agg('number', -1.25, 7.5, NULL, 3);
SELECT json_array_length(predict_agg('number', json_array(id, 2, 3, 4))) FROM titanic;
SELECT predict_agg('number', '{"a": 1}');
SELECT predict_agg('number', '[1, 2');
SELECT predict_agg('number', '[1, 2, 3]');
-- S1: counts
SELECT predict_agg();
SELECT predict_agg('number');
SELECT predict_agg('number', 1);
SELECT predict_agg('number', 1, 2, 3, 4, 5);
-- S2: types, and errors in the middle of a group: none of the array comes
SELECT predict_agg('number', 1, x'00', 3, 4);
SELECT predict_agg('number', 1, 'x', 3, 4);
SELECT predict_agg('titanic', pclass, CASE id WHEN 700 THEN 'neither' ELSE sex END, age, sibsp, parch, fare, embarked) FROM titanic;
SELECT predict_agg('titanic', pclass, sex, CASE id WHEN 700 THEN x'00' ELSE age END, sibsp, parch, fare, embarked) FROM titanic;
SELECT predict_agg(5, 1, 2);
SELECT predict_agg(x'00', 1, 2);
SELECT predict_agg('targets', 1, 2, 3, 4);
SELECT predict_agg('numbre', 1, 2, 3, 4);
-- S8: a reference that changes from row to row
SELECT predict_agg(CASE WHEN id < 9 THEN 'number' ELSE 'strict' END, 1, 2, 3, 4) FROM titanic;
SELECT predict_agg(CASE WHEN id < 9 THEN NULL ELSE 'number' END, 1, 2, 3, 4) FROM titanic;
SELECT predict_agg(CASE WHEN id < 9 THEN 'number' END, 1, 2, 3, 4) FROM titanic;
SELECT count(*) FROM (SELECT predict_agg(CASE pclass WHEN 1 THEN 'number' ELSE 'strict' END, 1, 2, 3, 4) FROM titanic GROUP BY pclass);
-- S8: longer than a text may be
.limit length 20000
SELECT predict_agg('number', id, 2, 3, 4) FROM titanic;
SELECT json_array_length(predict_agg('number', id, 2, 3, 4)) FROM titanic WHERE id < 500;
