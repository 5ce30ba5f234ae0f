-- A role that may score, and has TEMP, can do nothing else: to the server, to the models, to those who register.
\ir setup.psql
\ir roles.psql

CREATE ROLE regress_hbscore_scorer;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_scorer;
GRANT SELECT ON hbscore.models, hbscore.aliases TO regress_hbscore_scorer;
SELECT hbscore.register('m', linear('{2}'));

-- what PUBLIC may execute: all of it, so that a new function is a decision
CREATE TABLE open_to_all (signature text);
INSERT INTO open_to_all VALUES
    -- the type model_ref, in whosever tables and statements it is
    ('hbscore.model_ref_in(cstring)'), ('hbscore.model_ref_out(model_ref)'), ('hbscore.model_ref_receive(internal)'),
    ('hbscore.model_ref_send(model_ref)'), ('hbscore.model_ref_of_character(character)'),
    ('hbscore.model_ref_equal(model_ref,model_ref)'), ('hbscore.model_ref_unequal(model_ref,model_ref)'),
    ('hbscore.model_ref_less(model_ref,model_ref)'), ('hbscore.model_ref_less_equal(model_ref,model_ref)'),
    ('hbscore.model_ref_greater(model_ref,model_ref)'), ('hbscore.model_ref_greater_equal(model_ref,model_ref)'),
    ('hbscore.model_ref_compare(model_ref,model_ref)'), ('hbscore.model_ref_hash(model_ref)'),
    ('hbscore.model_ref_hash_seeded(model_ref,bigint)'),
    -- a generated column is computed by the right of who inserts
    ('hbscore.digest(bytea)'),
    -- these read and write by the caller's rights on the tables
    ('hbscore.register(text,bytea,jsonb)'), ('hbscore.deploy(text,integer,text)'),
    ('hbscore.drop(text,boolean)'), ('hbscore.drop(text,integer,boolean)'), ('hbscore.pin(model_ref)'),
    ('hbscore.inspect(bytea,jsonb)'),
    ('hbscore.inspect(text)'),
    ('hbscore.features(model_ref)'), ('hbscore.classes(model_ref)'),
    ('hbscore.plan(model_ref)'), ('hbscore.plan(model_ref,text)'), ('hbscore.verify(model_ref)'),
    -- this runs a query by the caller's rights
    ('hbscore.profile(model_ref,text,text)'),
    ('hbscore.create_predict_function(text,text)'), ('hbscore.security_script()'), ('hbscore.require_row_security(boolean)'),
    -- which library fits
    ('hbscore.interface()'), ('hbscore.version()'),
    -- it opens the GPU for as long as it takes to look at it
    ('hbscore.device()'),
    ('predict(model_ref,"any")'), ('predict_label(model_ref,"any")'), ('predict_probability(model_ref,"any","any")'),
    ('predict_proba(model_ref,"any")'), ('predict_values(model_ref,"any")'), ('decision_function(model_ref,"any")'),
    ('transform(model_ref,"any")'), ('predict_json(model_ref,"any")'),
    ('predict_probabilities(model_ref,"any")'), ('predict_top(model_ref,bigint,"any")'), ('predict_version(model_ref,"any")'),
    ('predict_label_version(model_ref,"any")'), ('predict_probability_version(model_ref,"any","any")'),
    ('predict_agg(model_ref,"any")'), ('predict_label_agg(model_ref,"any")');
SELECT set_eq($$SELECT p.oid::regprocedure::text COLLATE "default" FROM pg_proc AS p, pg_depend AS d, pg_extension AS e,
        aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass
        AND d.refobjid = e.oid AND e.extname = 'hbscore' AND d.deptype = 'e' AND a.grantee = 0 AND a.privilege_type = 'EXECUTE'$$,
    'SELECT signature FROM open_to_all', 'A2: what PUBLIC may execute');

-- the transition functions of the aggregate are its owner's matter, not the caller's
SELECT allowed('regress_hbscore_scorer', q, a) FROM (VALUES
    ('SELECT predict_agg(''m'', x) FROM generate_series(1, 3) AS x', '{2,4,6}'),
    ('SELECT count(predict_agg) FROM (SELECT predict_agg(''m'', x) OVER () FROM generate_series(1, 3) AS x) AS t', '3')) AS v (q, a);

-- triggers of ours on tables of the scorer's, with our names and columns
GRANT TEMP ON DATABASE :DBNAME TO regress_hbscore_scorer;
SET LOCAL ROLE regress_hbscore_scorer;
CREATE TEMP TABLE models (name text COLLATE "C", version int, model bytea, format text, sha256 bytea, description text,
    options jsonb, created_at timestamptz, created_by text, golden jsonb, more bytea);
