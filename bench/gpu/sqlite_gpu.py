"""sqlite_gpu.py EXTENSION MODEL.. - forests in SQLite with the setting device at cpu, cuda and auto: nanoseconds of a row.

EXTENSION lies beside hbscore_cuda.so. The statement scans a table of 28 columns in memory. Its floor is the same statement
with the model's first tree only, on the CPU. All scores must have the same bits. Needs Python only."""

import json
import os
import sqlite3
import statistics
import sys
import time

ROWS, FEATURES, TURNS = 500_000, 28, 3
COLUMNS = ", ".join(f"f{i}" for i in range(FEATURES))
SCAN = f"FROM hbscore_scan('m', 'SELECT id, {COLUMNS} FROM t')"


def connect(extension):
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.enable_load_extension(True)
    connection.load_extension(extension)
    numbers = ", ".join("(random() / 9223372036854775808.0 + random() / 9223372036854775808.0) * 2" for _ in range(FEATURES))
    connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {', '.join(f'f{i} REAL' for i in range(FEATURES))})")
    connection.execute(
        f"INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) SELECT i, {numbers} FROM n"
    )
    return connection


def first_tree(text):
    model = json.loads(text)
    trees = model["learner"]["gradient_booster"]["model"]
    trees["trees"] = trees["trees"][:1]
    trees["tree_info"] = trees["tree_info"][:1]
    trees["iteration_indptr"] = [0, 1]
    trees["gbtree_model_param"]["num_trees"] = "1"
    return json.dumps(model)


def register(connection, text):
    """Another version of the model: the latest one scores."""
    connection.execute("SELECT hbscore_register('m', ?)", (text.encode(),)).fetchall()
    connection.execute("SELECT hbscore_deploy('m', max(version)) FROM hbscore_models WHERE name = 'm'").fetchall()


def nanoseconds(connection, device):
    connection.execute("SELECT hbscore_set('device', ?)", (device,)).fetchall()
    times = []
    for _ in range(TURNS + 1):  # the first one opens the device and loads the model
        start = time.perf_counter_ns()
        total = connection.execute(f"SELECT total(prediction) {SCAN}").fetchall()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times[1:]) / ROWS, times[0] / ROWS, total


def verdict(value, target):
    return f"{value:.2f} (target {target}: {'pass' if value <= target else 'miss'})"


def main():
    connection = connect(sys.argv[1])
    differing = 0
    for path in sys.argv[2:]:
        with open(path, encoding="ascii") as file:
            text = file.read()
        register(connection, first_tree(text))
        floor, _, _ = nanoseconds(connection, "cpu")
        register(connection, text)
        times, totals = {}, {}
        for device in ("cpu", "cuda", "auto"):
            times[device], first, totals[device] = nanoseconds(connection, device)
            print(f"{os.path.basename(path)}, {device}: {times[device]:.0f} ns/row, {first:.0f} the first time", flush=True)
        differing += len({repr(t) for t in totals.values()}) - 1
        print(f"  floor {floor:.0f} ns/row; cuda beside the floor {verdict(times['cuda'] / floor, 1.25)}; "
              f"auto beside the better one {verdict(times['auto'] / min(times['cpu'], times['cuda']), 1.1)}")
    print(connection.execute("SELECT hbscore_device()").fetchall()[0][0])
    print(f"{differing} totals differ")
    sys.exit(differing != 0)


main()
