#!/bin/sh
# check_calibrate.sh PROGRAM - whether `make calibrate` works, on tiny forests: what it prints has the form of
# core/forest/forest_constants.def, for float32 and float64, and each constant is a term's and above 0. No time is
# looked at.
set -u

terms=$(sed -n 's/^HB_TERM(\([a-z_]*\),.*/\1/p' core/forest/forest_terms.def)
out=$("$1" --quick) || exit 1
failed=0
for kind in false true; do
    if ! echo "$out" | grep -Eq "^\{\"portable\", \"[a-z]+\", $kind, \{"; then
        echo "no constants of the portable set, float64: $kind"
        failed=$((failed + 1))
    fi
done
passed=$((2 - failed))
for constant in $(echo "$out" | grep -o '\.[a-z_]* = [^,]*' | tr -d ' '); do
    name=${constant%=*}
    if echo "$terms" | grep -qx "${name#.}" && awk "BEGIN { exit !(${constant#*=} > 0) }"; then
        passed=$((passed + 1))
    else
        echo "not a term, or not above 0: $constant"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 40 ]
