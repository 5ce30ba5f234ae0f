-- What CREATE EXTENSION makes: names, signatures, volatility, parallel safety, owners of rights.
\ir setup.psql

SELECT has_schema('hbscore');
SELECT has_type('public', 'model_ref', 'model_ref is a type');
SELECT cast_context_is(t, 'model_ref', 'implicit') FROM unnest('{text,character varying,character,name}'::text[]) AS t;
SELECT results_eq($$SELECT typlen::int, typstorage::text, typcollation::int FROM pg_type WHERE typname = 'model_ref'$$,
    $$VALUES (-1, 'x', 0)$$,
    'model_ref is of variable length, may be stored outside the row, and has no collation');
SELECT results_eq($$SELECT count(*)::int FROM pg_type WHERE typname = 'model_ref' AND typreceive::oid <> 0
    AND typsend::oid <> 0$$, 'VALUES (1)',
    'model_ref goes over the wire in binary form too');

-- name, types of arguments, result, volatility, parallel safety
CREATE TABLE wanted (name text, arguments text, result text, volatile "char", parallel "char", strict bool);
INSERT INTO wanted VALUES
    ('public.predict', 'model_ref, "any"', 'double precision', 's', 's', false),
    ('public.predict_label', 'model_ref, "any"', 'text', 's', 's', false),
    ('public.predict_probability', 'model_ref, "any", "any"', 'double precision', 's', 's', false),
    ('public.predict_proba', 'model_ref, "any"', 'double precision[]', 's', 's', false),
    ('public.predict_values', 'model_ref, "any"', 'double precision[]', 's', 's', false),
    ('public.decision_function', 'model_ref, "any"', 'double precision[]', 's', 's', false),
    ('public.transform', 'model_ref, "any"', 'double precision[]', 's', 's', false),
    ('public.predict_json', 'model_ref, "any"', 'jsonb', 's', 's', false),
    ('public.predict_probabilities', 'model_ref, "any"', 'jsonb', 's', 's', false),
    ('public.predict_top', 'model_ref, bigint, "any"', 'jsonb', 's', 's', false),
    ('public.predict_version', 'model_ref, "any"', 'double precision', 'i', 's', false),
    ('public.predict_label_version', 'model_ref, "any"', 'text', 'i', 's', false),
    ('public.predict_probability_version', 'model_ref, "any", "any"', 'double precision', 'i', 's', false),
    ('hbscore.register', 'text, bytea, jsonb', 'integer', 'v', 'u', false),
    ('hbscore.deploy', 'text, integer, text', 'integer', 'v', 'u', false),
    ('hbscore.drop', 'text, boolean', 'integer', 'v', 'u', false),
    ('hbscore.drop', 'text, integer, boolean', 'integer', 'v', 'u', false),
    ('hbscore.pin', 'model_ref', 'model_ref', 's', 's', true),
    ('hbscore.version', '', 'text', 's', 's', false),
    ('hbscore.device', '', 'jsonb', 'v', 'r', false),
    ('hbscore.digest', 'bytea', 'bytea', 'i', 's', true);
SELECT is((SELECT row(pg_get_function_result(p.oid), p.provolatile, p.proparallel, p.proisstrict)::text FROM pg_proc AS p
        WHERE p.oid = to_regprocedure(format('%s(%s)', name, arguments))),
    row(result, volatile, parallel, strict)::text, format('%s(%s)', name, arguments)) FROM wanted;
SELECT is((SELECT count(*)::int FROM pg_proc WHERE proname = split_part(name, '.', 2)
    AND pronamespace = split_part(name, '.', 1)::regnamespace), forms::int,
    format('%s has no other form', name)) FROM (SELECT name, count(*) AS forms FROM wanted GROUP BY name) AS w;
SELECT is((SELECT provariadic FROM pg_proc WHERE oid = to_regprocedure(format('%s(%s)', name, arguments))),
    '"any"'::regtype::oid, format('%s takes any number of features', name))
