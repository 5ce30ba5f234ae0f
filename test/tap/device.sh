#!/bin/sh
# device.sh - scores by a GPU, beside a fake driver (test/gpu/fake): SERVER_FAKE_GPU=build/release/test/gpu
# tools/postgres_server.sh build test/tap/run.sh device
#
# The CPU's scores, rows that are errors, scans that stop or begin again, what EXPLAIN says, memory, each call of the driver that
# fails, cancelling and ending a session while blocks are on their way, slots, parallel workers, rights.
. test/tap/tap.sh

make_database device
sql device >"$work/out" <<'SQL'
CREATE FUNCTION fake_gpu(text) RETURNS int8 LANGUAGE c AS '$libdir/fake_gpu';
CREATE FUNCTION fake_gpu(text, int8) RETURNS int8 LANGUAGE c AS '$libdir/fake_gpu';
SELECT register_titanic();
SELECT hbscore.register('cancer', model_file('cancer.json'));
SELECT hbscore.register('wine', model_file('wine.ubj'));
CREATE TABLE t AS SELECT i AS id, 1 + i % 3 AS pclass, CASE WHEN i % 2 = 0 THEN 'male' ELSE 'female' END AS sex,
    CASE WHEN i % 5 > 0 THEN (i * 7919) % 80 END::float8 AS age, i % 3 AS sibsp, i % 2 AS parch,
    (i * 7919) % 300 / 3.0::float8 AS fare, CASE i % 4 WHEN 0 THEN 'S' WHEN 1 THEN 'C' WHEN 2 THEN 'Q' END AS embarked,
    ARRAY(SELECT (sin(i * j) * 20)::float8 FROM generate_series(1, 30) AS j) AS numbers
    FROM generate_series(1, 25000) AS i;
CREATE TABLE bad AS SELECT id, pclass, CASE WHEN id = 20000 THEN 'unknown' ELSE sex END AS sex, age, sibsp, parch, fare, embarked FROM t;
SELECT hbscore.register('pipeline', model_file('titanic_pipeline.json'));
CREATE TABLE wines AS SELECT w.* FROM wine AS w, generate_series(1, 140);
CREATE ROLE scorer IN ROLE hbscore_scorer;
GRANT SELECT ON t TO scorer;
VACUUM ANALYZE t, bad, wines;
SQL
CALL="predict_probability('titanic', 'survived', pclass, sex, age, sibsp, parch, fare, embarked)"
WHOLE="'md5', md5(string_agg(float8send(p)::text, ','))"
# Each statement by itself, in one session.
run() { printf '%s\n' "$1" | sql device; }
FORCED="LOAD 'hbscore'; SET hbscore.device = cuda; SET hbscore.debug_require_device = on;"

# ---- settings, rights and what is told
like "$(run "LOAD 'hbscore'; SET hbscore.device = gpu")" "HINT:  Available values: auto, cpu, cuda" "values of device"
is "$(run "LOAD 'hbscore'; SET ROLE scorer; SET hbscore.device = cpu")" 'ERROR:  42501: permission denied to set parameter "hbscore.device"' \
    "only superusers set device"
like "$(run "LOAD 'hbscore'; SET ROLE scorer; SET hbscore.device_contexts = 99; SET hbscore.device_memory = '2GB'")" \
    'permission denied.*device_contexts' "nor contexts"
is "$(run "SELECT d ->> 'device', d ->> 'name', d ->> 'rows', d ->> 'redone' FROM hbscore.device() AS d")" \
    "cuda|a fake GPU|0|0" "what the GPU is"
is "$(run "SET ROLE scorer; SELECT hbscore.device() ->> 'device'; SELECT count(*), fake_gpu('live') FROM pg_locks WHERE locktype = 'userlock'")" "cuda
0|0" "whoever asks what it is keeps none of its contexts"
is "$(run "SET hbscore.device = cpu; SELECT hbscore.device() ->> 'reason'; SELECT count(*) FROM pg_locks WHERE locktype = 'userlock'")" \
    "hbscore.device is cpu
