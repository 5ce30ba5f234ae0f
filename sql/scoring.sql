-- The scoring functions against what the training libraries gave for all rows of the demo's tables (demo/expected).

-- : XGBoost, two classes: labels and probabilities to the last bit (its files hold float32, printed with 17 digits)
SELECT count(*),
    sum((predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) = label)::int) AS labels,
    sum((predict_probability('titanic', 'died', pclass, sex, age, sibsp, parch, fare, embarked) = p_died)::int) AS died,
    sum((predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked) = p_survived)::int) AS survived,
    sum((predict_probability('titanic', label, pclass, sex, age, sibsp, parch, fare, embarked)
        = greatest(p_died, p_survived))::int) AS of_label,
    sum((predict_proba('titanic', pclass, sex, age, sibsp, parch, fare, embarked) = ARRAY[p_died, p_survived])::int) AS proba
FROM titanic JOIN titanic_expected USING (id);
-- : the whole row, by name
SELECT count(*), sum((predict_label('cancer', c.*) = label)::int) AS labels,
    sum((predict_proba('cancer', c.*) = ARRAY[p_malignant, p_benign])::int) AS proba,
    sum((predict_probability('cancer', 'benign', c.*) = p_benign)::int) AS benign
FROM cancer AS c JOIN cancer_expected USING (id);
-- : three classes
SELECT count(*), sum((predict_label('wine', w.*) = label)::int) AS labels,
    sum((predict_proba('wine', w.*) = ARRAY[p_barolo, p_grignolino, p_barbera])::int) AS proba,
    sum(cardinality(decision_function('wine', w.*))) AS margins
FROM wine AS w JOIN wine_expected USING (id);
-- : LightGBM and CatBoost: raw scores to the last bit, probabilities within 1e-12
-- (CatBoost takes no NULL as a category; its answers are those for the text 'unknown')
SELECT count(*), sum((predict_label('wine_lightgbm', w.*) = label)::int) AS labels,
    sum((to_jsonb(decision_function('wine_lightgbm', w.*)) = raw)::int) AS raw,
    sum((abs(predict_probability('wine_lightgbm', 'barbera', w.*) / p_barbera - 1) <= 1e-12)::int) AS barbera
FROM wine AS w JOIN wine_lightgbm_expected USING (id);
SELECT count(*), sum((predict_label('titanic_catboost', t.*) = label)::int) AS labels,
    sum((to_jsonb(decision_function('titanic_catboost', t.*)) = raw)::int) AS raw,
    sum((abs(predict_probability('titanic_catboost', 'survived', t.*) / p_survived - 1) <= 1e-12)::int) AS survived
FROM (SELECT id, pclass, sex, age, sibsp, parch, fare, coalesce(embarked, 'unknown') AS embarked FROM titanic) AS t
    JOIN titanic_catboost_expected USING (id);
SELECT id, predict_label('titanic_catboost', t.*) FROM titanic AS t WHERE embarked IS NULL ORDER BY id;
-- : a pipeline of scikit-learn: text columns, imputers, encoders
SELECT count(*), sum((predict_label('titanic_pipeline', t.*) = label)::int) AS labels,
    sum((abs(predict_probability('titanic_pipeline', 'died', t.*) / p_died - 1) <= 1e-12)::int) AS died
FROM titanic AS t JOIN titanic_pipeline_expected USING (id);

-- : the first passenger, as she is in demo/expected/titanic.csv
SELECT predict_label('titanic', 1, 'female', 29.0, 0, 0, 211.3375, 'S'),
    predict_proba('titanic', 1, 'female', 29.0, 0, 0, 211.3375, 'S'),
    predict_probability('titanic', 'survived', 1, 'female', 29.0, 0, 0, 211.3375, 'S');
SELECT predict_json('titanic', 1, 'female', 29.0, 0, 0, 211.3375, 'S') - 'decision';
SELECT jsonb_object_keys(predict_json('titanic', 1, 'female', 29.0, 0, 0, 211.3375, 'S'));

