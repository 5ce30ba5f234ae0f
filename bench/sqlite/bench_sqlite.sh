#!/bin/sh
# bench_sqlite.sh - the benchmark of the SQLite extension, with all that it needs:
#   bench/sqlite/bench_sqlite.sh BUILD [OPTION..]
# The options are sqlite_compare.py's. The virtual environment, the models and the table are made once and stay
# in BUILD. The environment is made by Debian's Python, whose sqlite3 can load extensions.
set -eu

build=$1
shift
here=bench/sqlite
venv=$build/bench-sqlite-venv
out=$build/bench/sqlite

mkdir -p "$out"
if ! cmp -s $here/requirements.txt "$venv/requirements.txt"; then
    echo "bench-sqlite: making a virtual environment in $venv"
    rm -rf "$venv"
    "${PYTHON:-/usr/bin/python3}" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r $here/requirements.txt
    cp $here/requirements.txt "$venv/requirements.txt"
fi
# Beside the libraries' own settings: one thread for whatever else they start.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=python/src:bench/common PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" $here/sqlite_compare.py "$out" "$build/hbscore.so" "$@"
