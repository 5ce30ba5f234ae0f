-- What the planner takes a call to cost: by the model.

-- : the cost of one row
CREATE FUNCTION cost(call text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) SELECT ' || call INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Total Cost')::numeric;
END $$;

-- : a model that this session has not compiled, by its size; one that it has, by its plan; the larger one costs more
SELECT cost('predict_label(''titanic'', 1)') > cost('predict(''number'', 1)') AS by_size;
SELECT predict('number', 1, 2, 3, 4) IS NOT NULL AND predict_label('titanic', 1, 'male', 2, 0, 0, 3, 'S') IS NOT NULL AS used;
SELECT cost('predict_label(''titanic'', 1)') > cost('predict(''number'', 1)') AS by_plan;

-- : what cannot be looked up costs what is usual, and is no error
SELECT cost('predict(''no such model'', 1)') = cost('predict(NULL, 1)') AS usual;
SELECT cost('predict((SELECT ''number''), 1)') > 0 AS computed;

-- A2: a role that may not see the models
CREATE ROLE hbscore_costs;
SET ROLE hbscore_costs;
EXPLAIN (COSTS OFF) SELECT predict('number', 1);
RESET ROLE;
DROP ROLE hbscore_costs;

-- : a condition with a model stands behind cheaper ones
SET hbscore.batch = off;
EXPLAIN (COSTS OFF) SELECT id FROM titanic AS t WHERE predict_label('titanic', t.*) = 'died' AND lower(sex) = 'male' AND pclass = 3;
RESET hbscore.batch;

-- : the planning of a query that looks a model up does not ask again
SET hbscore.plan_cache_size = 0;
EXPLAIN (COSTS OFF) SELECT predict('number', 1, 2, 3, 4), predict('wine', 1), predict_label('titanic', 1);
RESET hbscore.plan_cache_size;
DROP FUNCTION cost(text);
