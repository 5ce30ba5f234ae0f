#!/bin/sh
# check_flags.sh - flags that choose an instruction set change no object: tools/check_flags.sh CC
#
# hbscore picks its kernels at run time. A packager's CFLAGS may ask for one CPU; the Makefile takes that out, and a
# compiler that brings it along all the same is refused by core/kernel/isa.h.
set -u
cc=$1
passed=0
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check() { # WHAT COMMAND..
    what=$1
    shift
    if "$@" >"$folder/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        cat "$folder/log"
    fi
}

# make_objects FOLDER CFLAGS: a kernel for every CPU, the same for AVX2, and a file that is no kernel.
objects="core/kernel/bits_sets.o core/kernel/bits_sets.avx2.o core/base/sort.o"
make_objects() {
    make --no-print-directory MAKEFLAGS= BUILD="$1" CC="$cc" CFLAGS="$2" $(for o in $objects; do echo "$1/release/$o"; done)
}

same_objects() {
    for o in $objects; do
        objdump -d "$folder/plain/release/$o" | tail -n +4 >"$folder/plain.s"
        objdump -d "$folder/cpu/release/$o" | tail -n +4 >"$folder/cpu.s"
        cmp "$folder/plain.s" "$folder/cpu.s" || return 1
    done
}

refuses() { # FLAG..
    ! $cc -std=c11 -Icore "$@" -fsyntax-only core/kernel/bits_sets.c 2>"$folder/refused" && grep 'without -march' "$folder/refused"
}

case $($cc -dumpmachine) in
x86_64*)
    check "objects are made" make_objects "$folder/plain" "-O2"
    check "objects are made with flags for one CPU" make_objects "$folder/cpu" \
        "-O2 -march=sapphirerapids -mavx512f -mavx512vbmi -mfma -ffast-math"
    check "flags for one CPU change no instruction" same_objects
    check "a portable kernel is refused with AVX" refuses -mavx
    check "a portable kernel is refused with a CPU's flags" refuses -march=sapphirerapids
    check "a kernel of AVX2 is refused with AVX-512" refuses -mavx2 -DHB_ISA_AVX2 -mavx512f
    check "a kernel of AVX-512 is refused with VBMI" refuses -mavx512f -mavx512bw -mavx512dq -mavx512vl -DHB_ISA_AVX512 -mavx512vbmi
    ;;
*) echo "flags: x86-64 alone has kernels by instruction set" ;;
esac
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
