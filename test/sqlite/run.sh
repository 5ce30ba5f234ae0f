#!/bin/sh
# run.sh - the SQL scripts of this folder, each in a sqlite3 shell of its own: test/sqlite/run.sh [EXTENSION [NAME..]]
#
# NAME.sql is run in memory with the extension loaded ($HBSCORE_SO if no argument names it), and what it prints,
# errors too, must be NAME.out. Behind a line "-- S3: what" the statements are cases of class S3
# (test/classes.txt), behind "-- : what" of none. NAMEs: only those. UPDATE=1 writes the .out files instead. DEVICE=cuda: the GPU
# that there is scores all blocks but each statement's first; settings.sql, which looks at it, is left out.
set -u
cd "$(dirname "$0")/../.." || exit 2

extension=${1:-${HBSCORE_SO:-build/hbscore.so}}
[ $# -gt 0 ] && shift
case $extension in /*) ;; *) extension=$PWD/$extension ;; esac
[ -f "$extension" ] || { echo "run.sh: no extension at $extension" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

[ $# -gt 0 ] || set -- $(cd test/sqlite && ls ./*.sql | sed 's,^\./,,; s,\.sql$,,' | grep -vx "${DEVICE:+settings}")
load=".load ${extension%.so}"
on_device="SELECT hbscore_set('device', '${DEVICE:-}'), hbscore_set('debug_device_rows', 1)"
run_shell() { # COMMAND BEFORE..
    stdbuf -o0 sqlite3 -batch -init /dev/null -cmd "$load" "$@" :memory:
}
with_device() {
    if [ -n "${DEVICE:-}" ]; then
        run_shell -cmd '.output /dev/null' -cmd "$on_device" -cmd '.output'
    else
        run_shell
    fi
}
for name; do
    # Unbuffered, so that errors stand between the results. Their line numbers would change with every edit.
    (cd "$work" && ln -sfn "$OLDPWD/demo" demo && ln -sfn "$OLDPWD/test" test &&
        with_device <"test/sqlite/$name.sql" 2>&1) | sed -E 's/^(Runtime|Parse) error near line [0-9]+: /error: /' >"$work/$name.got"
    if [ -n "${UPDATE:-}" ]; then
        cp "$work/$name.got" "test/sqlite/$name.out"
    fi
    if diff -u "test/sqlite/$name.out" "$work/$name.got" >"$work/diff"; then
        passed=$((passed + 1))
        ok=0
        echo "ok      $name"
    else
        failed=$((failed + 1))
        ok=1
        echo "FAILED  $name"
        cat "$work/diff"
    fi
    # Which case of a script failed is not known: one failure for each class in it.
    awk -v ok=$ok '/^-- ([A-Z]+[0-9]+)?: / { class = $2; sub(/:/, "", class) }
        /;$/ && class != "" { n[class]++ }
        END { for (c in n) print c, n[c], ok }' "test/sqlite/$name.sql" >>"$work/classes"
done
[ -f "$work/classes" ] && awk '{ cases[$1] += $2; failures[$1] += $3 }
    END { for (c in cases) print "class " c ": " cases[c] " cases, " failures[c] " failures" }' "$work/classes" | sort
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
