-- The four forms that features come in: scalars, one array, one row, one JSON value.

CREATE TABLE measured (id int, x0 float8, x1 float8, x2 float8, x3 float8);
INSERT INTO measured VALUES (1, 0.5, 2, -0.25, 1.5), (2, -1.25, 4, 0, 0.1), (3, 0, 0, 1, -2), (4, NULL, 1, 1, 1);

-- : all forms are one row (model forest: features age, visits, score, rate)
CREATE VIEW named AS SELECT id, x0 AS age, x1 AS visits, x2 AS score, x3 AS rate FROM measured;
SELECT id, predict_label('forest', age, visits, score, rate), predict_proba('forest', age, visits, score, rate) FROM named;
SELECT id, predict_proba('forest', ARRAY[age, visits, score, rate]) = p AS array,
    predict_proba('forest', VARIADIC ARRAY[age, visits, score, rate]) = p AS variadic,
    predict_proba('forest', n.*) = p AS whole,
    predict_proba('forest', n) = p AS name,
    predict_proba('forest', ROW (age, visits, score, rate)) = p AS row,
    predict_proba('forest', to_jsonb(n)) = p AS jsonb,
    predict_proba('forest', row_to_json(n)) = p AS json,
    predict_proba('forest', jsonb_build_array(age, visits, score, rate)) = p AS json_array
FROM named AS n, predict_proba('forest', age, visits, score, rate) AS p WHERE id < 4;
SELECT predict_proba('forest', ARRAY[age, visits, score, rate]), predict_proba('forest', n.*), predict_proba('forest', to_jsonb(n)),
    predict_proba('forest', age, visits, score, rate) FROM named AS n WHERE id = 4;

-- : arrays of every type of number, and of texts
SELECT p = predict('number', '{1,2,3,4}'::int[]) AS int4, p = predict('number', '{1,2,3,4}'::int2[]) AS int2,
    p = predict('number', '{1,2,3,4}'::int8[]) AS int8, p = predict('number', '{1,2,3,4}'::float4[]) AS float4,
    p = predict('number', '{1,2,3,4}'::numeric[]) AS numeric, p = predict('number', '{1,2,3,4}'::text[]) AS text,
    p = predict('number', '{1,2,3,4}'::varchar(5)[]) AS varchar, p = predict('number', '[0:3]={1,2,3,4}'::int[]) AS lower,
    p = predict('number', VARIADIC '{1,2,3,4}'::numeric[]) AS variadic
FROM predict('number', 1, 2, 3, 4) AS p;
SELECT predict_label('titanic', ARRAY['1', 'female', '29', '0', '0', '211.3375', 'S']);
-- S3: NULL elements are missing values; a NULL array is a row that is NULL
SELECT predict('number', ARRAY[1, NULL, 3, NULL]) = predict('number', 1, NULL, 3, NULL) AS same,
    predict('number', '{1,NULL,3,NULL}'::float8[]) = predict('number', 1, 'NaN', 3, NULL) AS float8,
    predict('number', NULL::float8[]) AS none, predict('number', VARIADIC NULL::float8[]) AS variadic;
-- S1: counts, dimensions
SELECT predict('number', '{}'::int[]);
SELECT predict('number', VARIADIC '{}'::int[]);
SELECT predict('number', '{1,2,3}'::int[]);
SELECT predict('number', '{1,2,3,4,5}'::float8[]);
SELECT predict('number', '{{1,2},{3,4}}'::int[]);
SELECT predict('number', '{{{1,2,3,4}}}'::float8[]);
SELECT predict('number', array_fill(1, ARRAY[100000]));
-- S1: JSON as a text is one value, in a row and in blocks
SELECT predict('number', '{"a": 1, "b": 2}'::text);
SET hbscore.batch = on;
SELECT predict('number', t.j) FROM (SELECT '{"a": 1}' || g AS j FROM generate_series(1, 3) AS g) AS t;
RESET hbscore.batch;
-- S2: elements of a type that no feature takes
SELECT predict('number', ARRAY['2026-01-01'::date, '2026-01-02', '2026-01-03', '2026-01-04']);
SELECT predict('number', ARRAY[ROW (1, 2), ROW (3, 4), ROW (1, 2), ROW (3, 4)]);
SELECT predict('number', ARRAY['{}'::jsonb, '{}', '{}', '{}']);
SELECT predict('number', '{1,2,3,four}'::text[]);
-- S2: a form that holds all features is given alone
SELECT predict('number', 1, '{2}'::int[], 3, 4);
SELECT predict('number', 1, ROW (2), 3, 4);
SELECT predict('number', 1, 2, 3, '4'::jsonb);
SELECT predict('number', '{1,2}'::int[], '{3,4}'::int[]);