FROM wanted WHERE arguments LIKE '%any%';
SELECT is((SELECT pg_get_function_result(to_regprocedure(f))), r, f) FROM (VALUES
    ('hbscore.inspect(bytea, jsonb)',
        'TABLE(role text, "position" integer, name text, type text, note text)'),
    ('hbscore.inspect(text)', 'TABLE(role text, "position" integer, name text, type text, note text)'),
    ('hbscore.features(model_ref)',
        'TABLE("position" integer, name text, type text, on_missing text, categories integer, note text)'),
    ('hbscore.classes(model_ref)', 'TABLE("position" integer, label text, type text)'),
    ('hbscore.plan(model_ref)',
    'TABLE(stage text, "position" integer, operator text, inputs text, dtype text, width bigint, outputs text, strategy text, bytes bigint, note text)'),
    ('hbscore.plan(model_ref,text)', 'text'),
    ('hbscore.verify(model_ref)', 'TABLE(version integer, rows integer, max_abs_error double precision, ok boolean, note text)'),
    ('hbscore.profile(model_ref, text, text)',
    'TABLE("position" integer, operator text, source text, kernel text, calls bigint, rows bigint, ns bigint, share double precision, bytes bigint)'))
    AS x (f, r);
SELECT is((SELECT pg_get_function_arguments(to_regprocedure(f))), a, f) FROM (VALUES
    ('hbscore.register(text, bytea, jsonb)', $$name text, model bytea, options jsonb DEFAULT '{}'::jsonb$$),
    ('hbscore.deploy(text, int4, text)', $$name text, version integer, alias text DEFAULT 'default'::text$$),
    ('hbscore.drop(text, bool)', 'name text, force boolean DEFAULT false'),
    ('hbscore.drop(text, int4, bool)', 'name text, version integer, force boolean DEFAULT false'),
    ('hbscore.inspect(bytea, jsonb)', $$model bytea, options jsonb DEFAULT '{}'::jsonb$$),
    ('hbscore.features(model_ref)', 'model model_ref'),
    ('hbscore.classes(model_ref)', 'model model_ref'),
    ('hbscore.profile(model_ref, text, text)', $$model model_ref, query text, function text DEFAULT 'predict'::text$$),
    ('public.predict_top(model_ref, int8, "any")', 'model model_ref, k bigint, VARIADIC features "any"'),
    ('public.predict_probability(model_ref, "any", "any")',
    'model model_ref, class "any", VARIADIC features "any"')) AS x (f, a);

SELECT is(hbscore.version(), (SELECT extversion FROM pg_extension WHERE extname = 'hbscore'), 'library and objects have one version here');

-- whatever else there is, now and later
CREATE VIEW members AS SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'hbscore') AND deptype = 'e';
SELECT cmp_ok((SELECT count(*)::int FROM members), '>', 30, 'the extension has members');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc, members WHERE oid = objid AND classid = 'pg_proc'::regclass
    AND prosecdef$$, 'A2: no function runs with the rights of its owner');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc, members WHERE oid = objid AND classid = 'pg_proc'::regclass
    AND proleakproof$$, 'A3: no function is LEAKPROOF: errors show values');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc, members WHERE oid = objid AND classid = 'pg_proc'::regclass
    AND proconfig IS NOT NULL$$, 'no function carries settings');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc, members WHERE oid = objid AND classid = 'pg_proc'::regclass
    AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND prosrc NOT LIKE 'hbscore\_%'$$,
    'every C function has the prefix of its symbol');
SELECT is_empty($$SELECT oid::regclass FROM pg_class, members, aclexplode(relacl) AS a WHERE pg_class.oid = objid
    AND classid = 'pg_class'::regclass AND a.grantee = 0 AND relname IN ('models', 'aliases')$$,
    'A2: PUBLIC has no right on the tables');
SELECT is_empty($$SELECT nspname FROM pg_namespace, aclexplode(nspacl) AS a WHERE nspname = 'hbscore' AND a.grantee = 0$$,
    'A2: PUBLIC has no right on the schema');