0" "device = cpu opens nothing"
# The sanitizers make it a large one.
[ -n "${SERVER_ASAN:-}" ] || is "$(run "SELECT count($CALL) FROM t; SELECT fake_gpu('calls')")" "25000
0" "auto: neither does a small model"
is "$(run "LOAD 'hbscore'; SELECT fake_gpu('version', 12080); SET hbscore.device = cuda; SET client_min_messages = error; SELECT hbscore.device() ->> 'device'")" \
    "13000
ERROR:  22023: invalid value for parameter \"hbscore.device\": \"cuda\"
DETAIL:  The driver is for CUDA 12.8, and 13.0 is needed.
cpu" "device = cuda is refused with the reason"
is "$(run "LOAD 'hbscore'; SET hbscore.device_contexts = 0; SET hbscore.device = cuda")" \
    "ERROR:  22023: invalid value for parameter \"hbscore.device\": \"cuda\"
DETAIL:  The setting hbscore.device_contexts is 0." "and so without contexts"

# ---- the CPU's scores
queries() {
    cat <<SQL
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t) AS x;
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t WHERE $CALL > 0.5 AND id % 3 > 0) AS x;
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t WHERE id % 7 > 0 ORDER BY $CALL DESC, id LIMIT 15000) AS x;
SELECT $WHOLE FROM (SELECT predict_probability('titanic', 'survived', pclass, sex, age + 1, sibsp, parch, fare, embarked) AS p FROM t) AS x;
SELECT $WHOLE FROM (SELECT predict_probability('cancer', '1', numbers) AS p FROM t) AS x;
SELECT $WHOLE FROM (SELECT predict_probability('cancer', '1', numbers) + $CALL AS p FROM t) AS x;
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t LIMIT 12345) AS x;
SELECT md5(string_agg(l || r::text, ',')) FROM (SELECT predict_label('titanic', t.*) AS l, predict_proba('titanic', t.*) AS r
    FROM (SELECT pclass, sex, age, sibsp, parch, fare, embarked FROM t OFFSET 0) AS t) AS x;
SELECT n, sum(p) FROM (VALUES (3000), (20000)) AS v (n), LATERAL (SELECT $CALL AS p FROM t WHERE id <= n OFFSET 0) AS x GROUP BY n ORDER BY n;
SET hbscore.batch = on;
BEGIN; DECLARE c CURSOR FOR SELECT $CALL FROM t; MOVE 6000 FROM c; FETCH 1 FROM c; MOVE 12000 FROM c; FETCH 1 FROM c; SAVEPOINT s;
SELECT 1 / 0; ROLLBACK TO s; FETCH 1 FROM c; COMMIT;
BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT $CALL FROM t; FETCH 1 FROM c; COMMIT; MOVE 14000 FROM c; FETCH 1 FROM c; CLOSE c;
PREPARE q (int) AS SELECT sum($CALL) FROM t WHERE id < \$1; EXECUTE q (4000); EXECUTE q (25000); EXECUTE q (10);
RESET hbscore.batch;
CREATE TEMP TABLE made AS SELECT id, $CALL AS p FROM t; SELECT $WHOLE FROM made; UPDATE made SET p = 1 - p WHERE id % 2 = 0; SELECT $WHOLE FROM made;
SELECT count($CALL) FROM bad;
SELECT count(*) FROM (SELECT $CALL FROM bad LIMIT 19999) AS x;
DO \$\$ DECLARE r record; n int := 0; BEGIN FOR r IN SELECT $CALL AS p FROM bad LOOP n := n + 1; END LOOP;
    EXCEPTION WHEN others THEN RAISE NOTICE '% rows, %', n, SQLERRM; END \$\$;
SQL
}
{ echo "SET hbscore.device = cpu;"; queries; } | sql device >"$work/cpu.out"
{ echo "$FORCED SET work_mem = '16MB';"; queries; echo "SELECT 'rows', (d ->> 'rows')::int > 200000, d ->> 'redone' FROM hbscore.device() AS d;"; } |
    sql device >"$work/cuda.out"
