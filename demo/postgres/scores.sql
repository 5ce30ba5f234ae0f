-- Some scored rows, a deployment taken back, the accuracy, and the comparison with the training libraries' own scores.

\pset null .
\pset footer off
\echo
\echo 'The models are rows of a table:'
SELECT name, version, format, octet_length(model) AS bytes FROM hbscore.models ORDER BY created_at, name;

\echo 'Passengers of the Titanic that the model did not see in training (a dot: not known):'
SELECT id, pclass, sex, age, fare, embarked, fate,
    predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) AS predicted,
    round(predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked)::numeric, 4)
        AS p_survived
FROM titanic WHERE id IN (28, 327, 681, 853);

\echo 'A scan is scored in blocks of rows, by a node that stands in its plan:'
EXPLAIN (ANALYZE, COSTS OFF, SUMMARY OFF) SELECT count(*) FROM titanic AS t WHERE predict_label('titanic', t.*) = 'survived';

\echo 'A passenger by name, who is in no table:'
SELECT predict_json('titanic', '{"pclass": 1, "sex": "female", "age": 30, "sibsp": 0, "parch": 0, "fare": 80,
    "embarked": null}'::jsonb);

\echo 'Tumours and wines, from the test rows too:'
SELECT id, answer, label AS predicted, round(p_malignant::numeric, 4) AS p_malignant,
    round(p_benign::numeric, 4) AS p_benign
FROM cancer_scored WHERE id IN (23, 113, 250);
SELECT id, answer, label AS predicted, round(p_barolo::numeric, 4) AS p_barolo,
    round(p_grignolino::numeric, 4) AS p_grignolino, round(p_barbera::numeric, 4) AS p_barbera
FROM wine_scored WHERE id IN (32, 60, 157);

\echo 'Letters to a shop, scored by their words:'
SELECT id, letter, answer, label AS predicted, round(p_delivery::numeric, 4) AS p_delivery
FROM tickets_scored JOIN tickets USING (id, split) WHERE id IN (8, 52, 120);

\echo 'A typed function of a model, with the features as named arguments:'
SELECT hbscore.create_predict_function('titanic', 'fate_of');
SELECT fate_of(pclass => 3, sex => 'male', age => 22, sibsp => 1, parch => 0, fare => 7.25, embarked => 'S');

\echo 'A second version of titanic, with 40 of the 80 rounds, is deployed and rolled back (passenger 327):'
CREATE VIEW one AS SELECT predict_json('titanic', t.*) ->> 'model' AS model,
    predict_probability('titanic', 'survived', t.*) AS p_survived
FROM titanic AS t WHERE id = 327;
CREATE TABLE demo_deployed (step text, model text, p_survived float8);

SELECT hbscore.deploy('titanic', 1), hbscore.register('titanic', decode(:'titanic', 'base64'),
    options => '{"classes": ["died", "survived"], "rounds": 40}') \g /dev/null
INSERT INTO demo_deployed SELECT 'version 2 registered', * FROM one;
BEGIN;
SELECT hbscore.deploy('titanic', 2) \g /dev/null
ROLLBACK;
INSERT INTO demo_deployed SELECT 'deployment of version 2 rolled back', * FROM one;
SELECT hbscore.deploy('titanic', 2) \g /dev/null
INSERT INTO demo_deployed SELECT 'version 2 deployed', * FROM one;
SELECT hbscore.deploy('titanic', 1) \g /dev/null
INSERT INTO demo_deployed SELECT 'version 1 deployed again', * FROM one;
SELECT * FROM demo_deployed;

\echo 'Accuracy, the share of rows whose predicted class is the true one:'
SELECT model, count(*) FILTER (WHERE split = 'train') AS train_rows,
    round(avg((label = answer)::int) FILTER (WHERE split = 'train'), 4) AS train_accuracy,
    count(*) FILTER (WHERE split = 'test') AS test_rows,
    round(avg((label = answer)::int) FILTER (WHERE split = 'test'), 4) AS test_accuracy
FROM (SELECT 'titanic' AS model, split, answer, label FROM titanic_scored
    UNION ALL SELECT 'cancer', split, answer, label FROM cancer_scored
    UNION ALL SELECT 'wine', split, answer, label FROM wine_scored
    UNION ALL SELECT 'wine_lightgbm', split, answer, label FROM wine_lightgbm_scored
    UNION ALL SELECT 'titanic_catboost', split, answer, label FROM titanic_catboost_scored
    UNION ALL SELECT 'titanic_pipeline', split, answer, label FROM titanic_pipeline_scored
    UNION ALL SELECT 'tickets', split, answer, label FROM tickets_scored) AS scored
GROUP BY model ORDER BY test_rows DESC, model;

-- A row of XGBoost's models is equal if its label and every probability are: as doubles, with no tolerance. Of LightGBM's
-- and CatBoost's the label and the raw scores must be, of scikit-learn's pipeline the label, and the probabilities within
-- the stated distance, relative to the library's number.
CREATE FUNCTION near(a float8, b float8, distance float8) RETURNS boolean LANGUAGE sql
    RETURN abs(a - b) <= distance * b;
