#!/bin/sh
# check_gpu_device.sh - the golden models on a GPU: tools/check_gpu_device.sh BUILD. It needs hbscore_cuda.so and run_golden
# in BUILD, and no compiler.
#
# Every bit must be the CPU's. Where compute-sanitizer is, it looks at some models too: at memory, at races between the
# threads of a block, which the host cannot show, and at what was never set. Then the SQL scripts of both databases, where the
# GPU scores all that it can, a statement again and again, and a GPU that dies: with what of the extensions is in BUILD, and
# PostgreSQL where a server is.
set -u

build=$1
golden=$build/release/test/golden/run_golden
library=$build/hbscore_cuda.so
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for file in "$golden" "$library"; do
    if [ ! -f "$file" ]; then
        echo "$file is not there: make gpu $golden"
        exit 1
    fi
done
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
failed=0
"$golden" --cuda "$library" >"$log" 2>&1 || failed=1
grep -E '^(run_golden|on |FAILED|  )' "$log" | head -40
tail -2 "$log"
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -z "$sanitizer" ]; then
    echo "compute-sanitizer: not measured, it is not there"
else
    for tool in memcheck racecheck initcheck synccheck; do
        "$sanitizer" --tool "$tool" --error-exitcode 9 "$golden" --cuda "$library" --only "${ONLY:-cats}" >"$log" 2>&1
        status=$?
        echo "compute-sanitizer $tool: $(tail -1 "$log")"
        [ $status = 0 ] || failed=1
    done
fi

# WORDS, COMMAND.. that ends with "N passed, N failed"
through_sql() {
    words=$1
    shift
    "$@" >"$log" 2>&1 || failed=1
    grep -E '^(FAILED|diff|[-+<>])' "$log" | head -40
    echo "$words: $(grep -E '[0-9]+ passed, [0-9]+ failed$' "$log" | tail -1)"
}
if [ -f "$build/hbscore.so" ]; then
    through_sql "SQLite, a dead GPU, memory" "${PYTHON:-python3}" test/sqlite/test_gpu.py "$build/hbscore.so"
    if command -v sqlite3 >/dev/null; then
        through_sql "SQLite's scripts" env DEVICE=cuda test/sqlite/run.sh "$build/hbscore.so"
    else
        echo "SQLite's scripts: not run, there is no sqlite3"
    fi
else
    echo "SQLite: not run, there is no $build/hbscore.so"
fi
if [ -f "$build/postgres/hbscore.so" ] && command -v "${PG_CONFIG:-pg_config}" >/dev/null; then
    export BUILD="$build" SERVER_GPU="$build"
    through_sql "PostgreSQL's scripts" tools/postgres_server.sh "$build" test/postgres/run.sh device
else
    echo "PostgreSQL: not run, there is no server or no $build/postgres/hbscore.so"
fi
[ $failed = 0 ]
