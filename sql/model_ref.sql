-- References compared: what groups, sorts, joins and indexes need.

-- : as their texts compare, byte by byte: equal only where they are written alike
CREATE TABLE refs (n int, r model_ref, v varchar(20), t text);
INSERT INTO refs VALUES (1, 'number', 'number', 'number'), (2, 'number@1', 'number@1', 'number@1'), (3, 'number', 'wine', 'number@1'),
    (4, NULL, NULL, NULL), (5, 'wine@10', 'a', 'b'), (6, 'wine@9', 'a', 'a');
SELECT DISTINCT r FROM refs ORDER BY r;
SELECT r, count(*) FROM refs GROUP BY r ORDER BY count(*) DESC, r;
SELECT n FROM refs WHERE r = 'number' ORDER BY n;
SELECT n FROM refs WHERE r <> 'number' ORDER BY n;
SELECT n, r < 'number@1' AS lt, r <= 'number@1' AS le, r > 'number@1' AS gt, r >= 'number@1' AS ge, r IS DISTINCT FROM 'wine@9' AS other FROM refs ORDER BY n;
SELECT n FROM refs WHERE r IN ('wine@9', 'wine@10') ORDER BY r;
SELECT n FROM refs WHERE r = ANY ('{number,wine@9}') ORDER BY n;
SELECT n FROM refs WHERE r = t ORDER BY n;
SELECT n FROM refs WHERE v = r ORDER BY n;
SELECT array_agg(n ORDER BY n) FROM refs WHERE (r, n) >= ('number@1', 5);
SELECT ARRAY['a', 'b@1']::model_ref[] = ARRAY['a', 'b@1']::model_ref[] AS arrays;
SELECT r FROM refs UNION SELECT 'wine@9' EXCEPT SELECT 'number@1' ORDER BY 1;

-- : what is no reference is an error, as in every cast
SELECT n FROM refs WHERE r = 'a@b@c';
-- : or no value, where that is what is asked (a function of PostgreSQL 16 and later)
CREATE FUNCTION is_valid(value text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE found bool;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT pg_input_is_valid($1, ''model_ref'')' INTO found USING value;
    ELSE
        found := value <> 'a@b@c';
    END IF;
    RETURN found;
END$$;
SELECT is_valid('a@1') AS reference, is_valid('a@b@c') AS other;
DROP FUNCTION is_valid;

-- : by hashing, by merging, by an index
SET enable_nestloop = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM refs AS a JOIN refs AS b USING (r);
SELECT count(*) FROM refs AS a JOIN refs AS b USING (r);
SET enable_mergejoin = on;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM refs AS a JOIN refs AS b USING (r);
SELECT count(*) FROM refs AS a JOIN refs AS b USING (r);
RESET enable_nestloop;
RESET enable_hashjoin;
RESET enable_mergejoin;
CREATE UNIQUE INDEX ON refs (r, n);
CREATE INDEX ON refs USING hash (r);
INSERT INTO refs (n, r) SELECT i, 'm@' || i FROM generate_series(10, 5000) AS i;
ANALYZE refs;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT n FROM refs WHERE r = 'm@77';
SELECT n FROM refs WHERE r = 'm@77';
EXPLAIN (COSTS OFF) SELECT n FROM refs WHERE r > 'wine' ORDER BY r;
SELECT n FROM refs WHERE r > 'wine' ORDER BY r;
RESET enable_seqscan;
RESET enable_bitmapscan;
INSERT INTO refs VALUES (1, 'number');
CREATE TABLE parts (r model_ref, n int) PARTITION BY HASH (r);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts SELECT r, n FROM refs WHERE r IS NOT NULL;
SELECT count(*), count(DISTINCT tableoid) AS partitions FROM parts;
SELECT n FROM parts WHERE r = 'm@77';

-- : the text types keep their own: each pair of them, with each operator, also beside literals and parameters without a type, depends
-- on nothing of the extension
CREATE DOMAIN refs_word AS varchar;
CREATE TYPE refs_mood AS ENUM ('glad', 'sad');
CREATE TABLE refs_texts (t text, v varchar, v10 varchar(10), b bpchar, b10 char(10), n name, c "char", d refs_word, e refs_mood);
CREATE FUNCTION compares(l text, r text, operator text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE own bool;
BEGIN
    EXECUTE format('CREATE VIEW refs_view AS SELECT %s %s %s AS x FROM refs_texts', l, operator, r);
    SELECT count(*) > 0 INTO own FROM pg_depend AS uses JOIN pg_rewrite AS rule ON uses.classid = 'pg_rewrite'::regclass AND uses.objid = rule.oid
        JOIN pg_depend AS member ON member.classid = uses.refclassid AND member.objid = uses.refobjid
        WHERE rule.ev_class = 'refs_view'::regclass AND member.deptype = 'e';
    DROP VIEW refs_view;
    RETURN CASE WHEN own THEN 'of the extension' ELSE 'of PostgreSQL' END;
EXCEPTION WHEN undefined_function THEN RETURN 'none'; WHEN ambiguous_function THEN RETURN 'AMBIGUOUS';
END$$;
SELECT compares(l, r, o), count(*) FROM unnest('{t,v,v10,b,b10,n,c,d,''x'',"NULL"}'::text[]) AS l, unnest('{t,v,v10,b,b10,n,c,d,''x'',"NULL"}'::text[]) AS r,
    unnest('{=,<>,<,<=,>,>=}'::text[]) AS o GROUP BY 1;
SELECT l, o, r, compares(l, r, o) FROM (VALUES ('v', 'IN', '(''a'', ''b'')'), ('v', '= ANY', '(''{a}'')'), ('v', '= ANY', '(ARRAY[t])'), ('e', '=', '''glad'''),
    ('v', 'IS DISTINCT FROM', '''x'''), ('n', '=', 'e'), ('t', '=', '1'), ('v', '=', 'now()'), ('(t, v)', '=', '(v, ''x'')'), ('t', '=', '''x''::model_ref')) AS x (l, o, r);
PREPARE with_text AS SELECT 'x'::varchar = $1, $2 = 'x', $3 < 'x'::bpchar;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'with_text';
PREPARE with_reference AS SELECT n FROM refs WHERE r = $1;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'with_reference';
DEALLOCATE ALL;

DROP TABLE refs, parts, refs_texts;
DROP FUNCTION compares(text, text, text);
DROP DOMAIN refs_word;
DROP TYPE refs_mood;
