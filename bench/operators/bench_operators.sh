#!/bin/sh
# bench_operators.sh - the benchmark of scikit-learn's operators and pipelines, with all that it needs:
#   bench/operators/bench_operators.sh BUILD [OPTION..]
# The options are operators_compare.py's. The virtual environment and the data are made once and stay in BUILD.
set -eu
. bench/common/environment.sh

build=$1
shift
here=bench/operators
venv=$build/bench-operators-venv
out=$build/bench/operators

mkdir -p "$out"
make_environment $here "$venv"
# Beside the libraries' own settings: one thread for whatever else they start.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec "$venv/bin/python" -W ignore $here/operators_compare.py "$out" "$build/bench/score" "$build/hbscore.so" "$@"
