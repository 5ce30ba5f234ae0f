#!/bin/sh
# bench_rewrites.sh - the benchmark of the optimizer's passes, with all that it needs:
#   bench/rewrites/bench_rewrites.sh BUILD [OPTION..]
# The options are rewrites_compare.py's; behind --isas those of rewrites_isas.py, which measures instead. The virtual
# environment is made once and stays in BUILD. Where there is a PostgreSQL server to build for, the benchmark runs beside
# one of its own.
set -eu
. bench/common/environment.sh

build=$1
shift
here=bench/rewrites
venv=$build/bench-rewrites-venv
out=$build/bench/rewrites

mkdir -p "$out"
make_environment $here "$venv"
# Beside the libraries' own settings: one thread for whatever else they start, in the server too.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# As bench/postgres has it: tables stay in memory, and nothing that the server does by itself falls into a measurement.
SERVER_OPTIONS="
shared_buffers = 512MB
jit = off
autovacuum = off
checkpoint_timeout = 1h
max_wal_size = 4GB
max_parallel_workers_per_gather = 0
synchronize_seqscans = off
${SERVER_OPTIONS:-}"
export SERVER_OPTIONS
if [ "${1-}" = --isas ]; then
    shift
    exec "$venv/bin/python" -W ignore $here/rewrites_isas.py "$out" "$build/bench/score" "$@"
fi
set -- "$venv/bin/python" -W ignore $here/rewrites_compare.py "$out" "$build/bench/score" "$build/hbscore.so" "$@"
[ -e "$build/postgres/hbscore.so" ] || exec "$@"
exec tools/postgres_server.sh "$build" "$@"
