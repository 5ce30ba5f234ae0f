#!/bin/sh
# fuzz.sh - runs one libFuzzer target over the golden models.
#   tools/fuzz.sh check TARGET RUNS      the same RUNS every time: empty corpus, fixed seed
#   tools/fuzz.sh long TARGET SECONDS    goes on from build/fuzz/corpus; what it finds stays there
set -u

mode=$1
target=$2
amount=$3
name=${target##*/}
found=${target%/*}/found
mkdir -p "$found"

# The seeds of fuzz_NAME: its own folder of them where there is one, else the golden models of the library of
# that name, else all; up to 64 KiB each.
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
folder=test/fuzz/$name
[ -d "$folder" ] || folder=test/golden/${name#fuzz_}
[ -d "$folder" ] || folder=test/golden
find "$folder" -type f ! -name '*.golden' ! -name '*.py' ! -name '*.[ch]' -size -65k | sort |
    while read -r file; do
        cp "$file" "$seeds/$(echo "$file" | tr / _)"
    done

dictionary=
[ -f "test/fuzz/$name.dict" ] && dictionary=-dict=test/fuzz/$name.dict
common="-max_len=65536 -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=256 -print_final_stats=1 $dictionary
    -artifact_prefix=$found/$name-"
export UBSAN_OPTIONS=print_stacktrace=1

if [ "$mode" = long ]; then
    corpus=${target%/*}/corpus/$name
    mkdir -p "$corpus"
    exec "$target" $common -max_total_time="$amount" "$corpus" "$seeds"
fi

echo "$(find "$seeds" -type f | wc -l) seeds"
if "$target" $common -seed=1 -runs="$amount" "$seeds" 2>"$seeds.log"; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$seeds.log")
    tail -n 20 "$seeds.log"
    rm -f "$seeds.log"
    echo "$name: ${runs:-0} runs"
    [ "${runs:-0}" -ge "$amount" ] && echo "1 passed, 0 failed" && exit 0
    echo "fewer runs than asked for"
else
    tail -n 200 "$seeds.log"
    rm -f "$seeds.log"
fi
echo "0 passed, 1 failed"
exit 1
