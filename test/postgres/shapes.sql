-- shapes.sql - queries of every shape, with hbscore.batch on and off: are the calls scored in blocks (or left to the row path
-- where they must be), is the answer the same, how many rows were scored. Run beside a server, with psql in the
-- repository's root, by test/postgres/shapes.sh. Prints one line a shape and the count.

\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
DROP DATABASE IF EXISTS shapes;
CREATE DATABASE shapes;
\c shapes
SET client_min_messages = warning;
CREATE EXTENSION hbscore;
CREATE EXTENSION postgres_fdw;
LOAD :'columnar';
\set titanic `base64 -w 0 demo/models/titanic.json`
\set number `base64 -w 0 test/golden/xgboost/regressor_34.json`
\set wide `base64 -w 0 demo/models/cancer.json`
SELECT hbscore.register('titanic', decode(:'titanic', 'base64'), options => '{"classes": ["died", "survived"]}') \g /dev/null
SELECT hbscore.register('number', decode(:'number', 'base64')) \g /dev/null
SELECT hbscore.register('cancer', decode(:'wide', 'base64'), options => '{"classes": ["malignant", "benign"]}') \g /dev/null

-- ---------------------------------------------------------------- tables

CREATE TABLE p (
    id int PRIMARY KEY, split text, fate text,
    pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text);
\copy p FROM demo/data/titanic.csv (FORMAT csv, HEADER)
CREATE INDEX p_fare ON p (fare);
CREATE TABLE columnar_p (LIKE p);
INSERT INTO columnar_p SELECT * FROM p;
CREATE INDEX p_cover ON p (pclass, age, sibsp, fare);
CREATE TABLE kinds (pclass int PRIMARY KEY, kind text);
INSERT INTO kinds VALUES (1, 'first'), (2, 'second'), (3, 'third');
CREATE TABLE parts (LIKE p) PARTITION BY LIST (pclass);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
-- Other order of columns, and one that was dropped.
CREATE TABLE parts_2 (gone int, embarked text, fare float8, parch int, sibsp int, age float8, sex text, pclass int, fate text,
    split text, id int NOT NULL);
ALTER TABLE parts_2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES IN (2);
CREATE TABLE parts_3 PARTITION OF parts FOR VALUES IN (3);
INSERT INTO parts SELECT * FROM p;
CREATE TABLE chunked (LIKE p);
CREATE TABLE chunk_1 () INHERITS (chunked);
CREATE TABLE chunk_2 () INHERITS (chunked);
INSERT INTO chunk_1 SELECT * FROM p WHERE id <= 500;
INSERT INTO chunk_2 SELECT * FROM p WHERE id > 500;
CREATE TABLE later (LIKE p);
INSERT INTO later SELECT * FROM p WHERE id <= 100;
ALTER TABLE later DROP COLUMN split, ADD COLUMN more text DEFAULT 'new';
CREATE TABLE odd (id int, a numeric, b float4, c bigint, d smallint, flag boolean, n text);
INSERT INTO odd SELECT i, i / 7.0, CASE WHEN i % 3 > 0 THEN i / 3.0 END, i, i % 100, i % 2 = 0, i::text FROM generate_series(1, 700) AS i;
CREATE TABLE results (id int PRIMARY KEY, score float8, label text);
INSERT INTO results SELECT id, NULL, NULL FROM p;
CREATE TABLE cancer (id int PRIMARY KEY, split text, diagnosis text,
    mean_radius float8, mean_texture float8, mean_perimeter float8, mean_area float8, mean_smoothness float8,
    mean_compactness float8, mean_concavity float8, mean_concave_points float8, mean_symmetry float8,
    mean_fractal_dimension float8, radius_error float8, texture_error float8, perimeter_error float8, area_error float8,
    smoothness_error float8, compactness_error float8, concavity_error float8, concave_points_error float8,
    symmetry_error float8, fractal_dimension_error float8, worst_radius float8, worst_texture float8,
    worst_perimeter float8, worst_area float8, worst_smoothness float8, worst_compactness float8, worst_concavity float8,
    worst_concave_points float8, worst_symmetry float8, worst_fractal_dimension float8);
\copy cancer FROM demo/data/cancer.csv (FORMAT csv, HEADER)
ANALYZE;
CREATE SEQUENCE numbers;
CREATE VIEW v AS SELECT id, sex, predict('number', pclass, age, sibsp, fare) AS score FROM p;
CREATE VIEW guarded WITH (security_barrier) AS SELECT * FROM p WHERE sex = 'female';
CREATE FUNCTION scored(c int, a float8, s int, f float8) RETURNS float8 LANGUAGE sql STABLE
    RETURN predict('number', c, a, s, f);
CREATE FUNCTION rows_of(n int) RETURNS SETOF p LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM p WHERE id <= n; END;
CREATE TABLE secured (LIKE p);
INSERT INTO secured SELECT * FROM p;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
ALTER TABLE secured FORCE ROW LEVEL SECURITY;
CREATE POLICY classes ON secured USING (pclass < 3);
CREATE TABLE secured_score (LIKE p);
INSERT INTO secured_score SELECT * FROM p;
ALTER TABLE secured_score ENABLE ROW LEVEL SECURITY;
CREATE POLICY scores ON secured_score USING (predict('number', pclass, age, sibsp, fare) > 10090);
CREATE TABLE unseen (LIKE p);
INSERT INTO unseen SELECT id, (id > 12)::text, fate, pclass, CASE WHEN id > 12 THEN 'robot' ELSE sex END, age, sibsp, parch, fare, embarked
    FROM p ORDER BY id;
CREATE INDEX unseen_id ON unseen (id);
CREATE FUNCTION tell(n int) RETURNS int LANGUAGE plpgsql STABLE COST 0.0001 AS $$
BEGIN
    IF (SELECT predict('number', pclass, age, sibsp, fare) <= 10090 FROM p WHERE id = n) THEN
        RAISE 'sees %', n;
    END IF;
    RETURN n;
END $$;
CREATE ROLE hbscore_shapes;
GRANT SELECT ON ALL TABLES IN SCHEMA public, hbscore TO hbscore_shapes;
GRANT USAGE ON SCHEMA hbscore TO hbscore_shapes;
GRANT EXECUTE ON FUNCTION hbscore.session_stats() TO hbscore_shapes;
\getenv host PGHOST
\getenv port PGPORT
CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', port :'port', dbname 'shapes', async_capable 'true');
CREATE USER MAPPING FOR CURRENT_USER SERVER here OPTIONS (user 'postgres');
CREATE FOREIGN TABLE far (id int, split text, fate text, pclass int, sex text, age float8, sibsp int, parch int, fare float8,
    embarked text) SERVER here OPTIONS (table_name 'p');
CREATE TABLE far_parts (LIKE p) PARTITION BY LIST (pclass);
CREATE FOREIGN TABLE far_1 PARTITION OF far_parts FOR VALUES IN (1) SERVER here OPTIONS (table_name 'parts_1');
CREATE FOREIGN TABLE far_2 PARTITION OF far_parts FOR VALUES IN (2) SERVER here OPTIONS (table_name 'parts_2');
CREATE FOREIGN TABLE far_3 PARTITION OF far_parts FOR VALUES IN (3) SERVER here OPTIONS (table_name 'parts_3');
CREATE TABLE mixed_parts (LIKE p) PARTITION BY LIST (pclass);
CREATE TABLE mixed_1 PARTITION OF mixed_parts FOR VALUES IN (1);
INSERT INTO mixed_1 SELECT * FROM p WHERE pclass = 1;
CREATE FOREIGN TABLE mixed_2 PARTITION OF mixed_parts FOR VALUES IN (2, 3) SERVER here OPTIONS (table_name 'behind_mixed');
CREATE TABLE behind_mixed AS SELECT * FROM p WHERE pclass > 1;
CREATE FOREIGN TABLE far_results (id int, score float8, label text) SERVER here OPTIONS (table_name 'results');

