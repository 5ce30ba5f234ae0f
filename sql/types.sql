-- Features of every SQL type. A number means the same whatever type it comes in.

-- : numbers
SELECT p = predict('number', 1::int2, 2::int4, 3::int8, 4::float4) AS whole, p = predict('number', 1::float8, 2.0, 3::numeric(5, 2), 4::oid::int8) AS other,
    p = predict('number', '1', ' 2 ', '3.0', '4e0') AS unknown, p = predict('number', '1'::text, '2'::varchar(9), '3'::char(5), '4'::name) AS text
FROM predict('number', 1, 2, 3, 4) AS p;
SELECT predict('number', true, false, true, false) = predict('number', 1, 0, 1, 0) AS bool;
-- : a row of all of them, as columns
CREATE TYPE mood AS ENUM ('sad', 'ok', '3');
CREATE DOMAIN years AS int CHECK (VALUE >= 0);
CREATE DOMAIN older AS years;
CREATE DOMAIN word AS varchar(20);
CREATE DOMAIN four AS float8[];
CREATE TABLE typed (i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, b bool, t text, v varchar(10), c char(10), x name,
    y "char", m mood, d years, o older, w word);
INSERT INTO typed VALUES (1, 1, 1, 1, 1, 1.00, true, '1', ' 1', '1', '1', '1', '3', 1, 1, '1');
SELECT p = predict('number', i2, 2, 3, 4) AS i2, p = predict('number', i4, 2, 3, 4) AS i4, p = predict('number', i8, 2, 3, 4) AS i8,
    p = predict('number', f4, 2, 3, 4) AS f4, p = predict('number', f8, 2, 3, 4) AS f8, p = predict('number', n, 2, 3, 4) AS n,
    p = predict('number', b, 2, 3, 4) AS b, p = predict('number', t, 2, 3, 4) AS t, p = predict('number', v, 2, 3, 4) AS v,
    p = predict('number', c, 2, 3, 4) AS c, p = predict('number', x, 2, 3, 4) AS x, p = predict('number', y, 2, 3, 4) AS y,
    p3 = predict('number', m, 2, 3, 4) AS m, p = predict('number', d, 2, 3, 4) AS d, p = predict('number', o, 2, 3, 4) AS o,
    p = predict('number', w, 2, 3, 4) AS w
FROM typed, predict('number', 1, 2, 3, 4) AS p, predict('number', 3, 2, 3, 4) AS p3;
-- S3: NULL is missing in every type
SELECT count(*), count(DISTINCT p) AS distinct, bool_and(p = predict('number', 'NaN', 2, 3, 4)) AS as_nan FROM unnest(ARRAY[
    predict('number', NULL, 2, 3, 4), predict('number', NULL::int2, 2, 3, 4), predict('number', NULL::int8, 2, 3, 4),
    predict('number', NULL::float4, 2, 3, 4), predict('number', NULL::float8, 2, 3, 4), predict('number', NULL::numeric, 2, 3, 4),
    predict('number', NULL::bool, 2, 3, 4), predict('number', NULL::text, 2, 3, 4), predict('number', NULL::mood, 2, 3, 4),
    predict('number', NULL::years, 2, 3, 4), predict('number', NULL::"char", 2, 3, 4), predict('number', 'NaN'::numeric, 2, 3, 4),
    predict('number', 'nan'::float4, 2, 3, 4), predict('number', 'NaN'::text, 2, 3, 4)]) AS p;
SELECT predict(NULL, 1, 2, 3, 4), predict(NULL::text, 1), predict_json(NULL, 1), predict_proba(NULL::model_ref, ARRAY[1]);

-- S4: infinities, large and small numbers
SELECT p = predict('number', 'inf'::float4, '-inf'::float8, 3, 4) AS floats, p = predict('number', 'Infinity', '-Infinity', 3, 4) AS texts,
    p = predict('number', 'infinity'::numeric, '-infinity'::numeric, 3, 4) AS numerics
FROM predict('number', '1e308'::float8, '-1e308'::float8, 3, 4) AS p;
SELECT predict('ridge', 9007199254740993, 0, 0, 0) = predict('ridge', 9007199254740992::float8, 0, 0, 0) AS to_even,
    predict('ridge', 9007199254740993, 0, 0, 0) = predict('ridge', numeric '9007199254740993', 0, 0, 0) AS numeric,
    predict('ridge', 9223372036854775807, 0, 0, 0) = predict('ridge', 9223372036854775808::float8, 0, 0, 0) AS greatest,
    predict('ridge', -9223372036854775807 - 1, 0, 0, 0) = predict('ridge', '-9223372036854775808', 0, 0, 0) AS least;
