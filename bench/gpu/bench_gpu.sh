#!/bin/sh
# bench_gpu.sh - forests on a GPU: bench/gpu/bench_gpu.sh BUILD [MODEL..]. It runs what `make bench-gpu-files` has built, and
# needs no compiler and no network. The kernels alone are timed where NVIDIA's profiler ncu is, other libraries where they
# are installed.
set -eu

build=$1
shift
bench=$build/bench/gpu/bench
library=$build/hbscore_cuda.so
for file in "$bench" "$library"; do
    if [ ! -f "$file" ]; then
        echo "$file is not there: make bench-gpu-files"
        exit 1
    fi
done

# Nanoseconds of a row that the kernels may take: the last column of the table in docs/gpu.md.
target_of() {
    case $1 in
    xgboost_100x6) echo 1 ;;
    xgboost_500x8) echo 5 ;;
    leaves_500x255) echo 12 ;;
    forest_16x12500) echo 6.4 ;; # 40 of a forest of 100 such trees
    *) echo 0 ;;
    esac
}

# All launches of blocks of 65,536 rows; each block ranks once.
time_kernels() {
    name=$(basename "$1" .json)
    ncu --csv --clock-control none --metrics gpu__time_duration.sum "$bench" --blocks 65536 "$library" "$1" |
        awk -F'","' -v name="$name" -v target="$(target_of "$name")" '
            /gpu__time_duration/ { gsub(/[",]/, "", $15); sum += $15; blocks += $5 ~ /^hbg_rank/ }
            END {
                if (!blocks) { print name ": kernels not measured"; exit }
                ns = sum / blocks / 65536
                printf "%s: kernels %.1f ns/row", name, ns
                if (target > 0) printf " (target %s: %s)", target, ns <= target ? "pass" : "miss"
                print ""
            }'
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || true
[ $# -gt 0 ] || set -- "$build"/bench/gpu/models/*.json
status=0
"$bench" "$library" "$@" || status=$?
if command -v ncu >/dev/null; then
    for model; do
        time_kernels "$model"
    done
else
    echo "kernels: not measured, there is no ncu"
fi
${PYTHON:-python3} "$(dirname "$0")/peers.py" "$@"
if [ -f "$build/hbscore.so" ]; then
    ${PYTHON:-python3} "$(dirname "$0")/sqlite_gpu.py" "$build/hbscore.so" "$@"
else
    echo "SQLite: not measured, there is no $build/hbscore.so"
fi
exit $status
