#!/bin/sh
# suite.sh - runs one suite of `make check`: tools/suite.sh NAME COMMAND [ARGUMENT..]
#
# The output goes to $REPORT/NAME.log between the lines "=== run NAME" and "=== exit STATUS SECONDS", which
# tools/report reads; on the terminal there is one line. The status is always 0: the report is the judge.
set -u

name=$1
shift
log=${REPORT:-build/report}/$name.log
mkdir -p "${log%/*}"
start=$(date +%s)
{
    echo "=== run $name"
    "$@" 2>&1 </dev/null
    printf '\n=== exit %s %s\n' $? $(($(date +%s) - start))
} >"$log"
last=$(tail -n 1 "$log")
case $last in
"=== exit 0 "*) echo "suite $name: done in ${last##* } s" ;;
*) echo "suite $name: FAILED, see $log" ;;
esac
