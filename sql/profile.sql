-- hbscore.profile(model, query, function): what each operator did for the rows of a query. Times are never compared.

CREATE TEMP TABLE t AS SELECT i AS id, i % 7 - 1.25 AS a, i % 5 + 0.5 AS b, CASE WHEN i % 3 > 0 THEN i % 3 END AS c, i % 11 AS d FROM generate_series(1, 1000) AS i;
CREATE TEMP VIEW lines AS SELECT * FROM hbscore.profile('number', 'SELECT * FROM t');

-- : the lines, in the order in which they run
SELECT position, operator, source, calls > 0 AS called, rows, bytes > 0 AS bytes FROM lines;
SELECT operator, kernel ~ '^(portable|avx2|avx512|avx512vbmi)( bits)?$' AS kernel FROM lines WHERE kernel IS NOT NULL;
-- : the parts are within the whole, and the shares are theirs
WITH l AS MATERIALIZED (SELECT * FROM lines)
SELECT bool_and(ns >= 0), sum(ns) FILTER (WHERE operator <> 'all') <= max(ns) FILTER (WHERE operator = 'all'), max(share), min(share) >= 0 FROM l;
-- : positions are those of hbscore.plan
SELECT l.operator FROM lines AS l JOIN hbscore.plan('number') AS p ON p.stage = 'plan' AND p.position = l.position AND p.operator = l.operator;
-- : blocks as the setting says
SET hbscore.batch_rows = 100;
SELECT operator, calls, rows FROM lines WHERE operator IN ('fetch', 'all', 'encode');
RESET hbscore.batch_rows;
SET hbscore.strategy = 'tt';
SELECT kernel ~ ' tt$' AS walks FROM lines WHERE source = 'forest';
RESET hbscore.strategy;
-- : no rows; the key is not looked at; more columns than features, if these have names
SELECT position, operator, kernel, calls, rows, bytes FROM hbscore.profile('number', 'SELECT * FROM t WHERE false');
SELECT rows FROM hbscore.profile('number', 'SELECT row(1, ''x''), 1, 2, 3, 4') WHERE operator = 'store';
SELECT rows FROM hbscore.profile('titanic', 'SELECT 1 AS id, ''x'' AS more, 3 AS pclass, ''male'' AS sex, 22 AS age, 1 AS sibsp, 0 AS parch, 7.25 AS fare, ''S'' AS embarked', 'predict_label') WHERE operator = 'all';
SELECT rows FROM hbscore.profile('number', 'VALUES (1, 2, 3.5::numeric, NULL, 5::int8), (1, ''2'', ''3.5'', NULL, ''5'')') WHERE operator = 'all';
SELECT rows FROM hbscore.profile('number', 'WITH x AS (SELECT * FROM t) SELECT * FROM x') WHERE operator = 'all';
-- : only what the function needs is called
SELECT operator, source, calls > 0 AS called FROM hbscore.profile('titanic', 'SELECT 1 AS id, 3 AS pclass, ''male'' AS sex, 22 AS age, 1 AS sibsp, 0 AS parch, 7.25 AS fare, ''S'' AS embarked', 'predict_proba') WHERE operator NOT IN ('fetch', 'all');
SELECT operator, source, calls > 0 AS called FROM hbscore.profile('titanic', 'SELECT 1 AS id, 3 AS pclass, ''male'' AS sex, 22 AS age, 1 AS sibsp, 0 AS parch, 7.25 AS fare, ''S'' AS embarked', function => 'decision_function') WHERE operator NOT IN ('fetch', 'all');
-- : features that the function does not need are not looked at: any number, any text, and no bytes of them; but a type that no feature has is refused
SELECT hbscore.register('second', convert_to('{"hbscore":1,"writer":{},"task":"regressor","features":[{"name":"a","type":"f8"},{"name":"b","type":"f8"}],"ops":[{"op":"select","in":[0],"cols":[1]}]}', 'UTF8'));
SELECT operator, rows, bytes FROM hbscore.profile('second', 'SELECT 1 AS id, 1e400::numeric AS a, 3.0::float8 AS b') WHERE operator = 'encode';
SELECT operator, rows, bytes FROM hbscore.profile('second', 'SELECT 1 AS id, ''no number'' AS a, 3.0::float8 AS b') WHERE operator = 'encode';
SELECT operator, rows, bytes FROM hbscore.profile('second', 'SELECT 1 AS id, now() AS a, 3.0::float8 AS b') WHERE operator = 'encode';
-- : the steps of a scikit-learn pipeline
SELECT hbscore.register('stepped', file('test/fuzz/fuzz_own/steps.json'));
CREATE TEMP TABLE people AS SELECT i AS id, i / 7.0 AS age, i % 9 AS visits, CASE i % 2 WHEN 0 THEN 'gold' ELSE 'silver' END AS plan FROM generate_series(1, 100) AS i;
SELECT position, operator, source, rows FROM hbscore.profile('stepped', 'SELECT * FROM people');
SELECT DISTINCT source COLLATE "C" AS source FROM hbscore.profile('stepped', 'SELECT * FROM people', 'transform') WHERE calls > 0 AND source IS NOT NULL ORDER BY 1;
-- : in the transaction, it sees what the statement sees
BEGIN;
DELETE FROM t WHERE id > 10;
SELECT rows FROM lines WHERE operator = 'all';
ROLLBACK;
-- : it counts as scored
SELECT s.rows >= 1000 AS counted FROM hbscore.stats AS s WHERE s.model = 'number@1';

