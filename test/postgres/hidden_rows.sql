-- hidden_rows.sql - for which rows arguments of a call are evaluated, where row security or security_barrier views hide some:
-- with hbscore.batch on and off, and with a function of PL/pgSQL in place of predict. An unprivileged role runs each place of
-- a call over each way to hide rows; a function among the arguments takes down the rows that it is called for. Run by psql
-- beside a server, in the repository's root. Prints a line for each place, and the count.

\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
DROP DATABASE IF EXISTS hidden;
CREATE DATABASE hidden;
\c hidden
SET client_min_messages = warning;
CREATE EXTENSION hbscore;
\set number `base64 -w 0 test/golden/xgboost/regressor_34.json`
SELECT hbscore.register('number', decode(:'number', 'base64')) \g /dev/null

-- ---------------------------------------------------------------- functions

-- As a call of ours to the planner, but none: what PostgreSQL does by itself.
CREATE FUNCTION plain(model text, a float8, b float8, c float8, d float8) RETURNS float8 LANGUAGE plpgsql STABLE PARALLEL SAFE COST 20
    AS 'BEGIN RETURN predict(model, a, b, c, d); END';

-- It costs what predict does, so that plans are the same.
DO $$
DECLARE
    cost float8[];
    call text;
    plan json;
BEGIN
    FOREACH call IN ARRAY ARRAY['g', 'predict(''number'', g, 5, 1, 2)'] LOOP
        EXECUTE format('EXPLAIN (FORMAT JSON) SELECT %s FROM generate_series(1, 1000) AS g', call) INTO plan;
        cost := cost || (plan -> 0 -> 'Plan' ->> 'Total Cost')::float8;
    END LOOP;
    EXECUTE format('ALTER FUNCTION plain COST %s', (cost[2] - cost[1]) / 1000 / current_setting('cpu_operator_cost')::float8);
END $$;

-- Takes the row down. Declared STABLE, as a function of a user who wants to look may be.
CREATE FUNCTION seen(id int, value float8) RETURNS float8 LANGUAGE plpgsql STABLE COST 0.0001 AS $$
DECLARE
    taken text := set_config('hidden.seen', current_setting('hidden.seen') || ' ' || id, false);
BEGIN
    RETURN value;
END $$;

-- The rows that were taken down.
CREATE FUNCTION rows_seen() RETURNS int[] LANGUAGE sql AS $$
    SELECT coalesce(array_agg(DISTINCT n::int ORDER BY n::int), '{}') FROM regexp_split_to_table(trim(current_setting('hidden.seen')), ' ') AS n WHERE n <> ''
$$;

-- ---------------------------------------------------------------- relations that hide rows

-- 120 rows fill several blocks: 1, 32, 64, 23 rows, or 32, 64, 24.
CREATE TABLE base (id int PRIMARY KEY, c float8, d int, secret text, score float8);
INSERT INTO base SELECT i, (i * 7 % 10 < 6)::int, i % 7, CASE WHEN (i * 7 % 10 >= 6) AND i % 2 = 1 THEN 'hidden' ELSE 'shown' END FROM generate_series(1, 120) AS i;
CREATE TABLE kinds (kind int PRIMARY KEY, score float8);
INSERT INTO kinds SELECT i FROM generate_series(0, 2) AS i;
CREATE TABLE nothing (kind int);
CREATE TABLE results (id int, score float8);
INSERT INTO results SELECT i FROM generate_series(1, 120) AS i;

-- {f} is predict or plain. A column c of 0 scores below 10090, of 1 above.
CREATE TABLE condition (number serial PRIMARY KEY, name text, text text);
INSERT INTO condition (name, text) VALUES
    ('columns', 'd % 2 = 0'),
    ('score', '{f}(''number'', c, 5, 1, 2) > 10090'),
    ('leaky score', 'round({f}(''number'', c + 0, 5, 1, 2)::numeric) > 10090'),
    ('score and columns', '{f}(''number'', c + 0, 5, 1, 2) > 10090 AND d % 2 = {f}(''number'', c, 5, 1, 2) * 0'),
    ('columns or score', 'd % 2 = 0 OR {f}(''number'', c, 5, 1, 2) > 10090');
