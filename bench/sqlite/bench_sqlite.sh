#!/bin/sh
# bench_sqlite.sh - the benchmark of the SQLite extension, with all that it needs:
#   bench/sqlite/bench_sqlite.sh BUILD [OPTION..]
# The options are sqlite_compare.py's. The virtual environment, the models and the table are made once and stay
# in BUILD.
set -eu
. bench/common/environment.sh

build=$1
shift
here=bench/sqlite
venv=$build/bench-sqlite-venv
out=$build/bench/sqlite

mkdir -p "$out"
make_environment $here "$venv"
# Beside the libraries' own settings: one thread for whatever else they start.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec "$venv/bin/python" $here/sqlite_compare.py "$out" "$build/hbscore.so" "$@"
