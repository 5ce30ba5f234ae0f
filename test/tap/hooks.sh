#!/bin/sh
# hooks.sh - beside other extensions that hook into planning and execution, loaded before hbscore and after it: statements
# are counted once, and logged plans tell of the node.
. test/tap/tap.sh

port=5450
try() { # ORDER, of shared_preload_libraries
    order=$1
    port=$((port + 1))
    cluster_init "hooks$port"
    cluster_configure "hooks$port" "$port" <<CONF
shared_preload_libraries = '$order'
pg_stat_statements.track_planning = on
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
CONF
    ok "a server with $order" cluster_start "hooks$port"
    log=$HBSCORE_SERVER/hooks$port.log
    export PGPORT=$port
    make_database hooks >"$work/out"
    sql hooks >"$work/out" <<'SQL'
CREATE EXTENSION pg_stat_statements;
SELECT hbscore.register('wine', model_file('wine.ubj'));
CREATE TABLE many AS SELECT w.* FROM wine AS w, generate_series(1, 100);
ANALYZE many;
SQL
    answers=$(sql hooks <<'SQL'
SELECT pg_stat_statements_reset() \g /dev/null
SET hbscore.batch = on;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT sum(predict('wine', m.*)) FROM many AS m;
SET hbscore.batch = off;
SELECT sum(predict('wine', m.*)) FROM many AS m;
SELECT 'counted', calls, plans, rows FROM pg_stat_statements WHERE query ~ '^SELECT sum';
SET hbscore.batch = on;
BEGIN;
DECLARE unused CURSOR FOR SELECT predict('wine', w.*) FROM wine AS w;
COMMIT;
SQL
    )
    is "$(echo "$answers" | sed -n 1p)" "$(echo "$answers" | sed -n 2p)" "[B7] $order: the same answer"
    like "$answers" '^counted\|2\|2\|2$' "$order: each statement is counted once"
    rows=$(sql hooks 'SELECT count(*) FROM many')
    like "$(cat "$log")" "Scores: predict\(wine@1\): .* on cpu \(rows=$rows blocks=" "$order: a logged plan has the workers' rows"
    like "$(cat "$log")" 'Scores: predict\(wine@1\): .* on cpu \(rows=0 blocks=0' "$order: and the model of a cursor that was not read"
    is "$(grep -c 'Parallel Custom Scan' "$log")" 0 "$order: the node is shown as what it is"
    # Whether a statement is run to its end our hook on runs sees, behind the others' or before them.
    answers=$(sql hooks <<'SQL'
SET hbscore.batch = on;
CREATE TABLE divided AS SELECT CASE WHEN i = 20 THEN 0 ELSE 1 END AS x FROM generate_series(1, 100) AS i;
BEGIN;
DECLARE c CURSOR FOR SELECT predict('wine', ARRAY[1 / x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]) IS NOT NULL FROM divided;
FETCH 19 FROM c;
COMMIT;
EXPLAIN (ANALYZE, TIMING OFF) SELECT predict('wine', ARRAY[1 / x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]) FROM divided WHERE x <> 0;
SQL
    )
    is "$(echo "$answers" | grep -c '^t$')" 19 "[B1] $order: a cursor's rows raise no error of a later row's argument"
    like "$answers" '\(rows=99 blocks=4\)' "$order: a statement that is run to its end has blocks"
    unset PGPORT
    cluster_stop "hooks$port"
}

try 'pg_stat_statements, auto_explain, hbscore'
try 'hbscore, auto_explain, pg_stat_statements'
finish
