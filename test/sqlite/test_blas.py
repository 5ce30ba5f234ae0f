#!/usr/bin/python3
"""The setting dense = blas: test_blas.py [EXTENSION]

A perceptron with large layers is scored by scans and calls, with hbscore's kernels and with OpenBLAS, by several
threads, under a limit of memory, behind a fork and beside an OpenBLAS that the process has already. Each case is
a process of its own, since the library is opened once in a process. Where libopenblas0-serial is not installed,
what is tested is that the setting does no harm. Needs no packages. HBSCORE_SO names the extension where no
argument does."""

from __future__ import annotations

import base64
import ctypes
import glob
import json
import os
import random
import resource
import sqlite3
import struct
import subprocess
import sys
import threading
from typing import Any, Dict, List

from hbscore_test import ask, check, error_of, extension, finish

LIBRARY = "".join(glob.glob("/usr/lib/*-linux-gnu/openblas-serial/libopenblas.so.0")[:1])
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
FEATURES, HIDDEN, ROWS, NAME = 40, [200, 200], 3000, "net"
SCAN = "SELECT prediction FROM hbscore_scan('net', 'SELECT * FROM t') ORDER BY key"


def array(shape: List[int], numbers: List[float]) -> Dict[str, Any]:
    data = base64.b64encode(struct.pack("<%dd" % len(numbers), *numbers)).decode()
    return {"dtype": "f8", "shape": shape, "data": data}


def float32(numbers: List[float]) -> List[float]:
    return list(struct.unpack("%df" % len(numbers), struct.pack("%df" % len(numbers), *numbers)))


def layer(rng: random.Random, value: int, outputs: int, inputs: int, narrow: bool) -> Dict[str, Any]:
    weights = [rng.gauss(0, 1) / inputs**0.5 for _ in range(outputs * inputs)]
    bias = [rng.gauss(0, 1) for _ in range(outputs)]
    if narrow:
        weights, bias = float32(weights), float32(bias)
    coef, intercept = array([outputs, inputs], weights), array([outputs], bias)
    return {"op": "linear", "in": [value], "coef": coef, "intercept": intercept}


def model(hidden: List[int], narrow: bool = False) -> bytes:
    """`narrow`: of float32, as scikit-learn makes it of such numbers."""
    rng = random.Random(1)
    ops: List[Any] = [{"op": "cast", "in": [0], "to": "f4"}] if narrow else []
    for inputs, outputs in zip([FEATURES] + hidden, hidden):
        ops.append(layer(rng, len(ops), outputs, inputs, narrow))
        ops.append({"op": "link", "in": [len(ops)], "kind": "relu"})
    ops.append(layer(rng, len(ops), 1, hidden[-1], narrow))
    document = {"hbscore": 1, "writer": {}, "task": "regressor", "features": [{"type": "f8"}] * FEATURES, "ops": ops}
    return json.dumps(document).encode()


def connect(hidden: List[int] = HIDDEN, narrow: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.enable_load_extension(True)
    connection.load_extension(extension())
    names = ["c%d" % k for k in range(FEATURES)]
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, %s)" % " REAL, ".join(names + [""]).rstrip(", "))
    rng = random.Random(2)
    cells = ([rng.gauss(0, 3) for _ in names] for _ in range(ROWS))
    connection.executemany("INSERT INTO t VALUES (NULL%s)" % (", ?" * FEATURES), cells)
    connection.execute("SELECT hbscore_register(?, ?)", (NAME, model(hidden, narrow)))
    return connection


def scores(connection: sqlite3.Connection, dense: str) -> List[float]:
    connection.execute("SELECT hbscore_set('dense', ?)", (dense,))
    return [row[0] for row in connection.execute(SCAN)]


def strategies(connection: sqlite3.Connection) -> List[Any]:
    """Strategy and note of the three products."""
    sql = "SELECT strategy, note FROM hbscore_plan('net') WHERE stage = 'plan' AND operator = 'dense'"
    return connection.execute(sql).fetchall()


def near(a: List[float], b: List[float], bound: float = 1e-12) -> bool:
    return len(a) == len(b) == ROWS and all(abs(x - y) <= bound * max(1.0, abs(x)) for x, y in zip(a, b))


def not_in_use(why: str, connection: Any = None) -> None:
    """All works, with hbscore's kernels, and the plan says why."""
    connection = connection or connect()
    check(scores(connection, "blas") == scores(connection, "exact"), "the same bits where it is not in use: " + why)
    connection.execute("SELECT hbscore_set('dense', 'blas')")
    found = strategies(connection)
    check([s for s, _ in found] == ["exact"] * 3, f"not in use: {found}")
    check(all(why in (note or "") for _, note in found[:2]) and not found[2][1], f"{why!r}: {found}")


# ---------------------------------------------------------------------- cases: each in a process of its own


def case_setting() -> None:
    connection = connect()
    check(ask(connection, "SELECT hbscore_get('dense')") == "exact", "exact at first")
    check([s for s, _ in strategies(connection)] == ["exact"] * 3, "products are exact at first")
    check(ask(connection, "SELECT hbscore_set('dense', 'blas')") == "blas", "set gives the new value")
    check(ask(connection, "SELECT hbscore_get('dense')") == "blas", "and get")
    check(ask(connect(), "SELECT hbscore_get('dense')") == "exact", "another connection has its own")
    for value, words in (("BLAS", "not \"BLAS\""), (1, "dense is text, not an integer"), (None, "not NULL"), ("", "not \"\"")):
        check(words in error_of(connection, "SELECT hbscore_set('dense', ?)", value), f"refused: {value!r}")
    check(ask(connection, "SELECT hbscore_get('dense')") == "blas", "a refused value changes nothing")
    check("non-deterministic" in error_of(connection, "CREATE INDEX i ON t (predict('net', c0))"), "no index on a score")


