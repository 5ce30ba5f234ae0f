-- A plan that was made before the library was loaded is put right before it runs; but not that of a cursor which was then
-- promised to go back. (Where the library is loaded as the session begins, the cursor is none that can.)
CREATE TABLE rising AS SELECT i AS id, i::float8 AS a FROM generate_series(1, 100) AS i;
CREATE VIEW scores AS SELECT id, predict('number', a, 1, 2, 3) AS score FROM rising;
\c
SET hbscore.batch = on;
BEGIN;
DECLARE implicit CURSOR FOR SELECT id FROM scores WHERE score > 0;
FETCH 3 FROM implicit;
FETCH BACKWARD 1 FROM implicit;
ROLLBACK;
DROP VIEW scores;
DROP TABLE rising;
