#!/bin/sh
# shapes.sh - runs shapes.sql beside a server, which loads an extension with a scan of its own: test/postgres/shapes.sh LIBRARY
set -eu
install -m 755 "$1" "$HBSCORE_SERVER/columnar.so"
exec psql -X -v columnar="$HBSCORE_SERVER/columnar.so" -f test/postgres/shapes.sql
