-- The rows of hbscore.models: what may be changed, what not, rows that bring their version (a restore), damaged ones.

SELECT hbscore.register('r', file('test/golden/sklearn/ridge_19.json'), '{"description": "first"}');
SELECT hbscore.register('r', file('test/golden/sklearn/ridge_19.json'), options => '{"features": ["w", "x", "y", "z"], "golden": {"rows": [[0, 0, 0, 0]], "prediction": [-0.001805129552805776]}}');
-- : only the description changes
UPDATE hbscore.models SET description = 'other' WHERE name = 'r' RETURNING version, description;
UPDATE hbscore.models SET description = NULL, model = model, options = options WHERE name = 'r' AND version = 1 RETURNING version, description;
UPDATE hbscore.models SET model = file('demo/models/wine.ubj') WHERE name = 'r';
UPDATE hbscore.models SET options = '{"rounds": 1}' WHERE name = 'r';
UPDATE hbscore.models SET version = version + 1 WHERE name = 'r';
UPDATE hbscore.models SET name = 's' WHERE name = 'r';
UPDATE hbscore.models SET format = 'other' WHERE name = 'r';
UPDATE hbscore.models SET golden = NULL WHERE name = 'r';
UPDATE hbscore.models SET golden = '{}' WHERE name = 'r' AND version = 1;
UPDATE hbscore.models SET created_by = 'somebody' WHERE name = 'r';
UPDATE hbscore.models SET created_at = now() WHERE name = 'r';
UPDATE hbscore.models SET sha256 = '\x00' WHERE name = 'r';
INSERT INTO hbscore.models (name, version, model) VALUES ('r', 1, file('demo/models/wine.ubj')) ON CONFLICT (name, version) DO UPDATE SET model = excluded.model;
INSERT INTO hbscore.models (name, version, model) VALUES ('r', 1, file('demo/models/wine.ubj')) ON CONFLICT DO NOTHING RETURNING version;
SELECT version, model = file('test/golden/sklearn/ridge_19.json') AS same, description, options, golden IS NOT NULL AS golden FROM hbscore.models WHERE name = 'r' ORDER BY version;
-- R2: a description changes without a look at the model's bytes, which are in many pieces outside of the table
SELECT hbscore.register('described', file('demo/models/wine.ubj'));
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END$$;
-- (the table computes the digest anew, which reads them once)
SELECT pages($$UPDATE hbscore.models SET description = 'described' WHERE name = 'described'$$)
    < 2 * pages($$SELECT sha256(model) FROM hbscore.models WHERE name = 'described'$$) AS once;
SELECT hbscore.drop('described');
DROP FUNCTION pages;

-- : setting the model to NULL is a drop, as hbscore.drop makes it, with its checks
SELECT hbscore.deploy('r', 2);
UPDATE hbscore.models SET model = NULL WHERE name = 'r' AND version = 2;
UPDATE hbscore.models SET model = NULL, golden = NULL, description = 'dropped' WHERE name = 'r' AND version = 1 RETURNING model, sha256, description;
UPDATE hbscore.models SET model = file('test/golden/sklearn/ridge_19.json') WHERE name = 'r' AND version = 1;
SELECT predict('r@1', 1, 2, 3, 4);
-- : rows are not deleted
DELETE FROM hbscore.models WHERE name = 'r';
DELETE FROM hbscore.models WHERE name = 'no such model';
TRUNCATE hbscore.models;
TRUNCATE hbscore.models, hbscore.aliases CASCADE;
SELECT count(*) FROM hbscore.models WHERE name = 'r';

