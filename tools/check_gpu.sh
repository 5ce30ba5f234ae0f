#!/bin/sh
# check_gpu.sh - what can be said about the backend for GPUs without a GPU: tools/check_gpu.sh BUILD NVCC ARCHITECTURES..
#
# Every kernel of every architecture has no spills and the walks at most 64 registers; PTX has no fused products, which
# would change bits; the library is small, and needs libc only.
set -u

build=$1
nvcc=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

say() { # CONDITION'S STATUS, WORDS
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
    fi
}

for a in "$@"; do
    if ! "$nvcc" -fmad=false -std=c++17 -I. -arch="sm_$a" -Xptxas -v -cubin -o "$work/$a" gpu/kernels.cu 2>"$work/log"; then
        say 1 "sm_$a is not compiled"
        cat "$work/log"
        continue
    fi
    kernels=$(grep -c 'Used [0-9]* registers' "$work/log")
    spills=$(grep 'spill' "$work/log" | grep -vc '0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads')
    most=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$work/log" | sort -n | tail -1)
    echo "sm_$a: $kernels kernels, $spills with spills, at most $most registers"
    [ "$kernels" = 10 ] && [ "$spills" = 0 ] && [ "$most" -le 64 ]
    say $? "sm_$a"
done
"$nvcc" -fmad=false -std=c++17 -I. -arch=compute_75 -ptx -o "$work/ptx" gpu/kernels.cu
say $? "no PTX"
fused=$(grep -cE '(^|[^a-z])(fma|mad)\.(rn|f32|f64)' "$work/ptx")
echo "PTX: $fused fused products"
[ "$fused" = 0 ]
say $? "fused products"
size=$(stat -c %s "$build/hbscore_cuda.so")
needed=$(objdump -p "$build/hbscore_cuda.so" | sed -n 's/ *NEEDED *//p' | tr '\n' ' ')
exported=$(nm -D --defined-only "$build/hbscore_cuda.so" | awk '{ print $3 }' | tr '\n' ' ')
echo "library: $size bytes, needs $needed, exports $exported"
[ "$size" -lt 204800 ]
say $? "the library is too large"
[ "$needed" = "libc.so.6 " ]
say $? "the library needs more than libc"
[ "$exported" = "hbscore_backend " ]
say $? "the library exports more than hbscore_backend"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