CREATE TABLE demo_check AS
SELECT 1 AS place, 'titanic' AS model, count(*) AS rows,
    count(*) FILTER (WHERE s.label = e.label AND s.p_died = e.p_died AND s.p_survived = e.p_survived) AS equal,
    ' scores equal the library''s stored output, to the last bit' AS what
FROM titanic LEFT JOIN titanic_scored AS s USING (id) LEFT JOIN titanic_expected AS e USING (id)
UNION ALL
SELECT 2, 'cancer', count(*),
    count(*) FILTER (WHERE s.label = e.label AND s.p_malignant = e.p_malignant AND s.p_benign = e.p_benign),
    ' scores equal the library''s stored output, to the last bit'
FROM cancer LEFT JOIN cancer_scored AS s USING (id) LEFT JOIN cancer_expected AS e USING (id)
UNION ALL
SELECT 3, 'wine', count(*),
    count(*) FILTER (WHERE s.label = e.label AND s.p_barolo = e.p_barolo AND s.p_grignolino = e.p_grignolino
        AND s.p_barbera = e.p_barbera),
    ' scores equal the library''s stored output, to the last bit'
FROM wine LEFT JOIN wine_scored AS s USING (id) LEFT JOIN wine_expected AS e USING (id)
UNION ALL
SELECT 4, 'wine_lightgbm', count(*),
    count(*) FILTER (WHERE s.label = e.label AND s.raw = e.raw AND near(s.p_barolo, e.p_barolo, 1e-15)
        AND near(s.p_grignolino, e.p_grignolino, 1e-15) AND near(s.p_barbera, e.p_barbera, 1e-15)),
    ' scores equal the library''s stored output: raw to the last bit, probabilities to 1e-15'
FROM wine LEFT JOIN wine_lightgbm_scored AS s USING (id) LEFT JOIN wine_lightgbm_expected AS e USING (id)
UNION ALL
SELECT 5, 'titanic_catboost', count(*),
    count(*) FILTER (WHERE s.label = e.label AND s.raw = e.raw AND near(s.p_died, e.p_died, 1e-12)
        AND near(s.p_survived, e.p_survived, 1e-12)),
    ' scores equal the library''s stored output: raw to the last bit, probabilities to 1e-12'
FROM titanic LEFT JOIN titanic_catboost_scored AS s USING (id) LEFT JOIN titanic_catboost_expected AS e USING (id)
UNION ALL
SELECT 6, 'titanic_pipeline', count(*),
    count(*) FILTER (WHERE s.label = e.label AND near(s.p_died, e.p_died, 1e-12)
        AND near(s.p_survived, e.p_survived, 1e-12)),
    ' scores equal the library''s stored output: labels all, probabilities to 1e-12'
FROM titanic LEFT JOIN titanic_pipeline_scored AS s USING (id) LEFT JOIN titanic_pipeline_expected AS e USING (id)
UNION ALL
SELECT 7, 'tickets', count(*),
    count(*) FILTER (WHERE s.label = e.label AND near(s.p_billing, e.p_billing, 1e-12)
        AND near(s.p_delivery, e.p_delivery, 1e-12) AND near(s.p_technical, e.p_technical, 1e-12)),
    ' scores of texts equal the library''s stored output: labels all, probabilities to 1e-12'
FROM tickets LEFT JOIN tickets_scored AS s USING (id) LEFT JOIN tickets_expected AS e USING (id);

-- Rows gathered by predict_agg give the bits of the calls; so do both deployments of version 1.
INSERT INTO demo_check
WITH blocks AS (
    SELECT predict_agg('wine_number', w.* ORDER BY id) AS gathered,
        array_agg(predict('wine_number', w.*) ORDER BY id) AS called
    FROM wine AS w)
SELECT 8, 'predict_agg', cardinality(called),
    (SELECT count(*) FROM unnest(gathered, called) AS u (a, b) WHERE a = b),
    ' rows as the calls of wine score them, to the last bit'
FROM blocks
UNION ALL
SELECT 9, 'deploy', count(*) FILTER (WHERE step <> 'version 2 deployed'),
    count(*) FILTER (WHERE model = 'titanic@1' AND p_survived = (SELECT p_survived FROM titanic_scored WHERE id = 327)),
    ' scores of version 1 before and after the roll-back are the same, to the last bit'
FROM demo_deployed;

\pset format unaligned
\pset tuples_only on
SELECT format('%-16s  %4s of %4s', model, lpad(equal::text, 4), lpad(rows::text, 4)) || what FROM demo_check
ORDER BY place;
SELECT count(*) FILTER (WHERE rows <> equal) AS differ FROM demo_check \gset
\if :differ
    \warn 'demo: scores differ: see the lines above'
    SELECT 1 / 0;
\endif
