#!/bin/sh
# suite.sh - runs one suite of `make check`: tools/suite.sh NAME COMMAND [ARGUMENT..]
#
# The output goes to $REPORT/NAME.log between the lines "=== run NAME" and "=== exit STATUS SECONDS", which
# tools/report reads, and "=== cpu SECONDS" for those of its processes (a server's are not among them); on the
# terminal there is one line. The status is always 0: the report is the judge.
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
    times >"$log.cpu" # in this shell: a part of a pipeline has no children of its own
    awk -F '[ms ]+' 'NR == 2 { printf "=== cpu %.0f\n", 60 * ($1 + $3) + $2 + $4 }' "$log.cpu"
    rm -f "$log.cpu"
} >"$log"
last=$(tail -n 2 "$log" | head -n 1)
case $last in
"=== exit 0 "*) echo "suite $name: done in ${last##* } s, $(sed -n '$s/.* //p' "$log") s of CPU" ;;
*) echo "suite $name: FAILED, see $log" ;;
esac