-- : a row by name: in any order, with other columns beside, of another case
SELECT predict_proba('forest', r.*) = predict_proba('forest', 0.5, 2, -0.25, 1.5)
FROM (SELECT 1.5 AS rate, 'x'::text AS other, 2 AS visits, now() AS at, 0.5 AS "AGE", -0.25 AS score) AS r;
SELECT predict_proba('forest', r.*) = predict_proba('forest', 0.5, 2, -0.25, 1.5)
FROM (SELECT 1 AS "Age", 0.5 AS age, 2 AS "Visits", -0.25 AS score, 1.5 AS "RATE") AS r;
SELECT predict_proba('forest', r.*) FROM (SELECT 1 AS "Age", 0.5 AS "AGE", 2 AS visits, -0.25 AS score, 1.5 AS rate) AS r;
SELECT predict_proba('forest', r.*) FROM (SELECT 0.5 AS age, 2 AS visits, -0.25 AS score) AS r;
SELECT predict_proba('forest', m.*) FROM measured AS m;
-- : names that differ in case only: a column serves one feature, and a feature has one column
SELECT hbscore.register('cases', file('test/golden/xgboost/regressor_34.json'), options => '{"features": ["A", "a", "Bc", "bC"]}');
SELECT predict('cases', r.*) = predict('cases', 1, 2, 3, 4) AS same
FROM (SELECT 4 AS "bC", 2 AS a, 3 AS "Bc", 1 AS "A", 5 AS bc) AS r;
-- S1: a column is not taken for another feature than the one that it is by name, row by row and in blocks
SELECT predict('cases', r.*) FROM (SELECT 1 AS "A", 3 AS "Bc", 4 AS "bC") AS r;
SELECT predict('cases', to_jsonb(r)) FROM (SELECT 1 AS "A", 3 AS "Bc", 4 AS "bC") AS r;
SELECT predict('cases', r.*) FROM (SELECT 2 AS a, 3 AS "Bc", 4 AS "bC") AS r;
SELECT predict('cases', r.*) FROM (SELECT 1 AS "A", 2 AS a, 3 AS bc) AS r;
SELECT predict('cases', to_jsonb(r)) FROM (SELECT 1 AS "A", 2 AS a, 3 AS bc) AS r;
SELECT predict('cases', r.*) FROM (SELECT 1 AS "A", 2 AS a, 3 AS "Bc", 3 AS "BC", 4 AS bc) AS r;
CREATE TABLE cased AS SELECT n AS "A", 3 AS "Bc", 4 AS "bC" FROM generate_series(1, 100) AS n;
SET hbscore.batch = on;
SELECT sum(predict('cases', c.*)) FROM cased AS c;
SELECT sum(predict('cases', c)) FROM cased AS c;
RESET hbscore.batch;
-- : a typed function's arguments are the features
SELECT hbscore.create_predict_function('cases');
SELECT predict_cases("A" => 1, a => 2, "Bc" => 3, "bC" => 4) = predict('cases', 1, 2, 3, 4) AS same;
DROP FUNCTION predict_cases;
SELECT hbscore.drop('cases');
-- : a row that nobody gave names to goes by position
SELECT predict_proba('forest', ROW (0.5, 2, -0.25, 1.5)) = predict_proba('forest', 0.5, 2, -0.25, 1.5);
SELECT predict_proba('forest', ROW (0.5, 2, -0.25));
SELECT predict_proba('forest', ROW ());
-- : a model without names takes columns by position, if there are as many as features
SELECT predict('ridge', r.*) = predict('ridge', 1, 2, 3, 4) FROM (SELECT 1 AS b, 2 AS a, 3 AS c, 4 AS d) AS r;
SELECT predict('ridge', m.*) FROM measured AS m;
SELECT predict('ridge', '{"a": 1}'::jsonb);

