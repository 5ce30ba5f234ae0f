-- A version that objects of the database name by a constant is not dropped: each kind of object, each way to write the name.

SELECT max(hbscore.register('used', file('test/golden/sklearn/ridge_19.json'))) FROM generate_series(1, 40);
-- : an object for each version; what keeps it from being dropped
CREATE FUNCTION tried(version int, "force" bool DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
    PERFORM hbscore.drop('used', tried.version, "force");
    RETURN 'dropped';
EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS found = PG_EXCEPTION_DETAIL;
    RETURN found;
END$$;
CREATE TABLE rows (x float8, name text, score float8 GENERATED ALWAYS AS (predict_version('used@1', x, 0, 0, 0)) STORED);
INSERT INTO rows VALUES (1), (2);

-- S6: nothing is broken by a drop: the row that comes next is scored
SELECT tried(1);
INSERT INTO rows VALUES (3);
SELECT count(*), count(score) FROM rows;
-- S6: in an index, its condition, statistics, a partition's key
CREATE INDEX by_score ON rows (predict_version('used@2', x, 0, 0, 0));
CREATE INDEX by_condition ON rows (x) WHERE predict_version('used@3', x, 0, 0, 0) > 0;
CREATE STATISTICS of_score ON (predict_version('used@4', x, 0, 0, 0)), x FROM rows;
CREATE TABLE parts (x float8) PARTITION BY RANGE (predict_version('used@5', x, 0, 0, 0));
CREATE TABLE excluded (x float8, EXCLUDE USING btree ((predict_version('used@6', x, 0, 0, 0)) WITH =));
SELECT tried(n) FROM generate_series(2, 6) AS n;
-- S6: in a CHECK, of a table and of a domain, a default, of both
ALTER TABLE rows ADD CONSTRAINT sure CHECK (predict_version('used@7', x, 0, 0, 0) IS NOT NULL);
ALTER TABLE rows ADD COLUMN y float8 DEFAULT predict('used@8', 1, 2, 3, 4);
CREATE DOMAIN certain AS float8 DEFAULT predict('used@9', 1, 2, 3, 4) CONSTRAINT sure CHECK (predict('used@10', VALUE, 0, 0, 0) IS NOT NULL);
SELECT tried(n) FROM generate_series(7, 10) AS n;
-- S6: in a view, as a subquery, a condition, an aggregate, a window; a materialized view, a rule
CREATE VIEW plain AS SELECT predict('used@11', x, 0, 0, 0) AS score FROM rows WHERE x IN (SELECT predict('used@12', x, 0, 0, 0) FROM rows);
CREATE VIEW grouped AS SELECT predict_agg('used@13', x, 0, 0, 0) AS scores FROM rows;
CREATE VIEW windowed AS SELECT predict_agg('used@14', x, 0, 0, 0) OVER (ORDER BY x) AS scores FROM rows;
CREATE MATERIALIZED VIEW kept AS SELECT predict_json('used@15', x, 0, 0, 0) AS answer FROM rows;
CREATE RULE scores AS ON UPDATE TO rows WHERE predict('used@16', new.x, 0, 0, 0) > 5 DO ALSO SELECT predict('used@17', old.x, 0, 0, 0);
SELECT tried(n) FROM generate_series(11, 17) AS n;
-- S6: in a policy, a trigger's condition, a function's body that is no string, and its defaults
CREATE POLICY visible ON rows USING (predict('used@18', x, 0, 0, 0) > 0) WITH CHECK (predict('used@19', x, 0, 0, 0) > 0);
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER if_scored BEFORE INSERT ON rows FOR EACH ROW WHEN (predict('used@20', new.x, 0, 0, 0) > 0) EXECUTE FUNCTION nothing();
CREATE FUNCTION scored(x float8, y float8 DEFAULT predict('used@21', 1, 2, 3, 4)) RETURNS float8 LANGUAGE sql
    BEGIN ATOMIC SELECT predict('used@22', x, y, 0, 0); END;
SELECT tried(n) FROM generate_series(18, 22) AS n;
-- S6: however the name is written
CREATE VIEW written AS SELECT predict('used@23'::text, x, 0, 0, 0) AS a, predict('used@24'::varchar(20), x, 0, 0, 0) AS b,
    predict('used@25'::char(12), x, 0, 0, 0) AS c, predict('used@26'::name, x, 0, 0, 0) AS d,
    predict((hbscore.pin('used@27')::text || '')::model_ref, x, 0, 0, 0) AS computed,
    predict_label(x::text, x) AS from_column, predict(NULL::text, x) AS none FROM rows;
SELECT tried(n) FROM generate_series(23, 26) AS n;
DO $$BEGIN EXECUTE format('CREATE VIEW pinned AS SELECT predict_version(%L, x, 0, 0, 0) AS a FROM rows', hbscore.pin('used@28')); END$$;
SELECT tried(28);
-- S6: several objects, each once, in a list with an end
CREATE VIEW first AS SELECT predict('used@29', 1, 2, 3, 4) AS score;
CREATE VIEW second AS SELECT predict_version('used@29', 1, 2, 3, 4) AS score, predict('used@29', 1, 2, 3, 5) AS other;
SELECT line FROM string_to_table(tried(29), E'\n') AS line ORDER BY 1;
DO $$BEGIN FOR i IN 1..110 LOOP EXECUTE format('CREATE VIEW v%s AS SELECT predict(''used@30'', 1, 2, 3, %s) AS a', i, i); END LOOP; END$$;
SELECT array_length(string_to_array(tried(30), ' uses it'), 1) - 1 AS listed, substring(tried(30) FROM 'and .*$') AS others;
-- S6: not by what names another version, another model, or the version in use
SELECT hbscore.register('used2', file('test/golden/sklearn/ridge_19.json'));
CREATE VIEW others AS SELECT predict('used', x, 0, 0, 0) AS a, predict('used2@1', x, 0, 0, 0) AS b, hbscore.pin('used@31') AS c,
    'used@31'::model_ref = 'used@31' AS d FROM rows;
SELECT tried(31);
-- : calls in a body that is a string are not seen, nor a name that is computed (docs/postgresql-reference.md)
CREATE FUNCTION unseen() RETURNS float8 LANGUAGE sql AS $$SELECT predict('used@32', 1, 2, 3, 4)$$;
SELECT tried(32);
SELECT tried(27);
SELECT unseen();
-- S6: by an UPDATE of the table the same, and by a drop of the whole model
UPDATE hbscore.models SET model = NULL WHERE name = 'used' AND version = 2;
SELECT hbscore.drop('used');
SELECT count(*) FROM hbscore.models WHERE name = 'used' AND model IS NOT NULL;
-- S6: force: this drop, and not the next
SELECT hbscore.drop('used', 1, NULL);
SELECT hbscore.drop('used', 1, force => true);
SELECT tried(2);
INSERT INTO rows VALUES (4);
-- : an error does not leave it forced
SELECT hbscore.drop('used', 1, force => true);
SELECT tried(2);
-- S6: what is dropped itself is in nobody's way
DROP VIEW plain;
SELECT tried(11), tried(12);
SELECT hbscore.drop('used', force => true), hbscore.drop('used2', force => true);
DROP TABLE rows, parts, excluded CASCADE;
DROP VIEW first, second;
DROP DOMAIN certain;
DO $$BEGIN FOR i IN 1..110 LOOP EXECUTE format('DROP VIEW v%s', i); END LOOP; END$$;
DROP FUNCTION tried, nothing, scored, unseen;
