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

-- : done
RESET hbscore.debug_require_batch;
DROP TABLE rounds, people;
