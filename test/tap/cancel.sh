#!/bin/sh
# cancel.sh - statement_timeout and pg_cancel_backend while a model is read, compiled and scored.
#
# Each call is first made without being stopped; then it is stopped at several points of that time. The CPU time from the
# moment of the timeout to the error is printed, and checked only against what was left of the call. It is the CPU time of
# the server's process, as a busy machine makes every call last longer and delays every timeout.
. test/tap/tap.sh

make_big_database cancel 300
note "a model of $(stat -c %s "$work/models/big.json") bytes"

# What a session must still be able to do; then how much of the core's memory is in use. (Blocks that a context has got for
# small pieces stay with it, and the words at their beginning count as used.)
after="SELECT 'lives', predict_label('titanic', 3, 'male', 22, 1, 0, 7.25, 'S');
SELECT 'memory', sum(used_bytes - 40 * total_nblocks) FROM pg_backend_memory_contexts WHERE name = 'hbscore' OR name LIKE 'hbscore scorer%';"

# The CPU time of the session's process so far, in milliseconds.
clock="SELECT 'clock', (split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint / 1000000.0)::int;"

# A call that is undone, between two clocks. What is before it in its transaction is neither measured nor stopped.
measured() { # STATEMENT TIMEOUT BEFORE
    printf 'BEGIN;\n%s\n%s\nSET LOCAL statement_timeout = %s;\n\\echo timeout %s\n%s \\g /dev/null\nROLLBACK;\n%s\n' \
        "$3" "$clock" "$2" "$2" "$1" "$clock"
}

# Stops the statement at several points, all in one session that has done the first. OWN: the error that it ends with where
# it comes to its end. BEFORE: statements of each transaction before it.
sweep() { # WHAT STATEMENT FIRST [OWN [BEFORE]]
    full=$({ echo "$3"; measured "$2" 0 "${5:-}"; } | sql cancel |
        awk -F '|' '/^clock/ { before = now; now = $2 } END { print now - before }')
    {
        echo "$3"
        echo "$after"
        for percent in 2 10 20 30 40 60; do
            measured "$2" $((full * percent / 100 + 1)) "${5:-}"
            echo "$after"
        done
    } | sql cancel >"$work/sweep.log"
    # A line for each stop: the wait, and its part of what was left of the call in percent.
    awk -F '[| ]' -v full="$full" '/^timeout/ { timeout = $2; hit = 0 }
        /^ERROR:  57014: canceling statement due to statement timeout/ { hit = 1 }
        /^clock/ && hit { wait = $2 - before - timeout; wait = wait > 0 ? wait : 0
            printf "%d %d\n", wait, 100 * wait / (full - timeout); hit = 0 }
        /^clock/ { before = $2 }' "$work/sweep.log" | sort -n -k 2 >"$work/waits"
    stopped=$(wc -l <"$work/waits")
    note "$1: $full ms uncancelled, stopped at $stopped of 6 points; ms of CPU time from the timeout to the error:" \
        "$(cut -d ' ' -f 1 "$work/waits" | sort -n | tr '\n' ' ')"
    ok "[R2] $1: it is stopped" test "$stopped" -ge 2
    is "$(grep '^ERROR' "$work/sweep.log" | grep -vcE "^ERROR:  (57014${4:+|$4})")" 0 "[R2] $1: no other error"
    # A call that does not poll takes all that was left of it, 100 percent, at every stop.
    ok "[R2] $1: well before it would end" test "$(sed -n "$(((stopped + 1) / 2))s/.* //p" "$work/waits")" -lt 50
    is "$(grep '^lives' "$work/sweep.log" | sort | uniq -c | tr -s ' ')" " 7 lives|died" \
        "[R2] $1: the session scores afterwards"
    is "$(grep -c '^memory' "$work/sweep.log")-$(grep '^memory' "$work/sweep.log" | sort -u | wc -l)" 7-1 \
        "[R2] $1: no memory is lost"
}

nothing_kept="SET hbscore.plan_cache_size = 0;"
warm="SELECT predict('big', $FEATURES) \\g /dev/null"

