# shellcheck shell=sh
# Read by run.sh and own.sh: the sqlite3 shell with the extension loaded, and messages.

fail() {
    echo "demo: $*" >&2
    exit 1
}

need_file() {
    if [ ! -f "$1" ] || [ ! -r "$1" ]; then
        fail "cannot read the file $1"
    fi
}

# A text between double quotes for a dot command of the shell.
dot_quote() {
    printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"
}

# A text as an SQL literal.
sql_quote() {
    printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"
}

# use_extension FILE: checks that there is a shell that can load it.
use_extension() {
    command -v sqlite3 >/dev/null ||
        fail "needs the sqlite3 shell (Debian: apt install sqlite3)"
    [ -r "$1" ] || fail "no extension at $1: build it first (make)"
    case $1 in
    /*) load=$1 ;;
    *) load=./$1 ;; # without a slash the system's library path would be searched
    esac
    load=$(dot_quote "${load%.*}") # the shell adds the suffix
    sql :memory: 'SELECT 1;' >/dev/null ||
        fail "the sqlite3 shell could not load $1"
}

# sql DATABASE [SQL]: runs SQL, or its standard input; stops at the first error. Views of the demo's database score, and
# some builds of SQLite (Debian 13's) do not trust a file's views.
sql() {
    sqlite3 -batch -bail -init /dev/null -cmd ".load $load" -cmd "PRAGMA trusted_schema = ON;" "$@"
}
