#!/bin/sh
# postgres_valgrind.sh - in place of PostgreSQL's server (SERVER_PROGRAM of tools/postgres_clusters.sh): the server under valgrind,
# whose reports go to valgrind.PID.log beside the server's own log.
server=$(dirname "$(command -v initdb)")/postgres
[ "${1:-}" = -V ] && exec "$server" "$@"
exec valgrind --quiet --log-file="$HBSCORE_SERVER/valgrind.%p.log" "$server" "$@"