is "$(grep -v '^rows|' "$work/cuda.out")" "$(cat "$work/cpu.out")" "the CPU's scores, errors and rows before them"
is "$(grep '^rows|' "$work/cuda.out")" "rows|t|0" "the GPU gave them"
is "$( { echo "$FORCED SET hbscore.debug_device_rows = 100; SET hbscore.batch_rows = 700;"; queries; } | sql device)" "$(cat "$work/cpu.out")" \
    "the same in small blocks"

is "$(run "$FORCED SELECT count($CALL) FROM t; SELECT fake_gpu('most_flying'), fake_gpu('flying')")" "25000
2|0" "two blocks are on their way at once"
repeated() { # TIMES: what is made on the GPU by a scan that is read so often
    run "$FORCED SELECT count(p) FROM generate_series(20001, 20000 + $1) AS n, LATERAL (SELECT $CALL AS p FROM t WHERE id < n OFFSET 0) AS x;
        SELECT 'made', fake_gpu('made')" | sed -n 's/^made|//p'
}
is "$(repeated 5)" "$(repeated 1)" "a scan that begins again has the room on the GPU that it had"

# ---- memory: two blocks, with all that they refer to, are within work_mem
MEMORY="'MB', round(sum(total_bytes) / 1048576.0, 1) FROM pg_backend_memory_contexts WHERE name IN ('hbscore block', 'hbscore features', 'hbscore columns')"
within() { # MB SELECT TEXT
    run "$FORCED SET hbscore.batch = on; SET work_mem = '$1MB'; BEGIN; DECLARE c CURSOR FOR $2; MOVE 14000 FROM c; SELECT $MEMORY; COMMIT; SELECT 'rows', hbscore.device() ->> 'rows'" >"$work/memory"
    ok "$3" awk -v most="$1" -F '|' '$1 == "MB" { mb = $2 } $1 == "rows" { rows = $2 } { print } END { exit !(mb > 2 && mb <= most && rows >= 8000) }' "$work/memory"
}
within 8 "SELECT predict_probability('cancer', '1', numbers) FROM t" "arrays"
within 12 "SELECT predict_probability('cancer', '1', CASE WHEN id > 0 THEN numbers END) FROM t" "arrays that are evaluated"
within 8 "SELECT predict_probability('titanic', 'survived', pclass, CASE WHEN id > 0 THEN sex END, age, sibsp, parch, fare, embarked) FROM t" "texts"
within 8 "SELECT predict_proba('wine', r) FROM (SELECT w AS r FROM wines AS w OFFSET 0) AS x" "records, and results that are arrays"
is "$(run "$FORCED SET work_mem = '8MB'; SELECT count(predict_proba('wine', r)) FROM (SELECT w AS r FROM wines AS w OFFSET 0) AS x; SELECT hbscore.device() ->> 'rows'")" \
    "24920
$((24920 - 992))" "no row of a block of records is left to be scored by itself"

LEAKY="predict_probability('cancer', '1', numbers || CASE WHEN id > 0 THEN '{}'::float8[] END)"
is "$(run "SET hbscore.device = cuda; SET work_mem = '16MB'; DO \$\$ DECLARE r record; BEGIN FOR r IN SELECT $LEAKY AS p FROM t WHERE id <= 3000 LOOP END LOOP; END \$\$;
    SELECT fake_gpu('calls') < 1000, hbscore.device() ->> 'rows'; SELECT count($LEAKY) FROM t; SELECT (hbscore.device() ->> 'rows')::int > 20000")" "t|0
25000
t" "a call that is asked for row by row stays on the CPU"

