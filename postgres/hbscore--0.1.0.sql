-- hbscore--0.1.0.sql - the objects of the extension.
--
-- Scoring functions are in the extension's schema (public by default), so that predict(..) needs no schema; tables and
-- management are in the schema hbscore. Every name is qualified, since the search_path of whoever installs could lead to
-- another object.

\echo Use "CREATE EXTENSION hbscore" to load this file. \quit

CREATE SCHEMA hbscore;

-- The number of the interface between library and script (CONTRIBUTING.md, "A release of the PostgreSQL extension"). A library
-- of the same number serves this script, whatever the versions of both. The library reads the number from this text.
CREATE FUNCTION hbscore.interface() RETURNS pg_catalog.int4
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 1';
COMMENT ON FUNCTION hbscore.interface() IS 'the number that a library must have to serve this database';

CREATE FUNCTION hbscore.version() RETURNS pg_catalog.text
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_version';
COMMENT ON FUNCTION hbscore.version() IS 'the version of the library that serves this session';

-- ---------------------------------------------------------------- references to models

CREATE TYPE @extschema@.model_ref;

CREATE FUNCTION hbscore.model_ref_in(pg_catalog.cstring) RETURNS @extschema@.model_ref
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_model_ref_in';
CREATE FUNCTION hbscore.model_ref_out(@extschema@.model_ref) RETURNS pg_catalog.cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_model_ref_out';
CREATE FUNCTION hbscore.model_ref_receive(pg_catalog.internal) RETURNS @extschema@.model_ref
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_model_ref_receive';
CREATE FUNCTION hbscore.model_ref_send(@extschema@.model_ref) RETURNS pg_catalog.bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_model_ref_send';

CREATE TYPE @extschema@.model_ref (
    INPUT = hbscore.model_ref_in,
    OUTPUT = hbscore.model_ref_out,
    RECEIVE = hbscore.model_ref_receive,
    SEND = hbscore.model_ref_send,
    INTERNALLENGTH = VARIABLE,
    STORAGE = extended
);
COMMENT ON TYPE @extschema@.model_ref IS
    'a model: ''churn'' (the deployed version, else the newest), ''churn@3'', ''churn@champion'', ''churn@3#3f524cdc07a11d7c''';

-- Columns and parameters of these types name models too.
CREATE CAST (pg_catalog.text AS @extschema@.model_ref) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog.varchar AS @extschema@.model_ref) WITH INOUT AS IMPLICIT;
CREATE FUNCTION hbscore.model_ref_of_character(pg_catalog.bpchar) RETURNS @extschema@.model_ref
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_model_ref_of_character';
CREATE CAST (pg_catalog.bpchar AS @extschema@.model_ref)
    WITH FUNCTION hbscore.model_ref_of_character(pg_catalog.bpchar) AS IMPLICIT;
CREATE CAST (pg_catalog.name AS @extschema@.model_ref) WITH INOUT AS IMPLICIT;

-- For DISTINCT, GROUP BY, joins, indexes: two are equal where they are the same text; their order is that of the bytes.
-- An expression of text types keeps the operators of text, the preferred type among those that it could be cast to.
CREATE FUNCTION hbscore.model_ref_equal(@extschema@.model_ref, @extschema@.model_ref) RETURNS pg_catalog.bool
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaeq';
CREATE FUNCTION hbscore.model_ref_unequal(@extschema@.model_ref, @extschema@.model_ref) RETURNS pg_catalog.bool
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteane';
CREATE FUNCTION hbscore.model_ref_less(@extschema@.model_ref, @extschema@.model_ref) RETURNS pg_catalog.bool
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'bytealt';
CREATE FUNCTION hbscore.model_ref_less_equal(@extschema@.model_ref, @extschema@.model_ref) RETURNS pg_catalog.bool
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteale';
CREATE FUNCTION hbscore.model_ref_greater(@extschema@.model_ref, @extschema@.model_ref) RETURNS pg_catalog.bool
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteagt';
CREATE FUNCTION hbscore.model_ref_greater_equal(@extschema@.model_ref, @extschema@.model_ref) RETURNS pg_catalog.bool
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteage';
CREATE FUNCTION hbscore.model_ref_compare(@extschema@.model_ref, @extschema@.model_ref) RETURNS pg_catalog.int4
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteacmp';
CREATE FUNCTION hbscore.model_ref_hash(@extschema@.model_ref) RETURNS pg_catalog.int4
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashvarlena';
CREATE FUNCTION hbscore.model_ref_hash_seeded(@extschema@.model_ref, pg_catalog.int8) RETURNS pg_catalog.int8
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashvarlenaextended';

