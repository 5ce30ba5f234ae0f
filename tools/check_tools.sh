#!/bin/sh
# check_tools.sh PYTHON - the committed tables of characters are what their scripts make of this machine's Python and C
# library; where these are other versions, each script says that it skips. And tools/report judges as it should.
set -u
cd "$(dirname "$0")/.."

status=0
for script in tools/make_unicode_tables.py tools/make_case_tables.py; do
    "$1" $script --check || status=1
done
tools/check_report.sh || status=1
exit $status