# 300 classes, whose scores take 2,400 bytes a row in the run and in each block that the GPU shares.
awk 'BEGIN {
    for (i = 0; i < 300; i++) {
        tree = "Tree=" i "\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=1\nthreshold=" i % 80 "\ndecision_type=10\nleft_child=-1\n" \
            "right_child=-2\nleaf_value=0 1\nleaf_weight=1 1\nleaf_count=1 1\ninternal_value=0\ninternal_weight=1\ninternal_count=2\nis_linear=0\nshrinkage=1\n\n\n"
        trees = trees tree
        sizes = sizes " " length(tree)
    }
    printf "tree\nversion=v4\nnum_class=300\nnum_tree_per_iteration=300\nlabel_index=0\nmax_feature_idx=0\nobjective=multiclass num_class:300\n" \
        "feature_names=age\nfeature_infos=[0:80]\ntree_sizes=%s\n\n%send of trees\n\nfeature_importances:\nage=1\n\nparameters:\nend of parameters\n", substr(sizes, 2), trees
}' >"$work/models/wide.txt" && chmod a+r "$work/models/wide.txt"
WIDE="predict_probability('wide', '7', age)"
is "$(run "SELECT hbscore.register('wide', model_file('wide.txt')); SET hbscore.device = cuda; SET work_mem = '8MB'; SELECT count($WIDE) FROM t;
    SELECT hbscore.device() ->> 'rows'; SET work_mem = '64MB'; SELECT count($WIDE) FROM t; SELECT (hbscore.device() ->> 'rows')::int > 20000")" "1
25000
0
25000
t" "scores that are wide have room too, or stay on the CPU"

# ---- EXPLAIN
explain() {
    run "$FORCED EXPLAIN ($1, COSTS off) SELECT $CALL FROM t" |
        sed 's/[0-9.]* ms$/N ms/; s/ (actual.*//; s/ time=.*)/)/; s/blocks of [0-9]* rows/blocks of N rows/'
}
is "$(explain "ANALYZE, TIMING off, SUMMARY off")" "Custom Scan (HbPredict)
  Scores: predict_probability(titanic@1): 7 of 7 features, bits, blocks of N rows, on cuda (rows=25000 blocks=11)
  Device Reason: hbscore.device is cuda
  Device Rows: 24008
  Redone Blocks: 0
  ->  Seq Scan on t" "EXPLAIN ANALYZE"
like "$(explain "ANALYZE")" "Device Wait: N ms" "it shows the time"
is "$(run "$FORCED EXPLAIN (ANALYZE, FORMAT json) SELECT $CALL FROM t" | grep -oE '"(Device|Redone)[A-Za-z ]*"' | tr '\n' ' ')" \
    '"Device" "Device Reason" "Device Rows" "Device Wait" "Redone Blocks" ' "the same as JSON"
like "$(run "EXPLAIN SELECT $CALL FROM t")" "on cpu
  Device Reason: about [0-9]* ns a row on the CPU, 30 to hand over: too little to gain" "auto: a small model"
like "$(run "EXPLAIN SELECT $CALL FROM t LIMIT 10")" "on cpu
 *Device Reason: about" "auto: few rows"
# What is forecast, and what is: a reason why no GPU takes the call, and two calls of which one scores for both.
both_ways() { # SELECT PATTERN TEXT
    for how in "" "(ANALYZE, TIMING off, SUMMARY off)"; do
        like "$(run "SET hbscore.device = cuda; EXPLAIN $how $1" | tr -s ' \n' ' ')" "$2" "$3${how:+, as it ran}"
    done
}
both_ways "SELECT predict_label('pipeline', pclass, sex, age, sibsp, parch, fare, embarked) FROM t" \
    "on cpu .*Device Reason: the plan has no tree ensemble of rows, or several, or too many steps" "a model without trees"
both_ways "SELECT predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked), $CALL FROM t" \
    "predict_label.* on cuda.* Device Reason: hbscore.device is cuda .*predict_probability.* on cuda.* Device Reason: hbscore.device is cuda" "two calls on the same features"
both_ways "SELECT $CALL FROM t WHERE id < 500" \
    "on cpu .*Device Reason: fewer than 992 rows" "few rows"
like "$(run "SET hbscore.device = cuda; SET hbscore.batch_rows = 1000; EXPLAIN SELECT $CALL FROM t")" \
    "Device Reason: a block has 1000 rows by work_mem and hbscore.batch_rows, less than 4096" "small blocks"