CREATE TABLE guard (name text PRIMARY KEY);
INSERT INTO guard VALUES ('policy'), ('barrier'), ('both'), ('nested');

CREATE ROLE hidden_owner;
CREATE ROLE hidden_user;
GRANT CREATE ON SCHEMA public TO hidden_owner;
GRANT USAGE ON SCHEMA hbscore TO hidden_owner, hidden_user;
GRANT SELECT ON ALL TABLES IN SCHEMA hbscore TO hidden_owner, hidden_user;

CREATE PROCEDURE make(number int, f text, condition text) LANGUAGE plpgsql AS $$
DECLARE
    suffix text := '_' || number || '_' || f;
BEGIN
    EXECUTE format('CREATE TABLE policy%1$s (LIKE base INCLUDING ALL)', suffix);
    EXECUTE format('INSERT INTO policy%1$s SELECT * FROM base', suffix);
    EXECUTE format('ALTER TABLE policy%1$s ENABLE ROW LEVEL SECURITY', suffix);
    EXECUTE format('CREATE POLICY p ON policy%1$s USING (%2$s)', suffix, condition);
    EXECUTE format('CREATE VIEW barrier%1$s WITH (security_barrier) AS SELECT * FROM base WHERE %2$s', suffix, condition);
    -- Its owner is not the table's: the policy holds for him.
    EXECUTE format('CREATE VIEW both%1$s WITH (security_barrier) AS SELECT * FROM policy%1$s WHERE %2$s(''number'', c, 5, 1, 2) < 20000 AND id %% 3 > 0', suffix, f);
    EXECUTE format('ALTER VIEW both%1$s OWNER TO hidden_owner', suffix);
    EXECUTE format('CREATE VIEW inner%1$s WITH (security_barrier) AS SELECT * FROM base WHERE id %% 3 > 0', suffix);
    EXECUTE format('CREATE VIEW nested%1$s WITH (security_barrier) AS SELECT * FROM inner%1$s WHERE %2$s', suffix, condition);
    EXECUTE format('ANALYZE policy%1$s', suffix);
END $$;
DO $$
DECLARE
    c condition;
    f text;
BEGIN
    FOR c IN SELECT * FROM condition ORDER BY number LOOP
        FOREACH f IN ARRAY '{predict,plain}'::text[] LOOP
            CALL make(c.number, f, replace(c.text, '{f}', f));
        END LOOP;
    END LOOP;
END $$;
ANALYZE base;
ANALYZE kinds;
ANALYZE nothing;
ANALYZE results;
GRANT ALL ON ALL TABLES IN SCHEMA public TO hidden_owner, hidden_user;
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO hidden_owner, hidden_user;

-- What the role may see.
CREATE TABLE visible (guard text, number int, ids int[]);
GRANT SELECT ON visible TO hidden_user;
DO $$
DECLARE
    c condition;
BEGIN
    FOR c IN SELECT * FROM condition LOOP
        EXECUTE 'INSERT INTO visible SELECT g, $1, (SELECT array_agg(id ORDER BY id) FROM base WHERE (' || replace(c.text, '{f}', 'plain') ||
            ') AND (id % 3 > 0 OR g IN (''policy'', ''barrier''))) FROM unnest(''{policy,barrier,both,nested}''::text[]) AS g' USING c.number;
    END LOOP;
END $$;

-- ---------------------------------------------------------------- places of a call

