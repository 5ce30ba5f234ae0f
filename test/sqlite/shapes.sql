-- Where predict may stand, and what SQLite refuses. Scores are compared with XGBoost's own (demo/expected).
.nullvalue NULL
.read demo/tables.sql
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT hbscore_register('titanic other', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"], "rounds": 1}');
CREATE TABLE want AS SELECT id, p_survived AS p, label FROM titanic_expected;
CREATE INDEX titanic_fare ON titanic(fare);

-- : WHERE, CASE, COALESCE, GROUP BY, HAVING, ORDER BY, DISTINCT, window, compound, aggregate with FILTER
SELECT count(*) = (SELECT count(*) FROM want WHERE p > 0.5) FROM titanic
WHERE predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked) > 0.5;
SELECT sum(CASE WHEN t.id % 2 THEN predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked) = p
           ELSE predict('titanic', pclass, sex, age, sibsp, parch, fare, embarked) = label END) FROM titanic AS t JOIN want USING (id);
SELECT coalesce(predict(NULL, 1), predict('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) = label FROM titanic JOIN want USING (id) LIMIT 1;
SELECT predict('titanic', pclass, sex, age, sibsp, parch, fare, embarked) AS predicted, count(*) FROM titanic GROUP BY predicted
EXCEPT SELECT label, count(*) FROM want GROUP BY label;
SELECT count(*) FROM (SELECT pclass FROM titanic GROUP BY pclass HAVING max(predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked)) > 2);
SELECT group_concat(id) = (SELECT group_concat(id) FROM (SELECT id FROM want ORDER BY p DESC, id LIMIT 20)) FROM
    (SELECT id FROM titanic ORDER BY predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked) DESC, id LIMIT 20);
SELECT DISTINCT typeof(predict('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) FROM titanic;
SELECT count(*) FILTER (WHERE predict('titanic', pclass, sex, age, sibsp, parch, fare, embarked) = label) FROM titanic JOIN want USING (id);
SELECT sum(s = p) FROM (SELECT id, max(predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked)) OVER (PARTITION BY id) AS s FROM titanic) JOIN want USING (id);
SELECT count(*) FROM (SELECT predict('titanic', 1, 'male', 1, 0, 0, 1, 'S') UNION ALL SELECT predict('titanic', 1, 'male', 1, 0, 0, 1, 'S'));
-- : two calls with two models in one row
SELECT sum(predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked) = p), sum(predict_probability('titanic other', 'survived', pclass, sex, age, sibsp, parch, fare, embarked) = p) < 100
FROM titanic JOIN want USING (id);

-- : sources: WITHOUT ROWID, views, CTEs, join, correlated sub-query, VALUES, json_each, none, empty
CREATE TABLE keyed(id PRIMARY KEY, row) WITHOUT ROWID;
INSERT INTO keyed SELECT id, json_array(pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic;
SELECT sum(predict_probability('titanic', 'survived', row) = p) FROM keyed JOIN want USING (id);
WITH s AS MATERIALIZED (SELECT id, predict_probability('titanic', 'survived', row) AS s FROM keyed)
SELECT sum(s = p), count(*) FILTER (WHERE s > 0.5) = (SELECT count(*) FROM want WHERE p > 0.5) FROM s JOIN want USING (id);
SELECT sum((SELECT predict_probability('titanic', 'survived', k.row) FROM keyed AS k WHERE k.id = w.id) = w.p) FROM want AS w;
SELECT predict_probability('titanic', 'survived', column1, column2, column3, 0, 0, 211.3375, 'S') = p FROM (VALUES (1, 'female', 29)), want WHERE id = 1;
SELECT sum(predict_probability('titanic', 'survived', value) = p) FROM json_each((SELECT json_group_array(json(row)) FROM (SELECT row FROM keyed ORDER BY id))) AS j JOIN want ON want.id = j.key + 1;
SELECT count(predict('no such model', 1)) FROM titanic WHERE 0;
SELECT predict('titanic', id) FROM titanic LIMIT 0;

-- : writes: UPDATE, INSERT SELECT, UPSERT, RETURNING, CREATE TABLE AS
ALTER TABLE titanic ADD COLUMN score;
UPDATE titanic SET score = predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked);
SELECT sum(score = p) FROM titanic JOIN want USING (id);
CREATE TABLE scores(id INTEGER PRIMARY KEY, s);
INSERT INTO scores SELECT id, predict_probability('titanic', 'survived', row) FROM keyed WHERE id <= 10;
INSERT INTO scores SELECT id, predict_probability('titanic', 'survived', row) FROM keyed WHERE id <= 20 ON CONFLICT(id) DO UPDATE SET s = excluded.s + 0;
SELECT sum(s = p), count(*) FROM scores JOIN want USING (id);
INSERT INTO scores SELECT id, 0 FROM keyed WHERE id = 21 RETURNING predict_probability('titanic', 'survived', (SELECT row FROM keyed WHERE keyed.id = scores.id)) = (SELECT p FROM want WHERE want.id = scores.id);
-- : a statement that fails in the middle changes nothing
UPDATE titanic SET score = predict_probability('titanic', 'survived', pclass, CASE id WHEN 1000 THEN 'neither' ELSE sex END, age, sibsp, parch, fare, embarked) + 1;
SELECT sum(score = p) FROM titanic JOIN want USING (id);

