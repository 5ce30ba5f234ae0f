-- hbscore_deploy, aliases, references through them, and drops of what is deployed.
.nullvalue NULL
CREATE TABLE wine AS SELECT '[14.23,1.71,2.43,15.6,127.0,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065.0]' AS row;
CREATE TABLE log(version);
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 20}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 10}');
SELECT hbscore_register('cancer', readfile('demo/models/cancer.json'));
CREATE VIEW now AS SELECT predict_json('wine', row) ->> 'model' AS model FROM wine;
CREATE VIEW aliases AS SELECT group_concat(name || '@' || alias || '=' || version, ', ')
    FROM (SELECT * FROM hbscore_aliases ORDER BY name, alias);
CREATE VIEW live AS SELECT group_concat(name || '@' || version, ', ')
    FROM (SELECT * FROM hbscore_models WHERE model IS NOT NULL ORDER BY name, version);

-- : without an alias a name means its newest version; deployed, that one
SELECT * FROM now;
SELECT count(*) FROM hbscore_aliases;
SELECT hbscore_deploy('wine', 1);
SELECT * FROM now;
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 5}');
SELECT * FROM now;
SELECT hbscore_deploy('wine', 4, 'default'), hbscore_deploy('wine', 4);
SELECT * FROM now;
-- what XGBoost says of the first wine (demo/expected/wine.csv) is said by all rounds only
SELECT predict_probability('wine', 0, row) = 0.99592858552932739, predict_probability('wine@1', 0, row) = 0.99592858552932739 FROM wine;
SELECT hbscore_deploy('wine', 1), predict_probability('wine', 0, row) = 0.99592858552932739 FROM wine;
SELECT typeof(deployed_at), deployed_at LIKE '20__-__-__ __:__:__' FROM hbscore_aliases;

-- : other aliases, several of one version; names of models and aliases are told apart by case
SELECT hbscore_deploy('wine', 2, 'champion'), hbscore_deploy('wine', 3, 'Champion'), hbscore_deploy('wine', 2, 'größe');
SELECT predict_json('wine@champion', row) ->> 'model', predict_json('wine@Champion', row) ->> 'model',
       predict_json('wine@größe', row) ->> 'model', predict_json('wine@default', row) ->> 'model',
       predict_json('wine@3', row) ->> 'model', predict_json('wine', row) ->> 'model' FROM wine;
SELECT * FROM aliases;
SELECT predict('wine@chamption', row) FROM wine;
SELECT predict('cancer@default', row) FROM wine;
SELECT predict('vine@champion', row) FROM wine;

-- : a name that is computed for each row
SELECT group_concat(predict_json('wine' || tail, row) ->> 'model')
FROM (SELECT column1 AS tail FROM (VALUES (''), ('@champion'), ('@4'), ('@Champion'), ('@default'), (''))), wine;

