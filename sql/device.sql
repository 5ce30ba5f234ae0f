-- The settings of a GPU, on a server without one. test/tap/device.sh scores by one, beside a fake driver.
LOAD 'hbscore';
-- : what they are
SHOW hbscore.device;
SHOW hbscore.device_memory;
SHOW hbscore.device_contexts;
SELECT hbscore.device();
-- : device = cuda is refused with the reason; what a file or a role says is taken, and the CPU scores
SET hbscore.device = cuda;
SET hbscore.device = gpu;
SET hbscore.device_contexts = -1;
SHOW hbscore.device;
ALTER ROLE CURRENT_USER SET hbscore.device = cuda;
\c
SELECT count(predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) FROM titanic;
SHOW hbscore.device;
SELECT hbscore.device();
EXPLAIN (COSTS off) SELECT predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic;
ALTER ROLE CURRENT_USER RESET hbscore.device;
\c
-- : nothing is said of a GPU where there is none and nobody asks
EXPLAIN (COSTS off) SELECT predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM titanic;
SET hbscore.device = cpu;
SELECT hbscore.device();
SELECT count(*) FROM pg_locks WHERE locktype = 'userlock';
-- : only superusers choose
CREATE ROLE regress_hbscore_gpu IN ROLE hbscore_scorer;
SET ROLE regress_hbscore_gpu;
SET hbscore.device = auto;
SET hbscore.device_memory = '2GB';
SET hbscore.device_contexts = 5;
SELECT hbscore.device();
RESET ROLE;
DROP ROLE regress_hbscore_gpu;
