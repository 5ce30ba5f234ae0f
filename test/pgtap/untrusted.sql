-- A role that may score, and has TEMP, can do nothing else: to the server, to the models, to those who register.
\ir setup.psql
\ir roles.psql

CREATE ROLE regress_hbscore_scorer;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_scorer;
GRANT SELECT ON hbscore.models, hbscore.aliases TO regress_hbscore_scorer;
SELECT hbscore.register_model('m', linear('{2}'));

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
    ('hbscore.register_model(text,bytea,text,jsonb,text)'), ('hbscore.deploy_model(text,integer,text)'),
    ('hbscore.drop_model(text,integer,boolean)'), ('hbscore.pin(model_ref)'), ('hbscore.inspect_model(bytea,text,jsonb)'),
    ('hbscore.describe_plan(model_ref)'), ('hbscore.verify_model(model_ref)'),
    ('hbscore.create_predict_function(text,text)'),
    ('predict(model_ref,"any")'), ('predict_label(model_ref,"any")'), ('predict_probability(model_ref,"any","any")'),
    ('predict_proba(model_ref,"any")'), ('predict_values(model_ref,"any")'), ('decision_function(model_ref,"any")'),
    ('transform(model_ref,"any")'), ('predict_json(model_ref,"any")'), ('predict_version(model_ref,"any")'),
    ('predict_label_version(model_ref,"any")'), ('predict_probability_version(model_ref,"any","any")'),
    ('predict_agg(model_ref,"any")');
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

SELECT finish();
ROLLBACK;
