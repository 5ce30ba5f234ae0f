#!/bin/sh
# check_install.sh - installs into an empty folder and uses what is there as docs/install.md says:
#   tools/check_install.sh BUILD
# The page's own Python and C blocks and compiler commands are what is run.
set -u
. tools/tally.sh
unset MAKEFLAGS MAKELEVEL # a make of its own, not one of `make check`'s jobs

build=${1:-build}
page=$PWD/docs/install.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

block() { # LANGUAGE: the first block of the page in it, with our folder in place of /usr/local
    awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } on && /^```/ { exit } on' $page | sed "s,/usr/local,$work/root,g"
}
command() { # START: the page's command that starts so
    sed "s,/usr/local,$work/root,g" $page | grep -m 1 "^$1"
}

make --no-print-directory BUILD="$build" install-sqlite PREFIX="$work/root" >"$work/out" 2>&1
result "make install-sqlite" $?
(cd "$work/root" && find . -type f | sort | tr '\n' ' ') >"$work/out"
[ "$(cat "$work/out")" = "./include/hbscore.h ./lib/hbscore.so ./lib/libhbscore.a ./lib/libhbscore_sqlite.a ./lib/pkgconfig/hbscore.pc " ]
result "installs five files" $?
make --no-print-directory BUILD="$build" install PREFIX=/usr DESTDIR="$work/package" >"$work/out" 2>&1 &&
    [ -f "$work/package/usr/lib/hbscore.so" ] && grep -q '^prefix=/usr$' "$work/package/usr/lib/pkgconfig/hbscore.pc"
result "DESTDIR stands before PREFIX" $?

ln -s "$PWD/demo" "$work/demo"
block python >"$work/page.py"
(cd "$work" && "${PYTHON:-/usr/bin/python3}" page.py) >"$work/out" 2>&1 && grep -Eq '^[01]$' "$work/out"
result "the page's Python: $(cat "$work/out")" $?

printf '.load %s\nSELECT count(*) FROM hbscore_models;\n' "$work/root/lib/hbscore" | sqlite3 -bail "$work/data.db" >"$work/out" 2>&1 &&
    [ "$(cat "$work/out")" = 1 ]
result "the sqlite3 shell loads it by path" $?

block c >"$work/app.c"
(cd "$work" && eval "$(command 'cc -o app')" && ./app) >"$work/out" 2>&1 && [ ! -s "$work/out" ]
result "the page's C program with the static extension" $?

cat >"$work/score.c" <<'C'
#include <hbscore.h>
#include <stdio.h>
#include <stdlib.h>
static void *allocate(void *c, size_t n) { (void)c; return malloc(n); }
static void *resize(void *c, void *p, size_t n) { (void)c; return realloc(p, n); }
static void release(void *c, void *p) { (void)c; free(p); }
int main(void)
{
    hbs_host host = {NULL, allocate, resize, release, NULL, NULL};
    hbs_source source = {"none", "no model", 8, NULL, 0};
    hbs_model *model = NULL;
    hbs_error error;
    if (hbs_model_load(&host, NULL, &source, &model, &error) == HBS_OK)
        return 1;
    return puts(error.text) < 0;
}
C
(cd "$work" && export PKG_CONFIG_PATH="$work/root/lib/pkgconfig" && eval "$(command 'cc -o score')" && ./score) >"$work/out" 2>&1
result "the core alone, by pkg-config: $(tail -n 1 "$work/out")" $?

make --no-print-directory BUILD="$build" uninstall-sqlite PREFIX="$work/root" >"$work/out" 2>&1 &&
    [ -z "$(find "$work/root" -type f)" ]
result "make uninstall-sqlite leaves no file" $?

if [ -d "$(pg_config --includedir-server 2>/dev/null)" ]; then
    extension=$work/package$(pg_config --sharedir)/extension
    [ -f "$work/package$(pg_config --pkglibdir)/hbscore.so" ] && [ -f "$extension/hbscore.control" ] &&
        ls "$extension"/hbscore--*.sql >"$work/out" 2>&1
    result "make install puts PostgreSQL's extension where the server looks" $?
    make --no-print-directory BUILD="$build" uninstall PREFIX=/usr DESTDIR="$work/package" >"$work/out" 2>&1 &&
        [ -z "$(find "$work/package" -type f)" ]
    result "make uninstall leaves no file" $?
else
    echo "not run: PostgreSQL's part, as there is no pg_config with the server's headers"
fi
version=$(sed -n 's/^.define HBS_VERSION "\(.*\)"/\1/p' core/hbscore.h)
grep -q "^default_version = '$version'" postgres/hbscore.control && [ -f "postgres/hbscore--$version.sql" ] &&
    [ "$(grep -c "\"version\": \"$version\"" META.json)" = 2 ]
result "one version, $version, in the header, the control file, the script and META.json" $?

tally
