-- Which version a call uses when models change: transactions, savepoints, prepared statements, loops, cursors.

CREATE VIEW now_scores AS SELECT predict_json('t', w.*) ->> 'model' AS model FROM wine AS w WHERE id = 1;
SELECT hbscore.register('t', file('demo/models/wine.ubj'));
-- L2: a registration that is rolled back, and its number
BEGIN;
SELECT hbscore.register('t', file('demo/models/wine.ubj'), options => '{"rounds": 20}');
SELECT * FROM now_scores;
SELECT count(*), count(DISTINCT predict_proba('t', w.*) = predict_proba('t@2', w.*)) AS kinds FROM wine AS w;
ROLLBACK;
SELECT * FROM now_scores;
SELECT predict('t@2', w.*) FROM wine AS w;
-- : the same number, other bytes: what was kept of the first is never used for the second
SELECT hbscore.register('t', file('demo/models/wine.ubj'), options => '{"rounds": 5}');
SELECT count(*), sum((predict_proba('t@2', w.*) = predict_proba('t@1', w.*))::int) AS of_first FROM wine AS w;
-- L2: savepoints
BEGIN;
SAVEPOINT one;
SELECT hbscore.register('t', file('demo/models/cancer.json'));
SELECT predict('t', w.*) FROM wine AS w;
ROLLBACK TO one;
SELECT * FROM now_scores;
SELECT hbscore.register('t', file('demo/models/wine.ubj'), options => '{"rounds": 7}');
SAVEPOINT two;
SELECT hbscore.drop('t', 3);
SELECT * FROM now_scores;
ROLLBACK TO two;
SELECT * FROM now_scores;
RELEASE two;
COMMIT;
SELECT * FROM now_scores;
-- L2: a transaction that fails at COMMIT
CREATE TABLE late (x int UNIQUE DEFERRABLE INITIALLY DEFERRED);
BEGIN;
INSERT INTO late VALUES (1), (1);
SELECT hbscore.register('t', file('demo/models/wine.ubj'));
SELECT * FROM now_scores;
COMMIT;
SELECT * FROM now_scores;
-- L2: an error inside a function that goes on
DO $$
BEGIN
    BEGIN
        PERFORM hbscore.register('t', file('demo/models/wine.ubj'));
        PERFORM predict('t', 1);
    EXCEPTION WHEN invalid_parameter_value THEN RAISE NOTICE '%', sqlerrm;
    END;
    RAISE NOTICE '%', (SELECT model FROM now_scores);
END$$;

-- L1: changed by the statement that scores: one statement uses one version
SELECT id, predict_json('t', w.*) ->> 'model' AS model, CASE id WHEN 1 THEN hbscore.register('t', file('demo/models/wine.ubj')) END AS registered
FROM wine AS w WHERE id < 4;
SELECT * FROM now_scores;
-- L1: and a loop sees each change
DO $$
DECLARE seen text[] := '{}';
BEGIN
    FOR i IN 1..4 LOOP
        PERFORM hbscore.deploy('t', i);
        seen := seen || (SELECT predict_json('t', w.*) ->> 'model' FROM wine AS w WHERE id = 1);
    END LOOP;
    RAISE NOTICE 'statements: %', seen;
END$$;
CREATE TABLE one_wine AS SELECT * FROM wine WHERE id = 1;
DO $$
DECLARE seen text[] := '{}'; w one_wine; j jsonb;
BEGIN
    SELECT * INTO w FROM one_wine;
    FOR i IN 1..4 LOOP
        PERFORM hbscore.deploy('t', i);
        j := predict_json('t', w);
        seen := seen || (j ->> 'model');
    END LOOP;
    RAISE NOTICE 'expressions: %', seen;
END$$;
DO $$
DECLARE seen text[] := '{}'; w one_wine; v int; s float8[];
BEGIN
    SELECT * INTO w FROM one_wine;
    FOR i IN 1..3 LOOP
        v := hbscore.register('looped', file('demo/models/wine.ubj'), options => jsonb_build_object('rounds', i));
        s := predict_proba('looped', w);
        seen := seen || (s = predict_proba('looped@' || v, w))::text || (s = predict_proba('wine', w))::text;
        IF i = 2 THEN PERFORM hbscore.drop('looped', 2); seen := seen || (predict_json('looped', w) ->> 'model'); END IF;
    END LOOP;
    RAISE NOTICE 'registered: %', seen;
