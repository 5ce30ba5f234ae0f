#!/usr/bin/python3
"""The settings device, device_memory and debug_require_device: test_device.py EXTENSION FAKE

Scans and virtual tables score by the backend of GPUs and a fake driver (test/gpu/fake): the CPU's scores, what the
status says, each call of the driver that fails, cancelling, rewinding, a fork, several threads, the gates of auto, and
a machine without any of it. Each case is a process of its own, since a device is opened once in a process, and lost
once. The extension lies beside hbscore_cuda.so; FAKE is the folder of the fake libcuda.so.1, where LD_LIBRARY_PATH
finds it. Needs no packages."""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List

from hbscore_test import check, error_of, finish

EXTENSION, FAKE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
FEATURES, ROWS, CPU_ROWS, BLOCK = 4, 40000, 992, 16384
SCAN = "SELECT prediction FROM hbscore_scan('m', 'SELECT id, a, b, c, d FROM t')"
FEW = "SELECT prediction FROM hbscore_scan('m', 'SELECT id, a, b, c, d FROM t WHERE id <= 2500')"
WORK = tempfile.mkdtemp()
FILE = os.path.join(WORK, "t.db")


class FakeCuda(ctypes.Structure):
    """fake_cuda of test/gpu/fake/libcuda.h."""

    _fields_ = [
        ("version", ctypes.c_int), ("devices", ctypes.c_int), ("major", ctypes.c_int), ("minor", ctypes.c_int),
        ("shared", ctypes.c_int), ("fail_at", ctypes.c_long), ("fail_code", ctypes.c_int), ("sticky", ctypes.c_bool),
        ("hangs", ctypes.c_bool), ("not_ready", ctypes.c_int), ("calls", ctypes.c_long), ("live", ctypes.c_long),
        ("depth", ctypes.c_long), ("made", ctypes.c_long), ("flying", ctypes.c_long), ("most_flying", ctypes.c_long),
        ("slow", ctypes.c_int),
    ]  # fmt: skip


def fake() -> FakeCuda:
    return FakeCuda.in_dll(ctypes.CDLL(os.path.join(FAKE, "libcuda.so.1")), "fake_cuda_state")


def node(rng: random.Random, depth: int) -> Dict[str, Any]:
    """A tree of LightGBM's kind, as arrays are made of it."""
    if depth == 0:
        return {"leaf": rng.gauss(0, 1)}
    return {"feature": rng.randrange(FEATURES), "at": rng.gauss(0, 1), "sides": [node(rng, depth - 1) for _ in "lr"]}


def tree(rng: random.Random, number: int, depth: int) -> str:
    inner: List[Dict[str, Any]] = []
    leaves: List[float] = []

    def place(at: Dict[str, Any]) -> int:
        if "leaf" in at:
            leaves.append(at["leaf"])
            return -len(leaves)
        inner.append(at)
        mine = len(inner) - 1
        at["children"] = [place(side) for side in at["sides"]]
        return mine

    place(node(rng, depth))
    lists = {
        "split_feature": [n["feature"] for n in inner],
        "split_gain": [1 for _ in inner],
        "threshold": [repr(n["at"]) for n in inner],
        "decision_type": [10 for _ in inner],
        "left_child": [n["children"][0] for n in inner],
        "right_child": [n["children"][1] for n in inner],
        "leaf_value": [repr(v) for v in leaves],
        "leaf_weight": [1 for _ in leaves],
        "leaf_count": [1 for _ in leaves],
        "internal_value": [0 for _ in inner],
        "internal_weight": [1 for _ in inner],
        "internal_count": [1 for _ in inner],
    }
    lines = ["%s=%s" % (k, " ".join(str(v) for v in values)) for k, values in lists.items()]
    return "\n".join(
        ["Tree=%d" % number, "num_leaves=%d" % len(leaves), "num_cat=0"] + lines + ["is_linear=0", "shrinkage=1", "", ""]
    )


def model(trees: int, depth: int, classes: int = 1) -> bytes:
    rng = random.Random(7)
    texts = [tree(rng, i, depth) for i in range(trees)]
    objective = "multiclass num_class:%d" % classes if classes > 1 else "regression"
    head = ["tree", "version=v4", "num_class=%d" % classes, "num_tree_per_iteration=%d" % classes, "label_index=0",
            "max_feature_idx=%d" % (FEATURES - 1), "objective=" + objective, "feature_names=a b c d",
            "feature_infos=" + " ".join(["[-9:9]"] * FEATURES),
            "tree_sizes=" + " ".join(str(len(t.encode())) for t in texts), "", ""]  # fmt: skip
    return ("\n".join(head) + "".join(texts) + "end of trees\n\nfeature_importances:\na=1\n\nparameters:\nend of parameters\n").encode()


