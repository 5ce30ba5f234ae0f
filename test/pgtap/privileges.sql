-- Who may do what: each right alone, and the rights that a task needs together. Row security for each model.
\ir setup.psql
\ir roles.psql

CREATE ROLE regress_hbscore_nobody;
CREATE ROLE regress_hbscore_visitor;
CREATE ROLE regress_hbscore_reader;
CREATE ROLE regress_hbscore_models;
CREATE ROLE regress_hbscore_inserter;
CREATE ROLE regress_hbscore_registrar;
CREATE ROLE regress_hbscore_deployer;
CREATE ROLE regress_hbscore_dropper;
CREATE ROLE regress_hbscore_tables;
CREATE ROLE regress_hbscore_first;
CREATE ROLE regress_hbscore_second;
GRANT regress_hbscore_registrar TO regress_hbscore_first, regress_hbscore_second;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_visitor, regress_hbscore_reader, regress_hbscore_models,
    regress_hbscore_inserter, regress_hbscore_registrar, regress_hbscore_deployer, regress_hbscore_dropper;
GRANT SELECT ON hbscore.models TO regress_hbscore_models, regress_hbscore_reader, regress_hbscore_registrar,
    regress_hbscore_deployer, regress_hbscore_dropper;
GRANT SELECT ON hbscore.aliases TO regress_hbscore_reader, regress_hbscore_registrar, regress_hbscore_deployer,
    regress_hbscore_dropper;
GRANT INSERT ON hbscore.models TO regress_hbscore_inserter, regress_hbscore_registrar;
GRANT INSERT, UPDATE ON hbscore.aliases TO regress_hbscore_deployer;
GRANT UPDATE (model, golden) ON hbscore.models TO regress_hbscore_dropper;
GRANT DELETE ON hbscore.aliases TO regress_hbscore_dropper;
GRANT ALL ON hbscore.models, hbscore.aliases TO regress_hbscore_tables;

-- Stored without a call: what runs first in this session is the call of one who may not.
INSERT INTO hbscore.models (name, version, model) VALUES ('m', 1, linear('{2}')), ('m', 2, linear('{3}')),
    ('m', 3, NULL), ('theirs', 1, linear('{5}'));
INSERT INTO hbscore.aliases (name, alias, version) VALUES ('m', 'default', 1), ('m', 'champion', 2), ('theirs',
    'default', 1);

-- neither the schema nor the tables
SELECT throws_like($$SELECT as_role('regress_hbscore_nobody', 'SELECT predict(''m'', 1)')$$,
    'permission denied for schema hbscore', 'A2: without USAGE: the error names the schema');
SELECT denied('regress_hbscore_nobody', q, 'no USAGE') FROM unnest(ARRAY['SELECT predict(''m'', 1)',
    'SELECT predict_version(''m@1'', 1)', 'SELECT predict(''no such model'', 1)',
    'SELECT hbscore.register(''x'', linear(''{1}''))',
    'SELECT hbscore.deploy(''m'', 1)', 'SELECT hbscore.drop(''m'')', 'SELECT hbscore.pin(''m'')',
    'SELECT * FROM hbscore.models', 'SELECT role FROM hbscore.inspect(linear(''{1}''))']) AS q;
SELECT allowed('regress_hbscore_nobody', 'SELECT ''m@1''::model_ref', 'm@1');
-- the schema, but no table
SELECT throws_like($$SELECT as_role('regress_hbscore_visitor', 'SELECT predict(''m'', 1)')$$,
    'permission denied for table aliases', 'A2: without SELECT: the error names the table');
SELECT denied('regress_hbscore_visitor', q, 'no SELECT') FROM unnest(ARRAY['SELECT predict(''m'', 1)',
    'SELECT predict(''m@1'', 1)', 'SELECT predict_version(''m@1'', 1)', 'SELECT predict(''no such model'', 1)',
    'SELECT hbscore.register(''x'', linear(''{1}''))',
    'SELECT hbscore.deploy(''m'', 1)', 'SELECT hbscore.drop(''m'')', 'SELECT hbscore.pin(''m'')',
    'SELECT name FROM hbscore.features(''m'')', 'SELECT label FROM hbscore.classes(''m'')',
    'SELECT predict_probabilities(''m'', 1)', 'SELECT predict_top(''m'', 1, 1)',
    'SELECT rows FROM hbscore.profile(''m'', ''SELECT 1, 2 AS x1'')',
    'SELECT stage FROM hbscore.plan(''m'')', 'SELECT ok FROM hbscore.verify(''m'')']) AS q;
