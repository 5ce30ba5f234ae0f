#!/bin/sh
# check_includes.sh - the dependency rule, checked over the #include lines: tools/check_includes.sh [ROOT]
#
# The table below is the rule: a file of the folder (or the one file) on the left may include its own folder's headers, those
# of the folders in the middle, and the system headers on the right ("*": any; SERVER: those of PostgreSQL, which stand
# in quotes). Every folder may include core/hbscore.h. The first row that fits a file counts. A header that no row allows is printed with file and
# line. Without ROOT the script first checks itself against planted breaches.
set -u

rule() {
    cat <<'TABLE'
core/base/number.c    | core/base | errno.h locale.h stdlib.h LIBC
core/base/float_mode.h | core/base | immintrin.h fenv.h LIBC
core/base             | | cpuid.h immintrin.h LIBC
core/ir               | core/base | LIBC
core/format           | core/base core/ir | LIBC
core/kernel/instruction_set.c | core/base | stdlib.h LIBC
core/kernel/isa.h     | core/base | immintrin.h LIBC
core/kernel           | core/base | LIBC
core/forest           | core/base core/ir core/kernel | LIBC
core/op               | core/base core/ir core/kernel core/forest | LIBC
core/graph            | core/base core/ir core/kernel core/forest core/op | LIBC
core/plan             | core/base core/ir core/kernel core/forest core/op core/graph core/hbs_backend.h | LIBC
core/hbscore.c        | core/base core/ir core/format core/kernel core/forest core/op core/graph core/plan core/hbs_backend.h | LIBC
core/hbscore.h        | | LIBC
core/hbs_backend.h    | | LIBC
gpu/walk.h            | | stdint.h
gpu/cuda.c            | core/hbs_backend.h | pthread.h signal.h stdlib.h time.h unistd.h LIBC
gpu/driver.c          | core/hbs_backend.h | dlfcn.h LIBC
gpu                   | core/hbs_backend.h | LIBC
host/blas.c           | | pthread.h stdatomic.h sys/mman.h unistd.h LIBC
host/libdl.h          | | dlfcn.h LIBC
host/device.c         | core/hbs_backend.h | fcntl.h pthread.h stdatomic.h stdlib.h sys/stat.h sys/syscall.h unistd.h LIBC
host/pages.c          | | sys/mman.h LIBC
host/clock.c          | | time.h LIBC
host                  | core/hbs_backend.h | LIBC
sqlite                | core/hbs_backend.h host | sqlite3.h sqlite3ext.h LIBC
postgres              | core/hbs_backend.h host | * SERVER
bench/load            | host | *
bench/gpu             | core/hbs_backend.h | *
bench                 | | *
demo                  | | *
test/sqlite/test_nearest.c | host test | *
test/postgres/columnar | | * SERVER
test/postgres/next    | | * SERVER
test/postgres/fake_gpu | test | * SERVER
test                  | core/base core/ir core/format core/kernel core/forest core/op core/graph core/plan core/hbs_backend.h gpu bench/common/malloc_host.h test | *
TABLE
}
# Headers of the C library that a file inside a database may include: none that aborts, allocates, opens,
# signals or depends on the locale. <stdio.h> is there for snprintf (tools/check_symbols.sh sees the rest).
LIBC="float.h inttypes.h limits.h math.h stdarg.h stdbool.h stddef.h stdint.h stdio.h string.h"

