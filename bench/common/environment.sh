# environment.sh - the beginning of each benchmark: . bench/common/environment.sh
#
# make_environment FOLDER VENV makes the virtual environment VENV with the packages of FOLDER/requirements.txt, unless
# VENV has them already. It uses Debian's Python, whose sqlite3 can load extensions and which PL/Python is linked to.
# The variables let scripts import the package and bench/common.

make_environment() {
    ! cmp -s "$1/requirements.txt" "$2/requirements.txt" || return 0
    echo "$(basename "$0" .sh): making a virtual environment in $2"
    rm -rf "$2"
    "${PYTHON:-/usr/bin/python3}" -m venv "$2"
    "$2/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$1/requirements.txt"
    cp "$1/requirements.txt" "$2/requirements.txt"
}

export PYTHONPATH=python/src:bench/common PYTHONDONTWRITEBYTECODE=1
