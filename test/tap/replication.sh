#!/bin/sh
# replication.sh - logical replication of hbscore.models and hbscore.aliases from one database to another.
. test/tap/tap.sh

make_database publisher
make_database subscriber
sql publisher >"$work/out" <<'SQL'
SELECT register_titanic();
SELECT hbscore.register('wine', model_file('wine.ubj'), '{"description": "first"}');
CREATE PUBLICATION models FOR TABLE hbscore.models, hbscore.aliases;
SELECT pg_create_logical_replication_slot('hbscore', 'pgoutput');
SQL
# A slot made beforehand: making it would wait for the transaction of CREATE SUBSCRIPTION in the same cluster.
sql subscriber "CREATE SUBSCRIPTION models CONNECTION 'host=$HBSCORE_SERVER user=postgres dbname=publisher'
    PUBLICATION models
    WITH (create_slot = false, slot_name = 'hbscore')" >>"$work/out"
ok "the subscription begins" sh -c "! grep ERROR '$work/out'"

caught_up() { # until the subscriber has all that is written so far
    position=$(sql publisher "SELECT pg_current_wal_lsn()")
    wait_for subscriber "SELECT count(*) > 0 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel" &&
        wait_for publisher "SELECT confirmed_flush_lsn >= '$position' FROM pg_replication_slots
            WHERE slot_name = 'hbscore'"
}
same() { # WHAT
    ok "[R4] $1: it arrives" caught_up
    is "$(contents subscriber)" "$(contents publisher)" "[R4] $1: the same rows"
}
scores_equal() { # WHAT
    is "$(titanic_scores subscriber titanic)" "$(titanic_scores publisher titanic)" \
        "[R4] $1: titanic scores, bit by bit"
    is "$(wine_scores subscriber wine)" "$(wine_scores publisher wine)" "[R4] $1: wine scores, bit by bit"
}

same "rows from before"
scores_equal "rows from before"
like "$(titanic_scores subscriber titanic)" '^[0-9a-f]{32}$' "scores, no error"
before=$(titanic_scores subscriber titanic)

# A session of the subscriber that has scored sees what comes.
sql publisher >"$work/out" <<'SQL'
SELECT register_titanic(5);
SQL
same "a new version"
scores_equal "a new version"
like "$(test "$(titanic_scores subscriber titanic)" != "$before" && echo other)" other \
    "[R4] the newest is what the name means there too"

sql publisher "SELECT hbscore.deploy('titanic', 1)" >"$work/out"
same "a deploy"
is "$(titanic_scores subscriber titanic)" "$before" "[R4] a deploy: version 1 scores again"

# The model's bytes are not sent again with this: the subscriber keeps its own, and their digest.
sql publisher "UPDATE hbscore.models SET description = 'second' WHERE name = 'wine'" >"$work/out"
same "a description"
scores_equal "a description"

sql publisher "SELECT hbscore.drop('titanic', 2)" >"$work/out"
same "a drop"
like "$(titanic_scores subscriber titanic@2)" 'ERROR:  42704' "[R4] a drop: the version is gone there"
is "$(sql subscriber "SELECT hbscore.register('titanic', model_file('titanic_catboost.json'))")" 3 \
    "[R4] a drop: its number stays taken there"
sql publisher "SELECT hbscore.drop('wine')" >"$work/out"
ok "[R4] a whole model's drop arrives" caught_up
like "$(wine_scores subscriber wine)" 'ERROR:  42704' "[R4] and it is gone"

# Rows that the subscriber cannot score come in: its triggers do not look at them, scoring does.
sql publisher >"$work/out" <<'SQL'
SET session_replication_role = replica;
INSERT INTO hbscore.models (name, version, model) VALUES ('broken', 1, '\x7b7d');
SQL
ok "[R4] a row that cannot be scored does not stop replication" caught_up
like "$(sql subscriber "SELECT predict('broken', 1)")" 'ERROR:  22P03' "[R4] scoring it is an error"

sql subscriber "DROP SUBSCRIPTION models" >"$work/out"
like "$(cat "$work/out")" 'dropped replication slot|^$' "the subscription ends"
finish
