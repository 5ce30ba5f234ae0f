#!/bin/sh
# bench_kernels.sh - the benchmark of the core beside other libraries, with all that it needs:
#   bench/kernels/bench_kernels.sh BUILD [--full | --smoke] [OPTION..]
# The options are kernels_compare.py's. The virtual environment, the models and their forms for other libraries are
# made once and stay in BUILD; --smoke has tiny models of its own.
set -eu
. bench/common/environment.sh

build=$1
shift
here=bench/kernels
venv=$build/bench-kernels-venv
grid=quick
case " $* " in
*" --full "*) grid=full ;;
*" --smoke "*) grid=smoke ;;
esac
out=$build/bench/kernels
[ $grid != smoke ] || out=$out/smoke

# changed STAMP FILE..: the files are not those that the stamp was made of
changed() {
    stamp=$1
    shift
    ! cat "$@" | cmp -s - "$stamp"
}

mkdir -p "$out"
make_environment $here "$venv"
training="$here/kernels_data.py $here/kernels_models.py $here/requirements.txt"
if changed "$out/trained_by" $training; then
    echo "bench-kernels: training the models (some minutes, once)"
    rm -f "$out"/*.json "$out"/*.npy "$out"/*.rows
    cat $training >"$out/trained_by"
fi
if changed "$out/converted_by" $here/kernels_convert.py; then
    rm -f "$out"/*.forms.json
    cp $here/kernels_convert.py "$out/converted_by"
fi
# Threads that wait must not take a CPU from those that work.
OMP_WAIT_POLICY=PASSIVE "$venv/bin/python" -W ignore $here/kernels_models.py "$out" $grid "$@"
"$venv/bin/python" -W ignore $here/kernels_convert.py "$out" $grid "$@"
# Beside the libraries' own settings: one thread for whatever else they start.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec "$venv/bin/python" -W ignore $here/kernels_compare.py "$out" "$build/bench" "$@"
