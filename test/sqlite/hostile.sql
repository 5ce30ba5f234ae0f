-- Databases that are made to mislead: the name hbscore_models taken by something else, in main, temp and attached files.
.nullvalue NULL
CREATE TABLE wine AS SELECT '[14.23,1.71,2.43,15.6,127.0,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065.0]' AS row;

-- L7: a view; it is not even executed
CREATE TABLE trap(n);
CREATE VIEW hbscore_models AS SELECT 'm' AS name, 1 AS version, '' AS format, '' AS sha256, '' AS description, '{}' AS options,
    '' AS created_at, '' AS created_by, (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n) AS model;
SELECT predict('m', row) FROM wine;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
SELECT hbscore_drop('m');
DROP VIEW hbscore_models;
-- L7: the view comes after the table was used
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
SELECT predict('m', row) FROM wine;
ALTER TABLE hbscore_models RENAME TO kept;
CREATE VIEW hbscore_models AS SELECT * FROM kept;
SELECT predict('m', row) FROM wine;
SELECT predict('m@1', row) FROM wine;
DROP VIEW hbscore_models;
SELECT predict('m', row) FROM wine;
ALTER TABLE kept RENAME TO hbscore_models;
SELECT predict('m', row) FROM wine;
-- L7: a virtual table
DROP TABLE hbscore_models;
CREATE VIRTUAL TABLE hbscore_models USING fts5(name, version, format, sha256, description, options, created_at, created_by, golden, model);
SELECT predict('m', row) FROM wine;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
DROP TABLE hbscore_models;
-- L7: a table without our columns, or with a generated one
CREATE TABLE hbscore_models(name, version);
SELECT predict('m', row) FROM wine;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
SELECT hbscore_drop('m');
DROP TABLE hbscore_models;
CREATE TABLE hbscore_models(name, version, format, sha256, description, options, created_at, created_by, golden, model AS (x'00'));
SELECT predict('m', row) FROM wine;
DROP TABLE hbscore_models;
-- L7: in another case, with more columns and without a key: an ordinary table
CREATE TABLE HBSCORE_MODELS(more, Model, Golden, created_by, created_at, Options, description, sha256, format, version, NAME);
SELECT hbscore_register('m', readfile('demo/models/wine.ubj')), hbscore_register('m', readfile('demo/models/wine.ubj'));
SELECT predict_json('m', row) ->> 'model' FROM wine;
INSERT INTO hbscore_models SELECT * FROM hbscore_models;
SELECT predict_json('m', row) ->> 'model' FROM wine;
SELECT hbscore_drop('m', 2);
SELECT predict_json('m', row) ->> 'model' FROM wine;
DROP TABLE hbscore_models;

-- L7: temp tables and views of that name are never read
CREATE TEMP TABLE hbscore_models(name, version, format, sha256, description, options, created_at, created_by, golden, model);
INSERT INTO temp.hbscore_models VALUES ('m', 9, '', '', '', '{}', '', '', NULL, x'00');
SELECT predict('m', row) FROM wine;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
SELECT predict_json('m', row) ->> 'model' FROM wine;
SELECT count(*) FROM temp.hbscore_models;
DROP TABLE temp.hbscore_models;
CREATE TEMP VIEW hbscore_models AS SELECT 'm' AS name, 7 AS version;
SELECT predict_json('m', row) ->> 'model' FROM wine;
SELECT hbscore_drop('m');
SELECT predict('m', row) FROM wine;
DROP VIEW temp.hbscore_models;
-- L7: models of attached files are not those of main, and the other way
ATTACH 'other.db' AS other;
CREATE TABLE other.hbscore_models AS SELECT 'x' AS name, version, format, sha256, description, options, created_at, created_by,
    readfile('demo/models/wine.ubj') AS model FROM main.hbscore_models;
SELECT predict('x', row) FROM wine;
CREATE TABLE other.wine AS SELECT * FROM wine;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
SELECT predict_json('m', row) ->> 'model' FROM other.wine;
SELECT count(*) FROM other.hbscore_models;
DETACH other;
-- L7: triggers of the file on the table run as they would for any other INSERT; one that refuses, refuses
CREATE TRIGGER no_more BEFORE INSERT ON hbscore_models BEGIN SELECT RAISE(ABORT, 'no more models here'); END;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
DROP TRIGGER no_more;
CREATE TRIGGER ignored BEFORE INSERT ON hbscore_models BEGIN SELECT RAISE(IGNORE); END;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
DROP TRIGGER ignored;
CREATE TRIGGER undone AFTER UPDATE ON hbscore_models BEGIN UPDATE hbscore_models SET model = old.model WHERE rowid = old.rowid AND model IS NULL; END;
SELECT hbscore_drop('m', 2);
SELECT predict_json('m', row) ->> 'model' FROM wine;
DROP TRIGGER undone;
-- L7: columns renamed under statements that are prepared; a table made again
ALTER TABLE hbscore_models RENAME COLUMN options TO choices;
SELECT predict('m', row) FROM wine;
ALTER TABLE hbscore_models RENAME COLUMN choices TO options;
SELECT predict_json('m', row) ->> 'model' FROM wine;
ALTER TABLE hbscore_models ADD COLUMN reviewed_by TEXT;
SELECT predict_json('m', row) ->> 'model' FROM wine;
SELECT hbscore_register('m', readfile('demo/models/wine.ubj'));
VACUUM;
SELECT predict_json('m', row) ->> 'model' FROM wine;
-- L7: a table named as the private one
CREATE TABLE hbscore_private(x);
SELECT predict_json('m', row) ->> 'model' FROM wine;