# check ROOT: prints the breaches; status 1 if there are any.
check() {
    (
        cd "$1" || exit 2
        find core gpu host sqlite postgres bench demo test -name '*.[ch]' -o -name '*.cu' -o -name '*.def' -o -name '*.inc' 2>/dev/null | sort |
            xargs grep -n '^[ 	]*#[ 	]*include' /dev/null 2>/dev/null |
            RULE="$(rule | sed "s/LIBC/$LIBC/")" awk '
function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "" }
function exists(path,    line, there) {
    if (path in known) return known[path]
    there = (getline line < path) >= 0
    close(path)
    return known[path] = there
}
function fits(path, row) { return path == row || index(path, row "/") == 1 }
function row_of(file,    i) {
    for (i = 1; i <= n_rows; i++) if (fits(file, row[i])) return i
    return 0
}
function breach(text) { print file ":" line ": " text; n_breaches++ }
function check_own(name,    path, i, n, f) {
    if (exists(folder(file) "/" name)) path = folder(file) "/" name
    else if (exists("core/" name)) path = "core/" name
    else if (exists(name)) path = name
    else if (exists("test/" name)) path = "test/" name
    else if (system_headers[r] ~ /SERVER$/) return
    else { breach("includes \"" name "\", which is in no known folder"); return }
    while (sub(/[^\/]+\/\.\.\//, "", path)) {}
    if (path == "core/hbscore.h") return
    if (row[r] ~ /\.[ch]$/ ? folder(path) == folder(row[r]) && folder(path) != "core" : fits(path, row[r])) return
    n = split(own[r], f, " ")
    for (i = 1; i <= n; i++) if (fits(path, f[i])) return
    breach("includes \"" name "\": " row[r] " may include " (own[r] == "" ? "no other folder" : own[r]))
}
function check_system(name,    i, n, f) {
    n = split(system_headers[r], f, " ")
    for (i = 1; i <= n; i++) if (f[i] == name || f[i] == "*") return
    if (exists("core/" name)) { breach("includes <" name ">: our own headers stand in quotes"); return }
    breach("includes <" name ">: " row[r] " may include " system_headers[r])
}
BEGIN {
    n_rows = split(ENVIRON["RULE"], lines, "\n")
    for (i = 1; i <= n_rows; i++) {
        split(lines[i], f, /[ \t]*\|[ \t]*/)
        row[i] = f[1]; own[i] = f[2]; system_headers[i] = f[3]
    }
}
{
    split($0, at, ":")
    file = at[1]; line = at[2]
    text = substr($0, length(file) + length(line) + 3)
    n_lines++
    r = row_of(file)
    if (!r) { breach("is in a folder that the rule does not know"); next }
    if (match(text, /"[^"]+"/)) check_own(substr(text, RSTART + 1, RLENGTH - 2))
    else if (match(text, /<[^>]+>/)) check_system(substr(text, RSTART + 1, RLENGTH - 2))
    else breach("includes what the rule cannot read")
}
END {
    if (!n_lines) { print "no #include line was found"; n_breaches++ }
    print n_lines + 0 " #include lines, " n_breaches + 0 " breaches"
    exit n_breaches > 0
}'
    )
}

# The rule must find what it is there for: each breach is planted alone in a small tree that is right without.
self_check() {
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    found=0
    missed=0
    plant() { # FILE, INCLUDE: must be found, with the file's name
        rm -rf "${tree:?}"/*
        mkdir -p "$tree/core/base" "$tree/core/ir" "$tree/core/format" "$tree/core/graph" "$tree/core/plan" \
            "$tree/core/kernel" "$tree/core/forest" "$tree/core/op" "$tree/host" "$tree/sqlite" "$tree/postgres" "$tree/gpu" "$tree/bench/load" "$tree/test/core"
        for header in core/hbscore core/base/a core/ir/b core/format/c core/graph/d core/plan/e core/kernel/f \
            core/forest/g core/op/o core/hbs_backend gpu/u host/h sqlite/sq postgres/pg; do
            echo '#include <stddef.h>' >"$tree/$header.h"
        done
        printf '#include "%s"\n' ir/b.h forest/g.h >"$tree/core/op/o.c"
        printf '#include "%s"\n' op/o.h forest/g.h >"$tree/core/graph/d.c"
        printf '#include "%s"\n' op/o.h graph/d.h >"$tree/core/plan/e.c"
        echo '#include "format/c.h"' >"$tree/core/hbscore.c"
        echo '#include "hbs_backend.h"' >"$tree/gpu/u.c"
        echo '#include "hbscore.h"' >"$tree/sqlite/sq.c"
        printf '#include "%s"\n' postgres.h utils/builtins.h host/h.h pg.h >"$tree/postgres/pg.c"
        if ! check "$tree" >"$tree/out"; then
            echo "a tree without a breach was refused:"
            cat "$tree/out"
            missed=$((missed + 1))
        fi
        echo "#include $2" >>"$tree/$1"
        if ! check "$tree" >"$tree/out" && grep -q "^$1:" "$tree/out"; then
            found=$((found + 1))
        else
            echo "a planted breach was not found: $1 includes $2"
            missed=$((missed + 1))
        fi
    }
    plant core/base/a.c '"ir/b.h"'
    plant core/format/c.c '"graph/d.h"'
    plant core/graph/d.c '"format/c.h"'
    plant core/ir/b.c '"../graph/d.h"'
    plant core/kernel/f.c '"forest/g.h"'
    plant core/kernel/f.c '"ir/b.h"'
    plant core/forest/g.c '"graph/d.h"'
    plant core/forest/g.c '"op/o.h"'
    plant core/kernel/f.c '"op/o.h"'
    plant core/ir/b.c '"op/o.h"'
    plant core/op/o.c '"graph/d.h"'
    plant core/op/o.c '"plan/e.h"'
    plant core/op/o.c '"format/c.h"'
    plant core/graph/d.c '"plan/e.h"'
    plant core/format/c.c '<json.h>'
    plant core/base/a.c '<stdlib.h>'
    plant core/plan/e.c '<sqlite3.h>'
    plant core/base/a.c '<hbscore.h>'
    plant sqlite/sq.c '"base/a.h"'
    plant sqlite/sq.c '"postgres.h"'
    plant postgres/pg.c '"base/a.h"'
    plant postgres/pg.c '"sqlite/sq.h"'
    plant host/h.c '"sqlite/sq.h"'
    plant host/h.c '"postgres/pg.h"'
    plant core/forest/g.c '"hbs_backend.h"'
    plant gpu/u.c '"base/a.h"'
    plant gpu/u.c '"host/h.h"'
    plant core/plan/e.c '"gpu/u.h"'
    plant host/h.c '"gpu/u.h"'
    plant bench/load/load.c '"plan/e.h"'
    plant core/other.c '"base/a.h"'
    echo "self-check: $found of $((found + missed)) planted breaches found"
}

if [ $# -gt 0 ]; then
    check "$1"
    exit $?
fi
self_check
check .
status=$?
echo "$((found + (status == 0))) passed, $((missed + (status != 0))) failed"
[ $status -eq 0 ] && [ $missed -eq 0 ]
