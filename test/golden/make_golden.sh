#!/bin/sh
# make_golden.sh [XGBOOST-CASE] - makes test/golden/xgboost anew, or only the cases whose name holds
# the argument.
#
# Each requirements-xgboost-VERSION.txt names its Python in the first line and pins every package.
# The packages go into build/golden-venv/VERSION, without dependencies: xgboost asks for a GPU
# library that nothing here uses. A Python is taken from PYTHON38, PYTHON311, .. or from PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
work=$build/golden-work
out=$work/xgboost
goldens=$here/xgboost
only=${1:-}
versions="1.0.2 1.2.1 1.7.6 2.0.3 2.1.4 3.0.5 3.1.3 3.2.0 3.3.0 3.4.1"
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0

# The interpreter for a version such as 3.11.
find_python() {
    override=$(printenv "PYTHON$(printf %s "$1" | tr -d .)" || true)
    printf %s "${override:-python$1}"
}

make_venv() {
    venv=$build/golden-venv/$1
    list=$here/requirements-xgboost-$1.txt
    if ! cmp -s "$list" "$venv/installed.txt"; then
        rm -rf "$venv"
        "$(find_python "$(sed -n '1s/# python //p' "$list")")" -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$list"
        cp "$list" "$venv/installed.txt"
    fi
}

run() {
    "$build/golden-venv/$1/bin/python" -W ignore "$here/make_xgboost.py" \
        "$2" "$work" "$out" --only "$only"
}

mkdir -p "$build/golden-venv"
for v in $versions; do make_venv "$v"; done
rm -rf "$work"
mkdir -p "$out" "$goldens"
for v in $versions; do run "$v" train; done

# The newest first: a golden holds the answers of the newest version that loads the file.
newest_first=
for v in $versions; do newest_first="$v $newest_first"; done
for v in $newest_first; do run "$v" predict; done

# Every model that was trained now has its golden.
missing=0
for spec in "$work"/*.spec.json; do
    name=$(basename "$spec" .spec.json)
    if [ ! -f "$out/$name.golden" ]; then
        echo "no version answers for $name" >&2
        missing=1
    fi
done

# The committed files change at the end and at once: somebody may be at work with them.
if [ -z "$only" ]; then
    mv "$goldens" "$work/before"
    mv "$out" "$goldens"
else
    rm -f "$goldens"/*"$only"*_[0-9][0-9].*
    cp "$out"/* "$goldens"
fi
exit $missing
