-- EXPLAIN ANALYZE counts what parallel workers did too.
SET hbscore.batch = on;
SET hbscore.strategy = tt;
SET jit = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET enable_material = off;
CREATE TABLE many AS SELECT i AS id, i % 3 + 1 AS pclass, (i % 80)::float8 AS age, i % 4 AS sibsp, (i % 97)::float8 AS fare
    FROM generate_series(1, 20000) AS i;
ANALYZE many;

-- How a statement is scored: whether in a parallel part of the plan, how many rows, whether there are blocks, and operators
-- whose times are known, for each call.
CREATE FUNCTION counted(query text, OUT parallel boolean, OUT rows bigint, OUT blocks boolean, OUT operators bigint, OUT shown text)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN QUERY SELECT plan::text ~ '"Gather', (call ->> 'Rows Scored')::bigint, (call ->> 'Blocks')::bigint > 1,
        jsonb_array_length(call -> 'Operators')::bigint, node ->> 'Parallel Aware'
        FROM jsonb_path_query(plan, 'strict $.** ? (@."Custom Plan Provider" == "HbPredict")') AS node, jsonb_array_elements(node -> 'Calls') AS call;
END $$;

-- B7: all rows, whoever scores them; the node is shown as what it is
SELECT * FROM counted($$SELECT sum(predict('number', pclass, age, sibsp, fare)) FROM many$$);
SET parallel_leader_participation = off;
SELECT * FROM counted($$SELECT sum(predict('number', pclass, age, sibsp, fare)) FROM many$$);
SELECT * FROM counted($$SELECT id, predict('number', pclass, age, sibsp, fare), predict('number', sibsp, age, 1, 2) FROM many WHERE id <= 5000 ORDER BY 2, 1$$);
-- B7: a Gather that is run again adds up; also where a LIMIT ended it
SELECT * FROM counted($$SELECT k.n, x.s FROM generate_series(1, 3) AS k (n) LEFT JOIN
    (SELECT sum(round(predict('number', pclass, age, sibsp, fare))) AS s FROM many) AS x ON x.s > k.n$$);
SELECT parallel, rows >= 3 * 50 AS rows, blocks, operators, shown FROM counted($$SELECT k.n, x.s FROM generate_series(1, 3) AS k (n) LEFT JOIN
    (SELECT predict('number', pclass, age, sibsp, fare) AS s FROM many WHERE predict('number', pclass, age, sibsp, fare) > 0 LIMIT 50) AS x ON x.s > k.n$$);
-- B7: a part that no worker runs
SELECT * FROM counted($$SELECT count(*) FROM many WHERE id > (SELECT max(predict('number', pclass, age, sibsp, fare)) FROM many WHERE id < 100)$$);
-- B7: an error in a worker
\set SHOW_CONTEXT never
SELECT * FROM counted($$SELECT count(predict_label('titanic', 1, CASE WHEN id > 15000 THEN 'unknown' ELSE 'male' END, age, 1, 1, 2, 'S')) FROM many$$);
SELECT * FROM counted($$SELECT sum(predict('number', pclass, age, sibsp, fare)) FROM many$$);

-- B7: as text
CREATE FUNCTION lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' || query LOOP
        IF line ~ 'HbPredict|Scores' THEN
            RETURN NEXT regexp_replace(regexp_replace(line, '(->.*\)) \(actual.*', '\1'), 'blocks=\d+', 'blocks=N');
        END IF;
    END LOOP;
END $$;
SELECT * FROM lines($$SELECT sum(predict('number', pclass, age, sibsp, fare)) FROM many$$);

-- : done
DROP FUNCTION counted(text), lines(text);
DROP TABLE many;
