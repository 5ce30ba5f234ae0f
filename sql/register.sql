-- How a model file comes in, each way; what is stored; what is refused.

-- : psql alone: the file's base64 in a variable
\set wine `base64 < demo/models/wine.ubj`
SELECT hbscore.register('in_by_psql', decode(:'wine', 'base64'));
SELECT model = file('demo/models/wine.ubj') AS same, sha256 = sha256(model) AS digest, format, options, description,
    created_by = current_user AS by, created_at > now() - interval '1 hour' AS at FROM hbscore.models WHERE name = 'in_by_psql';

-- : the digest is the SHA-256 that PostgreSQL computes: of nothing, around the edges of a block and of what is worked in at a time,
-- of what is compressed or outside of the row; of NULL there is none
CREATE TEMP TABLE sized AS SELECT n, convert_to(repeat('x', n), 'UTF8') AS bytes
    FROM unnest(ARRAY[0, 1, 55, 56, 63, 64, 65, 2047, 2048, 131071, 131072, 131073, 1000000]) AS n;
ALTER TABLE sized ALTER bytes SET STORAGE EXTERNAL;
INSERT INTO sized SELECT -n, convert_to(string_agg(md5(i::text), ''), 'UTF8') FROM unnest(ARRAY[1, 5000]) AS n, generate_series(1, n) AS i GROUP BY n;
SELECT count(*), bool_and(hbscore.digest(bytes) = sha256(bytes)) AS digest FROM sized;
SELECT hbscore.digest(NULL) IS NULL AS none;

-- : the server reads a file of its own (pg_read_binary_file, for superusers and pg_read_server_files)
\set copy `copy=$(mktemp /tmp/hbscore.XXXXXX) && cat demo/models/wine.ubj >$copy && chmod 644 $copy && echo $copy`
SELECT hbscore.register('in_by_server', pg_read_binary_file(:'copy'));
\setenv COPY :copy
\! rm -f "$COPY"
SELECT model = file('demo/models/wine.ubj') AS same FROM hbscore.models WHERE name = 'in_by_server';

-- : COPY, here of a text that says its bytes in hexadecimal digits
\copy hbscore.models (name, model) FROM PROGRAM 'printf "in_by_copy\t\\\\\\\\x" && od -An -v -tx1 demo/models/wine.ubj | tr -d " \n" && echo'
SELECT version, model = file('demo/models/wine.ubj') AS same, format FROM hbscore.models WHERE name = 'in_by_copy';

-- : a plain INSERT, with whatever columns
INSERT INTO hbscore.models (name, model) VALUES ('in_by_insert', file('demo/models/wine.ubj')) RETURNING version, format;
INSERT INTO hbscore.models (name, model, options, description)
    SELECT 'in_by_insert', file('demo/models/wine.ubj'), '{"rounds": 3}', 'three rounds' RETURNING version, options, description;
INSERT INTO hbscore.models (name, model, format) VALUES ('in_by_insert', file('demo/models/wine.ubj'), 'xgboost')
    RETURNING version, format, options;
INSERT INTO hbscore.models (name, model) SELECT 'in_by_insert', file('demo/models/cancer.json') FROM generate_series(1, 3)
    RETURNING version;

-- : all of them score alike
SELECT count(*), sum((predict_json('in_by_psql', w.*) - 'model' = predict_json('in_by_server', w.*) - 'model')::int) AS server,
    sum((predict_json('in_by_psql', w.*) - 'model' = predict_json('in_by_copy', w.*) - 'model')::int) AS copy,
    sum((predict_json('in_by_psql', w.*) - 'model' = predict_json('in_by_insert@1', w.*) - 'model')::int) AS insert
FROM wine AS w;

-- : options: format and description among them
SELECT hbscore.register('in', file('demo/models/wine.ubj'), '{"format": "xgboost", "rounds": 7, "description": "seven rounds"}');
SELECT hbscore.register('in', file('demo/models/wine.ubj'), jsonb_build_object('description', 'Größe "quoted"'));
SELECT hbscore.register('in', file('demo/models/wine.ubj'), options => '{"description": "an option", "format": "xgboost-ubjson"}');
SELECT hbscore.register('in', file('demo/models/wine.ubj'), NULL);
SELECT version, format, options, description FROM hbscore.models WHERE name = 'in' ORDER BY version;