SELECT allowed('regress_hbscore_visitor',
    'SELECT role FROM hbscore.inspect(linear(''{1}'')) WHERE role = ''feature''', 'feature');
-- of the tables only models: versions, no aliases
SELECT denied('regress_hbscore_models', 'SELECT predict(''m'', 1)', 'no SELECT on aliases');
SELECT allowed('regress_hbscore_models', 'SELECT predict(''m@2'', 1)', '3');
-- who scores
SELECT allowed('regress_hbscore_reader', q, a) FROM (VALUES ('SELECT predict(''m'', 1)', '2'),
    ('SELECT predict(''m@champion'', 1)', '3'), ('SELECT predict_version(''m@2'', 10)', '30'),
    ('SELECT predict_json(''m'', 1) ->> ''model''', 'm@1'),
    ('SELECT left(hbscore.pin(''m'')::text, 4)', 'm@1#'), ('SELECT count(*) > 0 FROM hbscore.plan(''m'')',
    'true'), ('SELECT count(*) FROM hbscore.features(''m'')', '1'), ('SELECT count(*) FROM hbscore.classes(''m'')', '0'),
    ('SELECT count(*) FROM hbscore.verify(''m'')', '2'),
    ('SELECT rows FROM hbscore.profile(''m'', ''SELECT 1, 2 AS x1'') WHERE operator = ''all''', '1')) AS x (q, a);
-- a query runs by the caller's rights, and only reads
CREATE TABLE kept (id int, x1 int);
SELECT denied('regress_hbscore_reader', 'SELECT rows FROM hbscore.profile(''m'', ''SELECT id, x1 FROM kept'')',
    'no SELECT on what the query reads');
GRANT SELECT ON kept TO regress_hbscore_reader;
SELECT allowed('regress_hbscore_reader',
    'SELECT rows FROM hbscore.profile(''m'', ''SELECT id, x1 FROM kept'') WHERE operator = ''all''', '0');
SELECT throws_ok($$SELECT as_role('regress_hbscore_reader',
    'SELECT rows FROM hbscore.profile(''m'', ''DELETE FROM kept RETURNING id, x1'')')$$, '22023', NULL, 'A2: a query that writes');
INSERT INTO kept VALUES (1, 1), (2, 2);
ALTER TABLE kept ENABLE ROW LEVEL SECURITY;
CREATE POLICY first ON kept USING (id = 1);
SELECT allowed('regress_hbscore_reader',
    'SELECT rows FROM hbscore.profile(''m'', ''SELECT id, x1 FROM kept'') WHERE operator = ''all''', '1');
SELECT denied('regress_hbscore_reader', q, 'no right to write')
    FROM unnest(ARRAY['SELECT hbscore.register(''x'', linear(''{1}''))', 'SELECT hbscore.deploy(''m'', 2)',
    'SELECT hbscore.drop(''m'', 2)', 'SELECT hbscore.drop(''m'')',
    'INSERT INTO hbscore.models (name, model) VALUES (''x'', linear(''{1}''))',
    'UPDATE hbscore.models SET description = ''x''', 'DELETE FROM hbscore.aliases', 'TRUNCATE hbscore.models',
    'SET hbscore.max_model_size = ''1kB''']) AS q;
SELECT allowed('regress_hbscore_reader', 'SELECT set_config(''hbscore.strategy'', ''tt'', true)', 'tt');
-- the extension's own roles
CREATE ROLE regress_hbscore_member IN ROLE hbscore_scorer;
CREATE ROLE regress_hbscore_trainer IN ROLE hbscore_registrar;
SELECT allowed(r, q, a) FROM unnest(ARRAY['regress_hbscore_member', 'regress_hbscore_trainer']) AS r,
    (VALUES ('SELECT predict(''m'', 1)', '2'), ('SELECT predict_version(''m@2'', 10)', '30'),
    ('SELECT left(hbscore.pin(''m'')::text, 4)', 'm@1#'), ('SELECT count(*) FROM hbscore.verify(''m'')', '2'),
    ('SELECT count(*) > 0 FROM hbscore.plan(''m'')', 'true'), ('SELECT count(*) > 0 FROM hbscore.stats', 'true'),
    ('SELECT count(*) > 0 FROM hbscore.cache', 'true'), ('SELECT hbscore.security_script()', '')) AS x (q, a);
