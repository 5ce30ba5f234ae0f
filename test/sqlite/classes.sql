-- What hbscore_features and hbscore_classes tell of a stored model; all classes with their probabilities, and the best ones.
.nullvalue NULL
.read demo/tables.sql
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('codes', readfile('demo/models/titanic.json'));
SELECT hbscore_register('floats', readfile('demo/models/titanic.json'), '{"classes": [0.5, 1.5]}');
SELECT hbscore_register('booleans', readfile('demo/models/titanic.json'), '{"classes": [false, true]}');
SELECT hbscore_register('odd', readfile('demo/models/titanic.json'), '{"classes": ["a \"b\" \u0001 ø", ""]}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT hbscore_register('catboost', readfile('demo/models/titanic_catboost.json'));
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'));
SELECT hbscore_register('strict', readfile('test/golden/sklearn/bayesian_ridge_19.json'), '{"on_missing": "error"}') IS NOT NULL;

-- : features of one model, of models by every kind of reference, without names, without any category
SELECT * FROM hbscore_features('titanic');
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["no", "yes"], "features": ["a", "b", "c", "d", "e", "f", "g"]}'), hbscore_deploy('titanic', 1, 'champion');
SELECT r, group_concat(f.name) FROM (SELECT 'titanic' AS r UNION ALL VALUES ('titanic@1'), ('titanic@champion'), ('titanic@2')) AS x, hbscore_features(r) AS f GROUP BY r;
SELECT position, name, type, on_missing, categories, note FROM hbscore_features('number') WHERE position < 3;
SELECT count(*) FROM hbscore_features('wine') WHERE on_missing = 'scored' AND categories IS NULL;
-- : they are the lines of hbscore_inspect
SELECT m, (SELECT count(*) FROM hbscore_features(m) AS f JOIN hbscore_inspect(m) AS i ON i.role = 'feature' AND i.position = f.position
           AND i.name IS f.name AND i.type = f.type AND i.note IS f.note) = (SELECT count(*) FROM hbscore_inspect(m) WHERE role = 'feature') AS features,
       (SELECT count(*) FROM hbscore_classes(m) AS c JOIN hbscore_inspect(m) AS i ON i.role = 'class' AND i.position = c.position
           AND i.type = c.type) = (SELECT count(*) FROM hbscore_inspect(m) WHERE role = 'class') AS classes
FROM (SELECT DISTINCT name AS m FROM hbscore_models);
-- : a row for a JSON object, made of the features
SELECT json_group_object(name, NULL) FROM hbscore_features('titanic@1');
-- : names as they are: with quotes, a new line, or long; hbscore_inspect shows them for people
SELECT hbscore_register('named', readfile('demo/models/titanic.json'), json_object('features', json_array('a"b', 'a' || char(10) || 'b', printf('%0300d', 0), 'é', '\x22', 'e', 'f')));
SELECT name = 'a"b', name = 'a' || char(10) || 'b', length(name), name = '\x22' FROM hbscore_features('named') WHERE position <= 5;
-- S3: what a NULL does is what the column says
SELECT on_missing, group_concat(name) FROM hbscore_features('catboost') GROUP BY 1;
SELECT predict('catboost', 1, 'male', NULL, NULL, NULL, NULL, 'S') IS NULL, predict('catboost', 1, NULL, 2, 0, 0, 9, 'S') IS NULL;
SELECT DISTINCT on_missing FROM hbscore_features('strict') ORDER BY 1;
-- : classes have the type of their labels
SELECT m, c.position, c.label, typeof(c.label), c.type FROM (SELECT 'titanic@1' AS m UNION ALL VALUES ('codes'), ('floats'), ('booleans'), ('catboost')) AS x, hbscore_classes(m) AS c;
SELECT quote(label) FROM hbscore_classes('odd');
SELECT sum(predict_label('odd', 1, 'female', 29, 0, 0, 211.3375, 'S') = label) FROM hbscore_classes('odd');
SELECT count(*) FROM hbscore_classes('number');
-- S1: references that find nothing; what is no reference
SELECT * FROM hbscore_features('titanc');
SELECT * FROM hbscore_classes('titanic@7');
SELECT * FROM hbscore_features(NULL);
SELECT * FROM hbscore_classes(NULL);
SELECT * FROM hbscore_features;
SELECT * FROM hbscore_classes;
SELECT * FROM hbscore_features(readfile('demo/models/wine.ubj'));
SELECT * FROM hbscore_classes(5);
SELECT hbscore_drop('floats');
SELECT * FROM hbscore_classes('floats');

-- : the best classes in the order of the library's probabilities, which they carry to the last bit
CREATE TEMP TABLE wines AS SELECT w.*, e.*, json_array(alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols,
    flavanoids, nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines, proline) AS row
FROM wine AS w JOIN wine_expected AS e USING (id);
CREATE TEMP TABLE ranked AS SELECT id, class, p, row_number() OVER (PARTITION BY id ORDER BY p DESC, n) - 1 AS place FROM (
    SELECT id, 'barolo' AS class, p_barolo AS p, 1 AS n FROM wines UNION ALL SELECT id, 'grignolino', p_grignolino, 2 FROM wines
    UNION ALL SELECT id, 'barbera', p_barbera, 3 FROM wines);