-- : a row that brings its version is kept as it is
INSERT INTO hbscore.models (name, version, model, options) VALUES ('restored', 7, file('test/golden/sklearn/ridge_19.json'), '{"features": ["w", "x", "y", "z"]}') RETURNING version, format;
INSERT INTO hbscore.models (name, version, model) VALUES ('restored', 3, NULL) RETURNING version, format;
SELECT predict('restored', 1, 2, 3, 4) = predict('ridge', 1, 2, 3, 4) AS same;
SELECT hbscore.register('restored', file('test/golden/sklearn/ridge_19.json'));
INSERT INTO hbscore.models (name, version, model) VALUES ('restored', 7, file('test/golden/sklearn/ridge_19.json'));
INSERT INTO hbscore.models (name, version, model) VALUES ('restored', 3, file('test/golden/sklearn/ridge_19.json'));
INSERT INTO hbscore.models (name, version, model) VALUES ('restored', 0, file('test/golden/sklearn/ridge_19.json'));
INSERT INTO hbscore.models (name, version, model) VALUES ('restored', -1, file('test/golden/sklearn/ridge_19.json'));
INSERT INTO hbscore.models (name, version, model) VALUES ('a@b', 1, file('test/golden/sklearn/ridge_19.json'));
-- : even where it cannot be scored here: the error comes with the first call
INSERT INTO hbscore.models (name, version, model) VALUES ('restored', 20, 'no model') RETURNING version, format;
INSERT INTO hbscore.models (name, version, model, format, options) VALUES ('restored', 21, file('demo/models/wine.ubj'), 'future', '{"later": true}') RETURNING version, format;
SELECT predict('restored@20', 1, 2, 3, 4);
SELECT predict('restored@21', 1, 2, 3, 4);
SELECT version, ok, note FROM hbscore.verify('restored') WHERE version > 8;
SELECT predict('restored@8', 1, 2, 3, 4) = predict('ridge', 1, 2, 3, 4) AS same;
-- : golden rows are kept too, and are not scored then; hbscore.verify does
INSERT INTO hbscore.models (name, version, model, golden) VALUES ('restored', 22, file('test/golden/sklearn/ridge_19.json'), '{"rows": [[0, 0, 0, 0]], "prediction": [5]}') RETURNING version;
SELECT * FROM hbscore.verify('restored@22');
-- : the greatest number there is, and none after it
INSERT INTO hbscore.models (name, version, model) VALUES ('restored', 2147483647, file('test/golden/sklearn/ridge_19.json')) RETURNING version;
SELECT hbscore.register('restored', file('test/golden/sklearn/ridge_19.json'));
SELECT predict('restored@2147483647', 1, 2, 3, 4) = predict('ridge', 1, 2, 3, 4) AS same;
-- : out by COPY, and in again under another name
\copy (SELECT 'copied', version, model, format, description, options, created_at, created_by, golden FROM hbscore.models WHERE name = 'restored' AND version < 20 ORDER BY version) TO PROGRAM 'cat >"${TMPDIR:-/tmp}/hbscore-copied.$PPID"'
\copy hbscore.models (name, version, model, format, description, options, created_at, created_by, golden) FROM PROGRAM 'cat "${TMPDIR:-/tmp}/hbscore-copied.$PPID"; rm "${TMPDIR:-/tmp}/hbscore-copied.$PPID"'
SELECT a.version, a.sha256 IS NOT DISTINCT FROM b.sha256 AS digest, a.created_at = b.created_at AS at FROM hbscore.models AS a JOIN hbscore.models AS b USING (version) WHERE a.name = 'copied' AND b.name = 'restored' ORDER BY 1;
SELECT predict('copied', 1, 2, 3, 4) = predict('ridge', 1, 2, 3, 4) AS same;

-- L6: rows that no registration wrote: triggers off, as a superuser can
SET session_replication_role = replica;
INSERT INTO hbscore.models (name, version, model) VALUES ('damaged', 1, 'no model'), ('damaged', 2, ''), ('damaged', 3, file('demo/models/wine.ubj')),
    ('damaged', -4, file('demo/models/wine.ubj')), ('a@b', 1, file('demo/models/wine.ubj'));
