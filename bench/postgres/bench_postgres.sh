#!/bin/sh
# bench_postgres.sh - the benchmark of the PostgreSQL extension, with all that it needs:
#   bench/postgres/bench_postgres.sh BUILD [OPTION..]
# The options are postgres_compare.py's. The virtual environment and the models are made once and stay in BUILD; the
# server is one of its own, which ends with the benchmark. PL/Python runs in it with the same environment.
set -eu
. bench/common/environment.sh

build=$1
shift
here=bench/postgres
venv=$build/bench-postgres-venv
out=$build/bench/postgres

mkdir -p "$out"
make_environment $here "$venv"
# Beside the libraries' own settings: one thread for whatever else they start, in the server too.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# The tables stay in memory, and nothing that the server does by itself falls into a measurement. A scan of a table larger
# than a quarter of the buffers would not stay there.
SERVER_OPTIONS="
shared_buffers = 1GB
work_mem = 64MB
jit = off
autovacuum = off
checkpoint_timeout = 1h
max_wal_size = 8GB
wal_level = minimal
max_wal_senders = 0
synchronize_seqscans = off
max_worker_processes = 8
max_parallel_workers = 8
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
${SERVER_OPTIONS:-}"
export SERVER_OPTIONS
exec tools/postgres_server.sh "$build" "$venv/bin/python" $here/postgres_compare.py "$out" "$@"
