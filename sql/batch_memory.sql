-- What a node that scores in blocks holds while it runs, however long that is and however wide the rows are.
SET hbscore.batch = on;
SET jit = off;
SET enable_memoize = off;
CREATE TABLE rounds AS SELECT i AS n FROM generate_series(1, 200) AS i;
CREATE TABLE people AS SELECT 3 AS pclass, 'male' AS sex, 22 AS age, 1 AS sibsp, 0 AS parch, 7.25 AS fare, 'S' AS embarked;
ANALYZE rounds, people;
SET hbscore.debug_require_batch = require;

-- B5: 40,000 rescans leave nothing behind, also where a call scores for another one
SELECT count(s.label), sum(s.died) > 0 AS died,
    (SELECT sum(total_bytes) < 1000000 FROM pg_backend_memory_contexts WHERE name = 'ExecutorState') AS is_small
FROM rounds AS a, rounds AS b, LATERAL (SELECT predict_label('titanic', p.*) AS label, predict_probability('titanic', 'died', p.*) AS died
    FROM people AS p WHERE a.n + b.n > 0 OFFSET 0) AS s;

-- R1: a block of wide rows has few of them; each row of the answer tells what the node holds
SET work_mem = '1MB';
CREATE FUNCTION held(n int) RETURNS bigint VOLATILE LANGUAGE sql AS $$
    SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts WHERE name LIKE 'hbscore %' $$;
SELECT count(t.score), sum(length(t.w)), max(held(t.n)) < 6000000 AS is_small
FROM (SELECT n, w, predict('number', n, 1, 2, 3) AS score FROM (SELECT n, repeat(chr(64 + n % 26), 100000) AS w FROM rounds OFFSET 0) AS s OFFSET 0) AS t;

-- R1: so are arguments that are wide, and what their evaluation leaves behind
SELECT hbscore.register('lenient', file('demo/models/titanic.json'), options => '{"classes": ["died", "survived"], "on_unseen": "missing"}');
CREATE TABLE texts AS SELECT n, repeat(chr(64 + n % 26), 100000) AS w FROM rounds;
SELECT count(t.label), max(held(t.n)) < 6000000 AS is_small
FROM (SELECT n, predict_label('lenient', 1, w, 30, 0, 0, 7, 'S') AS label FROM texts OFFSET 0) AS t;
SELECT count(t.label), max(held(t.n)) < 6000000 AS is_small
FROM (SELECT n, predict_label('lenient', 1, w || n, 30, 0, 0, 7, 'S') AS label FROM texts OFFSET 0) AS t;
SELECT count(t.score), max(held(t.n)) < 6000000 AS is_small
FROM (SELECT n, predict('number', length(w || n), 1, 2, 3) AS score FROM texts OFFSET 0) AS t;
SELECT count(t.label), max(held(t.n)) < 6000000 AS is_small
FROM (SELECT n, predict_label('lenient', ARRAY['1', w, '30', '0', '0', '7', 'S']) AS label FROM texts OFFSET 0) AS t;
SELECT count(t.label), max(held(t.n)) < 6000000 AS is_small
FROM (SELECT n, predict_label('lenient', a) AS label FROM (SELECT n, ARRAY['1', w, '30', '0', '0', '7', 'S'] AS a FROM texts OFFSET 0) AS s OFFSET 0) AS t;

-- : done
RESET work_mem;
RESET hbscore.debug_require_batch;
DROP FUNCTION held(int);
DROP TABLE rounds, people, texts;
SELECT hbscore.drop('lenient');