-- : refused in words, and nothing is stored
SELECT hbscore.register(NULL, file('demo/models/wine.ubj'));
SELECT hbscore.register('refused', NULL);
SELECT hbscore.register('refused', '');
SELECT hbscore.register('refused', '{}');
SELECT hbscore.register('refused', '\x00');
SELECT hbscore.register('refused', substr(file('demo/models/wine.ubj'), 1, 60000));
SELECT hbscore.register('refused', file('demo/models/wine.ubj') || '\x00');
SELECT hbscore.register('refused', convert_to('demo/models/wine.ubj', 'UTF8'));
SELECT hbscore.register('refused', file('demo/models/wine.ubj'), '{"format": "lightgbm"}');
SELECT hbscore.register('refused', file('demo/models/wine.ubj'), '{"format": "pickle"}');
SELECT hbscore.register('refused', file('demo/models/wine.ubj'), '{"format": "xgboost-json"}');
SELECT hbscore.register('refused', file('demo/models/no_such_file'));
INSERT INTO hbscore.models (name, model) VALUES (NULL, file('demo/models/wine.ubj'));
INSERT INTO hbscore.models (name) VALUES ('refused');
INSERT INTO hbscore.models (name, model) VALUES ('refused', 'no model');
INSERT INTO hbscore.models (name, model, sha256) VALUES ('refused', file('demo/models/wine.ubj'), '\x00');
SELECT count(*) FROM hbscore.models WHERE name = 'refused';

-- S2: arguments of other types find no function
SELECT hbscore.register('refused', 5);
SELECT hbscore.register(5, '\x00');
SELECT hbscore.register('refused', 'text'::text);
-- S1: too few, too many
SELECT hbscore.register('refused');
SELECT hbscore.register('refused', '', '{}', 6);

-- : the context of an error is what its user wrote, and in words what hbscore was at; none of hbscore's own statements
CREATE FUNCTION not_today() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'noticed'; RAISE EXCEPTION 'not today'; END$$;
CREATE TRIGGER zz_not_today BEFORE INSERT OR UPDATE ON hbscore.models FOR EACH ROW EXECUTE FUNCTION not_today();
SELECT hbscore.register('refused', file('demo/models/wine.ubj'));
DO $$BEGIN PERFORM hbscore.drop('in_by_psql', 1); END$$;
DROP FUNCTION not_today() CASCADE;
DO $$BEGIN PERFORM hbscore.register('refused', '\x00'); END$$;
CREATE ROLE regress_hbscore_context;
GRANT USAGE ON SCHEMA hbscore TO regress_hbscore_context;
GRANT INSERT, UPDATE ON hbscore.models TO regress_hbscore_context;
GRANT INSERT ON hbscore.aliases TO regress_hbscore_context;
GRANT SELECT ON encoded TO regress_hbscore_context;
SET ROLE regress_hbscore_context;
SELECT predict('in_by_psql', 1);
SELECT predict('in_by_psql@1', 1);
DO $$DECLARE x float8; BEGIN x := predict('in_by_psql', 1); END$$;
INSERT INTO hbscore.models (name, model) VALUES ('refused', file('demo/models/wine.ubj'));
SELECT hbscore.register('refused', file('demo/models/wine.ubj'));
SELECT hbscore.deploy('in_by_psql', 1);
SELECT hbscore.drop('in_by_psql');
RESET ROLE;
DROP OWNED BY regress_hbscore_context;
DROP ROLE regress_hbscore_context;

-- S7: names that no model may have
SELECT hbscore.register('', file('demo/models/wine.ubj'));
SELECT hbscore.register('a@b', file('demo/models/wine.ubj'));
SELECT hbscore.register('a#b', file('demo/models/wine.ubj'));
SELECT hbscore.register(E'a\tb', file('demo/models/wine.ubj'));
SELECT hbscore.register(E'a\u007f', file('demo/models/wine.ubj'));
SELECT hbscore.register(repeat('x', 256), file('demo/models/wine.ubj'));
SELECT hbscore.register(repeat('x', 10000000), file('demo/models/wine.ubj'));
-- S7: and those that are only odd
CREATE TABLE odd_names (n text);
INSERT INTO odd_names VALUES ('it''s'), ('"quoted"'), ('a.b.c'), (' '), ('''; DROP TABLE wine; --'), ('%s%n%d'), ('日本語'),
    ('naïve'), ('🍷'), ('123'), ('null'), ('\'), ('{"a": 1}'), ('[1]'), (repeat('x', 255)), ('default'), ('$1');
SELECT count(*), sum(hbscore.register(n, file('demo/models/wine.ubj'))) FROM odd_names;
SELECT count(*), sum((predict_json(n, w.*) ->> 'model' = n || '@1')::int) AS alone,
    sum((predict_json(n || '@1', w.*) ->> 'model' = n || '@1')::int) AS with_version
FROM odd_names, wine AS w WHERE w.id = 1;
SELECT predict('%s%n', w.*) FROM wine AS w;
SELECT predict('naive', w.*) FROM wine AS w;
SELECT count(*), sum(hbscore.drop(n)) FROM odd_names;
SELECT count(*) FROM odd_names WHERE EXISTS (SELECT FROM hbscore.models AS m WHERE m.name = n AND m.model IS NOT NULL);
SELECT id FROM wine WHERE id = 1;
SELECT sum(hbscore.drop(n)) FROM unnest('{in_by_psql,in_by_server,in_by_copy,in_by_insert,in}'::text[]) AS n;
DROP TABLE odd_names;
