-- The demo's models. The shell of psql reads the files, and the bytes go to the server as text in base64. XGBoost's and
-- LightGBM's files know classes by number only, so their names are given at registration; the others have them.

\pset format unaligned
\pset tuples_only on
\set titanic `base64 -w 0 demo/models/titanic.json`
\set cancer `base64 -w 0 demo/models/cancer.json`
\set wine `base64 -w 0 demo/models/wine.ubj`
\set wine_lightgbm `base64 -w 0 demo/models/wine_lightgbm.txt`
\set titanic_catboost `base64 -w 0 demo/models/titanic_catboost.json`
\set titanic_pipeline `base64 -w 0 demo/models/titanic_pipeline.json`
\set tickets `base64 -w 0 demo/models/tickets.json`

SELECT 'registered titanic, version ' || hbscore.register('titanic', decode(:'titanic', 'base64'),
    options => '{"classes": ["died", "survived"]}');
SELECT 'registered cancer, version ' || hbscore.register('cancer', decode(:'cancer', 'base64'),
    options => '{"classes": ["malignant", "benign"]}');
SELECT 'registered wine, version ' || hbscore.register('wine', decode(:'wine', 'base64'),
    options => '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT 'registered wine_lightgbm, version ' || hbscore.register('wine_lightgbm',
    decode(:'wine_lightgbm', 'base64'), options => '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT 'registered wine_number, version ' || hbscore.register('wine_number', decode(:'wine', 'base64'));
SELECT 'registered titanic_catboost, version ' || hbscore.register('titanic_catboost',
    decode(:'titanic_catboost', 'base64'));
SELECT 'registered titanic_pipeline, version ' || hbscore.register('titanic_pipeline',
    decode(:'titanic_pipeline', 'base64'));
SELECT 'registered tickets, version ' || hbscore.register('tickets', decode(:'tickets', 'base64'));
\pset tuples_only off
\pset format aligned

-- A whole row by the names of its columns: other columns are ignored.
CREATE VIEW titanic_scored AS SELECT id, split, fate AS answer, predict_label('titanic', t.*) AS label,
    predict_probability('titanic', 'died', t.*) AS p_died,
    predict_probability('titanic', 'survived', t.*) AS p_survived
FROM titanic AS t;

CREATE VIEW cancer_scored AS SELECT id, split, diagnosis AS answer, predict_label('cancer', c.*) AS label,
    predict_probability('cancer', 'malignant', c.*) AS p_malignant,
    predict_probability('cancer', 'benign', c.*) AS p_benign
FROM cancer AS c;

-- By position, in the order that the model was trained with.
CREATE VIEW wine_scored AS SELECT id, split, cultivar AS answer, label,
    p[1] AS p_barolo, p[2] AS p_grignolino, p[3] AS p_barbera
FROM wine, LATERAL (SELECT
    predict_label('wine', alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids,
        nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines, proline) AS label,
    predict_proba('wine', alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids,
        nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines, proline) AS p
    OFFSET 0) AS scored;

-- All of a row's scores at once, as an object.
CREATE VIEW wine_lightgbm_scored AS SELECT id, split, cultivar AS answer, scores ->> 'prediction' AS label,
    (scores -> 'probabilities' ->> 'barolo')::float8 AS p_barolo,
    (scores -> 'probabilities' ->> 'grignolino')::float8 AS p_grignolino,
    (scores -> 'probabilities' ->> 'barbera')::float8 AS p_barbera,
    scores -> 'decision' AS raw
FROM wine AS w, LATERAL (SELECT predict_json('wine_lightgbm', w.*) AS scores OFFSET 0) AS scored;

-- CatBoost takes no missing category: a port that is not known was "unknown" in training, too.
CREATE VIEW titanic_ports_known AS SELECT id, split, fate, pclass, sex, age, sibsp, parch, fare,
    coalesce(embarked, 'unknown') AS embarked
FROM titanic;

CREATE VIEW titanic_catboost_scored AS SELECT id, split, fate AS answer, scores ->> 'prediction' AS label,
    (scores -> 'probabilities' ->> 'died')::float8 AS p_died,
    (scores -> 'probabilities' ->> 'survived')::float8 AS p_survived,
    scores -> 'decision' AS raw
FROM titanic_ports_known AS t, LATERAL (SELECT predict_json('titanic_catboost', t.*) AS scores OFFSET 0) AS scored;

-- scikit-learn's pipeline: imputers and a scaler of the numbers, imputers and a one-hot encoder of the texts, then a
-- logistic regression.
CREATE VIEW titanic_pipeline_scored AS SELECT id, split, fate AS answer, predict_label('titanic_pipeline', t.*) AS label,
    predict_probability('titanic_pipeline', 'died', t.*) AS p_died,
    predict_probability('titanic_pipeline', 'survived', t.*) AS p_survived
FROM titanic AS t;

-- Words and pairs of words of a letter, weighted by TfidfVectorizer, then a logistic regression.
CREATE VIEW tickets_scored AS SELECT id, split, department AS answer, predict_label('tickets', letter) AS label,
    predict_probability('tickets', 'billing', letter) AS p_billing,
    predict_probability('tickets', 'delivery', letter) AS p_delivery,
    predict_probability('tickets', 'technical', letter) AS p_technical
FROM tickets;
