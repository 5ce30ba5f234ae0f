#!/bin/sh
# sessions.sh - sessions that meet: prepared transactions, DROP EXTENSION beside plans, many models in many sessions.
. test/tap/tap.sh

# ---- L2: PREPARE TRANSACTION, ended by another session

make_database sessions
sql sessions >"$work/out" <<'SQL'
SELECT register_titanic();
SELECT hbscore.deploy('titanic', 1);
SQL
first=$(titanic_scores sessions titanic)
prepare() { # GID
    sql sessions <<SQL
BEGIN;
SELECT register_titanic(3);
SELECT hbscore.deploy('titanic', (SELECT max(version) FROM hbscore.models WHERE name = 'titanic'));
SELECT count(predict_label('titanic', p.*)) FROM passengers AS p \\g /dev/null
PREPARE TRANSACTION '$1';
SELECT 'after', hbscore.pin('titanic')::text ~ '^titanic@1#';
$(titanic_digest titanic)
SQL
}
prepared=$(prepare undone)
like "$prepared" '^2$' "[L2] a registration in a transaction that is prepared"
like "$prepared" '^after\|t$' "[L2] the session that has scored it goes on with version 1"
like "$prepared" "^$first\$" "[L2] and its scores"
is "$(titanic_scores sessions titanic)" "$first" "[L2] others see nothing of it"
like "$(titanic_scores sessions titanic@2)" 'ERROR:  42704' "[L2] not by its number either"
like "$(sql sessions "SET lock_timeout = '100ms'; SELECT register_titanic()")" 'ERROR:  55P03' \
    "[L2] who registers the same name waits for it"
sql sessions "ROLLBACK PREPARED 'undone'" >"$work/out"
is "$(titanic_scores sessions titanic)" "$first" "[L2] rolled back by another session: as before"
like "$(titanic_scores sessions titanic@2)" 'ERROR:  42704' "[L2] version 2 is not there"

like "$(prepare finished)" '^2$' "[L2] the number is free again, since it was never there"
sql sessions "COMMIT PREPARED 'finished'" >"$work/out"
second=$(titanic_scores sessions titanic@2)
is "$(titanic_scores sessions titanic)" "$second" "[L2] committed by another session: version 2 is deployed"
like "$(test "$first" != "$second" && echo other)" other "[L2] and scores otherwise"
sql sessions "SELECT hbscore.deploy('titanic', 1)" >"$work/out"

prepare kept >"$work/out"
restart() { cluster_stop data && cluster_start data; }
ok "[L2] a restart with a prepared transaction" restart
is "$(titanic_scores sessions titanic)" "$first" "[L2] still nothing of it"
sql sessions "COMMIT PREPARED 'kept'" >"$work/out"
is "$(sql sessions "SELECT hbscore.pin('titanic')::text ~ '^titanic@3#'")" t \
    "[L2] committed after the restart: version 3 is deployed"
is "$(titanic_scores sessions titanic)" "$second" "[L2] and scores"

# ---- L5: DROP EXTENSION while another session has plans

