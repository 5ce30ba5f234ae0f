-- Where in a plan calls are scored in blocks, and what stays row by row. That answers are the same and how many rows are
-- scored, test/postgres/shapes.sql tests.
SET hbscore.batch = on;
SET hbscore.strategy = tt;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_indexscan = off; -- whether to sort depends on what autovacuum has found
SET max_parallel_workers_per_gather = 0;
CREATE TABLE kinds (pclass int PRIMARY KEY, kind text);
INSERT INTO kinds VALUES (1, 'first'), (2, 'second'), (3, 'third');
ANALYZE kinds;
-- What EXPLAIN says, in the words of PostgreSQL 15 where later versions have others.
CREATE FUNCTION explained(options text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE plan text; line text;
BEGIN
    FOR plan IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
        FOREACH line IN ARRAY string_to_array(plan, E'\n') LOOP
            CONTINUE WHEN line ~ '^ *(Window: |"?<?Disabled)';
            line := regexp_replace(line, 'OVER w\d+', 'OVER (?)', 'g');
            line := regexp_replace(line, '(InitPlan \d) \(returns \$\d\)', '\1');
            line := regexp_replace(line, '(actual rows=\d+|"Actual Rows": \d+)\.00', '\1');
            RETURN NEXT rtrim(line, ',');
        END LOOP;
    END LOOP;
END$$;

-- : a select list: the scan hands up columns, the node computes what the user wrote
EXPLAIN (VERBOSE, COSTS OFF) SELECT id + 1, predict('number', pclass, age, sibsp, fare) * 2 FROM titanic;

-- : the same call twice is scored once; a call within a call
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, age, 1, 2) FROM titanic WHERE predict('number', pclass, age, 1, 2) > 0;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, predict('number', 1, 2, age, 4), 1, 2) FROM titanic;

-- : a row is its columns
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', ROW(pclass, age, sibsp, fare)), predict('number', ARRAY[age, fare, 1, 2]) FROM titanic;

-- : conditions in front of the call stay below, the call and those behind it do not
EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM titanic WHERE predict('number', pclass, age, sibsp, fare) > 0 AND sex = 'male';

-- : aggregates, their conditions; groups of scores; windows
EXPLAIN (VERBOSE, COSTS OFF) SELECT sex, avg(predict('number', pclass, age, sibsp, fare)) FROM titanic GROUP BY sex;
EXPLAIN (VERBOSE, COSTS OFF) SELECT count(*) FILTER (WHERE predict('number', pclass, age, sibsp, fare) > 0) FROM titanic;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, age, sibsp, fare) AS s, count(*) FROM titanic GROUP BY s;
SELECT explained('VERBOSE, COSTS OFF', $$SELECT sum(predict('number', pclass, age, sibsp, fare)) OVER (ORDER BY id) FROM titanic$$) AS plan;
SELECT explained('VERBOSE, COSTS OFF', $$SELECT row_number() OVER (ORDER BY id), predict('number', pclass, age, sibsp, fare) FROM titanic$$) AS plan;

-- : a score that is asked for below serves the node above too
EXPLAIN (VERBOSE, COSTS OFF) SELECT avg(predict('number', pclass, age, sibsp, fare)) FROM titanic WHERE predict('number', pclass, age, sibsp, fare) > 0;

-- : joins
-- (by hash: of a nested loop's condition it depends on PostgreSQL's version which side stands first)
SET enable_hashjoin = on;
EXPLAIN (VERBOSE, COSTS OFF) SELECT kind, predict('number', k.pclass, age, sibsp, fare) FROM titanic JOIN kinds AS k USING (pclass);
SET enable_hashjoin = off;
EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM titanic AS t JOIN kinds AS k ON t.id < k.pclass AND predict('number', k.pclass, age, sibsp, fare) > 0;

-- : a LIMIT stands below, where a sort learns of it; not one whose rows a condition on scores lets through
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic ORDER BY fare LIMIT 10;
EXPLAIN (COSTS OFF) SELECT id FROM titanic WHERE predict('number', pclass, age, sibsp, fare) > 0 LIMIT 10;
EXPLAIN (COSTS OFF) SELECT id, predict('number', pclass, age, sibsp, fare) FROM titanic LIMIT 10 OFFSET 3;

-- : sets, sub-queries, functions that return sets
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, age, sibsp, fare) FROM titanic UNION ALL SELECT predict('number', n, n, n, n) FROM generate_series(1, 3) AS n;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, age, sibsp, fare), generate_series(1, 2) FROM titanic;
SELECT explained('VERBOSE, COSTS OFF', $$SELECT kind, (SELECT max(predict('number', t.pclass, age, sibsp, fare)) FROM titanic AS t WHERE t.pclass = k.pclass) FROM kinds AS k$$) AS plan;

