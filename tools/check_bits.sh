#!/bin/sh
# check_bits.sh - the same model and row give the same bits, whoever compiled hbscore and whatever the CPU has:
#   tools/check_bits.sh RUN_GOLDEN OTHER..
# The digests of all golden answers by the first program are compared with those of the others, and with its
# own where glibc may not use FMA and AVX (its plain versions of functions then run).
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# The digests that a run prints. Its status tells whether the answers are the library's, which is not asked here.
digests() { # FILE, COMMAND..
    file=$1
    shift
    "$@" --dump 2>/dev/null | grep -E ' [0-9a-f]{64}$' >"$file"
}

compare() { # NAME, COMMAND..
    name=$1
    shift
    digests "$work/other" "$@"
    if [ -s "$work/other" ] && diff "$work/first" "$work/other" >"$work/diff"; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        head -n 20 "$work/diff"
    fi
}

# The answers in all ways, each beside those of one row at a time.
sweep() { # NAME, COMMAND..
    name=$1
    shift
    if "$@" --quick >"$work/sweep" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        grep -E '^FAILED|: got' "$work/sweep" | head -n 20
    fi
}

first=$1
shift
digests "$work/first" "$first"
[ -s "$work/first" ] || { echo "$first gave no digest"; exit 1; }
echo "$(wc -l <"$work/first") models by $first"
for other in "$@"; do
    compare "the same bits by $other" "$other"
done
compare "the same bits without FMA and AVX2" env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4 "$first"
compare "the same bits without AVX-512 and AVX" \
    env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4,-AVX512F,-AVX "$first"
own=$("$first" --kernels) # these are swept by the suite golden
for set in portable avx2 avx512 avx512vbmi; do
    if [ "$(HBSCORE_INSTRUCTION_SET=$set "$first" --kernels)" = $set ]; then
        compare "the same bits by the kernels of $set" env HBSCORE_INSTRUCTION_SET=$set "$first"
        [ $set = "$own" ] || sweep "blocks of all sizes and types by the kernels of $set" env HBSCORE_INSTRUCTION_SET=$set "$first"
    else
        echo "kernels of $set: not run, this CPU lacks the instructions"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
