-- hbscore_plan: what a model is compiled to, before and after each pass, and the steps that run.
.nullvalue NULL
.mode list
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json')), hbscore_register('wine', readfile('demo/models/wine.ubj')),
 hbscore_register('spread', readfile('test/golden/catboost/rmse_with_uncertainty_12.json'));
-- : by walks, of which the note is the same on every CPU
SELECT hbscore_set('strategy', 'tt');
-- : a classifier of two classes (bytes are a matter of the kernels)
SELECT stage, position, operator, inputs, dtype, width, outputs, strategy, bytes > 0,
 substr(note || ';', 1, instr(note || ';', ';') - 1) FROM hbscore_plan('titanic');
-- : three classes; numbers in 64 bits
SELECT stage, group_concat(operator, ' ') FROM hbscore_plan('wine') GROUP BY stage ORDER BY min(rowid);
SELECT stage, group_concat(operator || ' ' || coalesce(dtype, '-'), ', ') FROM hbscore_plan('spread') GROUP BY stage ORDER BY min(rowid);
-- : the parts are not more than all
SELECT sum(bytes) FILTER (WHERE operator <> 'all') < max(bytes) FROM hbscore_plan('wine') WHERE stage = 'plan';
-- : each strategy can be asked for
SELECT hbscore_set('strategy', 'bits');
SELECT strategy, note LIKE '80 trees, 1900 nodes; % predicates of 910 tests, blocks of 512 rows, from 2 on'
 FROM hbscore_plan('titanic') WHERE stage = 'plan' AND strategy IS NOT NULL;
SELECT hbscore_set('strategy', 'gemm');
SELECT strategy, note LIKE '80 trees, 1900 nodes; not in gemm: sets of categories' FROM hbscore_plan('titanic') WHERE stage = 'plan' AND strategy IS NOT NULL;
SELECT strategy, note LIKE '%; tensors of up to % tests by % leaves, blocks of 64 rows'
 FROM hbscore_plan('spread') WHERE stage = 'plan' AND strategy IS NOT NULL;
SELECT hbscore_set('strategy', 'ptt');
SELECT strategy, note LIKE '80 trees, 1900 nodes; not in ptt: sets of categories' FROM hbscore_plan('titanic') WHERE stage = 'plan' AND strategy IS NOT NULL;
SELECT strategy, note LIKE '%; perfect trees of % places'
 FROM hbscore_plan('spread') WHERE stage = 'plan' AND strategy IS NOT NULL;
SELECT hbscore_set('strategy', 'auto');
SELECT count(*) FROM hbscore_plan('titanic') WHERE strategy IN ('tt', 'bits');
SELECT hbscore_set('strategy', 'tree_traversal');
SELECT hbscore_set('strategy', 'tt');
-- : references
SELECT count(*) FROM hbscore_plan('titanic@1');
SELECT hbscore_register('titanic', readfile('demo/models/titanic.json'), '{"rounds": 3}');
SELECT substr(note || ';', 1, instr(note || ';', ';') - 1) FROM hbscore_plan('titanic') WHERE stage = 'plan' AND strategy IS NOT NULL;
SELECT substr(note || ';', 1, instr(note || ';', ';') - 1) FROM hbscore_plan('titanic@1') WHERE stage = 'plan' AND strategy IS NOT NULL;
SELECT m.name, count(*) FROM hbscore_models AS m, hbscore_plan(m.name || '@' || m.version) GROUP BY 1 ORDER BY 1;
-- : what is not there
SELECT * FROM hbscore_plan('titani');
SELECT * FROM hbscore_plan('titanic@7');
SELECT * FROM hbscore_plan('');
SELECT * FROM hbscore_plan(1);
SELECT count(*) FROM hbscore_plan(NULL);
SELECT * FROM hbscore_plan;
SELECT * FROM hbscore_plan('titanic', 1);
SELECT hbscore_drop('wine');
SELECT * FROM hbscore_plan('wine');
-- L6: a row that somebody changed
UPDATE hbscore_models SET model = x'00' WHERE name = 'titanic' AND version = 2;
SELECT * FROM hbscore_plan('titanic');
UPDATE hbscore_models SET options = '[]' WHERE name = 'titanic' AND version = 1;
SELECT * FROM hbscore_plan('titanic@1');
-- : read only, and made by nobody
CREATE VIRTUAL TABLE v USING hbscore_plan;
INSERT INTO hbscore_plan(stage) VALUES ('x');
CREATE VIEW v AS SELECT count(*) AS n FROM hbscore_plan('spread');
SELECT n > 0 FROM v;
