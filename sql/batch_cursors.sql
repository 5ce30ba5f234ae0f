-- By itself (auto) a cursor over one table has no blocks, so that WHERE CURRENT OF works, however many rows there are.
SET hbscore.batch = auto;
SET hbscore.strategy = tt;
CREATE TABLE changed AS SELECT i AS id, i::float8 AS a, NULL::float8 AS score FROM generate_series(1, 1407) AS i;
CREATE TABLE changed_parts (id int, a float8, score float8) PARTITION BY RANGE (id);
CREATE TABLE changed_1 PARTITION OF changed_parts FOR VALUES FROM (1) TO (700);
CREATE TABLE changed_2 PARTITION OF changed_parts FOR VALUES FROM (700) TO (2000);
INSERT INTO changed_parts SELECT * FROM changed;
ANALYZE changed, changed_parts;
EXPLAIN (COSTS OFF) SELECT id, predict('number', a, 1, 2, 3) AS score FROM changed;
CREATE PROCEDURE score_changed() LANGUAGE plpgsql AS $$
DECLARE
    c CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) AS score FROM changed;
    conditional CURSOR FOR SELECT id FROM changed WHERE predict('number', a, 1, 2, 3) > 0;
    parts CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) AS score FROM changed_parts WHERE predict('number', a, 1, 2, 3) > 0 LIMIT 1400;
    opened refcursor;
    number int;
    found float8;
BEGIN
    FOR r IN c LOOP
        UPDATE changed SET score = r.score WHERE CURRENT OF c;
    END LOOP;
    FOR r IN conditional LOOP
        UPDATE changed SET a = -a WHERE CURRENT OF conditional;
    END LOOP;
    FOR r IN parts LOOP
        UPDATE changed_parts SET score = r.score WHERE CURRENT OF parts;
    END LOOP;
    OPEN opened FOR SELECT id, predict('number', a, 1, 2, 3) FROM changed;
    FETCH opened INTO number, found;
    DELETE FROM changed WHERE CURRENT OF opened;
END $$;
CALL score_changed();
SELECT count(*), count(score), bool_and(score = predict('number', -a, 1, 2, 3)) AS same FROM changed;
SELECT count(*), count(score), bool_and(score = predict('number', a, 1, 2, 3)) AS same FROM changed_parts WHERE score IS NOT NULL;
-- : such a cursor goes back without SCROLL too
BEGIN;
DECLARE c CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) > 0 AS scored FROM changed;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
ROLLBACK;
-- : of a join, an aggregate or a sort WHERE CURRENT OF cannot be asked: blocks
EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) FROM changed;
EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) FROM changed FOR UPDATE;
EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT count(predict('number', a, 1, 2, 3)) FROM changed;
EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) FROM changed ORDER BY 2;
EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT id, predict('number', o.a, 1, 2, 3) FROM changed AS o JOIN changed AS other USING (id);
SET hbscore.batch = on;
EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) FROM changed;

-- : a cursor of a session's first query, which knows the model from a view only: its plan was made before the library was loaded
CREATE VIEW scores AS SELECT id, predict('number', a, 1, 2, 3) AS score FROM changed;
\c
SET hbscore.batch = auto;
BEGIN;
DECLARE current NO SCROLL CURSOR FOR SELECT id FROM scores WHERE score > 0;
FETCH 3 FROM current;
UPDATE changed SET a = 0 WHERE CURRENT OF current RETURNING id;
ROLLBACK;
DROP VIEW scores;
DROP PROCEDURE score_changed();
DROP TABLE changed, changed_parts;