def case_answers() -> None:
    """Within 1e-12 and in part other bits; a call of a row by itself, and golden rows, are exact."""
    connection = connect()
    exact, blas = scores(connection, "exact"), scores(connection, "blas")
    check(near(exact, blas), "the same scores to 1e-12")
    check(exact != blas, "by other sums")
    check(scores(connection, "exact") == exact, "and back")
    connection.execute("SELECT hbscore_set('dense', 'blas')")
    check([s for s, _ in strategies(connection)] == ["blas", "blas", "exact"], f"the plan says so: {strategies(connection)}")
    call = "SELECT predict('net', %s) FROM t ORDER BY id" % ", ".join("c%d" % k for k in range(FEATURES))
    check([row[0] for row in connection.execute(call)] == exact, "a call is exact")
    rows = [list(row[1:]) for row in connection.execute("SELECT * FROM t LIMIT 20")]
    golden = json.dumps({"golden": {"rows": rows, "prediction": exact[:20]}})
    check(ask(connection, "SELECT hbscore_register('golden', ?, ?)", model(HIDDEN), golden) == 1, "golden rows hold")


def case_narrow() -> None:
    """Where scikit-learn sums in float32: by products in float32, also of a narrow layer."""
    connection = connect([100, 8], narrow=True)
    exact, blas = scores(connection, "exact"), scores(connection, "blas")
    check(near(exact, blas, 1e-5), "the same scores to 1e-6 of the terms, of which there are a hundred")
    check(not near(exact, blas, 1e-10), "by sums in float32")
    connection.execute("SELECT hbscore_set('dense', 'blas')")
    check([s for s, _ in strategies(connection)] == ["blas", "blas", "exact"], f"the plan says so: {strategies(connection)}")


def case_threads() -> None:
    """Those that find it in use do not wait, and no sum is wrong. Many small products, by kernels that all CPUs have,
    find what two at a time do wrong: without the lock some are."""
    os.environ["OPENBLAS_CORETYPE"] = "Prescott"
    deep = [32] * 20
    exact = scores(connect(deep), "exact")
    wrong: List[str] = []

    def work(connection: sqlite3.Connection) -> None:
        for _ in range(80):
            if not near(scores(connection, "blas"), exact):
                wrong.append("a score")

    threads = [threading.Thread(target=work, args=(connect(deep),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not wrong, f"{len(wrong)} of 320 scans by four threads were wrong")


def limit_memory(more: int) -> None:
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + (more << 20),) * 2)


def case_limit() -> None:
    connection = connect()
    limit_memory(150)
    not_in_use("OpenBLAS needs 192 MiB of memory", connection)


def case_limit_afterwards() -> None:
    """No product takes memory but the one that opening makes."""
    connection = connect()
    exact = scores(connection, "exact")
    connection.execute("SELECT hbscore_set('dense', 'blas')")
    limit_memory(16)
    check(near(scores(connection, "blas"), exact), "scores under a limit that came later")
    check(strategies(connection)[0][0] == "blas", "in use")


def case_fork() -> None:
    connection = connect()
    connection.execute("SELECT hbscore_set('dense', 'blas')")
    child = os.fork()
    if child == 0:
        not_in_use("OpenBLAS was opened before the process was forked")
        sys.stdout.flush()
        os._exit(finish())
    check(os.waitpid(child, 0)[1] == 0, "a child of a fork scores")
    check(strategies(connection)[0][0] == "blas", "its parent has it still")


def case_taken() -> None:
    library = ctypes.CDLL(LIBRARY)
    not_in_use("the process has an OpenBLAS of its own")
    del library


def case_taken_by_all() -> None:
    """Another build whose functions are seen everywhere."""
    source = "int openblas_get_parallel(void) { return 0; }"
    path = os.path.join(os.environ["TMPDIR_OF_TEST"], "other.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=source, text=True, check=True)
    ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    not_in_use("the process has an OpenBLAS of its own")


def case_missing() -> None:
    not_in_use("libopenblas0-serial")


# ---------------------------------------------------------------------- all of them


def run(name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TMPDIR_OF_TEST=folder)
        command = [sys.executable, __file__, extension() + ".so", name]
        try:
            done = subprocess.run(command, env=environment, timeout=300, capture_output=True, text=True, check=False)
        except subprocess.TimeoutExpired:
            check(False, f"{name} did not end in 300 s")
            return
    print(f"{name}: {done.stdout.strip().splitlines()[-1] if done.stdout.strip() else 'nothing'}")
    check(done.returncode == 0, f"{name}: {done.stdout}{done.stderr}")


def main() -> int:
    if len(sys.argv) > 2:
        globals()["case_" + sys.argv[2]]()
        return finish()
    if LIBRARY:
        # The sanitizer takes address space without end, and has its own dlopen.
        limits = [] if SANITIZED else ["limit", "limit_afterwards"]
        names = ["setting", "answers", "narrow", "threads", *limits, "fork", "taken", "taken_by_all"]
    else:
        print("libopenblas0-serial is not installed: only that dense = blas does no harm without it is tested")
        names = ["setting", "missing"]
    for name in names:
        run(name)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
