#!/bin/sh
# files.sh - files as lines "path, tab, base64", for COPY .. FROM PROGRAM: test/postgres/files.sh FILE..
set -eu

for file; do
    printf '%s\t%s\n' "$file" "$(base64 <"$file" | tr -d '\n')"
done
