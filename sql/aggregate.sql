-- predict_agg: a group's rows in blocks.

-- : as many rows as a block holds and more, NULLs among them; the bits and the order of the calls
CREATE TABLE many AS SELECT i AS id, i % 3 AS kind, (i * 37 % 101)::float8 AS a, nullif(i % 7, 3)::float4 AS b, i % 11 AS c, (i % 13)::numeric AS d FROM generate_series(1, 2000) AS i;
WITH g AS (SELECT predict_agg('number', a, b, c, d ORDER BY id) AS gathered, array_agg(predict('number', a, b, c, d) ORDER BY id) AS called FROM many) SELECT cardinality(gathered), gathered = called AS same FROM g;
WITH g AS (SELECT kind, predict_agg('number', a, b, c, d ORDER BY id DESC) AS gathered, array_agg(predict('number', a, b, c, d) ORDER BY id DESC) AS called FROM many GROUP BY kind) SELECT kind, cardinality(gathered), gathered = called AS same FROM g ORDER BY kind;

-- S2: the other forms: texts among the values, rows by name, arrays, JSON
SELECT hbscore.register('titanic_number', file('demo/models/titanic.json'));
WITH g AS (SELECT predict_agg('titanic_number', t.* ORDER BY id) AS gathered, array_agg(predict('titanic_number', t.*) ORDER BY id) AS called FROM titanic AS t) SELECT cardinality(gathered), gathered = called AS same FROM g;
SELECT predict_agg('titanic_number', pclass, sex, age, sibsp, parch, fare, embarked ORDER BY id) = predict_agg('titanic_number', to_jsonb(t) ORDER BY id) AS same FROM titanic AS t;
SELECT predict_agg('number', ARRAY[a, b, c, d::float8] ORDER BY id) = predict_agg('number', a, b, c, d ORDER BY id) AS same FROM many;

-- S3: no rows, a model that is NULL, a row that is NULL, a result that is NULL
SELECT predict_agg('number', a, b, c, d) FROM many WHERE false;
SELECT predict_agg(NULL, a, b, c, d) FROM many;
SELECT kind, predict_agg('number', a, b, c, d) FILTER (WHERE kind = 1) = '{}' AS empty FROM many GROUP BY kind ORDER BY kind;
SELECT predict_agg('number', x) FROM (VALUES (ARRAY[1, 2, 3, 4.0]), (NULL)) AS v (x);

-- L1: one model a group, and NULL is not the model of the other rows
SELECT predict_agg(m, 1, 2, 3, 4) FROM (VALUES ('number'), ('number@1')) AS v (m);
SELECT predict_agg(m, 1, 2, 3, 4) FROM (VALUES ('number'), (NULL)) AS v (m);
SELECT predict_agg(m, 1, 2, 3, 4) FROM (VALUES (NULL), ('number')) AS v (m);
SELECT m, cardinality(predict_agg(m, 1, 2, 3, 4)) FROM (VALUES ('number'), ('number@1'), ('number')) AS v (m) GROUP BY m ORDER BY m;

-- S1: what plain calls refuse, it refuses
SELECT predict_agg('number', a, b) FROM many;
SELECT predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic;
SELECT predict_agg('number', now(), 1, 2, 3);
SELECT predict_agg('no such model', 1);
SELECT predict_agg('titanic_number', 1, CASE WHEN id = 700 THEN 'robot' ELSE 'male' END, 3, 0, 0, 5, 'S' ORDER BY id) FROM titanic;