# ---- each call of the driver that fails
cpu=$(sed -n 's/^md5|//p' "$work/cpu.out" | head -n 1)
FEW="$WHOLE FROM (SELECT $CALL AS p FROM t WHERE id <= 2500) AS x;"
few=$(run "SELECT $FEW" | sed 's/.*|//')
calls=$(run "SET hbscore.device = cuda; SELECT $FEW SELECT $FEW SELECT 'calls', fake_gpu('calls')" | sed -n 's/^calls|//p')
faults() { # CODE STICKY FIRST STEP
    n=$3
    while [ "$n" -le "$calls" ]; do
        cat <<SQL
\\c
SELECT fake_gpu('fail_at', $n), fake_gpu('fail_code', $1), fake_gpu('sticky', $2);
SET hbscore.device = cuda;
SELECT $FEW
SELECT $FEW
SELECT 'depth', fake_gpu('depth');
SQL
        n=$((n + $4))
    done | sql device >"$work/faults.$1"
    n=$(((calls - $3) / $4 + 1))
    is "$(grep -c "^md5|$few\$" "$work/faults.$1")" $((2 * n)) "$n calls of the driver fail with $1: the CPU's scores"
    is "$(grep -c '^depth|0$' "$work/faults.$1")" "$n" "no context stays pushed"
    is "$(grep -cE '^(ERROR|FATAL|PANIC)' "$work/faults.$1")" "$(grep -c '^ERROR:  22023: invalid value for parameter "hbscore.device"' "$work/faults.$1")" \
        "no statement fails but SET"
}
faults 700 0 1 3
faults 999 1 2 11
faults 2 0 1 7
is "$(grep 'from now on' "$work/faults.2")" "" "a lack of memory is no warning"
ok "one warning where a device fails" test "$(grep -c 'WARNING:.*hbscore scores on the CPU from now on: the GPU has failed: CUDA error 700' "$work/faults.700")" -ge 10
like "$(run "$FORCED SELECT fake_gpu('fail_at', fake_gpu('calls') + 60), fake_gpu('fail_code', 700); SELECT count($CALL) FROM t;
    SET hbscore.debug_require_device = off; SELECT count($CALL) FROM t; SELECT hbscore.device() ->> 'reason'")" \
    "ERROR:  55000: a block is not scored by a GPU: the GPU has failed: CUDA error 700 of cu.*
25000
the GPU has failed: CUDA error 700" "debug_require_device makes it an error"
is "$(run "SET hbscore.device = cuda; SELECT count($CALL) FROM t; SELECT fake_gpu('fail_at', fake_gpu('calls') + 60), fake_gpu('fail_code', 700), fake_gpu('sticky', 1);
    SELECT count($CALL) FROM t; SELECT 'slots', count(*), fake_gpu('live') FROM pg_locks WHERE locktype = 'userlock'; SELECT count($CALL) FROM t" |
    sed '/^0|0|0$/d; s/ of cu.*//')" "25000
WARNING:  58000: hbscore scores on the CPU from now on: the GPU has failed: CUDA error 700
25000
slots|0|0
25000" "a session whose GPU has failed gives its slot back"
is "$(run "SET hbscore.device_memory = 1; SET hbscore.device = cuda; SELECT count($CALL) FROM t; EXPLAIN (COSTS off, ANALYZE, SUMMARY off, TIMING off) SELECT $CALL FROM t" |
    sed 's/[0-9]* bytes/N bytes/')" "25000
Custom Scan (HbPredict) (actual rows=25000 loops=1)
  Scores: predict_probability(titanic@1): 7 of 7 features, bits, blocks of 512 rows, on cpu (rows=25000 blocks=52)
  Device Reason: N bytes more are over the limit of 1048576 for the GPU
  ->  Seq Scan on t (actual rows=25000 loops=1)" "no room on the GPU"

