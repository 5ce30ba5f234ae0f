#!/bin/sh
# setup.sh - installs the Debian packages that a task needs: tools/setup.sh [demo|check|wheel|bench|bench-postgres|postgres|check-postgres|smith|bare]
#
# Says what it will do, looks what is there (dpkg-query), and calls apt-get only for what is missing, which
# needs root. HBSCORE_SETUP=off skips it. Where there is no dpkg it only says what has to be there.
set -eu

task=${1:-demo}
say() { printf 'setup: %s\n' "$*"; }

demo="gcc libc6-dev libsqlite3-dev sqlite3"
wheel="gcc libc6-dev libsqlite3-dev python3 python3-pip python3-setuptools python3-wheel"
check="$demo clang clang-format libclang-rt-dev libcmocka-dev libjson-c-dev libopenblas0-serial pkg-config locales valgrind python3 python3-apsw python3-venv
libdbd-sqlite3-perl libdbd-pg-perl
$wheel"
# A server of PostgreSQL with its headers: one that is there, else the one that this release ships. Elsewhere the suites
# that need it say that they are not run.
postgres=libpq-dev
server=$(${PG_CONFIG:-pg_config} --bindir 2>/dev/null || true)
headers=$(${PG_CONFIG:-pg_config} --includedir-server 2>/dev/null || true)
if [ ! -e "$server/initdb" ] || [ ! -e "$headers/postgres.h" ]; then
    case $(. /etc/os-release 2>/dev/null && echo "${ID:-}${VERSION_ID:-}") in
    debian12) postgres="$postgres postgresql-15 postgresql-server-dev-15" && server=15 ;;
    debian13) postgres="$postgres postgresql-17 postgresql-server-dev-17" && server=17 ;;
    esac
fi
# pgTAP is packaged for each version of the server.
server=$(printf '%s\n' "$server" | sed -n 's,^/usr/lib/postgresql/\([0-9]*\)/bin$,\1,; /^[0-9]*$/p')
pgtap=${server:+postgresql-$server-pgtap libtap-parser-sourcehandler-pgtap-perl}
check="$check $postgres $pgtap"
[ "$(uname -m)" = aarch64 ] || check="$check gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
case $task in
demo) wanted=$demo ;;
check) wanted=$(printf '%s\n' $check | sort -u) ;;
wheel) wanted=$wheel ;;
bench) wanted="$demo python3 python3-venv" ;;
bench-postgres) wanted="$demo python3 python3-venv $postgres ${server:+postgresql-plpython3-$server}" ;;
postgres) wanted="gcc libc6-dev $postgres" ;;
check-postgres) wanted="$demo python3 $postgres $pgtap" ;;
smith) wanted="gcc libc6-dev $postgres python3 sqlsmith" ;;
bare) wanted="debootstrap" ;;
*)
    echo "usage: tools/setup.sh [demo|check|wheel|bench|bench-postgres|postgres|check-postgres|smith|bare]" >&2
    exit 2
    ;;
esac

if [ "${HBSCORE_SETUP:-on}" = off ]; then
    say "skipped, because HBSCORE_SETUP=off"
    exit 0
fi
if ! command -v dpkg-query >/dev/null; then
    say "this is no Debian system; for '$task' these Debian packages must be there under their names here:"
    say "  $wanted"
    exit 0
fi

missing=
for package in $wanted; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
    say "for '$task': all packages are there"
    exit 0
fi

command="apt-get install --yes --no-install-recommends$missing"
if [ "$(id -u)" -ne 0 ]; then
    say "for '$task' these Debian packages are missing:$missing" >&2
    say "installing them needs root. Please run, once:" >&2
    say "  sudo $command" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive

# With PostgreSQL's server Debian makes a cluster of the system's and starts it, unless it was told not to before.
clusters=/etc/postgresql-common/createcluster.conf
case $missing in
*postgresql*)
    if [ ! -e $clusters ]; then
        say "writes $clusters: no cluster is to be made"
        mkdir -p ${clusters%/*}
        echo 'create_main_cluster = false' >$clusters
    fi
    ;;
esac
candidates() { apt-cache policy $missing 2>/dev/null | grep -c '^ *Candidate: [0-9]' || true; }
install() { $command -qq -o Dpkg::Use-Pty=0 >"$log" 2>&1; }

say "for '$task': will run: $command"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The lists of packages are fetched only where they are absent or too old to install from.
if [ "$(candidates)" -ne "$(set -- $missing; echo $#)" ] || ! install; then
    say "the lists of packages are absent or old: apt-get update"
    apt-get update -qq >"$log" 2>&1 || { cat "$log" >&2; say "apt-get update failed" >&2; exit 1; }
    install || { cat "$log" >&2; say "apt-get install failed" >&2; exit 1; }
fi
say "installed:$missing"
