-- scores.sql - relations and functions that call predict: run once in public, and once in the schema plain, where predict and
-- its family are functions that the planner does not know as ours.

CREATE VIEW guarded_score WITH (security_barrier) AS
    SELECT * FROM people WHERE predict('number', pclass, age, sibsp, fare) > 10060;
CREATE VIEW guarded_deep WITH (security_barrier) AS
    SELECT * FROM guarded_score WHERE abs(predict('number', pclass, fare, sibsp, age)) > 10050;
CREATE TABLE secured_score (LIKE people INCLUDING ALL);
INSERT INTO secured_score SELECT * FROM people;
ALTER TABLE secured_score ENABLE ROW LEVEL SECURITY;
CREATE POLICY some_rows ON secured_score USING (predict('number', pclass, age, sibsp, fare) > 10075);
CREATE TABLE secured_role (LIKE people INCLUDING ALL);
INSERT INTO secured_role SELECT * FROM people;
ALTER TABLE secured_role ENABLE ROW LEVEL SECURITY;
CREATE POLICY some_rows ON secured_role USING (predict('number', pclass, age, sibsp, fare) > 10060 OR current_user = 'smith_registrar')
    WITH CHECK (predict('number', pclass, age, sibsp, fare) < 10090);
CREATE POLICY fewer_rows ON secured_role AS RESTRICTIVE
    USING (EXISTS (SELECT FROM kinds AS k WHERE k.pclass = secured_role.pclass AND predict('number', k.pclass, 5, 1, 2) > 0));
CREATE VIEW guarded_both WITH (security_barrier) AS
    SELECT * FROM secured_score WHERE predict('number', pclass, fare, sibsp, age) > 10050 AND id % 5 > 0;
ALTER VIEW guarded_both OWNER TO smith_owner;
CREATE FUNCTION scored(c int, a float8, s int, f numeric) RETURNS float8 LANGUAGE sql STABLE
    RETURN predict('number', c, a, s, f);
