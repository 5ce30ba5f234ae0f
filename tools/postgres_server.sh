#!/bin/sh
# postgres_server.sh - runs a command beside a PostgreSQL server of its own: tools/postgres_server.sh BUILD COMMAND [ARGUMENT..]
#
# The server is a private copy of the one that PG_CONFIG belongs to, with the extension of BUILD installed in it, in a
# temporary folder; so nothing is written to the system's own, and the server may belong to another user than the
# repository. It listens on a socket in that folder only. The command finds it by PGHOST, PGPORT, PGUSER and PGDATABASE,
# its programs first on PATH, and the folder in HBSCORE_SERVER. When the command ends the server is stopped and the
# folder removed; HBSCORE_KEEP=1 keeps the folder, for its log.
# SERVER_OPTIONS: lines for postgresql.conf.
set -eu

build=$1
shift
pg_config=${PG_CONFIG:-pg_config}
bin=$($pg_config --bindir)
share=$($pg_config --sharedir)
library=$($pg_config --pkglibdir)

folder=$(mktemp -d "${TMPDIR:-/tmp}/hbscore-postgres.XXXXXX")
folder=$(cd "$folder" && pwd -P)
chmod 755 "$folder"
data=$folder/data

# initdb and the server refuse to run as root.
if [ "$(id -u)" -eq 0 ]; then
    user=nobody
    if id postgres >/dev/null 2>&1; then user=postgres; fi
    as_user() { setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- env HOME="$folder" "$@"; }
    chown "$user" "$folder"
else
    as_user() { "$@"; }
fi

finish() {
    status=$?
    trap - EXIT INT TERM
    if [ -f "$data/postmaster.pid" ]; then
        as_user "$folder$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true
    fi
    if [ -n "${HBSCORE_KEEP:-}" ]; then
        echo "kept: $folder" >&2
    else
        rm -rf "$folder"
    fi
    exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM

# The same paths below the folder: the programs find their files relative to themselves.
for path in "$bin" "$share" "$library"; do
    mkdir -p "$folder$path"
    (cd "$path" && tar -cf - --exclude=bitcode --exclude=pgxs .) | (cd "$folder$path" && tar -xf - --no-same-owner)
done
install -m 755 "$build/postgres/hbscore.so" "$folder$library/"
install -m 644 postgres/hbscore.control postgres/hbscore--*.sql "$folder$share/extension/"

# The copy's own pg_config would tell of folders that are not copied.
PG_CONFIG=$(command -v "$pg_config")
export PG_CONFIG
export PATH="$folder$bin:$PATH" LC_ALL=C
as_user "$folder$bin/initdb" -D "$data" -U postgres -A trust --no-sync -E UTF8 --locale=C >"$folder/initdb.log" 2>&1 ||
    { cat "$folder/initdb.log" >&2; exit 1; }
# wal_level: the tests of replication need it, and the others do not mind.
cat >>"$data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder'
fsync = off
shared_buffers = 64MB
max_connections = 40
wal_level = logical
max_prepared_transactions = 10
timezone = 'UTC'
datestyle = 'ISO, MDY'
${SERVER_OPTIONS:-}
CONF
as_user "$folder$bin/pg_ctl" -D "$data" -l "$folder/server.log" -w start >/dev/null 2>&1 ||
    { cat "$folder/server.log" >&2; exit 1; }

export PGHOST="$folder" PGPORT=5432 PGUSER=postgres PGDATABASE=postgres HBSCORE_SERVER="$folder"
unset PGSERVICE PGPASSFILE PGOPTIONS
"$@"