-- : composite types: tables, with columns dropped and added, domains over them, partitions
CREATE TYPE person AS (gone int, age float8, visits int, score numeric, rate float4);
SELECT predict_proba('forest', (NULL, 0.5, 2, -0.25, 1.5)::person) = predict_proba('forest', 0.5, 2, -0.25, 1.5) AS before;
ALTER TYPE person DROP ATTRIBUTE gone;
SELECT predict_proba('forest', (0.5, 2, -0.25, 1.5)::person) = predict_proba('forest', 0.5, 2, -0.25, 1.5) AS after;
CREATE DOMAIN grown AS person CHECK ((VALUE).age IS NOT NULL);
SELECT predict_proba('forest', (0.5, 2, -0.25, 1.5)::person::grown) = predict_proba('forest', 0.5, 2, -0.25, 1.5) AS domain;
CREATE TABLE people (first text, age float8, second int, visits int, score numeric, third bytea, rate float4);
INSERT INTO people VALUES ('a', 0.5, 1, 2, -0.25, '', 1.5);
ALTER TABLE people DROP COLUMN first, DROP COLUMN second;
INSERT INTO people VALUES (-1.25, 4, 0, '', 0.5);
ALTER TABLE people DROP COLUMN third, ADD COLUMN fourth text DEFAULT 'x';
INSERT INTO people VALUES (0, 0, 1, -2, 'y');
SELECT age, predict_proba('forest', p.*) = predict_proba('forest', age, visits, score, rate) AS same FROM people AS p;
CREATE TABLE nameless (first text, a int, second int, b int, c float4, d numeric, third text);
INSERT INTO nameless VALUES ('x', 1, 9, 2, 3, 4, 'y');
ALTER TABLE nameless DROP COLUMN first, DROP COLUMN second, DROP COLUMN third;
SELECT predict('ridge', n.*) = predict('ridge', 1, 2, 3, 4) AS by_position FROM nameless AS n;
ALTER TABLE people DROP COLUMN rate;
SELECT predict_proba('forest', p.*) FROM people AS p;
ALTER TABLE people ADD COLUMN rate int;
SELECT age, predict_proba('forest', p.*) FROM people AS p;
-- : rows of two types in one call
SELECT sum((predict_proba('forest', r) = p)::int), count(*) FROM (
    SELECT ROW (0.5, 2, -0.25, 1.5)::person::text, predict_proba('forest', 0.5, 2, -0.25, 1.5) AS p) AS x (t, p),
    LATERAL (SELECT t::person) AS y (r);
CREATE FUNCTION any_row(n int) RETURNS record LANGUAGE plpgsql STABLE AS $$
DECLARE r record;
BEGIN
    IF n = 1 THEN SELECT 0.5 AS age, 2 AS visits, -0.25 AS score, 1.5 AS rate INTO r;
    ELSE SELECT 1.5::float4 AS rate, 0.5::float8 AS age, 'x'::text AS other, -0.25 AS score, 2::int8 AS visits INTO r; END IF;
    RETURN r;
END$$;
SELECT n, predict_proba('forest', any_row(n)) = predict_proba('forest', 0.5, 2, -0.25, 1.5) AS same FROM unnest('{1,2,1,2,2}'::int[]) AS n;
-- L1: a composite type that is altered while a statement runs, here by that statement itself: a row is read by the columns that it
-- has, never by those that the first row had
CREATE TYPE shifting AS (age float8, visits int, score float8, rate float8);
CREATE FUNCTION shifted(n int) RETURNS shifting LANGUAGE plpgsql AS $$
DECLARE r shifting;
BEGIN
    CASE n WHEN 2 THEN EXECUTE 'ALTER TYPE shifting ALTER ATTRIBUTE age TYPE text';
        WHEN 3 THEN EXECUTE 'ALTER TYPE shifting DROP ATTRIBUTE age, ADD ATTRIBUTE age float4';
        WHEN 4 THEN EXECUTE 'ALTER TYPE shifting RENAME ATTRIBUTE score TO other';
            EXECUTE 'ALTER TYPE shifting RENAME ATTRIBUTE rate TO score';
            EXECUTE 'ALTER TYPE shifting RENAME ATTRIBUTE other TO rate';
        ELSE NULL; END CASE;
    EXECUTE 'SELECT (jsonb_populate_record(NULL::shifting, $1)).*' INTO r USING '{"age": 0.5, "visits": 2, "score": -0.25, "rate": 1.5}'::jsonb;
    RETURN r;
END$$;
SELECT n, predict_proba('forest', shifted(n)) = predict_proba('forest', 0.5, 2, -0.25, 1.5) AS same FROM generate_series(1, 4) AS n;
-- : a column named like the alias is taken before the row: docs write c.*
SELECT predict('ridge', c.*) = predict('ridge', 1, 2, 3, 4) AS row FROM (SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d) AS c;
SELECT predict('ridge', c) FROM (SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d) AS c;
-- S3: a row that is NULL
SELECT predict_proba('forest', NULL::person), predict_proba('forest', (NULL, NULL, NULL, NULL)::person) IS NULL AS of_nulls;
SELECT predict_proba('forest', p.*) FROM measured AS m LEFT JOIN people AS p ON false WHERE m.id = 1;