# ---- stopped while blocks are on their way
is "$(sql device <<SQL
SET hbscore.device = cuda;
SELECT count($CALL) > 0 FROM t;
SELECT 'slow', fake_gpu('not_ready', 250);
SET statement_timeout = 100;
SELECT count($CALL) FROM t;
BEGIN;
SAVEPOINT s;
SELECT count($CALL) FROM t;
ROLLBACK TO s;
SET LOCAL statement_timeout = 0;
SELECT 'slow', fake_gpu('not_ready', 1);
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t) AS x;
COMMIT;
SET client_connection_check_interval = 1;
SELECT 'slow', fake_gpu('not_ready', 100) > 0;
SET statement_timeout = '60s';
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t) AS x;
SET hbscore.device = cpu;
DISCARD PLANS;
SELECT 'depth', fake_gpu('depth');
SQL
)" "t
slow|2
ERROR:  57014: canceling statement due to statement timeout
ERROR:  57014: canceling statement due to statement timeout
slow|250
md5|$cpu
slow|t
md5|$cpu
depth|0" "[R2] a statement is cancelled while the GPU works, a subtransaction too; an interrupt that ends nothing loses nothing"
memory="SELECT 'memory', sum(used_bytes - 40 * total_nblocks) FROM pg_backend_memory_contexts WHERE name = 'hbscore' OR name LIKE 'hbscore scorer%';
    SELECT 'live', fake_gpu('live'), hbscore.device() ->> 'used';"
is "$(
    {
        echo "SET hbscore.device = cuda; SET hbscore.batch = on; SELECT count($CALL) FROM t; $memory"
        for _ in 1 2 3 4 5; do
            echo "SELECT count($CALL) FROM t; SELECT count($CALL) FROM bad; BEGIN; SELECT $CALL FROM t LIMIT 6000 \\g /dev/null"
            echo "DECLARE c CURSOR FOR SELECT $CALL FROM t; MOVE 9000 FROM c; ROLLBACK; $memory"
        done
    } | sql device | grep -E '^(memory|live)' | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' '
)" "6 6 " "[R5] nothing is lost, here or on the GPU, by ends, errors, limits and cursors"
start_session device ended "LOAD 'hbscore'; SET hbscore.device = cuda; SET max_parallel_workers_per_gather = 0; SELECT fake_gpu('not_ready', 250); SELECT count($CALL) FROM t, generate_series(1, 100)"
sleep 0.3
is "$(run "SELECT pg_terminate_backend($backend)")" t "a session is ended while the GPU works"
wait "$session" 2>/dev/null
ok "it ends" wait_for device "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $backend"
is "$(run "SELECT count(*) FROM pg_locks WHERE locktype = 'userlock'")" 0 "its slot is free"

# ---- slots
start_session device first "LOAD 'hbscore'; SET hbscore.device = cuda; SELECT pg_sleep(60)"
ok "a session has a slot" wait_for device "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'userlock'"
is "$(run "LOAD 'hbscore'; SET hbscore.device_contexts = 1; SELECT hbscore.device() ->> 'reason'; SET hbscore.device = cuda; SELECT $WHOLE FROM (SELECT $CALL AS p FROM t) AS x;
    SELECT fake_gpu('calls')")" \
    "other sessions have all of the GPU's contexts, 1 by hbscore.device_contexts
md5|$cpu
0" "another session scores on the CPU, and does not wait"
is "$(run "SET hbscore.device_contexts = 2; SELECT hbscore.device() ->> 'device'")" cuda "where there is a second slot, it has it"

# ---- leaving while a statement still has a program there: the next one takes none of the closed GPU's
sum="SELECT sum($CALL) FROM t"
is "$(run "$FORCED SET hbscore.batch = on; BEGIN; DECLARE c CURSOR FOR SELECT $CALL FROM t; MOVE 9000 FROM c; SET LOCAL hbscore.device_contexts = 0;
SELECT hbscore.device() ->> 'reason'; CLOSE c; COMMIT; $sum; SELECT 'live', fake_gpu('live')")" \
    "the setting hbscore.device_contexts is 0
