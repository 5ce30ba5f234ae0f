-- tables.sql - what the random queries of smith.py read and write: the same few dozen rows in tables of every kind.

CREATE ROLE smith_scorer LOGIN;
CREATE ROLE smith_registrar;
CREATE ROLE smith_owner;
-- Logs in, and has no rights but those of the two that it can become.
CREATE ROLE smith_member LOGIN NOINHERIT;

CREATE TYPE mood AS ENUM ('sad', 'well', 'glad');
CREATE DOMAIN half AS float8 CHECK (value < 1000);
CREATE TYPE quad AS (a int, b float8, c int, d numeric);
CREATE SEQUENCE numbers;

CREATE TABLE people (
    id int PRIMARY KEY, gone text, pclass int, sex text, age float8, sibsp int, parch int, fare numeric, embarked text,
    w float4, flag boolean, big bigint, mood mood, half half, vec float8[], pt quad, note text);
INSERT INTO people
SELECT i, 'x', 1 + i % 3, (ARRAY['male', 'female', NULL])[1 + i * 7 % 5 % 3],
    CASE WHEN i % 6 > 0 THEN i * 37 % 80 END, i % 4, i % 5 % 3, round(i * 13 % 97 * 1.37, 2),
    CASE WHEN i % 11 > 0 THEN substr('SCQ', 1 + i % 3, 1) END, i / 3.0::float4, CASE WHEN i % 7 > 0 THEN i % 2 = 0 END,
    i * 1000, (ARRAY['sad', 'well', 'glad', NULL])[1 + i % 4]::mood, i % 50,
    CASE WHEN i % 13 > 0 THEN ARRAY[1 + i % 3, CASE WHEN i % 5 > 0 THEN i END, i % 4, i * 1.5] END,
    CASE WHEN i % 17 > 0 THEN ROW(1 + i % 3, i, i % 4, NULL)::quad END, repeat(chr(97 + i % 26), i % 9)
FROM generate_series(1, 80) AS i;
ALTER TABLE people DROP COLUMN gone;
ALTER TABLE people ADD COLUMN late float8 DEFAULT 2.5;
CREATE INDEX people_fare ON people (fare);
CREATE INDEX people_cover ON people (pclass, age, sibsp, fare);

-- Some of its rows are errors of some models.
CREATE TABLE odd (LIKE people INCLUDING ALL);
INSERT INTO odd SELECT * FROM people;
UPDATE odd SET sex = 'robot' WHERE id IN (12, 61);
UPDATE odd SET embarked = '?' WHERE id IN (8, 45);
UPDATE odd SET vec = '{1,2}' WHERE id IN (5, 41, 70);
UPDATE odd SET vec = '{{1,2,3,4}}' WHERE id = 50;
UPDATE odd SET note = 'seven' WHERE id > 10;

CREATE TABLE parts (LIKE people) PARTITION BY LIST (pclass);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_2 (extra int, late float8, note text, pt quad, vec float8[], half half, mood mood, big bigint,
    flag boolean, w float4, embarked text, fare numeric, parch int, sibsp int, age float8, sex text, pclass int, id int NOT NULL);
ALTER TABLE parts_2 DROP COLUMN extra;
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES IN (2);
CREATE TABLE parts_3 PARTITION OF parts FOR VALUES IN (3);
INSERT INTO parts SELECT * FROM people;

CREATE TABLE results (id int PRIMARY KEY, score float8, label text);
INSERT INTO results SELECT i, i, 'l' || i % 3 FROM generate_series(1, 60) AS i;
CREATE TABLE far_base (LIKE results INCLUDING ALL);
INSERT INTO far_base SELECT * FROM results;
CREATE TABLE kinds (pclass int PRIMARY KEY, kind text);
INSERT INTO kinds VALUES (1, 'first'), (2, 'second'), (3, NULL);