-- ---------------------------------------------------------------- how a shape is tested

-- way: block (all calls are scored in blocks), row (none), some. scored: rows, with batch on; NULL: not said.
-- after_it: a query that shows what a statement has written; the statement is undone.
CREATE TABLE shape (
    number serial, area text, name text, query text, way text DEFAULT 'block', scored int, settings text[] DEFAULT '{}', after_it text);

CREATE TABLE outcome (area text, name text, way text, n_rows int, scored bigint, differences int, problem text);

CREATE FUNCTION rows_scored() RETURNS bigint LANGUAGE sql AS 'SELECT coalesce(sum(rows), 0)::bigint FROM hbscore.stats';

-- What a statement returns, row by row, and what it leaves behind; undone.
CREATE FUNCTION answers(query text, after_it text, OUT rows text[], OUT problem text) LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    rows := '{}';
    BEGIN
        IF after_it IS NULL OR query ~* 'RETURNING' THEN
            FOR r IN EXECUTE query LOOP
                rows := rows || r::text;
            END LOOP;
        ELSE
            EXECUTE query;
        END IF;
        IF after_it IS NOT NULL THEN
            FOR r IN EXECUTE after_it LOOP
                rows := rows || r::text;
            END LOOP;
            RAISE SQLSTATE 'HB000';
        END IF;
    EXCEPTION
        WHEN SQLSTATE 'HB000' THEN NULL;
        WHEN others THEN problem := SQLSTATE || ' ' || SQLERRM;
    END;
END $$;

\ir ways.sql

CREATE PROCEDURE try(s shape) LANGUAGE plpgsql AS $$
DECLARE
    by_row record;
    by_block record;
    before bigint;
    found text;
    n bigint;
    wrong int;
    complaint text;
BEGIN
    PERFORM set_all(s.settings);
    SET LOCAL hbscore.batch = off;
    by_row := answers(s.query, s.after_it);
    SET LOCAL hbscore.batch = on;
    found := way(s.query);
    before := rows_scored();
    by_block := answers(s.query, s.after_it);
    n := rows_scored() - before;
    SELECT count(*) INTO wrong FROM unnest(by_row.rows, by_block.rows) AS u (a, b) WHERE a IS DISTINCT FROM b;
    complaint := CASE
        WHEN by_row.problem IS NOT NULL OR by_block.problem IS NOT NULL
            THEN format('row path: %s; block: %s', by_row.problem, by_block.problem)
        WHEN found <> s.way THEN format('%s, not %s', found, s.way)
        WHEN s.scored <> n THEN format('%s rows scored, not %s', n, s.scored)
        WHEN wrong > 0 THEN 'other rows' END;
    INSERT INTO outcome VALUES (s.area, s.name, found, cardinality(by_block.rows), n, wrong, complaint);
    COMMIT;
END $$;

-- ---------------------------------------------------------------- shapes