$(run "$FORCED $sum; SELECT 'live', fake_gpu('live')")" "the GPU is closed behind the last statement, and the next one packs its trees anew"
run "SELECT pg_terminate_backend($backend)" >"$work/out"
wait "$session" 2>/dev/null
ok "the first ends" wait_for device "SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'userlock'"
SLOT="SELECT count(*), fake_gpu('live') > 0 FROM pg_locks WHERE locktype = 'userlock' AND pid = pg_backend_pid();"
is "$(sql device <<SQL
LOAD 'hbscore';
SET hbscore.device = cuda;
$SLOT
DISCARD ALL;
$SLOT
BEGIN; SELECT pg_advisory_unlock_all() IS NULL; ROLLBACK;
$SLOT
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t) AS x;
SET hbscore.device = cuda;
SELECT $WHOLE FROM (SELECT $CALL AS p FROM t) AS x;
$SLOT
SET hbscore.device_contexts = 0;
$SLOT
SQL
)" "1|t
1|t
f
0|f
md5|$cpu
md5|$cpu
1|t
0|f" "a slot that SQL gives back is taken again, or the GPU is given back too"

# ---- parallel workers
WORKERS="SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2;
    SET parallel_leader_participation = off;"
is "$(run "SET hbscore.device = cpu; $WORKERS PREPARE q AS SELECT count($CALL) FROM t; EXECUTE q; SET hbscore.device = cuda; EXECUTE q;
    SELECT hbscore.device() ->> 'rows'; EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) EXECUTE q" | grep -E "^[0-9]+$|Device|Launched" | tr -s ' ')" \
    "25000
25000
0
 Workers Launched: 2
 Device Reason: parallel workers use no GPU" "parallel workers use no GPU"
is "$(run "SET hbscore.device = cuda; $WORKERS SELECT sum($CALL) = (SELECT sum($CALL) FROM t) FROM t; SELECT (hbscore.device() ->> 'rows')::int > 40000;
    EXPLAIN (COSTS off) SELECT count($CALL) FROM t; SET hbscore.device_contexts = 0; EXPLAIN (COSTS off) SELECT count($CALL) FROM t" |
    grep -oE "^[tf]$|on (cpu|cuda)|Gather" | tr '\n' ' ')" "t t on cuda Gather on cpu " "cuda: the statement is planned without workers, as long as the GPU may be had"
# auto weighs: a large model that the GPU, once it is open, scores in less time than two workers; blocks that are too small.
perl test/tap/grow_model.pl 40 <demo/models/titanic.json >"$work/models/big.json" && chmod a+r "$work/models/big.json"
sql device >"$work/out" <<'SQL'
SELECT hbscore.register('big', model_file('big.json'), options => '{"classes": ["died", "survived"]}');
CREATE TABLE many AS SELECT id, pclass, sex, age, sibsp, parch, fare, embarked FROM t, generate_series(1, 8);
VACUUM ANALYZE many;
SQL
weighed() { run "$1 $WORKERS EXPLAIN (COSTS off) SELECT count($2) FROM many" | grep -oE "on (cpu|cuda)|Gather" | tr '\n' ' '; }
BIG="predict_probability('big', 'survived', pclass, sex, age, sibsp, parch, fare, embarked)"
OPEN="LOAD 'hbscore'; SET hbscore.device = cuda; SET hbscore.device = auto;"
is "$(weighed "" "$BIG")" "Gather on cpu " "auto: workers, while opening a GPU would take longer"
is "$(weighed "$OPEN" "$BIG")" "on cuda " "none, once it is open"
is "$(weighed "$OPEN SET work_mem = '512kB';" "$BIG")" "Gather on cpu " "workers, where its blocks would be too small"
is "$(weighed "$OPEN" "$CALL")" "Gather on cpu " "workers for a small model"
is "$(weighed "$OPEN SET work_mem = '16MB';" "$BIG + $CALL")" "on cuda on cpu " "none for a large one and a small one"
ok "no crash" test "$(grep -cE 'PANIC|terminated by signal' "$HBSCORE_SERVER/data.log")" = 0
finish
