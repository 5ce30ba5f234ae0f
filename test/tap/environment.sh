#!/bin/sh
# environment.sh - a server whose environment names an instruction set that there is not: an error with the names, and no guess.
. test/tap/tap.sh
trap 'cluster_stop environment immediate' EXIT

ok "a cluster" cluster_init environment
cluster_configure environment 5438 </dev/null
export PGPORT=5438
ok "it starts" cluster_start environment
make_database sets
is "$(sql sets "SELECT register_titanic()")" 1 "a model"
ok "it stops" cluster_stop environment
call="SELECT predict_label('titanic', 1, 'female', 29, 0, 0, 211, 'S')"

# Starts it with a name, looks at what it answers and stops it.
named() { # NAME PATTERN TEXT
    SERVER_ENVIRONMENT=HBSCORE_INSTRUCTION_SET=$1 cluster_start environment
    like "$(sql sets "$call")" "$2" "$3: a call"
    like "$(sql sets "SELECT hbscore.register('other', model_file('titanic.json'))")" "$4" "$3: a registration"
    cluster_stop environment
}
unknown='variable HBSCORE_INSTRUCTION_SET is "avx3": it takes portable, avx2, avx512 or avx512vbmi'
named avx3 "$unknown" "an unknown name" "$unknown"
named portable '^survived$' "a name" '^1$'
named '' '^survived$' "no name" '^2$'
finish
