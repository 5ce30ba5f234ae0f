#!/bin/sh
# run.sh - `make smith`: random statements of our own, then SQLsmith's, for so many seconds each, beside a server:
# test/postgres/smith/run.sh PYTHON SEED SECONDS
set -u
cd "$(dirname "$0")/../../.." || exit 2

status=0
"$1" test/postgres/smith/smith.py --seed "$2" --seconds "$3" || status=1
"$1" test/postgres/smith/sqlsmith.py --seed "$2" --seconds "$3" || status=1
exit $status