-- : all classes by their labels, to the last bit
SELECT count(*), sum(((p ->> 'barolo')::float8 = p_barolo)::int) AS barolo, sum(((p ->> 'grignolino')::float8 = p_grignolino)::int) AS grignolino,
    sum(((p ->> 'barbera')::float8 = p_barbera)::int) AS barbera, sum((p = predict_json('wine', w.*) -> 'probabilities')::int) AS json
FROM wine AS w JOIN wine_expected USING (id), LATERAL (SELECT predict_probabilities('wine', w.*) AS p OFFSET 0) AS scored;
SELECT c.key, c.value FROM titanic AS t, jsonb_each(predict_probabilities('titanic', t.*)) AS c WHERE id = 1 ORDER BY c.value DESC;
-- : the best classes, in the order of the library's probabilities
CREATE TEMP TABLE ranked AS SELECT id, jsonb_agg(jsonb_build_object('class', class, 'probability', p) ORDER BY p DESC, n) AS classes
FROM (SELECT id, c.* FROM wine_expected, LATERAL (VALUES ('barolo', p_barolo, 1), ('grignolino', p_grignolino, 2), ('barbera', p_barbera, 3)) AS c (class, p, n)) AS all_classes GROUP BY id;
SELECT count(*), sum((predict_top('wine', 3, w.*) = classes)::int) AS three, sum((predict_top('wine', 4, w.*) = classes)::int) AS more,
    sum((predict_top('wine', 2, w.*) = classes - 2)::int) AS two, sum((predict_top('wine', 1, w.*) = jsonb_build_array(classes -> 0))::int) AS one,
    sum((predict_top('wine', 1, w.*) -> 0 ->> 'class' = predict_label('wine', w.*))::int) AS label
FROM wine AS w JOIN ranked USING (id);
SELECT c.class, round(c.probability::numeric, 6) AS probability FROM wine AS w, jsonb_to_recordset(predict_top('wine', 2, w.*)) AS c (class text, probability float8) WHERE id = 1;
-- : k of every type of a whole number, from each row, of a parameter, of a sub-query
SELECT jsonb_array_length(predict_top('wine', 2::int2, w.*)) AS small, jsonb_array_length(predict_top('wine', 9223372036854775807, w.*)) AS most,
    jsonb_array_length(predict_top('wine', '2', w.*)) AS literal, jsonb_array_length(predict_top('wine', (SELECT count(*) FROM hbscore.classes('wine')), w.*)) AS counted
FROM wine AS w WHERE id = 1;
SELECT sum(jsonb_array_length(predict_top('wine', id, w.*))) AS from_row, sum(jsonb_array_length(predict_top('wine', 1 + id % 2, w.*))) AS one_or_two FROM wine AS w;
PREPARE best (int) AS SELECT count(*), sum(jsonb_array_length(predict_top('wine', $1, w.*))) FROM wine AS w;
EXECUTE best (1);
EXECUTE best (3);
EXECUTE best (0);
EXECUTE best (NULL);
DEALLOCATE best;
-- : as an array, a row, JSON
SELECT predict_top('titanic', 1, t.*) = predict_top('titanic', 1, to_jsonb(t)) AS object, predict_top('titanic', 1, t.*) = predict_top('titanic', 1, ROW(pclass, sex, age, sibsp, parch, fare, embarked)) AS row,
    predict_probabilities('titanic', t.*) = predict_probabilities('titanic', pclass, sex, age, sibsp, parch, fare, embarked) AS scalars FROM titanic AS t WHERE id = 1;
SELECT predict_top('cancer', 1, VARIADIC a) = predict_top('cancer', 1, a) AS array FROM (SELECT array_agg(n::float8) AS a FROM generate_series(1, 30) AS n) AS x;
-- S3: NULLs
SELECT predict_top(NULL, 1, 2), predict_probabilities(NULL, 1), predict_top('wine', 1, NULL::jsonb), predict_probabilities('wine', NULL::float8[]), predict_top('titanic_catboost', 1, 1, NULL, 2, 0, 0, 9, 'S');

