-- Where the node stands in the shapes of a query that sql/batch_plans.sql leaves out. That answers are the same and how many
-- rows are scored, test/postgres/shapes.sql tests.
SET hbscore.batch = on;
SET hbscore.strategy = tt;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_indexscan = off; -- whether to sort depends on what autovacuum has found
SET enable_bitmapscan = off;
SET enable_hashagg = off;
SET enable_incremental_sort = off;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE rows_of (id int, pclass int, age float8, sibsp int, fare float8, score float8);
INSERT INTO rows_of SELECT id, pclass, age, sibsp, fare FROM titanic;
CREATE TABLE parts (id int, pclass int, age float8, sibsp int, fare float8) PARTITION BY LIST (pclass);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_2 (fare float8, sibsp int, age float8, pclass int, id int);
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES IN (2, 3);
INSERT INTO parts SELECT id, pclass, age, sibsp, fare FROM rows_of;
ANALYZE rows_of, parts;
CREATE VIEW scored_rows AS SELECT id, predict('number', pclass, age, sibsp, fare) AS score FROM rows_of;

-- : what goes into groups, their conditions and sets without repeats
EXPLAIN (VERBOSE, COSTS OFF) SELECT pclass FROM rows_of GROUP BY pclass HAVING avg(predict('number', pclass, age, sibsp, fare)) > 0;
EXPLAIN (VERBOSE, COSTS OFF) SELECT pclass, sibsp, max(predict('number', pclass, age, sibsp, fare)) FROM rows_of GROUP BY GROUPING SETS ((pclass, sibsp), (pclass));
EXPLAIN (VERBOSE, COSTS OFF) SELECT DISTINCT predict('number', pclass, age, sibsp, fare) FROM rows_of;
EXPLAIN (VERBOSE, COSTS OFF) SELECT DISTINCT ON (pclass) pclass, predict('number', pclass, age, sibsp, fare) FROM rows_of ORDER BY pclass, fare, id;
EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM rows_of ORDER BY predict('number', pclass, age, sibsp, fare), id LIMIT 3;

-- : joins that add NULLs, LATERAL, sub-queries, common table expressions
EXPLAIN (VERBOSE, COSTS OFF) SELECT v.n, predict('number', r.pclass, r.age, r.sibsp, r.fare) FROM (VALUES (1), (900)) AS v (n) LEFT JOIN rows_of AS r ON r.id < v.n;
EXPLAIN (VERBOSE, COSTS OFF) SELECT v.n, s.score FROM (VALUES (1), (900)) AS v (n), LATERAL (SELECT predict('number', v.n, r.age, r.sibsp, r.fare) AS score FROM rows_of AS r WHERE r.id < v.n OFFSET 0) AS s;
EXPLAIN (VERBOSE, COSTS OFF) SELECT max(s.score) FROM (SELECT predict('number', pclass, age, sibsp, fare) AS score FROM rows_of OFFSET 5) AS s WHERE s.score > 0;
EXPLAIN (VERBOSE, COSTS OFF) WITH s AS MATERIALIZED (SELECT id, predict('number', pclass, age, sibsp, fare) AS score FROM rows_of) SELECT s.id FROM s WHERE s.score > 0;

-- : partitions, also of other columns: each has its node
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, predict('number', pclass, age, sibsp, fare) FROM parts WHERE predict('number', pclass, age, sibsp, fare) > 0;

-- : writes, and rows that are locked
EXPLAIN (VERBOSE, COSTS OFF) CREATE TABLE made AS SELECT id, predict('number', pclass, age, sibsp, fare) FROM rows_of;
EXPLAIN (VERBOSE, COSTS OFF) CREATE MATERIALIZED VIEW made AS SELECT id, predict('number', pclass, age, sibsp, fare) FROM rows_of;
EXPLAIN (VERBOSE, COSTS OFF) MERGE INTO rows_of AS r USING (SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM titanic OFFSET 0) AS n ON n.id = r.id WHEN MATCHED AND n.s > 0 THEN UPDATE SET score = n.s;
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, predict('number', pclass, age, sibsp, fare) FROM rows_of FOR UPDATE;

-- : cursors, prepared statements, typed functions, views
EXPLAIN (VERBOSE, COSTS OFF) DECLARE c NO SCROLL CURSOR FOR SELECT id, predict('number', pclass, age, sibsp, fare) FROM rows_of;
SET plan_cache_mode = force_generic_plan;
PREPARE of_class (int) AS SELECT id, predict('number', $1, age, sibsp, fare) FROM rows_of WHERE pclass = $1;
EXPLAIN (VERBOSE, COSTS OFF) EXECUTE of_class (1);
SELECT hbscore.create_predict_function('number', 'number_of');
EXPLAIN (VERBOSE, COSTS OFF) SELECT number_of(pclass, age, sibsp, fare) FROM rows_of;
EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM scored_rows WHERE score > 0;

-- : parallel plans: the node is in what the workers run, or behind the sort that their rows go through
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, predict('number', pclass, age, sibsp, fare) FROM rows_of;
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, predict('number', pclass, age, sibsp, fare) FROM rows_of ORDER BY fare, id;
EXPLAIN (VERBOSE, COSTS OFF) SELECT avg(predict('number', pclass, age, sibsp, fare)) FROM rows_of;
SET max_parallel_workers_per_gather = 0;

-- : compiled expressions change nothing
SET jit = on;
SET jit_above_cost = 0;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('number', pclass, age, sibsp, fare) + 1 FROM rows_of;

DEALLOCATE of_class;
DROP FUNCTION number_of;
DROP VIEW scored_rows;
DROP TABLE rows_of, parts;
