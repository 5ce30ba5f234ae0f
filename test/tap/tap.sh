# tap.sh - what the tests of this folder share: TAP from a shell, beside the server of tools/postgres_server.sh.
#
# A test sources this file in the repository's root, makes its checks and ends with `finish`. The text of a check may
# begin with a class of reliability that it is a case of, "[R5] ..": test/tap/run.sh counts by these.
set -u
. tools/postgres_clusters.sh

checks=0
failures=0
work=$(mktemp -d "$HBSCORE_SERVER/tap.XXXXXX")
chmod 777 "$work" # the server reads and writes there too

ok() { # TEXT COMMAND [ARGUMENT..]: what it prints is shown where it fails
    text=$1
    shift
    checks=$((checks + 1))
    if "$@" >"$work/check" 2>&1; then
        echo "ok $checks - $text"
    else
        failures=$((failures + 1))
        echo "not ok $checks - $text"
        sed 's/^/# /' "$work/check"
    fi
}

equal() {
    [ "$1" = "$2" ] && return
    printf 'got:  %s\nwant: %s\n' "$1" "$2"
    return 1
}

is() { ok "$3" equal "$1" "$2"; } # GOT WANT TEXT

matches() {
    printf '%s\n' "$1" | grep -Eq -- "$2" && return
    printf 'got:  %s\nwant: /%s/\n' "$1" "$2"
    return 1
}

like() { ok "$3" matches "$1" "$2"; } # GOT PATTERN TEXT

note() { echo "# $*"; }

finish() {
    echo "1..$checks"
    exit $((failures > 0))
}

# What a statement or a script (standard input) prints, errors and notices too: ERROR:  57014: canceling ..
sql() { # DATABASE [STATEMENT]
    if [ $# -gt 1 ]; then
        psql -X -q -A -t -v VERBOSITY=verbose -d "$1" -c "$2" 2>&1 | without_location
    else
        psql -X -q -A -t -v VERBOSITY=verbose -d "$1" 2>&1 | without_location
    fi
}

# The line of PostgreSQL's source that raised an error is none of its text.
without_location() { sed '/^LOCATION: /d'; }

# Waits until the statement gives true; fails after half a minute.
wait_for() { # DATABASE STATEMENT
    for _ in $(seq 300); do
        [ "$(sql "$1" "$2")" = t ] && return
        sleep 0.1
    done
    echo "never true: $2"
    return 1
}

# A database with the extension, two tables of demo/data, model_file('titanic.json') for the bytes of demo/models, and
# register_titanic() for its next version, of fewer rounds where they are given.
make_database() { # NAME
    createdb "$1"
    cp -r demo/models demo/data "$work"
    chmod -R a+rX "$work/models" "$work/data"
    sql "$1" <<SQL
CREATE EXTENSION hbscore;
CREATE FUNCTION model_file(name text) RETURNS bytea LANGUAGE sql SECURITY DEFINER
    AS \$\$ SELECT pg_read_binary_file('$work/models/' || name) \$\$;
CREATE FUNCTION register_titanic(rounds int DEFAULT NULL) RETURNS int LANGUAGE sql AS \$\$
    SELECT hbscore.register('titanic', model_file('titanic.json'), options => jsonb_strip_nulls(
        jsonb_build_object('classes', '["died", "survived"]'::jsonb, 'rounds', rounds))) \$\$;
CREATE TABLE passengers (id int PRIMARY KEY, split text, fate text, pclass int, sex text, age float8, sibsp int,
    parch int, fare float8, embarked text);
CREATE TABLE wine (id int PRIMARY KEY, split text, cultivar text,
    alcohol float8, malic_acid float8, ash float8, alcalinity_of_ash float8, magnesium float8,
    total_phenols float8, flavanoids float8, nonflavanoid_phenols float8, proanthocyanins float8,
    color_intensity float8, hue float8, od280_od315_of_diluted_wines float8, proline float8);
COPY passengers FROM '$work/data/titanic.csv' (FORMAT csv, HEADER);
COPY wine FROM '$work/data/wine.csv' (FORMAT csv, HEADER);
SQL
}

# A digest of all scores of a model, to the last bit.
titanic_digest() { # REFERENCE: the statement
    echo "SELECT md5(string_agg(float8send(predict_probability('$1', 'survived', p.*))::text, ',' ORDER BY id))
        FROM passengers AS p;"
}
titanic_scores() { sql "$1" "$(titanic_digest "$2")"; } # DATABASE REFERENCE
wine_scores() { # DATABASE REFERENCE
    sql "$1" "SELECT md5(string_agg(array_send(predict_proba('$2', w.*))::text, ',' ORDER BY id)) FROM wine AS w"
}

# Everything of both tables.
contents() { # DATABASE
    sql "$1" "SELECT name, version, encode(sha256, 'hex'), encode(sha256(model), 'hex'), format, description, options,
        created_at, created_by, golden FROM hbscore.models ORDER BY 1, 2; SELECT * FROM hbscore.aliases ORDER BY 1, 2"
}

# A database with a model that takes a while: model_file('big.json'), tens of MB, not registered; and 'titanic'.
make_big_database() { # NAME TIMES, that its trees are repeated
    make_database "$1"
    perl test/tap/grow_model.pl "$2" <demo/models/cancer.json >"$work/models/big.json"
    chmod a+r "$work/models/big.json"
    sql "$1" >"$work/out" <<'SQL'
CREATE TABLE big (model bytea);
ALTER TABLE big ALTER model SET STORAGE EXTERNAL;
INSERT INTO big SELECT model_file('big.json');
SELECT register_titanic();
SQL
}
REGISTER="SELECT hbscore.register('big', model) FROM big"
FEATURES="array_fill(1.0::float8, ARRAY[30])"
SCORE="SELECT count(predict('big', array_fill(i::float8, ARRAY[30]))) FROM generate_series(1, 1000000) AS i"

# Starts a session whose statement takes long, and waits until it runs: $session is its process here, $backend that of
# the server.
start_session() { # DATABASE NAME STATEMENT [MORE, after it]
    printf "SET application_name = '%s';\n%s;\n%s\n" "$2" "$3" "${4:-}" | sql "$1" >"$work/$2.log" &
    session=$!
    wait_for "$1" "SELECT count(*) = 1 FROM pg_stat_activity
        WHERE application_name = '$2' AND query LIKE 'SELECT%'" || return
    backend=$(sql "$1" "SELECT pid FROM pg_stat_activity WHERE application_name = '$2'")
}
