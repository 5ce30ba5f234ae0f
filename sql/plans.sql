-- inspect, features, classes, plan, verify; settings.

-- : what a model's bytes take, give and are
SELECT * FROM hbscore.inspect(file('test/fuzz/fuzz_own/pipeline.json'));
SELECT role, position, name, type, note FROM hbscore.inspect(file('demo/models/titanic.json')) WHERE role IN ('feature', 'output', 'class');
SELECT role, count(*) FROM hbscore.inspect(file('demo/models/wine_lightgbm.txt')) GROUP BY role ORDER BY role;
SELECT count(*) > 0 AS as_format FROM hbscore.inspect(file('demo/models/wine.ubj'), '{"format": "xgboost"}');
SELECT count(*) > 0 AS as_auto FROM hbscore.inspect(file('demo/models/wine.ubj'), NULL);
SELECT * FROM hbscore.inspect('\x7b7d'::bytea);
SELECT * FROM hbscore.inspect(''::bytea);
-- S2: a NULL is no model
SELECT * FROM hbscore.inspect(NULL::bytea);
SELECT * FROM hbscore.inspect(NULL::text);
-- : a stored model by its reference, with its own options
SELECT role, name FROM hbscore.inspect('titanic') WHERE role = 'class';
SELECT count(*) AS lines, bool_and(a = b) AS same FROM hbscore.inspect('wine@1') AS a
    JOIN hbscore.inspect(file('demo/models/wine.ubj'), options => '{"classes": ["barolo", "grignolino", "barbera"]}') AS b USING (role, position);
SELECT m.name, count(*) AS classes FROM hbscore.models AS m, hbscore.inspect(m.name) AS i WHERE i.role = 'class' AND m.name IN ('cancer', 'wine', 'titanic') GROUP BY m.name ORDER BY m.name;
BEGIN;
SELECT hbscore.deploy('wine', 1, 'champion');
SELECT count(*) FROM hbscore.inspect('wine@champion') WHERE role = 'class';
ROLLBACK;
-- S1: references that find nothing
SELECT * FROM hbscore.inspect('titanci');
SELECT * FROM hbscore.inspect('nope');
SELECT * FROM hbscore.inspect('wine@9');
SELECT * FROM hbscore.inspect('\x7b7d');
SELECT * FROM hbscore.inspect('');
SELECT * FROM hbscore.inspect(file('demo/models/wine.ubj'), '{"format": "lightgbm"}');
SELECT * FROM hbscore.inspect(file('demo/models/wine.ubj'), jsonb_build_object('format', E'"\\'));
-- : a table function stands in FROM or alone in the select list
SELECT (hbscore.inspect(file('test/golden/sklearn/ridge_19.json'))).role;
SELECT e.path, i.note FROM encoded AS e, hbscore.inspect(file(e.path)) AS i WHERE i.role = 'model' AND i.name = 'format' ORDER BY e.path LIMIT 3;

-- : features and classes of a stored model, by every kind of reference
SELECT * FROM hbscore.features('titanic');
SELECT * FROM hbscore.classes('titanic');
SELECT m, count(f) AS features, (SELECT string_agg(label, ' ' ORDER BY position) FROM hbscore.classes(m)) AS classes
FROM unnest('{wine,wine@1,cancer,titanic_catboost,number,targets}'::text[]) AS m, hbscore.features(m) AS f GROUP BY m ORDER BY m;
SELECT on_missing, categories, string_agg(name, ' ' ORDER BY position) AS names FROM hbscore.features('titanic_catboost') GROUP BY 1, 2 ORDER BY 1, 2;
BEGIN;
SELECT hbscore.deploy('wine', 1, 'champion');
SELECT count(*) FROM hbscore.features('wine@champion');
SELECT hbscore.register('labels', file('demo/models/titanic.json'), '{"classes": [false, true]}'), hbscore.register('labels', file('demo/models/titanic.json'));
SELECT v, c.* FROM unnest('{1,2}'::int[]) AS v, hbscore.classes('labels@' || v) AS c;
SELECT hbscore.register('strict', file('test/golden/sklearn/ridge_19.json'), '{"on_missing": "error"}');
SELECT name, on_missing FROM hbscore.features('strict') LIMIT 1;
-- : names as they are: with quotes, a new line, or long; hbscore.inspect shows them for people
SELECT hbscore.register('named', file('demo/models/titanic.json'), options => jsonb_build_object('features', jsonb_build_array('a"b', E'a\nb', repeat('0', 300), 'é', '\x22', 'e', 'f')));
SELECT position, length(name), quote_literal(left(name, 10)) FROM hbscore.features('named');
SELECT hbscore.drop('named');
ROLLBACK;
-- : they are the lines of inspect
SELECT m.name, (SELECT count(*) FROM hbscore.features(m.name) AS f JOIN hbscore.inspect(m.name) AS i ON i.role = 'feature' AND i.position = f.position
        AND i.name IS NOT DISTINCT FROM f.name AND i.type = f.type AND i.note IS NOT DISTINCT FROM f.note)
    = (SELECT count(*) FROM hbscore.inspect(m.name) WHERE role = 'feature') AS features,
    (SELECT count(*) FROM hbscore.classes(m.name) AS c JOIN hbscore.inspect(m.name) AS i ON i.role = 'class' AND i.position = c.position
        AND i.name = c.label AND i.type = c.type) = (SELECT count(*) FROM hbscore.inspect(m.name) WHERE role = 'class') AS classes
