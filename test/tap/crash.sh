#!/bin/sh
# crash.sh - a backend is killed, the server stopped at once, or writing fails, while models are registered and scored.
#
# In a cluster of its own, since all sessions of a server end with a killed backend.
. test/tap/tap.sh
trap 'cluster_stop crash immediate' EXIT

cluster_init crash
cluster_configure crash 5435 </dev/null
ok "a cluster" cluster_start crash
export PGPORT=5435
make_big_database crash 200
expected=$(titanic_scores crash titanic@1)
like "$expected" '^[0-9a-f]{32}$' "it scores"

back() { wait_for crash "SELECT NOT pg_is_in_recovery()"; }

# All that is there is whole, and nothing that a client was told of is missing.
check_models() { # WHAT
    ok "[R3] $1: the server is back" back
    is "$(sql crash "SELECT count(*) FROM hbscore.models WHERE sha256 <> sha256(model) OR model IS NULL")" 0 \
        "[R3] $1: digests are right"
    is "$(sql crash "SELECT count(*) - max(version) FROM hbscore.models WHERE name = 'small'")" 0 \
        "[R3] $1: no version is missing"
    told=$(grep -E '^[0-9]+$' "$work/killed.log" | tail -n 1)
    is "$(sql crash "SELECT max(version) - ${told:-$known} IN (0, 1) FROM hbscore.models WHERE name = 'small'")" t \
        "[R3] $1: the client was told of version ${told:-$known}, that or one more is there"
    is "$(sql crash "SELECT count(predict('small@' || version, w.*)) = count(*) FROM hbscore.models, wine AS w
        WHERE name = 'small'")" t \
        "[R3] $1: all of them score"
    is "$(titanic_scores crash titanic@1)" "$expected" "[R3] $1: scores as before"
    version=$(sql crash "SELECT max(version) + 1 FROM hbscore.models WHERE name = 'small'")
    is "$(sql crash "SELECT hbscore.register('small', model_file('wine.ubj'))")" "$version" \
        "[R3] $1: the next registration works"
}

# The postmaster takes a moment to see it, and lets sessions in until then.
restarts() { grep -c 'all server processes terminated' "$HBSCORE_SERVER/crash.log"; }
kill_backend() {
    before=$(restarts)
    as_user sh -c "kill -9 $backend" # the shell's own: a bare system has no other
    for _ in $(seq 300); do
        [ "$(restarts)" -gt "$before" ] && return
        sleep 0.1
    done
}
stop_server() {
    cluster_stop crash immediate
    cluster_start crash
}

# Each in a transaction of its own; then large ones, in one.
small="SELECT hbscore.register('small', model_file('wine.ubj'))"
many=$(for _ in $(seq 2000); do echo "$small;"; done)
sql crash "$small" >"$work/out"
interrupt() { # HOW WHAT DELAY STATEMENT [MORE]
    known=$(sql crash "SELECT max(version) FROM hbscore.models WHERE name = 'small'")
    ok "$2: a session" start_session crash killed "$4" "${5:-}"
    sleep "$3"
    "$1" >"$work/out" 2>&1
    wait "$session"
    like "$(cat "$work/killed.log")" 'server closed the connection|terminating connection|connection to server was' \
        "$2: it was hit"
    check_models "$2"
}
interrupt kill_backend "kill -9 while small models are registered" 0.3 "$small" "$many"
interrupt stop_server "immediate stop while small models are registered" 0.5 "$small" "$many"
large="SELECT count(hbscore.register('big', model)) FROM big, generate_series(1, 1000)"
interrupt kill_backend "kill -9 while a large model is registered" 0.4 "$large"
interrupt stop_server "immediate stop while a large model is registered" 0.7 "$large"
is "$(sql crash "SELECT count(*) FROM hbscore.models WHERE name = 'big'")" 0 \
    "[R3] nothing is there of what was not committed"
is "$(sql crash "$REGISTER")" 1 "[R3] and it can be registered"
interrupt kill_backend "kill -9 while a model is scored" 0.2 "$SCORE"

# ---- a disk that takes no more: a server whose files end at 20 MB, enough for one large model and not for two
cluster_stop crash
ok "a server with small files" prlimit --fsize=20971520 sh -c '. tools/postgres_clusters.sh; cluster_start crash'
make_big_database full 200
is "$(sql full "$REGISTER")" 1 "[R3] the disk has room for one"
like "$(sql full "$REGISTER")" 'ERROR:  [0-9A-Z]{5}: could not (extend|write)' "[R3] and not for the next: an error"
is "$(sql full "SELECT count(*), bool_and(sha256 = sha256(model)) FROM hbscore.models WHERE name = 'big'")" "1|t" \
    "[R3] nothing of it is stored"
like "$(sql full "SELECT predict('big', $FEATURES)")" '^[01]$' "[R3] the one that is there scores"
is "$(titanic_scores full titanic)" "$expected" "[R3] others score as before"
sql full "VACUUM hbscore.models" >"$work/out"
is "$(sql full "SELECT hbscore.register('big', model_file('wine.ubj'))")" 2 \
    "[R3] with room again, the next registration works"
finish
