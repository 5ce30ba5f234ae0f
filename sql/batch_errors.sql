-- An error of a model is raised for the row that asks, and only if it asks: as it is row by row. Each query stands here
-- twice, with blocks and without.
CREATE TABLE people (id int, sex text, pclass int, fare text);
INSERT INTO people SELECT i, CASE WHEN i = 700 THEN 'unknown' WHEN i % 2 = 0 THEN 'male' ELSE 'female' END, 1 + i % 3,
    CASE WHEN i = 900 THEN 'dear' WHEN i % 7 > 0 THEN (i % 80)::text END FROM generate_series(1, 1000) AS i;
ANALYZE people;

-- What a query says, with blocks and without: rows before the error, and it.
CREATE FUNCTION said(query text, batch text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    r record;
    n int := 0;
    hint text;
BEGIN
    PERFORM set_config('hbscore.batch', batch, true);
    FOR r IN EXECUTE query LOOP
        n := n + 1;
    END LOOP;
    RETURN n || ' rows';
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN format('%s: %s (%s)', SQLSTATE, SQLERRM, hint);
END $$;
CREATE FUNCTION compared(query text) RETURNS TABLE (blocks text, same boolean) LANGUAGE sql AS $$
    SELECT said(query, 'on'), said(query, 'on') = said(query, 'off') $$;

-- S5: a category that training has not seen, in row 700
SELECT * FROM compared($$SELECT predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') FROM people$$);
SELECT * FROM compared($$SELECT predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') FROM people LIMIT 699$$);
SELECT * FROM compared($$SELECT predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') FROM people LIMIT 700$$);
SELECT * FROM compared($$SELECT id FROM people WHERE predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') = 'died'$$);
SELECT * FROM compared($$SELECT count(predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S')) FROM people$$);
SELECT * FROM compared($$SELECT count(*) FILTER (WHERE predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') = 'died') FROM people$$);
SELECT * FROM compared($$SELECT pclass, count(predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S')) OVER (ORDER BY id) FROM people$$);

-- S5: the row is out before the call is asked for, by another model's score; or it is not asked for in a branch
SELECT * FROM compared($$SELECT id FROM people WHERE predict('number', id, 1, 2, 3) > 1e9 AND predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') = 'died'$$);
SELECT * FROM compared($$SELECT id FROM people WHERE predict('number', id, 1, 2, 3) > 0 AND predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') = 'died'$$);
SELECT * FROM compared($$SELECT CASE WHEN predict('number', id, 1, 2, 3) > 1e9 THEN predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') END FROM people$$);
SELECT * FROM compared($$SELECT id FROM people WHERE sex <> 'unknown' AND predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') = 'died'$$);
SELECT * FROM compared($$SELECT predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') FROM (SELECT * FROM people OFFSET 0) AS s WHERE predict('number', pclass, id, 2, 3) > 1e9$$);

-- S3: a text that is no number, in row 900; a number that double precision does not hold
SELECT * FROM compared($$SELECT predict('number', pclass, fare, 1, 2) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', pclass, fare, 1, 2) FROM people LIMIT 890$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id = 40 THEN 1e400 ELSE id END, 1, 2, 3) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id = 40 THEN 1e400 ELSE id END, 1, 2, 3) FROM people LIMIT 39$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id = 40 THEN 1e400 ELSE id END, 1, 2, 3) FROM people LIMIT 40$$);

-- S1: no such model, too few features, a class that is none: where a row asks
SELECT * FROM compared($$SELECT predict('nobody', id) FROM people$$);
SELECT * FROM compared($$SELECT predict('nobody', id) FROM people WHERE id < 0$$);
SELECT * FROM compared($$SELECT id FROM people WHERE predict('number', id, 1, 2, 3) > 1e9 AND predict('nobody', id, sex) > 0$$);
SELECT * FROM compared($$SELECT predict('number', id, 1) FROM people$$);
SELECT * FROM compared($$SELECT predict_probability('titanic', 'sunk', pclass, sex, 1, 2, 3, 4, 'S') FROM people$$);
SELECT * FROM compared($$SELECT predict('titanic', pclass, sex, 1, 2, 3, 4, 'S') FROM people$$);
SELECT * FROM compared($$SELECT predict_version('number', id, 1, 2, 3) FROM people$$);
SELECT * FROM compared($$SELECT predict_label('titanic', p.*) FROM people AS p$$);

-- S3: types that no feature takes
SELECT * FROM compared($$SELECT predict('number', now(), id, 1, 2) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', id, ARRAY[id], 1, 2) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', ROW(id, now(), 1, 2)) FROM people$$);

-- S2: arrays of several lengths, of two dimensions, that are NULL; rows that are NULL
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id = 600 THEN ARRAY[1, 2, 3] ELSE ARRAY[1, 2, 3, id] END) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id = 600 THEN ARRAY[1, 2, 3] ELSE ARRAY[1, 2, 3, id] END) FROM people LIMIT 599$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id = 600 THEN ARRAY[[1, 2], [3, 4]] ELSE ARRAY[1, 2, 3, id] END) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id % 2 = 0 THEN ARRAY[1, 2, 3, id] END) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id % 3 = 0 THEN ROW(1, 2, 3, id) WHEN id % 3 = 1 THEN ROW(1.5, 2, id, 4) END) FROM people$$);
SELECT * FROM compared($$SELECT predict('number', CASE WHEN id = 600 THEN ROW(1, 2, 3) ELSE ROW(1, 2, 3, id) END) FROM people$$);

-- : what a statement has said before the error is kept by the caller; the session goes on
DO $$
BEGIN
    PERFORM predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S') FROM people;
EXCEPTION WHEN invalid_parameter_value THEN
    RAISE NOTICE 'caught: %', SQLERRM;
END $$;
SET hbscore.batch = on;
SELECT count(predict_label('titanic', pclass, sex, 1, 2, 3, 4, 'S')) FROM people WHERE id <> 700;

DROP FUNCTION compared(text), said(text, text);
DROP TABLE people;