FROM (SELECT DISTINCT name FROM hbscore.models WHERE name IN ('titanic', 'wine', 'cancer', 'number', 'titanic_catboost', 'titanic_pipeline')) AS m ORDER BY 1;
-- S1: references that find nothing; S2: what is no reference
SELECT * FROM hbscore.features('titanci');
SELECT * FROM hbscore.classes('wine@9');
SELECT * FROM hbscore.features(NULL);
SELECT * FROM hbscore.classes(NULL);
SELECT * FROM hbscore.features('');
SELECT * FROM hbscore.classes(file('demo/models/wine.ubj'));

-- : what a model is compiled to
SELECT stage, position, operator, inputs, dtype, width, outputs FROM hbscore.plan('titanic_pipeline') WHERE stage = 'plan';
SELECT DISTINCT stage FROM hbscore.plan('forest') ORDER BY stage;
SELECT count(*) FROM hbscore.plan(NULL);
SELECT * FROM hbscore.plan('no such model');
SELECT * FROM hbscore.plan('wine@2');
-- : tree ensembles are evaluated in several ways, with the same bits
CREATE VIEW answers AS SELECT md5(string_agg(predict_proba('wine', w.*)::text || decision_function('wine', w.*)::text, '' ORDER BY id)) AS wine,
    (SELECT md5(string_agg(decision_function('titanic_catboost', t.*)::text, '' ORDER BY id)) FROM titanic AS t WHERE embarked IS NOT NULL) AS titanic FROM wine AS w;
CREATE TABLE first_answers AS SELECT * FROM answers;
SHOW hbscore.strategy;
SET hbscore.strategy = gemm;
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic, (SELECT count(*) FROM hbscore.plan('wine') WHERE strategy = 'gemm') > 0 AS used FROM answers AS a, first_answers AS f;
SET hbscore.strategy = bits;
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic, (SELECT count(*) FROM hbscore.plan('wine') WHERE strategy = 'bits') > 0 AS used FROM answers AS a, first_answers AS f;
SET hbscore.strategy = tt;
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic, (SELECT count(*) FROM hbscore.plan('wine') WHERE strategy = 'tt') > 0 AS used FROM answers AS a, first_answers AS f;
SET hbscore.strategy = ptt;
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic, (SELECT count(*) FROM hbscore.plan('wine') WHERE strategy = 'ptt') > 0 AS used FROM answers AS a, first_answers AS f;
RESET hbscore.strategy;
-- : within one statement a setting may change; what follows uses it
SELECT id, predict_label('wine', w.*), set_config('hbscore.strategy', CASE id % 2 WHEN 0 THEN 'gemm' ELSE 'tt' END, true) FROM wine AS w WHERE id < 4 ORDER BY id;
SHOW hbscore.strategy;
SET hbscore.strategy = fast;
-- : passes of the optimizer can be left out, with the same bits
SHOW hbscore.passes_off;
CREATE VIEW passes AS SELECT m.name, p.stage, p.note FROM hbscore.models AS m, hbscore.plan(m.name) AS p
    WHERE p.operator = 'pass' AND m.name IN ('titanic', 'wine');
SELECT * FROM passes ORDER BY name, stage;
SELECT predict_proba('titanic', t.*) AS before, set_config('hbscore.passes_off', 'fold_constants', false),
    hbscore.pin('titanic') IS NOT NULL AS pinned FROM titanic AS t WHERE id = 1;
