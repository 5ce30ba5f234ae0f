#!/bin/sh
# make_wheel.sh - a wheel for this platform that carries the extension: tools/make_wheel.sh BUILD
#
# Works in a copy of python/, so that nothing is left in the source tree, and without a network. The same
# extension gives the same bytes.
set -eu

build=$1
work=$build/wheel
rm -rf "$work"
mkdir -p "$work"
cp -R python "$work/source"
find "$work/source" -name __pycache__ -prune -exec rm -rf {} +
cp LICENSE "$work/source"
mkdir "$work/source/src/hbscore/lib"
strip --strip-debug -o "$work/source/src/hbscore/lib/hbscore.so" "$build/hbscore.so"

export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-315532800}" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
"${PYTHON:-/usr/bin/python3}" -m pip wheel --quiet --no-index --no-deps --no-build-isolation --no-cache-dir \
    --wheel-dir "$work" "$work/source"
rm -rf "$work/source"
ls "$work"/*.whl
