"""sqlite_data.py - the table t of the SQLite benchmark, in a file: 28 REAL columns, no row twice."""

import sqlite3

from scan_models import COLUMNS, FEATURES, MODELS, table_blocks

# The models that this benchmark scores.
NAMES = [name for name in MODELS if name != "xgboost_10x4"]


def write_table(path, rows):
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = off")
    connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {', '.join(c + ' REAL' for c in COLUMNS)})")
    insert = f"INSERT INTO t ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * FEATURES)})"
    for x in table_blocks(rows):
        connection.executemany(insert, x.tolist())
    connection.commit()
    connection.close()