-- {t}: the relation. {x}: a call with an argument that takes rows down. in_blocks: where the condition is one of score, all calls
-- are scored in blocks; NULL: not said.
CREATE TABLE place (number serial, name text, query text, in_blocks boolean, settings text[] DEFAULT '{}');
INSERT INTO place (name, query, in_blocks) VALUES
('select list', 'SELECT id, {x} FROM {t}', true),
('select list, plain columns', 'SELECT id, {f}(''number'', c, d, 1, 2) FROM {t}', true),
('select list, twice', 'SELECT id, {x}, {x} + 1 FROM {t}', true),
('call of a call', 'SELECT {f}(''number'', {x}, 1, 2, 3) FROM {t}', true),
('call of a call, both leaky', 'SELECT {f}(''number'', seen(id + 1000, {x}), 1, 2, 3) FROM {t}', true),
('branch of an argument', 'SELECT {f}(''number'', CASE WHEN secret = ''hidden'' THEN seen(id, c) ELSE c END, 5, 1, 2) FROM {t}', true),
('branch with a constant', 'SELECT {f}(''number'', CASE WHEN secret = ''hidden'' THEN seen(-1, 1) ELSE c END, 5, 1, 2) FROM {t}', true),
('branch with a sub-query', 'SELECT {f}(''number'', CASE WHEN secret = ''hidden'' THEN (SELECT seen(-2, 1)) ELSE c END, 5, 1, 2) FROM {t}', true),
('whole row', 'SELECT {f}(''number'', s.id, s.x, s.y, s.z) FROM (SELECT id, seen(id, c) AS x, 1 AS y, 2 AS z FROM {t}) AS s', true),
('LIMIT', 'SELECT id, {x} FROM {t} LIMIT 7', false),
('LIMIT OFFSET', 'SELECT id, {x} FROM {t} LIMIT 7 OFFSET 5', false),
('WHERE', 'SELECT id FROM {t} WHERE {x} > 10060', true),
('WHERE, LIMIT', 'SELECT id FROM {t} WHERE {x} > 10060 LIMIT 7', false),
('WHERE, behind a score', 'SELECT id FROM {t} WHERE {f}(''number'', c, 5, 1, 2) > 10090 AND {x} > 10060', NULL),
('WHERE, behind a leaky score', 'SELECT id, {x} FROM {t} WHERE abs({f}(''number'', c, d, 1, 2)) > 10100', NULL),
('WHERE and select list', 'SELECT id, {x} FROM {t} WHERE {f}(''number'', seen(id, c), d, 1, 2) > 10060', true),
('WHERE, a volatile condition', 'SELECT id, {x} FROM {t} WHERE {f}(''number'', c, d, 1, 2) > 10060 AND random() < 2', NULL),
('OR', 'SELECT id FROM {t} WHERE d = 3 OR {x} > 10090', NULL),
('aggregate', 'SELECT sum({x}) FROM {t}', true),
('aggregate and WHERE', 'SELECT sum({x}) FROM {t} WHERE {f}(''number'', c, d, 1, 2) > 10060', true),
('aggregate, plain columns', 'SELECT sum({f}(''number'', c, d, 1, 2)) FROM {t}', true),
('aggregate, DISTINCT', 'SELECT count(DISTINCT {x}) FROM {t}', true),
('FILTER', 'SELECT count(*) FILTER (WHERE {x} > 10090) FROM {t}', true),
('FILTER, argument', 'SELECT sum({x}) FILTER (WHERE d > 2) FROM {t}', NULL),
('groups', 'SELECT d, sum({x}) FROM {t} GROUP BY d', true),
('groups of scores', 'SELECT {x}, count(*) FROM {t} GROUP BY 1', true),
('HAVING', 'SELECT d FROM {t} GROUP BY d HAVING max({x}) > 10090', true),
('window', 'SELECT id, sum({x}) OVER (ORDER BY id) FROM {t}', NULL),
('window, LIMIT', 'SELECT id, sum({x}) OVER (ORDER BY id) FROM {t} LIMIT 5', NULL),
('ORDER BY', 'SELECT id FROM {t} ORDER BY {x}, id', true),
('ORDER BY, LIMIT', 'SELECT id FROM {t} ORDER BY {x}, id LIMIT 3', true),
('ORDER BY id, LIMIT', 'SELECT id, {x} FROM {t} ORDER BY id LIMIT 3', NULL),
('DISTINCT', 'SELECT DISTINCT {x} FROM {t}', true),
('set-returning function', 'SELECT generate_series(1, 2), {x} FROM {t}', NULL),
('UNION ALL', 'SELECT {x} FROM {t} UNION ALL SELECT c FROM base', true),
('UNION ALL, LIMIT', 'SELECT {x} FROM {t} UNION ALL SELECT c FROM base LIMIT 9', false),
('sub-query', 'SELECT sum({f}(''number'', seen(id, x), 1, 2, 3)) FROM (SELECT id, {f}(''number'', c, d, 1, 2) AS x FROM {t} OFFSET 0) AS s', true),
('sub-query computes', 'SELECT {f}(''number'', x, 1, 2, 3) FROM (SELECT id, seen(id, c) AS x FROM {t} OFFSET 0) AS s', NULL),
('sub-query computes, LIMIT', 'SELECT id FROM (SELECT id, seen(id, c) AS x FROM {t} OFFSET 0) AS s WHERE {f}(''number'', x, 1, 2, 3) > 0 LIMIT 4', NULL),
('scalar sub-query', 'SELECT (SELECT max({x}) FROM {t})', true),
('array of a sub-query', 'SELECT ARRAY(SELECT {x} FROM {t})', true),
('EXISTS', 'SELECT EXISTS (SELECT FROM {t} WHERE {x} > 10060)', false),
('EXISTS, correlated', 'SELECT kind FROM kinds AS k WHERE EXISTS (SELECT FROM {t} WHERE d % 3 = kind AND {x} > 10060)', NULL),
('NOT EXISTS', 'SELECT kind FROM kinds AS k WHERE NOT EXISTS (SELECT FROM {t} WHERE d = kind + 1 AND {x} > 10060)', NULL),
('IN', 'SELECT kind FROM kinds AS k WHERE kind + 10067 IN (SELECT floor({x}) FROM {t})', NULL),
('ANY', 'SELECT kind FROM kinds AS k WHERE kind < ANY (SELECT {x} FROM {t})', NULL),
('CTE', 'WITH s AS MATERIALIZED (SELECT id, {x} FROM {t}) SELECT * FROM s', true),
('CTE, LIMIT', 'WITH s AS MATERIALIZED (SELECT id, {x} FROM {t}) SELECT * FROM s LIMIT 4', false),
('join', 'SELECT k.kind, {x} FROM {t} JOIN kinds AS k ON k.kind = d % 3', NULL),
('join, condition of both', 'SELECT id FROM {t} JOIN kinds AS k ON k.kind <= d AND {f}(''number'', seen(id, c), kind, 1, 2) > 10060', NULL),
('join, condition below', 'SELECT id FROM (SELECT * FROM {t} WHERE {x} > 10060 OFFSET 0) AS s JOIN kinds AS k ON k.kind = d', NULL),
('join with nothing', 'SELECT * FROM (SELECT id, d, {x} FROM {t} OFFSET 0) AS s JOIN nothing AS n ON n.kind = d', NULL),
('join with itself', 'SELECT a.id, {f}(''number'', seen(a.id, b.c), 5, 1, 2) FROM {t} AS a JOIN {t} AS b ON a.id = b.id', NULL),
('outer join', 'SELECT k.kind, {x} FROM kinds AS k LEFT JOIN {t} ON k.kind = d', NULL),
('outer join, condition', 'SELECT k.kind FROM kinds AS k LEFT JOIN {t} ON k.kind = d AND {x} > 10090', NULL),
('LATERAL', 'SELECT k.kind, s.x FROM kinds AS k, LATERAL (SELECT {x} AS x FROM {t} WHERE d = k.kind OFFSET 0) AS s', NULL),
('LATERAL, LIMIT', 'SELECT k.kind, s.id FROM kinds AS k, LATERAL (SELECT id FROM {t} WHERE d > k.kind AND {x} > 10060 LIMIT 2) AS s', NULL),
('INSERT', 'INSERT INTO results SELECT id, {x} FROM {t}', true),
('UPDATE', 'UPDATE {t} SET score = {x}', NULL),
('UPDATE, WHERE', 'UPDATE {t} SET score = 1 WHERE {x} > 10060', NULL),
('UPDATE, RETURNING', 'UPDATE {t} SET score = 1 RETURNING {x}', NULL),
('UPDATE, FROM', 'UPDATE {t} SET score = {x} FROM kinds AS k WHERE k.kind = d', NULL),
('UPDATE by it', 'UPDATE results SET score = {f}(''number'', seen(s.id, c), 5, 1, 2) FROM {t} AS s WHERE s.id = results.id', NULL),
('DELETE', 'DELETE FROM {t} WHERE {x} > 10060', true),
('DELETE, USING', 'DELETE FROM {t} USING kinds AS k WHERE k.kind = d AND {x} > 10060', NULL),
('DELETE, RETURNING', 'DELETE FROM {t} WHERE d > 1 RETURNING id, {x}', NULL),
('DELETE in WITH', 'WITH gone AS (DELETE FROM {t} WHERE {x} > 10060 RETURNING *) SELECT count(*) FROM gone', true),
('MERGE, source', 'MERGE INTO results AS r USING (SELECT id, {x} AS x FROM {t} OFFSET 0) AS s ON s.id = r.id WHEN MATCHED THEN UPDATE SET score = s.x', NULL),
('MERGE, condition', 'MERGE INTO results AS r USING {t} AS s ON s.id = r.id AND {f}(''number'', seen(s.id, c), 5, 1, 2) > 10060 WHEN MATCHED THEN DELETE', NULL),
('MERGE, action', 'MERGE INTO results AS r USING {t} AS s ON s.id = r.id WHEN MATCHED AND {f}(''number'', seen(s.id, c), d, 1, 2) > 10060 THEN UPDATE SET score = {f}(''number'', seen(s.id, c), 5, 1, 2)', NULL);
INSERT INTO place (name, query, settings) VALUES
('sorted groups', 'SELECT d, sum({x}) FROM {t} GROUP BY d', '{enable_hashagg=off}'),
('sorted groups, LIMIT', 'SELECT d, sum({x}) FROM {t} GROUP BY d LIMIT 2', '{enable_hashagg=off}'),
('merge join', 'SELECT k.kind, {x} FROM {t} JOIN kinds AS k ON k.kind = id', '{enable_hashjoin=off,enable_nestloop=off}'),
('merge join, below', 'SELECT k.kind FROM (SELECT id, {x} FROM {t} ORDER BY id OFFSET 0) AS s JOIN kinds AS k ON k.kind = id', '{enable_hashjoin=off,enable_nestloop=off,enable_sort=off}'),
('nested loop', 'SELECT k.kind, {x} FROM {t} JOIN kinds AS k ON k.kind = d', '{enable_hashjoin=off,enable_mergejoin=off}'),
('nested loop, one partner', 'SELECT id FROM {t} JOIN kinds AS k ON k.kind = d AND {f}(''number'', seen(id, c), kind, 1, 2) > 10060', '{enable_hashjoin=off,enable_mergejoin=off,enable_indexscan=off,enable_bitmapscan=off}');
-- MERGE into views came with version 17.
INSERT INTO place (name, query, in_blocks) SELECT 'MERGE, target', 'MERGE INTO {t} USING kinds AS k ON k.kind = d AND {x} > 10060 WHEN MATCHED THEN UPDATE SET score = 1', NULL;
GRANT SELECT ON place, guard, condition TO hidden_user;

