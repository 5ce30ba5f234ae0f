-- Features that no asked output needs: their values are not read, and can be anything.
SET jit = off;
SET max_parallel_workers_per_gather = 0;
-- XGBoost's file of two stumps of six features.
CREATE FUNCTION two(first int, second int, objective text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT convert_to(format('{"learner":{"attributes":{},"feature_names":["a","b","c","d","e","f"],"feature_types":["float","float","float",'
        '"float","float","float"],"gradient_booster":{"model":{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"2"},'
        '"iteration_indptr":[0,1,2],"tree_info":[0,0],"trees":[%s]},"name":"gbtree"},"learner_model_param":{"base_score":"5E-1",'
        '"boost_from_average":"1","num_class":"0","num_feature":"6","num_target":"1"},"objective":{"name":"%s","reg_loss_param":'
        '{"scale_pos_weight":"1"}}},"version":[2,1,0]}', string_agg(format('{"base_weights":[0,0,0],"categories":[],"categories_nodes":[],'
            '"categories_segments":[],"categories_sizes":[],"default_left":[1,0,0],"id":%s,"left_children":[1,-1,-1],"loss_changes":[0,0,0],'
            '"parents":[2147483647,0,0],"right_children":[2,-1,-1],"split_conditions":[0.5,-1.25,%s],"split_indices":[%s,0,0],'
            '"split_type":[0,0,0],"sum_hessian":[1,1,1],"tree_param":{"num_deleted":"0","num_feature":"6","num_nodes":"3",'
            '"size_leaf_vector":"1"}}', id, id + 1, feature), ',' ORDER BY id), objective), 'UTF8')
    FROM (VALUES (0, first), (1, second)) AS t (id, feature) $$;
-- Only b and e are tested.
SELECT hbscore.register('two', two(1, 4, 'reg:squarederror'));
SELECT hbscore.register('yes', two(1, 4, 'binary:logistic'), options => '{"classes": ["no", "yes"]}');
CREATE TABLE used_rows AS SELECT n AS id, n::float8 AS a, (n % 3)::int AS b, (n % 5)::int AS c, (n % 7)::int8 AS d,
    CASE n % 4 WHEN 3 THEN NULL ELSE (n % 2)::float8 END AS e, n / 2.0 AS f FROM generate_series(1, 1500) AS n;
-- The same with anything in the place of what is not used.
CREATE TABLE odd_rows AS SELECT id, 'no number ' || id AS a, b, 1e400 AS c, 9007199254740993 + id AS d, e, NULL::text AS f FROM used_rows;
ANALYZE used_rows, odd_rows;

-- The scores of the rows by blocks and by row, by the given features of each table: how many there are, and how many are not those
-- of plain columns by row.
CREATE FUNCTION differ(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE expected text[]; blocks text[]; by_row text[];
BEGIN
    SET LOCAL hbscore.batch = off;
    SET LOCAL hbscore.debug_require_batch = 'any';
    EXECUTE format('SELECT array_agg(s ORDER BY id) FROM (SELECT id, (%s)::text AS s FROM used_rows AS r OFFSET 0) AS q',
        format(call, 'r.a, r.b, r.c, r.d, r.e, r.f')) INTO expected;
    EXECUTE format('SELECT array_agg(s ORDER BY id) FROM (SELECT id, (%s)::text AS s FROM odd_rows AS r OFFSET 0) AS q',
        format(call, 'r.a, r.b, r.c, r.d, r.e, r.f')) INTO by_row;
    SET LOCAL hbscore.batch = on;
    SET LOCAL hbscore.debug_require_batch = require;
    EXECUTE format('SELECT array_agg(s ORDER BY id) FROM (SELECT id, (%s)::text AS s FROM odd_rows AS r OFFSET 0) AS q',
        format(call, 'r.a, r.b, r.c, r.d, r.e, r.f')) INTO blocks;
    RETURN (SELECT format('%s rows, %s scores, %s differ', count(*), count(DISTINCT x), count(*) FILTER (WHERE x IS DISTINCT FROM b OR x IS DISTINCT FROM r))
        FROM unnest(expected, blocks, by_row) AS u (x, b, r));
END $$;
-- S1: every function, whatever the others are: texts, numbers that no double reaches or holds, NULL
SELECT call, differ(call) FROM unnest(ARRAY['predict(''two'', %s)', 'predict_label(''yes'', %s)', 'predict_probability(''yes'', ''yes'', %s)',
    'predict_proba(''yes'', %s)', 'decision_function(''yes'', %s)', 'predict_json(''yes'', %s)', 'predict_probabilities(''yes'', %s)', 'predict_top(''yes'', 1, %s)',
    'predict_version(''two@1'', %s)', 'predict(''two'', ROW(%s))']) AS call;
-- S1: several calls of a row, which share the work
SELECT differ('ARRAY[predict_probability(''yes'', ''yes'', %1$s), (predict_proba(''yes'', %1$s))[1], (decision_function(''yes'', %1$s))[1], predict(''two'', %1$s)]');

-- S1: rows: of a table, records, arrays of every type
SET hbscore.batch = on;
SELECT count(*), count(*) FILTER (WHERE predict('two', o.*) IS DISTINCT FROM predict('two', r.*)) FROM used_rows AS r JOIN odd_rows AS o USING (id);
SELECT count(*), count(*) FILTER (WHERE predict('two', o) IS DISTINCT FROM predict('two', r.a, r.b, r.c, r.d, r.e, r.f))
FROM used_rows AS r JOIN (SELECT id, o FROM odd_rows AS o OFFSET 0) AS o USING (id);
CREATE FUNCTION by_row(call text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE scores float8[];
BEGIN
    SET LOCAL hbscore.batch = off;
    SET LOCAL hbscore.debug_require_batch = 'any';
    EXECUTE format('SELECT array_agg(%s ORDER BY id) FROM used_rows', call) INTO scores;
    RETURN scores;
END $$;
CREATE FUNCTION by_block(call text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE scores float8[];
BEGIN
    SET LOCAL hbscore.batch = on;
    SET LOCAL hbscore.debug_require_batch = require;
    EXECUTE format('SELECT array_agg(s ORDER BY id) FROM (SELECT id, %s AS s FROM used_rows OFFSET 0) AS q', call) INTO scores;
    RETURN scores;
END $$;
SELECT type, by_row(format(call, type)) = expected AS by_row, by_block(format(call, type)) = expected AS by_block
FROM by_row('predict(''two'', a, b, c, d, e, f)') AS expected, (VALUES ('float8', 'predict(''two'', ARRAY[7, b, NULL, d, e, ''NaN'']::%s[])'),
    ('float4', 'predict(''two'', ARRAY[7, b, NULL, d, e, ''Infinity'']::%s[])'), ('int2', 'predict(''two'', ARRAY[7, b, NULL, d, e, 1]::%s[])'),
    ('int8', 'predict(''two'', ARRAY[9007199254740993, b, NULL, d, e, 9007199254740993 - id]::%s[])'), ('numeric', 'predict(''two'', ARRAY[1e400, b, NULL, -1e400, e, 7]::%s[])'),
    ('text', 'predict(''two'', ARRAY[''x'' || id, b::text, NULL, '''', e::text, ''y'']::%s[])'), ('row', 'predict(''two'', ROW(''x''::text, b, 1e400, NULL::int, e, 9007199254740993))')) AS t (type, call);
-- : stored arrays, and rows of numbers alone
CREATE TABLE stored_arrays AS SELECT id, ARRAY['x' || id, b::text, NULL, 'y', e::text, ''] AS texts, ARRAY[9007199254740993 + id, b, NULL, d, e::int8, 5] AS wholes,
    ARRAY[a, b, NULL, 'NaN', e, 5] AS reals FROM used_rows;
SELECT count(*), count(*) FILTER (WHERE s IS DISTINCT FROM t OR s IS DISTINCT FROM u OR s IS DISTINCT FROM v)
FROM (SELECT predict('two', r.a, r.b, r.c, r.d, r.e, r.f) AS s, predict('two', texts) AS t, predict('two', wholes) AS u, predict('two', reals) AS v
    FROM stored_arrays JOIN used_rows AS r USING (id)) AS q;

-- S1: EXPLAIN tells how many are used
EXPLAIN (COSTS OFF) SELECT predict('two', a, b, c, d, e, f), predict_probability('yes', 'yes', r.*) FROM used_rows AS r;
CREATE FUNCTION explained(query text, path text[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT json) ' || query INTO plan;
    RETURN plan #> path;
END $$;
SELECT explained('SELECT predict(''two'', a, b, c, d, e, f) FROM used_rows', '{0,Plan,Calls,0,Features Used}');

-- S1: arguments that could be noticed are evaluated and dropped, as without blocks; others are not evaluated
CREATE SEQUENCE seen_leaky;
CREATE SEQUENCE seen_proof;
CREATE FUNCTION leaky(x float8) RETURNS float8 LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM nextval('seen_leaky'); RETURN x; END $$;
CREATE FUNCTION proof(x float8) RETURNS float8 LANGUAGE plpgsql STABLE LEAKPROOF AS $$ BEGIN PERFORM nextval('seen_proof'); RETURN x; END $$;
CREATE FUNCTION seen(query text, way text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint; s float8;
BEGIN
    PERFORM setval('seen_leaky', 1, false), setval('seen_proof', 1, false), set_config('hbscore.batch', way, true);
    EXECUTE query INTO n, s;
    RETURN (SELECT format('%s: %s rows, sum %s, %s leaky, %s proof', way, n, s, l.last_value - (NOT l.is_called)::int, p.last_value - (NOT p.is_called)::int)
        FROM seen_leaky AS l, seen_proof AS p);
END $$;
SELECT seen(query, way) FROM unnest(ARRAY['SELECT count(s), sum(s) FROM (SELECT predict(''two'', leaky(a), b, proof(c), leaky(d), e, proof(f)) AS s FROM used_rows OFFSET 0) AS q',
    'SELECT count(s), sum(s) FROM (SELECT predict(''two'', leaky(a), leaky(b), proof(c), d, proof(e), proof(f)) AS s FROM used_rows OFFSET 0) AS q',
    'SELECT count(s), sum(s) FROM (SELECT predict(''two'', ROW(leaky(a), b, proof(c), leaky(d), e, proof(f))) AS s FROM used_rows OFFSET 0) AS q',
    'SELECT count(s), sum(s) FROM (SELECT predict(''two'', ARRAY[leaky(a), b, proof(c), leaky(d), e, proof(f)]) AS s FROM used_rows OFFSET 0) AS q',
    'SELECT count(*), sum(predict(''two'', leaky(a), b, proof(c), leaky(d), e, proof(f))) FROM used_rows WHERE predict(''two'', a, b, c, d, proof(e), f) > 1']) WITH ORDINALITY AS t (query, n),
    unnest(ARRAY['off', 'on']) AS way ORDER BY n, way;
-- : a column beside the features of a row
SELECT seen('SELECT count(s), sum(s) FROM (SELECT predict(''two'', r) AS s FROM (SELECT a, b, c, d, e, f, leaky(a) AS g FROM used_rows) AS r OFFSET 0) AS q', way) FROM unnest(ARRAY['off', 'on']) AS way;
-- S1: what they raise is raised
SELECT count(predict('two', 1 / (id - 900), b, c, d, e, f)) FROM used_rows;
SELECT count(predict('two', 1 / (id - 900), b, c, d, e, f)) FROM used_rows WHERE id <> 900;
SELECT count(s) FROM (SELECT predict('two', 1 / (id - 900), b, c, d, e, f) AS s FROM used_rows WHERE predict('two', id, b, c, d, e, f) > -9 LIMIT 899) AS q;
SELECT count(predict('two', (SELECT 1 / count(*) FROM used_rows WHERE id < 0), b, c, d, e, f)) FROM used_rows;
SELECT count(predict('two', a, b, 'x'::text::int, d, e, f)) FROM used_rows;
-- S1: types that no feature has are errors, used or not, and so are other counts
SELECT predict('two', a, b, c, d, e, now()) FROM used_rows LIMIT 1;
SELECT predict('two', a, b, c, d, e, ARRAY[f]) FROM used_rows LIMIT 1;
SELECT predict('two', x) FROM (SELECT a, b, current_date AS c, d, e, f FROM used_rows) AS x LIMIT 1;
SELECT predict('two', x) FROM (SELECT a, b, current_date AS c, d, e, f FROM used_rows OFFSET 0) AS x LIMIT 1;
SELECT predict('two', ARRAY[now(), now(), now(), now(), now(), now()]) FROM used_rows LIMIT 1;
SELECT predict('two', a, b, c, d, e) FROM used_rows LIMIT 1;
SELECT predict('two', x) FROM (SELECT a, b, d, e, f FROM used_rows) AS x LIMIT 1;
SET hbscore.batch = off;
SELECT predict('two', a, b, c, d, e, now()) FROM used_rows LIMIT 1;
SELECT predict('two', a, b, c, d, e, ARRAY[f]) FROM used_rows LIMIT 1;
SELECT predict('two', x) FROM (SELECT a, b, current_date AS c, d, e, f FROM used_rows) AS x LIMIT 1;
SELECT predict('two', ARRAY[now(), now(), now(), now(), now(), now()]) FROM used_rows LIMIT 1;
SELECT predict('two', ARRAY['x', 'y', 'z', '', '', '']);
SET hbscore.batch = on;

-- S1: a bad value of a feature that is used, far behind the first rows, which were read in full
CREATE TABLE late_rows AS SELECT id, a::text, b::text, repeat('z', 100) AS c, d, CASE id WHEN 1200 THEN 9007199254740993 ELSE e::int8 END AS e, f FROM used_rows;
SET hbscore.batch = off;
CREATE TABLE late_scores AS SELECT id, predict('two', l.*) AS s FROM late_rows AS l;
SET hbscore.batch = on;
SELECT count(*), count(DISTINCT s.s), count(*) FILTER (WHERE s.s IS DISTINCT FROM predict('two', l.*)) FROM late_rows AS l JOIN late_scores AS s USING (id);
UPDATE late_rows SET b = 'no number' WHERE id = 1300;
SELECT count(predict('two', l.*)) FROM late_rows AS l;
SELECT count(s) FROM (SELECT predict('two', l.*) AS s FROM late_rows AS l WHERE id < 1300) AS q;

-- S1: values out of line are not fetched: as many pages are read as with a constant in their place
CREATE TABLE toasted (id int, a text, b int, e float8);
ALTER TABLE toasted ALTER a SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT id, repeat('x', 10000), b, e FROM used_rows WHERE id <= 300;
VACUUM ANALYZE toasted;
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE sql AS $$
    SELECT (p ->> 'Shared Hit Blocks')::int + (p ->> 'Shared Read Blocks')::int FROM explained(query, '{0,Plan}') AS p $$;
CREATE FUNCTION more_pages(call text, than text, way text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('hbscore.batch', way, true);
    PERFORM pages(format('SELECT %s FROM toasted', call)), pages(format('SELECT %s FROM toasted', than));
    RETURN CASE WHEN pages(format('SELECT %s FROM toasted', call)) - pages(format('SELECT %s FROM toasted', than)) > 300 THEN 'many' ELSE 'none' END;
END $$;
SELECT way, more_pages('predict(''two'', a, b, 0, 0, e, 0)', 'predict(''two'', ''x'', b, 0, 0, e, 0)', way) AS unused,
    more_pages('predict(''two'', 0, length(a), 0, 0, e, 0)', 'predict(''two'', 0, b, 0, 0, e, 0)', way) AS used FROM unnest(ARRAY['off', 'on']) AS way;

-- S1: a new version of which other features are used: at once, also by a plan that is kept
PREPARE kept AS SELECT sum(predict('two', ROW(a, b, c, d, e, f))), sum(predict('two', a, b, c, d, e, f)), count(*) FROM used_rows;
EXECUTE kept;
SELECT hbscore.register('two', two(3, 5, 'reg:squarederror'));
EXECUTE kept;
SELECT sum(predict('two@1', a, d, c, b, f, e)) FROM used_rows;
SELECT sum(predict('two', a, b, c, d, e, f)) FROM odd_rows WHERE id < 10;
SELECT hbscore.deploy('two', 1);
-- : of one statement that scores by several models in turn
PREPARE by_name(text) AS SELECT sum(predict($1, a, b, c, d, e, f)) FROM used_rows;
SET plan_cache_mode = force_generic_plan;
EXECUTE by_name('two@1');
EXECUTE by_name('two@2');
SELECT m, sum(s) FROM (VALUES ('two@1'), ('two@2'), ('two@1')) AS v (m), LATERAL (SELECT predict(m, a, b, c, d, e, f) AS s FROM used_rows OFFSET 0) AS q GROUP BY m ORDER BY m;
SELECT m, (SELECT sum(predict(m, a, b, c, d, e, f)) FROM used_rows) FROM (VALUES ('two@1'), ('two@2'), ('two@1'), (NULL)) AS v (m);
SELECT count(*), sum(s) FROM generate_series(1, 3) AS g, LATERAL (SELECT predict('two', a, b, c, g, e, f) AS s FROM used_rows WHERE id % 3 = g % 3) AS q;
-- : a cursor, whose rows are fetched before and behind a change of what could be found
SET hbscore.batch_rows = 40;
BEGIN;
DECLARE c CURSOR FOR SELECT id, CASE WHEN predict('two', a, b, c, d, e, f) > -9 THEN predict('two', a, b, 0, d, e, f) END AS s FROM used_rows ORDER BY id;
MOVE 100 IN c;
SAVEPOINT s;
FETCH 2 FROM c;
SELECT hbscore.register('two', two(0, 2, 'reg:squarederror'));
SELECT hbscore.deploy('two', 3);
SET LOCAL hbscore.strategy = 'tt';
FETCH 2 FROM c;
MOVE 60 IN c;
FETCH 1 FROM c;
ROLLBACK;
RESET hbscore.batch_rows;
SELECT id, predict('two', a, b, c, d, e, f) AS s FROM used_rows WHERE id IN (101, 102, 103, 104, 165) ORDER BY id;

-- S1: groups
SELECT count(*) FROM (SELECT id % 10 AS g, predict_agg('two', a, b, c, d, e, f ORDER BY id) AS s FROM used_rows GROUP BY 1) AS r
JOIN (SELECT id % 10 AS g, predict_agg('two', a, b, c, d, e, f ORDER BY id) AS s FROM odd_rows GROUP BY 1) AS o USING (g, s);
SELECT predict_agg('two', a, b, c, d, e, f ORDER BY id) = (SELECT predict_agg('two', v.* ORDER BY id) FROM used_rows AS v) FROM odd_rows;
SELECT predict_label_agg('yes', texts ORDER BY id) = (SELECT predict_label_agg('yes', reals ORDER BY id) FROM stored_arrays) FROM stored_arrays;
-- : sorted groups and windows, which look at rows later
SET enable_hashagg = off;
SELECT count(*), sum(s) FROM (SELECT b, sum(predict('two', a, b, c, d, e, f)) AS s FROM odd_rows GROUP BY b) AS q;
SELECT count(*), sum(s) FROM (SELECT sum(predict('two', a, b, c, d, e, f)) OVER (PARTITION BY b) AS s FROM odd_rows) AS q;
RESET enable_hashagg;
DROP TABLE used_rows, odd_rows, stored_arrays, late_rows, late_scores, toasted;
DROP FUNCTION differ, by_row, by_block, explained, leaky, proof, seen, pages, more_pages, two;
DROP SEQUENCE seen_leaky, seen_proof;
