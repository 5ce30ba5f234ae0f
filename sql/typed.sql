-- Functions of one model with named arguments and types: hbscore.create_predict_function.

-- S1: a classifier of texts, a number, several outputs, labels that are numbers
SELECT hbscore.create_predict_function('titanic');
SELECT hbscore.create_predict_function('number', 'public.a_number');
SELECT hbscore.create_predict_function('targets', 'several');
SELECT hbscore.create_predict_function('titanic_pipeline', '"Fate of"');
\df predict_titanic
SELECT pg_get_function_result('a_number'::regproc), pg_get_function_result('several'::regproc);
SELECT provolatile, proparallel, proisstrict, prosecdef FROM pg_proc WHERE oid = 'a_number'::regproc;

-- S1: by position and by name, NULL as a missing value; the answer is that of the plain call
SELECT count(*), count(*) FILTER (WHERE predict_titanic(pclass, sex, age, sibsp, parch, fare, embarked) = predict_label('titanic', t.*)) AS same FROM titanic AS t;
SELECT predict_titanic(sex => 'female', pclass => 1, age => NULL, sibsp => 0, parch => 0, fare => 80, embarked => NULL);
SELECT "Fate of"(pclass => 3, sex => 'male', age => 22, sibsp => 1, parch => 0, fare => 7.25, embarked => 'S') = predict_label('titanic_pipeline', 3, 'male', 22, 1, 0, 7.25, 'S') AS same;
SELECT a_number(1, 2, 3, 4) = predict('number', 1, 2, 3, 4) AS same;
SELECT several(1, 2, 3, 4) = predict_values('targets', 1, 2, 3, 4) AS same;

-- : the planner sees the plain call
SET hbscore.batch = off;
EXPLAIN (VERBOSE, COSTS OFF) SELECT a_number(id, 1, 2, 3) FROM titanic;
RESET hbscore.batch;

-- S1: the name of the model goes on meaning its deployed version; a version is one for good
SELECT hbscore.create_predict_function('number@1', 'first_number');
SELECT first_number(1, 2, 3, 4) = a_number(1, 2, 3, 4) AS same;

-- S1: what cannot be made
SELECT hbscore.create_predict_function('titanic');
SELECT hbscore.create_predict_function(NULL);
SELECT hbscore.create_predict_function('no such model');
SELECT hbscore.create_predict_function('number', 'no_such_schema.f');
SELECT hbscore.create_predict_function('number', 'a.b.c.d');
SELECT hbscore.register(repeat('m', 60), file('test/golden/xgboost/regressor_34.json'));
SELECT hbscore.create_predict_function(repeat('m', 60));
SELECT hbscore.drop(repeat('m', 60));

-- A2: a role that may not make functions there
CREATE ROLE hbscore_typed;
GRANT USAGE ON SCHEMA hbscore TO hbscore_typed;
GRANT SELECT ON hbscore.models, hbscore.aliases TO hbscore_typed;
CREATE SCHEMA closed;
SET ROLE hbscore_typed;
SELECT hbscore.create_predict_function('number', 'closed.f');
RESET ROLE;
DROP SCHEMA closed;
DROP OWNED BY hbscore_typed;
DROP ROLE hbscore_typed;

-- A1: a search_path with other functions and types of these names changes nothing
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.predict(public.model_ref, VARIADIC float8[]) RETURNS float8 LANGUAGE sql AS 'SELECT -1.0::float8';
CREATE DOMAIN hostile.float8 AS text;
SET search_path = hostile, public, pg_catalog;
SELECT hbscore.create_predict_function('number', 'public.guarded');
SELECT public.guarded(1, 2, 3, 4) = public.a_number(1, 2, 3, 4) AS same;
RESET search_path;
DROP SCHEMA hostile CASCADE;

DROP FUNCTION predict_titanic, a_number, several, "Fate of", first_number, guarded;