def connect(path: str = FILE, so: str = EXTENSION) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.enable_load_extension(True)
    connection.load_extension(so)
    return connection


def make_file() -> List[Any]:
    """The table, the models, and the CPU's scores."""
    connection, rng = connect(), random.Random(2)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL, b REAL, c REAL, d REAL)")
    rows = ([rng.choice([None, rng.gauss(0, 1), rng.gauss(0, 1)]) for _ in range(FEATURES)] for _ in range(ROWS))
    connection.executemany("INSERT INTO t VALUES (NULL, ?, ?, ?, ?)", rows)
    connection.execute("SELECT hbscore_register('m', ?)", (model(12, 4),))
    connection.execute("SELECT hbscore_register('large', ?)", (model(400, 6),))
    connection.execute("SELECT hbscore_register('wide', ?)", (model(300, 1, 300),))
    connection.execute("COMMIT")
    connection.execute("CREATE VIRTUAL TABLE v USING hbscore(model=m, source=t)")
    connection.execute("SELECT hbscore_set('device', 'cpu')")
    scores = ask(connection, SCAN)
    connection.close()
    return scores


def ask(connection: sqlite3.Connection, sql: str) -> List[Any]:
    return [row[0] for row in connection.execute(sql)]


def setting(connection: sqlite3.Connection, name: str, value: Any) -> None:
    connection.execute("SELECT hbscore_set(?, ?)", (name, value))


def status(connection: sqlite3.Connection) -> Dict[str, Any]:
    return dict(json.loads(ask(connection, "SELECT hbscore_device()")[0]))


def on_cuda(required: bool = True) -> sqlite3.Connection:
    connection = connect()
    setting(connection, "device", "cuda")
    setting(connection, "debug_require_device", "on" if required else "off")
    return connection


