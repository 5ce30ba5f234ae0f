#!/bin/sh
# bench.sh - the harness with all that it needs: bench/hbsbench/bench.sh BUILD COMMAND [OPTION..]
# COMMAND is one of python -m hbsbench, "tests", or "optional", which installs the libraries of requirements-optional.txt, and makes
# Hummingbird's own virtual environment where Debian's PyTorch is. Virtual environments are made once and stay in BUILD. Run it by
# tools/postgres_server.sh for the cells in PostgreSQL; else they are empty, and say so.
set -eu

build=$1
shift
here=bench/hbsbench
venv=$build/bench-harness-venv
hummingbird=$build/bench-hummingbird-venv
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_RETRIES=2 PIP_DEFAULT_TIMEOUT=30

# Only where no package index can be reached are tests skipped, and say so; all else is a failure.
make_environment() {
    rm -rf "$venv"
    "${PYTHON:-/usr/bin/python3}" -m venv "$venv"
    if ! "$venv/bin/pip" index versions mlcommons-loadgen >"$venv/index.log" 2>&1; then
        cat "$venv/index.log"
        echo "bench: skipped, no package index reachable"
        echo "bench: LoadGen and the rest of $here/requirements.txt must be installed in $venv"
        [ "$1" = tests ] || exit 1
        echo "0 passed, 0 failed"
        exit 0
    fi
    for list in $here/requirements.txt $here/requirements-peers.txt; do
        "$venv/bin/pip" install --quiet --no-deps --require-hashes -r $list
    done
    cat $here/requirements.txt $here/requirements-peers.txt >"$venv/installed.txt"
}

# PyTorch is Debian's, which is built for Debian's Python: the environment sees its packages, behind its own.
make_hummingbird() {
    list=$here/requirements-hummingbird.txt
    ! cmp -s $list "$hummingbird/installed.txt" || return 0
    if ! /usr/bin/python3 -c 'import sys, torch; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
        echo "bench: without Hummingbird: it needs Debian 12's python3-torch, for Python 3.11; install it, then make bench-optional"
        return 0
    fi
    rm -rf "$hummingbird"
    /usr/bin/python3 -m venv --system-site-packages "$hummingbird"
    "$hummingbird/bin/pip" install --quiet --no-deps --ignore-installed --require-hashes -r $list
    cp $list "$hummingbird/installed.txt"
}

cat $here/requirements.txt $here/requirements-peers.txt | cmp -s - "$venv/installed.txt" || make_environment "$1"
if [ "$1" = optional ]; then
    "$venv/bin/pip" install --quiet --no-deps --require-hashes -r $here/requirements-optional.txt
    make_hummingbird
    exit 0
fi
export BUILD="$build" PYTHONPATH="$PWD/bench:$PWD/python/src" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
unset PYTHONDONTWRITEBYTECODE # each cell is a process: its modules are compiled once
export HBSCORE_SO="${HBSCORE_SO:-$PWD/$build/hbscore.so}" HBSBENCH_NATIVE="$PWD/$build/bench/native.so"
if [ "$1" = tests ]; then
    shift
    exec "$venv/bin/python" -W ignore tools/run_tests.py bench bench/tests "$@"
fi
exec "$venv/bin/python" -W ignore -m hbsbench "$@"
