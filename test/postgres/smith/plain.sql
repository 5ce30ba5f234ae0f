-- plain.sql - predict and its family once more, without what tells the planner that they are ours: functions as any other, at
-- the same cost, so that plans are the same.

CREATE SCHEMA plain;
DO $$
DECLARE
    f record;
    cost float8[];
    plan json;
    call text;
BEGIN
    FOREACH call IN ARRAY '{g,"predict(''number'', g, 5, 1, 2)"}'::text[] LOOP
        EXECUTE format('EXPLAIN (FORMAT JSON) SELECT %s FROM generate_series(1, 1000) AS g', call) INTO plan;
        cost := cost || (plan -> 0 -> 'Plan' ->> 'Total Cost')::float8;
    END LOOP;
    FOR f IN SELECT *, pg_get_function_arguments(oid) AS arguments, prorettype::regtype AS result FROM pg_proc
            WHERE prosupport = 'hbscore.support'::regproc LOOP
        EXECUTE format('CREATE FUNCTION plain.%I(%s) RETURNS %s LANGUAGE C %s PARALLEL SAFE COST %s AS ''$libdir/hbscore'', %L', f.proname,
            f.arguments, f.result, CASE f.provolatile WHEN 'i' THEN 'IMMUTABLE' ELSE 'STABLE' END,
            (cost[2] - cost[1]) / 1000 / current_setting('cpu_operator_cost')::float8, f.prosrc);
    END LOOP;
END $$;
