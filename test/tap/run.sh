#!/bin/sh
# run.sh - runs the tests of this folder beside a server: tools/postgres_server.sh BUILD test/tap/run.sh [TEST..]
#
# A test prints TAP. Each is run as a program of its own, one after the other, since some of them change the library or
# stop the server; only crash.sh, upgrade_server.sh and environment.sh, in clusters of their own, run beside the first ones. Checks are
# counted, also by the class that their texts begin with ("[R5] .."); a test that does not come to its end counts as
# failed.
set -u
cd "$(dirname "$0")/../.." || exit 2

log=$HBSCORE_SERVER/tap.log
run() { # TEST..
    for test; do
        start=$(date +%s)
        echo "# test $test"
        "test/tap/$test.sh" 2>&1
        echo "# end $test $? after $(($(date +%s) - start)) s"
    done
}

if [ $# -gt 0 ]; then
    run "$@"
else
    run crash upgrade_server environment >"$HBSCORE_SERVER/beside.tap" &
    run dump replication standby encodings
    wait
    cat "$HBSCORE_SERVER/beside.tap"
    run upgrade cancel terminate sessions hooks
fi | tee "$log"

awk '
    function class_of(line) { return match(line, / - \[[A-Z]+[0-9]+\]/) ? substr(line, RSTART + 4, RLENGTH - 5) : "" }
    /^# test / { checks = 0; plan = -1; bad = 0 }
    /^(not )?ok [0-9]+ - / { checks++; class = class_of($0); if (class != "") cases[class]++ }
    /^ok [0-9]+ - / { passed++ }
    /^not ok [0-9]+ - / { bad++; failed++; if (class != "") failures[class]++ }
    /^1\.\.[0-9]+$/ { plan = substr($0, 4) + 0 }
    /^# end / && (plan != checks || ($4 != 0) != (bad > 0)) { print "FAILED  " $3 " ended early, status " $4; failed++ }
    END {
        for (class in cases) print "class " class ": " cases[class] " cases, " failures[class] + 0 " failures"
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0
    }' "$log"
