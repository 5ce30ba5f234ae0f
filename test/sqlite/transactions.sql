-- What a bare SELECT, a transaction and an INSERT .. SELECT mean for registrations.
.nullvalue NULL
CREATE TABLE log(version);

-- L2: a bare SELECT is no transaction: the first registration stays when the second is refused
SELECT hbscore_register('a', readfile('demo/models/wine.ubj')), hbscore_register('b', x'00');
SELECT name, version FROM hbscore_models;
-- L2: inside BEGIN too; ROLLBACK takes it back, its number with it
BEGIN;
SELECT hbscore_register('a', readfile('demo/models/wine.ubj')), hbscore_register('b', x'00');
SELECT name, version FROM hbscore_models;
ROLLBACK;
SELECT name, version FROM hbscore_models;
-- L2: an INSERT .. SELECT is one: both go
INSERT INTO log SELECT hbscore_register('a', readfile('demo/models/wine.ubj')) + hbscore_register('b', x'00');
SELECT name, version FROM hbscore_models;
SELECT count(*) FROM log;
-- L2: and both stay where both are good
INSERT INTO log SELECT hbscore_register('a', readfile('demo/models/wine.ubj')) + hbscore_register('b', readfile('demo/models/cancer.json'));
SELECT name, version FROM hbscore_models;
SELECT * FROM log;
-- L2: savepoints
SAVEPOINT one;
SELECT hbscore_drop('a');
SAVEPOINT two;
SELECT hbscore_register('a', readfile('demo/models/titanic.json'));
SELECT group_concat(version || iif(model IS NULL, ' dropped', '')) FROM hbscore_models WHERE name = 'a';
ROLLBACK TO two;
SELECT group_concat(version || iif(model IS NULL, ' dropped', '')) FROM hbscore_models WHERE name = 'a';
ROLLBACK TO one;
SELECT group_concat(version || iif(model IS NULL, ' dropped', '')) FROM hbscore_models WHERE name = 'a';
RELEASE one;
-- L2: a version that was rolled back and made again from other bytes
BEGIN;
SELECT hbscore_register('c', readfile('demo/models/wine.ubj')), predict('c', '[1,2,3,4,5,6,7,8,9,10,11,12,13]') IS NOT NULL;
ROLLBACK;
SELECT predict('c', '[1,2,3,4,5,6,7,8,9,10,11,12,13]');
SELECT hbscore_register('c', readfile('demo/models/titanic.json')), predict('c', 1, 'male', 30, 0, 0, 10, 'S') IS NOT NULL;
SELECT predict('c', '[1,2,3,4,5,6,7,8,9,10,11,12,13]');
-- L2: many in one statement, refused at the last
BEGIN;
CREATE TABLE files(path);
INSERT INTO files VALUES ('demo/models/wine.ubj'), ('demo/models/cancer.json'), ('demo/models/wine.csv');
INSERT INTO log SELECT hbscore_register('many', readfile(path)) FROM files;
SELECT count(*) FROM hbscore_models WHERE name = 'many';
COMMIT;
SELECT count(*) FROM hbscore_models WHERE name = 'many';
-- L1: registered while a statement that began before goes on
SELECT predict_json('d', row) ->> 'model', CASE n WHEN 1 THEN hbscore_register('d', readfile('demo/models/wine.ubj')) END
FROM (SELECT 1 AS n, hbscore_register('d', readfile('demo/models/wine.ubj')) AS first UNION ALL SELECT 2, 0), (SELECT '[1,2,3,4,5,6,7,8,9,10,11,12,13]' AS row);
SELECT predict_json('d', '[1,2,3,4,5,6,7,8,9,10,11,12,13]') ->> 'model';