-- S1: counts of arguments
SELECT hbscore_deploy('wine');
SELECT hbscore_deploy('wine', 1, 'a', 'b');
-- S2: types
SELECT hbscore_deploy(NULL, 1);
SELECT hbscore_deploy('wine', NULL);
SELECT hbscore_deploy('wine', '1');
SELECT hbscore_deploy('wine', 1.5);
SELECT hbscore_deploy('wine', 1e300);
SELECT hbscore_deploy('wine', 1.0);
SELECT hbscore_deploy('wine', 1, NULL);
SELECT hbscore_deploy('wine', 1, 7);
SELECT hbscore_deploy(x'77', 1);
-- S7: aliases that are none, and some that are
SELECT hbscore_deploy('wine', 1, '');
SELECT hbscore_deploy('wine', 1, '3');
SELECT hbscore_deploy('wine', 1, '0123');
SELECT hbscore_deploy('wine', 1, 'a@b');
SELECT hbscore_deploy('wine', 1, '#');
SELECT hbscore_deploy('wine', 1, 'a' || char(10));
SELECT hbscore_deploy('wine', 1, 'a' || char(0));
SELECT hbscore_deploy('wine', 1, CAST(x'61ff' AS TEXT));
SELECT hbscore_deploy('wine', 1, printf('%.*c', 256, 'x'));
SELECT hbscore_deploy('wine@1', 1);
CREATE TABLE odd(alias);
INSERT INTO odd VALUES ('it''s'), ('"quoted"'), (' '), ('%s%n'), ('日本語'), ('3a'), ('-1'), ('1.5'), (printf('%.*c', 255, 'x'));
SELECT sum(hbscore_deploy('cancer', 1, alias)) = count(*) FROM odd;
SELECT sum(predict_json('cancer@' || alias, '[' || substr(replace(printf('%.*c', 30, 'x'), 'x', ',1'), 2) || ']') ->> 'model' = 'cancer@1') = count(*) FROM odd;
DELETE FROM hbscore_aliases WHERE name = 'cancer';
-- : versions that are not there, or dropped; nothing changes
SELECT hbscore_deploy('vine', 1);
SELECT hbscore_deploy('wine', 9);
SELECT hbscore_deploy('wine', 0);
SELECT hbscore_deploy('wine', -1);
SELECT hbscore_deploy('wine', 2147483648);
SELECT hbscore_drop('wine', 4);
SELECT hbscore_deploy('wine', 4);
SELECT * FROM aliases;

-- : a version that an alias names is not dropped
SELECT hbscore_drop('wine', 1);
SELECT hbscore_drop('wine', 2);
SELECT hbscore_deploy('wine', 2, 'b'), hbscore_deploy('wine', 2, 'c');
SELECT hbscore_drop('wine', 2);
SELECT * FROM live;
SELECT hbscore_deploy('wine', 2);
SELECT hbscore_drop('wine', 1);
SELECT hbscore_drop('wine', 1);
SELECT * FROM live;

-- L2: a deployment is rolled back as any other change
BEGIN;
SELECT hbscore_deploy('wine', 3);
SELECT * FROM now;
ROLLBACK;
SELECT * FROM now;
SAVEPOINT one;
SELECT hbscore_deploy('wine', 3), hbscore_deploy('wine', 3, 'new');
SAVEPOINT two;
SELECT hbscore_deploy('wine', 2);
SELECT * FROM now;
ROLLBACK TO two;
SELECT * FROM now;
SELECT * FROM aliases;
ROLLBACK TO one;
RELEASE one;
SELECT * FROM now;
SELECT * FROM aliases;
-- L2: inside a statement that writes: all or nothing
INSERT INTO log SELECT hbscore_deploy('wine', 3);
SELECT * FROM now;
INSERT INTO log SELECT hbscore_deploy('wine', 2) UNION ALL SELECT hbscore_deploy('wine', 9);
SELECT * FROM now;
SELECT * FROM log;
-- L2: a whole model takes its aliases along; rolled back with them
BEGIN;
SELECT hbscore_drop('wine');
SELECT * FROM aliases;
SELECT * FROM live;
SELECT * FROM now;
SELECT predict('wine@champion', row) FROM wine;
ROLLBACK;
SELECT * FROM aliases;
SELECT * FROM live;
SAVEPOINT one;
SELECT hbscore_drop('wine');
ROLLBACK TO one;
RELEASE one;
SELECT * FROM live;
INSERT INTO log SELECT hbscore_drop('wine') + hbscore_drop('vine');
SELECT * FROM aliases;
SELECT * FROM live;
-- L2: where a trigger keeps the aliases, the versions stay too, in every surrounding
CREATE TRIGGER keep BEFORE DELETE ON hbscore_aliases BEGIN SELECT RAISE(ABORT, 'aliases stay'); END;
SELECT hbscore_drop('wine');
SELECT * FROM live;
BEGIN;
SELECT hbscore_drop('wine');
INSERT INTO log SELECT hbscore_drop('wine');
INSERT INTO log VALUES (hbscore_drop('wine'));
COMMIT;
INSERT INTO log VALUES (hbscore_drop('wine'));
SELECT * FROM aliases;
SELECT * FROM live;
DROP TRIGGER keep;
-- L2: and where a trigger keeps the versions, the aliases
CREATE TRIGGER keep BEFORE UPDATE ON hbscore_models BEGIN SELECT RAISE(IGNORE); END;
SELECT hbscore_drop('wine');
SELECT hbscore_drop('cancer', 1);
SELECT * FROM aliases;
DROP TRIGGER keep;
-- L1: deployed while a statement goes on
SELECT predict_json('wine', row) ->> 'model', CASE n WHEN 1 THEN hbscore_deploy('wine', 2) END FROM (SELECT 1 AS n UNION ALL SELECT 2), wine;
SELECT * FROM now;
-- L1: looked up for each row, a name follows
SELECT predict_json('wine' || iif(n = 9, '', ''), row) ->> 'model', hbscore_deploy('wine', n) FROM (SELECT 3 AS n UNION ALL SELECT 2), wine;
SELECT * FROM now;

