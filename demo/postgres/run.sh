#!/bin/sh
# run.sh - the second tour: the same data, models and comparison as demo/run.sh, in a PostgreSQL server that psql reaches
# (tools/postgres_server.sh BUILD demo/postgres/run.sh makes one for it). Ends with an error if any score differs.
set -eu
cd "$(dirname "$0")/../.."
cat demo/postgres/tables.sql demo/postgres/models.sql demo/postgres/scores.sql | psql -X -q
echo
echo "To go on by hand: psql, CREATE EXTENSION hbscore; docs/postgresql.md is the guide."
