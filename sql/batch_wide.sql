-- Rows of many numbers and models of many classes, in blocks: the same bits as by row, in every form and type.
SET jit = off;
-- XGBoost's file of stumps: each looks at one feature, and each class has as many.
CREATE FUNCTION stumps(features int, classes int, rounds int) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT convert_to(format('{"learner":{"attributes":{},"feature_names":[],"feature_types":[],"gradient_booster":{"model":'
        '{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"%s"},"iteration_indptr":[%s],"tree_info":[%s],"trees":[%s]},'
        '"name":"gbtree"},"learner_model_param":{"base_score":"5E-1","boost_from_average":"1","num_class":"%s","num_feature":"%s",'
        '"num_target":"1"},"objective":%s},"version":[2,1,0]}', count(*),
        (SELECT string_agg((i * classes)::text, ',' ORDER BY i) FROM generate_series(0, rounds) AS i), string_agg((t % classes)::text, ',' ORDER BY t),
        string_agg(format('{"base_weights":[0,0,0],"categories":[],"categories_nodes":[],"categories_segments":[],'
            '"categories_sizes":[],"default_left":[%s,0,0],"id":%s,"left_children":[1,-1,-1],"loss_changes":[0,0,0],'
            '"parents":[2147483647,0,0],"right_children":[2,-1,-1],"split_conditions":[%s,%s,%s],"split_indices":[%s,0,0],'
            '"split_type":[0,0,0],"sum_hessian":[1,1,1],"tree_param":{"num_deleted":"0","num_feature":"%s","num_nodes":"3",'
            '"size_leaf_vector":"1"}}', t % 2, t, (t % 17 - 8) / 4.0, (t % 23 - 11) / 8.0, (t % 29 - 14) / 16.0, t * 7919 % features,
            features), ',' ORDER BY t), CASE classes WHEN 1 THEN 0 ELSE classes END, features,
        CASE classes WHEN 1 THEN '{"name":"reg:squarederror","reg_loss_param":{"scale_pos_weight":"1"}}'
            ELSE format('{"name":"multi:softprob","softmax_multiclass_param":{"num_class":"%s"}}', classes) END), 'UTF8')
    FROM generate_series(0, classes * rounds - 1) AS t $$;
SELECT hbscore.register('stumps', stumps(2000, 1, 300));
SELECT hbscore.register('middle', stumps(100, 1, 50));
SELECT hbscore.register('classes', stumps(10, 1000, 1));
SELECT hbscore.register('most', stumps(10, 4096, 1));

-- Numbers that every type holds; a row in three has NULLs, one has nothing else.
CREATE TABLE rows_wide AS
    SELECT n, array_agg(CASE WHEN n % 3 = 0 AND (n = 99 OR f % 5 = n % 5) THEN NULL ELSE ((n * 31 + f * 17) % 21) - 10 END ORDER BY f) AS a
    FROM generate_series(1, 200) AS n, generate_series(0, 1999) AS f GROUP BY n;
-- The scores by one way and by the other, for one form of the rows: how many there are, and how many differ.
CREATE FUNCTION differ(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE blocks text[]; by_row text[];
BEGIN
    SET LOCAL hbscore.batch = off;
    EXECUTE 'SELECT array_agg(s::text ORDER BY n) FROM (' || query || ' OFFSET 0) AS q' INTO by_row;
    SET LOCAL hbscore.batch = on;
    EXECUTE 'SELECT array_agg(s::text ORDER BY n) FROM (' || query || ' OFFSET 0) AS q' INTO blocks;
    RETURN (SELECT format('%s rows, %s scores, %s differ', count(*), count(DISTINCT r), count(*) FILTER (WHERE r IS DISTINCT FROM b))
        FROM unnest(by_row, blocks) AS u (r, b));
END $$;

-- S1: arrays of 2,000 and 100 elements of every type, with NULLs among them
SELECT type, differ(format('SELECT n, predict(''stumps'', a::%s) AS s FROM rows_wide', type)) AS wide,
    differ(format('SELECT n, predict(''middle'', a[1:100]::%s) AS s FROM rows_wide', type)) AS middle
FROM unnest(ARRAY['float8[]', 'float4[]', 'int2[]', 'int4[]', 'int8[]', 'numeric[]', 'text[]']) AS type;
-- S1: stored, compressed or not, without NULLs
CREATE TABLE rows_full AS SELECT n, array(SELECT coalesce(v, 0) + n / 1000.0 FROM unnest(a) AS v)::float8[] AS a FROM rows_wide;
CREATE TABLE rows_same AS SELECT n, array_fill(n::float8, ARRAY[2000]) AS a FROM rows_wide;
SELECT differ('SELECT n, predict(''stumps'', a) AS s FROM rows_full'), differ('SELECT n, predict(''stumps'', a) AS s FROM rows_same');
-- S1: what no block takes is said of its own row: several dimensions, another length, a bigint that no double holds, NULL
SELECT differ('SELECT n, predict(''middle'', CASE WHEN n % 7 = 0 THEN NULL ELSE a[1:100]::float8[] END) AS s FROM rows_wide');
SELECT differ('SELECT n, predict(''middle'', array_replace(a[1:100]::int8[], 4, 9007199254740993)) AS s FROM rows_wide');
SET hbscore.batch = on;
SELECT sum(predict('middle', CASE n WHEN 150 THEN ARRAY[a[1:50], a[51:100]] ELSE a[1:100] END)) FROM rows_wide;
SELECT sum(predict('middle', a[1:100 + (n = 150)::int])) FROM rows_wide;
SELECT count(predict('middle', CASE WHEN n < 150 THEN a[1:100] ELSE ARRAY[a[1:50], a[51:100]] END)) FROM rows_wide WHERE n < 150;
-- S1: another lower bound
SELECT differ('SELECT n, predict(''middle'', (''[5:104]='' || a[1:100]::text)::int[]) AS s FROM rows_wide');

-- S1: rows of 1,000 columns, whole, as records that are computed, and column by column
SELECT hbscore.register('columns', stumps(1000, 1, 200));
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE rows_columns AS SELECT ' || string_agg(format('a[%s]::%s AS c%s', f,
    (ARRAY['float8', 'float8', 'float4', 'int4', 'int8', 'int2'])[1 + f % 6], f), ', ' ORDER BY f) || ', n FROM rows_wide'
    FROM generate_series(1, 999) AS f); END $$;