-- : predict_label_agg: the labels of classifiers, as texts
WITH g AS (SELECT predict_label_agg('titanic', t.* ORDER BY id) AS gathered, array_agg(predict_label('titanic', t.*) ORDER BY id) AS called FROM titanic AS t) SELECT cardinality(gathered), gathered = called AS same FROM g;
WITH g AS (SELECT pclass, predict_label_agg('titanic', to_jsonb(t) ORDER BY id) AS gathered, array_agg(predict_label('titanic', t.*) ORDER BY id) AS called FROM titanic AS t GROUP BY pclass) SELECT pclass, cardinality(gathered), gathered = called AS same FROM g ORDER BY pclass;
SELECT predict_label_agg('titanic_number', pclass, sex, age, sibsp, parch, fare, embarked ORDER BY id) FILTER (WHERE id <= 3) AS numbers, predict_label_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked ORDER BY id) FILTER (WHERE id <= 3) AS texts FROM titanic;
SELECT predict_label_agg('titanic', NULL::float8[]) AS row_null, predict_label_agg(NULL, 1) AS model_null, pg_typeof(predict_label_agg('titanic', ARRAY['x'])) AS type FROM titanic WHERE false;
SELECT predict_label_agg('titanic', x) FROM (VALUES ('[3, "male", 22, 1, 0, 7.25, "S"]'::jsonb), (NULL)) AS v (x);
SELECT predict_label_agg(NULL, 1) FROM titanic;
SELECT predict_label_agg('number', a, b, c, d) FROM many;
SELECT predict_label_agg(m, 1, 'male', 3, 0, 0, 5, 'S') FROM (VALUES ('titanic'), ('titanic@1')) AS v (m);
SELECT cardinality(predict_label_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)) AS labels FROM titanic ORDER BY id LIMIT 3;
-- : as a window, and with FILTER
SELECT id, predict_agg('number', a, b, c, d) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) = ARRAY(SELECT predict('number', x.a, x.b, x.c, x.d) FROM many AS x WHERE x.id BETWEEN m.id - 1 AND m.id ORDER BY x.id) AS same FROM many AS m WHERE id <= 3;
SELECT cardinality(predict_agg('number', a, b, c, d) FILTER (WHERE kind = 1)) FROM many;

-- : what this session has done (an INSERT runs in no worker), and what it keeps
CREATE TABLE done (n int);
INSERT INTO done SELECT cardinality(predict_agg('number', a, b, c, d)) FROM many;
DROP TABLE done;
SELECT rows >= 2000 AS rows, batches >= 3 AS batches, score_time > 0 AS scored, loads > 0 AS loads, load_time > 0 AS took FROM hbscore.stats WHERE model = 'number@1';
-- : the time of each way to score is counted: a row, rows by themselves, JSON, a scan in blocks, a group
CREATE TABLE timed (n int, way text, score_time float8);
CREATE TABLE done (n int);
CREATE PROCEDURE took(n int, way text) LANGUAGE sql AS $$INSERT INTO timed SELECT took.n, took.way, coalesce(sum(score_time), 0) FROM hbscore.stats WHERE model = 'ridge@1'$$;
CALL took(0, '');
INSERT INTO done SELECT 1 WHERE predict('ridge', 1, 2, 3, 4) IS NOT NULL;
CALL took(1, 'one row');
SET hbscore.batch = off;
INSERT INTO done SELECT count(predict('ridge', a, b, c, d)) FROM (SELECT * FROM many LIMIT 500) AS m;
CALL took(2, 'rows');
INSERT INTO done SELECT count(predict('ridge', jsonb_build_array(a, b, c, d))) FROM (SELECT * FROM many LIMIT 500) AS m;
CALL took(3, 'JSON');
SET hbscore.batch = on;
INSERT INTO done SELECT count(predict('ridge', a, b, c, d)) FROM (SELECT * FROM many LIMIT 500) AS m;
CALL took(4, 'blocks');
RESET hbscore.batch;
INSERT INTO done SELECT cardinality(predict_agg('ridge', a, b, c, d)) FROM (SELECT * FROM many LIMIT 500) AS m;
CALL took(5, 'a group');
SELECT way, score_time > lag(score_time) OVER (ORDER BY n) AS more FROM timed ORDER BY n OFFSET 1;
DROP TABLE timed, done;
DROP PROCEDURE took;
SELECT count(*) > 0 AS plans, bool_and(length(key) = 64 AND bytes > 0) AS sound FROM hbscore.cache;
SET hbscore.plan_cache_size = 0;
SELECT count(*) FROM hbscore.cache;
RESET hbscore.plan_cache_size;

SELECT hbscore.drop('titanic_number');
DROP TABLE many;
