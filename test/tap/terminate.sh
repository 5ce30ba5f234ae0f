#!/bin/sh
# terminate.sh - pg_terminate_backend while a model is registered and scored: only that session ends, and nothing stays
# behind.
. test/tap/tap.sh

make_big_database terminate 300
expected=$(titanic_scores terminate titanic)

terminate() { # WHAT DELAY STATEMENT
    ok "$1: a session" start_session terminate ended "$3"
    sleep "$2"
    terminated=$(date +%s%N)
    is "$(sql terminate "SELECT pg_terminate_backend($backend)")" t "[R2] $1: pg_terminate_backend"
    wait "$session"
    note "$1 for $2 s: the session has ended after $((($(date +%s%N) - terminated) / 1000000)) ms"
    ok "[R2] $1: it ends" wait_for terminate "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $backend"
    like "$(cat "$work/ended.log")" 'FATAL:  57P01: terminating connection due to administrator command' \
        "[R2] $1: it was told so"
    is "$(sql terminate "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")" 0 "[R2] $1: no lock stays"
    is "$(titanic_scores terminate titanic)" "$expected" "[R2] $1: others score as before"
}
registers="SELECT count(hbscore.register('big', model)) FROM big, generate_series(1, 1000)"
terminate "registering" 0.05 "$registers"
terminate "registering" 0.3 "$registers"
terminate "registering" 0.8 "$registers"
is "$(sql terminate "SELECT count(*) FROM hbscore.models WHERE name = 'big'")" 0 "[R2] none of it is stored"
is "$(sql terminate "SET lock_timeout = '1s'; $REGISTER")" 1 "[R2] the name can be registered at once"
terminate "scoring" 0.1 "$SCORE"
terminate "scoring" 0.5 "$SCORE"
finish