make_database dropped
other() { echo "\\! psql -X -q -A -t -d dropped -c \"$1\""; }
sql dropped "SELECT hbscore.register('wine', model_file('wine.ubj'))" >"$work/out"
score="SELECT 'score', predict('wine', w.*) FROM wine AS w WHERE id = 1;"
wine_score=$(sql dropped "$score")
{
    echo "PREPARE by_row AS SELECT 'prepared', predict('wine', w.*) FROM wine AS w WHERE id = 1;"
    echo "CREATE FUNCTION loop() RETURNS float8 LANGUAGE plpgsql
        AS 'BEGIN RETURN predict(''wine'', w.*) FROM wine AS w WHERE id = 1; END';"
    echo "$score EXECUTE by_row; SELECT 'loop', loop();"
    echo "BEGIN; $score"
    other "SET lock_timeout = '200ms'; DROP EXTENSION hbscore CASCADE" # waits for the reader, whose models they are
    echo "$score COMMIT;"
    other "DROP EXTENSION hbscore CASCADE"
    echo "$score EXECUTE by_row; SELECT 'loop', loop();"
    other "CREATE EXTENSION hbscore"
    echo "$score"
    other "SELECT hbscore.register('wine', model_file('wine_lightgbm.txt')) > 0"
    other "SELECT hbscore.register('wine', model_file('wine.ubj')) > 0"
    echo "$score EXECUTE by_row; SELECT 'loop', loop();"
    echo "SELECT 'versions', hbscore.register('wine', model_file('wine.ubj'));"
} | sql dropped >"$work/dropped.log" 2>&1
expected="$wine_score
prepared|${wine_score#score|}
loop|${wine_score#score|}
$wine_score
ERROR:  canceling statement due to lock timeout
$wine_score
ERROR:  42883: function predict(unknown, wine) does not exist
ERROR:  42883: function predict(unknown, wine) does not exist
ERROR:  42883: function predict(unknown, wine) does not exist
ERROR:  42704: unknown model \"wine\"
t
t
$wine_score
prepared|${wine_score#score|}
loop|${wine_score#score|}
versions|3"
is "$(grep -E '^(score|prepared|loop|versions|ERROR|t$)' "$work/dropped.log")" "$expected" \
    "[L5] DROP and CREATE EXTENSION beside a session with plans: it waits for readers, then errors, then the new models"
is "$(sql dropped "BEGIN; DROP EXTENSION hbscore CASCADE; ROLLBACK; $score")" "$wine_score" \
    "[L5] DROP EXTENSION that is rolled back"
sql dropped "DROP EXTENSION hbscore CASCADE" >"$work/out"
is "$(sql dropped "SELECT (SELECT count(*) FROM pg_proc WHERE probin LIKE '%hbscore%'),
    (SELECT count(*) FROM pg_namespace WHERE nspname = 'hbscore')")" "0|0" "[L5] nothing of it is left"

# ---- R6: many models in many sessions, each with room for a few plans

MODELS=30
SESSIONS=40
make_database many
sql many "SELECT hbscore.register('titanic ' || rounds, model_file('titanic.json'),
    options => jsonb_build_object('classes', '[\"died\", \"survived\"]'::jsonb, 'rounds', rounds))
    FROM generate_series(1, $MODELS) AS rounds" >"$work/out"
sizes=$(sql many "SELECT count(predict_label('titanic ' || rounds, p.*)) FROM passengers AS p,
    generate_series(1, $MODELS) AS rounds WHERE id = 1; SELECT sum(bytes), max(bytes) FROM hbscore.cache" | tail -n 1)
largest=${sizes#*|}
room=$((3 * largest / 1024 + 1)) # kB
note "$MODELS models of ${sizes%|*} bytes in all as plans, $SESSIONS sessions with room for $room kB each"

# All wait for a lock, so that they are there together.
cat >"$work/many.sql" <<SQL
SET hbscore.plan_cache_size = $room;
CREATE TEMPORARY TABLE turn AS SELECT m, row_number() OVER (ORDER BY random()) FROM generate_series(1, $MODELS) AS m,
    generate_series(1, 2);
SELECT pg_advisory_lock_shared(1) \\g /dev/null
DO \$\$
DECLARE turn record; kept int8; most int8 := 0;
BEGIN
    CREATE TEMPORARY TABLE answers AS SELECT 0 AS m, 0::float8 AS sum LIMIT 0;
    FOR turn IN SELECT m FROM turn ORDER BY row_number LOOP
        INSERT INTO answers SELECT turn.m, sum(predict_probability('titanic ' || turn.m, 'survived', p.*) ORDER BY id)
            FROM passengers AS p WHERE id <= 5;
        SELECT coalesce(sum(bytes), 0) INTO kept FROM hbscore.cache WHERE NOT in_use;
        most := greatest(most, kept);
    END LOOP;
    IF most > $room * 1024 THEN RAISE 'the cache had % bytes', most; END IF;
END \$\$;
SELECT 'answers', count(DISTINCT m), count(DISTINCT (m, sum)),
    md5(string_agg(DISTINCT m || ' ' || float8send(sum)::text, ',')) FROM answers;
SELECT 'loads', sum(loads) > $MODELS FROM hbscore.stats;
SELECT 'memory', sum(used_bytes) < $room * 1024 * 1.5 + 65536 FROM pg_backend_memory_contexts WHERE name LIKE 'hbscore%'
    AND name <> 'hbscore statistics';
SQL
{
    echo "SELECT pg_advisory_lock(1) \\g /dev/null"
    echo "SELECT pg_sleep(300) \\g /dev/null"
} | PGAPPNAME=gate sql many >"$work/gate.log" 2>&1 &
gate=$!
ok "[R6] a gate" wait_for many "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"
running=
for i in $(seq $SESSIONS); do
    sql many <"$work/many.sql" >"$work/many.$i.log" 2>&1 &
    running="$running $!"
done
ok "[R6] $SESSIONS sessions at once" wait_for many "SELECT count(*) = $SESSIONS FROM pg_locks
    WHERE locktype = 'advisory' AND NOT granted"
sql many "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gate'" >"$work/out"
wait $running $gate
expected=$(sql many "SELECT md5(string_agg(DISTINCT m || ' ' || float8send(sum)::text, ',')) FROM
    (SELECT m, sum(predict_probability('titanic ' || m, 'survived', p.*) ORDER BY id)
        FROM generate_series(1, $MODELS) AS m, passengers AS p WHERE id <= 5 GROUP BY m) AS a")
is "$(cat "$work"/many.*.log | grep -c ERROR)" 0 "[R6] no session has an error"
is "$(cat "$work"/many.*.log | grep '^loads' | sort | uniq -c | tr -s ' ')" " $SESSIONS loads|t" \
    "[R6] each had to compile models again"
is "$(cat "$work"/many.*.log | grep '^memory' | sort | uniq -c | tr -s ' ')" " $SESSIONS memory|t" \
    "[R6] each stayed within its room"
is "$(cat "$work"/many.*.log | grep '^answers' | sort | uniq -c | tr -s ' ')" \
    " $SESSIONS answers|$MODELS|$MODELS|$expected" \
    "[R6] and all have the same scores, each time"

# ---- R6: verifying many versions takes the room of one

make_big_database verified 100
size=$(($(stat -c %s "$work/models/big.json") / 1024))
sql verified "SELECT count(hbscore.register('big', model)) FROM big, generate_series(1, 10)" >"$work/out"
most="\\! sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/\$BACKEND/status"
peaks=$(sql verified <<SQL
SELECT pg_backend_pid() AS pid \\gset
\\setenv BACKEND :pid
SELECT count(ok), count(note) FROM generate_series(1, 10) AS v, hbscore.verify('big@' || v) \\g /dev/null
$most
SELECT count(*) FROM hbscore.verify('big') \\g /dev/null
$most
SQL
)
one=$(echo "$peaks" | head -n 1)
all=$(echo "$peaks" | tail -n 1)
note "ten versions of $size kB: at most $one kB to verify one after the other, $all kB to verify all"
ok "[R6] ten versions are verified in the room of one" test "$((all - one))" -lt "$((2 * size))"
finish