sweep "registering" "$REGISTER" "$nothing_kept"
sql cancel "$REGISTER" >"$work/out"
is "$(cat "$work/out")" 1 "[R2] nothing was stored before"
# The digest that the table computes of a model's bytes, by itself: of more bytes than a model may have, so that it takes a
# while. The cursor's first row reads them, which nothing can stop; the statement is the second.
sweep "the digest" "FETCH digests" "$nothing_kept" "" "DECLARE digests CURSOR FOR
    SELECT CASE WHEN i > 1 THEN hbscore.digest(bytes) END
    FROM (SELECT pg_read_binary_file('/dev/zero', 0, 200 * 1024 * 1024) AS bytes OFFSET 0) AS file, generate_series(1, 2) AS i;
FETCH digests \g /dev/null"
sweep "inspecting" "SELECT count(*) FROM big, hbscore.inspect(model)" "$nothing_kept"
# Of a small model, with as many golden rows as there can be, of long numbers.
sql cancel >"$work/out" <<'SQL'
SELECT hbscore.register('cancer', model_file('cancer.json'));
CREATE TABLE golden (options jsonb);
ALTER TABLE golden ALTER options SET STORAGE EXTERNAL;
INSERT INTO golden SELECT jsonb_build_object('golden', jsonb_build_object('rows', jsonb_agg(r), 'prediction', jsonb_agg(predict('cancer', r))))
    FROM (SELECT (SELECT array_agg((sin(i * j) / 3)::float8) FROM generate_series(1, 30) AS j) AS r FROM generate_series(1, 10000) AS i) AS rows;
SQL
sweep "registering with golden rows" "SELECT hbscore.register('cancer', model_file('cancer.json'), options => options) FROM golden" \
    "$nothing_kept"
sweep "a row of JSON that is too long" "SELECT predict('cancer', options) FROM golden" "$nothing_kept" 54000
sweep "the first score, which reads and compiles" "SELECT predict('big', $FEATURES)" "$nothing_kept"
row="array_fill(i::float8, ARRAY[30])"
sweep "scoring row by row" "SELECT count(predict('big', $row)) FROM generate_series(1, 4000) AS i" \
    "SET hbscore.batch = off; $warm"
sweep "scoring a scan in blocks" "SELECT count(predict('big', $row)) FROM generate_series(1, 40000) AS i" \
    "SET hbscore.batch = on; $warm"
sweep "scoring a group in blocks" \
    "SELECT cardinality(predict_agg('big', $row)) FROM generate_series(1, 40000) AS i" "$warm"

# ---- what interrupts a call and does not end it, each millisecond: whether the client is still there
is "$(sql cancel <<SQL
SET statement_timeout = '60s';
SET client_connection_check_interval = 1;
$nothing_kept
BEGIN;
SELECT 'registered', count(hbscore.register('asked', model)) FROM big;
SELECT 'inspected', count(*) > 0 FROM big, hbscore.inspect(model);
ROLLBACK;
SELECT 'scored', predict('big', $FEATURES) IS NOT NULL;
SET hbscore.batch = on;
SELECT 'in blocks', count(predict('big', $row)) FROM generate_series(1, 4000) AS i;
SQL
)" "registered|1
inspected|t
scored|t
in blocks|4000" "[R2] a connection that is checked each millisecond: all come to their end"

# ---- from another session
cancel() { # WHAT STATEMENT DELAY
    start_session cancel cancelled "$2" "SELECT 'ended', extract(epoch FROM clock_timestamp()) * 1000;
$after" || return
    sleep "$3"
    cancelled=$(sql cancel "SELECT extract(epoch FROM clock_timestamp()) * 1000
        FROM pg_cancel_backend($backend) AS done WHERE done")
    wait "$session"
    wait_ms=$(sed -n 's/^ended|//p' "$work/cancelled.log" | awk -v from="$cancelled" '{ printf "%d", $1 - from }')
    note "$1 for $3 s, cancelled: the error after $wait_ms ms"
    like "$(cat "$work/cancelled.log")" 'ERROR:  57014: canceling statement due to user request' \
        "[R2] $1 for $3 s: pg_cancel_backend"
    like "$(cat "$work/cancelled.log")" '^lives.died$' "[R2] $1 for $3 s: the session scores afterwards"
}
# Over and over, so that it does not end before it is cancelled.
again="SELECT count(hbscore.register('big', model)) FROM big, generate_series(1, 1000)"
cancel "registering" "$again" 0.05
cancel "registering" "$again" 0.2
cancel "registering" "$again" 0.5
cancel "scoring" "$SCORE" 0.1
cancel "scoring" "$SCORE" 0.4
is "$(sql cancel "SELECT count(*) FROM hbscore.models WHERE name = 'big'")" 1 \
    "[R2] a cancelled registration leaves nothing"
finish