-- S6: a view and a trigger are fine
CREATE VIEW scored AS SELECT id, predict_probability('titanic', 'survived', row) AS s FROM keyed;
SELECT sum(s = p) FROM scored JOIN want USING (id);
SELECT count(*) FROM scored WHERE s IN (SELECT p FROM want);
CREATE TRIGGER score_it AFTER INSERT ON keyed BEGIN INSERT OR REPLACE INTO scores SELECT new.id, predict_probability('titanic', 'survived', new.row); END;
INSERT INTO keyed SELECT -id, row FROM keyed WHERE id <= 3;
SELECT count(*), sum(s = p) FROM scores JOIN want ON want.id = -scores.id WHERE scores.id < 0;
-- S6: a new version changes what they give: they hold a name, not a model
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"], "rounds": 1}');
SELECT sum(s = p) < 100 FROM scored JOIN want USING (id);
SELECT hbscore_drop('titanic', 2);
SELECT sum(s = p) FROM scored JOIN want USING (id);
-- S6: DEFAULT, and CHECK, which SQLite does not refuse: a new version can make it false
CREATE TABLE defaults(id, s DEFAULT (predict_probability('titanic', 'survived', 1, 'female', 29, 0, 0, 211.3375, 'S')));
INSERT INTO defaults(id) VALUES (1);
SELECT s = p FROM defaults JOIN want USING (id);
CREATE TABLE checked(row CHECK (predict_probability('titanic', 'survived', row) > 0.5));
INSERT INTO checked SELECT row FROM keyed WHERE id = 1;
INSERT INTO checked SELECT row FROM keyed JOIN want USING (id) WHERE p < 0.5 LIMIT 1;
SELECT count(*) FROM checked;
-- S6: refused in an index, a partial index, a generated column: they would go stale
CREATE INDEX i ON keyed(predict('titanic', row));
CREATE INDEX i ON keyed(id) WHERE predict('titanic', row) = 'died';
CREATE TABLE generated(row, s AS (predict('titanic', row)));
CREATE TABLE generated(row, s AS (predict('titanic', row)) STORED);
CREATE INDEX i ON keyed(predict_json('titanic', row));
-- S6: what writes or sets is for top-level statements only
CREATE VIEW registers AS SELECT hbscore_register('x', readfile('demo/models/wine.ubj'));
SELECT * FROM registers;
CREATE VIEW drops AS SELECT hbscore_drop('titanic');
SELECT * FROM drops;
CREATE VIEW sets AS SELECT hbscore_set('max_model_size', 1);
SELECT * FROM sets;
CREATE TRIGGER drops_it AFTER DELETE ON keyed BEGIN SELECT hbscore_drop('titanic'); END;
DELETE FROM keyed WHERE id = 5;
CREATE VIEW gets AS SELECT hbscore_get('max_model_size');
SELECT * FROM gets;
-- S6: a temp trigger may; it cannot call itself for ever
CREATE TEMP TRIGGER again AFTER INSERT ON hbscore_models BEGIN SELECT hbscore_register('again', new.model); END;
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT count(*) FROM hbscore_models WHERE name IN ('wine', 'again');
DROP TRIGGER again;
CREATE TEMP TRIGGER score_new AFTER INSERT ON hbscore_models BEGIN UPDATE scores SET s = predict_probability(new.name, 'survived', (SELECT row FROM keyed WHERE id = 1)) WHERE id = 1; END;
SELECT hbscore_register('titanic new', readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
SELECT s = p FROM scores JOIN want USING (id) WHERE id = 1;