CREATE VIEW seen AS SELECT * FROM people WHERE id % 10 <> 3;
CREATE VIEW guarded WITH (security_barrier) AS SELECT * FROM people WHERE pclass < 3;
CREATE VIEW guarded_twice WITH (security_barrier) AS SELECT * FROM guarded WHERE id % 5 > 0;
CREATE TABLE secured (LIKE people INCLUDING ALL);
INSERT INTO secured SELECT * FROM people;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY some_rows ON secured USING (id % 4 > 0);
CREATE FUNCTION rows_of(n int) RETURNS SETOF people LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM people WHERE id <= n; END;
-- Takes down what it sees.
CREATE FUNCTION peek(value float8) RETURNS float8 LANGUAGE plpgsql STABLE AS $$
DECLARE
    taken text := set_config('smith.seen', current_setting('smith.seen') || ' ' || coalesce(value::text, '-'), false);
BEGIN
    RETURN value;
END $$;
-- Loops over a query's rows, and leaves it.
CREATE FUNCTION looped(query text, most int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    FOR r IN EXECUTE query LOOP
        RETURN NEXT r::text;
        most := most - 1;
        EXIT WHEN most = 0;
    END LOOP;
END $$;
-- Changes the rows of a query at which a cursor stands, each second one.
CREATE FUNCTION changed(query text, change text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    c refcursor := 'c';
    r record;
BEGIN
    OPEN c FOR EXECUTE query;
    LOOP
        FETCH c INTO r;
        EXIT WHEN NOT found;
        RETURN NEXT r::text;
        EXECUTE change;
        MOVE c;
    END LOOP;
    CLOSE c;
END $$;

CREATE EXTENSION postgres_fdw;
CREATE FUNCTION make_server(server text, more text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, %s)', server,
        (SELECT setting FROM pg_settings WHERE name = 'unix_socket_directories'), current_setting('port'), current_database(),
        more);
    EXECUTE format('CREATE USER MAPPING FOR public SERVER %I OPTIONS (user %L, password_required %L)', server, 'smith_scorer', 'false');
END $$;
SELECT make_server('here', 'async_capable $$true$$'), make_server('ships', 'extensions $$hbscore$$, fetch_size $$7$$');
CREATE FOREIGN TABLE far (id int, pclass int, sex text, age float8, sibsp int, parch int, fare numeric, embarked text,
    w float4, flag boolean, big bigint, mood mood, half half, vec float8[], pt quad, note text, late float8)
    SERVER ships OPTIONS (table_name 'people');
CREATE TABLE far_parts (LIKE people) PARTITION BY LIST (pclass);
CREATE FOREIGN TABLE far_1 PARTITION OF far_parts FOR VALUES IN (1) SERVER here OPTIONS (table_name 'parts_1');
CREATE FOREIGN TABLE far_2 PARTITION OF far_parts FOR VALUES IN (2) SERVER here OPTIONS (table_name 'parts_2');
CREATE FOREIGN TABLE far_3 PARTITION OF far_parts FOR VALUES IN (3) SERVER here OPTIONS (table_name 'parts_3');
CREATE FOREIGN TABLE far_results (id int, score float8, label text) SERVER here OPTIONS (table_name 'far_base');

CREATE TABLE mixed_parts (LIKE people) PARTITION BY LIST (pclass);
CREATE TABLE mixed_1 PARTITION OF mixed_parts FOR VALUES IN (1);
CREATE TABLE mixed_base (LIKE people);
INSERT INTO mixed_base SELECT * FROM people WHERE pclass = 2;
CREATE FOREIGN TABLE mixed_2 PARTITION OF mixed_parts FOR VALUES IN (2) SERVER here OPTIONS (table_name 'mixed_base');
CREATE TABLE mixed_3 PARTITION OF mixed_parts FOR VALUES IN (3);
INSERT INTO mixed_parts SELECT * FROM people WHERE pclass <> 2;
CREATE FOREIGN TABLE far_secured (id int, pclass int, sex text, age float8, sibsp int, parch int, fare numeric, embarked text,
    w float4, flag boolean, big bigint, mood mood, half half, vec float8[], pt quad, note text, late float8)
    SERVER here OPTIONS (table_name 'secured');
CREATE VIEW far_guarded WITH (security_barrier) AS SELECT * FROM far WHERE abs(age) > 20;
