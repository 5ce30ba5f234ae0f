-- Some scored rows, a deployment taken back, the accuracy, and the comparison with the training
-- libraries' own scores.

.mode box
.nullvalue "."
.print
.print The models are rows of the database file that holds the data:
SELECT name, version, format, length(model) AS bytes FROM hbscore_models;

.print
.print Passengers of the Titanic that the model did not see in training (a dot: not known):
SELECT id, pclass, sex, age, fare, embarked, fate,
    predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) AS predicted,
    round(predict_probability('titanic', 'survived',
        pclass, sex, age, sibsp, parch, fare, embarked), 4) AS p_survived
FROM titanic WHERE id IN (28, 327, 681, 853);

.print
.print A passenger by name, who is in no table:
.mode list
SELECT predict_json('titanic', '{"pclass": 1, "sex": "female", "age": 30, "sibsp": 0, "parch": 0,
    "fare": 80, "embarked": null}');
.mode box

.print
.print Tumours and wines, from the test rows too:
SELECT id, answer, label AS predicted,
    round(p_malignant, 4) AS p_malignant, round(p_benign, 4) AS p_benign
FROM cancer_scored WHERE id IN (23, 113, 250);
SELECT id, answer, label AS predicted, round(p_barolo, 4) AS p_barolo,
    round(p_grignolino, 4) AS p_grignolino, round(p_barbera, 4) AS p_barbera
FROM wine_scored WHERE id IN (32, 60, 157);

.print
.print Letters to a shop, by their words:
SELECT id, letter, answer, label AS predicted, round(p_billing, 4) AS p_billing,
    round(p_delivery, 4) AS p_delivery, round(p_technical, 4) AS p_technical
FROM tickets_scored JOIN tickets USING (id) WHERE id IN (8, 52, 120);

.print
.print In bulk, by hbscore_scan: the surest mistakes of CatBoost's model among its test rows:
SELECT t.id, t.pclass, t.sex, t.age, t.fare, t.fate, s.prediction,
    round(s.probability, 4) AS probability
FROM hbscore_scan('titanic_catboost',
    'SELECT * FROM titanic_ports_known WHERE split = ''test''') AS s JOIN titanic AS t ON t.id = s.key
WHERE s.prediction <> t.fate ORDER BY s.probability DESC LIMIT 3;

.print
.print A virtual table over wine, with its columns and the scores: the wines that it is least sure of:
SELECT id, cultivar, alcohol, hue, prediction, round(probability, 4) AS probability
FROM wine_live WHERE split = 'test' ORDER BY probability LIMIT 3;

.print
.print A second version of titanic, with 40 of the 80 rounds, is deployed and taken back (passenger 327):
CREATE TABLE demo_deployed (step TEXT, model TEXT, p_survived REAL);
CREATE TEMP VIEW one AS SELECT predict_json('titanic', pclass, sex, age, sibsp, parch, fare,
    embarked) ->> '$.model' AS model, predict_probability('titanic', 'survived', pclass, sex, age,
    sibsp, parch, fare, embarked) AS p_survived
FROM titanic WHERE id = 327;