CREATE TEMP TABLE aliases (name text, alias text, version int) PARTITION BY LIST (name);
ALTER TABLE aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE aliases FORCE ROW LEVEL SECURITY;
RESET ROLE;
SELECT denied('regress_hbscore_scorer', format('CREATE TRIGGER t BEFORE %s ON pg_temp.models FOR EACH ROW EXECUTE FUNCTION hbscore.%s()',
    event, f), 'no trigger of ours') FROM (VALUES ('INSERT', 'models_insert'), ('UPDATE', 'models_update'), ('DELETE', 'models_delete'),
    ('INSERT', 'aliases_write')) AS t (event, f);
-- nor where somebody has granted the right
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA hbscore TO regress_hbscore_scorer;
SET LOCAL ROLE regress_hbscore_scorer;
INSERT INTO models (name, version, model, options) VALUES ('m', 1, '\x00', '{}'), ('n', 1, '\x00', '{}');
CREATE TRIGGER u BEFORE UPDATE ON models FOR EACH ROW EXECUTE FUNCTION hbscore.models_update();
CREATE TRIGGER i BEFORE INSERT ON models FOR EACH ROW EXECUTE FUNCTION hbscore.models_insert();
CREATE TRIGGER d BEFORE DELETE ON models FOR EACH ROW EXECUTE FUNCTION hbscore.models_delete();
CREATE TRIGGER t BEFORE TRUNCATE ON models FOR EACH STATEMENT EXECUTE FUNCTION hbscore.models_delete();
CREATE TEMP TABLE plain (name text, alias text, version int);
CREATE TRIGGER w BEFORE INSERT OR UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION hbscore.aliases_write();
RESET ROLE;
SELECT throws_ok(format('SELECT as_role(%L, %L)', 'regress_hbscore_scorer', q), '39P01',
    'this function is for the triggers of hbscore''s tables only', 'A2: on a table that is not ours: ' || q)
    FROM unnest(ARRAY['UPDATE pg_temp.models SET model = NULL', 'UPDATE pg_temp.models SET description = ''x''',
    'INSERT INTO pg_temp.models (name, model) VALUES (''m'', ''\x00'')', 'INSERT INTO pg_temp.models (name, version) VALUES (''m'', 7)',
    'DELETE FROM pg_temp.models', 'TRUNCATE pg_temp.models', 'INSERT INTO pg_temp.plain VALUES (''m'', ''a'', 1)']) AS q;
-- a table of the same name in the extension's schema is not ours either, and is not read
CREATE TABLE public.models (LIKE hbscore.models INCLUDING ALL);
CREATE TRIGGER u BEFORE INSERT ON public.models FOR EACH ROW EXECUTE FUNCTION hbscore.models_insert();
SELECT throws_ok($$INSERT INTO public.models (name, model) VALUES ('m', '\x00')$$, '39P01',
    'this function is for the triggers of hbscore''s tables only', 'A2: nor on a superuser''s');
SELECT is((SELECT array_agg(version) FROM hbscore.models WHERE model IS NOT NULL), '{1}', 'and nothing has changed');

-- version numbers: the owner of the table gives them, in a restore; anybody else could use up those of a name
CREATE ROLE regress_hbscore_registrar;
CREATE ROLE regress_hbscore_owner;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_registrar, regress_hbscore_owner;
GRANT SELECT, INSERT ON hbscore.models TO regress_hbscore_registrar;
GRANT SELECT, INSERT, UPDATE ON hbscore.aliases TO regress_hbscore_registrar;
SELECT throws_ok(format('SELECT as_role(%L, %L)', 'regress_hbscore_registrar', q), '42501',
    'only the owner of hbscore.models or a superuser gives a model''s version', 'A2: ' || q)
    FROM unnest(ARRAY['INSERT INTO hbscore.models (name, version, model) VALUES (''m'', 2147483647, linear(''{1}''))',
    'INSERT INTO hbscore.models (name, version) VALUES (''m'', 2147483647)', 'INSERT INTO hbscore.models (name, version) VALUES (''m'', 0)',
    'INSERT INTO hbscore.models (name, version) VALUES (''m'', 1) ON CONFLICT DO NOTHING']) AS q;
SELECT allowed('regress_hbscore_registrar', 'SELECT hbscore.register(''m'', linear(''{3}''))', '2');
SELECT allowed('regress_hbscore_registrar', 'INSERT INTO hbscore.models (name, version, model) VALUES (''m'', NULL, linear(''{4}'')) RETURNING version', '3');
ALTER TABLE hbscore.models OWNER TO regress_hbscore_owner;
SELECT allowed('regress_hbscore_owner', 'INSERT INTO hbscore.models (name, version, model) VALUES (''restored'', 7, linear(''{5}'')) RETURNING version', '7');
ALTER TABLE hbscore.models OWNER TO CURRENT_USER;