-- : queries that are none, or do more than read
SELECT * FROM hbscore.profile('number', '');
SELECT * FROM hbscore.profile('number', ' -- nothing');
SELECT * FROM hbscore.profile('number', 'SELECT 1');
SELECT * FROM hbscore.profile('number', 'SELECT * FROM t; SELECT 1');
SELECT * FROM hbscore.profile('number', 'DELETE FROM t RETURNING *');
SELECT * FROM hbscore.profile('number', 'DELETE FROM t');
SELECT * FROM hbscore.profile('number', 'WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x');
SELECT * FROM hbscore.profile('number', 'SELECT * FROM t FOR UPDATE');
SELECT * FROM hbscore.profile('number', 'SELECT * INTO u FROM t');
SELECT * FROM hbscore.profile('number', 'EXPLAIN SELECT * FROM t');
SELECT * FROM hbscore.profile('number', 'COMMIT');
SELECT * FROM hbscore.profile('number', 'what is this');
SELECT * FROM hbscore.profile('number', 'SELECT * FROM t WHERE id = $1');
SELECT * FROM hbscore.profile('number', 'SELECT * FROM no_such_table');
SELECT * FROM hbscore.profile('number', 'SELECT id, a / 0, b, c, d FROM t');
SELECT count(*) FROM t;
-- S1: counts and names
SELECT * FROM hbscore.profile('number', 'SELECT id, a, b, c FROM t');
SELECT * FROM hbscore.profile('titanic', 'SELECT 1 AS id, 3 AS pclass', 'predict_label');
-- S2: values that the model refuses
SELECT * FROM hbscore.profile('number', 'SELECT id, a, b, ''x'', d FROM t');
SELECT * FROM hbscore.profile('number', 'SELECT id, a, b, now(), d FROM t');
-- : arguments
SELECT * FROM hbscore.profile(NULL, 'SELECT * FROM t');
SELECT * FROM hbscore.profile('number', NULL);
SELECT * FROM hbscore.profile('number', 'SELECT * FROM t', NULL);
SELECT * FROM hbscore.profile('number', 'SELECT * FROM t', 'predict_prob');
SELECT * FROM hbscore.profile('number', 'SELECT * FROM t', 'predict_proba');
SELECT * FROM hbscore.profile('numbr', 'SELECT * FROM t');
SELECT * FROM hbscore.profile('number@9', 'SELECT * FROM t');
SELECT hbscore.profile('number', 'SELECT * FROM t') IS NULL LIMIT 1;
-- : within itself
SELECT rows FROM hbscore.profile('number', 'SELECT 1, position, 2, rows, calls FROM hbscore.profile(''number'', ''SELECT * FROM t'')') WHERE operator = 'all';
-- : EXPLAIN (ANALYZE, VERBOSE) names the three dearest operators with their sources
CREATE FUNCTION pg_temp.dearest(options text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
        IF line ~ 'Dearest Operators: ' THEN
            RETURN QUERY SELECT m[1] FROM regexp_matches(line, '(?:: | )([a-z_0-9]+(?: \([^)]*\))?)=[0-9.]+', 'g') AS m;
        END IF;
    END LOOP;
END $$;
SET hbscore.batch = on;
SELECT d FROM pg_temp.dearest('ANALYZE, VERBOSE', 'SELECT predict(''number'', a, b, c, d) FROM t') AS d ORDER BY d;
SELECT count(*) FROM pg_temp.dearest('ANALYZE, VERBOSE', 'SELECT predict_probability(''titanic_pipeline'', ''died'', x.*) FROM titanic AS x');
SELECT count(*) FROM pg_temp.dearest('ANALYZE, VERBOSE', 'SELECT predict(''stepped'', p.*) FROM people AS p') AS d WHERE d ~ '^[a-z_0-9]+( \((clf|columns|columns/größe|columns/num|columns/num/fill|columns/num/scale)\))?$';
SELECT count(*) FROM pg_temp.dearest('ANALYZE', 'SELECT predict(''number'', a, b, c, d) FROM t');
SELECT count(*) FROM pg_temp.dearest('ANALYZE, VERBOSE, TIMING off', 'SELECT predict(''number'', a, b, c, d) FROM t');
CREATE FUNCTION pg_temp.operators(options text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE format('EXPLAIN (%s, FORMAT json) SELECT predict(''number'', a, b, c, d) FROM t', options) INTO plan;
    RETURN jsonb_path_query_array(jsonb_path_query_first(plan, '$.**.Operators'), '$[*].keyvalue() ? (@.key != "Time").value');
END $$;
SELECT pg_temp.operators('ANALYZE, VERBOSE'), pg_temp.operators('ANALYZE');
SELECT hbscore.drop('stepped');