SELECT predict('ridge', 1e-320, 0, 0, 0) = predict('ridge', 1e-320::float8, 0, 0, 0) AS denormal,
    predict('ridge', numeric '1e-400', 0, 0, 0) = predict('ridge', 0, 0, 0, 0) AS nothing,
    predict('ridge', '-0'::float8, 0, 0, 0) = predict('ridge', 0, 0, 0, 0) AS minus,
    predict('ridge', 0.1, 0, 0, 0) = predict('ridge', 0.1::float8, 0, 0, 0) AS tenth,
    predict('ridge', 0.1::float4, 0, 0, 0) = predict('ridge', 0.1::float4::float8, 0, 0, 0) AS widened,
    predict('ridge', 0.1::float4, 0, 0, 0) = predict('ridge', 0.1, 0, 0, 0) AS no_tenth;
-- S4: infinities in JSON as SQLite writes them; JSON of PostgreSQL has them as texts
SELECT predict('number', '[9.0e+999, -9.0e+999, 3, 4]'::json) = p AS json, predict('number', '[9e999, -9e999, 3, 4]'::jsonb) = p AS jsonb,
    predict('number', to_jsonb('{inf,-inf,3,4}'::float8[])) = p AS text FROM predict('number', 'inf'::float8, '-inf'::float8, 3, 4) AS p;
SELECT predict('number', '[1e400, 1, 2, 3]'::json);
SELECT predict('number', '[1e400, 1, 2, 3]'::jsonb);
SELECT predict('ridge', numeric '1e400', 0, 0, 0);
SELECT predict('ridge', numeric '-1e400', 0, 0, 0);
SELECT predict('ridge', '1e400', 0, 0, 0);

-- S2: types that no feature takes, with the way out
SELECT predict('ridge', '2026-01-02'::date, 0, 0, 0);
SELECT predict('ridge', '2026-01-02 03:04:05'::timestamp, 0, 0, 0);
SELECT predict('ridge', '2026-01-02 03:04:05+00'::timestamptz, 0, 0, 0);
SELECT predict('ridge', '03:04:05'::time, 0, 0, 0);
SELECT predict('ridge', '3 days'::interval, 0, 0, 0);
SELECT predict('ridge', extract(doy FROM '2026-01-02'::date), 0, 0, 0) = predict('ridge', 2, 0, 0, 0);
SELECT predict('ridge', '\x01'::bytea, 0, 0, 0);
SELECT predict('ridge', 1::oid, 0, 0, 0);
SELECT predict('ridge', '12.50'::money, 0, 0, 0);
SELECT predict('ridge', '00000000-0000-0000-0000-000000000001'::uuid, 0, 0, 0);
SELECT predict('ridge', '127.0.0.1'::inet, 0, 0, 0);
SELECT predict('ridge', '1'::bit, 0, 0, 0);
SELECT predict('ridge', '(1,2)'::point, 0, 0, 0);
SELECT predict('ridge', '[1,2]'::int4range, 0, 0, 0);
SELECT predict('ridge', 'pg_class'::regclass, 0, 0, 0);
SELECT predict('ridge', '2026-01-02'::date);
SELECT predict_label('titanic', 1, '2026-01-02'::date, 30, 0, 0, 10, 'S');
-- S2: NULLs of such types too: the type is asked, not the value
SELECT predict('ridge', NULL::date, 0, 0, 0);
-- S2: texts that are no numbers
SELECT predict('ridge', 'one', 0, 0, 0);
SELECT predict('ridge', '', 0, 0, 0);
SELECT predict('ridge', '0x10', 0, 0, 0);
SELECT predict('ridge', '1 2', 0, 0, 0);
SELECT predict('ridge', 'true', 0, 0, 0);
SELECT predict('ridge', 'sad'::mood, 0, 0, 0);
SELECT predict('ridge', ''::"char", 0, 0, 0);
SELECT predict_proba('forest', 'one', 0, 0, 0);

-- : categories: every text type; a number is no category's text
SELECT count(DISTINCT p), bool_and(p = predict_proba('titanic', 1, 'female', 29, 0, 0, 211.3375, 'S')) AS same FROM (VALUES
    (predict_proba('titanic', 1, 'female'::text, 29, 0, 0, 211.3375, 'S'::"char")), (predict_proba('titanic', 1, 'female'::varchar, 29, 0, 0, 211.3375, 'S'::varchar(1))),
    (predict_proba('titanic', 1, 'female'::char(10), 29, 0, 0, 211.3375, 'S'::char(3))), (predict_proba('titanic', 1, 'female'::name, 29, 0, 0, 211.3375, 'S'::name)),
    (predict_proba('titanic', 1, 'female'::word, 29, 0, 0, 211.3375, 'S'::word))) AS x (p);