-- what a role sees of this session: what it did itself, or a role whose rights it has
CREATE ROLE regress_hbscore_secret;
CREATE ROLE regress_hbscore_member;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_secret, regress_hbscore_member;
GRANT SELECT ON hbscore.models, hbscore.aliases, hbscore.stats TO regress_hbscore_secret;
SELECT hbscore.register('hidden', linear('{6}'));
CREATE FUNCTION score_hidden(x float8) RETURNS float8 LANGUAGE sql SECURITY DEFINER SET search_path = public
    RETURN predict('hidden', x);
ALTER FUNCTION score_hidden OWNER TO regress_hbscore_secret;
CREATE FUNCTION models_seen() RETURNS text LANGUAGE sql AS
    $$SELECT string_agg(format('%s %s by %s', model, rows, role), ', ' ORDER BY model, role) FROM hbscore.stats
        WHERE model IN ('m@3', 'hidden@1')$$;
REVOKE EXECUTE ON FUNCTION hbscore.session_stats() FROM regress_hbscore_scorer;
SELECT denied('regress_hbscore_member', 'SELECT models_seen()', 'no right on hbscore.stats');
GRANT SELECT ON hbscore.stats TO regress_hbscore_scorer, regress_hbscore_member;
SELECT denied('regress_hbscore_member', 'SELECT models_seen()', 'no right on the function behind it');
SELECT denied('regress_hbscore_member', 'SELECT hbscore.session_stats()', 'nor to call it directly');
GRANT EXECUTE ON FUNCTION hbscore.session_stats() TO regress_hbscore_scorer, regress_hbscore_member, regress_hbscore_secret;
SELECT is(as_role('regress_hbscore_member', 'SELECT models_seen()'), NULL, 'A2: nothing was scored yet');
SELECT allowed('regress_hbscore_scorer', 'SELECT predict(''m'', 1) + score_hidden(1)', '10');
SELECT allowed('regress_hbscore_scorer', 'SELECT models_seen()', 'm@3 1 by regress_hbscore_scorer');
SELECT allowed('regress_hbscore_scorer', 'SELECT count(*) FROM hbscore.session_stats() WHERE model LIKE ''hidden%''', '0');
SELECT allowed('regress_hbscore_secret', 'SELECT models_seen()', 'hidden@1 1 by regress_hbscore_secret');
SELECT is(as_role('regress_hbscore_member', 'SELECT models_seen()'), NULL, 'A2: nothing of others');
GRANT regress_hbscore_scorer TO regress_hbscore_member;
SELECT allowed('regress_hbscore_member', 'SELECT models_seen()', 'm@3 1 by regress_hbscore_scorer');
GRANT pg_read_all_stats TO regress_hbscore_member;
SELECT allowed('regress_hbscore_member', 'SELECT models_seen()', 'hidden@1 1 by regress_hbscore_secret, m@3 1 by regress_hbscore_scorer');
SELECT is(predict('m@3', 1), 4::float8, 'another role scores the same version');
SELECT is((SELECT count(*)::int FROM hbscore.stats WHERE model = 'm@3'), 2, 'A2: each role has its own row, and a superuser sees all');
SELECT allowed('regress_hbscore_secret', 'SELECT models_seen()', 'hidden@1 1 by regress_hbscore_secret');

-- EXPLAIN without the right to read models reads and compiles none
CREATE ROLE regress_hbscore_visitor;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_visitor;
CREATE FUNCTION plans_after_explain(role text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL hbscore.plan_cache_size = 0;
    PERFORM predict('m@1', 1);
    RESET hbscore.plan_cache_size;
    EXECUTE format('SET LOCAL ROLE %I', role);
    EXECUTE 'EXPLAIN (VERBOSE) SELECT predict(''m'', x), predict_version(''m@2'', x) FROM generate_series(1, 9) AS x WHERE predict(''hidden'', x) > 0';
    EXECUTE 'EXPLAIN (VERBOSE) SELECT predict_agg(''m'', x) FROM generate_series(1, 9) AS x';
    RESET ROLE;
    RETURN (SELECT count(*) FROM hbscore.cache);
END$$;
SET LOCAL hbscore.batch = on;
SELECT is(plans_after_explain('regress_hbscore_scorer'), 3, 'EXPLAIN by a role that may score: with the plans of three models');
SELECT is(plans_after_explain('regress_hbscore_visitor'), 0, 'A2: EXPLAIN by a role that may not: with none');
GRANT SELECT ON hbscore.models TO regress_hbscore_visitor;
SELECT is(plans_after_explain('regress_hbscore_visitor'), 0, 'A2: nor with the right to one of the two tables');
GRANT SELECT ON hbscore.aliases TO regress_hbscore_visitor;
REVOKE USAGE ON SCHEMA hbscore FROM regress_hbscore_visitor;
SELECT is(plans_after_explain('regress_hbscore_visitor'), 0, 'A2: nor without the schema');

SELECT finish();
ROLLBACK;