SELECT is_empty($$SELECT oid::regclass FROM pg_class, members WHERE oid = objid AND classid = 'pg_class'::regclass
    AND relkind = 'v' AND NOT coalesce(reloptions::text LIKE '%security_invoker%', false)
    AND pg_get_viewdef(oid) LIKE '%hbscore.models%'$$, 'A2: no view shows models with its owner''s rights');
SELECT is_empty($$SELECT oid::regclass FROM pg_class, members WHERE oid = objid AND classid = 'pg_class'::regclass
    AND relnamespace <> 'hbscore'::regnamespace$$, 'tables, indexes and views are in the schema hbscore');

SELECT columns_are('hbscore', 'models', ARRAY['name', 'version', 'model', 'format', 'sha256', 'description', 'options',
    'created_at', 'created_by', 'golden']);
SELECT columns_are('hbscore', 'stats', ARRAY['model', 'calls', 'rows', 'batches', 'score_time', 'loads', 'load_time', 'role']);
SELECT col_type_is('hbscore', 'stats', 'score_time', 'double precision', 'milliseconds, as load_time');
SELECT columns_are('hbscore', 'aliases', ARRAY['name', 'alias', 'version', 'deployed_at']);
SELECT set_eq($$SELECT format('%s %s %s', attname, attgenerated, pg_get_expr(adbin, adrelid)) FROM pg_attribute
    JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = 'hbscore.models'::regclass AND attgenerated <> ''$$,
    ARRAY['sha256 s hbscore.digest(model)'],
    'R2: the table computes the digest by a function that can be cancelled');
SELECT col_is_pk('hbscore', 'models', ARRAY['name', 'version'], 'the key of models');
SELECT col_is_pk('hbscore', 'aliases', ARRAY['name', 'alias'], 'the key of aliases');
SELECT hasnt_fk('hbscore', 'aliases', 'a parallel restore loads both tables at once');
SELECT results_eq($$SELECT attname::text COLLATE "default" FROM pg_attribute WHERE attrelid = 'hbscore.models'::regclass
    AND attstorage = 'e' ORDER BY attnum$$, $$VALUES ('model'), ('golden')$$, 'R2: models and golden rows are not compressed');
SELECT set_eq($$SELECT unnest(extconfig)::regclass::text FROM pg_extension WHERE extname = 'hbscore'$$,
    ARRAY['hbscore.models', 'hbscore.aliases', 'hbscore.row_security'], 'pg_dump carries the tables');
SELECT results_eq($$SELECT extrelocatable, extversion = default_version FROM pg_extension
    JOIN pg_available_extensions ON name = extname WHERE extname = 'hbscore'$$, 'VALUES (false, true)',
    'the version is the one of the control file');
SELECT results_eq($$SELECT superuser, trusted FROM pg_available_extension_versions WHERE name = 'hbscore' AND installed$$,
    'VALUES (true, false)', 'A2: a superuser installs it');
SELECT set_eq($$SELECT name, context, vartype FROM pg_settings WHERE name IN ('hbscore.strategy', 'hbscore.dense',
    'hbscore.passes_off', 'hbscore.plan_cache_size', 'hbscore.max_model_size', 'hbscore.device', 'hbscore.device_memory',
    'hbscore.device_contexts')$$, $$VALUES ('hbscore.device', 'superuser', 'enum'), ('hbscore.device_memory', 'superuser', 'integer'),
    ('hbscore.device_contexts', 'superuser', 'integer'), ('hbscore.strategy', 'user', 'enum'), ('hbscore.dense', 'user', 'enum'), ('hbscore.passes_off', 'user', 'string'), ('hbscore.plan_cache_size', 'user',
    'integer'), ('hbscore.max_model_size', 'superuser', 'integer')$$, 'settings');
SELECT isnt(obj_description(oid, 'pg_proc'), NULL, format('%s has a comment', oid::regprocedure)) FROM pg_proc
    WHERE proname IN (SELECT split_part(name, '.', 2) FROM wanted UNION ALL VALUES ('features'), ('classes')) AND pronamespace IN ('public'::regnamespace,
    'hbscore'::regnamespace);

SELECT finish();
ROLLBACK;
