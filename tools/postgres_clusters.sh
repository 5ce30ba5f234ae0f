# postgres_clusters.sh - shell functions for database clusters in the temporary folder of tools/postgres_server.sh, which
# makes the first one with them and stops all of them at its end; a test that needs more sources this file too.
#
# HBSCORE_SERVER is the folder. Cluster NAME has its data in $HBSCORE_SERVER/NAME and its log beside that, NAME.log; its
# socket is in the folder, so clusters differ by their port.

# initdb and the server refuse to run as root.
if [ "$(id -u)" -eq 0 ]; then
    server_user=nobody
    if id postgres >/dev/null 2>&1; then server_user=postgres; fi
    as_user() {
        setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --clear-groups -- env HOME="$HBSCORE_SERVER" "$@"
    }
else
    server_user=$(id -un)
    as_user() { "$@"; }
fi

cluster_init() { # NAME
    as_user initdb -D "$HBSCORE_SERVER/$1" -U postgres -A trust --no-sync -E UTF8 --locale=C \
        >"$HBSCORE_SERVER/$1.initdb" 2>&1 && return
    cat "$HBSCORE_SERVER/$1.initdb" >&2
    return 1
}

# Lines for its postgresql.conf come on standard input, after these, so they win. wal_level: tests of replication need it,
# and others do not mind.
cluster_configure() { # NAME, PORT
    {
        cat <<CONF
port = $2
listen_addresses = ''
unix_socket_directories = '$HBSCORE_SERVER'
fsync = off
shared_buffers = 64MB
max_connections = 60
wal_level = logical
max_prepared_transactions = 10
timezone = 'UTC'
datestyle = 'ISO, MDY'
CONF
        cat
    } >>"$HBSCORE_SERVER/$1/postgresql.conf"
}

# SERVER_ENVIRONMENT: variables for the server alone, as VARIABLE=value. SERVER_PROGRAM: what is run in its place.
cluster_start() { # NAME
    as_user env ${SERVER_ENVIRONMENT:-} pg_ctl ${SERVER_PROGRAM:+-p "$SERVER_PROGRAM"} -D "$HBSCORE_SERVER/$1" -l "$HBSCORE_SERVER/$1.log" -w start >/dev/null 2>&1 && return
    cat "$HBSCORE_SERVER/$1.log" >&2
    return 1
}

cluster_stop() { # NAME [MODE]
    as_user pg_ctl -D "$HBSCORE_SERVER/$1" -m "${2:-fast}" -w stop >/dev/null 2>&1
}

clusters_stop() {
    for pid_file in "$HBSCORE_SERVER"/*/postmaster.pid; do
        if [ -f "$pid_file" ]; then
            cluster_stop "$(basename "$(dirname "$pid_file")")" immediate || true
        fi
    done
}