SELECT differ('SELECT c.n, predict(''columns'', c) AS s FROM rows_columns AS c');
SELECT differ('SELECT c.n, predict(''columns'', CASE WHEN c.n % 4 = 0 THEN NULL ELSE c END) AS s FROM rows_columns AS c');
SELECT differ('SELECT m.n, predict(''middle'', (SELECT q FROM (SELECT ' ||
    (SELECT string_agg('m.c' || f, ', ' ORDER BY f) FROM generate_series(1, 100) AS f) || ') AS q)) AS s FROM rows_columns AS m');
-- S1: a row with a text among its columns
SELECT differ('SELECT m.n, predict(''middle'', CASE WHEN m.n > 0 THEN ROW(' ||
    (SELECT string_agg('m.c' || f || CASE f WHEN 7 THEN '::text' ELSE '' END, ', ' ORDER BY f) FROM generate_series(1, 100) AS f) ||
    ') END) AS s FROM rows_columns AS m');

-- S1: 1,000 and 4,096 classes: every function that reads them
SELECT model, differ(format('SELECT n, predict(%L, a[1:10]) AS s FROM rows_wide', model)) AS label,
    differ(format('SELECT n, predict_proba(%L, a[1:10]) AS s FROM rows_wide', model)) AS probabilities,
    differ(format('SELECT n, predict_top(%L, 3, a[1:10]) AS s FROM rows_wide', model)) AS top
FROM unnest(ARRAY['classes', 'most']) AS model;
SELECT count(*), count(*) FILTER (WHERE abs(total - 1) < 1e-4) AS sums_to_one
FROM (SELECT (SELECT sum(p) FROM unnest(predict_proba('most', a[1:10])) AS p) AS total FROM rows_wide) AS s;
-- S1: a block is shorter if rows are wide, and no longer than is asked for
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('stumps', a::float8[]) FROM rows_wide;
SET hbscore.batch_rows = 16;
SELECT differ('SELECT n, predict(''stumps'', a::float8[]) AS s FROM rows_wide');
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('stumps', a) FROM rows_full;


-- Two perfect trees of 511 tests over 1,000 features, in hbscore's own format: so light that a block's rows are scored one by one.
SET hbscore.batch = on;
RESET hbscore.batch_rows;
CREATE FUNCTION bytes(label text, dtype text, shape text, data bytea[]) RETURNS text LANGUAGE sql AS $$
    SELECT format('"%s":{"dtype":"%s","shape":[%s],"data":"%s"}', label, dtype, shape, replace(encode(string_agg(
        (SELECT string_agg(substring(number FROM at FOR 1), '' ORDER BY at DESC) FROM generate_series(1, length(number)) AS at),
        '' ORDER BY place), 'base64'), E'\n', '')) FROM unnest(data) WITH ORDINALITY AS d (number, place) $$;
