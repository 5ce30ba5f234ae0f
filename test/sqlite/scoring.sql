-- The scoring functions against what XGBoost itself gave for the demo's tables (demo/expected).
.nullvalue NULL
.read demo/tables.sql
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('codes', readfile('demo/models/titanic.json'));
SELECT hbscore_register('floats', readfile('demo/models/titanic.json'), '{"classes": [0.5, 1.5]}');
SELECT hbscore_register('booleans', readfile('demo/models/titanic.json'), '{"classes": [false, true]}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT hbscore_register('number', readfile('test/golden/xgboost/regressor_34.json'));
SELECT hbscore_register('targets', readfile('test/golden/xgboost/targets_in_leaf_34.json'));

-- : labels and probabilities of all rows, to the last bit
SELECT count(*), sum(predict('titanic', pclass, sex, age, sibsp, parch, fare, embarked) = label),
       sum(predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) = label),
       sum(predict_probability('titanic', 'died', pclass, sex, age, sibsp, parch, fare, embarked) = p_died),
       sum(predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked) = p_survived),
       sum(predict_probability('titanic', label, pclass, sex, age, sibsp, parch, fare, embarked) = max(p_died, p_survived)),
       sum(predict_proba('titanic', pclass, sex, age, sibsp, parch, fare, embarked) ->> 0 = p_died),
       sum(predict_proba('titanic', pclass, sex, age, sibsp, parch, fare, embarked) ->> 1 = p_survived)
FROM titanic JOIN titanic_expected USING (id);

-- : by name and by position as JSON, built by json_object, json_array or as text
CREATE TEMP TABLE rows AS SELECT t.*, p_survived,
    json_object('fare', fare, 'sex', sex, 'age', age, 'sibsp', sibsp, 'parch', parch, 'embarked', embarked,
                'pclass', pclass, 'id', id, 'cabin', json_array(1, 2)) AS named,
    json_array(pclass, sex, age, sibsp, parch, fare, embarked) AS placed
FROM titanic AS t JOIN titanic_expected USING (id);
SELECT count(*), sum(predict_probability('titanic', 'survived', named) = p_survived),
       sum(predict_probability('titanic', 'survived', placed) = p_survived),
       sum(predict_probability('titanic', 'survived', ' ' || char(9, 10, 13) || named) = p_survived),
       sum(predict_probability('titanic', 'survived',
           json_array(pclass, sex, age, sibsp, parch, fare, embarked)) = p_survived)
FROM rows;

-- : three classes
CREATE TEMP TABLE wines AS SELECT w.*, e.*, json_array(alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols,
    flavanoids, nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines, proline) AS row
FROM wine AS w JOIN wine_expected AS e USING (id);
SELECT count(*), sum(predict('wine', row) = label),
       sum(predict_probability('wine', 'barolo', row) = p_barolo),
       sum(predict_probability('wine', 'grignolino', row) = p_grignolino),
       sum(predict_probability('wine', 'barbera', row) = p_barbera),
       sum(json_array_length(predict_proba('wine', row))), sum(json_array_length(decision_function('wine', row))) FROM wines;

-- : a label has its own type
SELECT typeof(predict(m, placed)), predict(m, placed), predict_label(m, placed)
FROM rows, (SELECT 'titanic' AS m UNION ALL SELECT 'codes' UNION ALL SELECT 'floats' UNION ALL SELECT 'booleans') WHERE id = 1;

-- : a class is named by its label: a number, or the text of one
SELECT count(*) = sum(predict_probability('codes', 1, placed) = p_survived), count(*) = sum(predict_probability('codes', '1', placed) = p_survived),
       count(*) = sum(predict_probability('codes', 1.0, placed) = p_survived),
       count(*) = sum(predict_probability('floats', 1.5, placed) = p_survived),
       count(*) = sum(predict_probability('codes', 1 - (id % 2), placed) = CASE id % 2 WHEN 0 THEN p_survived ELSE 1 - p_survived END) FROM rows WHERE id = 2;
SELECT predict_probability('titanic', 'nobody', placed) FROM rows LIMIT 1;
SELECT predict_probability('codes', 7, placed) FROM rows LIMIT 1;
SELECT predict_probability('titanic', NULL, placed) FROM rows LIMIT 1;
SELECT predict_probability('titanic', x'00', placed) FROM rows LIMIT 1;

-- : a computed model and a class that stays: the class is looked up in each model anew
CREATE TEMP TABLE both AS SELECT 'wine' AS m, row, p_barbera AS p FROM wines WHERE id = 1
    UNION ALL SELECT 'titanic', placed, NULL FROM rows WHERE id = 1;
SELECT hbscore_register('wine2', readfile('demo/models/wine.ubj'), '{"classes": ["barbera", "grignolino", "barolo"]}');
SELECT predict_probability(m, 'barbera', row) = p, predict_probability(m || '2', 'barolo', row) = p
FROM both WHERE m = 'wine';
SELECT sum(predict_probability(m, 'barbera', row) = p)
FROM (SELECT 'wine' AS m, row, p_barbera AS p FROM wines UNION ALL SELECT 'wine2', row, p_barolo FROM wines ORDER BY row);
SELECT predict_probability(m, 'barbera', row) = p FROM both;

-- : one number, several outputs, raw scores
SELECT predict('number', 1, 2, 3, 4) = predict_json('number', 1, 2, 3, 4) ->> 'prediction', typeof(predict('number', 1, 2, 3, 4));
SELECT json_array_length(predict_values('targets', 1, 2, 3, 4)), decision_function('targets', 1, 2, 3, 4) = predict_values('targets', 1, 2, 3, 4);

-- : one object
SELECT json_remove(predict_json('titanic', placed), '$.decision') FROM rows WHERE id = 1;
SELECT json_type(predict_json('titanic', placed)), (SELECT group_concat(key) FROM json_each(predict_json('targets@1', 1, 2, 3, 4))) FROM rows WHERE id = 1;

-- : results that are JSON are JSON for SQLite too
SELECT json_array(predict_values('targets', 1, 2, 3, 4)) = '[' || predict_values('targets', 1, 2, 3, 4) || ']',
       json_object('r', predict_json('number', 1, 2, 3, 4)) -> '$.r' = predict_json('number', 1, 2, 3, 4);

-- : what a model cannot answer
SELECT predict_label('number', 1, 2, 3, 4);
SELECT predict_proba('number', 1, 2, 3, 4);
SELECT predict_probability('number', 1, 1, 2, 3, 4);
SELECT predict_values('number', 1, 2, 3, 4);
SELECT predict('targets', 1, 2, 3, 4);
