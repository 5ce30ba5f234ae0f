-- What is evaluated for which rows: a statement that works row by row works in blocks, whatever its calls' arguments raise.
-- (test/postgres/hidden_rows.sql asks the same of rows that row security hides.)
CREATE TABLE divided (id int PRIMARY KEY, x int, y float8, t text);
-- From the 20th row on x is 0 in every tenth, and t is no number; y is 0 where x is, or else 1.
INSERT INTO divided SELECT i, CASE WHEN i > 19 AND i % 10 = 0 THEN 0 ELSE 1 END, CASE WHEN i > 19 AND i % 10 = 0 THEN 0 ELSE 1 END, CASE WHEN i > 19 AND i % 10 = 0 THEN 'none' ELSE i::text END FROM generate_series(1, 3000) AS i;
CREATE TABLE none (x int);
ANALYZE divided;
ANALYZE none;
SELECT y, predict('number', y, 5, 1, 2) > 10090 AS high FROM divided WHERE id IN (1, 20);

-- What a statement gives by each setting: its rows, and whether blocks are in its plan. It is undone.
CREATE FUNCTION outcome(query text, batch text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    blocks boolean := false;
    n bigint;
    said text;
BEGIN
    PERFORM set_config('hbscore.batch', batch, true);
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        blocks := blocks OR line ~ 'HbPredict';
    END LOOP;
    EXECUTE query;
    GET DIAGNOSTICS n = ROW_COUNT;
    said := n || ' rows';
    RAISE SQLSTATE 'HB000';
EXCEPTION
    WHEN others THEN RETURN coalesce(said, SQLERRM) || CASE WHEN blocks THEN ' in blocks' ELSE ' by row' END;
END $$;
CREATE TABLE statement (number serial, query text);
INSERT INTO statement (query) VALUES
    ('SELECT predict(''number'', 1 / x, y, 1, 2) FROM divided'),
    ('SELECT predict(''number'', 1 / x, y, 1, 2) FROM divided WHERE x <> 0'),
    ('SELECT predict(''number'', 1 / x, y, 1, 2) FROM divided WHERE predict(''number'', y, 5, 1, 2) > 10090'),
    ('SELECT sum(predict(''number'', 1 / x, y, 1, 2)) FROM divided WHERE predict(''number'', y, 5, 1, 2) > 10090'),
    ('SELECT sum(predict(''number'', t::float8, y, 1, 2)) FROM divided WHERE predict(''number'', y, 5, 1, 2) > 10090'),
    ('SELECT x FROM divided WHERE predict(''number'', y, 5, 1, 2) > 10090 AND predict(''number'', 1 / x, predict(''number'', y, y, y, y), 1, 2) > 0'),
    ('SELECT predict(''number'', 1 / x, y, 1, 2) FROM divided WHERE abs(predict(''number'', y, 5, 1, 2)) > 10090'),
    ('SELECT predict(''number'', CASE WHEN x <> 0 THEN 1 / x END, y, 1, 2) FROM divided'),
    ('SELECT predict(''number'', 1 / x, y, 1, 2) FROM divided LIMIT 19'),
    ('SELECT id FROM divided WHERE predict(''number'', 1 / x, y, 1, 2) > 0 LIMIT 19'),
    ('SELECT id FROM divided WHERE predict(''number'', y, 5, 1, 2) > 0 LIMIT 19'),
    ('SELECT EXISTS (SELECT FROM divided WHERE predict(''number'', 1 / x, y, 1, 2) > 0)'),
    ('SELECT id, sum(predict(''number'', 1 / x, y, 1, 2)) OVER (ORDER BY id) FROM divided LIMIT 19'),
    ('SELECT id FROM (SELECT id, 1 / x AS z FROM divided OFFSET 0) AS s WHERE predict(''number'', z, 5, 1, 2) > 0 LIMIT 19'),
    ('SELECT s.* FROM (SELECT x, predict(''number'', 1 / x, y, 1, 2) FROM divided ORDER BY id DESC OFFSET 0) AS s JOIN none USING (x)'),
    ('SELECT s.* FROM (SELECT x, predict(''number'', 1 / x, y, 1, 2) FROM divided OFFSET 0) AS s JOIN none USING (x)'),
    ('UPDATE divided SET y = predict(''number'', 1 / x, y, 1, 2) WHERE predict(''number'', y, 5, 1, 2) > 10090'),
    ('DELETE FROM divided WHERE predict(''number'', y, 5, 1, 2) > 10090 AND predict(''number'', 1 / x, y, 1, 2) > 0');
BEGIN;
SELECT number, outcome(query, 'off') AS off, outcome(query, 'auto') AS auto, outcome(query, 'on') AS on FROM statement ORDER BY number;
ROLLBACK;

-- : a cursor, and what reads as one does, takes row by row what could fail; a statement that is run to its end takes blocks
SET hbscore.batch = on;
BEGIN;
DECLARE c CURSOR FOR SELECT id, predict('number', 1 / x, y, 1, 2) IS NOT NULL AS scored FROM divided;
MOVE 17 IN c;
FETCH 2 FROM c;
SAVEPOINT s;
FETCH 1 FROM c;
ROLLBACK TO s;
DECLARE every CURSOR FOR SELECT id, predict('number', 1 / x, y, 1, 2) IS NOT NULL AS scored FROM divided WHERE x > 0;
FETCH 1 FROM every;
MOVE ALL IN every;
COMMIT;
CREATE FUNCTION first_score() RETURNS float8 LANGUAGE sql STABLE AS $$ SELECT predict('number', 1 / x, y, 1, 2) FROM divided $$;
SELECT first_score() IS NOT NULL AS scored;
DO $$
DECLARE
    r record;
    n int := 0;
BEGIN
    SELECT predict('number', 1 / x, y, 1, 2) AS score INTO r FROM divided;
    FOR r IN SELECT id, predict('number', 1 / x, y, 1, 2) FROM divided LOOP
        n := n + 1;
        EXIT WHEN n = 10;
    END LOOP;
    RAISE NOTICE '% rows', n;
END $$;
-- : rows that are fetched together are scored together: FETCH 300 and a loop of PL/pgSQL, which fetches 50
CREATE FUNCTION blocks() RETURNS bigint LANGUAGE sql AS $$ SELECT coalesce(sum(batches), 0)::bigint FROM hbscore.session_stats() $$;
SELECT blocks() AS before \gset
BEGIN;
DECLARE c CURSOR FOR SELECT id, predict('number', x + 1, y, 1, 2) IS NOT NULL AS scored FROM divided;
MOVE 300 IN c;
SELECT blocks() - :before AS blocks;
DO $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT predict('number', x + 1, y, 1, 2) FROM divided WHERE predict('number', y, 5, 1, 2) > 0 LOOP END LOOP;
END $$;
SELECT blocks() - :before > 60 AS blocks;
COMMIT;
DROP FUNCTION blocks();
-- : how many blocks there were: a row, 32 rows, 64 rows..; behind the condition only rows that pass it
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT predict('number', y + 1, 5, 1, 2) FROM divided WHERE predict('number', y, 5, 1, 2) > 10090 AND id <= 161;
DROP FUNCTION first_score(), outcome(text, text);
DROP TABLE divided, none, statement;
RESET hbscore.batch;