CREATE TYPE sex AS ENUM ('male', 'female', 'diverse');
-- a type of one's own that counts as text
SET client_min_messages = warning;
CREATE TYPE own_text;
CREATE FUNCTION own_text_in(cstring) RETURNS own_text LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION own_text_out(own_text) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE own_text (INPUT = own_text_in, OUTPUT = own_text_out, CATEGORY = 'S', LIKE = text);
RESET client_min_messages;
SELECT p = predict_proba('titanic', 1, 'female'::sex, 29, 0, 0, 211.3375, 'S') AS enum,
    p = predict_proba('titanic', 1, 'female'::own_text, 29, 0, 0, 211.3375, 'S'::own_text) AS own_text
FROM predict_proba('titanic', 1, 'female', 29, 0, 0, 211.3375, 'S') AS p;
SELECT predict_label('titanic', 1, 1, 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, true, 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, 1.5, 29, 0, 0, 211.3375, 'S');
-- : blanks count, except at the end of a character(n)
SELECT predict_label('titanic', 1, 'female ', 29, 0, 0, 211.3375, 'S');
-- S5: categories that training has not seen
SELECT predict_label('titanic', 1, 'neither', 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, 'Female', 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, 'FEMALE'::own_text, 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, 'diverse'::sex, 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, '', 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, repeat('m', 5000), 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', 1, E'ma\n"', 29, 0, 0, 211.3375, 'S');
SELECT predict_label('titanic', t.*) FROM (SELECT 1 AS pclass, 'none' AS sex, 29 AS age, 0 AS sibsp, 0 AS parch, 1 AS fare, 'S' AS embarked) AS t;
-- A3: errors show the value that is wrong, cut short, and no other
SELECT predict_label('titanic', '{"pclass": 1, "sex": "secret", "age": 30, "sibsp": 0, "parch": 0, "fare": "x", "embarked": "S"}'::jsonb);
SELECT predict_label('titanic', 1, 'secret', repeat('x', 1000), 0, 0, 10, 'S');

-- : long texts that are stored compressed or outside the row
CREATE TABLE long_texts (sex text, note text);
ALTER TABLE long_texts ALTER COLUMN note SET STORAGE EXTERNAL;
INSERT INTO long_texts VALUES ('female', repeat('x', 100000)), (repeat(' ', 100000) || '1', '29');
SELECT predict_label('titanic', 1, sex, 29, 0, 0, length(note), 'S') FROM long_texts WHERE note LIKE 'x%';
SELECT predict('number', sex, 2, 3, 4) = predict('number', 1, 2, 3, 4) FROM long_texts WHERE note = '29';
SELECT predict('number', note, 2, 3, 4) FROM long_texts;

-- : arrays in domains; a text column names the model; so does a varchar, a name
SELECT predict('number', '{1,2,3,4}'::four) = predict('number', 1, 2, 3, 4);
SELECT m, predict(m, 1, 2, 3, 4) = predict('number', 1, 2, 3, 4) FROM (VALUES ('number'), ('number@1')) AS x (m);
SELECT predict('number'::varchar(20), 1, 2, 3, 4) = p AS varchar, predict('number'::name, 1, 2, 3, 4) = p AS name,
    predict('number'::char(10), 1, 2, 3, 4) = p AS char, predict('number'::model_ref, 1, 2, 3, 4) = p AS model_ref
FROM predict('number', 1, 2, 3, 4) AS p;
SELECT 'number@1'::model_ref, 'number@1'::model_ref::text, pg_typeof('number'::model_ref), 'number'::char(10)::model_ref::text || '.' AS blanks;
SELECT 'a@b@c'::text::model_ref;
SELECT 'a@b@c'::char(10)::model_ref;
SELECT predict(5, 1, 2, 3, 4);
SELECT predict('number');

DROP TABLE typed, long_texts;
SET client_min_messages = warning;
DROP TYPE own_text CASCADE;
DROP DOMAIN older, years, word, four;
DROP TYPE mood, sex;

-- : whole numbers that no double holds are categories of their own, in every type and form
SELECT hbscore.register('large', file('test/golden/lightgbm/pandas_large_47.txt'));
CREATE TABLE large (id int, zone int8, zone_numeric numeric, zone_cents numeric(30, 2), zone_text text);
INSERT INTO large SELECT n, z, z, z, z::text FROM generate_series(1, 300) AS n, LATERAL (SELECT 9007199254740992 + n % 4) AS x (z);
SELECT l.zone, count(DISTINCT p) AS answers, bool_and(p = predict('large', 0, 0, zone_numeric)) AS numeric, bool_and(p = predict('large', 0, 0, zone_cents)) AS cents,
    bool_and(p = predict('large', 0, 0, zone_text)) AS text, bool_and(p = predict('large', ARRAY[0, 0, l.zone])) AS int8_array,
    bool_and(p = predict('large', ARRAY[0, 0, zone_numeric])) AS numeric_array, bool_and(p = predict('large', ARRAY['0', '0', zone_text])) AS text_array,
    bool_and(p = predict('large', jsonb_build_array(0, 0, l.zone))) AS jsonb, bool_and(p = predict('large', jsonb_build_array(0, 0, zone_cents))) AS jsonb_cents,
    bool_and(p = predict('large', format('[0, 0, %s.0]', l.zone)::json)) AS json, bool_and(p = predict('large', r)) AS row
FROM large AS l, LATERAL (SELECT predict('large', 0, 0, l.zone) AS p) AS x, LATERAL (SELECT 0 AS age, 0 AS monthly_fee, zone_cents AS zone) AS r
GROUP BY l.zone ORDER BY l.zone;
SELECT count(DISTINCT predict('large', 0, 0, zone)) AS int8, count(DISTINCT predict('large', 0, 0, zone_numeric)) AS numeric,
    count(DISTINCT predict('large', 0, 0, zone_cents)) AS cents FROM large;
-- : in blocks as row by row
SET hbscore.batch = off;
CREATE TABLE large_rows AS SELECT id, predict('large', 0, 0, zone) AS p FROM large;
SET hbscore.batch = on;
SELECT sum((p = predict('large', 0, 0, zone))::int) AS int8, sum((p = predict('large', 0, 0, zone_numeric))::int) AS numeric, sum((p = predict('large', 0, 0, zone_cents))::int) AS cents,
    sum((p = predict('large', 0, 0, zone_text))::int) AS text, sum((p = predict('large', ARRAY[0, 0, zone_cents]))::int) AS array
FROM large JOIN large_rows USING (id);
SELECT count(*) AS rows, sum((p = q)::int) AS same FROM (SELECT predict_agg('large', 0, 0, zone_cents ORDER BY id) AS a, array_agg(p ORDER BY id) AS b FROM large JOIN large_rows USING (id)) AS x, unnest(a, b) AS y (p, q);
RESET hbscore.batch;
-- S5: a fraction that a double has no room for is no category; digits far behind the point count
SELECT predict('large', 0, 0, numeric '9007199254740992.5') = predict('large', 0, 0, NULL) AS unseen, predict('large', 0, 0, numeric '9007199254740992' + numeric '1e-2000') = predict('large', 0, 0, NULL) AS far,
    predict('large', 0, 0, '9007199254740992.5') = predict('large', 0, 0, NULL) AS text, predict('large', 0, 0, 9007199254740992::float8) = predict('large', 0, 0, 9007199254740992) AS float8;
-- S5: an encoder's categories are doubles: it refuses what they would round
SELECT hbscore.register('encoded', convert_to('{"hbscore":1,"writer":{},"task":"regressor","features":[{"name":"zone","type":"f8"}],"ops":[{"op":"ordinal","in":[0],"columns":[{"values":{"dtype":"f8","shape":[2],"data":"AAAAAAAAHEAAAAAAAABAQw=="},"missing":0,"map":{"dtype":"f8","shape":[2],"data":"AAAAAAAA8D8AAAAAAAAAQA=="},"unknown":{"dtype":"f8","shape":[],"data":"AAAAAAAA8L8="}}]}]}', 'UTF8'));
SELECT predict('encoded', 7) AS seven, predict('encoded', 9007199254740992) AS exact, predict('encoded', 8) AS unseen, predict('encoded', 1e300::float8) AS far;
SELECT predict('encoded', 9007199254740993);
SELECT predict('encoded', '9007199254740993');
SELECT predict('encoded', numeric '9007199254740993.00');
SELECT predict('encoded', '[9007199254740993.0]'::json);
SET hbscore.batch = on;
SELECT sum(predict('encoded', zone)) FROM large;
SELECT sum(predict('encoded', zone_cents)) FROM large;
RESET hbscore.batch;
-- S5: a label that float8 would round
SELECT hbscore.register('labels', file('demo/models/titanic.json'), options => '{"classes": [9007199254740992, 9007199254740993]}');
SELECT predict_label('labels', t.*) FROM titanic AS t WHERE id = 1;
SELECT predict('labels', t.*) FROM titanic AS t WHERE predict_label('labels', t.*) = '9007199254740993' LIMIT 1;
SELECT predict_probability('labels', 9007199254740993, t.*) + predict_probability('labels', numeric '9007199254740992.0', t.*) AS one FROM titanic AS t WHERE id = 1;
SELECT predict_probability('labels', 9007199254740993::float8, t.*) = predict_probability('labels', 9007199254740992, t.*) AS float8 FROM titanic AS t WHERE id = 1;
SELECT hbscore.drop('large'), hbscore.drop('encoded'), hbscore.drop('labels');