INSERT INTO hbscore.models (name, version, model, options) VALUES ('damaged', 5, file('demo/models/wine.ubj'), '[]'), ('damaged', 6, file('demo/models/wine.ubj'), '{"rounds": 99}');
INSERT INTO hbscore.models (name, version, model, golden) VALUES ('damaged', 7, file('demo/models/wine.ubj'), '{"rows": 5}');
INSERT INTO hbscore.aliases (name, alias, version) VALUES ('damaged', 'zero', 0), ('damaged', 'negative', -4);
RESET session_replication_role;
SELECT predict('damaged@1', 1);
SELECT predict('damaged@2', 1);
SELECT count(*), sum((predict('damaged@3', w.*) = CASE predict_label('wine', w.*) WHEN 'barolo' THEN 0 WHEN 'grignolino' THEN 1 ELSE 2 END)::int) FROM wine AS w;
SELECT predict('damaged@5', 1);
SELECT predict('damaged@6', 1);
SELECT predict('damaged@7', w.*) FROM wine AS w WHERE id = 1;
SELECT * FROM hbscore.verify('damaged@7');
SELECT predict_json('damaged@negative', w.*) ->> 'model' AS model FROM wine AS w WHERE id = 1;
SELECT * FROM hbscore.plan('damaged@1');
-- L6: a version that cannot be scored is not deployed; what was deployed stays
SELECT hbscore.deploy('damaged', 3);
SELECT hbscore.deploy('damaged', 1);
SELECT hbscore.deploy('damaged', 2, 'champion');
SELECT hbscore.deploy('damaged', 5);
SELECT hbscore.deploy('damaged', 6);
-- : the limit asks where a model is registered, not here
SET hbscore.max_model_size = '10kB';
SELECT hbscore.deploy('damaged', 3);
RESET hbscore.max_model_size;
SELECT alias, version FROM hbscore.aliases WHERE name = 'damaged' AND version > 0;
SELECT count(predict('damaged', w.*)) FROM wine AS w;
SET session_replication_role = replica;
DELETE FROM hbscore.models WHERE name IN ('damaged', 'a@b');
DELETE FROM hbscore.aliases WHERE name = 'damaged';
RESET session_replication_role;
SELECT predict('damaged@3', 1);
-- L6: bytes that changed under a statement's feet: never what was kept of the old ones
SELECT hbscore.register('changed', file('demo/models/wine.ubj'));
SELECT predict('changed', w.*) FROM wine AS w WHERE id = 1;
SET session_replication_role = replica;
UPDATE hbscore.models SET model = file('test/golden/sklearn/ridge_19.json') WHERE name = 'changed';
RESET session_replication_role;
SELECT predict('changed', 1, 2, 3, 4) = predict('ridge', 1, 2, 3, 4) AS same;
-- L6: a digest that is not that of the bytes, as a damaged page could have it
BEGIN;
ALTER TABLE hbscore.models ALTER COLUMN sha256 DROP EXPRESSION;
SET LOCAL session_replication_role = replica;
UPDATE hbscore.models SET sha256 = sha256('other') WHERE name = 'changed';
SAVEPOINT before;
SELECT predict('changed', 1, 2, 3, 4);
ROLLBACK TO before;
SELECT hbscore.plan('changed');
ROLLBACK TO before;
SELECT version, ok, note FROM hbscore.verify('changed');
UPDATE hbscore.models SET sha256 = '\x00' WHERE name = 'changed';
SELECT predict('changed', 1, 2, 3, 4);
ROLLBACK TO before;
UPDATE hbscore.models SET sha256 = NULL WHERE name = 'changed';
SELECT predict('changed', 1, 2, 3, 4);
ROLLBACK;
-- : trigger functions are for triggers of these tables
SELECT hbscore.models_insert();
CREATE TABLE other (a int);
CREATE TRIGGER wrong BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION hbscore.models_insert();
INSERT INTO other VALUES (1);
DROP TABLE other;
-- : a rule or another trigger that swallows the row
CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER a_swallow BEFORE INSERT ON hbscore.models FOR EACH ROW EXECUTE FUNCTION swallow();
SELECT hbscore.register('swallowed', file('demo/models/wine.ubj'));
DROP TRIGGER a_swallow ON hbscore.models;
SELECT hbscore.register('swallowed', file('demo/models/wine.ubj'));
CREATE TRIGGER a_swallow BEFORE UPDATE ON hbscore.models FOR EACH ROW EXECUTE FUNCTION swallow();
SELECT hbscore.drop('swallowed', 1);
SELECT hbscore.drop('swallowed');
SELECT hbscore.drop('swallowed', 2);
DROP TRIGGER a_swallow ON hbscore.models;
CREATE TRIGGER a_swallow BEFORE INSERT ON hbscore.aliases FOR EACH ROW EXECUTE FUNCTION swallow();
SELECT hbscore.deploy('swallowed', 1);
DROP TRIGGER a_swallow ON hbscore.aliases;
DROP FUNCTION swallow;
SELECT hbscore.deploy('swallowed', 1);
SELECT hbscore.drop(m) FROM unnest('{r,restored,copied,changed,swallowed}'::text[]) AS m;