SELECT denied('regress_hbscore_member', q, 'scores only')
    FROM unnest(ARRAY['SELECT hbscore.register(''x'', linear(''{1}''))', 'SELECT hbscore.deploy(''m'', 2)',
    'SELECT hbscore.drop(''m'', 2)', 'SELECT hbscore.drop(''m'')',
    'INSERT INTO hbscore.models (name, model) VALUES (''x'', linear(''{1}''))',
    'UPDATE hbscore.models SET description = ''x''', 'DELETE FROM hbscore.aliases']) AS q;
SELECT denied(r, q, 'no administrator') FROM unnest(ARRAY['regress_hbscore_member', 'regress_hbscore_trainer']) AS r,
    unnest(ARRAY['SELECT hbscore.require_row_security(true)', 'SELECT hbscore.require_row_security(false)',
    'INSERT INTO hbscore.row_security VALUES (''models'')', 'TRUNCATE hbscore.models', 'DELETE FROM hbscore.models',
    'ALTER TABLE hbscore.models ENABLE ROW LEVEL SECURITY']) AS q;
SELECT allowed('regress_hbscore_trainer', q, a) FROM (VALUES
    ('SELECT hbscore.register(''trained'', linear(''{7}''))', '1'),
    ('SELECT hbscore.register(''trained'', linear(''{8}''))', '2'),
    ('SELECT hbscore.deploy(''trained'', 1)', '1'), ('SELECT predict(''trained'', 1)', '7'),
    ('SELECT hbscore.drop(''trained'', 2)', '1'), ('SELECT hbscore.drop(''trained'')', '1')) AS x (q, a);
SELECT is(count(*), 0::bigint, 'A2: the roles of the extension have no right besides')
    FROM pg_roles WHERE rolname ~ '^hbscore_(scorer|registrar)$' AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolcanlogin
    OR rolreplication OR rolbypassrls);

-- INSERT alone is not enough: numbers are given by what is stored
SELECT denied('regress_hbscore_inserter', q, 'INSERT without SELECT')
    FROM unnest(ARRAY['SELECT hbscore.register(''x'', linear(''{1}''))',
    'INSERT INTO hbscore.models (name, model) VALUES (''x'', linear(''{1}''))', 'SELECT predict(''m'', 1)']) AS q;
-- who registers
SELECT allowed('regress_hbscore_registrar', 'SELECT hbscore.register(''m'', linear(''{7}''))', '4');
SELECT allowed('regress_hbscore_registrar', 'SELECT predict(''m@4'', 1)', '7');
SELECT is((SELECT created_by FROM hbscore.models WHERE name = 'm' AND version = 4), 'regress_hbscore_registrar',
    'A2: who registered a model is written down');
SELECT denied('regress_hbscore_registrar', q, 'only INSERT') FROM unnest(ARRAY['SELECT hbscore.deploy(''m'', 4)',
    'SELECT hbscore.drop(''m'', 4)', 'UPDATE hbscore.models SET model = NULL']) AS q;
-- who deploys
SELECT allowed('regress_hbscore_deployer', 'SELECT hbscore.deploy(''m'', 4)', '4');
SELECT allowed('regress_hbscore_deployer', 'SELECT predict(''m'', 1)', '7');
SELECT denied('regress_hbscore_deployer', q, 'only aliases')
    FROM unnest(ARRAY['SELECT hbscore.register(''x'', linear(''{1}''))',
    'SELECT hbscore.drop(''m'', 1)']) AS q;
-- who drops
SELECT allowed('regress_hbscore_dropper', 'SELECT hbscore.drop(''m'', 1)', '1');
SELECT denied('regress_hbscore_dropper', q, 'only drops')
    FROM unnest(ARRAY['UPDATE hbscore.models SET description = ''x''',
    'SELECT hbscore.register(''x'', linear(''{1}''))', 'SELECT hbscore.deploy(''m'', 2)']) AS q;