-- : a number; several outputs; what a pipeline hands to its last step
SELECT predict('number', 1, 2, 3, 4) = (predict_json('number', 1, 2, 3, 4) ->> 'prediction')::float8 AS same,
    jsonb_object_keys(predict_json('number', 1, 2, 3, 4));
SELECT cardinality(predict_values('targets', 1, 2, 3, 4)),
    predict_values('targets', 1, 2, 3, 4) = decision_function('targets', 1, 2, 3, 4) AS raw,
    to_jsonb(predict_values('targets', 1, 2, 3, 4)) = predict_json('targets', 1, 2, 3, 4) -> 'values' AS json;
SELECT cardinality(transform('titanic_pipeline', t.*)), transform('titanic_pipeline', t.*) FROM titanic AS t WHERE id = 1;

-- : a label has the type that it was trained with; predict gives it as a number where it is one
SELECT hbscore.register('codes', file('demo/models/titanic.json'));
SELECT hbscore.register('floats', file('demo/models/titanic.json'), options => '{"classes": [0.5, 1.5]}');
SELECT hbscore.register('booleans', file('demo/models/titanic.json'), options => '{"classes": [false, true]}');
SELECT m, predict(m, t.*), predict_label(m, t.*), predict_json(m, t.*) -> 'prediction' AS json,
    predict_json(m, t.*) -> 'probabilities' AS probabilities, predict_top(m, 1, t.*) AS top
FROM titanic AS t, unnest('{codes,floats,booleans}'::text[]) AS m WHERE id = 1;
SELECT predict('titanic', t.*) FROM titanic AS t;

-- : a class is named by its label, of whatever type: a number, the text of one, a boolean
SELECT p = predict_probability('codes', 1, t.*) AS whole, p = predict_probability('codes', '1', t.*) AS text,
    p = predict_probability('codes', 1.0, t.*) AS numeric, p = predict_probability('codes', 1::float4, t.*) AS float4,
    p = predict_probability('floats', 1.5, t.*) AS half, p = predict_probability('booleans', true, t.*) AS truth,
    p = predict_probability('booleans', 'true', t.*) AS word
FROM titanic AS t, predict_probability('titanic', 'survived', t.*) AS p WHERE id = 1;
-- : a class that changes from row to row
SELECT sum((predict_probability('codes', id % 2, t.*) = CASE id % 2 WHEN 1 THEN p_survived ELSE p_died END)::int)
FROM titanic AS t JOIN titanic_expected USING (id);
-- : a model that changes from row to row, and one class that is another in each
SELECT hbscore.register('wine_turned', file('demo/models/wine.ubj'), options => '{"classes": ["barbera", "grignolino", "barolo"]}');
SELECT sum((predict_probability(m, 'barbera', w.*) = CASE m WHEN 'wine' THEN p_barbera ELSE p_barolo END)::int), count(*)
FROM wine AS w JOIN wine_expected USING (id), unnest('{wine,wine_turned}'::text[]) AS m;
-- : more models in a statement than a call keeps ready
SELECT sum(hbscore.register('many' || n, file('demo/models/wine.ubj'), options => jsonb_build_object('rounds', n)))
FROM generate_series(1, 12) AS n;
SELECT sum((predict_proba('many' || n, w.*) = CASE n WHEN 1 THEN predict_proba('many1', w.*) WHEN 12 THEN predict_proba('many12', w.*)
    ELSE predict_proba('many' || n || '@1', w.*) END)::int), count(DISTINCT predict_proba('many' || n, w.*)) > 12 AS several
FROM wine AS w, generate_series(1, 12) AS n;
SELECT sum(hbscore.drop('many' || n)) FROM generate_series(1, 12) AS n;

