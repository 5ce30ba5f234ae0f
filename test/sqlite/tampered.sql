-- Rows of hbscore_models that another program has changed. Nothing in the table is trusted: the digest is
-- computed again and the bytes are validated again whenever a plan is made, so the cache is kept empty here.
.nullvalue NULL
SELECT hbscore_set('plan_cache_size', 0);
SELECT hbscore_register('good', readfile('demo/models/wine.ubj'));
CREATE TABLE wine AS SELECT '[14.23,1.71,2.43,15.6,127.0,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065.0]' AS row;
CREATE TABLE pristine AS SELECT * FROM hbscore_models;
-- what XGBoost says of the first wine (demo/expected/wine.csv)
CREATE VIEW still_good AS SELECT predict_probability('good', 0, row) = 0.99592858552932739 AS ok FROM wine;
CREATE VIEW bad AS SELECT predict('bad', row) FROM wine;
CREATE VIEW fresh AS SELECT 'bad' AS name, version, format, sha256, description, options, created_at, created_by, golden, model FROM pristine;
SELECT * FROM still_good;

-- L6: bytes changed, cut, exchanged, of another type
INSERT INTO hbscore_models(name, version, format, sha256, description, options, created_at, created_by, golden, model) SELECT * FROM fresh;
SELECT * FROM bad;
UPDATE hbscore_models SET model = CAST(substr(model, 1, 70000) || x'01' || substr(model, 70002) AS BLOB) WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET model = substr(model, 1, 70000) WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET model = x'' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET model = readfile('demo/models/cancer.json') WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET model = 'text' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET model = 5 WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET model = zeroblob(100000) WHERE name = 'bad';
SELECT * FROM bad;
SELECT * FROM still_good;
-- L6: the digest changed to fit other bytes: they are validated all the same
SELECT writefile('small.json', '{"learner":{}}');
.shell sha256sum small.json > small.sum
UPDATE hbscore_models SET model = readfile('small.json'), sha256 = substr(CAST(readfile('small.sum') AS TEXT), 1, 64) WHERE name = 'bad';
SELECT * FROM bad;
-- L6: the digest itself
UPDATE hbscore_models SET model = (SELECT model FROM pristine), sha256 = upper((SELECT sha256 FROM pristine)) WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET sha256 = substr((SELECT sha256 FROM pristine), 1, 63) WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET sha256 = '' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET sha256 = CAST((SELECT sha256 FROM pristine) AS BLOB) WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET sha256 = 12345 WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET sha256 = replace((SELECT sha256 FROM pristine), substr((SELECT sha256 FROM pristine), 1, 1), 'g') WHERE name = 'bad';
SELECT * FROM bad;
SELECT predict('bad@1#0123456789abcdef', row) FROM wine;
SELECT * FROM still_good;
-- L6: options that are none, or do not fit
UPDATE hbscore_models SET sha256 = (SELECT sha256 FROM pristine) WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET options = 'rounds: 3' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET options = '{"rounds": 99}' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET options = '{"no such option": 1}' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET options = CAST('{}' AS BLOB) WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET options = 7 WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET options = replace(printf('%.*c', 300000, 'x'), 'x', ' ') || '{}' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET options = '' WHERE name = 'bad';
SELECT * FROM bad;
SELECT * FROM still_good;
-- L6: versions that are none
UPDATE hbscore_models SET options = '{}', version = -1 WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET version = 'one' WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET version = 1.5 WHERE name = 'bad';
SELECT * FROM bad;
UPDATE hbscore_models SET version = 9223372036854775807 WHERE name = 'bad';
SELECT hbscore_register('bad', readfile('demo/models/wine.ubj'));
SELECT hbscore_drop('bad', 1);
SELECT hbscore_drop('bad');
SELECT * FROM bad;
SELECT * FROM still_good;
-- L6: names that are none: other names still come up as the nearest ones
UPDATE hbscore_models SET name = x'00ff', model = x'00' WHERE name = 'bad';
INSERT INTO hbscore_models SELECT printf('%.*c', 1000, 'n'), 1, '', '', '', '', '', '', NULL, x'00';
INSERT INTO hbscore_models SELECT CAST(x'ff22' AS TEXT), 1, '', '', '', '', '', '', NULL, x'00';
SELECT * FROM bad;
-- L6: other columns do not matter; a deleted row is not there
DELETE FROM hbscore_models WHERE name <> 'good';
UPDATE hbscore_models SET format = 7, description = x'00', created_at = '' WHERE name = 'good';
SELECT * FROM still_good;
DELETE FROM hbscore_models;
SELECT * FROM still_good;
