-- Speed: the cancer table repeated to :rows rows in a database file of its own (:file), read and
-- summed without a model, then scored row by row and in bulk. Each statement runs twice and the
-- better time counts, so that whatever else the machine does weighs less. Each is a SELECT of its
-- own: inside a statement that writes, hbscore_scan would store the query's rows first. julianday
-- is the clock with milliseconds that every SQLite has.

ATTACH :file AS big;
PRAGMA big.synchronous = off;
CREATE TABLE big.tumours AS
WITH RECURSIVE copies (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n * (SELECT count(*) FROM cancer) < :rows)
SELECT cancer.* FROM copies, cancer LIMIT :rows;

CREATE TEMP VIEW bare_scan AS SELECT sum(
    mean_radius + mean_texture + mean_perimeter + mean_area + mean_smoothness + mean_compactness +
    mean_concavity + mean_concave_points + mean_symmetry + mean_fractal_dimension + radius_error +
    texture_error + perimeter_error + area_error + smoothness_error + compactness_error +
    concavity_error + concave_points_error + symmetry_error + fractal_dimension_error + worst_radius
    + worst_texture + worst_perimeter + worst_area + worst_smoothness + worst_compactness +
    worst_concavity + worst_concave_points + worst_symmetry + worst_fractal_dimension) AS total
FROM big.tumours;

CREATE TEMP VIEW scoring AS SELECT sum(predict_probability('cancer', 'malignant',
    mean_radius, mean_texture, mean_perimeter, mean_area, mean_smoothness, mean_compactness,
    mean_concavity, mean_concave_points, mean_symmetry, mean_fractal_dimension, radius_error,
    texture_error, perimeter_error, area_error, smoothness_error, compactness_error,
    concavity_error, concave_points_error, symmetry_error, fractal_dimension_error, worst_radius,
    worst_texture, worst_perimeter, worst_area, worst_smoothness, worst_compactness,
    worst_concavity, worst_concave_points, worst_symmetry, worst_fractal_dimension)) AS total
FROM big.tumours;

CREATE TEMP VIEW bulk AS SELECT sum(probability) AS total
FROM hbscore_scan('cancer', 'SELECT * FROM big.tumours');

CREATE TEMP TABLE lap (what TEXT, begun REAL, ended REAL);

INSERT INTO lap (what, begun) VALUES ('read', julianday('now'));
.once /dev/null
SELECT total FROM bare_scan;
UPDATE lap SET ended = julianday('now') WHERE ended IS NULL;

INSERT INTO lap (what, begun) VALUES ('calls', julianday('now'));
.once /dev/null
SELECT total FROM scoring;
UPDATE lap SET ended = julianday('now') WHERE ended IS NULL;

INSERT INTO lap (what, begun) VALUES ('bulk', julianday('now'));
.once /dev/null
SELECT total FROM bulk;
UPDATE lap SET ended = julianday('now') WHERE ended IS NULL;

INSERT INTO lap (what, begun) VALUES ('read', julianday('now'));
.once /dev/null
SELECT total FROM bare_scan;
UPDATE lap SET ended = julianday('now') WHERE ended IS NULL;

INSERT INTO lap (what, begun) VALUES ('calls', julianday('now'));
.once /dev/null
SELECT total FROM scoring;
UPDATE lap SET ended = julianday('now') WHERE ended IS NULL;

INSERT INTO lap (what, begun) VALUES ('bulk', julianday('now'));
.once /dev/null
SELECT total FROM bulk;
UPDATE lap SET ended = julianday('now') WHERE ended IS NULL;

CREATE TEMP TABLE speed AS
SELECT what, min(ended - begun) * 86400 AS seconds FROM lap GROUP BY what;

.print
SELECT printf('Speed here, one thread, %,d rows of 30 features (table cancer, repeated):', :rows);
.print
SELECT printf('  %-52s  %,12d rows a second', what, :rows / seconds) FROM (
    SELECT 'sum(mean_radius + mean_texture + ...), no model' AS what, seconds
    FROM speed WHERE what = 'read'
    UNION ALL SELECT 'sum(predict_probability(''cancer'', ''malignant'', ...))', seconds
    FROM speed WHERE what = 'calls'
    UNION ALL SELECT 'sum(probability) FROM hbscore_scan(''cancer'', ...)', seconds
    FROM speed WHERE what = 'bulk');
SELECT printf(
    '  Reading and scoring takes %.2f times as long as reading, by hbscore_scan %.2f times.',
    c.seconds / r.seconds, b.seconds / r.seconds)
FROM speed AS r, speed AS c, speed AS b
WHERE r.what = 'read' AND c.what = 'calls' AND b.what = 'bulk';