-- : in every clause
SELECT id FROM wine AS w WHERE predict_label('wine', w.*) <> cultivar ORDER BY id;
SELECT predict_label('wine', w.*) AS cultivar, count(*) FROM wine AS w GROUP BY 1 ORDER BY 1;
SELECT id FROM titanic AS t ORDER BY predict_probability('titanic', 'survived', t.*) DESC, id LIMIT 3;
SELECT id FROM titanic_expected ORDER BY p_survived DESC, id LIMIT 3;
SELECT cultivar, max(predict_probability('wine', 'barolo', w.*)) > 0.9 AS sure FROM wine AS w GROUP BY cultivar
    HAVING avg(predict_probability('wine', 'barolo', w.*)) < 0.5 ORDER BY 1;
SELECT id, rank() OVER (PARTITION BY cultivar ORDER BY predict_probability('wine', 'barolo', w.*)) AS place
FROM wine AS w ORDER BY 2 DESC, 1 LIMIT 2;

-- S6: in CASE and COALESCE only where they are reached
SELECT CASE WHEN id < 0 THEN predict('no such model', t.*) ELSE -1 END FROM titanic AS t WHERE id = 1;
SELECT coalesce(-1, predict('no such model', 1));
SELECT predict('no such model', t.*) FROM titanic AS t WHERE id < 0;

-- : what a model cannot answer, with what can
SELECT predict_label('number', 1, 2, 3, 4);
SELECT predict_proba('number', 1, 2, 3, 4);
SELECT predict_probability('number', 1, 1, 2, 3, 4);
SELECT predict_probabilities('number', 1, 2, 3, 4);
SELECT predict_top('number', 1, 1, 2, 3, 4);
SELECT predict_top('targets', 1, 1, 2, 3, 4);
SELECT predict_values('number', 1, 2, 3, 4);
SELECT predict('targets', 1, 2, 3, 4);
SELECT transform('number', 1, 2, 3, 4);
SELECT predict_probability('titanic', 'nobody', t.*) FROM titanic AS t;
SELECT predict_probability('codes', 7, t.*) FROM titanic AS t;
SELECT predict_probability('codes', NULL, t.*) FROM titanic AS t;
SELECT predict_probability('codes', '2026-01-01'::date, t.*) FROM titanic AS t;
SELECT predict_probability('codes', '{1}'::int[], t.*) FROM titanic AS t;
SELECT predict_probability('codes', numeric '1e400', t.*) FROM titanic AS t;

-- S2: what k must be
SELECT predict_top('wine', 0, w.*) FROM wine AS w;
SELECT predict_top('wine', -1, w.*) FROM wine AS w;
SELECT predict_top('wine', NULL, w.*) FROM wine AS w;
SELECT predict_top('wine', 1.5, w.*) FROM wine AS w;
SELECT predict_top('wine', id - 5, w.*) FROM wine AS w;

-- W9: a label with a NUL, which no text can hold, is an error and not the label that ends before it
SELECT hbscore.register('nul', convert_to('{"hbscore": 1, "writer": {}, "task": "classifier", "features": [{"name": "x", "type": "f8"}], "classes": {"dtype": "str", "shape": [2], "data": ["a\u0000b", "c"]}, "ops": [{"op": "linear", "in": [0], "coef": {"dtype": "f8", "shape": [1, 1], "data": "AAAAAAAA8D8="}, "intercept": {"dtype": "f8", "shape": [1], "data": "AAAAAAAAAAA="}}, {"op": "link", "in": [1], "kind": "sigmoid"}, {"op": "head", "in": [1, 2], "rule": "gt0"}]}', 'UTF8'));
SELECT predict_label('nul', -1);
SELECT predict_label('nul', id) FROM titanic;
SELECT predict_json('nul', 1);
SELECT predict_probabilities('nul', 1);
SELECT predict_top('nul', 1, 1);
SELECT * FROM hbscore.classes('nul');
SELECT predict_probability('nul', 'c', 1) > 0.5 AS c, predict_probability('nul', 'a', 1) AS a;
SELECT predict_probability('nul', 'c', 1) > 0.5 AS c, cardinality(predict_proba('nul', 1)) AS classes;
SELECT sum(hbscore.drop(m)) FROM unnest('{codes,floats,booleans,wine_turned,nul}'::text[]) AS m;
