-- The demo's tables, from CSV. They are created first, because .import alone would make every
-- column TEXT. An empty field of a CSV file is an empty text; SQL's word for it is NULL.

CREATE TABLE cancer (
    id INTEGER PRIMARY KEY, split TEXT, diagnosis TEXT,
    mean_radius REAL, mean_texture REAL, mean_perimeter REAL, mean_area REAL, mean_smoothness REAL,
    mean_compactness REAL, mean_concavity REAL, mean_concave_points REAL, mean_symmetry REAL,
    mean_fractal_dimension REAL, radius_error REAL, texture_error REAL, perimeter_error REAL,
    area_error REAL, smoothness_error REAL, compactness_error REAL, concavity_error REAL,
    concave_points_error REAL, symmetry_error REAL, fractal_dimension_error REAL, worst_radius REAL,
    worst_texture REAL, worst_perimeter REAL, worst_area REAL, worst_smoothness REAL,
    worst_compactness REAL, worst_concavity REAL, worst_concave_points REAL, worst_symmetry REAL,
    worst_fractal_dimension REAL);

CREATE TABLE wine (
    id INTEGER PRIMARY KEY, split TEXT, cultivar TEXT,
    alcohol REAL, malic_acid REAL, ash REAL, alcalinity_of_ash REAL, magnesium REAL,
    total_phenols REAL, flavanoids REAL, nonflavanoid_phenols REAL, proanthocyanins REAL,
    color_intensity REAL, hue REAL, od280_od315_of_diluted_wines REAL, proline REAL);

CREATE TABLE titanic (
    id INTEGER PRIMARY KEY, split TEXT, fate TEXT,
    pclass INTEGER, sex TEXT, age REAL, sibsp INTEGER, parch INTEGER, fare REAL, embarked TEXT);

-- Short letters to a shop, in several languages, and the department that they are for.
CREATE TABLE tickets (id INTEGER PRIMARY KEY, split TEXT, department TEXT, letter TEXT);

-- What the training library itself answered for every row; raw is decision_function's JSON text.
CREATE TABLE cancer_expected (id INTEGER PRIMARY KEY, label TEXT, p_malignant REAL, p_benign REAL);
CREATE TABLE wine_expected (
    id INTEGER PRIMARY KEY, label TEXT, p_barolo REAL, p_grignolino REAL, p_barbera REAL);
CREATE TABLE titanic_expected (id INTEGER PRIMARY KEY, label TEXT, p_died REAL, p_survived REAL);
CREATE TABLE wine_lightgbm_expected (
    id INTEGER PRIMARY KEY, label TEXT, p_barolo REAL, p_grignolino REAL, p_barbera REAL, raw TEXT);
CREATE TABLE titanic_catboost_expected (
    id INTEGER PRIMARY KEY, label TEXT, p_died REAL, p_survived REAL, raw TEXT);
CREATE TABLE titanic_pipeline_expected (
    id INTEGER PRIMARY KEY, label TEXT, p_died REAL, p_survived REAL);
CREATE TABLE tickets_expected (
    id INTEGER PRIMARY KEY, label TEXT, p_billing REAL, p_delivery REAL, p_technical REAL);

.import --csv --skip 1 demo/data/tickets.csv tickets
.import --csv --skip 1 demo/expected/tickets.csv tickets_expected
.import --csv --skip 1 demo/data/cancer.csv cancer
.import --csv --skip 1 demo/data/wine.csv wine
.import --csv --skip 1 demo/data/titanic.csv titanic
.import --csv --skip 1 demo/expected/cancer.csv cancer_expected
.import --csv --skip 1 demo/expected/wine.csv wine_expected
.import --csv --skip 1 demo/expected/titanic.csv titanic_expected
.import --csv --skip 1 demo/expected/wine_lightgbm.csv wine_lightgbm_expected
.import --csv --skip 1 demo/expected/titanic_catboost.csv titanic_catboost_expected
.import --csv --skip 1 demo/expected/titanic_pipeline.csv titanic_pipeline_expected

UPDATE titanic SET age = nullif(age, ''), fare = nullif(fare, ''), embarked = nullif(embarked, '');
