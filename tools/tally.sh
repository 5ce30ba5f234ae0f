# tally.sh - counts the checks of a test script: . tools/tally.sh
#
# result NAME STATUS prints one check and, if it failed, $work/out, which holds what its command printed. tally prints the
# counts, which tools/report reads, and fails if a check has failed.

passed=0
failed=0

result() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1"
        cat "$work/out"
    fi
}

tally() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