END$$;
-- L1: a subtransaction for each step, rolled back
DO $$
DECLARE seen text[] := '{}'; w one_wine; j jsonb;
BEGIN
    SELECT * INTO w FROM one_wine;
    PERFORM hbscore.deploy('t', 1);
    FOR i IN 2..3 LOOP
        BEGIN
            PERFORM hbscore.deploy('t', i);
            j := predict_json('t', w);
            seen := seen || (j ->> 'model');
            RAISE EXCEPTION 'back';
        EXCEPTION WHEN raise_exception THEN NULL;
        END;
        j := predict_json('t', w);
        seen := seen || (j ->> 'model');
    END LOOP;
    RAISE NOTICE 'subtransactions: %', seen;
END$$;

-- L2: the same under REPEATABLE READ, whose snapshot says nothing of a subtransaction that is rolled back; the expression is the
-- same one inside and behind it
CREATE FUNCTION now_uses() RETURNS text LANGUAGE plpgsql AS $$
DECLARE w one_wine;
BEGIN
    SELECT * INTO w FROM one_wine;
    RETURN predict_json('t', w) ->> 'model';
END$$;
BEGIN ISOLATION LEVEL REPEATABLE READ;
DO $$
DECLARE seen text[] := '{}';
BEGIN
    PERFORM hbscore.deploy('t', 1);
    FOR i IN 2..3 LOOP
        BEGIN
            PERFORM hbscore.deploy('t', i);
            seen := seen || now_uses();
            RAISE EXCEPTION 'back';
        EXCEPTION WHEN raise_exception THEN seen := seen || now_uses();
        END;
        seen := seen || now_uses();
    END LOOP;
    RAISE NOTICE 'repeatable read: %', seen;
END$$;
SAVEPOINT one;
SELECT hbscore.deploy('t', 2);
SELECT now_uses();
ROLLBACK TO one;
SELECT now_uses();
ROLLBACK;
DROP FUNCTION now_uses;

-- B7: prepared statements, with plans of their own and generic ones
PREPARE own (text) AS SELECT predict_json($1, w.*) ->> 'model' AS model FROM one_wine AS w;
SET plan_cache_mode = force_custom_plan;
EXECUTE own('t');
EXECUTE own('t@2');
SET plan_cache_mode = force_generic_plan;
EXECUTE own('t');
EXECUTE own('t@2');
SELECT hbscore.deploy('t', 3);
EXECUTE own('t');
EXECUTE own('no such model');
EXECUTE own('t@champion');
EXECUTE own(NULL);
PREPARE fixed AS SELECT predict_json('t', w.*) ->> 'model' AS model FROM one_wine AS w;
EXECUTE fixed;
SELECT hbscore.deploy('t', 2);
EXECUTE fixed;
PREPARE pinned (float8) AS SELECT predict_version('number@1', $1, 2, 3, 4) = predict('number', $1, 2, 3, 4) AS same;
EXECUTE pinned(1);
EXECUTE pinned(NULL);
PREPARE arguments (float8, int, text) AS SELECT predict('number', $1, $2, $3, 4) = predict('number', 1, 2, 3, 4) AS same;
EXECUTE arguments(1, 2, '3');
EXECUTE arguments(1, 2, 'three');
EXECUTE arguments(predict('number', 1, 2, 3, 4), predict('ridge', 4, 0, 0, 0)::int, '3');
PREPARE untyped AS SELECT predict('number', $1, 2, 3, 4);
PREPARE typed_by_cast AS SELECT predict('number', $1::float8, 2, 3, 4) = predict('number', 1, 2, 3, 4) AS same;
EXECUTE typed_by_cast(1);
PREPARE reference AS SELECT predict($1, 1, 2, 3, 4) = predict('number', 1, 2, 3, 4) AS same;
EXECUTE reference('number');
RESET plan_cache_mode;
DEALLOCATE ALL;

