#!/bin/sh
# upgrade_server.sh - pg_upgrade takes a cluster's models to a new one.
. test/tap/tap.sh
trap 'cluster_stop old immediate; cluster_stop new immediate' EXIT

for cluster in old new; do ok "a cluster, $cluster" cluster_init $cluster; done
cluster_configure old 5436 </dev/null
cluster_configure new 5437 </dev/null
ok "the old one starts" cluster_start old
export PGPORT=5436
make_database upgraded
sql upgraded >"$work/out" <<'SQL'
SELECT register_titanic();
SELECT hbscore.register('titanic', model_file('titanic_catboost.json'));
SELECT hbscore.drop('titanic', 2);
SELECT hbscore.deploy('titanic', 1);
CREATE INDEX fate ON passengers (predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked));
SELECT hbscore.create_predict_function('titanic', 'fate');
CREATE ROLE scorer IN ROLE hbscore_scorer;
CREATE ROLE stranger IN ROLE hbscore_scorer;
GRANT SELECT ON passengers TO scorer, stranger;
ALTER TABLE hbscore.models ENABLE ROW LEVEL SECURITY;
CREATE POLICY scorers ON hbscore.models TO scorer USING (true);
SQL
all() {
    contents upgraded
    sql upgraded "SET enable_seqscan = off; SELECT count(*) FROM passengers
        WHERE predict_label_version('titanic@1', pclass, sex, age, sibsp, parch, fare, embarked) = 'survived'"
    sql upgraded "SELECT count(*) FROM passengers
        WHERE fate(pclass, sex, age, sibsp, parch, fare, embarked) = 'survived'"
    titanic_scores upgraded titanic
    for role in scorer stranger; do
        sql upgraded "SET ROLE $role; $(titanic_digest titanic)"
        sql upgraded "SET ROLE $role; SELECT count(*) > 0 FROM hbscore.session_stats()"
    done
    sql upgraded "SELECT * FROM hbscore.row_security; SELECT hbscore.interface()"
}
before=$(all)
like "$before" '^[0-9a-f]{32}$' "it scores"
like "$before" 'unknown model "titanic"|names version 1, which is not there' "but for a role that row security hides its models from"
ok "the old one stops" cluster_stop old
upgrade() { # FOLDER of the programs
    (cd "$work" && as_user pg_upgrade -b "$1" -B "$1" -d "$HBSCORE_SERVER/old" -D "$HBSCORE_SERVER/new" \
        -p 5436 -P 5437 -U postgres -s "$work")
}
ok "pg_upgrade" upgrade "$(dirname "$(command -v initdb)")"
ok "the new one starts" cluster_start new
export PGPORT=5437
is "$(all)" "$before" "[R5] pg_upgrade: models, aliases, scores, index, typed function, rights and policies as before"
is "$(sql upgraded "SELECT hbscore.register('titanic', model_file('titanic.json'))")" 3 \
    "[R5] pg_upgrade: a dropped number stays taken"
finish