-- S6: never from a view or a trigger of the file
CREATE VIEW v AS SELECT hbscore_deploy('wine', 3);
SELECT * FROM v;
CREATE TRIGGER t AFTER INSERT ON log BEGIN SELECT hbscore_deploy('wine', 3); END;
INSERT INTO log VALUES (5);
DROP TRIGGER t;
CREATE TABLE made(x DEFAULT (hbscore_deploy('wine', 3)));
INSERT INTO made DEFAULT VALUES;
SELECT * FROM now;
-- S6: a temp trigger may deploy, but not inside a function that writes
CREATE TEMP TRIGGER t AFTER INSERT ON main.log BEGIN SELECT hbscore_deploy('wine', 3); END;
INSERT INTO log VALUES (6);
SELECT * FROM now;
CREATE TEMP TRIGGER again AFTER UPDATE ON main.hbscore_aliases BEGIN SELECT hbscore_deploy('wine', 2); END;
SELECT hbscore_deploy('wine', 2);
DROP TRIGGER again;
CREATE TEMP TRIGGER again AFTER UPDATE ON main.hbscore_models BEGIN SELECT hbscore_deploy('cancer', 1); END;
SELECT hbscore_drop('wine');
DROP TRIGGER again;
DROP TRIGGER t;
SELECT * FROM now;
SELECT * FROM live;
-- S6: the private part of hbscore_drop does nothing for others
SELECT hbscore_drop_aliases('wine');
SELECT hbscore_drop_aliases(NULL);
SELECT * FROM aliases;

-- R3: read only
PRAGMA query_only = 1;
SELECT hbscore_deploy('wine', 2);
SELECT hbscore_drop('wine');
SELECT * FROM now;
PRAGMA query_only = 0;

-- : dropped with all aliases, the name is free for a new beginning, its numbers are not
SELECT hbscore_drop('wine');
SELECT * FROM aliases;
SELECT hbscore_drop('wine');
SELECT hbscore_deploy('wine', 2);
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT * FROM now;

-- L6: aliases that somebody wrote by hand
INSERT INTO hbscore_aliases VALUES ('wine', 'default', 2, NULL), ('wine', 'far', 99, NULL), ('wine', 'text', 'two', NULL), ('wine', 'real', 5.5, NULL),
    ('wine', 'blob', x'05', NULL), ('wine', 'negative', -5, NULL), ('wine', 'zero', 0, NULL), ('wine', 'huge', 9223372036854775807, x'00'),
    (x'77696e65', 'bytes', 5, 7), ('wine', x'676f6f64', 5, 7), ('wine', 'good', 5, 'never'), ('ghost', 'default', 1, NULL);