-- ---------------------------------------------------------------- how a cell is tested

CREATE TABLE outcome (place text, guard text, condition text, way text, seen int, problem text);
GRANT INSERT ON outcome TO hidden_user;

-- The statement's rows that were taken down, and how many rows it gave; undone.
CREATE FUNCTION run(query text, OUT ids int[], OUT n bigint, OUT problem text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('hidden.seen', '', false);
    EXECUTE query;
    GET DIAGNOSTICS n = ROW_COUNT;
    ids := rows_seen();
    RAISE SQLSTATE 'HB000';
EXCEPTION
    WHEN SQLSTATE 'HB000' THEN NULL;
    WHEN others THEN problem := SQLSTATE || ' ' || SQLERRM;
END $$;

-- The rows that were taken down when a cursor has given 1, then 13, then 40 rows of it.
CREATE FUNCTION fetched(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    c refcursor;
    steps text := '';
    n int;
BEGIN
    PERFORM set_config('hidden.seen', '', false);
    OPEN c NO SCROLL FOR EXECUTE query;
    FOREACH n IN ARRAY '{1,13,40}'::int[] LOOP
        MOVE FORWARD n IN c;
        steps := steps || rows_seen()::text;
    END LOOP;
    CLOSE c;
    RETURN steps;
END $$;

\ir ways.sql

CREATE FUNCTION written(query text, f text, relation text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(replace(query, '{x}', '{f}(''number'', seen(id, c), 5, 1, 2)'), '{f}', f), '{t}', relation)
$$;

CREATE PROCEDURE try(p place, g text, c condition) LANGUAGE plpgsql AS $$
DECLARE
    ours text := written(p.query, 'predict', g || '_' || c.number || '_predict');
    others text := written(p.query, 'plain', g || '_' || c.number || '_plain');
    hidden int[];
    on_ record;
    off_ record;
    plain_ record;
    fetched_ text[];
    found text;
    complaint text;
BEGIN
    PERFORM set_all(p.settings);
    SET LOCAL hbscore.batch = off;
    plain_ := run(others);
    off_ := run(ours);
    IF g = 'policy' AND p.query ~ '^(SELECT|WITH s)' THEN
        fetched_ := ARRAY[fetched(ours)];
    END IF;
    SET LOCAL hbscore.batch = on;
    on_ := run(ours);
    IF fetched_ IS NOT NULL THEN
        fetched_ := fetched_ || fetched(ours);
    END IF;
    found := CASE WHEN g = 'policy' THEN way(ours) END;
    SELECT array_agg(i) INTO hidden FROM unnest(on_.ids) AS i, visible AS v
        WHERE v.guard = g AND v.number = c.number AND i > 0 AND (CASE WHEN i > 1000 THEN i - 1000 ELSE i END) <> ALL (v.ids);
    complaint := CASE
        WHEN concat(on_.problem, off_.problem, plain_.problem) <> ''
            THEN format('on: %s; off: %s; plain: %s', on_.problem, off_.problem, plain_.problem)
        WHEN hidden IS NOT NULL THEN format('hidden rows seen: %s', hidden)
        WHEN on_.ids <> off_.ids THEN format('rows seen: on %s, off %s', on_.ids, off_.ids)
        WHEN off_.ids <> plain_.ids THEN format('rows seen: off %s, plain %s', off_.ids, plain_.ids)
        WHEN fetched_[1] <> fetched_[2] THEN format('rows seen by a cursor: on %s, off %s', fetched_[2], fetched_[1])
        WHEN on_.n <> off_.n OR off_.n <> plain_.n THEN format('rows: on %s, off %s, plain %s', on_.n, off_.n, plain_.n)
        WHEN g = 'policy' AND c.name = 'score' AND (found = 'block') <> p.in_blocks THEN 'scored by ' || found END;
    INSERT INTO outcome VALUES (p.name, g, c.name, found, cardinality(on_.ids), complaint);
    COMMIT;
END $$;

SET ROLE hidden_user;
DO $$
DECLARE
    cell record;
BEGIN
    FOR cell IN SELECT place AS p, guard.name AS g, condition AS c FROM place, guard, condition ORDER BY place.number, guard.name, condition.number LOOP
        CONTINUE WHEN (cell.p).name = 'MERGE, target' AND cell.g <> 'policy' AND current_setting('server_version_num')::int < 170000;
        CALL try(cell.p, cell.g, cell.c);
    END LOOP;
END $$;
RESET ROLE;

SELECT format('place | %s | %s cells, %s rows seen | by policy: %s in blocks, %s in part, %s by row', place, count(*), sum(seen),
    count(*) FILTER (WHERE way = 'block'), count(*) FILTER (WHERE way = 'some'), count(*) FILTER (WHERE way = 'row')) FROM outcome GROUP BY place ORDER BY place;
SELECT format('FAILED  %s, %s, %s: %s', place, guard, condition, left(problem, 300)) FROM outcome WHERE problem IS NOT NULL ORDER BY place, guard, condition;
SELECT format('class B3: %s cases, %s failures', count(*), count(problem)) FROM outcome;
SELECT format('%s passed, %s failed', count(*) FILTER (WHERE problem IS NULL), count(problem)) FROM outcome;
