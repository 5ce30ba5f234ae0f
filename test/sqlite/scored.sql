-- CREATE VIRTUAL TABLE .. USING hbscore(model=, source=).
.nullvalue NULL
.read demo/tables.sql
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('nameless', readfile('test/golden/xgboost/regressor_34.json'));
SELECT hbscore_register('targets', readfile('test/golden/xgboost/targets_in_leaf_34.json'));
SELECT hbscore_register('it''s "a" mødel', readfile('test/golden/xgboost/regressor_34.json'));
CREATE TABLE want AS SELECT id, p_survived AS p, label FROM titanic_expected;

-- : the table's columns and the scores; XGBoost's own numbers
CREATE VIRTUAL TABLE scored USING hbscore(model='titanic', source='titanic');
SELECT count(*), sum(prediction = label) FROM scored JOIN want USING (id);
SELECT * FROM scored LIMIT 2;
SELECT name, type FROM pragma_table_info('scored');
EXPLAIN QUERY PLAN SELECT id, prediction FROM scored WHERE pclass = 1 AND sex = 'female' AND fare BETWEEN 10 AND 20 AND age IN (20, 21) ORDER BY fare DESC, id LIMIT 3;
EXPLAIN QUERY PLAN SELECT id FROM scored WHERE age IS NULL;
EXPLAIN QUERY PLAN SELECT id FROM scored WHERE probability > 0.9 AND age IS NOT NULL AND sex LIKE 'f%';
-- : it stores nothing: the source's rows and the model are those of now
BEGIN;
UPDATE titanic SET sex = 'male' WHERE id = 1;
SELECT prediction FROM scored WHERE id = 1;
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["no", "yes"]}');
SELECT prediction FROM scored WHERE id = 1;
ROLLBACK;
SELECT prediction FROM scored WHERE id = 1;
-- : ways to write the arguments
CREATE VIRTUAL TABLE w1 USING hbscore(model="titanic@1", source="titanic");
CREATE VIRTUAL TABLE w2 USING hbscore( source = titanic , MODEL = titanic );
CREATE VIRTUAL TABLE w3 USING hbscore(
  source = 'TITANIC',
  model = 'titanic'
);
SELECT (SELECT prediction FROM w1), (SELECT prediction FROM w2), (SELECT prediction FROM w3);
CREATE TABLE "the ""table"", it's ø"("select" , "b""c", "ø d" TEXT, [x]);
INSERT INTO "the ""table"", it's ø" VALUES (-1.25, 7.5, NULL, 3), (1, 2, '3', 4);
CREATE VIRTUAL TABLE "t ""1"" ø" USING hbscore(model='it''s "a" mødel', source='the "table", it''s ø');
SELECT count(*), typeof("select"), count(prediction), probability FROM "t ""1"" ø" WHERE "b""c" > 0 AND "ø d" = '3' ORDER BY "select";
EXPLAIN QUERY PLAN SELECT "select" FROM "t ""1"" ø" WHERE "ø d" = '3' ORDER BY "b""c";
-- S7: bad arguments
CREATE VIRTUAL TABLE bad USING hbscore;
CREATE VIRTUAL TABLE bad USING hbscore();
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic');
CREATE VIRTUAL TABLE bad USING hbscore(source='titanic');
CREATE VIRTUAL TABLE bad USING hbscore('titanic', 'titanic');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='titanic', rows=5);
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source=titanic WHERE id < 5);
CREATE VIRTUAL TABLE bad USING hbscore(model='', source='titanic');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanci', source='titanic');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic@7', source='titanic');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='SELECT * FROM titanic');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='no such table');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='sqlite_master');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='pragma_table_list');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='hbscore_scan');
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='bad');
SELECT count(*) FROM sqlite_master WHERE name = 'bad';
-- S1: a column serves one feature
SELECT hbscore_register('cases', readfile('test/golden/xgboost/regressor_34.json'), '{"features": ["A", "a", "Bc", "bC"]}');
CREATE TABLE cases (id INTEGER PRIMARY KEY, A, Bc, x, y);
INSERT INTO cases VALUES (1, 1, 3, 4, 5);
CREATE VIRTUAL TABLE served USING hbscore(model='cases', source='cases');
SELECT prediction FROM served;
ALTER TABLE cases RENAME A TO w;
SELECT prediction FROM served;
DROP TABLE served;
DROP TABLE cases;
SELECT hbscore_drop('cases');
-- S1: columns that are missing, ambiguous, or named as the scores: said when it is read, or made
CREATE TABLE few AS SELECT id, pclass, sex FROM titanic;
CREATE VIRTUAL TABLE few_scored USING hbscore(model='titanic', source='few');
SELECT id, sex FROM few_scored LIMIT 1;
SELECT id, prediction FROM few_scored LIMIT 1;
CREATE TABLE swapped AS SELECT sex, pclass, age, sibsp, parch, fare, 1 AS e FROM titanic;
CREATE VIRTUAL TABLE swapped_scored USING hbscore(model='titanic', source='swapped');
SELECT prediction FROM swapped_scored LIMIT 1;
CREATE TABLE placed AS SELECT pclass AS a, sex AS b, age AS c, sibsp AS d, parch AS e, fare AS f, embarked AS g FROM titanic;
CREATE VIRTUAL TABLE placed_scored USING hbscore(model='titanic', source='placed');
SELECT count(*), sum(prediction = label) FROM placed_scored JOIN want ON id = placed_scored.rowid;
CREATE TABLE clash(prediction, a);
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='clash');
CREATE VIEW clashing AS SELECT *, 1 AS Probability FROM titanic;
CREATE VIRTUAL TABLE bad USING hbscore(model='titanic', source='clashing');
CREATE VIRTUAL TABLE n USING hbscore(model='nameless', source='titanic');
SELECT prediction FROM n LIMIT 1;
CREATE VIRTUAL TABLE m USING hbscore(model='targets', source='placed');
SELECT prediction FROM m LIMIT 1;
SELECT a FROM m LIMIT 1;
-- : read-only
INSERT INTO scored(id) VALUES (1);
UPDATE scored SET fare = 1;
DELETE FROM scored;
CREATE INDEX i ON scored(fare);
ALTER TABLE scored ADD COLUMN x;
ALTER TABLE scored RENAME TO renamed;
SELECT count(prediction) FROM renamed;
ALTER TABLE renamed RENAME TO scored;
-- L1: the model is dropped, and made again
SELECT hbscore_register('short', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
CREATE VIRTUAL TABLE short_lived USING hbscore(model='short', source='titanic');
SELECT hbscore_drop('short');
SELECT prediction FROM short_lived LIMIT 1;
SELECT id FROM short_lived LIMIT 1;
SELECT hbscore_register('short', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT prediction FROM short_lived LIMIT 1;
DROP TABLE short_lived;
-- B9: the source is altered, dropped, made again with other columns
CREATE TABLE source AS SELECT * FROM titanic WHERE id <= 40;
CREATE VIRTUAL TABLE watched USING hbscore(model='titanic', source='source');
SELECT count(prediction) FROM watched;
DROP TABLE source;
SELECT count(prediction) FROM watched;
SELECT count(*) FROM watched;
CREATE TABLE source(id, other);
SELECT id, fare FROM watched;
PRAGMA writable_schema = RESET;
SELECT id, other FROM watched;
SELECT prediction FROM watched;
DROP TABLE source;
PRAGMA writable_schema = RESET;
SELECT * FROM watched;
DROP TABLE watched;
-- B9: tables that read from each other
CREATE VIEW a AS SELECT id, pclass, sex, age, sibsp, parch, fare, embarked FROM titanic;
CREATE VIRTUAL TABLE over_a USING hbscore(model='titanic', source='a');
DROP VIEW a;
CREATE VIEW a AS SELECT id, pclass, sex, age, sibsp, parch, fare, embarked FROM over_a;
SELECT prediction FROM over_a LIMIT 1;
PRAGMA writable_schema = RESET;
SELECT prediction FROM over_a LIMIT 1;
SELECT * FROM a LIMIT 1;
DROP TABLE over_a;
DROP VIEW a;
-- B5: rows known again: OR, RIGHT JOIN, rowid
CREATE INDEX by_fare ON titanic(fare);
CREATE VIRTUAL TABLE fast USING hbscore(model='titanic', source='titanic');
SELECT (SELECT count(*) FROM fast WHERE fare = 7.75 OR id IN (1, 2)) = (SELECT count(*) FROM titanic WHERE fare = 7.75 OR id IN (1, 2));
SELECT count(*), count(f.id) FROM (SELECT 3 AS id UNION ALL SELECT -3) AS o FULL JOIN fast AS f ON f.id = o.id;
CREATE VIEW w AS SELECT * FROM titanic;
CREATE VIRTUAL TABLE over_w USING hbscore(model='titanic', source='w');
SELECT (SELECT count(*) FROM over_w WHERE fare = 7.75 OR id IN (1, 2)) = (SELECT count(*) FROM titanic WHERE fare = 7.75 OR id IN (1, 2));
SELECT count(*) FROM (SELECT 3 AS id) AS o RIGHT JOIN over_w AS f ON f.id = o.id;
SELECT rowid FROM over_w;
CREATE TABLE shadowed(rowid, oid, pclass, sex, age, sibsp, parch, fare, embarked);
INSERT INTO shadowed SELECT 1, 2, pclass, sex, age, sibsp, parch, fare, embarked FROM titanic;
CREATE INDEX shadowed_fare ON shadowed(fare);
CREATE INDEX shadowed_class ON shadowed(pclass);
CREATE VIRTUAL TABLE shadowed_scored USING hbscore(model='titanic', source='shadowed');
SELECT (SELECT count(*) FROM shadowed_scored WHERE fare = 7.75 OR pclass = 1) = (SELECT count(*) FROM shadowed WHERE fare = 7.75 OR pclass = 1);
-- B4: a volatile expression in a view has one value, which is both shown and scored
CREATE VIEW shaky AS SELECT id, pclass, sex, age, sibsp, parch, abs(random() % 100) AS fare, embarked FROM titanic;
CREATE VIRTUAL TABLE shaky_scored USING hbscore(model='titanic', source='shaky');
SELECT count(*), sum(prediction = predict('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) FROM shaky_scored;
-- : a STRICT table's ANY keeps its types; a table's ANY is NUMERIC
CREATE TABLE loose(x ANY, n INTEGER PRIMARY KEY);
CREATE TABLE tight(x ANY, n INTEGER PRIMARY KEY) STRICT;
INSERT INTO loose VALUES ('1', 1), (1, 2), ('a', 3);
INSERT INTO tight VALUES ('1', 1), (1, 2), ('a', 3);
CREATE VIRTUAL TABLE loose_scored USING hbscore(model='titanic', source='loose');
CREATE VIRTUAL TABLE tight_scored USING hbscore(model='titanic', source='tight');
SELECT (SELECT group_concat(n) FROM loose WHERE x = '1'), (SELECT group_concat(n) FROM loose_scored WHERE x = '1'), (SELECT group_concat(n) FROM tight WHERE x = '1'), (SELECT group_concat(n) FROM tight_scored WHERE x = '1');
-- : one query on one table does not open all others; a table with a PRAGMA's name does no harm
CREATE TABLE pragma_index_list(a);
CREATE VIEW pragma_table_info AS SELECT 1 AS name, 1 AS pk;
PRAGMA writable_schema = RESET;
SELECT count(prediction) FROM scored;
DROP TABLE pragma_index_list;
DROP VIEW pragma_table_info;
-- B1: a bad cell in the middle: LIMIT before it ends well
CREATE TABLE spoilt AS SELECT * FROM titanic;
UPDATE spoilt SET age = x'00' WHERE id = 200;
CREATE VIRTUAL TABLE spoilt_scored USING hbscore(model='titanic', source='spoilt');
SELECT count(*) FROM (SELECT prediction FROM spoilt_scored LIMIT 199);
SELECT count(*) FROM (SELECT prediction FROM spoilt_scored LIMIT 200);
SELECT count(*) FROM spoilt_scored WHERE prediction = 'died' AND id < 200;
SELECT count(*) FROM spoilt_scored;
-- L7: an attached file's table uses that file's models; a temporary one those of main
ATTACH ':memory:' AS aux;
CREATE TABLE aux.titanic AS SELECT * FROM main.titanic WHERE id <= 5;
CREATE VIRTUAL TABLE aux.scored2 USING hbscore(model='titanic', source='titanic');
CREATE TABLE aux.hbscore_models AS SELECT * FROM main.hbscore_models;
CREATE VIRTUAL TABLE aux.scored2 USING hbscore(model='titanic', source='titanic');
UPDATE aux.hbscore_models SET options = replace(options, 'died', 'sank') WHERE name = 'titanic';
SELECT sum(prediction = 'died'), count(*) FROM aux.scored2;
CREATE VIRTUAL TABLE temp.near USING hbscore(model='titanic', source='titanic');
SELECT count(prediction) FROM near;
CREATE TEMP TABLE hidden AS SELECT * FROM titanic WHERE id <= 7;
CREATE VIRTUAL TABLE temp.nearer USING hbscore(model='titanic', source='hidden');
SELECT count(prediction) FROM nearer;
CREATE VIRTUAL TABLE far USING hbscore(model='titanic', source='hidden');
