-- The setting passes_off: a pass of the optimizer that is left out changes the plan, and no bit of a score.
.nullvalue NULL
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json')),
 hbscore_register('scaled', readfile('test/golden/sklearn/standard_scaler_float32_19.json'));
CREATE TABLE t AS SELECT value AS id, value % 7 - 3 AS a, value * 0.1 - 20 AS b, 1.0 / value AS c, nullif(value % 11, 5) AS d
 FROM generate_series(1, 500);
CREATE VIEW answers AS SELECT id, decision_function('titanic', 1 + id % 3, iif(id % 2, 'male', 'female'), b, id % 4, id % 3, 10 * c, 'S') AS raw,
 predict_proba('titanic', 1 + id % 3, iif(id % 2, 'male', 'female'), b, id % 4, id % 3, 10 * c, 'S') AS proba,
 predict('scaled', a, b, c, a + b) AS value, transform('scaled', a, b, c, a + b) AS made FROM t;
CREATE VIEW passes AS SELECT m.name, p.stage, p.note FROM hbscore_models AS m, hbscore_plan(m.name) AS p WHERE p.operator = 'pass';
-- : all are on at first, and each pass says what it has done
SELECT hbscore_get('passes_off') = '', typeof(hbscore_get('passes_off'));
CREATE TABLE first AS SELECT * FROM answers;
SELECT count(*), count(DISTINCT raw) > 10, count(DISTINCT value) > 10, count(DISTINCT made) > 100 FROM first;
SELECT * FROM passes WHERE stage IN ('fold_constants', 'eliminate_redundant', 'rewrite_dtypes');
-- : each pass by itself
SELECT hbscore_set('passes_off', 'fold_constants');
SELECT group_concat(DISTINCT stage) FROM passes WHERE stage IN ('fold_constants', 'eliminate_redundant', 'rewrite_dtypes');
SELECT count(*) FROM (SELECT * FROM answers EXCEPT SELECT * FROM first);
SELECT count(*) FROM hbscore_plan('titanic') WHERE stage = 'plan' AND operator = 'logit';
SELECT hbscore_set('passes_off', 'eliminate_redundant');
SELECT group_concat(DISTINCT stage) FROM passes WHERE stage IN ('fold_constants', 'eliminate_redundant', 'rewrite_dtypes');
SELECT count(*) FROM (SELECT * FROM answers EXCEPT SELECT * FROM first);
SELECT hbscore_set('passes_off', 'rewrite_dtypes');
SELECT group_concat(DISTINCT stage) FROM passes WHERE stage IN ('fold_constants', 'eliminate_redundant', 'rewrite_dtypes');
SELECT count(*) FROM (SELECT * FROM answers EXCEPT SELECT * FROM first);
-- : several, in any order, with spaces or without, twice or once
SELECT hbscore_set('passes_off', 'rewrite_dtypes,fold_constants'), hbscore_set('passes_off', ' rewrite_dtypes , fold_constants,rewrite_dtypes '),
 hbscore_get('passes_off');
SELECT group_concat(DISTINCT stage) FROM passes WHERE stage IN ('fold_constants', 'eliminate_redundant', 'rewrite_dtypes');
SELECT count(*) FROM (SELECT * FROM answers EXCEPT SELECT * FROM first);
-- : all
SELECT hbscore_set('passes_off', 'all'), hbscore_get('passes_off'), hbscore_set('passes_off', 'fold_constants, all');
SELECT count(*) FROM passes;
SELECT count(*) FROM (SELECT * FROM answers EXCEPT SELECT * FROM first);
SELECT count(*) FROM hbscore_scan('scaled', 'SELECT id, a, b, c, a + b FROM t') AS s JOIN first AS f ON f.id = s.key WHERE s.prediction = f.value;
-- : none again: the same plan, found in the cache
SELECT hbscore_set('passes_off', ' ') = '', hbscore_get('passes_off') = '';
SELECT count(*) > 0 FROM passes;
SELECT count(*) FROM (SELECT * FROM answers EXCEPT SELECT * FROM first);
-- : a value that several operators read, each of them other columns: 30 is the third feature, selected behind a concat
SELECT hbscore_set('passes_off', '');
SELECT hbscore_register('shared', CAST('{"hbscore":1,"writer":{},"task":"regressor","features":[{"type":"f8"},{"type":"f8"},{"type":"f8"}],"transform":4,"ops":['
 || '{"op":"impute","in":[0],"missing":"nan","fill":{"dtype":"f8","shape":[3],"data":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}},'
 || '{"op":"affine","in":[1],"kind":"sub","dtype":"f8","a":{"dtype":"f8","shape":[3],"data":"AAAAAAAAJEAAAAAAAAAkQAAAAAAAACRA"}},'
 || '{"op":"concat","in":[2,1]},{"op":"select","in":[3],"cols":[5]}]}' AS BLOB));
SELECT predict('shared', 10, 20, 30), transform('shared', 10, 20, 30), predict('shared', 'no number', NULL, NULL);
SELECT hbscore_set('passes_off', 'all');
SELECT predict('shared', 10, 20, 30), transform('shared', 10, 20, 30), predict('shared', 'no number', NULL, NULL);
-- S2: what is no pass; the setting stays
SELECT hbscore_set('passes_off', 'rewrite_dtypes');
SELECT hbscore_set('passes_off', 'fold');
SELECT hbscore_set('passes_off', 'Fold_Constants');
SELECT hbscore_set('passes_off', 'fold_constants,');
SELECT hbscore_set('passes_off', ',');
SELECT hbscore_set('passes_off', 'fold_constants rewrite_dtypes');
SELECT hbscore_set('passes_off', 'fold_constants' || char(0));
SELECT hbscore_set('passes_off', 'none"' || char(10));
SELECT hbscore_set('passes_off', printf('%.1000c', 'x'));
SELECT hbscore_set('passes_off', 1);
SELECT hbscore_set('passes_off', NULL);
SELECT hbscore_set('passes_off', x'616c6c');
SELECT hbscore_get('passes_off');
-- : a sum of many one-hot columns picks weights instead
SELECT hbscore_set('passes_off', '') = '', hbscore_register('summed', readfile('test/golden/sklearn/feat_onehot_sum_classes_19.json'));
CREATE VIEW summed AS SELECT t.id, predict_proba('summed', a, value, b, t.id % 9, value || '-2') AS proba, transform('summed', a, value, b, t.id % 9, value || '-2') AS made
 FROM t JOIN json_each('["basic", "gold", "onyx", "none", null, "", "12"]') ON key = t.id % 7;
CREATE TABLE sums AS SELECT * FROM summed;
SELECT count(*), count(proba), count(DISTINCT proba) > 100, count(DISTINCT made) > 100 FROM sums;
SELECT note FROM passes WHERE name = 'summed' AND stage = 'fuse';
SELECT position, operator, inputs, width, outputs FROM hbscore_plan('summed') WHERE stage = 'plan' AND operator IN ('onehot', 'recode', 'concat', 'guard', 'dense', 'dense_segments');
SELECT hbscore_set('passes_off', 'fuse');
SELECT position, operator, inputs, width, outputs FROM hbscore_plan('summed') WHERE stage = 'plan' AND operator IN ('onehot', 'recode', 'concat', 'guard', 'dense', 'dense_segments');
SELECT count(*) FROM (SELECT * FROM summed EXCEPT SELECT * FROM sums);
