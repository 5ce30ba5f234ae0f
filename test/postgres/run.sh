#!/bin/sh
# run.sh - the tests in SQL on the server that PGHOST and its like name, each as a run of its own in the log:
# test/postgres/run.sh RUN..
#
#   regress    sql/ against expected/
#   parallel   the same where every query that may runs in a parallel worker
#   jit        the same where every statement that scores a table is compiled (the others take a minute)
#   generic    the same with plans for all parameters, in functions and prepared statements
#   blocks     the same where calls are scored in blocks wherever they can be
#   blocks_isolation   and test/isolation so
#   device     the same where a GPU scores all blocks but each statement's first, beside a fake driver; but for the lines of
#              EXPLAIN that say so
#   session    the same with the library loaded as each session begins
#   shared     the same on a server that loaded it as it started (says so itself)
#   golden     test/postgres/test_golden.c in its short form
#   golden_device      its scans in blocks, of all models, where a GPU scores all blocks but each statement's first
#   faults     test/postgres/test_faults.c
#   pgtap, isolation   test/postgres/pgtap.sh, test/postgres/isolation.sh
set -u
cd "$(dirname "$0")/../.." || exit 2

pg_config=${PG_CONFIG:-pg_config}
version=$($pg_config --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
force_parallel=$([ "$version" -ge 16 ] && echo debug_parallel_query || echo force_parallel_mode)

# The cases are those of the first run: their classes are counted there. A file whose queries run in another way, and give what
# they give without, is a case of B7.
again() {
    test/postgres/regress.sh "$@" | grep -v '^class '
}
otherwise() {
    again "$@" | awk '/^[0-9]+ passed, [0-9]+ failed$/ { counts = $0; next } { print }
        END { split(counts, n, " "); print "class B7: " n[1] + n[3] " cases, " n[3] + 0 " failures"; print counts }'
}

shared() {
    [ "$(psql -XAtc 'SHOW shared_preload_libraries')" = hbscore ] || { echo "the server has not loaded hbscore"; return; }
    again
}

ON_DEVICE='-c hbscore.device=cuda -c hbscore.debug_device_rows=1'
# sql/device.sql is of a server without a GPU. Its test is none if the GPU has scored nothing.
device() {
    export PGOPTIONS="-c hbscore.batch=on $ON_DEVICE" DEVICE=cuda
    otherwise $(cd sql && ls ./*.sql | sed 's,^\./,,; s,\.sql$,,' | grep -vxE 'setup|device')
    psql -X -q -A -t -d contrib_regression >"$HBSCORE_SERVER/device.out" 2>&1 <<'SQL'
SELECT count(predict_label('titanic', pclass, sex, age, sibsp, parch, fare, embarked)) FROM titanic;
SELECT hbscore.device() ->> 'rows';
SQL
    [ "$(tail -n 1 "$HBSCORE_SERVER/device.out")" -gt 1000 ] || { echo "FAILED: the GPU was not used"; cat "$HBSCORE_SERVER/device.out"; }
}

for run; do
    start=$(date +%s)
    echo "=== run $run"
    case $run in
    regress) test/postgres/regress.sh ;;
    parallel) PGOPTIONS="-c $force_parallel=regress" otherwise ;;
    jit) PGOPTIONS='-c jit=on -c jit_above_cost=20 -c jit_optimize_above_cost=-1 -c jit_inline_above_cost=-1' otherwise ;;
    generic) PGOPTIONS='-c plan_cache_mode=force_generic_plan' otherwise ;;
    blocks) PGOPTIONS='-c hbscore.batch=on' otherwise ;;
    blocks_isolation) PGOPTIONS='-c hbscore.batch=on' test/postgres/isolation.sh | grep -v '^class ' ;;
    device) (device) ;;
    session) PGOPTIONS='-c session_preload_libraries=hbscore' again ;;
    shared) shared ;;
    golden) "${BUILD:-build}/release/test/postgres/test_golden" --quick ;;
    golden_device) PGOPTIONS="$ON_DEVICE -c hbscore.batch_rows=4" DEVICE=cuda "${BUILD:-build}/release/test/postgres/test_golden" ;;
    faults) "${BUILD:-build}/release/test/postgres/test_faults" ;;
    pgtap | isolation) "test/postgres/$run.sh" ;;
    *) false ;;
    esac 2>&1
    printf '\n=== exit %s %s\n' $? $(($(date +%s) - start))
done
