"""sweep.py - measures the cells of a sweep: each by row and in blocks beside the bare scan, in turn, round after round.

A cell's ratio is that of its ways in one round, and the median over the rounds counts: machines drift. Times are of the
CPU, so that other work on the machine counts little. No cell may take longer in blocks than 1.05 times by row. What comes
out: sweep_report.py.
"""

import dataclasses
import statistics
import typing

import sweep_models

MOST = 1.05
# Rounds and rows are chosen so that a short sweep takes some minutes.
SHORT_ROUNDS, FULL_ROUNDS = 7, 31
LEAST_NS, MOST_REPEATS = 40_000_000, 20


@dataclasses.dataclass
class Cell:
    """`ways` are statements by name, "bare", "row", "block", that a database runs; it may lack some of them."""

    axis: str  # "features", "classes", "trees"
    form: str  # of the rows, or the function
    x: int  # the size on the axis
    size: sweep_models.Size
    rows: int
    ways: dict
    most_ns: int = None  # a row, by row
    answers: dict = dataclasses.field(default_factory=dict)  # queries of all answers, by way
    of: typing.Any = None  # the database's own

    @property
    def title(self):
        return f"{self.x:,} {self.axis}, {self.form}"


@dataclasses.dataclass
class Database:
    run: typing.Callable  # a statement, in a way's settings: run(cell, way, sql)
    answers: typing.Callable  # of a query, in a way's settings: a list, by answers(cell, way, sql)
    clock: typing.Callable  # nanoseconds of CPU time of what runs the statements


def add_options(parser):
    parser.add_argument("--sweep", choices=("short", "full", "none"), default="short",
                        help="behind the comparison, time over features, classes and trees; default: %(default)s")
    parser.add_argument("--only-sweep", action="store_true", help="without the comparison")


def same(a, b):
    return len(a) == len(b) and all(x == y or (x != x and y != y) for x, y in zip(a, b))


def check(database, cell, models):
    """The answers of each way are the same, bit by bit, and those of predict() are the library's own."""
    found = {way: database.answers(cell, way, query) for way, query in cell.answers.items()}
    names = list(found)
    for way in names[1:]:
        if not same(found[names[0]], found[way]):
            raise SystemExit(f"sweep: {cell.title}: answers differ between {names[0]} and {way}")
    if names and isinstance(found[names[0]][0], float):
        x = sweep_models.rows_of(cell.size, 0, cell.rows)
        if not same(found[names[0]], models[cell.size].predict(x).tolist()):
            raise SystemExit(f"sweep: {cell.title}: the answers are not the library's own")


def timed(database, cell, way):
    begun = database.clock()
    database.run(cell, way, cell.ways[way])
    return database.clock() - begun


def measure(database, cell, number, repeats):
    """Nanoseconds a row by way. Every other round has the other order: what a way leaves in the caches is for both."""
    order = list(cell.ways) if number % 2 else list(cell.ways)[::-1]
    found = dict.fromkeys(cell.ways, float("inf"))
    for _ in range(repeats):
        for way in order:
            found[way] = min(found[way], timed(database, cell, way) / cell.rows)
    return found


def repeats_of(database, cell):
    """Short statements are repeated, in turn, and the least time counts: other work on the machine only adds to it."""
    ns = sum(timed(database, cell, way) for way in cell.ways)
    return int(min(MOST_REPEATS, max(1, len(cell.ways) * LEAST_NS // ns)))


def median(by_round, way):
    return statistics.median(found[way] for found in by_round)


def result_of(cell, by_round):
    ratio = None
    if "row" in cell.ways and "block" in cell.ways:
        ratio = statistics.median(found["block"] / found["row"] for found in by_round)
    ns = {way: median(by_round, way) for way in cell.ways}
    met = (ratio is None or ratio <= MOST) and (cell.most_ns is None or ns["row"] <= cell.most_ns)
    return {"axis": cell.axis, "form": cell.form, "x": cell.x, "model": cell.size.name, "rows": cell.rows, "ns": ns,
            "ratio": ratio, "most_ns": cell.most_ns, "met": met, "judged": ratio is not None or cell.most_ns is not None,
            "rounds": by_round}


def in_words(result):
    times = ", ".join(f"{way} {ns:,.0f}" for way, ns in result["ns"].items())
    ratio = "" if result["ratio"] is None else f", block / row {result['ratio']:.2f}"
    verdict = "" if not result["judged"] else ": pass" if result["met"] else ": MISS"
    return f"{result['x']:>6,} {result['axis']:<9} {result['form']:<34} ns a row: {times}{ratio}{verdict}"


def measure_cells(database, cells, models, full):
    results = []
    for cell in cells:
        check(database, cell, models)
        repeats = repeats_of(database, cell)
        by_round = [measure(database, cell, number, repeats) for number in range(FULL_ROUNDS if full else SHORT_ROUNDS)]
        results.append(result_of(cell, by_round))
        print(in_words(results[-1]), flush=True)
    return results
