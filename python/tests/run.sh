#!/bin/sh
# run.sh - the tests of the Python package: python/tests/run.sh [TEST..]
#
# They train models, so they need the libraries: requirements.txt, installed once into $BUILD/python-venv from a
# package index. Only where none can be reached is the suite skipped, and says so; all else is a failure.
# $HBSCORE_SO is the extension.
set -eu
cd "$(dirname "$0")/../.."

build=${BUILD:-build}
venv=$build/python-venv
list=python/tests/requirements.txt
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_RETRIES=2 PIP_DEFAULT_TIMEOUT=30

make_environment() {
    rm -rf "$venv" "$build/python-wheels"
    "${PYTHON:-/usr/bin/python3}" -m venv "$venv"
    if ! "$venv/bin/pip" index versions numpy >"$venv/index.log" 2>&1; then
        cat "$venv/index.log"
        echo "python: skipped, no package index reachable"
        echo "0 passed, 0 failed"
        exit 0
    fi
    # numpy's wheel is what the test of our own wheel installs beside it.
    "$venv/bin/pip" download --quiet --no-deps --dest "$build/python-wheels" "$(grep '^numpy==' $list)"
    "$venv/bin/pip" install --quiet --no-deps --find-links "$build/python-wheels" -r $list
    cp $list "$venv/installed.txt"
}

cmp -s $list "$venv/installed.txt" || make_environment
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/python/src" BUILD="$build"
HBSCORE_SO=${HBSCORE_SO:-$PWD/$build/hbscore.so}
export HBSCORE_SO
exec "$venv/bin/python" tools/run_tests.py python python/tests "$@"
