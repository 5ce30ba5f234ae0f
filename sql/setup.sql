-- The extension, and what the other files of this folder use: the demo's tables with the training libraries' own answers,
-- model files, models. They run in one database, each in a session of its own, after this one.
CREATE EXTENSION hbscore;

-- : the demo's tables
CREATE TABLE titanic (
    id int PRIMARY KEY, split text, fate text,
    pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text);
CREATE TABLE wine (
    id int PRIMARY KEY, split text, cultivar text,
    alcohol float8, malic_acid float8, ash float8, alcalinity_of_ash float8, magnesium float8, total_phenols float8,
    flavanoids float8, nonflavanoid_phenols float8, proanthocyanins float8, color_intensity float8, hue float8,
    od280_od315_of_diluted_wines float8, proline float8);
CREATE TABLE cancer (
    id int PRIMARY KEY, split text, diagnosis text,
    mean_radius float8, mean_texture float8, mean_perimeter float8, mean_area float8, mean_smoothness float8,
    mean_compactness float8, mean_concavity float8, mean_concave_points float8, mean_symmetry float8,
    mean_fractal_dimension float8, radius_error float8, texture_error float8, perimeter_error float8, area_error float8,
    smoothness_error float8, compactness_error float8, concavity_error float8, concave_points_error float8,
    symmetry_error float8, fractal_dimension_error float8, worst_radius float8, worst_texture float8,
    worst_perimeter float8, worst_area float8, worst_smoothness float8, worst_compactness float8, worst_concavity float8,
    worst_concave_points float8, worst_symmetry float8, worst_fractal_dimension float8);
\copy titanic FROM demo/data/titanic.csv (FORMAT csv, HEADER)
\copy wine FROM demo/data/wine.csv (FORMAT csv, HEADER)
\copy cancer FROM demo/data/cancer.csv (FORMAT csv, HEADER)

-- : what the training libraries themselves answered
CREATE TABLE titanic_expected (id int PRIMARY KEY, label text, p_died float8, p_survived float8);
CREATE TABLE titanic_catboost_expected (id int PRIMARY KEY, label text, p_died float8, p_survived float8, raw jsonb);
CREATE TABLE titanic_pipeline_expected (id int PRIMARY KEY, label text, p_died float8, p_survived float8);
CREATE TABLE wine_expected (id int PRIMARY KEY, label text, p_barolo float8, p_grignolino float8, p_barbera float8);
CREATE TABLE wine_lightgbm_expected (
    id int PRIMARY KEY, label text, p_barolo float8, p_grignolino float8, p_barbera float8, raw jsonb);
CREATE TABLE cancer_expected (id int PRIMARY KEY, label text, p_malignant float8, p_benign float8);
\copy titanic_expected FROM demo/expected/titanic.csv (FORMAT csv, HEADER)
\copy titanic_catboost_expected FROM demo/expected/titanic_catboost.csv (FORMAT csv, HEADER)
\copy titanic_pipeline_expected FROM demo/expected/titanic_pipeline.csv (FORMAT csv, HEADER)
\copy wine_expected FROM demo/expected/wine.csv (FORMAT csv, HEADER)
\copy wine_lightgbm_expected FROM demo/expected/wine_lightgbm.csv (FORMAT csv, HEADER)
\copy cancer_expected FROM demo/expected/cancer.csv (FORMAT csv, HEADER)

-- : model files, for the statements that register them
CREATE TABLE encoded (path text PRIMARY KEY, base64 text);
\copy encoded FROM PROGRAM 'test/postgres/files.sh demo/models/* test/fuzz/fuzz_own/*.json test/golden/xgboost/regressor_34.json test/golden/xgboost/targets_in_leaf_34.json test/golden/xgboost/missing_gblinear_34.json test/golden/sklearn/ridge_19.json test/golden/lightgbm/regression_47.txt test/golden/lightgbm/pandas_large_47.txt test/golden/sklearn/feat_onehot_ignore_19.json'
CREATE FUNCTION file(path text) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT decode(e.base64, 'base64') FROM encoded AS e WHERE e.path = file.path);
SELECT count(*), count(DISTINCT base64) FROM encoded;

-- : the demo's models
SELECT hbscore.register('titanic', file('demo/models/titanic.json'), options => '{"classes": ["died", "survived"]}');
SELECT hbscore.register('cancer', file('demo/models/cancer.json'), options => '{"classes": ["malignant", "benign"]}');
SELECT hbscore.register('wine', file('demo/models/wine.ubj'),
    options => '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT hbscore.register('wine_lightgbm', file('demo/models/wine_lightgbm.txt'),
    options => '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT hbscore.register('titanic_catboost', file('demo/models/titanic_catboost.json'));
SELECT hbscore.register('titanic_pipeline', file('demo/models/titanic_pipeline.json'));
-- : and small ones: a number of four features; several outputs; a line without names
SELECT hbscore.register('number', file('test/golden/xgboost/regressor_34.json'));
SELECT hbscore.register('targets', file('test/golden/xgboost/targets_in_leaf_34.json'));
SELECT hbscore.register('forest', file('test/fuzz/fuzz_own/forest.json'));
SELECT hbscore.register('ridge', file('test/golden/sklearn/ridge_19.json'));
SELECT name, version, format, octet_length(model), options FROM hbscore.models ORDER BY name;
