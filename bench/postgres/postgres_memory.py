"""postgres_memory.py - the memory of a new backend while it scores ten times the table in one statement."""

import pathlib
import re
import statistics
import threading

import psycopg

import postgres_ways

TIMES, SECONDS_BETWEEN = 10, 0.02
# Most bytes by which the backend's memory may grow after the first tenth of the time.
MOST_MORE = 256 * 1024


def private_bytes(pid):
    """Memory that the process has for itself: without the shared buffers, which a scan goes through."""
    found = re.search(r"^RssAnon:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found.group(1)) * 1024


def sampled(pid, statement):
    """Bytes, again and again while the statement runs."""
    samples, ended = [], threading.Event()

    def sample():
        while not ended.wait(SECONDS_BETWEEN):
            samples.append(private_bytes(pid))

    thread = threading.Thread(target=sample)
    thread.start()
    statement()
    ended.set()
    thread.join()
    return samples


def flat_memory(rows, model):
    """A sentence, and whether it says a miss."""
    query = f"SELECT sum({postgres_ways.predict(model)}) FROM {model.table.name}, generate_series(1, {TIMES})"
    with psycopg.connect(autocommit=True) as connection:
        connection.execute("SET max_parallel_workers_per_gather = 0")
        connection.execute("SET hbscore.debug_require_batch = 'require'; SET hbscore.batch = on")
        # Rows that are kept to be joined again would grow with the table.
        connection.execute("SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        # Once before, for what the backend loads.
        connection.execute(f"SELECT sum({postgres_ways.predict(model)}) FROM {model.table.name}").fetchone()
        samples = sampled(connection.info.backend_pid, lambda: connection.execute(query).fetchone())
    if len(samples) < 2 * TIMES:
        return f"Memory of the backend: too few rows to say ({len(samples)} samples).", False
    tenth = len(samples) // TIMES
    first, later = max(samples[:tenth]), max(samples[tenth:])
    flat = later <= first + MOST_MORE
    return (f"Memory of a backend that scores {TIMES * rows:,} rows by batch ({model.title}), of its own: "
            f"{first / 1e6:.2f} MB at most in the first tenth, {statistics.median(samples) / 1e6:.2f} MB in the median, "
            f"{later / 1e6:.2f} MB at most afterwards. Flat: {'pass' if flat else 'MISS'}."), not flat
