#!/bin/sh
# bench_gpu.sh - forests on a GPU: bench/gpu/bench_gpu.sh BUILD [MODEL..]. It runs what `make bench-gpu-files` has built, and
# needs no compiler and no network.
set -eu

build=$1
shift
for file in "$build/bench/gpu/bench" "$build/hbscore_cuda.so"; do
    if [ ! -f "$file" ]; then
        echo "$file is not there: make bench-gpu-files"
        exit 1
    fi
done
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || true
[ $# -gt 0 ] || set -- "$build"/bench/gpu/models/*.json
exec "$build/bench/gpu/bench" "$build/hbscore_cuda.so" "$@"
