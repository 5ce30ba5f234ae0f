#!/bin/sh
# standby.sh - a physical standby scores, is promoted, and a point in time is recovered.
. test/tap/tap.sh
trap 'cluster_stop recovered immediate; cluster_stop standby immediate' EXIT

make_database primary
sql primary >"$work/out" <<'SQL'
SELECT hbscore.register('titanic', model_file('titanic.json'), options => '{"classes": ["died", "survived"],
    "golden": {"rows": [[3, "male", 22, 1, 0, 7.25, "S"]], "prediction": ["died"]}}');
SELECT hbscore.register('wine', model_file('wine.ubj'));
SELECT hbscore.deploy('titanic', 1);
SQL
ok "the primary is filled" sh -c "! grep ERROR '$work/out'"

backup() { # CLUSTER PORT [OPTION OF pg_basebackup], lines for postgresql.conf on standard input
    as_user pg_basebackup -D "$HBSCORE_SERVER/$1" --checkpoint=fast --no-sync $3 >"$work/backup.log" 2>&1 &&
        cluster_configure "$1" "$2"
}
on() { # PORT COMMAND..: with that cluster
    port=$1
    shift
    (export PGPORT="$port"; "$@")
}
caught_up() {
    position=$(sql primary "SELECT pg_current_wal_lsn()")
    on 5433 wait_for primary "SELECT pg_last_wal_replay_lsn() >= '$position'"
}

ok "a backup" backup recovered 5434 "" <<CONF
restore_command = 'cp $HBSCORE_SERVER/data/pg_wal/%f %p'
recovery_target_name = 'before the deploy'
recovery_target_action = promote
CONF
ok "and another, for a standby" backup standby 5433 -R <<CONF
hot_standby = on
CONF
ok "the standby starts" cluster_start standby
ok "and follows" caught_up

titanic=$(titanic_scores primary titanic)
wine=$(wine_scores primary wine)
is "$(on 5433 titanic_scores primary titanic)" "$titanic" "[R4] a standby scores, bit by bit"
is "$(on 5433 wine_scores primary wine)" "$wine" "[R4] also UBJSON"
is "$(on 5433 sql primary "SELECT rows, ok FROM hbscore.verify('titanic@1')")" "1|t" \
    "[R4] golden rows are verified on a standby"
like "$(on 5433 sql primary "SELECT hbscore.register('more', model_file('wine.ubj'))")" 'ERROR:  25006' \
    "[R4] registering on a standby is refused"
like "$(on 5433 sql primary "SELECT hbscore.deploy('titanic', 1)")" 'ERROR:  25006' "[R4] so is a deploy"
like "$(on 5433 sql primary "SELECT hbscore.drop('titanic', 1)")" 'ERROR:  25006' "[R4] so is a drop"

# ---- what the primary does is seen, also by a session that has scored; a statement has one version
cat >"$work/watch.sql" <<SQL
SELECT count(*), count(DISTINCT predict_probability('titanic', 'survived', p.*)) > 1 FROM passengers AS p \\g /dev/null
SELECT count(*) FROM hbscore.cache;
\\! psql -X -q -p 5432 -d primary -c "SELECT register_titanic(20)" -o /dev/null
\\! psql -X -q -p 5432 -d primary -c "SELECT pg_create_restore_point('before the deploy')" -o /dev/null
\\! psql -X -q -p 5432 -d primary -c "SELECT hbscore.deploy('titanic', 2)" -o /dev/null
DO \$\$ BEGIN
    WHILE hbscore.pin('titanic')::text NOT LIKE 'titanic@2#%' LOOP PERFORM pg_sleep(0.01); END LOOP;
END \$\$;
$(titanic_digest titanic)
SQL
is "$(on 5433 sql primary <"$work/watch.sql")" "1
$(titanic_scores primary titanic)" "[R4] a deploy on the primary is seen in a session of the standby that has scored"
like "$(test "$(titanic_scores primary titanic)" != "$titanic" && echo other)" other "and it scores otherwise"

# ---- scoring while registrations and deploys are replayed: each answer is that of one version
cat >"$work/busy.sql" <<SQL
SELECT hbscore.deploy('titanic', 1);
SELECT hbscore.register('wine', model_file('wine.ubj'));
SELECT hbscore.deploy('titanic', 2);
SQL
for _ in $(seq 20); do cat "$work/busy.sql"; done | sql primary >"$work/busy.log" &
busy=$!
answers=$(for _ in $(seq 30); do on 5433 titanic_scores primary titanic; done | sort -u)
wait "$busy"
ok "[L4] the primary registers and deploys meanwhile" sh -c "! grep ERROR '$work/busy.log'"
is "$(printf '%s\n' "$answers" | grep -vc "^\($titanic\|$(titanic_scores primary titanic@2)\)$")" 0 \
    "[L4] a standby that replays them answers with one version or the other"
ok "and it comes to the end" caught_up

# ---- the primary goes, the standby takes over
deployed=$(titanic_scores primary titanic)
is "$(on 5433 sql primary "SELECT pg_promote()")" t "the standby is promoted"
is "$(on 5433 titanic_scores primary titanic)" "$deployed" "[R4] promoted, it scores as before"
is "$(on 5433 sql primary "SELECT hbscore.register('titanic', model_file('titanic_catboost.json'))")" 3 \
    "[R4] promoted, it registers"
is "$(on 5433 sql primary "SELECT hbscore.deploy('titanic', 1)")" 1 "[R4] promoted, it deploys"
is "$(on 5433 titanic_scores primary titanic)" "$titanic" "[R4] and scores the version that was deployed"

# ---- a point in time: version 2 is there and not deployed
sql primary "SELECT pg_switch_wal()" >"$work/out"
as_user touch "$HBSCORE_SERVER/recovered/recovery.signal"
ok "a backup is recovered to a point in time" cluster_start recovered
ok "and open" on 5434 wait_for primary "SELECT NOT pg_is_in_recovery()"
is "$(on 5434 sql primary "SELECT hbscore.pin('titanic')::text ~ '^titanic@1#'")" t \
    "[R4] the deploy after it has not happened"
is "$(on 5434 titanic_scores primary titanic)" "$titanic" "[R4] version 1 scores, bit by bit"
is "$(on 5434 titanic_scores primary titanic@2)" "$deployed" "[R4] version 2 too"
is "$(on 5434 sql primary "SELECT hbscore.register('titanic', model_file('titanic_catboost.json'))")" 3 \
    "[R4] recovered, it registers"
finish