-- L3: a cursor goes on with what its snapshot showed
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT id, predict_json('t', w.*) ->> 'model' AS model FROM wine AS w ORDER BY id;
DECLARE c CURSOR FOR SELECT id, predict_json('t', w.*) ->> 'model' AS model FROM wine AS w ORDER BY id;
DECLARE s SCROLL CURSOR FOR SELECT id, predict_json('t', w.*) ->> 'model' AS model FROM wine AS w ORDER BY id;
FETCH 2 FROM c;
FETCH LAST FROM s;
SELECT hbscore.deploy('t', 1);
SELECT hbscore.drop('t', 2);
SELECT * FROM now_scores;
FETCH 2 FROM c;
FETCH BACKWARD 2 FROM s;
FETCH ABSOLUTE 1 FROM s;
CLOSE c;
COMMIT;
FETCH 2 FROM held;
CLOSE held;
SELECT * FROM now_scores;
-- L3: a cursor that first scores after the drop
BEGIN;
DECLARE c CURSOR FOR SELECT predict_json('t@3', w.*) ->> 'model' AS model FROM wine AS w WHERE id = 1;
SELECT hbscore.drop('t', 3);
FETCH c;
COMMIT;
SELECT predict('t@3', w.*) FROM wine AS w;
-- L3: REPEATABLE READ: own changes are seen
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM now_scores;
SELECT hbscore.register('t', file('demo/models/wine.ubj')) AS version, hbscore.deploy('t', 5);
SELECT * FROM now_scores;
ROLLBACK;
SELECT * FROM now_scores;
-- : a transaction that only reads scores, and does not register
BEGIN READ ONLY;
SELECT * FROM now_scores;
SELECT count(*) > 0 AS plan FROM hbscore.plan('t');
SELECT count(*) FROM hbscore.verify('t');
SELECT hbscore.register('t', file('demo/models/wine.ubj'));
ROLLBACK;
BEGIN READ ONLY;
SELECT hbscore.deploy('t', 1);
ROLLBACK;
-- B5: rescans: LATERAL, correlated
SELECT x.id, y.model FROM (VALUES (1), (2), (3)) AS x (id), LATERAL (SELECT predict_json('t', w.*) ->> 'model' AS model FROM wine AS w WHERE w.id = x.id) AS y;
SELECT id, (SELECT predict('number', w.id, 2, 3, o.id) = predict('number', 1, 2, 3, o.id) FROM one_wine AS w) AS same FROM wine AS o WHERE id < 4;
-- B4: volatile functions beside and below
CREATE SEQUENCE calls;
SELECT count(predict('number', nextval('calls'), 2, 3, 4)) FROM wine;
SELECT nextval('calls');
SELECT id, nextval('calls') IS NOT NULL AS next, predict_label('wine', w.*) FROM wine AS w ORDER BY id LIMIT 1;
-- B6: rows that are locked, changed with the score
BEGIN;
SELECT id, predict_label('wine', w.*) FROM wine AS w WHERE id = 1 FOR UPDATE;
UPDATE wine AS w SET cultivar = predict_label('wine', w.*) WHERE predict_label('wine', w.*) <> cultivar RETURNING id, cultivar;
DELETE FROM wine AS w WHERE predict_probability('wine', 'barbera', w.*) > 0.5;
SELECT count(*) FROM wine;
INSERT INTO late SELECT count(*)::int + 1000 FROM wine AS w WHERE predict_label('wine', w.*) = 'barolo' RETURNING x;
ROLLBACK;
-- L3: PL/pgSQL keeps an expression while its variables change: the class, k
CREATE FUNCTION changing() RETURNS TABLE (class text, k bigint, same_class bool, classes int) LANGUAGE plpgsql AS $$
BEGIN
    FOR k IN 1..3 LOOP
        class := (ARRAY['barolo', 'grignolino', 'barbera'])[k];
        changing.k := k;
        same_class := predict_probability('wine', class, ARRAY[1,2,3,4,5,6,7,8,9,10,11,12,13]) =
            (predict_probabilities('wine', ARRAY[1,2,3,4,5,6,7,8,9,10,11,12,13]) ->> class)::float8;
        classes := jsonb_array_length(predict_top('wine', changing.k, ARRAY[1,2,3,4,5,6,7,8,9,10,11,12,13]));
        RETURN NEXT;
    END LOOP;
END $$;
SELECT * FROM changing();
DROP FUNCTION changing;
DROP TABLE late, one_wine;
DROP SEQUENCE calls;
DROP VIEW now_scores;
SELECT hbscore.drop('t'), hbscore.drop('looped');
