#!/bin/sh
# bench_load.sh - the cold-start benchmark, with all that it needs: bench/load/bench_load.sh BUILD
# The virtual environment and the trained model are made once and stay in BUILD.
set -eu
. bench/common/environment.sh

build=$1
here=bench/load
venv=$build/bench-venv
out=$build/bench

mkdir -p "$out"
make_environment $here "$venv"
if ! cmp -s $here/load_train.py "$out/trained_by.py" || [ ! -f "$out/model.ubj" ]; then
    echo "bench-load: training the model (some minutes, once)"
    "$venv/bin/python" $here/load_train.py "$out"
    cp $here/load_train.py "$out/trained_by.py"
fi
exec "$venv/bin/python" $here/load_compare.py "$out" "$build/bench/load"
