-- every_type.sql - class S8: every function with every type, alone, among others, in arrays, rows and JSON, as NULL and with
-- a value. Each call gives a value, NULL, or an error with an SQLSTATE of its own; an internal error (XX...) is a failure, and
-- so is a server that is gone. Prints a line for each failure and the class's line.

\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS hbscore CASCADE;
CREATE EXTENSION hbscore;
\set titanic `base64 -w 0 demo/models/titanic.json`
\set wine `base64 -w 0 demo/models/wine_lightgbm.txt`
SELECT hbscore.register('titanic', decode(:'titanic', 'base64')) \g /dev/null
SELECT hbscore.register('wine', decode(:'wine', 'base64')) \g /dev/null
\unset titanic
\unset wine

CREATE TYPE pair AS (pclass int, sex text);
CREATE DOMAIN whole AS int CHECK (VALUE > 0);
CREATE TYPE mood AS ENUM ('good', 'bad');

-- Each type that a column may have, with a value where its input takes one of these.
CREATE TABLE cases (type text, value text);
DO $$
DECLARE
    t record;
    v text;
BEGIN
    FOR t IN SELECT oid::regtype::text AS name FROM pg_type
        WHERE typtype IN ('b', 'd', 'e', 'r', 'm', 'c') AND typisdefined
          AND (typtype <> 'c' OR oid IN ('pair'::regtype, 'pg_class'::regtype))
    LOOP
        INSERT INTO cases VALUES (t.name, 'NULL::' || t.name);
        FOREACH v IN ARRAY ARRAY['1', '', 'x', '{}', '{1,NULL}', '[1]', '{"pclass": 1}', '(1,x)', '2020-01-01', '1.5',
            'good', 'NaN', '-Infinity', '(1,2)', '0x41', '00000000-0000-0000-0000-000000000000', '127.0.0.1', '1 day']
        LOOP
            BEGIN
                EXECUTE format('SELECT %L::%s', v, t.name);
                INSERT INTO cases VALUES (t.name, format('%L::%s', v, t.name));
            EXCEPTION WHEN others THEN
            END;
        END LOOP;
    END LOOP;
END $$;
INSERT INTO cases VALUES ('record', 'ROW(1, ''male'')'), ('record', 'ROW()'), ('unknown', '''x'''), ('unknown', 'NULL'),
    ('array', 'ARRAY[[1,2],[3,4]]'), ('array', 'ARRAY[ROW(1, 2)]'), ('array', 'ARRAY[''{}''::json]'),
    ('nested', 'predict(''wine'', 1)'), ('nested', 'predict_json(''titanic'', ''{}''::jsonb)'),
    ('nested', 'predict_proba(''wine'', ARRAY[1,2,3,4,5,6,7,8,9,10,11,12,13])'),
    ('numeric', '1e400::numeric'), ('numeric', '''NaN''::numeric'), ('bigint', '9007199254740993');

CREATE TABLE outcome (call text, state text, said text);
DO $$
DECLARE
    f text;
    c record;
    call text;
    calls text[];
BEGIN
    FOREACH f IN ARRAY ARRAY['predict', 'predict_label', 'predict_proba', 'predict_values', 'decision_function',
        'transform', 'predict_json', 'predict_probabilities', 'predict_agg', 'predict_version', 'predict_label_version']
    LOOP
        FOR c IN SELECT * FROM cases LOOP
            calls := ARRAY[
                format('SELECT %s(''wine@1'', %s)', f, c.value),
                format('SELECT %s(''titanic@1'', 3, ''male'', %s, 1, 0, 7.25, ''S'')', f, c.value),
                format('SELECT %s(''titanic@1'', VARIADIC ARRAY[%s])', f, c.value),
                format('SELECT %s(''titanic@1'', ROW(3, ''male'', %s, 1, 0, 7.25, ''S''))', f, c.value),
                format('SELECT %s(''titanic@1'', to_jsonb(%s))', f, c.value),
                format('SELECT %s(%s, 1)', f, c.value)];
            FOREACH call IN ARRAY calls LOOP
                BEGIN
                    EXECUTE call;
                    INSERT INTO outcome VALUES (call, '00000', '');
                EXCEPTION WHEN others THEN
                    INSERT INTO outcome VALUES (call, SQLSTATE, SQLERRM);
                END;
            END LOOP;
        END LOOP;
    END LOOP;
    FOR c IN SELECT * FROM cases LOOP
        FOREACH call IN ARRAY ARRAY[
            format('SELECT predict_probability(''wine'', %s, ARRAY[1,2,3,4,5,6,7,8,9,10,11,12,13])', c.value),
            format('SELECT predict_probability(''wine'', 1, %s)', c.value),
            format('SELECT predict_top(''wine'', %s, ARRAY[1,2,3,4,5,6,7,8,9,10,11,12,13])', c.value),
            format('SELECT predict_top(''wine'', 1, %s)', c.value),
            format('SELECT hbscore.features(%s)', c.value),
            format('SELECT * FROM hbscore.classes(%s)', c.value),
            format('SELECT hbscore.pin(%s)', c.value),
            format('SELECT hbscore.plan(%s)', c.value),
            format('SELECT hbscore.plan(%s, %s)', c.value, c.value),
            format('SELECT hbscore.plan(''wine'', %s)', c.value),
            format('SELECT * FROM hbscore.verify(%s)', c.value),
            format('SELECT * FROM hbscore.profile(%s, ''SELECT 1, 2'')', c.value),
            format('SELECT * FROM hbscore.profile(''wine'', %s)', c.value),
            format('SELECT * FROM hbscore.profile(''number'', %L)', format('SELECT 1, 1, 2, %s, 3', c.value)),
            format('SELECT hbscore.inspect(%s)', c.value),
            format('SELECT hbscore.register(%s, %s)', c.value, c.value),
            format('SELECT hbscore.register(''x'', ''\x7b'', options => %s)', c.value),
            format('SELECT hbscore.deploy(''wine'', %s)', c.value),
            format('SELECT hbscore.drop(''nosuch'', %s)', c.value),
            format('SELECT hbscore.create_predict_function(%s)', c.value)]
        LOOP
            BEGIN
                EXECUTE call;
                INSERT INTO outcome VALUES (call, '00000', '');
            EXCEPTION WHEN others THEN
                INSERT INTO outcome VALUES (call, SQLSTATE, SQLERRM);
            END;
        END LOOP;
    END LOOP;
END $$;

SELECT format('FAILED  %s gives %s: %s', call, state, said) FROM outcome WHERE state LIKE 'XX%' ORDER BY call LIMIT 20;
SELECT format('%s calls, %s of them answered, SQLSTATEs %s', count(*), count(*) FILTER (WHERE state = '00000'),
    string_agg(DISTINCT state, ' ')) FROM outcome;
SELECT format('class S8: %s cases, %s failures', count(*), count(*) FILTER (WHERE state LIKE 'XX%')) FROM outcome;
SELECT format('%s passed, %s failed', count(*) FILTER (WHERE state NOT LIKE 'XX%'),
    count(*) FILTER (WHERE state LIKE 'XX%')) FROM outcome;
SELECT count(*) FILTER (WHERE state LIKE 'XX%' OR NOT EXISTS (SELECT 1 FROM outcome WHERE state = '00000')) > 0 AS bad
FROM outcome \gset
\if :bad
    SELECT 1 / 0;
\endif