.mode list
.once /dev/null
SELECT hbscore_deploy('titanic', 1), hbscore_register('titanic',
    readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"], "rounds": 40}');
INSERT INTO demo_deployed SELECT 'version 2 registered', * FROM one;
.once /dev/null
SELECT hbscore_deploy('titanic', 2);
INSERT INTO demo_deployed SELECT 'version 2 deployed', * FROM one;
.once /dev/null
SELECT hbscore_deploy('titanic', 1);
INSERT INTO demo_deployed SELECT 'version 1 deployed again', * FROM one;
.mode box
SELECT * FROM demo_deployed;

.print
.print Accuracy, the share of rows whose predicted class is the true one:
SELECT model, sum(split = 'train') AS train_rows,
    round(avg(label = answer) FILTER (WHERE split = 'train'), 4) AS train_accuracy,
    sum(split = 'test') AS test_rows,
    round(avg(label = answer) FILTER (WHERE split = 'test'), 4) AS test_accuracy
FROM (SELECT 'titanic' AS model, split, answer, label FROM titanic_scored
    UNION ALL SELECT 'cancer', split, answer, label FROM cancer_scored
    UNION ALL SELECT 'wine', split, answer, label FROM wine_scored
    UNION ALL SELECT 'wine_lightgbm', split, answer, label FROM wine_lightgbm_scored
    UNION ALL SELECT 'titanic_catboost', split, answer, label FROM titanic_catboost_scored
    UNION ALL SELECT 'titanic_pipeline', split, answer, label FROM titanic_pipeline_scored
    UNION ALL SELECT 'tickets', split, answer, label FROM tickets_scored)
GROUP BY model ORDER BY test_rows DESC, model;

-- A row of XGBoost's models is equal if its label and every probability are: as doubles, with no
-- tolerance. Of LightGBM's and CatBoost's the label and the raw scores must be (as texts: one for
-- each double), of scikit-learn's pipeline the label, and the probabilities within the stated
-- distance, relative to the library's number.
CREATE TABLE demo_check AS
SELECT 'titanic' AS model, count(*) AS rows,
    total(s.label = e.label AND s.p_died = e.p_died AND s.p_survived = e.p_survived) AS equal,
    ' scores equal the library''s stored output, to the last bit' AS what
FROM titanic LEFT JOIN titanic_scored AS s USING (id) LEFT JOIN titanic_expected AS e USING (id)
UNION ALL
SELECT 'cancer', count(*),
    total(s.label = e.label AND s.p_malignant = e.p_malignant AND s.p_benign = e.p_benign),
    ' scores equal the library''s stored output, to the last bit'
FROM cancer LEFT JOIN cancer_scored AS s USING (id) LEFT JOIN cancer_expected AS e USING (id)
UNION ALL
SELECT 'wine', count(*),
    total(s.label = e.label AND s.p_barolo = e.p_barolo AND s.p_grignolino = e.p_grignolino
        AND s.p_barbera = e.p_barbera),
    ' scores equal the library''s stored output, to the last bit'
FROM wine LEFT JOIN wine_scored AS s USING (id) LEFT JOIN wine_expected AS e USING (id)
UNION ALL
SELECT 'wine_lightgbm', count(*),
    total(s.label = e.label AND s.raw = e.raw
        AND abs(s.p_barolo - e.p_barolo) <= 1e-15 * e.p_barolo
        AND abs(s.p_grignolino - e.p_grignolino) <= 1e-15 * e.p_grignolino
        AND abs(s.p_barbera - e.p_barbera) <= 1e-15 * e.p_barbera),
    ' scores equal the library''s stored output: raw to the last bit, probabilities to 1e-15'
FROM wine LEFT JOIN wine_lightgbm_scored AS s USING (id)
    LEFT JOIN wine_lightgbm_expected AS e USING (id)
UNION ALL
SELECT 'titanic_catboost', count(*),
    total(s.label = e.label AND s.raw = e.raw
        AND abs(s.p_died - e.p_died) <= 1e-12 * e.p_died
        AND abs(s.p_survived - e.p_survived) <= 1e-12 * e.p_survived),
    ' scores equal the library''s stored output: raw to the last bit, probabilities to 1e-12'
FROM titanic LEFT JOIN titanic_catboost_scored AS s USING (id)
    LEFT JOIN titanic_catboost_expected AS e USING (id)
UNION ALL
SELECT 'titanic_pipeline', count(*),
    total(s.label = e.label AND abs(s.p_died - e.p_died) <= 1e-12 * e.p_died
        AND abs(s.p_survived - e.p_survived) <= 1e-12 * e.p_survived),
    ' scores equal the library''s stored output: labels all, probabilities to 1e-12'
FROM titanic LEFT JOIN titanic_pipeline_scored AS s USING (id)
    LEFT JOIN titanic_pipeline_expected AS e USING (id)
UNION ALL
SELECT 'tickets', count(*),
    total(s.label = e.label AND abs(s.p_billing - e.p_billing) <= 1e-12 * e.p_billing
        AND abs(s.p_delivery - e.p_delivery) <= 1e-12 * e.p_delivery
        AND abs(s.p_technical - e.p_technical) <= 1e-12 * e.p_technical),
    ' scores of texts equal the library''s stored output: labels all, probabilities to 1e-12'
FROM tickets LEFT JOIN tickets_scored AS s USING (id) LEFT JOIN tickets_expected AS e USING (id);

-- The same pipeline as an ONNX file, which computes in float32: all labels are those of the pipeline.
INSERT INTO demo_check
SELECT 'titanic_onnx', count(*),
    total(predict('titanic_onnx', pclass, sex, age, sibsp, parch, fare, embarked) = s.label
        AND abs(predict_probability('titanic_onnx', 'died', pclass, sex, age, sibsp, parch, fare, embarked)
            - s.p_died) <= 1e-5),
    ' rows as titanic_pipeline scores them: labels all, probabilities to 1e-5'
FROM titanic LEFT JOIN titanic_pipeline_scored AS s USING (id);

-- And the other two ways to score give the bits of the calls, row by row. The scan is materialized:
-- on the right of a LEFT JOIN its query would run again for each row on the left.
INSERT INTO demo_check
WITH bulk AS MATERIALIZED (SELECT key, prediction, probability
    FROM hbscore_scan('titanic_catboost', 'SELECT * FROM titanic_ports_known'))
SELECT 'hbscore_scan', count(*), total(s.prediction = predict('titanic_catboost', pclass, sex, age,
        sibsp, parch, fare, embarked)
    AND s.probability = predict_probability('titanic_catboost', s.prediction, pclass, sex, age,
        sibsp, parch, fare, embarked)),
    ' rows as the calls of titanic_catboost score them, to the last bit'
FROM titanic_ports_known AS t LEFT JOIN bulk AS s ON s.key = t.id
UNION ALL
SELECT 'virtual table', count(*), total(v.prediction = s.label
    AND v.probability = max(s.p_barolo, s.p_grignolino, s.p_barbera)),
    ' rows as the calls of wine score them, to the last bit'
FROM wine_scored AS s LEFT JOIN wine_live AS v USING (id)
UNION ALL
SELECT 'hbscore_deploy', count(*) FILTER (WHERE step <> 'version 2 deployed'),
    total(model = 'titanic@1' AND p_survived =
        (SELECT p_survived FROM titanic_scored WHERE id = 327)),
    ' scores of version 1 before and after the roll-back are the same, to the last bit'
FROM demo_deployed;

.mode list
.print
SELECT printf('%-16s  %4d of %4d', model, equal, rows) || what FROM demo_check;