-- S1: PostgreSQL passes 100 arguments: 99 features; more go by array, row, JSON
SELECT format('SELECT predict_label(%L, %s);', 'forest', string_agg('1', ', ')) FROM generate_series(1, 99)
\gexec
SELECT format('SELECT predict_label(%L, %s);', 'forest', string_agg('1', ', ')) FROM generate_series(1, 100)
\gexec
-- : a model of 300 features by row, array, JSON
SELECT hbscore.register('wide', convert_to(format('{"hbscore": 1, "writer": {}, "task": "regressor", "features": [%s], "ops": [{"op": "linear", '
    '"in": [0], "coef": {"dtype": "f8", "shape": [1, 300], "data": "%s"}, '
    '"intercept": {"dtype": "f8", "shape": [1], "data": "AAAAAAAA8D8="}}]}',
    string_agg(format('{"name": "c%s", "type": "f8"}', n), ', '), translate(encode(decode(repeat('000000000000f03f', 300), 'hex'), 'base64'), E'\n', '')), 'UTF8'))
FROM generate_series(1, 300) AS n;
SELECT format('CREATE TABLE wide AS SELECT %s', string_agg(format('%s AS c%s', n, n), ', ')) FROM generate_series(1, 300) AS n
\gexec
SELECT predict('wide', w.*) AS row, predict('wide', to_jsonb(w)) AS json, predict('wide', (SELECT array_agg(n) FROM generate_series(1, 300) AS n)) AS array
FROM wide AS w;
SELECT predict('wide', VARIADIC (SELECT array_agg(n::float8) FROM generate_series(1, 300) AS n));

-- : JSON: names of another case, other keys, nested ones
SELECT predict_proba('forest', '{"AGE": 0.5, "x": {"age": [1, {}]}, "visits": 2, "score": -0.25, "Rate": 1.5}'::jsonb) = p AS folded,
    predict_proba('forest', '[0.5, 2, -0.25, 1.5]'::json) = p AS json, predict_proba('forest', ' [0.5,2,-25e-2,"1.5"] '::json) = p AS text
FROM predict_proba('forest', 0.5, 2, -0.25, 1.5) AS p;
SELECT predict('number', '[true, false, true, true]'::jsonb) = predict('number', 1, 0, 1, 1);
-- S3: null is missing; a NULL is a row that is NULL
SELECT predict('number', '[1, null, 3, 4]'::jsonb) = predict('number', 1, NULL, 3, 4) AS same, predict('number', NULL::jsonb), predict('number', NULL::json);
-- S1: counts
SELECT predict('number', '[]'::jsonb);
SELECT predict('number', '[1, 2, 3, 4, 5]'::json);
SELECT predict_proba('forest', '{}'::jsonb);
SELECT predict_proba('forest', '{"age": 1, "visits": 2, "score": 3}'::json);
-- S2: values that are none
SELECT predict('number', '[1, 2, 3, [4]]'::jsonb);
SELECT predict('number', '[1, 2, 3, {}]'::jsonb);
SELECT predict('number', '[1, 2, 3, "four"]'::jsonb);
SELECT predict('number', '1'::jsonb);
SELECT predict('number', '"text"'::jsonb);
SELECT predict('number', 'null'::jsonb);
-- S7: twice the same key: jsonb keeps the last, json has both
SELECT predict_proba('forest', '{"age": 9, "age": 0.5, "visits": 2, "score": -0.25, "rate": 1.5}'::jsonb) = predict_proba('forest', 0.5, 2, -0.25, 1.5);
SELECT predict_proba('forest', '{"age": 9, "age": 0.5, "visits": 2, "score": -0.25, "rate": 1.5}'::json);
SELECT predict_proba('forest', '{"age": 9, "AGE": 0.5, "visits": 2, "score": -0.25, "rate": 1.5}'::jsonb);
-- S7: what json lets through and no number is; deep and long
SELECT predict('number', '[1e999, 0, 0, 0]'::json);
SELECT predict('number', '[1e999, 0, 0, 0]'::jsonb);
SELECT predict('number', ('[' || repeat('1, ', 100000) || '1]')::json);
SELECT predict('number', (repeat('[', 500) || repeat(']', 500))::jsonb);
SELECT predict_proba('forest', ('{"age": ' || repeat('[', 500) || repeat(']', 500) || '}')::json);
-- : a literal without a type is one text, not a JSON value
SELECT predict('number', '[1, 2, 3, 4]');
SELECT predict_proba('forest', '{"age": 0.5}');

SELECT hbscore.drop('wide');
DROP TABLE wide, people, nameless;
DROP DOMAIN grown;
DROP FUNCTION any_row, shifted;
DROP TYPE person, shifting;
DROP VIEW named;
DROP TABLE measured;
