#!/bin/sh
# run.sh - the node tests of ONNX against the core: test/onnx/run.sh [--only PART]
#
# The tests are in the wheel of the package onnx 1.22.0 (later ones have none), which is downloaded once from a package
# index into $BUILD/onnx and unzipped. Only where no index can be reached the suite is skipped, and says so.
# UPDATE=1 writes anew which tests are refused (test/onnx/refused.py). Random nodes are compared with ONNX Runtime.
set -eu
cd "$(dirname "$0")/../.."

build=${BUILD:-build}
folder=$build/onnx
nodes=$folder/onnx/backend/test/data/node
python=${PYTHON:-/usr/bin/python3}
wheel=onnx-1.22.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl
sum=1d0a2bdb15eb2b3cb65c438f3423d9620d14fdce32f92380e6bb1b2e09568ef5
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_RETRIES=2 PIP_DEFAULT_TIMEOUT=30

# The same file on every machine: the tests are data.
fetch() {
    mkdir -p "$folder"
    if ! "$python" -m pip download --quiet --no-deps --only-binary=:all: --platform manylinux_2_28_x86_64 \
        --python-version 311 --implementation cp --abi cp311 --dest "$folder" onnx==1.22.0 >"$folder/pip.log" 2>&1; then
        if "$python" -m pip download --quiet --no-deps --dest "$folder/probe" wheel >/dev/null 2>&1; then
            cat "$folder/pip.log"
            echo "0 passed, 1 failed"
            exit 1
        fi
        echo "node tests of ONNX: skipped, no package index reachable"
        echo "0 passed, 0 failed"
        exit 0
    fi
    echo "$sum  $folder/$wheel" | sha256sum --check --quiet
    "$python" - "$folder/$wheel" "$folder" <<'UNZIP'
import sys, zipfile

archive = zipfile.ZipFile(sys.argv[1])
part = "onnx/backend/test/data/node/"
archive.extractall(sys.argv[2], [name for name in archive.namelist() if name.startswith(part)])
UNZIP
    touch "$folder/complete"
}

[ -e "$folder/complete" ] || fetch
if [ "${1-}" = --only ]; then
    exec "$build/release/test/onnx/run_node_tests" "$nodes" --only "$2"
fi
"$build/release/test/onnx/run_node_tests" "$nodes" --refused "$folder/refused.txt" >"$folder/found.txt" || true
cat "$folder/found.txt"
"$python" test/onnx/test_sql.py "$build/release/test/onnx/hbscoretestrun.so" "$nodes" >"$folder/sql.txt" || true
cat "$folder/sql.txt"
# Random nodes beside ONNX Runtime, where make golden has made its environment.
packages=$(echo "$build"/golden-venv/onnx-*/lib/python3.*/site-packages)
random=
if PYTHONPATH=$packages "$python" -c "import onnx, onnxruntime" 2>/dev/null; then
    random=$folder/random.txt
    PYTHONPATH=$packages "$python" test/onnx/compare_operators.py "$build/release/test/onnx/hbscoretestrun.so" >"$random" || true
    cat "$random"
else
    echo "random nodes beside ONNX Runtime: skipped, make golden has not made its environment"
fi
exec "$python" test/onnx/refused.py "$folder/refused.txt" "$folder/found.txt" "$folder/sql.txt" $random ${UPDATE:+--update}
