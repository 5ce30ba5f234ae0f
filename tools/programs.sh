#!/bin/sh
# programs.sh - runs the test programs it is given, one after the other, each as a run of its own in the log,
# so that the report sees one that crashes: tools/programs.sh PROGRAM.. [-- ARGUMENT..]
set -u

programs=
while [ $# -gt 0 ]; do
    [ "$1" = -- ] && shift && break
    programs="$programs $1"
    shift
done
worst=0
for program in $programs; do
    start=$(date +%s)
    echo "=== run ${program##*/}"
    "$program" "$@" 2>&1
    status=$?
    printf '\n=== exit %s %s\n' $status $(($(date +%s) - start))
    [ $status -eq 0 ] || worst=1
done
exit $worst
