-- Some scored rows, the accuracy, and the comparison with the training library's own scores.

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
.print Accuracy, the share of rows whose predicted class is the true one:
SELECT model, sum(split = 'train') AS train_rows,
    round(avg(label = answer) FILTER (WHERE split = 'train'), 4) AS train_accuracy,
    sum(split = 'test') AS test_rows,
    round(avg(label = answer) FILTER (WHERE split = 'test'), 4) AS test_accuracy
FROM (SELECT 'titanic' AS model, split, answer, label FROM titanic_scored
    UNION ALL SELECT 'cancer', split, answer, label FROM cancer_scored
    UNION ALL SELECT 'wine', split, answer, label FROM wine_scored)
GROUP BY model ORDER BY test_rows DESC;

-- A row is equal if its label and every probability are: as doubles, with no tolerance.
CREATE TABLE demo_check AS
SELECT 'titanic' AS model, count(*) AS rows,
    total(s.label = e.label AND s.p_died = e.p_died AND s.p_survived = e.p_survived) AS equal
FROM titanic LEFT JOIN titanic_scored AS s USING (id) LEFT JOIN titanic_expected AS e USING (id)
UNION ALL
SELECT 'cancer', count(*),
    total(s.label = e.label AND s.p_malignant = e.p_malignant AND s.p_benign = e.p_benign)
FROM cancer LEFT JOIN cancer_scored AS s USING (id) LEFT JOIN cancer_expected AS e USING (id)
UNION ALL
SELECT 'wine', count(*),
    total(s.label = e.label AND s.p_barolo = e.p_barolo AND s.p_grignolino = e.p_grignolino
        AND s.p_barbera = e.p_barbera)
FROM wine LEFT JOIN wine_scored AS s USING (id) LEFT JOIN wine_expected AS e USING (id);

.mode list
.print
SELECT printf('%-7s  %4d of %4d scores equal the library''s stored output, to the last bit',
    model, equal, rows)
FROM demo_check;
