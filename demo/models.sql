-- The demo's models, and a view for each that scores its table. Features go in by position here, in
-- the order that the model was trained with. XGBoost's and LightGBM's files know classes by number
-- only, so their names are given at registration; the others have them.

SELECT 'registered titanic, version '
    || hbscore_register('titanic', readfile('demo/models/titanic.json'),
        '{"classes": ["died", "survived"]}');
SELECT 'registered cancer, version '
    || hbscore_register('cancer', readfile('demo/models/cancer.json'),
        '{"classes": ["malignant", "benign"]}');
SELECT 'registered wine, version '
    || hbscore_register('wine', readfile('demo/models/wine.ubj'),
        '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT 'registered wine_lightgbm, version '
    || hbscore_register('wine_lightgbm', readfile('demo/models/wine_lightgbm.txt'),
        '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT 'registered titanic_catboost, version '
    || hbscore_register('titanic_catboost', readfile('demo/models/titanic_catboost.json'));
SELECT 'registered titanic_pipeline, version '
    || hbscore_register('titanic_pipeline', readfile('demo/models/titanic_pipeline.json'));
SELECT 'registered titanic_onnx, version '
    || hbscore_register('titanic_onnx', readfile('demo/models/titanic.onnx'), '{"missing_text": "S"}');
SELECT 'registered tickets, version '
    || hbscore_register('tickets', readfile('demo/models/tickets.json'));

CREATE VIEW titanic_scored AS SELECT id, split, fate AS answer,
    predict_label('titanic',
        pclass, sex, age, sibsp, parch, fare, embarked) AS label,
    predict_probability('titanic', 'died',
        pclass, sex, age, sibsp, parch, fare, embarked) AS p_died,
    predict_probability('titanic', 'survived',
        pclass, sex, age, sibsp, parch, fare, embarked) AS p_survived
FROM titanic;

CREATE VIEW cancer_scored AS SELECT id, split, diagnosis AS answer,
    predict_label('cancer',
        mean_radius, mean_texture, mean_perimeter, mean_area, mean_smoothness, mean_compactness,
        mean_concavity, mean_concave_points, mean_symmetry, mean_fractal_dimension, radius_error,
        texture_error, perimeter_error, area_error, smoothness_error, compactness_error,
        concavity_error, concave_points_error, symmetry_error, fractal_dimension_error,
        worst_radius, worst_texture, worst_perimeter, worst_area, worst_smoothness,
        worst_compactness, worst_concavity, worst_concave_points, worst_symmetry,
        worst_fractal_dimension) AS label,
    predict_probability('cancer', 'malignant',
        mean_radius, mean_texture, mean_perimeter, mean_area, mean_smoothness, mean_compactness,
        mean_concavity, mean_concave_points, mean_symmetry, mean_fractal_dimension, radius_error,
        texture_error, perimeter_error, area_error, smoothness_error, compactness_error,
        concavity_error, concave_points_error, symmetry_error, fractal_dimension_error,
        worst_radius, worst_texture, worst_perimeter, worst_area, worst_smoothness,
        worst_compactness, worst_concavity, worst_concave_points, worst_symmetry,
        worst_fractal_dimension) AS p_malignant,
    predict_probability('cancer', 'benign',
        mean_radius, mean_texture, mean_perimeter, mean_area, mean_smoothness, mean_compactness,
        mean_concavity, mean_concave_points, mean_symmetry, mean_fractal_dimension, radius_error,
        texture_error, perimeter_error, area_error, smoothness_error, compactness_error,
        concavity_error, concave_points_error, symmetry_error, fractal_dimension_error,
        worst_radius, worst_texture, worst_perimeter, worst_area, worst_smoothness,
        worst_compactness, worst_concavity, worst_concave_points, worst_symmetry,
        worst_fractal_dimension) AS p_benign
FROM cancer;

CREATE VIEW wine_scored AS SELECT id, split, cultivar AS answer,
    predict('wine',
        alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids,
        nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines,
        proline) AS label,
    predict_probability('wine', 'barolo',
        alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids,
        nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines,
        proline) AS p_barolo,
    predict_probability('wine', 'grignolino',
        alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids,
        nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines,
        proline) AS p_grignolino,
    predict_probability('wine', 'barbera',
        alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids,
        nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines,
        proline) AS p_barbera
FROM wine;

-- All of a row's scores at once, each row scored once: without MATERIALIZED the call would be made
-- again for every column below.
CREATE VIEW wine_lightgbm_scored AS
WITH scored AS MATERIALIZED (
    SELECT id, split, cultivar AS answer, predict_json('wine_lightgbm',
        alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids,
        nonflavanoid_phenols, proanthocyanins, color_intensity, hue, od280_od315_of_diluted_wines,
        proline) AS scores
    FROM wine)
SELECT id, split, answer, scores ->> '$.prediction' AS label,
    scores ->> '$.probabilities.barolo' AS p_barolo,
    scores ->> '$.probabilities.grignolino' AS p_grignolino,
    scores ->> '$.probabilities.barbera' AS p_barbera,
    scores -> '$.decision' AS raw
FROM scored;

-- CatBoost takes no missing category: a port that is not known was "unknown" in training, too.
CREATE VIEW titanic_ports_known AS
SELECT id, split, fate, pclass, sex, age, sibsp, parch, fare,
    coalesce(embarked, 'unknown') AS embarked
FROM titanic;

CREATE VIEW titanic_catboost_scored AS
WITH scored AS MATERIALIZED (
    SELECT id, split, fate AS answer, predict_json('titanic_catboost',
        pclass, sex, age, sibsp, parch, fare, embarked) AS scores
    FROM titanic_ports_known)
SELECT id, split, answer, scores ->> '$.prediction' AS label,
    scores ->> '$.probabilities.died' AS p_died,
    scores ->> '$.probabilities.survived' AS p_survived,
    scores -> '$.decision' AS raw
FROM scored;

-- scikit-learn's pipeline: imputers and a scaler of the numbers, imputers and a one-hot encoder of
-- the texts, then a logistic regression.
CREATE VIEW titanic_pipeline_scored AS SELECT id, split, fate AS answer,
    predict('titanic_pipeline',
        pclass, sex, age, sibsp, parch, fare, embarked) AS label,
    predict_probability('titanic_pipeline', 'died',
        pclass, sex, age, sibsp, parch, fare, embarked) AS p_died,
    predict_probability('titanic_pipeline', 'survived',
        pclass, sex, age, sibsp, parch, fare, embarked) AS p_survived
FROM titanic;

-- The columns of the table wine, and behind them prediction and probability.
CREATE VIRTUAL TABLE wine_live USING hbscore(model='wine', source='wine');

-- scikit-learn's TfidfVectorizer and LogisticRegression: the text itself is the feature.
CREATE VIEW tickets_scored AS SELECT id, split, department AS answer,
    predict('tickets', letter) AS label,
    predict_probability('tickets', 'billing', letter) AS p_billing,
    predict_probability('tickets', 'delivery', letter) AS p_delivery,
    predict_probability('tickets', 'technical', letter) AS p_technical
FROM tickets;
