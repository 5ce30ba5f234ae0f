#!/bin/sh
# check_symbols.sh - what the objects ask for and show: tools/check_symbols.sh BUILD
#
#  1. hbscore.so shows sqlite3_hbscore_init and nothing else; that for PostgreSQL what postgres/hbscore.map lists, and
#     each function of the SQL script.
#  2. A core object takes from outside only what the table below lists: nothing that aborts, exits, allocates,
#     opens, signals, prints, depends on the locale or computes other bits on another CPU.
#  3. The core has no variables: all that it keeps is constant, or on the list.
#  4. No two core objects define the same name, and all public names begin with hbs_ or hb_.
# Reads the objects of the release variant.
set -u

build=${1:-build}
so=$build/hbscore.so
objects=$build/release/core
failed=0
passed=0

# FILES | SYMBOLS, both as extended regular expressions; any row that fits allows. number.c asks glibc for the
# numbers that it cannot round by itself, under the "C" locale object, which is static. instruction_set.c reads the
# variable by which tests choose.
allowed() {
    cat <<'TABLE'
.*                     | mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|rchr|spn|cspn)|v?snprintf
.*                     | _GLOBAL_OFFSET_TABLE_|__cpu_(model|features2|indicator_init)|__stack_chk_fail
.*                     | (sqrt|floor|ceil|trunc|rint|nearbyint|fabs|fmax|fmin|ldexp|frexp|scalbn|fmod|fma)f?
core/base/number       | (new|free)locale|strto[df]_l|strtol|__errno_location
core/kernel/instruction_set | getenv
TABLE
}
# Variables that the rules allow: the table of kernels, filled once.
variables='^$'
# glibc's expf and logf give the same bits on every CPU (reliability.md, section 3); one file holds them.
fixed_libm='expf|logf|expm1f|log1pf'

result() { # NAME, TEXT OF BREACHES
    if [ -z "$2" ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1"
        printf '%s\n' "$2" | sed 's/^/        /'
    fi
}

shown=$(nm -D --defined-only "$so" | awk '{print $NF}')
[ "$shown" = sqlite3_hbscore_init ] && shown= || shown="shows: ${shown:-nothing}"
result "hbscore.so shows sqlite3_hbscore_init only" "$shown"

if [ -f "$build/postgres/hbscore.so" ]; then
    listed=$(sed -n '/global:/,/local:/s/^[ \t]*\([A-Za-z_*]*\);.*/\1/p' postgres/hbscore.map | sed 's/\*/.*/; s/.*/^&$/')
    shown=$(nm -D --defined-only "$build/postgres/hbscore.so" | awk '{print $NF}')
    result "PostgreSQL's hbscore.so shows only what its map lists" "$(printf '%s\n' "$shown" | grep -vE "$listed")"
    # A name that only one of the two has stands alone.
    scripted=$(sed -n "s/.*AS 'MODULE_PATHNAME', '\([a-z0-9_]*\)'.*/\1/p" postgres/hbscore--*.sql | sort -u | sed 'p; s/^/pg_finfo_/')
    result "it has the functions of its SQL script, and no others" \
        "$(printf '%s\n' "$shown" "$scripted" Pg_magic_func _PG_init | sort | uniq -u)"
else
    echo "not run: PostgreSQL's hbscore.so is not built"
fi

files=$(find "$objects" -name '*.o' | sort)
[ -n "$files" ] || { echo "no objects in $objects"; exit 1; }

# Each line: FILE TYPE NAME, with FILE as core/base/reader.
symbols=$(nm -A $files | sed -E "s,^$build/release/(.*)\.o:[0-9a-f ]*,\1 ," | awk 'NF == 3')

result "core objects take from outside only what is listed" "$(printf '%s\n' "$symbols" |
    ALLOWED="$(allowed)" FIXED="$fixed_libm" awk '
BEGIN {
    n = split(ENVIRON["ALLOWED"], lines, "\n")
    for (i = 1; i <= n; i++) { split(lines[i], f, /[ \t]*\|[ \t]/); split(lines[i], g, /^[^|]*\|[ \t]*/)
        files[i] = f[1]; names[i] = substr(lines[i], index(lines[i], "|") + 1); gsub(/[ \t]/, "", names[i]) }
}
$2 ~ /^[TDBRVWC]$/ { defined[$3] = 1 }
$2 ~ /^[Uwv]$/ { from[++m] = $1; asked[m] = $3 }
END {
    for (j = 1; j <= m; j++) {
        if (asked[j] in defined) continue
        if (asked[j] ~ "^(" ENVIRON["FIXED"] ")$") {
            if (holder == "") holder = from[j]
            if (holder != from[j]) print from[j] ": " asked[j] " (one file may, and " holder " does)"
            continue
        }
        for (i = 1; i <= n; i++)
            if (from[j] ~ "^" files[i] "$" && asked[j] ~ "^(" names[i] ")$") break
        if (i > n) print from[j] ": " asked[j]
    }
}')"

result "no variables in the core" "$(for file in $files; do
    objdump -t "$file" | awk -v file="${file#$build/release/}" '
        $0 ~ / O / && / (\.data|\.bss|\.tbss|\.tdata|COMMON)(\.[^ ]*)?\t/ && !/\.data\.rel\.ro/ { print file ": " $NF }'
done | grep -Ev ": ($variables)\$")"

result "each outside name is defined once and begins with hb_ or hbs_" "$(printf '%s\n' "$symbols" |
    awk '$2 ~ /^[TDBR]$/ {
        if ($3 in at) print $3 ": in " at[$3] " and in " $1
        at[$3] = $1
        if ($3 !~ /^hbs?_/) print $3 ": in " $1
    }')"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
