#!/bin/sh
# postgres_server.sh - runs a command beside a PostgreSQL server of its own: tools/postgres_server.sh BUILD COMMAND [ARGUMENT..]
#
# The server is a private copy of the one that PG_CONFIG belongs to, with the extension of BUILD installed in it, in a
# temporary folder; so nothing is written to the system's own, and the server may belong to another user than the
# repository. It listens on a socket in that folder only. The command finds it by PGHOST, PGPORT, PGUSER and PGDATABASE,
# its programs first on PATH, and the folder in HBSCORE_SERVER; with tools/postgres_clusters.sh it can make more clusters
# there. When the command ends all of them are stopped and the folder removed; HBSCORE_KEEP=1 keeps the folder, for its
# logs.
# SERVER_OPTIONS: lines for postgresql.conf. SERVER_ASAN: the sanitizer's library, where BUILD was compiled with it.
# SERVER_VALGRIND=1: the server runs under valgrind. SERVER_FAKE_GPU: the folder of a backend and of a fake driver, which the
# server finds, with the library fake_gpu of SQL functions. SERVER_GPU: that of a backend, for the GPU that is there.
set -eu

build=$1
shift
# By its path: the copy's own, which comes first on PATH, would tell of folders that are not copied.
pg_config=$(command -v "${PG_CONFIG:-pg_config}")
export PG_CONFIG="$pg_config"
bin=$($pg_config --bindir)
share=$($pg_config --sharedir)
library=$($pg_config --pkglibdir)

folder=$(mktemp -d "${TMPDIR:-/tmp}/hbscore-postgres.XXXXXX")
folder=$(cd "$folder" && pwd -P)
chmod 755 "$folder"
export HBSCORE_SERVER="$folder" PATH="$folder$bin:$PATH" LC_ALL=C
. tools/postgres_clusters.sh
if [ "$(id -u)" -eq 0 ]; then chown "$server_user" "$folder"; fi

finish() {
    status=$?
    trap - EXIT INT TERM
    clusters_stop
    # A sanitizer writes to the log of the server that it ends. Valgrind writes logs of its own, also of what the server does
    # itself: a report with a frame of ours counts.
    if grep -hE -A 40 '^==[0-9]+==ERROR|: runtime error: ' "$folder"/*.log >&2 2>/dev/null; then status=1; fi
    if cat "$folder"/valgrind.*.log 2>/dev/null | sed 's/^==[0-9]*== \{0,1\}//' |
        awk -v RS= '/ 0x[0-9A-F]+: (hbscore|hbpg|hbs|hb)_|\(pg_[a-z]+\.c:/ { print $0 "\n"; found = 1 } END { exit !found }' >&2; then
        status=1
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

# An error must end a process as a crash does: another exit would pass for an orderly one. What the server itself leaks is
# not our matter. An allocation that the tests make fail is one that is too large.
if [ -n "${SERVER_ASAN:-}" ]; then
    install -m 755 "$build/asan_first.so" "$folder/"
    SERVER_ENVIRONMENT="LD_PRELOAD=$SERVER_ASAN:$folder/asan_first.so UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1
        ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:use_sigaltstack=0:allocator_may_return_null=1"
    export SERVER_ENVIRONMENT
fi

if [ -n "${SERVER_GPU:-}" ]; then install -m 755 "$SERVER_GPU/hbscore_cuda.so" "$folder$library/"; fi
if [ -n "${SERVER_FAKE_GPU:-}" ]; then
    install -d -m 755 "$folder/fake"
    install -m 755 "$SERVER_FAKE_GPU/hbscore_cuda.so" "$build/postgres/fake_gpu.so" "$folder$library/"
    install -m 755 "$SERVER_FAKE_GPU/fake/libcuda.so.1" "$folder/fake/"
    SERVER_ENVIRONMENT="${SERVER_ENVIRONMENT:-} LD_LIBRARY_PATH=$folder/fake"
    export SERVER_ENVIRONMENT
fi

if [ -n "${SERVER_VALGRIND:-}" ]; then
    install -m 755 tools/postgres_valgrind.sh "$folder/"
    export SERVER_PROGRAM="$folder/postgres_valgrind.sh" PGCTLTIMEOUT=600
fi

cluster_init data
echo "${SERVER_OPTIONS:-}" | cluster_configure data 5432
cluster_start data

export PGHOST="$folder" PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
unset PGSERVICE PGPASSFILE PGOPTIONS
"$@"
