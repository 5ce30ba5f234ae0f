-- trusted_schema: what a view, trigger, DEFAULT or CHECK of a stranger's file may call.
.nullvalue NULL
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
CREATE TABLE wines(id INTEGER PRIMARY KEY, row, s DEFAULT (predict('wine', '[1,2,3,4,5,6,7,8,9,10,11,12,13]')));
CREATE TABLE checked(row CHECK (predict('wine', row) IS NOT NULL));
INSERT INTO wines VALUES (1, '[14.23,1.71,2.43,15.6,127.0,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065.0]', NULL);
CREATE VIEW scored AS SELECT id, predict('wine', row) AS s FROM wines;
CREATE VIEW inspected AS SELECT role, count(*) FROM hbscore_inspect((SELECT model FROM hbscore_models)) GROUP BY role;
CREATE TRIGGER score_it AFTER UPDATE ON wines BEGIN SELECT predict('wine', new.row); END;
CREATE TEMP VIEW mine AS SELECT id, predict('wine', row) AS s FROM wines;

-- S6: trusted, as is the default: all may be used (XGBoost's label of the first wine is barolo, class 0)
PRAGMA trusted_schema = 1;
SELECT * FROM scored;
SELECT count(*) FROM inspected;
UPDATE wines SET s = 1;
INSERT INTO wines(id, row) SELECT 2, row FROM wines;
INSERT INTO checked SELECT row FROM wines;
SELECT * FROM mine;
-- L7: not trusted: neither views nor triggers nor defaults of the file; direct calls and temp views go on
PRAGMA trusted_schema = 0;
SELECT * FROM scored;
SELECT count(*) FROM inspected;
UPDATE wines SET s = 1;
INSERT INTO wines(id, row) SELECT 3, row FROM wines WHERE id = 1;
SELECT predict('wine', row) FROM wines WHERE id = 1;
SELECT * FROM mine WHERE id = 1;
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT predict_json('wine', row) ->> 'model' FROM wines WHERE id = 1;
-- L7: SQLite runs a CHECK all the same: the flag is no complete fence
INSERT INTO checked SELECT row FROM wines;
SELECT count(*) FROM checked;