-- : writes
EXPLAIN (VERBOSE, COSTS OFF) UPDATE titanic SET fare = predict('number', pclass, age, sibsp, fare);
EXPLAIN (VERBOSE, COSTS OFF) DELETE FROM titanic WHERE predict('number', pclass, age, sibsp, fare) > 0;
EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO kinds SELECT id, predict('number', pclass, age, sibsp, fare)::text FROM titanic;

-- : what is evaluated only sometimes, or must not be evaluated ahead, stays row by row
EXPLAIN (VERBOSE, COSTS OFF) SELECT CASE WHEN sex = 'male' THEN predict('number', pclass, age, sibsp, fare) END FROM titanic;
EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM titanic WHERE sex = 'male' OR predict('number', pclass, age, sibsp, fare) > 0;
EXPLAIN (VERBOSE, COSTS OFF) SELECT avg(predict('number', pclass, age, sibsp, fare)) FILTER (WHERE sex = 'male') FROM titanic;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, age, sibsp, fare) FROM titanic WHERE random() < 2;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, age, sibsp, random()) FROM titanic;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', to_jsonb(t)) FROM titanic AS t;
SELECT explained('VERBOSE, COSTS OFF', $$SELECT lag(predict('number', pclass, age, sibsp, fare)) OVER (ORDER BY id) FROM titanic$$) AS plan;
EXPLAIN (VERBOSE, COSTS OFF) UPDATE titanic SET fare = 1 RETURNING predict('number', pclass, age, sibsp, fare);

-- : what EXPLAIN says: of a model that is there, is not, is known only when it runs; of a run
SELECT explained('COSTS OFF', $$SELECT predict_label('titanic', t.*), predict_proba('nobody', t.*), predict((SELECT 'number'), 1, 2, id, 4) FROM titanic AS t$$) AS plan;
SELECT explained('COSTS OFF', $$SELECT predict_probabilities('titanic', t.*) FROM titanic AS t WHERE predict_top('titanic', 1, t.*) -> 0 ->> 'class' = 'survived'$$) AS plan;
SELECT explained('ANALYZE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF', $$SELECT predict_label('titanic', t.*) FROM titanic AS t LIMIT 40$$) AS plan;
SELECT explained('ANALYZE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON', $$SELECT predict_label('titanic', t.*) FROM titanic AS t LIMIT 40$$) AS plan;
SELECT explained('COSTS OFF, FORMAT YAML', $$SELECT predict_label('nobody', t.*) FROM titanic AS t$$) AS plan;
SELECT explained('COSTS OFF, FORMAT XML', $$SELECT predict('number', pclass, age, sibsp, fare) FROM titanic$$) AS plan;

-- B5: rescans go through the node to a sort below, which keeps its rows: the table is read once
CREATE FUNCTION scans(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN QUERY SELECT jsonb_path_query(plan, 'strict $.** ? (@."Relation Name" == "titanic")."Actual Loops"')::text;
END $$;
SET enable_material = off;
SELECT scans($$SELECT k.n, s.score FROM generate_series(1, 3) AS k (n) LEFT JOIN (SELECT id, predict('number', pclass, age, sibsp, fare) AS score
    FROM (SELECT * FROM titanic ORDER BY sibsp, fare, id OFFSET 0) AS o OFFSET 0) AS s ON s.id < k.n$$);
RESET enable_material;

-- : the settings
SET hbscore.batch_rows = 16;
EXPLAIN (COSTS OFF) SELECT predict('number', pclass, age, sibsp, fare) FROM titanic;
SET hbscore.batch_rows = 65537;
RESET hbscore.batch_rows;
SET hbscore.batch = off;
EXPLAIN (COSTS OFF) SELECT predict('number', pclass, age, sibsp, fare) FROM titanic;
SET hbscore.batch = sometimes;
SET hbscore.batch = auto;
EXPLAIN (COSTS OFF) SELECT predict_label('titanic', t.*) FROM titanic AS t;
RESET enable_indexscan;
EXPLAIN (COSTS OFF) SELECT predict_label('titanic', t.*) FROM titanic AS t WHERE id = 3;
SET hbscore.debug_require_batch = require;
SELECT predict_label('titanic', t.*) FROM titanic AS t WHERE id = 3;
SET hbscore.debug_require_batch = forbid;
SELECT predict_label('titanic', t.*) FROM titanic AS t WHERE id = 3;
SELECT count(predict_label('titanic', t.*)) FROM titanic AS t;
RESET hbscore.debug_require_batch;

DROP FUNCTION explained;
DROP FUNCTION scans(text);
DROP TABLE kinds;
