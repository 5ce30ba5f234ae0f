#!/bin/sh
# bench_operators.sh - the benchmark of scikit-learn's operators and pipelines, with all that it needs:
#   bench/operators/bench_operators.sh BUILD [OPTION..]
# The options are operators_compare.py's. The virtual environment and the data are made once and stay in BUILD.
# The environment is made by Debian's Python, whose sqlite3 can load extensions.
set -eu

build=$1
shift
here=bench/operators
venv=$build/bench-operators-venv
out=$build/bench/operators

mkdir -p "$out"
if ! cmp -s $here/requirements.txt "$venv/requirements.txt"; then
    echo "bench-operators: making a virtual environment in $venv"
    rm -rf "$venv"
    "${PYTHON:-/usr/bin/python3}" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r $here/requirements.txt
    cp $here/requirements.txt "$venv/requirements.txt"
fi
# Beside the libraries' own settings: one thread for whatever else they start.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=python/src:bench/common PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" -W ignore $here/operators_compare.py "$out" "$build/bench/score" "$build/hbscore.so" "$@"