INSERT INTO shape (area, name, query, way, scored) VALUES
('target list', 'a call', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p$$, 'block', 1309),
('target list', 'the same call twice', $$SELECT id, predict('number', pclass, age, sibsp, fare), predict('number', pclass, age, sibsp, fare) + 1 FROM p$$, 'block', 1309),
('target list', 'two models', $$SELECT predict('number', pclass, age, sibsp, fare), predict_label('titanic', p.*), id FROM p$$, 'block', 2618),
('target list', 'two functions of the same row', $$SELECT predict_label('titanic', p.*), predict_probability('titanic', 'died', p.*), predict_json('titanic', p.*) FROM p$$, 'block', 3927),
('target list', 'a call of a call', $$SELECT id, predict('number', pclass, predict('number', pclass, age, sibsp, fare), sibsp, fare) FROM p$$, 'block', 2618),
('target list', 'a call of a call that is there too', $$SELECT predict('number', pclass, age, sibsp, fare), predict('number', pclass, predict('number', pclass, age, sibsp, fare), sibsp, fare) FROM p$$, 'block', 2618),
('target list', 'expressions', $$SELECT id, round(predict('number', pclass + 1, age * 2, sibsp, -fare)::numeric, 3) || sex FROM p$$, 'block', 1309),
('target list', 'CASE, condition', $$SELECT CASE WHEN predict('number', pclass, age, sibsp, fare) > 10090 THEN 'high' WHEN predict('number', pclass, age, sibsp, fare) > 10060 THEN 'middle' END FROM p$$, 'block', 1309),
('target list', 'CASE, branch', $$SELECT CASE WHEN sex = 'male' THEN predict('number', pclass, age, sibsp, fare) END FROM p$$, 'row', 843),
('target list', 'COALESCE, first', $$SELECT coalesce(predict('number', pclass, age, sibsp, fare), 0) FROM p$$, 'block', 1309),
('target list', 'COALESCE, second', $$SELECT coalesce(age, predict('number', pclass, age, sibsp, fare)) FROM p$$, 'row', 263),
('target list', 'OR, second', $$SELECT sex = 'male' OR predict('number', pclass, age, sibsp, fare) > 10090 FROM p$$, 'row', 466),
('target list', 'GREATEST', $$SELECT greatest(predict('number', pclass, age, sibsp, fare), 10090) FROM p$$, 'block', 1309),
('target list', 'element of an array', $$SELECT (predict_proba('titanic', p.*))[2] FROM p$$, 'block', 1309),
('target list', 'field of JSON', $$SELECT predict_json('titanic', p.*) ->> 'label' FROM p$$, 'block', 1309),
('target list', 'nextval beside it', $$SELECT nextval('numbers') - (SELECT last_value FROM numbers) < 1e6, predict('number', pclass, age, sibsp, fare) FROM p$$, 'block', 1309),
('target list', 'volatile argument', $$SELECT predict('number', pclass, age, sibsp, fare + 0 * random()) FROM p$$, 'row', 1309),
('target list', 'whole row beside it', $$SELECT p, predict_label('titanic', p.*) FROM p$$, 'block', 1309),
('target list', 'ctid and tableoid', $$SELECT ctid, tableoid::regclass, predict('number', pclass, age, sibsp, fare) FROM p$$, 'block', 1309),
('target list', 'set-returning function', $$SELECT generate_series(1, 2), predict('number', pclass, age, sibsp, fare) FROM p$$, 'block', 1309),
('target list', 'sub-query beside it', $$SELECT predict('number', pclass, age, sibsp, fare), (SELECT kind FROM kinds AS k WHERE k.pclass = p.pclass) FROM p$$, 'block', 1309),
('target list', 'argument from a sub-query', $$SELECT predict('number', (SELECT k.pclass FROM kinds AS k WHERE k.pclass = p.pclass), age, sibsp, fare) FROM p$$, 'row', 1309),
('functions', 'predict_label', $$SELECT predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM p$$, 'block', 1309),
('functions', 'predict_probability', $$SELECT predict_probability('titanic', 'survived', p.*) FROM p$$, 'block', 1309),
('functions', 'predict_proba', $$SELECT predict_proba('titanic', p.*) FROM p$$, 'block', 1309),
('functions', 'predict_json', $$SELECT predict_json('titanic', p.*) FROM p$$, 'block', 1309),
('functions', 'predict_probabilities', $$SELECT predict_probabilities('titanic', p.*) FROM p$$, 'block', 1309),
('functions', 'predict_top', $$SELECT predict_top('titanic', 2, p.*) FROM p$$, 'block', 1309),
('functions', 'predict_top beside others', $$SELECT predict_top('titanic', 1, p.*), predict_top('titanic', 2, p.*), predict_probabilities('titanic', p.*), predict_label('titanic', p.*) FROM p$$, 'block', 5236),
('functions', 'predict_top in a condition', $$SELECT id FROM p WHERE predict_top('titanic', 1, p.*) -> 0 ->> 'class' = 'survived'$$, 'block', 1309),
('functions', 'k of a sub-query', $$SELECT predict_top('titanic', (SELECT min(pclass) FROM kinds), p.*) FROM p$$, 'block', 1309),
('functions', 'k from each row', $$SELECT predict_top('titanic', pclass, p.*) FROM p$$, 'row', 1309),
('functions', 'decision_function', $$SELECT decision_function('titanic', p.*) FROM p$$, 'block', 1309),
('functions', 'predict_version', $$SELECT predict_version('number@1', pclass, age, sibsp, fare) FROM p$$, 'block', 1309),
('functions', 'predict_label_version', $$SELECT predict_label_version('titanic@1', p.*) FROM p$$, 'block', 1309),
('functions', 'predict_probability_version', $$SELECT predict_probability_version('titanic@1', 'died', p.*) FROM p$$, 'block', 1309),
('functions', 'class from each row', $$SELECT predict_probability('titanic', fate, p.*) FROM p$$, 'row', 1309),
('functions', 'model from each row', $$SELECT predict(CASE WHEN pclass = 1 THEN 'number' ELSE 'number@1' END, pclass, age, sibsp, fare) FROM p$$, 'row', 1309),
('functions', 'model of a sub-query', $$SELECT predict((SELECT hbscore.pin('number')), pclass, age, sibsp, fare) FROM p$$, 'block', 1309),
('functions', 'model NULL', $$SELECT predict(NULL, pclass, age, sibsp, fare) FROM p$$, 'block', 0),
('arguments', 'a row by name', $$SELECT predict_label('titanic', p.*) FROM p$$, 'block', 1309),
('arguments', 'a row of an older table', $$SELECT predict_label('titanic', l.*) FROM later AS l$$, 'block', 100),
('arguments', 'ROW', $$SELECT predict('number', ROW(pclass, age, sibsp, fare)) FROM p$$, 'block', 1309),
('arguments', 'ARRAY', $$SELECT predict('number', ARRAY[pclass, age, sibsp, fare]) FROM p$$, 'block', 1309),
('arguments', 'VARIADIC ARRAY', $$SELECT predict('number', VARIADIC ARRAY[pclass, age, sibsp, fare]) FROM p$$, 'block', 1309),
('arguments', 'a column that is an array', $$SELECT predict('number', a) FROM (SELECT ARRAY[pclass, age, sibsp, fare] AS a FROM p OFFSET 0) AS s$$, 'block', 1309),
('arguments', 'a column that is a row', $$SELECT predict_label('titanic', s.r) FROM (SELECT p AS r FROM p OFFSET 0) AS s$$, 'block', 1309),
('arguments', 'a row of a sub-query', $$SELECT predict_label('titanic', s.*) FROM (SELECT * FROM p OFFSET 0) AS s$$, 'block', 1309),
('arguments', 'jsonb', $$SELECT predict_label('titanic', to_jsonb(p)) FROM p WHERE id <= 50$$, 'row', 50),
('arguments', 'literals and NULLs', $$SELECT predict('number', '3', NULL, sibsp, 7.25) FROM p$$, 'block', 1309),
('arguments', 'other numeric types', $$SELECT predict('number', a, b, c, d), predict('number', d, flag, n, a) FROM odd$$, 'block', 1400),
('arguments', 'a numeric beyond double precision, not asked for', $$SELECT predict('number', CASE WHEN id = 20 THEN 1e400 ELSE a END, b, c, d) FROM odd WHERE id < 20 OR id > 20 LIMIT 15$$, 'block', 15),
('arguments', '30 columns', $$SELECT predict_label('cancer', c.*) FROM cancer AS c$$, 'block', 569),
('arguments', 'the inlined wrapper', $$SELECT scored(pclass, age, sibsp, fare) FROM p$$, 'block', 1309);