CREATE OPERATOR @extschema@.= (
    LEFTARG = @extschema@.model_ref, RIGHTARG = @extschema@.model_ref, FUNCTION = hbscore.model_ref_equal,
    COMMUTATOR = OPERATOR(@extschema@.=), NEGATOR = OPERATOR(@extschema@.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR @extschema@.<> (
    LEFTARG = @extschema@.model_ref, RIGHTARG = @extschema@.model_ref, FUNCTION = hbscore.model_ref_unequal,
    COMMUTATOR = OPERATOR(@extschema@.<>), NEGATOR = OPERATOR(@extschema@.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR @extschema@.< (
    LEFTARG = @extschema@.model_ref, RIGHTARG = @extschema@.model_ref, FUNCTION = hbscore.model_ref_less,
    COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR @extschema@.<= (
    LEFTARG = @extschema@.model_ref, RIGHTARG = @extschema@.model_ref, FUNCTION = hbscore.model_ref_less_equal,
    COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR @extschema@.> (
    LEFTARG = @extschema@.model_ref, RIGHTARG = @extschema@.model_ref, FUNCTION = hbscore.model_ref_greater,
    COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR @extschema@.>= (
    LEFTARG = @extschema@.model_ref, RIGHTARG = @extschema@.model_ref, FUNCTION = hbscore.model_ref_greater_equal,
    COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
CREATE OPERATOR CLASS hbscore.model_ref_ops DEFAULT FOR TYPE @extschema@.model_ref USING btree AS
    OPERATOR 1 @extschema@.<, OPERATOR 2 @extschema@.<=, OPERATOR 3 @extschema@.=, OPERATOR 4 @extschema@.>=,
    OPERATOR 5 @extschema@.>, FUNCTION 1 hbscore.model_ref_compare(@extschema@.model_ref, @extschema@.model_ref);
CREATE OPERATOR CLASS hbscore.model_ref_ops DEFAULT FOR TYPE @extschema@.model_ref USING hash AS
    OPERATOR 1 @extschema@.=, FUNCTION 1 hbscore.model_ref_hash(@extschema@.model_ref),
    FUNCTION 2 hbscore.model_ref_hash_seeded(@extschema@.model_ref, pg_catalog.int8);

-- ---------------------------------------------------------------- models

-- PostgreSQL's own sha256 goes on to its end, 2 to 4 ms a MB, whatever asks it to stop.
CREATE FUNCTION hbscore.digest(model pg_catalog.bytea) RETURNS pg_catalog.bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_digest';
COMMENT ON FUNCTION hbscore.digest(pg_catalog.bytea) IS
    'the SHA-256 of a model''s bytes, which can be cancelled: what hbscore.models computes';

-- The order of the columns is known to postgres/pg_triggers.c.
CREATE TABLE hbscore.models (
    name pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
    version pg_catalog.int4 NOT NULL,                       -- 1, 2, ..: never used again
    model pg_catalog.bytea,                                 -- NULL: dropped
    format pg_catalog.text,                                 -- that the bytes were read as
    sha256 pg_catalog.bytea GENERATED ALWAYS AS (hbscore.digest(model)) STORED,
    description pg_catalog.text,
    options pg_catalog.jsonb NOT NULL DEFAULT '{}',         -- as registered but for golden
    created_at pg_catalog.timestamptz NOT NULL DEFAULT pg_catalog.now(),
    created_by pg_catalog.text DEFAULT CURRENT_USER,
    golden pg_catalog.jsonb,                                -- rows and the trainer's own answers; NULL: none
    PRIMARY KEY (name, version)
) USING heap;                                               -- its triggers scan it themselves
-- Models are compressed by their own formats or not at all: reading one must not wait for decompression. Golden rows are not
-- compressed either, which for many of them takes half a second that nothing can stop.
ALTER TABLE hbscore.models ALTER COLUMN model SET STORAGE EXTERNAL;
ALTER TABLE hbscore.models ALTER COLUMN golden SET STORAGE EXTERNAL;
COMMENT ON TABLE hbscore.models IS 'trained models: INSERT INTO hbscore.models (name, model) stores the next version';

-- Which version a name means, alone ('default') and with an alias behind it. No foreign key: a parallel restore loads
-- both tables at once.
CREATE TABLE hbscore.aliases (
    name pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
    alias pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
    version pg_catalog.int4 NOT NULL,
    deployed_at pg_catalog.timestamptz NOT NULL DEFAULT pg_catalog.now(),
    PRIMARY KEY (name, alias)
) USING heap;
COMMENT ON TABLE hbscore.aliases IS 'which version of a model a name means: hbscore.deploy';

-- A dump of an extension's tables has their rows, but neither their row security nor their policies. So a dump takes the row
-- of each table that has row security at that time. A restore puts it beside the row that CREATE EXTENSION makes. Two rows
-- say that the table needs row security: until it has some, users whom policies could concern find no model
-- (postgres/pg_security.c).
CREATE TABLE hbscore.row_security (
    relation pg_catalog.text COLLATE pg_catalog."C" NOT NULL
) USING heap;                                               -- the library scans it itself
COMMENT ON TABLE hbscore.row_security IS
    'a table that is named twice here needs row security: hbscore.require_row_security';
INSERT INTO hbscore.row_security VALUES ('models'), ('aliases');

SELECT pg_catalog.pg_extension_config_dump('hbscore.models', '');
SELECT pg_catalog.pg_extension_config_dump('hbscore.aliases', '');
SELECT pg_catalog.pg_extension_config_dump('hbscore.row_security',
    'WHERE row_security.ctid OPERATOR(pg_catalog.=) (SELECT pg_catalog.min(r.ctid) FROM hbscore.row_security AS r
        WHERE r.relation OPERATOR(pg_catalog.=) row_security.relation
        HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c
            WHERE c.relnamespace OPERATOR(pg_catalog.=) ''hbscore''::pg_catalog.regnamespace
                AND c.relname OPERATOR(pg_catalog.=) row_security.relation AND c.relrowsecurity))');

-- Sessions cache the table's rows. The trigger fires in a replica's session too, as a restore can be one.
CREATE FUNCTION hbscore.row_security_write() RETURNS pg_catalog.trigger
    LANGUAGE C AS 'MODULE_PATHNAME', 'hbscore_row_security_write';
REVOKE EXECUTE ON FUNCTION hbscore.row_security_write() FROM PUBLIC;
CREATE TRIGGER hbscore_write AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON hbscore.row_security
    FOR EACH STATEMENT EXECUTE FUNCTION hbscore.row_security_write();
ALTER TABLE hbscore.row_security ENABLE ALWAYS TRIGGER hbscore_write;

CREATE FUNCTION hbscore.require_row_security(required pg_catalog.bool) RETURNS pg_catalog.void
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME', 'hbscore_require_row_security';
COMMENT ON FUNCTION hbscore.require_row_security(pg_catalog.bool) IS
    'true: those of hbscore''s tables that have row security now need it from now on; false: none does';

CREATE FUNCTION hbscore.security_script() RETURNS pg_catalog.text
    LANGUAGE C STABLE AS 'MODULE_PATHNAME', 'hbscore_security_script';
COMMENT ON FUNCTION hbscore.security_script() IS
    'row security and policies of hbscore''s tables, as SQL for the database that a dump is restored to';

CREATE FUNCTION hbscore.models_insert() RETURNS pg_catalog.trigger
    LANGUAGE C AS 'MODULE_PATHNAME', 'hbscore_models_insert';
CREATE FUNCTION hbscore.models_update() RETURNS pg_catalog.trigger
    LANGUAGE C AS 'MODULE_PATHNAME', 'hbscore_models_update';
CREATE FUNCTION hbscore.models_delete() RETURNS pg_catalog.trigger
    LANGUAGE C AS 'MODULE_PATHNAME', 'hbscore_models_delete';
CREATE FUNCTION hbscore.aliases_write() RETURNS pg_catalog.trigger
    LANGUAGE C AS 'MODULE_PATHNAME', 'hbscore_aliases_write';
-- Triggers fire without this right. Users who have it could only put these functions on other tables.
REVOKE EXECUTE ON FUNCTION hbscore.models_insert(), hbscore.models_update(), hbscore.models_delete(),
    hbscore.aliases_write() FROM PUBLIC;

CREATE TRIGGER hbscore_insert BEFORE INSERT ON hbscore.models
    FOR EACH ROW EXECUTE FUNCTION hbscore.models_insert();
CREATE TRIGGER hbscore_update BEFORE UPDATE ON hbscore.models
    FOR EACH ROW EXECUTE FUNCTION hbscore.models_update();
CREATE TRIGGER hbscore_delete BEFORE DELETE ON hbscore.models
    FOR EACH ROW EXECUTE FUNCTION hbscore.models_delete();
CREATE TRIGGER hbscore_truncate BEFORE TRUNCATE ON hbscore.models
    FOR EACH STATEMENT EXECUTE FUNCTION hbscore.models_delete();
CREATE TRIGGER hbscore_write BEFORE INSERT OR UPDATE ON hbscore.aliases
    FOR EACH ROW EXECUTE FUNCTION hbscore.aliases_write();

CREATE FUNCTION hbscore.register(name pg_catalog.text, model pg_catalog.bytea, options pg_catalog.jsonb DEFAULT '{}')
        RETURNS pg_catalog.int4
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME', 'hbscore_register';
COMMENT ON FUNCTION hbscore.register(pg_catalog.text, pg_catalog.bytea, pg_catalog.jsonb) IS
    'stores a model as the next version of its name, and returns the version';

CREATE FUNCTION hbscore.deploy(name pg_catalog.text, version pg_catalog.int4,
        alias pg_catalog.text DEFAULT 'default') RETURNS pg_catalog.int4
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME', 'hbscore_deploy';
COMMENT ON FUNCTION hbscore.deploy(pg_catalog.text, pg_catalog.int4, pg_catalog.text) IS
    'makes a name, or an alias of it, mean this version, and returns the version';

-- Two functions, so that a version that is NULL is an error, as in SQLite: it must not mean all versions.
CREATE FUNCTION hbscore.drop(name pg_catalog.text, force pg_catalog.bool DEFAULT false) RETURNS pg_catalog.int4
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME', 'hbscore_drop';
COMMENT ON FUNCTION hbscore.drop(pg_catalog.text, pg_catalog.bool) IS
    'drops a model with all versions and aliases, unless indexes, columns or others use it; returns how many versions';

CREATE FUNCTION hbscore.drop(name pg_catalog.text, version pg_catalog.int4, force pg_catalog.bool DEFAULT false)
        RETURNS pg_catalog.int4
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME', 'hbscore_drop_version';
COMMENT ON FUNCTION hbscore.drop(pg_catalog.text, pg_catalog.int4, pg_catalog.bool) IS
    'drops a version, unless an alias names it or indexes, columns or others use it; returns how many versions: 1';

CREATE FUNCTION hbscore.pin(model @extschema@.model_ref) RETURNS @extschema@.model_ref
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_pin';
COMMENT ON FUNCTION hbscore.pin(@extschema@.model_ref) IS
    'the version that a reference means now, with the beginning of its digest: ''churn@3#3f524cdc07a11d7c''';

CREATE FUNCTION hbscore.inspect(model pg_catalog.bytea, options pg_catalog.jsonb DEFAULT '{}')
        RETURNS TABLE (role pg_catalog.text, "position" pg_catalog.int4, name pg_catalog.text, type pg_catalog.text,
            note pg_catalog.text)
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_inspect';
COMMENT ON FUNCTION hbscore.inspect(pg_catalog.bytea, pg_catalog.jsonb) IS
    'what a model''s bytes take, give and are';

CREATE FUNCTION hbscore.inspect(model pg_catalog.text)
        RETURNS TABLE (role pg_catalog.text, "position" pg_catalog.int4, name pg_catalog.text, type pg_catalog.text,
            note pg_catalog.text)
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_inspect_stored';
COMMENT ON FUNCTION hbscore.inspect(pg_catalog.text) IS
    'what a stored model takes, gives and is';

CREATE FUNCTION hbscore.features(model @extschema@.model_ref)
        RETURNS TABLE ("position" pg_catalog.int4, name pg_catalog.text, type pg_catalog.text, on_missing pg_catalog.text,
            categories pg_catalog.int4, note pg_catalog.text)
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_features';
COMMENT ON FUNCTION hbscore.features(@extschema@.model_ref) IS
    'the features that a model takes, in their order';

CREATE FUNCTION hbscore.classes(model @extschema@.model_ref)
        RETURNS TABLE ("position" pg_catalog.int4, label pg_catalog.text, type pg_catalog.text)
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_classes';
COMMENT ON FUNCTION hbscore.classes(@extschema@.model_ref) IS
    'the classes of a classifier, in their order';

CREATE FUNCTION hbscore.plan(model @extschema@.model_ref)
        RETURNS TABLE (stage pg_catalog.text, "position" pg_catalog.int4, operator pg_catalog.text,
            inputs pg_catalog.text, dtype pg_catalog.text, width pg_catalog.int8, outputs pg_catalog.text,
            strategy pg_catalog.text, bytes pg_catalog.int8, note pg_catalog.text)
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_plan';
COMMENT ON FUNCTION hbscore.plan(@extschema@.model_ref) IS
    'what a model is compiled to, step by step, before and after each pass of the optimizer';

CREATE FUNCTION hbscore.plan(model @extschema@.model_ref, format pg_catalog.text)
        RETURNS pg_catalog.text
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_plan_drawing';
COMMENT ON FUNCTION hbscore.plan(@extschema@.model_ref, pg_catalog.text) IS
    'a model before and after the optimizer as a drawing: format dot is Graphviz''s language';

CREATE FUNCTION hbscore.verify(model @extschema@.model_ref)
        RETURNS TABLE (version pg_catalog.int4, rows pg_catalog.int4, max_abs_error pg_catalog.float8,
            ok pg_catalog.bool, note pg_catalog.text)
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_verify';
COMMENT ON FUNCTION hbscore.verify(@extschema@.model_ref) IS
    'scores the golden rows stored with a model''s versions and compares';

CREATE FUNCTION hbscore.profile(model @extschema@.model_ref, query pg_catalog.text,
            function pg_catalog.text DEFAULT 'predict')
        RETURNS TABLE ("position" pg_catalog.int4, operator pg_catalog.text, source pg_catalog.text, kernel pg_catalog.text,
            calls pg_catalog.int8, rows pg_catalog.int8, ns pg_catalog.int8, share pg_catalog.float8,
            bytes pg_catalog.int8)
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME', 'hbscore_profile';
COMMENT ON FUNCTION hbscore.profile(@extschema@.model_ref, pg_catalog.text, pg_catalog.text) IS
    'runs a query, scores its rows, and tells how long each operator of the model took';

CREATE FUNCTION hbscore.create_predict_function(model pg_catalog.text, function_name pg_catalog.text DEFAULT NULL)
        RETURNS pg_catalog.regprocedure
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME', 'hbscore_create_predict_function';
COMMENT ON FUNCTION hbscore.create_predict_function(pg_catalog.text, pg_catalog.text) IS
    'makes a function that takes a model''s features as named arguments with types';

-- ---------------------------------------------------------------- the GPU of this session

CREATE FUNCTION hbscore.device() RETURNS pg_catalog.jsonb
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'hbscore_device';
COMMENT ON FUNCTION hbscore.device() IS 'the GPU that this session uses, or why it uses none';

-- ---------------------------------------------------------------- what this session keeps

CREATE FUNCTION hbscore.session_stats()
        RETURNS TABLE (model pg_catalog.text, calls pg_catalog.int8, rows pg_catalog.int8, batches pg_catalog.int8,
            score_time pg_catalog.float8, loads pg_catalog.int8, load_time pg_catalog.float8, role pg_catalog.name)
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'hbscore_session_stats';
REVOKE EXECUTE ON FUNCTION hbscore.session_stats() FROM PUBLIC;
CREATE VIEW hbscore.stats AS
    SELECT s.model, s.calls, s.rows, s.batches, s.score_time, s.loads, s.load_time, s.role
    FROM hbscore.session_stats() AS s;
COMMENT ON VIEW hbscore.stats IS
    'what a role has done in this session with each model version: statements, rows, batches, and milliseconds to score them and to compile it';

CREATE FUNCTION hbscore.session_cache()
        RETURNS TABLE (key pg_catalog.text, bytes pg_catalog.int8, hits pg_catalog.int8, in_use pg_catalog.bool)
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'hbscore_session_cache';
REVOKE EXECUTE ON FUNCTION hbscore.session_cache() FROM PUBLIC;
CREATE VIEW hbscore.cache AS
    SELECT c.key, c.bytes, c.hits, c.in_use FROM hbscore.session_cache() AS c;
COMMENT ON VIEW hbscore.cache IS 'the compiled plans that this session keeps, the last used first';

-- ---------------------------------------------------------------- scoring

-- What a call costs, for the planner: by the model.
CREATE FUNCTION hbscore.support(pg_catalog.internal) RETURNS pg_catalog.internal
    LANGUAGE C STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_support';
REVOKE EXECUTE ON FUNCTION hbscore.support(pg_catalog.internal) FROM PUBLIC;

CREATE FUNCTION @extschema@.predict(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.float8
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict';
COMMENT ON FUNCTION @extschema@.predict(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'what the model predicts: a number, or a class label that is one';

CREATE FUNCTION @extschema@.predict_label(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.text
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_label';
COMMENT ON FUNCTION @extschema@.predict_label(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'the class label that a classifier predicts';

CREATE FUNCTION @extschema@.predict_probability(model @extschema@.model_ref, class pg_catalog."any",
        VARIADIC features pg_catalog."any") RETURNS pg_catalog.float8
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_probability';
COMMENT ON FUNCTION @extschema@.predict_probability(@extschema@.model_ref, pg_catalog."any",
    VARIADIC pg_catalog."any") IS
    'the probability of one class, given by its label';

CREATE FUNCTION @extschema@.predict_proba(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.float8[]
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_proba';
COMMENT ON FUNCTION @extschema@.predict_proba(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'the probability of each class, in the order of the model''s classes';

CREATE FUNCTION @extschema@.predict_values(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.float8[]
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_values';
COMMENT ON FUNCTION @extschema@.predict_values(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'all outputs of a model with several';

CREATE FUNCTION @extschema@.decision_function(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.float8[]
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_decision_function';
COMMENT ON FUNCTION @extschema@.decision_function(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'margins: raw scores before the link function';

CREATE FUNCTION @extschema@.transform(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.float8[]
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_transform';
COMMENT ON FUNCTION @extschema@.transform(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'the numbers that the last step of a pipeline gets';

CREATE FUNCTION @extschema@.predict_json(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.jsonb
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_json';
COMMENT ON FUNCTION @extschema@.predict_json(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'all that a model says of a row, as one object';

CREATE FUNCTION @extschema@.predict_probabilities(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.jsonb
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_probabilities';
COMMENT ON FUNCTION @extschema@.predict_probabilities(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'the probability of each class by its label, as one object';

-- k is an int8, which an int4 becomes too: count(*) of a query is one.
CREATE FUNCTION @extschema@.predict_top(model @extschema@.model_ref, k pg_catalog.int8,
        VARIADIC features pg_catalog."any") RETURNS pg_catalog.jsonb
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_top';
COMMENT ON FUNCTION @extschema@.predict_top(@extschema@.model_ref, pg_catalog.int8, VARIADIC pg_catalog."any") IS
    'the k most probable classes with their probabilities, the best first';

-- Twins for indexes, generated columns and other servers: IMMUTABLE, since they take only a reference with a version,
-- whose bytes never change.

CREATE FUNCTION @extschema@.predict_version(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.float8
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_version';
COMMENT ON FUNCTION @extschema@.predict_version(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'predict, of a model given with its version';

CREATE FUNCTION @extschema@.predict_label_version(model @extschema@.model_ref, VARIADIC features pg_catalog."any")
        RETURNS pg_catalog.text
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_label_version';
COMMENT ON FUNCTION @extschema@.predict_label_version(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'predict_label, of a model given with its version';

CREATE FUNCTION @extschema@.predict_probability_version(model @extschema@.model_ref, class pg_catalog."any",
        VARIADIC features pg_catalog."any") RETURNS pg_catalog.float8
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT hbscore.support AS 'MODULE_PATHNAME', 'hbscore_predict_probability_version';
COMMENT ON FUNCTION @extschema@.predict_probability_version(@extschema@.model_ref, pg_catalog."any",
    VARIADIC pg_catalog."any") IS
    'predict_probability, of a model given with its version';

-- ---------------------------------------------------------------- a group's rows at once

CREATE FUNCTION hbscore.predict_agg_step(pg_catalog.internal, @extschema@.model_ref, VARIADIC pg_catalog."any")
        RETURNS pg_catalog.internal
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'hbscore_predict_agg_step';
CREATE FUNCTION hbscore.predict_agg_final(pg_catalog.internal) RETURNS pg_catalog.float8[]
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_predict_agg_final';
-- An aggregate calls them by the right of its owner; nobody else makes aggregates of them.
REVOKE EXECUTE ON FUNCTION hbscore.predict_agg_step(pg_catalog.internal, @extschema@.model_ref, VARIADIC pg_catalog."any"),
    hbscore.predict_agg_final(pg_catalog.internal) FROM PUBLIC;
CREATE AGGREGATE @extschema@.predict_agg(model @extschema@.model_ref, VARIADIC features pg_catalog."any") (
    SFUNC = hbscore.predict_agg_step,
    STYPE = pg_catalog.internal,
    FINALFUNC = hbscore.predict_agg_final,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.predict_agg(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'the predictions of all rows of a group, in their order, scored in blocks';

CREATE FUNCTION hbscore.predict_label_agg_step(pg_catalog.internal, @extschema@.model_ref, VARIADIC pg_catalog."any")
        RETURNS pg_catalog.internal
    LANGUAGE C STABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'hbscore_predict_label_agg_step';
CREATE FUNCTION hbscore.predict_label_agg_final(pg_catalog.internal) RETURNS pg_catalog.text[]
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'hbscore_predict_label_agg_final';
REVOKE EXECUTE ON FUNCTION hbscore.predict_label_agg_step(pg_catalog.internal, @extschema@.model_ref, VARIADIC pg_catalog."any"),
    hbscore.predict_label_agg_final(pg_catalog.internal) FROM PUBLIC;
CREATE AGGREGATE @extschema@.predict_label_agg(model @extschema@.model_ref, VARIADIC features pg_catalog."any") (
    SFUNC = hbscore.predict_label_agg_step,
    STYPE = pg_catalog.internal,
    FINALFUNC = hbscore.predict_label_agg_final,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.predict_label_agg(@extschema@.model_ref, VARIADIC pg_catalog."any") IS
    'the class labels of all rows of a group, in their order, scored in blocks';

-- ---------------------------------------------------------------- roles

-- PostgreSQL restores rights after indexes, and an index over a twin is built with the rights of its table's owner. Rights
-- that the script gives are there as soon as the extension is. Roles belong to the whole cluster: the script uses a role that
-- is there as it is, and DROP EXTENSION leaves both.
DO $$
BEGIN
    CREATE ROLE hbscore_scorer;
    COMMENT ON ROLE hbscore_scorer IS 'scores with the models of hbscore, in each database that has it';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
DO $$
BEGIN
    CREATE ROLE hbscore_registrar;
    COMMENT ON ROLE hbscore_registrar IS 'registers, deploys and drops models of hbscore, and scores with them';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

GRANT USAGE ON SCHEMA hbscore TO hbscore_scorer, hbscore_registrar;
GRANT SELECT ON hbscore.models, hbscore.aliases, hbscore.stats, hbscore.cache TO hbscore_scorer, hbscore_registrar;
GRANT EXECUTE ON FUNCTION hbscore.session_stats(), hbscore.session_cache() TO hbscore_scorer, hbscore_registrar;
GRANT INSERT, UPDATE ON hbscore.models TO hbscore_registrar;
GRANT INSERT, UPDATE, DELETE ON hbscore.aliases TO hbscore_registrar;