SELECT * FROM passes ORDER BY name, stage;
SELECT count(*) FROM hbscore.plan('titanic') WHERE stage = 'plan' AND operator = 'logit';
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic FROM answers AS a, first_answers AS f;
SELECT predict_proba('titanic', t.*) AS after FROM titanic AS t WHERE id = 1;
SET hbscore.passes_off = fold_constants, rewrite_dtypes, eliminate_redundant;
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic FROM answers AS a, first_answers AS f;
SET hbscore.passes_off = 'all';
SELECT * FROM passes;
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic FROM answers AS a, first_answers AS f;
SET hbscore.passes_off = '';
SELECT count(*) > 0 AS again FROM passes;
SET hbscore.passes_off = fold;
SET hbscore.passes_off = 'fold_constants,';
SET hbscore.passes_off = 'all "these"';
SHOW hbscore.passes_off;
BEGIN;
SET LOCAL hbscore.passes_off = 'all';
ROLLBACK;
SHOW hbscore.passes_off;
RESET hbscore.passes_off;
-- : EXPLAIN VERBOSE says what they have done
SET hbscore.batch = on;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('titanic', t.*) FROM titanic AS t;
SET hbscore.passes_off = fold_constants;
EXPLAIN (VERBOSE, COSTS OFF) SELECT predict('titanic', t.*) FROM titanic AS t;
RESET hbscore.passes_off;
DO $$DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT predict(''titanic'', t.*) FROM titanic AS t' INTO plan;
    RAISE NOTICE '%', regexp_replace((plan #> '{0,Plan,Calls,0,Passes}')::text, '\s+', ' ', 'g');
    EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) SELECT predict(''titanic'', t.*) FROM titanic AS t' INTO plan;
    RAISE NOTICE '%', plan #> '{0,Plan,Calls,0,Passes}';
END$$;
RESET hbscore.batch;
-- : a drawing of the pipeline and the final graph
SELECT line FROM regexp_split_to_table(hbscore.plan('titanic', 'dot'), E'\n') AS line WHERE line ~ 'label';
SELECT hbscore.plan('titanic', 'svg');
SELECT hbscore.plan('titanic', NULL);
SELECT hbscore.plan(NULL, 'dot');
SELECT hbscore.plan('titani', 'dot');
DROP VIEW passes;

-- other names that begin so are refused (from version 15 on)
DO $$BEGIN
    PERFORM set_config('hbscore.strategies', 'tt', true);
    IF current_setting('server_version_num')::int >= 150000 THEN RAISE 'taken'; END IF;
EXCEPTION WHEN invalid_name THEN NULL; END$$;

-- : dense: who computes large products; the same answers within the tolerance
SHOW hbscore.dense;
SET hbscore.dense = exact;
SET hbscore.dense = cublas;
-- where OpenBLAS cannot be opened the setting is refused, with the reason
DO $$ BEGIN SET hbscore.dense = blas; EXCEPTION WHEN invalid_parameter_value THEN NULL; END $$;
SELECT count(*), sum((abs(predict_probability('titanic_pipeline', 'died', t.*) / p_died - 1) <= 1e-12)::int) AS died,
    sum((predict_label('titanic_pipeline', t.*) = label)::int) AS labels FROM titanic AS t JOIN titanic_pipeline_expected USING (id);
RESET hbscore.dense;

-- : the cache of plans: none, small, back
SHOW hbscore.plan_cache_size;
SET hbscore.plan_cache_size = 0;
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic FROM answers AS a, first_answers AS f;
SELECT count(*), sum((predict_label('wine', w.*) = predict_label('wine@1', w.*))::int) FROM wine AS w;
SET hbscore.plan_cache_size = '100kB';
SELECT a.wine = f.wine AS wine, a.titanic = f.titanic AS titanic FROM answers AS a, first_answers AS f;
-- (limits are shown with their unit from version 17 on)
\set VERBOSITY sqlstate
SET hbscore.plan_cache_size = -1;
SET hbscore.plan_cache_size = 'much';
\set VERBOSITY default
RESET hbscore.plan_cache_size;
-- : the largest model, of superusers
SHOW hbscore.max_model_size;
\set VERBOSITY sqlstate
SET hbscore.max_model_size = '500MB';
SET hbscore.max_model_size = 0;
\set VERBOSITY default
SET hbscore.max_model_size = '499MB';
SET hbscore.max_model_size = '100kB';
SELECT hbscore.register('too_large', file('demo/models/wine.ubj'));
SELECT * FROM hbscore.inspect(file('demo/models/wine.ubj'));
-- : it asks no more of what is stored, nor of what is restored
SET hbscore.plan_cache_size = 0;
SELECT count(predict_label('wine', w.*)) FROM wine AS w;
SELECT count(*) > 0 AS described FROM hbscore.plan('wine');
INSERT INTO hbscore.models (name, version, model) VALUES ('brought_back', 1, file('demo/models/wine.ubj'));
SELECT count(predict_label('brought_back', w.*)) FROM wine AS w;
SELECT hbscore.drop('brought_back');
RESET hbscore.plan_cache_size;
RESET hbscore.max_model_size;

-- : verify: the golden rows that a model was registered with
SELECT * FROM hbscore.verify('wine');
SELECT hbscore.register('verified', file('test/golden/sklearn/ridge_19.json'), options => '{"golden": {"rows": [[1, 2, 3, 4], [0, 0, 0, 0]], "prediction": [0.20630688254059593, -0.001805129552805776]}}');
SELECT hbscore.register('verified', file('demo/models/titanic.json'), options => '{"golden": {"rows": [[1, "female", 29, 0, 0, 211.3375, "S"]], "prediction": [1]}}');
SELECT hbscore.register('verified', file('demo/models/titanic.json'));
SELECT * FROM hbscore.verify('verified');
SELECT * FROM hbscore.verify('verified@2');
SELECT hbscore.deploy('verified', 1);
SELECT * FROM hbscore.verify('verified@default');
SELECT hbscore.drop('verified', 2);
SELECT version, ok FROM hbscore.verify('verified');
SELECT * FROM hbscore.verify('verified@2');
SELECT * FROM hbscore.verify('no such model');
SELECT count(*) FROM hbscore.verify(NULL);
SELECT hbscore.drop('verified');
DROP VIEW answers;
DROP TABLE first_answers;
