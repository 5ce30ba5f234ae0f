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

compare() { # NAME, COMMAND..
    name=$1
    shift
    if "$@" --dump >"$work/other" 2>&1 && [ -s "$work/other" ] && diff "$work/first" "$work/other" >"$work/diff"; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        tail -n 20 "$work/diff" "$work/other" 2>/dev/null
    fi
}

first=$1
shift
"$first" --dump >"$work/first" || exit 1
echo "$(wc -l <"$work/first") models by $first"
for other in "$@"; do
    compare "the same bits by $other" "$other"
done
compare "the same bits without FMA and AVX2" env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4 "$first"
compare "the same bits without AVX-512 and AVX" \
    env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4,-AVX512F,-AVX "$first"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