SELECT k, count(*), sum(value ->> 'class' = class), sum(value ->> 'probability' = p)
FROM (SELECT value AS k FROM generate_series(1, 4)) AS s, wines AS w, json_each(predict_top('wine', k, row)) AS j JOIN ranked AS r ON r.id = w.id AND r.place = j.key GROUP BY k;
SELECT count(*) = sum(predict_top('wine', 1, row) ->> '$[0].class' = predict_label('wine', row)) FROM wines;
SELECT predict_top('wine', 2, row) FROM wines WHERE id = 1;
-- : all classes by their names
SELECT count(*), sum(p ->> 'barolo' = p_barolo), sum(p ->> 'grignolino' = p_grignolino), sum(p ->> 'barbera' = p_barbera), min(key_order), max(key_order)
FROM (SELECT *, (SELECT group_concat(key) FROM json_each(p)) AS key_order FROM (SELECT *, predict_probabilities('wine', row) AS p FROM wines));
SELECT predict_probabilities('wine', row) = predict_json('wine', row) -> 'probabilities' FROM wines WHERE id = 1;
SELECT w.id, key, round(value, 3) FROM wines AS w, json_each(predict_probabilities('wine', row)) WHERE w.id IN (1, 70) ORDER BY 1, 3 DESC;
-- : labels of every type, in the order of the classes where two are equal
SELECT m, predict_probabilities(m, 3, 'male', 22, 1, 0, 7.25, 'S'), predict_top(m, 2, 3, 'male', 22, 1, 0, 7.25, 'S')
FROM (SELECT 'titanic' AS m UNION ALL VALUES ('codes'), ('booleans'), ('odd'));
SELECT predict_top('even', 3, 0), predict_top('even', 2, 0), predict_probabilities('even', 0)
FROM (SELECT hbscore_register('even', CAST('{"hbscore": 1, "writer": {}, "task": "classifier", "features": [{"name": "x", "type": "f8"}], "classes": {"dtype": "str", "shape": [3], "data": ["c", "a", "b"]}, "ops": [{"op": "linear", "in": [0], "coef": {"dtype": "f8", "shape": [3, 1], "data": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}, "intercept": {"dtype": "f8", "shape": [3], "data": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}, {"op": "link", "in": [1], "kind": "softmax"}, {"op": "head", "in": [1, 2], "rule": "argmax"}]}' AS BLOB)));
-- : they are JSON for other functions
SELECT json_array(predict_top('codes', 1, '[3, "male", 22, 1, 0, 7.25, "S"]')), json_type(predict_probabilities('codes', '[3, "male", 22, 1, 0, 7.25, "S"]'));
-- : k may change from row to row, and the model too
SELECT k, json_array_length(predict_top('wine', k, row)) FROM wines, (SELECT value AS k FROM generate_series(1, 4)) AS s WHERE id = 1;
SELECT m, json_array_length(predict_top(m, 9, row)) FROM (SELECT 'wine' AS m, row FROM wines WHERE id = 1 UNION ALL SELECT 'titanic@1', '[3, "male", 22, 1, 0, 7.25, "S"]' UNION ALL SELECT 'wine', row FROM wines WHERE id = 2);
SELECT json_array_length(predict_top('wine', 9223372036854775807, row)), json_array_length(predict_top('wine', 2.0, row)) FROM wines WHERE id = 1;
-- S3: NULLs
SELECT predict_top(NULL, 1, 1, 2), predict_probabilities(NULL, 1), predict_top('wine', 1, NULL), predict_probabilities('wine', NULL), predict_top('catboost', 1, 1, NULL, 2, 0, 0, 9, 'S');
SELECT json_array_length(predict_top('titanic', 2, 3, 'male', NULL, NULL, NULL, NULL, NULL));
-- S2: what k must be
SELECT predict_top('wine', 0, row) FROM wines;
SELECT predict_top('wine', -1, row) FROM wines;
SELECT predict_top('wine', NULL, row) FROM wines;
SELECT predict_top('wine', 1.5, row) FROM wines;
SELECT predict_top('wine', '2', row) FROM wines;
SELECT predict_top('wine', x'01', row) FROM wines;
SELECT predict_top('wine');
SELECT predict_top();
SELECT predict_top('wine', 1);
SELECT predict_top('wine', 1, 2, 3);
SELECT predict_probabilities('wine');
-- : what a model cannot answer
SELECT predict_top('number', 1, 1, 2, 3, 4);
SELECT predict_probabilities('number', 1, 2, 3, 4);
-- : in a view and its condition
CREATE TEMP VIEW now AS SELECT id, predict_top('wine', 1, row) ->> '$[0].class' AS class FROM wines WHERE predict_top('wine', 1, row) ->> '$[0].probability' > 0.9;
SELECT class, count(*) FROM now GROUP BY 1;