SELECT * FROM now;
SELECT predict('wine@default', row) FROM wine;
SELECT predict('wine@far', row) FROM wine;
SELECT predict('wine@text', row) FROM wine;
SELECT predict('wine@real', row) FROM wine;
SELECT predict('wine@blob', row) FROM wine;
SELECT predict('wine@negative', row) FROM wine;
SELECT predict('wine@zero', row) FROM wine;
SELECT predict('wine@huge', row) FROM wine;
SELECT predict('wine@bytes', row) FROM wine;
SELECT predict('ghost', row) FROM wine;
SELECT predict('ghost@1', row) FROM wine;
SELECT predict_json('wine@good', row) ->> 'model', predict_json('wine@5', row) ->> 'model' FROM wine;
SELECT hbscore_drop('wine', 2);
SELECT hbscore_deploy('wine', 5), hbscore_deploy('wine', 5, 'text'), hbscore_deploy('wine', 5, 'far');
SELECT predict_json('wine', row) ->> 'model', predict_json('wine@text', row) ->> 'model', predict_json('wine@far', row) ->> 'model' FROM wine;
SELECT hbscore_drop('wine', 5);
-- L6: the model that an alias names is damaged: neither scored nor deployed, nor is another one
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 7}');
SELECT hbscore_set('plan_cache_size', 0);
UPDATE hbscore_models SET model = x'7b7d' WHERE name = 'wine' AND version = 6;
SELECT hbscore_deploy('wine', 6);
SELECT * FROM now;
INSERT OR REPLACE INTO hbscore_aliases VALUES ('wine', 'default', 6, NULL);
SELECT * FROM now;
UPDATE hbscore_models SET model = 'text' WHERE name = 'wine' AND version = 6;
SELECT * FROM now;
SELECT hbscore_deploy('wine', 6, 'other');
DELETE FROM hbscore_models WHERE name = 'wine' AND version = 6;
SELECT * FROM now;
SELECT hbscore_drop('wine', 6);
DELETE FROM hbscore_models WHERE name = 'wine';
SELECT * FROM now;
SELECT hbscore_drop('wine');
DROP TABLE hbscore_models;
SELECT predict('wine', row) FROM wine;
SELECT hbscore_deploy('wine', 5);
DROP TABLE hbscore_aliases;

-- L7: a file without hbscore_aliases, of a former version: all goes on; the first deployment makes the table
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
DROP TABLE hbscore_aliases;
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 20}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 5}');
SELECT * FROM now;
SELECT predict_json('wine@2', row) ->> 'model' FROM wine;
SELECT predict('wine@default', row) FROM wine;
SELECT hbscore_drop('wine', 3);
SELECT hbscore_drop('wine', 3);
SELECT hbscore_deploy('wine', 9);
SELECT count(*) FROM sqlite_schema WHERE name = 'hbscore_aliases';
BEGIN;
SELECT hbscore_deploy('wine', 1);
SELECT * FROM now;
ROLLBACK;
SELECT * FROM now;
SELECT count(*) FROM sqlite_schema WHERE name = 'hbscore_aliases';
INSERT INTO log SELECT hbscore_deploy('wine', 1);
SELECT * FROM now;
SELECT hbscore_drop('wine', 1);
DROP TABLE hbscore_aliases;
SELECT * FROM now;
SELECT hbscore_drop('wine', 1), hbscore_drop('wine');
-- L7: the name taken by a view: not executed, and nothing is done
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
CREATE VIEW hbscore_aliases AS SELECT 'wine' AS name, 'default' AS alias, '' AS deployed_at,
    (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n) AS version;