def apart(what: Callable[..., Any], *arguments: Any) -> Any:
    """The function's result, in a process of its own; None if that dies."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(what(*arguments)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


# ------------------------------------------------------------------ cases


def scores_are_equal(wanted: List[Any]) -> List[Any]:
    connection = on_cuda()
    results = [ask(connection, SCAN) == wanted, ask(connection, "SELECT prediction FROM v") == wanted]
    ids = ask(connection, "SELECT key FROM hbscore_scan('m', 'SELECT id, a, b, c, d FROM t')")
    keys = [r for r in connection.execute(SCAN.replace("prediction", "key, prediction"))]
    results += [ids == list(range(1, ROWS + 1)), keys == [(i + 1, w) for i, w in enumerate(wanted)]]
    results += [ask(connection, SCAN + " LIMIT 20000") == wanted[:20000], status(connection)]
    for _ in range(2):  # the inner query begins again for each row
        results.append(ask(connection, "SELECT sum(prediction) FROM (SELECT 1500 n UNION ALL SELECT 39000), v WHERE v.id <= n"))
    connection.close()
    results.append([fake().live, fake().depth, fake().flying, fake().most_flying])
    return results


def settings() -> List[Any]:
    connection = connect()
    found = [error_of(connection, "SELECT hbscore_set('device', 'gpu')"), ask(connection, "SELECT hbscore_get('device')")[0]]
    setting(connection, "device_memory", "2GB")
    found += [ask(connection, "SELECT hbscore_get('device_memory')")[0], status(connection)]
    setting(connection, "device", "cpu")
    return found + [status(connection)["reason"]]


def fault(call: int, code: int, sticky: bool, wanted: List[Any]) -> List[Any]:
    driver, connection = fake(), connect()
    driver.fail_at, driver.fail_code, driver.sticky = call, code, sticky
    refused = error_of(connection, "SELECT hbscore_set('device', 'cuda')")
    scores = ask(connection, FEW)
    again = ask(connection, FEW)
    connection.close()
    return [
        scores == wanted[:2500] and again == scores,
        not refused.startswith("no error"),
        driver.live if code == 2 else 0,
        driver.depth,
        driver.calls,
    ]


def mid_stream(nth: int, wanted: List[Any]) -> List[Any]:
    """The driver fails while two blocks are on their way."""
    driver, connection = fake(), on_cuda(False)
    ask(connection, FEW)
    driver.fail_at, driver.fail_code, driver.sticky = driver.calls + nth, 700, True
    same = ask(connection, SCAN) == wanted
    return [same, status(connection)["device"] == "cpu" or driver.calls < driver.fail_at]


def required() -> List[Any]:
    driver, connection = fake(), on_cuda()
    driver.fail_at, driver.fail_code, driver.sticky = driver.calls + 40, 700, True
    return [error_of(connection, "SELECT total(prediction) FROM (%s)" % SCAN)]


def no_memory() -> List[Any]:
    connection = connect()
    setting(connection, "device_memory", "1MB")
    setting(connection, "device", "cuda")
    without = ask(connection, FEW)
    setting(connection, "debug_require_device", "on")
    return [len(without), error_of(connection, "SELECT total(prediction) FROM (%s)" % FEW)]


def wide_scores() -> List[Any]:
    """Blocks for a GPU would have 39 MB of probabilities, and those of the CPU have little."""
    connection = on_cuda(False)
    ask(connection, "PRAGMA hard_heap_limit = 24000000")
    sums = ask(connection, "SELECT count(probability) FROM hbscore_scan('wide', 'SELECT id, a, b, c, d FROM t WHERE id <= 5000')")
    return sums + [status(connection)["rows"]]


def heap_limit(device: str, limit: int) -> List[Any]:
    """How many rows are scored within it; none where that is too little. A column of numbers has texts, too."""
    connection = connect()
    setting(connection, "device", device)
    query = "SELECT id, a, b, c, CASE WHEN id % 3 THEN d ELSE CAST(d AS TEXT) END FROM t WHERE id <= 20000"
    try:
        ask(connection, "PRAGMA hard_heap_limit = %d" % limit)
        return ask(connection, "SELECT count(prediction) FROM hbscore_scan('m', '%s')" % query)
    except (MemoryError, sqlite3.Error):
        return []


def cancel() -> List[Any]:
    driver, connection = fake(), on_cuda(False)
    driver.hangs = True
    threading.Timer(0.3, connection.interrupt).start()
    threading.Timer(0.6, lambda: setattr(driver, "hangs", False)).start()
    said = error_of(connection, "SELECT total(prediction) FROM (%s)" % SCAN)
    after = ask(connection, SCAN)
    setting(connection, "debug_require_device", "on")
    return [said, len(after), len(ask(connection, SCAN)), connection.close(), driver.live]


def fork(wanted: List[Any]) -> List[Any]:
    parent = on_cuda()
    cursor = parent.execute(SCAN)
    first = [cursor.fetchone()[0] for _ in range(20000)]

    def child() -> List[Any]:
        connection = connect()
        calls = fake().calls
        refused = error_of(connection, "SELECT hbscore_set('device', 'cuda')")
        same = ask(connection, SCAN) == wanted
        said = status(connection)["reason"]
        connection.close()
        return [refused, same, said, fake().calls - calls]

    forked = apart(child)
    return [first + [row[0] for row in cursor] == wanted, forked]


def fork_before(wanted: List[Any]) -> Any:
    """The parent has looked whether there is a GPU, and not opened it."""
    connection = connect()
    scores = ask(connection, SCAN)
    return [scores == wanted, apart(lambda: ask(on_cuda(), SCAN) == wanted)]


def fork_while_opening(wanted: List[Any]) -> Any:
    """Another thread is in the driver while the process forks."""
    fake().slow = 500
    thread = threading.Thread(target=on_cuda)
    thread.start()
    time.sleep(0.2)
    forked = apart(alone, EXTENSION, wanted)
    thread.join()
    return forked


def score_in_threads(wanted: List[Any]) -> List[bool]:
    same: List[bool] = []

    def score() -> None:
        for _ in range(2):
            connection = on_cuda()
            same.append(ask(connection, SCAN) == wanted)
            connection.close()

    threads = [threading.Thread(target=score) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return same


def several_threads(wanted: List[Any]) -> List[Any]:
    return [score_in_threads(wanted), fake().live]


def gates() -> List[Any]:
    """A small model and a short query stay on the CPU; a GPU for which the CPU has to wait loses the statement."""
    connection = connect()
    ask(connection, SCAN)
    small = status(connection)["rows"]
    many = "SELECT x.id, x.a, x.b, x.c, x.d FROM t x, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4" \
        " UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
    sums, rows = [], []
    for not_ready in (2, 250):
        fake().not_ready = not_ready
        sums += ask(connection, "SELECT total(prediction) FROM hbscore_scan('large', '%s')" % many)
        rows.append(status(connection)["rows"])
    setting(connection, "device", "cpu")
    sums += ask(connection, "SELECT total(prediction) FROM hbscore_scan('large', '%s')" % many)
    return [small, len(set(sums)), rows[0], rows[1] - rows[0]]


def texts(wanted: List[Any]) -> List[Any]:
    """Numbers that are texts, and a bad row behind two blocks."""
    connection = on_cuda()
    connection.execute("CREATE TEMP TABLE s AS SELECT id, a, b, c, CASE WHEN id % 3 THEN d ELSE CAST(d AS TEXT) END AS d FROM t")
    query = "SELECT prediction FROM hbscore_scan('m', 'SELECT id, a, b, c, d FROM s%s')"
    few = ask(connection, query % " WHERE id % 3")
    rows = connection.execute("SELECT prediction FROM hbscore_scan('m', 'SELECT id, a, b, c,"
                              " CASE id WHEN 39500 THEN x''00'' ELSE d END FROM t')")
    read: List[Any] = []
    said = ""
    try:
        for row in rows:
            read.append(row[0])
    except sqlite3.Error as error:
        said = str(error)
    return [few == [w for i, w in enumerate(wanted, 1) if i % 3], read == wanted[: len(read)], len(read), said]


def alone(so: str, wanted: List[Any]) -> List[Any]:
    signal.alarm(120)  # should it never end
    connection = connect(so=so)
    refused = error_of(connection, "SELECT hbscore_set('device', 'cuda')")
    return [refused, ask(connection, SCAN) == wanted, status(connection)["reason"]]


def old_driver(field: str, value: int) -> str:
    setattr(fake(), field, value)
    return str(error_of(connect(), "SELECT hbscore_set('device', 'cuda')"))


def driver_in(folder: str) -> str:
    """What is said where libcuda.so.1 is looked for there."""
    code = "import sqlite3, sys; c = sqlite3.connect(''); c.enable_load_extension(True); c.load_extension(sys.argv[1])"
    code += "; c.execute(\"SELECT hbscore_set('device', 'cuda')\")"
    done = subprocess.run([sys.executable, "-c", code, EXTENSION], env={**os.environ, "LD_LIBRARY_PATH": folder},
                          stderr=subprocess.PIPE, check=False)  # fmt: skip
    return (done.stderr.decode().strip().splitlines() or [""])[-1]


# ------------------------------------------------------------------ all of them


def equal(what: str, got: Any, wanted: Any) -> None:
    if not check(got == wanted, what):
        print("        %s\n  not   %s" % (got, wanted))


def faults(scores: List[Any]) -> None:
    calls = apart(fault, 0, 0, False, scores)
    equal("without a fault", calls[:4], [True, False, 0, 0])
    for code, sticky, first, step in ((2, False, 1, 4), (700, False, 1, 1), (999, True, 2, 4)):
        for call in range(first, calls[4] + 1, step):
            got = apart(fault, call, code, sticky, scores)
            equal("call %d fails with %d" % (call, code), got and [got[0], got[2], got[3]], [True, 0, 0])
    for nth in range(4, 120, 16):
        equal("call %d fails between blocks" % nth, apart(mid_stream, nth, scores), [True, True])


def without_device(scores: List[Any]) -> None:
    """Beside nothing, a file that is no library, and drivers that will not do."""
    so = os.path.join(WORK, "hbscore.so")
    shutil.copy(EXTENSION, so)
    none = "there is no hbscore_cuda.so beside hbscore's own library"
    equal("no backend", apart(alone, so, scores), ["device cannot be cuda: " + none, True, none])
    with open(os.path.join(WORK, "hbscore_cuda.so"), "w") as file:
        file.write("not a library")
    os.chmod(os.path.join(WORK, "hbscore_cuda.so"), 0o646)
    none = "hbscore_cuda.so can be written by every user"
    equal("anybody's library", apart(alone, so, scores), ["device cannot be cuda: " + none, True, none])
    os.chmod(os.path.join(WORK, "hbscore_cuda.so"), 0o644)
    none = "hbscore_cuda.so cannot be opened"
    equal("no library", apart(alone, so, scores), ["device cannot be cuda: " + none, True, none])
    if os.geteuid() == 0:
        os.chown(os.path.join(WORK, "hbscore_cuda.so"), 1, -1)
        none = "hbscore_cuda.so belongs to another user than hbscore's own library"
        equal("another user's library", apart(alone, so, scores), ["device cannot be cuda: " + none, True, none])
    os.remove(os.path.join(WORK, "hbscore_cuda.so"))
    os.mkfifo(os.path.join(WORK, "hbscore_cuda.so"))
    none = "hbscore_cuda.so is no file"
    equal("a pipe", apart(alone, so, scores), ["device cannot be cuda: " + none, True, none])
    os.remove(os.path.join(WORK, "hbscore_cuda.so"))
    shutil.copy(os.path.join(FAKE, "libcuda.so.1"), os.path.join(WORK, "hbscore_cuda.so"))
    none = "hbscore_cuda.so is of another version than hbscore, which needs 1"
    equal("another library", apart(alone, so, scores), ["device cannot be cuda: " + none, True, none])
    said = driver_in(WORK)
    check("no libcuda.so.1" in said or os.path.exists("/proc/driver/nvidia"), "no driver: %s" % said)
    shutil.copy(EXTENSION, os.path.join(WORK, "libcuda.so.1"))
    said = driver_in(WORK)
    check("libcuda.so.1 is too old: it has no cu" in said, "a library that is no driver: %s" % said)
    equal("no GPU", apart(old_driver, "devices", 0), "device cannot be cuda: there is no GPU")
    equal("an old driver", apart(old_driver, "version", 12080),
          "device cannot be cuda: the driver is for CUDA 12.8, and 13.0 is needed")  # fmt: skip


def main() -> int:
    scores = make_file()
    there = {"device": "cuda", "name": "a fake GPU", "memory": 1 << 34}
    got = apart(scores_are_equal, scores)
    rows = 2 * (ROWS - CPU_ROWS) + (ROWS - CPU_ROWS)
    said = got.pop(5) if got else {}
    equal("scores", got, [True] * 5 + [got[5], got[5], [0, 0, 0, 2]] if got else [])
    equal("status", {k: said.get(k) for k in there}, there)
    check(said.get("rows", 0) >= rows and said.get("redone") == 0, "rows %s" % said)
    got = apart(settings)
    equal("settings", got[:3] + got[4:], ["device is 'auto', 'cpu' or 'cuda', not \"gpu\"", "auto", 2 << 30, "the setting device is cpu"])
    equal("status of auto", got[3]["device"], "cuda")
    faults(scores)
    got = apart(required)
    check("debug_require_device is on: the GPU has failed: CUDA error 700 of cu" in got[0], "required: %s" % got)
    got = apart(no_memory)
    check(got[0] == 2500 and "over the limit of 1048576 for the GPU" in got[1], "no memory: %s" % got)
    equal("wide scores", apart(wide_scores), [5000, 0])
    for limit in range(1900000, 3500000, 200000):
        equal("%d bytes of heap" % limit, apart(heap_limit, "cuda", limit), apart(heap_limit, "cpu", limit))
    equal("cancel", apart(cancel), ["interrupted", ROWS, ROWS, None, 0])
    forked = "the GPU was opened before the process was forked"
    equal("fork", apart(fork, scores), [True, ["device cannot be cuda: " + forked, True, forked, 0]])
    equal("fork before it is opened", apart(fork_before, scores), [True, True])
    equal("fork while it is opened", apart(fork_while_opening, scores), ["device cannot be cuda: " + forked, True, forked])
    equal("threads", apart(several_threads, scores), [[True] * 6, 0])
    got = apart(texts, scores)
    check(got[:2] == [True, True] and got[2] in (39498, 39499) and "blob" in got[3], "texts: %s" % got)
    got = apart(gates)
    most = 9 * ROWS - BLOCK
    check(got[:2] == [0, 1] and ROWS < got[2] <= most and 4 * BLOCK <= got[3] <= 7 * BLOCK, "gates: %s" % got)
    without_device(scores)
    shutil.rmtree(WORK)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