INSERT INTO shape (area, name, query, way, scored) VALUES
('conditions', 'a call', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 1309),
('conditions', 'the same call in both places', $$SELECT predict('number', pclass, age, sibsp, fare) FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 1309),
('conditions', 'cheap conditions below', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10090 AND sex = 'male' AND id < 800$$, 'block', 490),
('conditions', 'OR', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10090 OR sex = 'male'$$, 'block', 1309),
('conditions', 'BETWEEN', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) BETWEEN 10050 AND 10090$$, 'block', 1309),
('conditions', 'two calls', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10060 AND predict_label('titanic', p.*) = 'survived'$$, 'block', NULL),
('conditions', 'IN', $$SELECT id FROM p WHERE predict_label('titanic', p.*) IN ('survived', 'nobody')$$, 'block', 1309),
('conditions', 'a volatile condition below', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10090 AND random() < 2$$, 'row', 1309),
('conditions', 'a security barrier', $$SELECT id FROM guarded WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 466),
('conditions', 'HAVING, input', $$SELECT sex FROM p GROUP BY sex HAVING avg(predict('number', pclass, age, sibsp, fare)) > 0$$, 'block', 1309),
('conditions', 'HAVING, of groups', $$SELECT pclass FROM p GROUP BY pclass HAVING predict('number', pclass, 1, 2, avg(fare)) > 0$$, 'row', 3),
('order', 'ORDER BY the score', $$SELECT id FROM p ORDER BY predict('number', pclass, age, sibsp, fare), id$$, 'block', 1309),
('order', 'ORDER BY the score LIMIT', $$SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM p ORDER BY s DESC, id LIMIT 10$$, 'block', 1309),
('order', 'LIMIT', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p LIMIT 10$$, 'block', 10),
('order', 'LIMIT and OFFSET', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p LIMIT 10 OFFSET 5$$, 'block', 32),
('order', 'LIMIT WITH TIES', $$SELECT pclass, predict('number', pclass, age, sibsp, fare) FROM p ORDER BY pclass FETCH FIRST 10 ROWS WITH TIES$$, 'block', NULL),
('order', 'LIMIT below a join', $$SELECT s.id, s.score, kind FROM (SELECT id, pclass, predict('number', pclass, age, sibsp, fare) AS score FROM p ORDER BY fare, id LIMIT 7) AS s JOIN kinds USING (pclass) ORDER BY s.id$$, 'block', NULL),
('order', 'LIMIT beside a sequence', $$SELECT nextval('numbers') - (SELECT last_value FROM numbers) < 1e6, predict('number', pclass, age, sibsp, fare) FROM p LIMIT 10$$, 'block', 10),
('order', 'LIMIT behind a condition', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) > 0 LIMIT 40$$, 'block', 96),
('order', 'ORDER BY something else LIMIT', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p ORDER BY embarked, id LIMIT 10$$, 'block', 1309),
('order', 'ORDER BY something else LIMIT, of a larger model', $$SELECT id, predict_label('titanic', p.*) FROM p ORDER BY embarked, id LIMIT 10$$, 'block', 10),
('order', 'OFFSET', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p OFFSET 1300$$, 'block', 1309),
('order', 'DISTINCT', $$SELECT DISTINCT round(predict('number', pclass, age, sibsp, fare)) FROM p ORDER BY 1$$, 'block', 1309),
('order', 'DISTINCT ON', $$SELECT DISTINCT ON (pclass) pclass, predict('number', pclass, age, sibsp, fare) FROM p ORDER BY pclass, id$$, 'block', NULL),
('order', 'incremental sort', $$SELECT id FROM p ORDER BY fare, predict('number', pclass, age, sibsp, fare), id$$, 'block', 1309),
('order', 'EXISTS', $$SELECT EXISTS (SELECT FROM p WHERE predict('number', pclass, age, sibsp, fare) > 0)$$, 'block', 32),
('order', 'a sequence below a LIMIT', $$SELECT predict('number', n, age, sibsp, fare) IS NULL FROM (SELECT nextval('numbers') AS n, p.* FROM p OFFSET 0) AS s LIMIT 3$$, 'row', 3),
('grouping', 'avg', $$SELECT avg(predict('number', pclass, age, sibsp, fare)) FROM p$$, 'block', 1309),
('grouping', 'avg, and the same call in the condition', $$SELECT sum(predict('number', pclass, age, sibsp, fare)) FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 1309),
('grouping', 'two aggregates', $$SELECT sex, min(predict('number', pclass, age, sibsp, fare)), max(predict('number', pclass, age, sibsp, fare)) FROM p GROUP BY sex ORDER BY sex$$, 'block', 1309),
('grouping', 'by the score', $$SELECT round(predict('number', pclass, age, sibsp, fare)) AS s, count(*) FROM p GROUP BY s ORDER BY s$$, 'block', 1309),
('grouping', 'by a label', $$SELECT predict_label('titanic', p.*) AS l, count(*), avg(fare) FROM p GROUP BY l ORDER BY l$$, 'block', 1309),
('grouping', 'FILTER, condition', $$SELECT count(*) FILTER (WHERE predict('number', pclass, age, sibsp, fare) > 10090) FROM p$$, 'block', 1309),
('grouping', 'FILTER, argument', $$SELECT avg(predict('number', pclass, age, sibsp, fare)) FILTER (WHERE sex = 'male') FROM p$$, 'row', 843),
('grouping', 'of the groups', $$SELECT pclass, predict('number', pclass, 1, 2, avg(fare)) FROM p GROUP BY pclass ORDER BY pclass$$, 'row', 3),
('grouping', 'of the groups and of their rows', $$SELECT pclass, predict('number', pclass, 1, 2, 3), avg(predict('number', pclass, 1, 2, 3)) FROM p GROUP BY pclass ORDER BY pclass$$, 'some', 1312),
('grouping', 'grouping sets', $$SELECT sex, pclass, avg(predict('number', pclass, age, sibsp, fare)) FROM p GROUP BY GROUPING SETS ((sex), (pclass), ()) ORDER BY 1, 2$$, 'block', 1309),
('grouping', 'ROLLUP, sorted', $$SELECT sex, pclass, sum(round(predict('number', pclass, age, sibsp, fare))) FROM p GROUP BY ROLLUP (sex, pclass) ORDER BY 1, 2$$, 'block', 1309),
('grouping', 'wide columns that nobody reads', $$SELECT embarked, avg(predict('number', pclass, age, sibsp, fare)) FROM (SELECT p.*, repeat('x', 3000) AS wide FROM p OFFSET 0) AS s GROUP BY embarked ORDER BY 1$$, 'block', 1309),
('grouping', 'ordered and distinct aggregates', $$SELECT string_agg(predict_label('titanic', p.*), ',' ORDER BY id), count(DISTINCT predict('number', pclass, age, sibsp, fare)) FROM p$$, 'block', 2618),
('grouping', 'ordered-set aggregate', $$SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY predict('number', pclass, age, sibsp, fare)) FROM p$$, 'block', 1309),
('windows', 'rank by the score', $$SELECT id, rank() OVER (PARTITION BY sex ORDER BY predict('number', pclass, age, sibsp, fare)) FROM p ORDER BY id$$, 'block', 1309),
('windows', 'sum of scores', $$SELECT id, sum(round(predict('number', pclass, age, sibsp, fare))) OVER (PARTITION BY pclass ORDER BY id) FROM p ORDER BY id$$, 'block', 1309),
('windows', 'a call beside a window', $$SELECT id, row_number() OVER (ORDER BY id), predict('number', pclass, age, sibsp, fare) FROM p ORDER BY id$$, 'block', 1309),
('windows', 'a call beside a window, LIMIT', $$SELECT id, row_number() OVER (ORDER BY id), predict('number', pclass, age, sibsp, fare) FROM p ORDER BY id LIMIT 5$$, 'block', NULL),
('windows', 'lag of scores', $$SELECT lag(predict('number', pclass, age, sibsp, fare)) OVER (ORDER BY id) FROM p ORDER BY id$$, 'row', 1308),
('windows', 'a part of the frame', $$SELECT sum(round(predict('number', pclass, age, sibsp, fare))) OVER (ORDER BY id ROWS 2 PRECEDING) FROM p ORDER BY id$$, 'row', NULL);