-- the rights are asked at each call, not when a plan is made
PREPARE s AS SELECT predict('m', 1);
SELECT is(as_role('regress_hbscore_reader', 'EXECUTE s'), '7', 'A2: prepared by one who may');
SELECT denied('regress_hbscore_visitor', 'EXECUTE s', 'prepared by one who may');
REVOKE SELECT ON hbscore.models FROM regress_hbscore_reader;
SELECT denied('regress_hbscore_reader', 'EXECUTE s', 'revoked since');
GRANT SELECT ON hbscore.models TO regress_hbscore_reader;
SELECT allowed('regress_hbscore_reader', 'EXECUTE s', '7');
-- the right to use the schema too, of which PostgreSQL asks only where a statement is parsed, whoever runs it then
SELECT denied('regress_hbscore_tables', q, 'all rights but USAGE') FROM unnest(ARRAY['EXECUTE s', 'SELECT predict(''m'', 1)',
    'SELECT predict_version(''m@2'', 1)', 'SELECT predict(''no such model'', 1)', 'SELECT hbscore.deploy(''m'', 4)',
    'SELECT hbscore.drop(''m'')']) AS q;
GRANT regress_hbscore_reader TO regress_hbscore_tables;
SELECT allowed('regress_hbscore_tables', 'EXECUTE s', '7');
REVOKE regress_hbscore_reader FROM regress_hbscore_tables;
SELECT denied('regress_hbscore_tables', 'EXECUTE s', 'USAGE revoked since');
REVOKE USAGE ON SCHEMA hbscore FROM regress_hbscore_reader;
SELECT denied('regress_hbscore_reader', 'EXECUTE s', 'USAGE revoked since');
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_reader;
SELECT allowed('regress_hbscore_reader', 'EXECUTE s', '7');
-- a role that changes within a function that goes on
CREATE FUNCTION score_as(first text, second text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; roles text[] := ARRAY[first, second]; found text := '';
BEGIN
    FOREACH r IN ARRAY roles LOOP
        BEGIN
            EXECUTE format('SET LOCAL ROLE %I', r);
            found := found || ' ' || predict('m', 1);
        EXCEPTION WHEN insufficient_privilege THEN found := found || ' denied';
        END;
    END LOOP;
    RESET ROLE;
    RETURN found;
END$$;
SELECT is(score_as('regress_hbscore_reader', 'regress_hbscore_visitor'), ' 7 denied',
    'A2: what one may is not kept for the next');
SELECT is(score_as('regress_hbscore_visitor', 'regress_hbscore_reader'), ' denied 7', 'A2: nor the other way');

-- a view scores with the rights of who reads it, a SECURITY DEFINER function of the caller's own making with its owner's
CREATE VIEW scored AS SELECT predict('m', 1) AS s;
CREATE FUNCTION score_for_all() RETURNS float8
    LANGUAGE sql SECURITY DEFINER SET search_path = public RETURN predict('m', 1);
GRANT SELECT ON scored TO regress_hbscore_nobody, regress_hbscore_visitor, regress_hbscore_reader;
SELECT denied('regress_hbscore_visitor', 'SELECT s FROM scored', 'through a view');
SELECT allowed('regress_hbscore_reader', 'SELECT s FROM scored', '7');
SELECT allowed('regress_hbscore_nobody', 'SELECT score_for_all()', '7');
-- index and generated columns run as who writes the row
CREATE TABLE written (x int, y float8 GENERATED ALWAYS AS (predict_version('m@2', x)) STORED);
GRANT INSERT, SELECT ON written TO regress_hbscore_visitor, regress_hbscore_reader;
SELECT denied('regress_hbscore_visitor', 'INSERT INTO written VALUES (1) RETURNING y', 'a generated column');
SELECT allowed('regress_hbscore_reader', 'INSERT INTO written VALUES (1) RETURNING y', '3');
SELECT throws_ok($$SELECT as_role('regress_hbscore_dropper', 'SELECT hbscore.drop(''m'', 2)')$$, '2BP01', NULL,
    'A2: an alias or a column keeps a version, whoever drops it');
DELETE FROM hbscore.aliases WHERE alias = 'champion';
SELECT throws_ok($$SELECT as_role('regress_hbscore_dropper', 'SELECT hbscore.drop(''m'', 2)')$$, '2BP01',
    'version 2 of model "m" is used by other objects of this database', 'A2: also a column of a table that this role cannot read');
SELECT hbscore.deploy('m', 2, 'champion');
DROP TABLE written;

-- row security: each sees its models only
ALTER TABLE hbscore.models ENABLE ROW LEVEL SECURITY;
ALTER TABLE hbscore.aliases ENABLE ROW LEVEL SECURITY;
SELECT throws_ok($$SELECT as_role('regress_hbscore_reader', 'SELECT predict(''m'', 1)')$$,
    '42704', NULL, 'B3: without a policy there is no model');
CREATE POLICY own ON hbscore.models FOR ALL TO regress_hbscore_reader, regress_hbscore_registrar,
    regress_hbscore_dropper USING (name IN ('m', 'n')) WITH CHECK (name IN ('m', 'n'));
CREATE POLICY own ON hbscore.aliases FOR ALL TO regress_hbscore_reader, regress_hbscore_registrar,
    regress_hbscore_dropper USING (name IN ('m', 'n'));
SELECT is(as_role('regress_hbscore_reader', 'SELECT predict(''m'', 1)'), '7', 'B3: its own');
SELECT is(as_role('regress_hbscore_reader', 'SELECT predict(''m@champion'', 1)'), '3', 'B3: its own, by an alias');
SELECT throws_ok($$SELECT as_role('regress_hbscore_reader', 'SELECT predict(''theirs'', 1)')$$, '42704',
    'unknown model "theirs"', 'B3: another''s is unknown');
SELECT throws_ok($$SELECT as_role('regress_hbscore_reader', 'SELECT predict(''theirs@1'', 1)')$$, '42704',
    'unknown model "theirs"', 'B3: with its version too');
SELECT throws_ok($$SELECT as_role('regress_hbscore_reader', 'SELECT predict_version(''theirs@1'', 1)')$$, '42704',
    'unknown model "theirs"', 'B3: pinned too');
SELECT throws_ok($$SELECT as_role('regress_hbscore_reader', 'SELECT hbscore.pin(''theirs'')')$$,
    '42704', NULL, 'B3: nor its digest');
SELECT is(predict('theirs', 1), 5::float8, 'B3: the owner is not bound');
SELECT throws_ok($$SELECT as_role('regress_hbscore_reader', 'SELECT predict(''theirs'', 1)')$$,
    '42704', NULL, 'B3: nor is it seen after another role has scored it');
SELECT is(as_role('regress_hbscore_registrar', 'SELECT hbscore.register(''n'', linear(''{9}''))'), '1',
    'B3: registers under its own name');
SELECT throws_ok($$SELECT as_role('regress_hbscore_registrar',
    'SELECT hbscore.register(''theirs2'', linear(''{9}''))')$$, '42501', NULL, 'B3: not under another''s');
-- a number that another's hidden version has is not given again
CREATE POLICY by_maker ON hbscore.models FOR ALL TO regress_hbscore_first, regress_hbscore_second
    USING (created_by = current_user) WITH CHECK (created_by = current_user);
SELECT is(as_role('regress_hbscore_' || who, q), answer, format('B3: numbers go on behind hidden versions: %s: %s', who, q))
    FROM (VALUES ('first', 'SELECT hbscore.register(''both'', linear(''{1}''))', '1'),
    ('second', 'SELECT hbscore.register(''both'', linear(''{2}''))', '2'),
    ('first', 'SELECT array_agg(hbscore.register(''both'', linear(''{3}''))) FROM generate_series(1, 2)', '{3,4}'),
    ('second', 'INSERT INTO hbscore.models (name, model) VALUES (''both'', linear(''{4}'')) RETURNING version', '5'),
    ('second', 'SELECT array_agg(version) FROM hbscore.models WHERE name = ''both''', '{2,5}'),
    ('first', 'SELECT predict(''both@4'', 1)', '3'), ('second', 'SELECT predict(''both@2'', 1)', '2')) AS x (who, q, answer);
SELECT throws_ok($$SELECT as_role('regress_hbscore_first', 'SELECT predict(''both@2'', 1)')$$, '42704',
    'model "both" has no version 2', 'B3: another''s version of the name is not there');
-- a policy that asks for a setting: an expression that is evaluated again after its change finds what the policy then shows
CREATE ROLE regress_hbscore_tenants;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_tenants;
GRANT SELECT ON hbscore.models, hbscore.aliases TO regress_hbscore_tenants;
SELECT hbscore.register('shared', linear('{1}'), '{"description": "a"}'), hbscore.register('shared', linear('{2}'), '{"description": "b"}');
CREATE POLICY by_tenant ON hbscore.models TO regress_hbscore_tenants USING (description = current_setting('hbtest.tenant'));
CREATE POLICY by_tenant ON hbscore.aliases TO regress_hbscore_tenants USING (true);
CREATE FUNCTION each_tenant(tenants text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE tenant text; set text; found text := '';
BEGIN
    FOREACH tenant IN ARRAY tenants LOOP
        set := set_config('hbtest.tenant', tenant, true);
        found := found || ' ' || predict('shared', 1);
    END LOOP;
    RETURN found;
END$$;
SELECT is(as_role('regress_hbscore_tenants', 'SELECT each_tenant(''{a,b,a,a,b}'')'), ' 1 2 1 1 2', 'B3: each tenant its own version, in one expression');
SELECT throws_ok($$SELECT as_role('regress_hbscore_tenants', 'SELECT each_tenant(''{a,c}'')')$$, '42704', 'unknown model "shared"',
    'B3: nor a version for the next tenant, who has none');
SELECT is(as_role('regress_hbscore_tenants', $$SELECT string_agg(predict('shared', x)::text, ' ') FROM (SELECT x,
    set_config('hbtest.tenant', CASE x WHEN 0 THEN 'b' ELSE 'a' END, true) FROM generate_series(0, 3) AS x OFFSET 0) AS t$$),
    '0 2 4 6', 'L1: a statement goes on with the version that it has begun with');
-- EXPLAIN does not look where policies decide, and does not say that there is nothing
CREATE FUNCTION explained_as(role text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text;
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', role);
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP found := coalesce(substring(line FROM 'Scores: .*'), found); END LOOP;
    RESET ROLE;
    RETURN found;
END$$;
SET LOCAL hbscore.batch = on;
SELECT is(explained_as('regress_hbscore_reader', 'SELECT predict(''m'', x) FROM generate_series(1, 9) AS x'),
    'Scores: predict(m): not known before it runs', 'B3: EXPLAIN where policies decide');
SET LOCAL hbscore.batch = auto;
-- a version that a hidden alias names is deployed all the same
SELECT hbscore.register('n', linear('{8}'));
SELECT hbscore.deploy('n', 1, 'seen');
SELECT hbscore.deploy('n', 2, 'hidden');
CREATE POLICY not_all ON hbscore.aliases AS RESTRICTIVE TO regress_hbscore_dropper USING (alias <> 'hidden');
SELECT throws_ok($$SELECT as_role('regress_hbscore_dropper', 'SELECT hbscore.drop(''n'', 1)')$$, '2BP01',
    'version 1 of model "n" is deployed, alias "seen"', 'B3: not dropped, by an alias that is seen');
SELECT throws_ok(format('SELECT as_role(''regress_hbscore_dropper'', %L)', q), '2BP01',
    'version 2 of model "n" is deployed, by an alias that row security hides', 'B3: nor by one that is hidden: ' || q)
    FROM unnest('{SELECT hbscore.drop(''n''\, 2),SELECT hbscore.drop(''n''),UPDATE hbscore.models SET model = NULL WHERE name = ''n'' AND version = 2}'::text[]) AS q;
SELECT is(predict('n@seen', 1) + predict('n@hidden', 1), 17::float8, 'B3: and nothing has changed');
SELECT throws_ok($$SELECT as_role('regress_hbscore_dropper', 'SELECT hbscore.drop(''theirs'')')$$,
    '42704', NULL, 'B3: nor drops it');
SELECT is(as_role('regress_hbscore_dropper', 'SELECT hbscore.drop(''m'')'), '2', 'B3: drops its own');
CREATE FUNCTION hint_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE h text;
BEGIN
    PERFORM as_role('regress_hbscore_reader', query);
    RETURN 'none';
EXCEPTION WHEN undefined_object THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h;
END$$;
SELECT is(hint_of('SELECT predict(''their'', 1)'), 'hbscore.models lists the models that you may see.', 'A3: hints name nothing else');
SELECT is(hint_of('SELECT predict(''nn'', 1)'), 'The nearest name is "n".', 'A3: hints name what one may see');

SELECT finish();
ROLLBACK;
