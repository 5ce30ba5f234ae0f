#!/bin/sh
# check_warnings.sh - whether a second compiler warns of nothing, compiling nothing, for which `make check-quick` has no time:
#   tools/check_warnings.sh 'COMPILER FLAGS' 'FLAGS OF TESTS' FILE..
set -u

compiler=$1
test_flags=$2
shift 2
tests=$(printf '%s\n' "$@" | grep '^test/')
others=$(printf '%s\n' "$@" | grep -v '^test/')

status=0
echo "$others" | xargs -n 20 -P 2 $compiler -fsyntax-only -Icore -I. || status=1
[ -z "$tests" ] || echo "$tests" | xargs -n 20 -P 2 $compiler $test_flags -fsyntax-only -Icore -Itest -I. || status=1
echo "$# files, by $compiler"
[ $status -eq 0 ] && echo "1 passed, 0 failed" || echo "0 passed, 1 failed"
exit $status