INSERT INTO shape (area, name, query, way, scored, settings) VALUES
('joins', 'inner, hash', $$SELECT p.id, predict('number', k.pclass, age, sibsp, fare), kind FROM p JOIN kinds AS k USING (pclass)$$, 'block', 1309, '{enable_mergejoin=off,enable_nestloop=off}'),
('joins', 'inner, merge', $$SELECT a.id, predict('number', a.pclass, b.age, a.sibsp, b.fare) FROM p AS a JOIN p AS b USING (id)$$, 'block', 1309, '{enable_hashjoin=off,enable_nestloop=off}'),
('joins', 'inner, nested loop', $$SELECT p.id, predict('number', k.pclass, age, sibsp, fare), kind FROM p JOIN kinds AS k USING (pclass)$$, 'block', 1309, '{enable_mergejoin=off,enable_hashjoin=off}'),
('joins', 'a whole row through a join', $$SELECT predict_label('titanic', p.*), kind FROM p JOIN kinds AS k USING (pclass)$$, 'block', 1309, '{}'),
('joins', 'left, whole rows that are NULL', $$SELECT k.n, predict_label('titanic', p.*) FROM generate_series(1, 1400) AS k (n) LEFT JOIN p ON p.id = k.n ORDER BY k.n$$, 'block', 1309, '{}'),
('joins', 'left, columns that are NULL', $$SELECT k.n, predict('number', pclass, age, sibsp, fare) FROM generate_series(1, 1400) AS k (n) LEFT JOIN p ON p.id = k.n ORDER BY k.n$$, 'block', 1400, '{}'),
('joins', 'left, aggregated', $$SELECT k.n % 3, sum(round(predict('number', pclass, age + 1, sibsp, fare + k.n))) FROM generate_series(1, 1400) AS k (n) LEFT JOIN p ON p.id = k.n GROUP BY 1 ORDER BY 1$$, 'block', 1400, '{}'),
('joins', 'left, below a window', $$SELECT k.n, sum(round(predict('number', pclass, age + 1, sibsp, fare + k.n))) OVER (ORDER BY k.n) FROM generate_series(1, 1400) AS k (n) LEFT JOIN p ON p.id = k.n ORDER BY k.n$$, 'block', 1400, '{}'),
('joins', 'left, below a set-returning function', $$SELECT generate_series(1, 2), predict('number', pclass, age + 1, sibsp, fare + k.n) FROM generate_series(1, 1400) AS k (n) LEFT JOIN p ON p.id = k.n ORDER BY k.n, 1$$, 'block', 1400, '{}'),
('joins', 'a condition of the join', $$SELECT a.id, b.id FROM p AS a JOIN p AS b ON a.id = b.id + 1 AND predict('number', a.pclass, b.age, a.sibsp, b.fare) > 10090$$, 'block', 1308, '{}'),
('joins', 'a condition of a join with one partner', $$SELECT a.id, kind FROM p AS a JOIN kinds AS k ON a.pclass = k.pclass AND predict('number', k.pclass, age, sibsp, fare) > 10090$$, 'block', 1309, '{}'),
('joins', 'an equality that is the condition', $$SELECT a.id FROM p AS a JOIN results AS r ON r.id = round(predict('number', a.pclass, a.age, a.sibsp, a.fare)) - 10000$$, 'block', NULL, '{enable_nestloop=off}'),
('joins', 'a condition of an outer join', $$SELECT a.id, kind FROM p AS a LEFT JOIN kinds AS k ON a.pclass = k.pclass AND predict('number', k.pclass, age, sibsp, fare) > 10090$$, 'row', 1309, '{}'),
('joins', 'below a join', $$SELECT s.id, s.score, kind FROM (SELECT id, pclass, predict('number', pclass, age, sibsp, fare) AS score FROM p OFFSET 0) AS s JOIN kinds USING (pclass)$$, 'block', 1309, '{}'),
('joins', 'inner side of a merge join', $$SELECT k.n, s.score FROM (SELECT n % 1200 AS n FROM generate_series(1, 1300) AS n) AS k JOIN (SELECT id, predict('number', pclass, age, sibsp, fare) AS score FROM p ORDER BY id OFFSET 0) AS s ON s.id = k.n$$, 'block', NULL, '{enable_hashjoin=off,enable_nestloop=off}'),
('joins', 'inner side of a merge join, behind a condition for all rows', $$SELECT k.n, s.score FROM (SELECT n % 10 + 5 AS n FROM generate_series(1, 40) AS n) AS k LEFT JOIN (SELECT fare, coalesce(predict('number', pclass, age, sibsp, fare), 0) AS score FROM p WHERE (SELECT true)) AS s ON s.fare = k.n ORDER BY 1, 2$$, 'block', NULL, '{enable_hashjoin=off,enable_nestloop=off,enable_material=off,enable_seqscan=off,enable_bitmapscan=off}'),
('joins', 'semi', $$SELECT id FROM p WHERE EXISTS (SELECT FROM kinds AS k WHERE k.pclass = p.pclass AND kind <> 'second') AND predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', NULL, '{}'),
('joins', 'anti', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p WHERE NOT EXISTS (SELECT FROM results AS r WHERE r.id = p.id AND r.score IS NOT NULL)$$, 'block', 1309, '{}'),
('joins', 'LATERAL', $$SELECT k.kind, s.* FROM kinds AS k, LATERAL (SELECT id, predict('number', p.pclass, age, sibsp, k.pclass) FROM p WHERE p.pclass = k.pclass ORDER BY fare, id LIMIT 3) AS s$$, 'block', NULL, '{}'),
('joins', 'rescans with other classes', $$SELECT k.c, s.* FROM (VALUES ('died'), ('survived'), ('died')) AS k (c), LATERAL (SELECT id, predict_label('titanic', p.*), predict_probability('titanic', k.c, p.*) FROM p WHERE id < 100 OFFSET 0) AS s$$, 'block', 594, '{}'),
('joins', 'rescans with other models', $$SELECT k.m, s.* FROM (VALUES ('number'), ('number@1'), (NULL), ('number')) AS k (m), LATERAL (SELECT id, predict(k.m, pclass, age, sibsp, fare), decision_function(k.m, pclass, age, sibsp, fare) FROM p WHERE id < 100 OFFSET 0) AS s$$, 'block', 594, '{}'),
('joins', 'rescans', $$SELECT k.n, s.id, s.score FROM generate_series(1, 3) AS k (n) JOIN LATERAL (SELECT id, predict('number', pclass, age, sibsp, fare + k.n) AS score FROM p WHERE id % 100 = k.n OFFSET 0) AS s ON true$$, 'block', 42, '{}'),
('joins', 'Memoize', $$SELECT a.id, s.score FROM p AS a JOIN LATERAL (SELECT predict('number', b.pclass, age, sibsp, fare) AS score FROM p AS b WHERE b.id = a.pclass OFFSET 0) AS s ON true$$, 'block', 3, '{enable_hashjoin=off,enable_mergejoin=off}'),
('joins', 'correlated sub-plan', $$SELECT k.kind, (SELECT max(predict('number', p.pclass, age, sibsp, fare)) FROM p WHERE p.pclass = k.pclass) FROM kinds AS k$$, 'block', 1309, '{}'),
('sets', 'UNION ALL', $$SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM p UNION ALL SELECT id, score FROM results$$, 'block', 1309, '{}'),
('sets', 'UNION ALL, filtered outside', $$SELECT * FROM (SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM p UNION ALL SELECT id, predict('number', 1, 2, id, 4) FROM results) AS u WHERE s > 10090$$, 'block', 2618, '{}'),
('sets', 'EXCEPT', $$SELECT predict_label('titanic', p.*) FROM p EXCEPT SELECT 'died'$$, 'block', 1309, '{}'),
('sets', 'partitions', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM parts$$, 'block', 1309, '{}'),
('sets', 'partitions by whole rows', $$SELECT id, predict_label('titanic', parts.*) FROM parts$$, 'block', 1309, '{}'),
('sets', 'partitions, pruned', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM parts WHERE pclass = (SELECT 2)$$, 'block', 277, '{}'),
('sets', 'partitions, merged', $$SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM parts ORDER BY s, id$$, 'block', 1309, '{}'),
('sets', 'partition-wise aggregate', $$SELECT pclass, avg(predict('number', pclass, age, sibsp, fare)) FROM parts GROUP BY pclass ORDER BY pclass$$, 'block', 1309, '{enable_partitionwise_aggregate=on}'),
('sets', 'materialized CTE', $$WITH s AS MATERIALIZED (SELECT id, predict('number', pclass, age, sibsp, fare) AS score FROM p) SELECT a.id, a.score FROM s AS a JOIN s AS b USING (id) WHERE b.score > 10090$$, 'block', 1309, '{}'),
('sets', 'over a CTE', $$WITH s AS MATERIALIZED (SELECT * FROM p WHERE sex = 'male') SELECT id, predict('number', pclass, age, sibsp, fare) FROM s$$, 'block', 843, '{}'),
('sets', 'recursive CTE', $$WITH RECURSIVE r (n, s) AS (SELECT 1, 10000.0::float8 UNION ALL SELECT n + 1, predict('number', n, s, 1, 2) FROM r WHERE n < 5) SELECT * FROM r$$, 'block', 4, '{}'),
('sets', 'initial plan', $$SELECT id FROM p WHERE fare > (SELECT avg(predict('number', pclass, age, sibsp, fare)) - 10000 FROM p)$$, 'block', 1309, '{}'),
('sets', 'a view', $$SELECT * FROM v WHERE score > 10090$$, 'block', 1309, '{}'),
('scans', 'index', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p WHERE id BETWEEN 10 AND 20$$, 'block', 11, '{enable_seqscan=off,enable_bitmapscan=off}'),
('scans', 'index only', $$SELECT predict('number', pclass, age, sibsp, fare) FROM p WHERE pclass = 2$$, 'block', 277, '{enable_seqscan=off,enable_bitmapscan=off,enable_indexscan=on}'),
('scans', 'bitmap', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p WHERE fare BETWEEN 7 AND 8$$, 'block', NULL, '{enable_seqscan=off,enable_indexscan=off}'),
('scans', 'tid', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p WHERE ctid = '(0,3)'$$, 'block', 1, '{}'),
('scans', 'tid range', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p WHERE ctid < '(1,1)'$$, 'block', NULL, '{}'),
('scans', 'sample', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p TABLESAMPLE system (100)$$, 'block', 1309, '{}'),
('scans', 'function', $$SELECT id, predict_label('titanic', r.*) FROM rows_of(100) AS r$$, 'block', 100, '{}'),
('scans', 'function over numbers', $$SELECT predict('number', n, n, n, n) FROM generate_series(1, 1000) AS n$$, 'block', 1000, '{}'),
('scans', 'VALUES', $$SELECT predict('number', a, b, 1, 2) FROM (VALUES (1, 2), (3, NULL), (5, 6)) AS v (a, b)$$, 'block', 3, '{}'),
('scans', 'empty', $$SELECT predict('no such model', pclass) FROM p WHERE id < 0$$, 'block', 0, '{}'),
('scans', 'no table', $$SELECT predict('number', 1, 2, 3, 4)$$, 'row', 1, '{}'),
('scans', 'another extension''s', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM columnar_p$$, 'block', 1309, '{}'),
('scans', 'another extension''s, whole rows', $$SELECT id, predict_label('titanic', c.*) FROM columnar_p AS c$$, 'block', 1309, '{}'),
('scans', 'another extension''s, with conditions', $$SELECT id, fate FROM columnar_p WHERE sex = 'male' AND predict('number', pclass, age, sibsp, fare) > 10060 AND ctid IS NOT NULL$$, 'block', NULL, '{}'),
('scans', 'another extension''s, aggregated', $$SELECT sex, avg(predict('number', pclass, age, sibsp, fare)), min(embarked) FROM columnar_p GROUP BY sex ORDER BY sex$$, 'block', 1309, '{}'),
('scans', 'another extension''s, behind a sort and a LIMIT', $$SELECT id, predict_label('titanic', c.*) FROM columnar_p AS c ORDER BY fare DESC, id LIMIT 10$$, 'block', 10, '{}'),
('scans', 'another extension''s, joined', $$SELECT c.id, kind, predict('number', k.pclass, c.age, c.sibsp, c.fare) FROM columnar_p AS c JOIN kinds AS k ON c.pclass >= k.pclass$$, 'block', 3004, '{}'),
('scans', 'another extension''s, rescanned', $$SELECT k.kind, s.* FROM kinds AS k, LATERAL (SELECT id, predict('number', c.pclass, age, sibsp, k.pclass) AS score FROM columnar_p AS c WHERE c.pclass = k.pclass OFFSET 0) AS s$$, 'block', 1309, '{}'),
('scans', 'below another extension''s node', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM chunked$$, 'row', 1309, '{}'),
('scans', 'below another extension''s node, with conditions', $$SELECT id FROM chunked WHERE predict('number', pclass, age, sibsp, fare) > 10090 AND sex = 'male'$$, 'row', 843, '{}'),
('scans', 'below another extension''s node, whole rows', $$SELECT id, predict_label('titanic', c.*) FROM chunked AS c WHERE predict_label('titanic', c.*) <> 'x' LIMIT 20$$, 'row', 40, '{}'),
('scans', 'above another extension''s node, aggregated', $$SELECT sex, avg(predict('number', pclass, age, sibsp, fare)), min(embarked) FROM chunked GROUP BY sex ORDER BY sex$$, 'block', 1309, '{}'),
('scans', 'above another extension''s node, which scores too', $$SELECT sex, avg(predict('number', pclass, age, sibsp, fare)) FROM chunked WHERE predict('number', pclass, age, sibsp, fare) > 10090 GROUP BY sex ORDER BY sex$$, 'some', NULL, '{}'),
('scans', 'above another extension''s node, joined', $$SELECT c.id, kind, predict('number', k.pclass, c.age, c.sibsp, c.fare) FROM chunked AS c JOIN kinds AS k ON c.pclass >= k.pclass$$, 'block', 3004, '{}'),
('scans', 'above another extension''s node, behind a sort and a LIMIT', $$SELECT id, predict_label('titanic', c.*) FROM chunked AS c ORDER BY fare DESC, id LIMIT 10$$, 'block', 10, '{}'),
('scans', 'above another extension''s node, rescanned', $$SELECT k.kind, s.* FROM kinds AS k, LATERAL (SELECT id, predict('number', c.pclass, age, sibsp, k.pclass) AS score FROM chunked AS c WHERE c.pclass = k.pclass OFFSET 0) AS s$$, 'row', 1309, '{}'),
('scans', 'foreign', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM far ORDER BY id$$, 'block', 1309, '{}'),
('scans', 'foreign, with a condition', $$SELECT id FROM far WHERE predict('number', pclass, age, sibsp, fare) > 10090 AND sex = 'male' ORDER BY id$$, 'block', 843, '{}'),
('scans', 'foreign, asynchronous', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM far_parts ORDER BY id$$, 'block', 1309, '{}'),
('scans', 'foreign, asynchronous, counted', $$SELECT count(*), sum(round(s)) FROM (SELECT predict('number', pclass, age, sibsp, fare) AS s FROM far_parts OFFSET 0) AS x$$, 'block', 1309, '{}'),
('parallel', 'scan', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p ORDER BY id$$, 'block', NULL, '{parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'),
('parallel', 'aggregate', $$SELECT sum(round(predict('number', pclass, age, sibsp, fare))) FROM p$$, 'block', NULL, '{parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'),
('parallel', 'Gather Merge', $$SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM p ORDER BY s, id$$, 'block', NULL, '{parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'),
('parallel', 'partitions', $$SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM parts ORDER BY id$$, 'block', NULL, '{parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0,enable_parallel_append=on}'),
('parallel', 'hash join', $$SELECT p.id, predict('number', k.pclass, age, sibsp, fare) FROM p JOIN kinds AS k USING (pclass) ORDER BY id$$, 'block', NULL, '{parallel_setup_cost=0,parallel_tuple_cost=0,min_parallel_table_scan_size=0}'),
('settings', 'blocks of one row', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p$$, 'block', 1309, '{hbscore.batch_rows=1}'),
('settings', 'blocks of 7 rows', $$SELECT id, predict_label('titanic', p.*) FROM p$$, 'block', 1309, '{hbscore.batch_rows=7}'),
('settings', 'blocks of 65536 rows', $$SELECT a.id, b.id, predict('number', a.pclass, b.age, a.sibsp, b.fare) FROM p AS a, p AS b WHERE a.id <= 3$$, 'block', 3927, '{hbscore.batch_rows=65536}'),
('settings', 'JIT', $$SELECT id, predict('number', pclass, age + 1, sibsp, fare), sex || 'x' FROM p WHERE predict_label('titanic', p.*) = 'died'$$, 'block', NULL, '{jit=on,jit_above_cost=0,jit_inline_above_cost=-1,jit_optimize_above_cost=-1}');

INSERT INTO shape (area, name, query, way, scored, after_it) VALUES
('writes', 'INSERT SELECT', $$INSERT INTO results SELECT id + 2000, predict('number', pclass, age, sibsp, fare), predict_label('titanic', p.*) FROM p$$, 'block', 2618, 'SELECT * FROM results ORDER BY id'),
('writes', 'INSERT SELECT RETURNING', $$INSERT INTO results SELECT id + 2000, predict('number', pclass, age, sibsp, fare) FROM p RETURNING id, score$$, 'block', 1309, 'SELECT * FROM results ORDER BY id'),
('writes', 'INSERT VALUES', $$INSERT INTO results VALUES (5000, predict('number', 1, 2, 3, 4), 'x')$$, 'row', 1, 'SELECT * FROM results ORDER BY id'),
('writes', 'ON CONFLICT', $$INSERT INTO results SELECT id, predict('number', pclass, age, sibsp, fare) FROM p ON CONFLICT (id) DO UPDATE SET score = excluded.score$$, 'block', 1309, 'SELECT * FROM results ORDER BY id'),
('writes', 'CREATE TABLE AS', $$CREATE TABLE made AS SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM p$$, 'block', 1309, 'SELECT * FROM made ORDER BY id'),
('writes', 'UPDATE SET', $$UPDATE p SET fare = predict('number', pclass, age, sibsp, fare)$$, 'block', 1309, 'SELECT * FROM p ORDER BY id'),
('writes', 'UPDATE FROM', $$UPDATE results AS r SET score = predict('number', pclass, age, sibsp, fare), label = predict_label('titanic', p.*) FROM p WHERE p.id = r.id$$, 'block', 2618, 'SELECT * FROM results ORDER BY id'),
('writes', 'UPDATE WHERE', $$UPDATE p SET fate = 'x' WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 1309, 'SELECT * FROM p ORDER BY id'),
('writes', 'UPDATE of partitions', $$UPDATE parts SET fare = predict('number', pclass, age, sibsp, fare)$$, 'block', 1309, 'SELECT * FROM parts ORDER BY id'),
('writes', 'UPDATE that moves rows', $$UPDATE parts SET pclass = 1 + (predict('number', pclass, age, sibsp, fare)::int % 3)$$, 'block', 1309, 'SELECT tableoid::regclass, * FROM parts ORDER BY id'),
('writes', 'DELETE WHERE', $$DELETE FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 1309, 'SELECT * FROM p ORDER BY id'),
('writes', 'DELETE USING', $$DELETE FROM results AS r USING p WHERE p.id = r.id AND predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 1309, 'SELECT * FROM results ORDER BY id'),
('writes', 'UPDATE by another extension''s scan', $$UPDATE columnar_p SET fare = predict('number', pclass, age, sibsp, fare) WHERE predict_label('titanic', columnar_p.*) = 'died'$$, 'block', NULL, 'SELECT * FROM columnar_p ORDER BY id'),
('writes', 'INSERT from below another extension''s node', $$INSERT INTO results SELECT id + 2000, predict('number', pclass, age, sibsp, fare) FROM chunked$$, 'row', 1309, 'SELECT * FROM results ORDER BY id'),
('writes', 'RETURNING', $$UPDATE p SET fate = 'x' RETURNING id, predict('number', pclass, age, sibsp, fare)$$, 'row', 1309, 'SELECT 1'),
('writes', 'MERGE', $$MERGE INTO results AS r USING (SELECT id, predict('number', pclass, age, sibsp, fare) AS s FROM p OFFSET 0) AS n ON n.id = r.id WHEN MATCHED AND n.s > 10090 THEN UPDATE SET score = n.s WHEN MATCHED THEN DELETE$$, 'block', 1309, 'SELECT * FROM results ORDER BY id'),
('writes', 'MERGE, action', $$MERGE INTO results AS r USING p ON p.id = r.id WHEN MATCHED THEN UPDATE SET score = predict('number', pclass, age, sibsp, fare)$$, 'row', 1309, 'SELECT * FROM results ORDER BY id'),
('writes', 'FOR UPDATE', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM p ORDER BY id FOR UPDATE$$, 'block', 1309, NULL),
('writes', 'FOR UPDATE LIMIT', $$SELECT id FROM p WHERE predict('number', pclass, age, sibsp, fare) > 10060 LIMIT 5 FOR UPDATE SKIP LOCKED$$, 'block', NULL, NULL),
('writes', 'FOR UPDATE below', $$SELECT id, predict('number', pclass, age, sibsp, fare) FROM (SELECT * FROM p ORDER BY id FOR UPDATE) AS s LIMIT 5$$, 'row', 5, NULL),
('writes', 'foreign UPDATE', $$UPDATE far_results SET score = 1 WHERE id < 10 RETURNING id, predict('number', id, score, 1, 2)$$, 'row', 9, 'SELECT * FROM results WHERE id < 10 ORDER BY id'),
('writes', 'foreign UPDATE by whole rows', $$UPDATE far SET fate = predict_label('titanic', far.*) WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', NULL, 'SELECT * FROM p ORDER BY id'),
('writes', 'foreign UPDATE, RETURNING whole rows', $$UPDATE far SET fate = predict_label('titanic', far.*) RETURNING far$$, 'block', 1309, 'SELECT * FROM p ORDER BY id'),
('writes', 'foreign UPDATE by whole rows of a join', $$UPDATE far SET fate = predict_label('titanic', far.*) || kind FROM kinds AS k WHERE k.pclass = far.pclass$$, 'block', 1309, 'SELECT * FROM p ORDER BY id'),
('writes', 'foreign DELETE by whole rows', $$DELETE FROM far WHERE predict_label('titanic', far.*) = 'died'$$, 'block', 1309, 'SELECT * FROM p ORDER BY id'),
('writes', 'UPDATE of foreign partitions by whole rows', $$UPDATE far_parts SET fate = predict_label('titanic', far_parts.*)$$, 'block', 1309, 'SELECT * FROM parts ORDER BY id'),
('writes', 'UPDATE of partitions, one foreign, by whole rows', $$UPDATE mixed_parts SET fate = predict_label('titanic', mixed_parts.*)$$, 'block', 1309, 'SELECT tableoid::regclass, * FROM mixed_parts ORDER BY id'),
('writes', 'whole foreign rows FOR UPDATE', $$SELECT far, predict_label('titanic', far.*) FROM far ORDER BY id FOR UPDATE$$, 'block', 1309, NULL),
('writes', 'foreign UPDATE by scores', $$UPDATE far_results AS r SET score = predict('number', pclass, age, sibsp, fare) FROM p WHERE p.id = r.id AND r.id < 10 RETURNING r.id, r.score$$, 'block', 9, 'SELECT 1'),
('writes', 'CTE that writes', $$WITH w AS (UPDATE p SET fate = 'x' WHERE id < 50 RETURNING *) SELECT id, predict('number', pclass, age, sibsp, fare) FROM w ORDER BY id$$, 'block', 49, NULL);
UPDATE shape SET after_it = 'SELECT 1' WHERE after_it IS NULL AND query ~ 'UPDATE p SET';

-- Rows that are errors of the model, which nobody asks for: from the 13th passenger on.
INSERT INTO shape (area, name, query, way, settings) VALUES
('errors not asked for', 'in the same block', $$SELECT predict_label('titanic', u.*) FROM unseen AS u LIMIT 12$$, 'block', '{}'),
('errors not asked for', 'in a branch of an argument', $$SELECT predict('number', CASE WHEN id > 0 THEN predict_probability('titanic', 'died', u.*) END, 1, 2, 3) FROM unseen AS u LIMIT 12$$, 'row', '{}'),
('errors not asked for', 'in a condition that is evaluated in part', $$SELECT predict('number', pclass, age, sibsp, fare) FROM unseen AS u WHERE id < 0 OR predict_label('titanic', u.*) <> '' LIMIT 12$$, 'some', '{}'),
('errors not asked for', 'in the condition of an outer join', $$SELECT predict('number', k.pclass, age, sibsp, fare) FROM unseen AS u LEFT JOIN kinds AS k ON u.pclass = k.pclass AND predict_label('titanic', u.*) <> '' LIMIT 12$$, 'row', '{enable_mergejoin=off,enable_nestloop=off}'),
('errors not asked for', 'by row below', $$SELECT predict('number', x, 1, 2, 3) FROM (SELECT CASE WHEN id > 0 THEN predict_probability('titanic', 'died', u.*) END AS x FROM unseen AS u OFFSET 0) AS s LIMIT 12$$, 'row', '{}'),
('errors not asked for', 'in a block below', $$SELECT predict('number', x, 1, 2, 3) FROM (SELECT predict_probability('titanic', 'died', u.*) AS x FROM unseen AS u OFFSET 0) AS s LIMIT 12$$, 'some', '{}'),
('errors not asked for', 'below, behind others', $$SELECT predict('number', x, 1, 2, 3) FROM (SELECT fare FROM p WHERE id <= 20 UNION ALL (SELECT predict_probability('titanic', 'died', u.*) FROM unseen AS u ORDER BY 1)) AS s (x) LIMIT 20$$, 'some', '{}'),
('errors not asked for', 'below a sort', $$SELECT predict('number', x, 1, 2, 3) FROM (SELECT predict_probability('titanic', 'died', u.*) AS x FROM unseen AS u WHERE id < 13 ORDER BY 1 OFFSET 0) AS s LIMIT 12$$, 'block', '{}'),
('errors not asked for', 'of the next group', $$SELECT split, max(predict_label('titanic', u.*)), avg(predict_probability('titanic', 'died', u.*)) FROM unseen AS u GROUP BY split ORDER BY split LIMIT 1$$, 'block', '{enable_hashagg=off}'),
('errors not asked for', 'of the next group, asked for in the condition', $$SELECT split, count(predict_label('titanic', u.*)) FROM unseen AS u WHERE predict('number', pclass, age, sibsp, fare) > 0 GROUP BY split ORDER BY split LIMIT 1$$, 'block', '{enable_hashagg=off}'),
('errors not asked for', 'of the next group, above a node that scores', $$SELECT id, max(predict('number', x, 1, 2, 3)), max(y) FROM (SELECT id, predict('number', pclass, age, sibsp, fare) AS y, CASE WHEN id > 0 THEN predict_probability('titanic', 'died', u.*) END AS x FROM unseen AS u ORDER BY id OFFSET 0) AS s GROUP BY id LIMIT 11$$, 'some', '{enable_hashagg=off,enable_sort=off,enable_seqscan=off,enable_bitmapscan=off}'),
('errors not asked for', 'of a window''s next rows', $$SELECT id, count(predict_label('titanic', u.*)) OVER w, lead(id, 5) OVER w FROM unseen AS u WINDOW w AS (ORDER BY id ROWS UNBOUNDED PRECEDING) LIMIT 12$$, 'block', '{}'),
('errors not asked for', 'of a row''s columns', $$SELECT predict('number', r) FROM (SELECT CASE WHEN id > 3 THEN ROW(1, 2) END AS r FROM p OFFSET 0) AS s LIMIT 3$$, 'block', '{}');

-- Row security: the policy stays below, whoever asks; of rows that it hides no argument is evaluated.
INSERT INTO shape (area, name, query, way, scored) VALUES
('conditions', 'row security', $$SELECT id FROM secured WHERE predict('number', pclass, age, sibsp, fare) > 10090$$, 'block', 600),
('conditions', 'row security by scores', $$SELECT id, predict('number', tell(id), age, sibsp, fare) FROM secured_score$$, 'block', NULL),
('conditions', 'row security by scores, of plain columns', $$SELECT id, predict('number', id, age, sibsp, fare) FROM secured_score$$, 'block', NULL);
GRANT ALL ON ALL TABLES IN SCHEMA public TO hbscore_shapes;
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO hbscore_shapes;
UPDATE shape SET settings = '{role=hbscore_shapes}' WHERE name LIKE 'row security%';

-- Each in a transaction of its own.
DO $$
DECLARE
    s shape;
BEGIN
    FOR s IN SELECT * FROM shape ORDER BY number LOOP
        CALL try(s);
    END LOOP;
END $$;

SELECT format('shape | PostgreSQL: %s | %s | %s | %s', area, name,
    CASE way WHEN 'block' THEN 'batched' WHEN 'row' THEN 'by row' ELSE 'some batched' END,
    format('%s rows, %s scored, differences %s', n_rows, scored, differences)) FROM outcome WHERE problem IS NULL;
SELECT format('FAILED  %s, %s: %s', area, name, problem) FROM outcome WHERE problem IS NOT NULL;
-- Those that are cases of a class (test/classes.txt).
SELECT format('class %s: %s cases, %s failures', class, count(*), count(problem)) FROM (SELECT problem, CASE
    WHEN name ~ 'LIMIT|EXISTS|not asked for' THEN 'B1'
    WHEN name ~ '^(CASE|COALESCE|OR|FILTER)' THEN 'B2'
    WHEN name ~ 'security' THEN 'B3'
    WHEN name ~ 'nextval|volatile|sequence' THEN 'B4'
    WHEN name ~ 'LATERAL|rescans|Memoize|merge join|correlated' THEN 'B5'
    WHEN name ~ 'FOR UPDATE' THEN 'B6'
    WHEN area = 'parallel' OR name ~ 'JIT|partition' THEN 'B7'
    WHEN area = 'grouping' THEN 'B8' END AS class FROM outcome) AS o WHERE class IS NOT NULL GROUP BY class ORDER BY class;
SELECT format('%s passed, %s failed', count(*) FILTER (WHERE problem IS NULL), count(*) FILTER (WHERE problem IS NOT NULL)) FROM outcome;
