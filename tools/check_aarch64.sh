#!/bin/sh
# check_aarch64.sh - another architecture, under emulation: every golden model, scored by a core that was compiled for
# aarch64, has the library's answers and the same bits as here:
#   tools/check_aarch64.sh RUN_GOLDEN RUN_GOLDEN_OF_AARCH64
#   tools/check_aarch64.sh --why-not     why this machine cannot; nothing where it can
# Emulation is slow, so a third of the models is scored in all ways but the many sizes of blocks, and all in one way.
set -u

compiler=${CC_aarch64:-aarch64-linux-gnu-gcc}
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

why_not() {
    if [ "$(uname -m)" = aarch64 ]; then
        echo "this machine is one: see the suite golden"
    elif ! command -v "$compiler" >/dev/null; then
        echo "there is no $compiler"
    elif [ -z "$emulator" ]; then
        echo "there is no qemu-aarch64"
    elif ! echo '#include <math.h>
int main(int argc, char **argv) { return argv[0] == 0 || isnan(expf((float)argc)); }' |
        "$compiler" -static -x c - -o "$work/program" -lm 2>"$work/err"; then
        echo "$compiler links no static program"
    elif ! "$emulator" "$work/program" 2>"$work/err"; then
        echo "$emulator does not run a program"
    fi
}

reason=$(why_not)
if [ "${1:-}" = --why-not ]; then
    echo "$reason"
    exit 0
fi
if [ -n "$reason" ]; then
    echo "aarch64: not run, $reason"
    echo "0 passed, 0 failed"
    exit 0
fi

"$emulator" "$2" --brief --every 3 >"$work/answers" 2>&1
status=$?
grep -v ' passed, ' "$work/answers"
passed=$(sed -n 's/^\([0-9]*\) passed, .*/\1/p' "$work/answers")
failed=$(sed -n 's/.* passed, \([0-9]*\) failed$/\1/p' "$work/answers")
[ "$status" -eq 0 ] || [ "${failed:-0}" -gt 0 ] || failed=1 # it crashed

"$1" --dump >"$work/here"
"$emulator" "$2" --dump >"$work/there"
models=$(wc -l <"$work/here")
apart=$(diff "$work/here" "$work/there" | grep -c '^<')
diff "$work/here" "$work/there" | sed -n 's/^< \([^ ]*\) .*/FAILED \1: other bits than here/p'
echo "$models models by $2: $apart with other bits than by $1"
[ "$models" -gt 0 ] || apart=1
echo "$((${passed:-0} + models - apart)) passed, $((${failed:-0} + apart)) failed"
[ "$((${failed:-0} + apart))" -eq 0 ]
