-- hbscore_plan(model, 'dot'): the pipeline and the final graph in Graphviz's language.
.nullvalue NULL
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json')), hbscore_register('pipeline', readfile('demo/models/titanic_pipeline.json'));
SELECT hbscore_set('strategy', 'tt');
-- : a classifier of two classes
SELECT hbscore_plan('titanic', 'dot');
-- : several inputs and outputs; each operator of the pipeline and each tensor of the last graph is a node
SELECT hbscore_plan('pipeline@1', 'dot') = hbscore_plan('pipeline', 'dot');
WITH d(dot) AS (SELECT hbscore_plan('pipeline', 'dot'))
SELECT count(*) > 15, sum(dot LIKE '%' || iif(stage = 'pipeline', 'p', 'g') || position || ' [%label="' || operator || '\n%') = count(*)
 FROM d, hbscore_plan('pipeline') WHERE stage IN ('pipeline', 'plan') AND operator <> 'all';
-- S2: names that would end their quotes, escape, make entities, or are no text for a terminal
SELECT hbscore_register('"]; x -> y [label="\N&lt;' || char(233, 8364), readfile('demo/models/titanic.json'),
 json_object('features', json_array('a"];', 'b\', 'c&quot;', 'd' || char(10, 127), 'e', 'f', 'g')));
SELECT hbscore_plan((SELECT name FROM hbscore_models WHERE name GLOB '"*'), 'dot');
-- S2: no format, no model
SELECT hbscore_plan('titanic', 'svg');
SELECT hbscore_plan('titanic', 'DOT');
SELECT hbscore_plan('titanic', '');
SELECT hbscore_plan('titanic', NULL);
SELECT hbscore_plan('titanic', 1);
SELECT hbscore_plan('titanic', 'x"' || char(0));
SELECT hbscore_plan(NULL, 'dot');
SELECT hbscore_plan('titani', 'dot');
SELECT hbscore_plan('titanic@7', 'dot');
SELECT hbscore_plan('titanic');
SELECT hbscore_plan('titanic', 'dot', 1);
-- L6: a row that somebody changed
UPDATE hbscore_models SET model = x'00' WHERE name = 'titanic';
SELECT hbscore_plan('titanic', 'dot');
