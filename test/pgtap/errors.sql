-- Which SQLSTATE each kind of error has, and which model, feature, value it names.
\ir setup.psql

SELECT hbscore.register('linear', linear('{2,3}'));
SELECT hbscore.register('labels', titanic, options => '{"classes": ["died", "survived"]}') FROM files;
SELECT hbscore.register('strict', linear('{1}'), options => '{"on_missing": "error"}');
SELECT is(predict('linear', 10, 100), 320::float8, 'a model of two weights');
CREATE FUNCTION raises(query text, state text, message text) RETURNS text LANGUAGE sql
    AS 'SELECT throws_ok(query, state, NULL, message || '': '' || query)';
-- the row that labels takes, with one value in the place of another
CREATE FUNCTION passenger(place int, value text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(CASE n WHEN place THEN value ELSE v END, ', ' ORDER BY n) FROM unnest(ARRAY['1', '''female''', '29',
    '0', '0', '211.3375', '''S''']) WITH ORDINALITY AS x (v, n) $$;

-- 42704: no such model, version, alias, class
SELECT raises(q, '42704', 'unknown') FROM unnest(ARRAY['SELECT predict(''liner'', 1, 2)',
    'SELECT predict(''linear@2'', 1, 2)', 'SELECT predict(''linear@champion'', 1, 2)',
    'SELECT hbscore.deploy(''linear'', 2)', 'SELECT hbscore.drop(''linear'', 2)',
    'SELECT hbscore.drop(''liner'')', 'SELECT hbscore.pin(''liner'')',
    format('SELECT predict_probability(''labels'', ''nobody'', %s)', passenger(0, '')),
        'SELECT * FROM hbscore.features(''liner'')', 'SELECT * FROM hbscore.classes(''liner'')',
        'SELECT predict_top(''liner'', 1, 1)', 'SELECT predict_probabilities(''liner'', 1)',
        'SELECT * FROM hbscore.plan(''liner'')', 'SELECT hbscore.plan(''liner'', ''dot'')', 'SELECT * FROM hbscore.verify(''liner'')',
        'SELECT predict_version(''liner@1'', 1)']) AS q;
-- 22023: counts, names, references, options, classes
SELECT raises(q, '22023', 'S1: counts') FROM unnest(ARRAY['SELECT predict(''linear'', 1)',
    'SELECT predict(''linear'', 1, 2, 3)', 'SELECT predict(''linear'', ARRAY[1])',
    'SELECT predict(''linear'', ARRAY[1, 2, 3])',
    'SELECT predict(''linear'', ''{}''::float8[])', 'SELECT predict(''linear'', ''{{1,2}}''::float8[])',
    'SELECT predict(''linear'', ROW (1))', 'SELECT predict(''linear'', ''[1]''::jsonb)',
    'SELECT predict(''linear'', ''{"x1": 1}''::json)',
    'SELECT predict(''linear'', VARIADIC ''{1}''::int[])',
        'SELECT predict(''linear'', t) FROM (SELECT 1 AS x1) AS t']) AS q;
SELECT raises(format('SELECT predict_top(''labels'', %s, %s)', k, passenger(0, '')), '22023', 'S2: k')
    FROM unnest(ARRAY['0', '-1', 'NULL', '(SELECT min(version) - 1 FROM hbscore.models)']) AS k;
SELECT raises(q, '22023', 'words') FROM unnest(ARRAY['SELECT predict('''', 1)', 'SELECT predict(''a@b@c'', 1)',
    'SELECT predict(''a@1#x'', 1)', 'SELECT ''a@''::model_ref', 'SELECT hbscore.register(''a@b'', linear(''{1}''))',
    'SELECT hbscore.register('''', linear(''{1}''))', 'SELECT hbscore.deploy(''linear'', 0)',
    'SELECT hbscore.deploy(''linear'', 1, ''7'')', 'SELECT predict_version(''linear'', 1, 2)',
    'SELECT hbscore.register(''o'', linear(''{1}''), options => ''{"colour": 1}'')',
    'SELECT hbscore.register(''o'', linear(''{1}''), options => ''[]'')',
    'SELECT hbscore.register(''o'', linear(''{1}''), ''{"format": "pickle"}'')',
    'INSERT INTO hbscore.models (name, version, model) VALUES (''o'', 0, linear(''{1}''))',
    'INSERT INTO hbscore.aliases (name, alias, version) VALUES (''linear'', ''a@b'', 1)',
    'INSERT INTO hbscore.aliases (name, alias, version) VALUES (''linear'', ''a'', 0)']) AS q;
SELECT raises(format('SELECT predict_label(''labels'', %s)', passenger(2, '''neither''')), '22023',
    'S5: a category that training has not seen');
SELECT raises('SELECT predict(''strict'', NULL)', '22023', 'S3: missing, where the model takes none');
SELECT raises($$SELECT hbscore.register('g', linear('{1}'), options => '{"golden": {"rows": [[1]], "prediction": [2]}}')$$, '22023', 'golden rows that differ');
-- 42804: types
SELECT raises(format('SELECT predict(''linear'', 1, %s)', v), '42804', 'S2: types') FROM unnest(ARRAY['''two''', 'now()',
    'current_date', '''3 days''::interval', '''\x00''::bytea', '''{2}''::int[]', 'ROW (2)', '''2''::jsonb',
    'numeric ''1e400''', '1::oid', 'NULL::date']) AS v;
SELECT raises(format('SELECT predict_label(''labels'', %s)', passenger(2, v)), '42804',
    'S2: a text is wanted') FROM unnest(ARRAY['1.5', 'true', 'current_date']) AS v;
SELECT raises(format('SELECT predict(''labels'', %s)', passenger(0, '')), '42804', 'a label that is a text is no number');
SELECT raises(format('SELECT predict_probability(''labels'', current_date, %s)', passenger(0, '')), '42804',
    'a class that is a date');
-- 22P03: bytes that are no model
SELECT raises(q, '22P03', 'bytes') FROM unnest(ARRAY['SELECT hbscore.register(''b'', '''')',
    'SELECT hbscore.register(''b'', ''{'')', 'SELECT hbscore.register(''b'', ''{"hbscore": 1}'')',
    'SELECT * FROM hbscore.inspect(''\x00''::bytea)', 'INSERT INTO hbscore.models (name, model) VALUES (''b'', ''GGUF'')',
    'SELECT hbscore.register(''b'', substr(titanic, 1, 1000)) FROM files']) AS q;
-- 0A000: what a model cannot answer, what is not done
SELECT raises(q, '0A000', 'unsupported') FROM unnest(ARRAY['UPDATE hbscore.models SET model = ''x''',
    'UPDATE hbscore.models SET version = 5', 'DELETE FROM hbscore.models', 'TRUNCATE hbscore.models',
    'SELECT hbscore.register(''b'', ''{"hbscore": 999}'')']) AS q;
SELECT raises(q, '42804', 'an output that the model has not') FROM unnest(ARRAY['SELECT predict_label(''linear'', 1, 2)',
    'SELECT predict_proba(''linear'', 1, 2)', 'SELECT predict_top(''linear'', 1, 1, 2)',
    'SELECT predict_probabilities(''linear'', 1, 2)', 'SELECT predict_values(''linear'', 1, 2)',
    'SELECT decision_function(''linear'', 1, 2)']) AS q;
-- 54000: limits
SET hbscore.max_model_size = '1kB';
SELECT raises(q, '54000', 'limits') FROM unnest(ARRAY['SELECT hbscore.register(''large'', titanic) FROM files',
    'INSERT INTO hbscore.models (name, model) SELECT ''large'', titanic FROM files',
    'SELECT * FROM hbscore.inspect((SELECT titanic FROM files))']) AS q;
RESET hbscore.max_model_size;
INSERT INTO hbscore.models (name, version, model) VALUES ('last', 2147483647, linear('{1}'));
SELECT raises('SELECT hbscore.register(''last'', linear(''{1}''))', '54000', 'the last number is used');
-- 22004, 23502: what is NULL
SELECT raises(q, '22004', 'NULL') FROM unnest(ARRAY['SELECT hbscore.register(NULL, linear(''{1}''))',
    'SELECT hbscore.deploy(NULL, 1)', 'SELECT hbscore.deploy(''linear'', NULL)',
    'SELECT hbscore.deploy(''linear'', 1, NULL)', 'SELECT hbscore.drop(NULL)', 'SELECT hbscore.drop(''linear'', NULL::int)']) AS q;
SELECT raises(q, '23502', 'NULL') FROM unnest(ARRAY['SELECT hbscore.register(''n'', NULL)',
    'INSERT INTO hbscore.models (name) VALUES (''n'')', 'INSERT INTO hbscore.models (model) VALUES (linear(''{1}''))',
    'INSERT INTO hbscore.aliases (name, alias) VALUES (''linear'', ''a'')']) AS q;
-- 2BP01: a version that an alias names; 23505: numbers that are taken; 09000, 39P01: triggers elsewhere
SELECT hbscore.deploy('linear', 1);
SELECT raises('SELECT hbscore.drop(''linear'', 1)', '2BP01', 'deployed');
SELECT raises('UPDATE hbscore.models SET model = NULL WHERE name = ''linear''', '2BP01', 'deployed');
SELECT raises('INSERT INTO hbscore.models (name, version, model) VALUES (''linear'', 1, linear(''{1}''))', '23505',
    'taken');
SELECT raises('SELECT hbscore.models_insert()', '39P01', 'a trigger''s function');
SELECT raises('SET hbscore.strategy = quick', '22023', 'settings');
SELECT raises('SET hbscore.passes_off = fold', '22023', 'settings');
SELECT raises('SELECT hbscore.plan(''linear'', ''svg'')', '22023', 'a format of drawings');
SELECT raises('SELECT hbscore.plan(''linear'', NULL)', '22004', 'a format of drawings');
SELECT raises('SET hbscore.speed = 5', '42602', 'settings');
SELECT raises('SET hbscore.plan_cache_size = -1', '22023', 'settings');

-- A3: errors name model, feature and the value that is wrong, and no other value of the row
SELECT throws_ok($$SELECT predict('linear', 777, 'secret')$$,
    'model "linear": feature "x2" takes a number, got the text "secret"', 'A3: the value that is wrong');
SELECT throws_ok($$SELECT predict('linear', '{"x1": 777, "x2": "secret"}'::jsonb)$$,
    'model "linear": feature "x2" takes a number, got the text "secret"', 'A3: in JSON');
SELECT throws_ok(format('SELECT predict(''linear'', 777, %L)', repeat('s', 500)),
    format('model "linear": feature "x2" takes a number, got the text "%s.."', repeat('s', 64)), 'A3: cut short');
SELECT throws_ok('SELECT predict(''linear'', 1)', 'model "linear" takes 2 features (x1, x2), got 1',
    'which features it takes');
SELECT is(predict('linear', NULL, 2), NULL, 'S3: a missing value that the model does not take gives NULL');
SELECT is(predict(NULL, 1, 2), NULL, 'S3: no model, no score');

-- S8: every scoring function called with every type answers or raises, with the errors of one table
CREATE TABLE every_type AS SELECT format('NULL::%s', format_type(oid, NULL)) AS value FROM pg_type
    WHERE typtype IN ('b', 'c', 'd', 'e', 'r',
    'm') AND typname NOT IN ('model_ref') AND typnamespace IN ('pg_catalog'::regnamespace,
        'information_schema'::regnamespace)
    UNION SELECT v FROM unnest(ARRAY['1', '1.5', '''x''', 'true',
    'now()', '''{1,2}''::int[]', '''{1,NULL}''::text[]', '''{{1,2}}''::float8[]', '''{}''::jsonb[]', 'ROW (1, 2)',
    'ROW ()', '''{"x1": 1, "x2": 2}''::jsonb', '''[1,2]''::json',
        '''\x''::bytea', '''a b''::tsvector', 'int4range(1, 2)', '''(1,2)''::point',
    'pg_current_snapshot()', '''0/1''::pg_lsn', '''1''::"char"', '''''::name', 'ARRAY[ROW (1, 2)]']) AS v;
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'answer';
EXCEPTION WHEN OTHERS THEN RETURN sqlstate;
END$$;
SELECT is_empty(format($$SELECT outcome(format('SELECT %s(%%s)', replace(%L, 'VALUE', value))), value FROM every_type
        WHERE outcome(format('SELECT %s(%%s)', replace(%L, 'VALUE', value))) NOT IN ('answer', '22023',
    '42804')$$, f, a, f, a), format('S8: %s(%s)', f, a))
FROM (VALUES ('predict', '''linear'', VALUE'), ('predict', '''linear'', VALUE, VALUE'), ('predict', '''labels'', VALUE'),
    ('predict_label', '''linear'', VALUE, 1'), ('predict_label', '''labels'', VALUE'),
    ('predict_proba', '''labels'', VALUE'), ('predict_probability', '''labels'', ''died'', VALUE'),
    ('predict_probability', '''linear'', VALUE, 1, 2'), ('predict_values', '''linear'', VALUE, VALUE'),
    ('decision_function', '''labels'', VALUE'), ('transform', '''linear'', VALUE, VALUE'),
    ('predict_json', '''linear'', VALUE, VALUE'), ('predict_version', '''linear@1'', VALUE, VALUE'),
    ('predict_label_version', '''labels@1'', VALUE'),
    ('predict_probability_version', '''labels@1'', ''died'', VALUE')) AS x (f, a);

SELECT finish();
ROLLBACK;
