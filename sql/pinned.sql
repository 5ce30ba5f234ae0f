-- The IMMUTABLE twins, which take only a reference with a version: in indexes, generated columns, constraints.

SELECT hbscore.register('p', file('demo/models/cancer.json'), options => '{"classes": ["malignant", "benign"]}');
SELECT hbscore.register('p', file('demo/models/cancer.json'), options => '{"classes": ["malignant", "benign"], "rounds": 3}');
-- : the same as the plain ones
SELECT count(*), sum((predict_label_version('p@1', c.*) = predict_label('p@1', c.*))::int) AS label,
    sum((predict_probability_version('p@2', 'benign', c.*) = predict_probability('p@2', 'benign', c.*))::int) AS probability,
    sum((predict_version('number@1', mean_radius, mean_area, 3, 4) = predict('number', mean_radius, mean_area, 3, 4))::int) AS number FROM cancer AS c;
SELECT predict_label_version(hbscore.pin('p'), c.*) = predict_label('p', c.*) AS pinned FROM cancer AS c WHERE id = 1;
-- : without a version they refuse
SELECT predict_version('number', 1, 2, 3, 4);
SELECT predict_label_version('p', c.*) FROM cancer AS c;
SELECT predict_probability_version('p@champion', 'benign', c.*) FROM cancer AS c;
SELECT predict_version(NULL, 1, 2, 3, 4);
-- : of constants they are constants
EXPLAIN (COSTS OFF) SELECT id FROM wine WHERE predict_version('number@1', 1, 2, 3, 4) IS NULL;

-- S6: an expression index, used and right, also after a newer version
CREATE TABLE tumours AS SELECT * FROM cancer;
CREATE INDEX by_score ON tumours (predict_probability_version('p@1', 'benign', mean_radius, mean_texture, mean_perimeter, mean_area, mean_smoothness,
    mean_compactness, mean_concavity, mean_concave_points, mean_symmetry, mean_fractal_dimension, radius_error, texture_error, perimeter_error, area_error,
    smoothness_error, compactness_error, concavity_error, concave_points_error, symmetry_error, fractal_dimension_error, worst_radius, worst_texture,
    worst_perimeter, worst_area, worst_smoothness, worst_compactness, worst_concavity, worst_concave_points, worst_symmetry, worst_fractal_dimension));
ANALYZE tumours;
CREATE VIEW sure AS SELECT id FROM tumours WHERE predict_probability_version('p@1', 'benign', mean_radius, mean_texture, mean_perimeter, mean_area, mean_smoothness,
    mean_compactness, mean_concavity, mean_concave_points, mean_symmetry, mean_fractal_dimension, radius_error, texture_error, perimeter_error, area_error,
    smoothness_error, compactness_error, concavity_error, concave_points_error, symmetry_error, fractal_dimension_error, worst_radius, worst_texture,
    worst_perimeter, worst_area, worst_smoothness, worst_compactness, worst_concavity, worst_concave_points, worst_symmetry, worst_fractal_dimension) > 0.9978;
CREATE FUNCTION uses_index(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        IF line LIKE '%Index Scan%by_score%' OR line LIKE '%Index Scan on by_score%' THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END$$;
SELECT uses_index('SELECT id FROM sure');
SELECT count(*), (SELECT count(*) FROM cancer_expected WHERE p_benign > 0.9978) AS expected FROM sure JOIN cancer_expected USING (id) WHERE p_benign > 0.9978;
SET enable_seqscan = off;
SELECT count(*) FROM sure;
RESET enable_seqscan;
UPDATE tumours SET mean_radius = mean_radius WHERE id = 1;
DELETE FROM tumours WHERE id = 2;
INSERT INTO tumours SELECT * FROM cancer WHERE id = 2;
SELECT count(*) FROM sure;
REINDEX TABLE tumours;
SELECT count(*) FROM sure;
-- S6: the plain function is not IMMUTABLE
CREATE INDEX ON tumours (predict('number', mean_radius, mean_area, 3, 4));
ALTER TABLE tumours ADD COLUMN score float8 GENERATED ALWAYS AS (predict('number', mean_radius, mean_area, 3, 4)) STORED;
-- S6: a generated column
ALTER TABLE tumours ADD COLUMN score float8 GENERATED ALWAYS AS (predict_version('number@1', mean_radius, mean_area, 3, 4)) STORED;
SELECT count(*), sum((score = predict('number', mean_radius, mean_area, 3, 4))::int) FROM tumours;
UPDATE tumours SET mean_area = mean_area * 2;
SELECT count(*), sum((score = predict('number', mean_radius, mean_area, 3, 4))::int) FROM tumours;
-- S6: a generated column needs its version: the drop is refused; a forced one leaves a table that takes no rows
SELECT hbscore.register('generated', file('test/golden/sklearn/ridge_19.json'));
CREATE TABLE made (x float8, y float8 GENERATED ALWAYS AS (predict_version('generated@1', x, 0, 0, 0)) STORED);
INSERT INTO made VALUES (1), (2), (NULL);
SELECT x, y = predict('ridge', x, 0, 0, 0) AS same, y IS NULL AS none FROM made;
SELECT hbscore.drop('generated');
INSERT INTO made VALUES (3);
SELECT hbscore.drop('generated', force => true);
INSERT INTO made VALUES (4);
SELECT count(*) FROM made;
-- S6: a DEFAULT, a CHECK, a trigger, a rule, a domain
SELECT hbscore.register('checked', file('test/golden/sklearn/ridge_19.json'));
CREATE TABLE checks (x float8 CHECK (predict('checked', x, 0, 0, 0) > 0 IS NOT FALSE), s float8 DEFAULT predict('checked', 1, 2, 3, 4), t float8);
INSERT INTO checks (x) VALUES (1), (NULL);
INSERT INTO checks (x) VALUES (-5);
CREATE FUNCTION score_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.t := predict(''checked'', new.x, 0, 0, 0); RETURN new; END';
CREATE TRIGGER score_it BEFORE INSERT OR UPDATE ON checks FOR EACH ROW EXECUTE FUNCTION score_it();
INSERT INTO checks (x) VALUES (2), (3);
UPDATE checks SET x = 4 WHERE x = 1;
SELECT x, s = predict('ridge', 1, 2, 3, 4) AS s, t = predict('ridge', x, 0, 0, 0) AS t FROM checks ORDER BY x;
CREATE DOMAIN scored AS float8 CHECK (predict('checked', VALUE, 0, 0, 0) > 0);
SELECT 1::float8::scored;
SELECT (-1)::float8::scored;
CREATE RULE twice AS ON DELETE TO checks DO ALSO SELECT round(predict('checked', old.x, 0, 0, 0)::numeric, 6) AS was WHERE old.x IS NOT NULL;
DELETE FROM checks WHERE x = 4;

DROP TABLE tumours, made, checks CASCADE;
DROP DOMAIN scored;
DROP FUNCTION uses_index, score_it;
SELECT hbscore.drop('p'), hbscore.drop('checked');
