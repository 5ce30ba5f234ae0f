-- ways.sql - what tests of queries with and without blocks share; shapes.sql and hidden_rows.sql include it.

-- Whether all calls of a query are scored in blocks, some, or none: block, some, row.
CREATE FUNCTION way(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    IF plan !~ 'HbPredict' THEN
        RETURN 'row';
    END IF;
    SET LOCAL hbscore.debug_require_batch = require;
    EXECUTE 'EXPLAIN ' || query;
    SET LOCAL hbscore.debug_require_batch = 'any';
    RETURN 'block';
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    SET LOCAL hbscore.debug_require_batch = 'any';
    RETURN 'some';
END $$;

-- Settings, as {name=value,..}, for the transaction.
CREATE FUNCTION set_all(settings text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s text;
BEGIN
    FOREACH s IN ARRAY settings LOOP
        PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true);
    END LOOP;
END $$;
