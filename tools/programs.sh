#!/bin/sh
# programs.sh - runs the test programs it is given, each as a run of its own in the log, so that the report sees
# one that crashes: tools/programs.sh PROGRAM..
# One after the other, or PROGRAM_JOBS at a time; the log has them in order.
set -u

if [ "${1:-}" = --one ]; then # LOG PROGRAM
    start=$(date +%s)
    {
        echo "=== run ${3##*/}"
        "$3" 2>&1
        status=$?
        printf '\n=== exit %s %s\n' $status $(($(date +%s) - start))
    } >"$2"
    exit 0
fi

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for program; do
    printf '%s %s\n' "$logs/${program##*/}" "$program"
done | xargs -r -P "${PROGRAM_JOBS:-1}" -L 1 "$0" --one
for program; do
    cat "$logs/${program##*/}"
done
! grep -q '^=== exit [1-9]' "$logs"/* 2>/dev/null
