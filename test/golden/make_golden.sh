#!/bin/sh
# make_golden.sh [LIBRARY [CASE]] - makes test/golden/LIBRARY anew, or only the cases whose name holds
# CASE; all that have a make_LIBRARY.py without an argument.
#
# Each requirements-LIBRARY-VERSION.txt names its Python in the first line and pins every package.
# The packages go into build/golden-venv, without dependencies: xgboost asks for a GPU library that
# nothing here uses. A Python is taken from PYTHON38, PYTHON311, .. or from PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
libraries=${1:-$(basename -a -s .py "$here"/make_*.py | sed 's/make_//')}
only=${2:-}
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0

# The interpreter for a version such as 3.11.
find_python() {
    override=$(printenv "PYTHON$(printf %s "$1" | tr -d .)" || true)
    printf %s "${override:-python$1}"
}

# All that are there, oldest first.
versions_of() {
    for list in "$here"/requirements-"$1"-*.txt; do
        basename "$list" .txt | sed "s/requirements-$1-//"
    done | sort -t . -k 1,1n -k 2,2n -k 3,3n
}

venv_of() {
    case $1 in
    xgboost) printf %s "$build/golden-venv/$2" ;;
    *) printf %s "$build/golden-venv/$1-$2" ;;
    esac
}

make_venv() {
    venv=$(venv_of "$1" "$2")
    list=$here/requirements-$1-$2.txt
    if ! cmp -s "$list" "$venv/installed.txt"; then
        rm -rf "$venv"
        "$(find_python "$(sed -n '1s/# python //p' "$list")")" -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$list"
        cp "$list" "$venv/installed.txt"
    fi
}

# run LIBRARY VERSION STEP
run() {
    "$(venv_of "$1" "$2")/bin/python" -W ignore "$here/make_$1.py" \
        "$3" "$work" "$out" --only "$only"
}

# The models that were trained and have no golden yet.
unanswered() {
    for spec in "$work"/*.spec.json; do
        [ -e "$spec" ] || continue
        name=$(basename "$spec" .spec.json)
        if [ ! -f "$out/$name.golden" ]; then echo "$name"; fi
    done
}

make_goldens() {
    work=$build/golden-work/$1
    out=$work/$1
    goldens=$here/$1
    versions=$(versions_of "$1")
    for v in $versions; do make_venv "$1" "$v"; done
    rm -rf "$work"
    mkdir -p "$out" "$goldens"
    for v in $versions; do run "$1" "$v" train; done

    # The newest first: a golden holds the answers of the newest version that loads the file.
    newest_first=
    for v in $versions; do newest_first="$v $newest_first"; done
    for v in $newest_first; do
        if [ -n "$(unanswered)" ]; then run "$1" "$v" predict; fi
    done

    # The committed files change at the end and at once: somebody may be at work with them.
    if [ -z "$only" ]; then
        if [ -f "$goldens/COVERAGE" ]; then cp "$goldens/COVERAGE" "$out"; fi
        mv "$goldens" "$work/before"
        mv "$out" "$goldens"
        out=$goldens
    else
        for spec in "$work"/*.spec.json; do # what these cases had before, and no file of another case
            case=$(basename "$spec" .spec.json)
            rm -f "$goldens/${case%_*}"_[0-9][0-9]*.* "$goldens/${case%_*}_transform"_[0-9][0-9]*.*
        done
        cp "$out"/* "$goldens"
    fi
    for name in $(unanswered); do
        echo "no version answers for $name" >&2
        missing=1
    done
}

mkdir -p "$build/golden-venv"
missing=0
for library in $libraries; do make_goldens "$library"; done
exit $missing
