-- Scores in views, security barriers, row security, functions of other languages, parallel queries.

-- : a view, changed models seen through it; its text
SELECT hbscore.register('viewed', file('demo/models/wine.ubj'), options => '{"classes": ["barolo", "grignolino", "barbera"]}');
CREATE VIEW scored AS SELECT id, cultivar, predict_label('viewed', w.*) AS label, predict_json('viewed', w.*) ->> 'model' AS model FROM wine AS w;
SELECT * FROM scored WHERE id = 1;
SELECT pg_get_viewdef('scored'::regclass) LIKE '%predict_label(''viewed''::model_ref, w.*)%' AS text;
SELECT hbscore.register('viewed', file('demo/models/wine.ubj'), options => '{"rounds": 5}');
SELECT * FROM scored WHERE id = 1;
SELECT count(*) FROM scored AS a JOIN scored AS b USING (id) WHERE a.label = b.label;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM scored;
SELECT hbscore.deploy('viewed', 1);
SELECT model, count(*) FROM kept GROUP BY model;
REFRESH MATERIALIZED VIEW kept;
SELECT model, count(*) FROM kept GROUP BY model;
-- : the view outlives its model, not its extension
SELECT hbscore.drop('viewed');
SELECT * FROM scored;
DROP EXTENSION hbscore;
DROP MATERIALIZED VIEW kept;
DROP VIEW scored;

-- B3: a security barrier: a leaking function sees no row that the view hides
CREATE VIEW barolos WITH (security_barrier) AS SELECT w.* FROM wine AS w WHERE predict_label('wine', w.*) = 'barolo';
CREATE FUNCTION tell(text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END';
SELECT id FROM barolos WHERE id > 55 AND tell(cultivar || ' ' || id) ORDER BY id;
-- B3: row security by a score; the owner is not bound
CREATE TABLE cellar AS SELECT * FROM wine;
ALTER TABLE cellar ENABLE ROW LEVEL SECURITY;
CREATE POLICY only_barolo ON cellar USING (predict_label('wine', cellar.*) = 'barolo');
CREATE ROLE regress_hbscore_cellar;
GRANT SELECT ON cellar TO regress_hbscore_cellar;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_cellar;
SET ROLE regress_hbscore_cellar;
SELECT count(*) FROM cellar;
RESET ROLE;
GRANT SELECT ON hbscore.models, hbscore.aliases TO regress_hbscore_cellar;
SET ROLE regress_hbscore_cellar;
SELECT count(*) FROM cellar;
SELECT id FROM cellar WHERE id > 57 AND tell(cultivar || ' ' || id) ORDER BY id;
RESET ROLE;
SELECT count(*), (SELECT count(*) FROM wine_expected WHERE label = 'barolo') AS barolos FROM cellar;
DROP TABLE cellar;
DROP OWNED BY regress_hbscore_cellar;
DROP ROLE regress_hbscore_cellar;

-- : inlined SQL functions, with named arguments
CREATE FUNCTION survival(pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text) RETURNS float8
    LANGUAGE sql STABLE PARALLEL SAFE RETURN predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked);
SELECT count(*), sum((survival(fare => fare, sex => sex, pclass => pclass, age => age, sibsp => sibsp, parch => parch, embarked => embarked) = p_survived)::int)
FROM titanic JOIN titanic_expected USING (id);
-- B7: partitions, inheritance, CTEs, UNION ALL
CREATE TABLE parts (LIKE titanic) PARTITION BY LIST (pclass);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_2 (fare float8, extra int, embarked text, split text, fate text, parch int, sex text, id int NOT NULL, pclass int, age float8, sibsp int);
ALTER TABLE parts_2 DROP COLUMN extra;
ALTER TABLE parts ATTACH PARTITION parts_2 DEFAULT;
INSERT INTO parts SELECT * FROM titanic;
SELECT count(*), sum((predict_probability('titanic', 'survived', p.*) = p_survived)::int) FROM parts AS p JOIN titanic_expected USING (id);
SELECT count(*), sum((predict_label('titanic', p.*) = label)::int) FROM parts_2 AS p JOIN titanic_expected USING (id);
WITH s AS MATERIALIZED (SELECT id, predict_label('titanic', t.*) AS label FROM titanic AS t) SELECT count(*), sum((s.label = e.label)::int) FROM s JOIN titanic_expected AS e USING (id);
WITH RECURSIVE r (n, x) AS (SELECT 1, 1::float8 UNION ALL SELECT n + 1, predict('number', x, 2, 3, 4) FROM r WHERE n < 4) SELECT n, x = predict('number', lag(x) OVER (ORDER BY n), 2, 3, 4) AS same FROM r OFFSET 1;
SELECT label, count(*) FROM (SELECT predict_label('titanic', t.*) FROM titanic AS t WHERE pclass = 1 UNION ALL SELECT predict_label('titanic', t.*) FROM titanic AS t WHERE pclass > 1) AS x (label) GROUP BY 1 ORDER BY 1;
DROP TABLE parts;
-- B7: parallel workers look the model up themselves
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION is_parallel(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        IF line LIKE '%Parallel Seq Scan on titanic%' THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END$$;
SELECT is_parallel($$SELECT count(*) FROM titanic AS t WHERE predict_label('titanic', t.*) = 'survived'$$);
SELECT count(*), (SELECT count(*) FROM titanic_expected WHERE label = 'survived') AS expected FROM titanic AS t WHERE predict_label('titanic', t.*) = 'survived';
SELECT predict('titanic', t.*) FROM titanic AS t;
-- B7: also one that is not committed
BEGIN;
SELECT hbscore.register('uncommitted', file('demo/models/titanic.json'), options => '{"classes": ["died", "survived"]}');
SELECT count(*), (SELECT count(*) FROM titanic_expected WHERE label = 'survived') AS expected FROM titanic AS t WHERE predict_label('uncommitted', t.*) = 'survived';
ROLLBACK;
-- the leader or a worker meets it first
\set SHOW_CONTEXT never
SELECT count(*) FROM titanic AS t WHERE predict_label('uncommitted', t.*) = 'survived';
\set SHOW_CONTEXT errors
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- B2: FILTER, AND, OR evaluate as they would any function
SELECT count(*) FILTER (WHERE predict_label('titanic', t.*) = 'survived') AS survived, (SELECT count(*) FROM titanic_expected WHERE label = 'survived') AS expected FROM titanic AS t;
SELECT count(*) FROM titanic AS t WHERE id < 0 AND predict('no such model', id) > 0;
-- : the cost of a call is told to the planner: cheap conditions come first
SET hbscore.batch = off;
EXPLAIN (COSTS OFF) SELECT id FROM titanic AS t WHERE predict_label('titanic', t.*) = 'died' AND age < 3 AND fare > 10 LIMIT 1;
RESET hbscore.batch;
DROP VIEW barolos;
DROP FUNCTION tell, survival, is_parallel;