CREATE FUNCTION deep(input text, missing int) RETURNS bytea LANGUAGE sql AS $$
    SELECT convert_to(format('{"hbscore":1,"writer":{},"task":"regressor","features":[%s],"ops":[{"op":"forest","in":[0],"input":"%s",',
        (SELECT string_agg('{"type":"f8"}', ',') FROM generate_series(1, 1000)), input) || concat_ws(',',
        bytes('start', 'i4', '3', ARRAY[int4send(0), int4send(1023), int4send(2046)]),
        bytes('left', 'i4', '2046', array_agg(int4send(CASE WHEN i < 511 THEN 2 * i + 1 ELSE -1 END) ORDER BY t, i)),
        bytes('right', 'i4', '2046', array_agg(int4send(CASE WHEN i < 511 THEN 2 * i + 2 ELSE -1 END) ORDER BY t, i)),
        bytes('feature', 'i4', '2046', array_agg(int4send((t * 511 + i) * 7 % 1000) ORDER BY t, i)),
        bytes('threshold', 'f8', '2046', array_agg(float8send((i % 17 - 8) / 4.0) ORDER BY t, i)),
        bytes('missing_left', 'u1', '2046', array_agg(substring(int4send(i % 2) FROM 4) ORDER BY t, i)),
        bytes('cover', 'f8', '2046', array_agg(float8send(1) ORDER BY t, i)),
        bytes('value', 'f8', '1024,1', array_agg(float8send(t * 1000 + i / 8.0) ORDER BY t, i) FILTER (WHERE i >= 511)),
        bytes('group', 'i4', '2', ARRAY[int4send(-1), int4send(-1)]), bytes('init', 'f8', '1', ARRAY[float8send(0.5)]),
        bytes('divide', 'f8', '1', ARRAY[float8send(1)])) || format(',"missing":%s}]}', missing), 'UTF8')
    FROM generate_series(0, 1) AS t, generate_series(0, 1022) AS i $$;
SELECT hbscore.register('deep', deep('f8', 2)), hbscore.register('deep32', deep('f4', 1)), hbscore.register('known', deep('f8', 0)),
    hbscore.register('strict', deep('f8', 0), '{"on_missing": "error"}');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT sum(predict('deep', a[1:1000]::float8[])) FROM rows_wide;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT sum(predict('deep', a[1:1000]::text[])) FROM rows_wide;
-- S1: of every type, with NULLs among them: of models that take these, and of one whose result is NULL then
SELECT type, differ(format('SELECT n, predict(''deep'', a[1:1000]::%s) AS s FROM rows_wide', type)) AS numbers,
    differ(format('SELECT n, predict(''deep32'', a[1:1000]::%s) AS s FROM rows_wide', type)) AS rounded,
    differ(format('SELECT n, predict(''known'', a[1:1000]::%s) AS s FROM rows_wide', type)) AS known
FROM unnest(ARRAY['float8[]', 'float4[]', 'int2[]', 'int4[]', 'int8[]']) AS type;
SELECT differ('SELECT n, predict(''deep'', a[1:1000]) AS s FROM rows_full'), differ('SELECT n, predict(''deep'', a[1:1000]) AS s FROM rows_same');
-- S1: several functions of the same rows, and one of another model
SELECT differ('SELECT n, concat_ws('' '', predict(''deep'', a), predict_json(''deep'', a), predict(''known'', a)) AS s
    FROM (SELECT n, a[1:1000] AS a FROM rows_full) AS r');
-- S1: records of 1,000 columns
SELECT differ('SELECT c.n, predict(''deep'', CASE WHEN c.n % 4 > 0 THEN c END) AS s
    FROM (SELECT ' || (SELECT string_agg('c' || f, ', ') FROM generate_series(1, 999) AS f) || ', n FROM rows_columns) AS c');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT sum(predict('columns', c)) FROM rows_columns AS c;
SELECT differ('SELECT c.n, predict(''deep'', c) AS s FROM rows_columns AS c');
-- S1: what no block takes, and what is an error, is said of its own row
SELECT differ('SELECT n, predict(''deep'', CASE WHEN n % 7 = 0 THEN NULL ELSE array_replace(a[1:1000]::int8[], 4, 9007199254740993) END) AS s FROM rows_wide');
SELECT sum(predict('deep', CASE n WHEN 150 THEN ARRAY[a[1:500], a[501:1000]] ELSE a[1:1000] END)) FROM rows_wide;
SELECT sum(predict('deep', a[1:1000 + (n = 150)::int])) FROM rows_wide;
SELECT sum(predict('strict', a[1:1000])) FROM rows_wide WHERE n % 3 > 0 OR n > 100;
SELECT count(s), sum(s) = (SELECT sum(predict('known', a[1:1000])) FROM rows_wide WHERE n % 3 > 0) AS same
FROM (SELECT CASE WHEN n % 3 > 0 THEN predict('strict', a[1:1000]) END AS s FROM rows_wide) AS r;
BEGIN;
DECLARE scores CURSOR FOR SELECT n, predict('strict', a[1:1000]) > 0 AS scored FROM (SELECT n, a FROM rows_wide ORDER BY n OFFSET 0) AS r;
FETCH 2 FROM scores;
FETCH 1 FROM scores;
ROLLBACK;

-- : done
DROP TABLE rows_wide, rows_full, rows_same, rows_columns;
DROP FUNCTION stumps(int, int, int), differ(text), deep(text, int), bytes(text, text, text, bytea[]);
SELECT hbscore.drop(m) FROM unnest(ARRAY['stumps', 'middle', 'classes', 'most', 'columns', 'deep', 'deep32', 'known', 'strict']) AS m;
