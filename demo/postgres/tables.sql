-- The demo's tables in PostgreSQL. Column names are those that the models were trained with, so that a whole row can be
-- scored by name. An empty field of a CSV file is NULL.

\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION hbscore;

CREATE TABLE cancer (
    id int PRIMARY KEY, split text, diagnosis text,
    mean_radius float8, mean_texture float8, mean_perimeter float8, mean_area float8, mean_smoothness float8,
    mean_compactness float8, mean_concavity float8, mean_concave_points float8, mean_symmetry float8,
    mean_fractal_dimension float8, radius_error float8, texture_error float8, perimeter_error float8,
    area_error float8, smoothness_error float8, compactness_error float8, concavity_error float8,
    concave_points_error float8, symmetry_error float8, fractal_dimension_error float8, worst_radius float8,
    worst_texture float8, worst_perimeter float8, worst_area float8, worst_smoothness float8,
    worst_compactness float8, worst_concavity float8, worst_concave_points float8, worst_symmetry float8,
    worst_fractal_dimension float8);
CREATE TABLE wine (
    id int PRIMARY KEY, split text, cultivar text,
    alcohol float8, malic_acid float8, ash float8, alcalinity_of_ash float8, magnesium float8,
    total_phenols float8, flavanoids float8, nonflavanoid_phenols float8, proanthocyanins float8,
    color_intensity float8, hue float8, od280_od315_of_diluted_wines float8, proline float8);
CREATE TABLE titanic (
    id int PRIMARY KEY, split text, fate text,
    pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text);
-- Short letters to a shop, in several languages, and the department that they are for.
CREATE TABLE tickets (id int PRIMARY KEY, split text, department text, letter text);

-- What the training library itself answered for every row; raw is its raw scores as JSON text.
CREATE TABLE cancer_expected (id int PRIMARY KEY, label text, p_malignant float8, p_benign float8);
CREATE TABLE wine_expected (id int PRIMARY KEY, label text, p_barolo float8, p_grignolino float8, p_barbera float8);
CREATE TABLE titanic_expected (id int PRIMARY KEY, label text, p_died float8, p_survived float8);
CREATE TABLE wine_lightgbm_expected (
    id int PRIMARY KEY, label text, p_barolo float8, p_grignolino float8, p_barbera float8, raw jsonb);
CREATE TABLE titanic_catboost_expected (id int PRIMARY KEY, label text, p_died float8, p_survived float8, raw jsonb);
CREATE TABLE titanic_pipeline_expected (id int PRIMARY KEY, label text, p_died float8, p_survived float8);
CREATE TABLE tickets_expected (id int PRIMARY KEY, label text, p_billing float8, p_delivery float8, p_technical float8);

\copy cancer FROM 'demo/data/cancer.csv' (FORMAT csv, HEADER)
\copy wine FROM 'demo/data/wine.csv' (FORMAT csv, HEADER)
\copy titanic FROM 'demo/data/titanic.csv' (FORMAT csv, HEADER)
\copy tickets FROM 'demo/data/tickets.csv' (FORMAT csv, HEADER, ENCODING 'UTF8')
\copy cancer_expected FROM 'demo/expected/cancer.csv' (FORMAT csv, HEADER)
\copy wine_expected FROM 'demo/expected/wine.csv' (FORMAT csv, HEADER)
\copy titanic_expected FROM 'demo/expected/titanic.csv' (FORMAT csv, HEADER)
\copy wine_lightgbm_expected FROM 'demo/expected/wine_lightgbm.csv' (FORMAT csv, HEADER)
\copy titanic_catboost_expected FROM 'demo/expected/titanic_catboost.csv' (FORMAT csv, HEADER)
\copy titanic_pipeline_expected FROM 'demo/expected/titanic_pipeline.csv' (FORMAT csv, HEADER)
\copy tickets_expected FROM 'demo/expected/tickets.csv' (FORMAT csv, HEADER)
ANALYZE;
