#!/bin/sh
# check_gpu_device.sh - the golden models on a GPU: tools/check_gpu_device.sh BUILD. It needs hbscore_cuda.so and run_golden
# in BUILD, and no compiler.
#
# Every bit must be the CPU's. Where compute-sanitizer is, it looks at some models too: at memory, at races between the
# threads of a block, which the host cannot show, and at what was never set.
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
[ $failed = 0 ]