SELECT * FROM now;
SELECT predict('wine@default', row) FROM wine;
SELECT predict_json('wine@4', row) ->> 'model' FROM wine;
SELECT hbscore_deploy('wine', 4);
SELECT hbscore_drop('wine', 4);
SELECT hbscore_drop('wine');
SELECT * FROM live;
DROP VIEW hbscore_aliases;
SELECT * FROM now;
-- L7: by a virtual table, by a table without our columns, with a generated one
CREATE VIRTUAL TABLE hbscore_aliases USING fts5(name, alias, version, deployed_at);
SELECT * FROM now;
SELECT hbscore_deploy('wine', 4);
DROP TABLE hbscore_aliases;
CREATE TABLE hbscore_aliases(name, alias, version);
SELECT * FROM now;
SELECT hbscore_deploy('wine', 4);
SELECT hbscore_drop('wine', 4);
SELECT hbscore_drop('wine');
DROP TABLE hbscore_aliases;
CREATE TABLE hbscore_aliases(name, alias, deployed_at, version AS (4));
SELECT * FROM now;
SELECT hbscore_drop('wine');
SELECT * FROM live;
DROP TABLE hbscore_aliases;
-- L7: in another case, with more columns, without types or a key: an ordinary table, in which nothing can be deployed
CREATE TABLE HBSCORE_ALIASES(more, Alias, deployed_AT, Version, NAME);
INSERT INTO hbscore_aliases VALUES (1, 'default', NULL, 4, 'wine'), (1, 'text', NULL, '4', 'wine'), (1, 'null', NULL, NULL, 'wine'),
    (1, 'twice', NULL, 4, 'wine'), (1, 'twice', NULL, 4, 'wine'), (1, NULL, NULL, 4, 'wine'), (1, 'default', NULL, 4, NULL);
SELECT * FROM now;
SELECT predict_json('wine@twice', row) ->> 'model' FROM wine;
SELECT predict('wine@text', row) FROM wine;
SELECT predict('wine@null', row) FROM wine;
SELECT hbscore_deploy('wine', 4);
SELECT hbscore_drop('wine', 4);
SELECT hbscore_drop('wine');
SELECT count(*) FROM hbscore_aliases;
DROP TABLE hbscore_aliases;
-- L7: taken before the first registration: that is refused, and makes nothing
DROP TABLE hbscore_models;
CREATE VIEW hbscore_aliases AS SELECT 1;
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT count(*) FROM sqlite_schema WHERE name = 'hbscore_models';
DROP VIEW hbscore_aliases;
-- L7: temp tables and attached files are never asked
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj')), hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 5}');
CREATE TEMP TABLE hbscore_aliases(name, alias, version, deployed_at);
INSERT INTO temp.hbscore_aliases VALUES ('wine', 'default', 1, NULL);
SELECT * FROM now;
SELECT hbscore_deploy('wine', 2);
SELECT count(*) FROM temp.hbscore_aliases;
SELECT hbscore_drop('wine', 1);
DROP TABLE temp.hbscore_aliases;
ATTACH 'aliases.db' AS other;
CREATE TABLE other.hbscore_aliases AS SELECT * FROM main.hbscore_aliases;
UPDATE other.hbscore_aliases SET version = 1;
SELECT * FROM now;
DETACH other;
-- L7: triggers that ignore the row, or change it
CREATE TRIGGER ignored BEFORE INSERT ON hbscore_aliases BEGIN SELECT RAISE(IGNORE); END;
SELECT hbscore_deploy('wine', 2, 'new');
DROP TRIGGER ignored;
CREATE TRIGGER changed AFTER INSERT ON hbscore_aliases BEGIN UPDATE hbscore_aliases SET version = 1 WHERE alias = 'new'; END;
SELECT hbscore_deploy('wine', 2, 'new');
SELECT predict('wine@new', row) FROM wine;
DROP TRIGGER changed;
-- L7: columns renamed and tables made again under statements that are prepared
DROP VIEW aliases;
ALTER TABLE hbscore_aliases RENAME COLUMN version TO number;
SELECT * FROM now;
ALTER TABLE hbscore_aliases RENAME COLUMN number TO version;
SELECT * FROM now;
ALTER TABLE hbscore_aliases RENAME TO kept;
SELECT * FROM now;
ALTER TABLE kept RENAME TO hbscore_aliases;
VACUUM;
SELECT * FROM now;
PRAGMA integrity_check;
