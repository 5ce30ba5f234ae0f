-- Cursors, prepared statements, a session's first query: what is planned when, and which version a statement uses.
SET hbscore.batch = on;
SET hbscore.strategy = tt;
CREATE TABLE rising (id int PRIMARY KEY, a float8);
INSERT INTO rising SELECT i, i FROM generate_series(1, 100) AS i;
ANALYZE rising;

-- : cursors forward; SCROLL goes back too; without it a cursor over blocks cannot
BEGIN;
DECLARE forward CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) IS NOT NULL AS scored FROM rising;
FETCH 2 FROM forward;
MOVE 40 IN forward;
FETCH 1 FROM forward;
FETCH BACKWARD 1 FROM forward;
ROLLBACK;
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) IS NOT NULL AS scored FROM rising;
FETCH 50 FROM back \g /dev/null
FETCH BACKWARD 2 FROM back;
FETCH FIRST FROM back;
FETCH LAST FROM back;
FETCH PRIOR FROM back;
FETCH ABSOLUTE 33 FROM back;
COMMIT;
BEGIN;
DECLARE kept CURSOR WITH HOLD FOR SELECT id FROM rising WHERE predict('number', a, 1, 2, 3) > 0 ORDER BY id;
FETCH 1 FROM kept;
COMMIT;
FETCH 1 FROM kept;
CLOSE kept;

-- : with blocks, WHERE CURRENT OF takes a cursor FOR UPDATE
BEGIN;
DECLARE plain CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) FROM rising;
FETCH 3 FROM plain \g /dev/null
SAVEPOINT s;
UPDATE rising SET a = -1 WHERE CURRENT OF plain;
ROLLBACK TO s;
DECLARE locking CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) FROM rising FOR UPDATE;
FETCH 3 FROM locking \g /dev/null
UPDATE rising SET a = -1 WHERE CURRENT OF locking RETURNING id;
SET LOCAL hbscore.batch = off;
DECLARE by_row CURSOR FOR SELECT id, predict('number', a, 1, 2, 3) FROM rising;
FETCH 5 FROM by_row \g /dev/null
UPDATE rising SET a = -2 WHERE CURRENT OF by_row RETURNING id;
ROLLBACK;

-- : a cursor goes on with the version that it began with
SELECT hbscore.register('changing', file('test/golden/xgboost/regressor_34.json'));
BEGIN;
DECLARE c CURSOR FOR SELECT predict('changing', a, 1, 2, 3) = predict('number', a, 1, 2, 3) AS first, (SELECT version FROM hbscore.aliases WHERE name = 'changing') AS seen FROM rising;
FETCH 1 FROM c;
SELECT hbscore.register('changing', file('test/golden/lightgbm/regression_47.txt'));
FETCH 1 FROM c;
MOVE 60 IN c;
FETCH 1 FROM c;
SELECT hbscore.drop('changing', 1);
MOVE 30 IN c;
FETCH 1 FROM c;
ROLLBACK;
SELECT hbscore.drop('changing');

-- : prepared statements, with the plan for all parameters: values, the model, a limit
SET plan_cache_mode = force_generic_plan;
PREPARE by_value (float8) AS SELECT count(*) FROM rising WHERE predict('number', a, $1, 2, 3) > 0;
EXPLAIN (COSTS OFF) EXECUTE by_value (1);
EXECUTE by_value (1);
PREPARE by_model (model_ref) AS SELECT count(predict($1, a, 1, 2, 3)), min(a) FROM rising;
EXECUTE by_model ('number');
EXECUTE by_model ('number@1');
EXECUTE by_model ('nobody');
EXECUTE by_model (NULL);
PREPARE limited (int) AS SELECT id FROM rising WHERE predict('number', a, 1, 2, 3) > 0 ORDER BY id LIMIT $1;
EXECUTE limited (3);
-- : the plan was made by the setting of its time
SET hbscore.batch = off;
EXPLAIN (COSTS OFF) EXECUTE by_value (1);
SET hbscore.batch = on;
DEALLOCATE ALL;
RESET plan_cache_mode;

-- : PL/pgSQL: loops, and a function that is called for each row
CREATE FUNCTION summed(n int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    r record;
    s float8 := 0;
BEGIN
    FOR r IN SELECT predict('number', a, n, 2, 3) AS score FROM rising WHERE id <= n LOOP
        s := s + r.score;
    END LOOP;
    RETURN s;
END $$;
SELECT n, summed(n) = (SELECT sum(predict('number', a, n, 2, 3)) FROM rising WHERE id <= n) AS same FROM generate_series(30, 70, 20) AS n;
DROP FUNCTION summed(int);

-- : what a command of the same transaction has written is seen, and no more
BEGIN;
INSERT INTO rising SELECT id + 100, predict('number', a, 1, 2, 3) FROM rising;
UPDATE rising SET a = predict('number', a, 1, 2, 3) WHERE id > 100 AND predict('number', a, 1, 2, 3) > 0;
SELECT count(*), count(predict('number', a, 1, 2, 3)) FROM rising;
ROLLBACK;

-- : a session whose first query knows the model from a view only: no literal of it is read, so the library comes when the
-- : query is planned, too late for the plan; it is put right before it runs
CREATE VIEW scores AS SELECT id, predict('number', a, 1, 2, 3) AS score FROM rising;
\c
SET hbscore.batch = on;
SET hbscore.strategy = tt;
EXPLAIN (COSTS OFF) SELECT count(score) FROM scores;
EXPLAIN (COSTS OFF) SELECT count(score) FROM scores;
\c
SET hbscore.batch = on;
SET hbscore.strategy = tt;
SET plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT count(score) FROM scores;
EXPLAIN (COSTS OFF) EXECUTE p;
EXECUTE p;
EXPLAIN (COSTS OFF) EXECUTE p;

-- : the setting for tests is not among those that are shown
SELECT name FROM pg_settings WHERE name LIKE 'hbscore.%' AND name NOT LIKE 'hbscore.fault%' ORDER BY name COLLATE "C";
DROP VIEW scores;
DROP TABLE rising;
