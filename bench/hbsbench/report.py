"""report.py - a folder of results as one HTML page without anything from elsewhere, PNG and CSV files, and a text. The page has its plots
as SVG.

What check.py refuses is written at the top of the page; numbers of the profile smoke are marked as no measurement, and get no
plot."""

import base64
import csv
import gzip
import pathlib
import shutil

import numpy

from . import check, crosscheck, crossover, figures, pictures, profile, records, split, summary, trend
from .data import put
from .errors import BenchError
from .profiles import MULTI, OFFLINE, PROFILES, SERVER, SINGLE
from .summary import by_themselves, ordered

HERE = pathlib.Path(__file__).resolve().parent


def write(results, folder):
    """The report; gives the lines of the summary."""
    folder = pathlib.Path(folder).resolve()
    check_place(folder)
    found = records.read_all(results)
    problems = check.breaches(found, claims=True)
    cells = summary.summaries(found)
    environments = records.environments(results)
    empty, profiles, history = records.read_empty(results), records.read_profiles(results), trend.of()
    board = Board(cells, empty)
    tables = {"board": board.table(), "scoreboard": scoreboard(cells), "latency": latencies(cells), "server": servers(cells), "batches": batches(cells),
              "crossover": crossover.table(cells), "offline": offline(cells), "split": split.table(cells, ordered(cells, (OFFLINE,))), "cold": cold(cells),
              "statement": statements(cells), "share": shares(cells), "accuracy": accuracies(cells), "memory": memory(cells), "stack": stack(profiles),
              "alternating": alternating(cells), "steps": steps(cells), "trend": trend.table(history), "empty": empty_cells(empty)}
    claims = all(PROFILES[s.record["profile"]].claims for s in cells.values())
    plots = pictures.draw(cells) if claims and cells else {}
    instructions = pictures.draw_trend(history) if claims else None
    if instructions:
        plots["trend"] = instructions
    text = lines(cells, problems)

    def fill(making):
        for name, (head, rows) in tables.items():
            with open(making / f"{name}.csv", "w", newline="") as file:
                csv.writer(file).writerows([head, *rows])
        for name, picture in plots.items():
            (making / f"{name}.png").write_bytes(picture.png)
        (making / "summary.txt").write_text("\n".join(text) + "\n")
        (making / "report.html").write_text(page(tables, plots, problems, environments, cells, claims, profiles, board))

    check_place(folder)
    shutil.rmtree(folder, ignore_errors=True)
    put(folder, fill)
    return text


def check_place(folder):
    """An older report is replaced; a folder that holds anything else stays as it is."""
    if folder.exists() and (not folder.is_dir() or folder.is_symlink() or
                            any(path.is_dir() or path.suffix not in (".html", ".csv", ".png", ".txt") for path in folder.iterdir())):
        raise BenchError(f"{folder}: this holds something else than a report: give --to a folder of its own")


# ---------------------------------------------------------------------- tables


def best_of(cells, one):
    """The best of those that may be compared: one model, cell and division, valid and accurate, no floor."""
    rivals = [s for s in cells.values() if (s.model, s.cell, s.division) == (one.model, one.cell, one.division) and
              s.kind != "floor" and s.valid and s.passed]
    return (max if one.more_is_better else min)(rivals, key=lambda s: s.median) if rivals else None


def slower_than_best(cells, one):
    best = best_of(cells, one)
    return None if best is None or one.kind == "floor" else 1 / summary.ratio(one, best)[0]


def shown(value):
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def scoreboard(cells):
    head = ["model", "cell", "division", "system", "headline", "unit", "against the best", "valid", "accurate", "at the floor", "repeats", "outliers",
            "truncated mean"]
    rows = [[s.model, s.cell, s.division, s.system, shown(s.median), s.unit, shown(slower_than_best(cells, s)),
             verdict(s), "" if s.kind == "floor" else "yes" if s.passed else "no",
             "at the floor" if s.at_floor else "", len(s.values), ", ".join(f"run {number}" for number in s.outliers), shown(s.truncated_mean)] for s in ordered(cells)]
    return head, rows + [[model, "all", division, system, shown(mean), "geometric mean", shown(mean), "", "", "", count, "", ""]
                         for (model, division, system), (mean, count) in geometric(cells).items()]


def geometric(cells):
    """The mean of the ratios to the best of a model's cells."""
    logs = {}
    for s in ordered(cells):
        value = slower_than_best(cells, s)
        if value is not None and s.valid and s.passed:
            logs.setdefault((s.model, s.division, s.system), []).append(numpy.log(value))
    return {key: (float(numpy.exp(numpy.mean(values))), len(values)) for key, values in logs.items()}


def latencies(cells):
    """As LoadGen counts: of `server` from the scheduled arrival on."""
    names = ["p50", "p90", "p95", "p97", "p99", "p99.9"]
    head = ["model", "cell", "system", *(f"{name} us" for name in names), "p50 us, floor", "p50 us within C"]
    rows = []
    for s in ordered(cells, (SINGLE, MULTI, SERVER)):
        floor = cells.get((s.model, s.floor, check.floor_cell(s.record)))
        rows.append([s.model, s.cell, s.system, *(shown(s.latency[name] / 1000) for name in names),
                     shown(floor.latency["p50"] / 1000) if floor else "", shown(s.inner["p50"] / 1000) if s.inner else ""])
    return head, rows


def servers(cells):
    """p99 is LoadGen's, from the scheduled arrival on: it has the issue delay, the time in the queue, and that of the system."""
    head = ["model", "cell", "system", "queries/s", "p99 us", "issue delay, p99 us", "target us", "valid", "kind"]
    rows = []
    for s in ordered(cells, (SERVER,)):
        target = shown(s.record["targets"]["target_latency_ms"] * 1000.0)
        rows += [[s.model, s.cell, s.system, shown(step["qps"]), shown(step["p99_us"]), shown(step.get("issue_p99_us")), target,
                  "VALID" if step["valid"] else "INVALID", "search"] for step in s.record.get("search") or []]
        late = s.issue_delay
        rows.append([s.model, s.cell, s.system, shown(s.median), shown(s.latency["p99"] / 1000), shown(late and late["p99"] / 1000), target,
                     verdict(s), "run"])
        found = crosscheck.read(s)
        if found:
            rows.append([s.model, s.cell, s.system, shown(float(found["rate"])), shown(found["p99_us"]), shown(found["lag_p99_us"]), target,
                         "VALID" if found["holds"] else "INVALID", "pgbench"])
    return head, rows


def verdict(s):
    """LoadGen's, and ours of what may not be relied on."""
    return ("VALID" if s.valid else "INVALID") + (", untrustworthy" if s.untrustworthy else "")


def batches(cells):
    """Offline's pass to the client is a query too, for all rows."""
    head, rows = ["model", "cell", "system", "rows a query", "p50 us a row", "p99 us a row", "rows walked"], []
    for s in ordered(by_themselves(cells)):
        n = crossover.rows_of(s)
        if n:
            rows.append([s.model, s.cell, s.system, n, shown(s.latency["p50"] / 1000 / n), shown(s.latency["p99"] / 1000 / n), s.rows_walked])
    return head, rows


def offline(cells):
    head = ["model", "sink", "system", "division", "rows/s", "ms a pass", "rows", "rows/s, truncated mean"]
    return head, [[s.model, s.cell.partition("-")[2], s.system, s.division, shown(s.median), shown(s.record["rows"] / s.median * 1000),
                   s.record["rows"], shown(s.truncated_mean)] for s in ordered(cells, (OFFLINE,))]


def accuracies(cells):
    head = ["model", "cell", "system", "metric", "value", "reference", "labels that differ", "bits that differ", "largest error",
            "largest relative error", "passed"]
    rows = []
    for s in ordered(cells):
        if s.accuracy:
            a = s.accuracy
            values = [a["value"], a["reference"]] if not isinstance(a["value"], list) else ["equal sums" if a["passed"] else "other sums", ""]
            rows.append([s.model, s.cell, s.system, a["metric"], *map(str, values), a["labels_differ"], a["bits_differ"],
                         shown(a["max_abs_error"]), shown(a["max_rel_error"]), "yes" if a["passed"] else "no: " + "; ".join(a["reasons"])])
    return head, rows


def memory(cells):
    head = ["model", "cell", "system", "peak MiB", "peak MiB of the server's process", "user s", "system s", "plan bytes",
            "file bytes", "load ms", "training s", "export s", "export to ONNX s"]
    return head, [[s.model, s.cell, s.system, shown(s.record["usage"]["peak_kib"] / 1024),
                   shown(s.record["usage"]["server_peak_kib"] / 1024) if "server_peak_kib" in s.record["usage"] else "",
                   shown(s.record["usage"]["user_seconds"]),
                   shown(s.record["usage"]["system_seconds"]), s.record["facts"].get("model_bytes", ""), *files(s)] for s in ordered(cells)]


def files(s):
    """The model's file that hbscore reads, its loading and making; older records do not tell them."""
    about = s.record.get("files") or {}
    return [(about.get("bytes") or {}).get("hbscore", ""), ms(s.cold("cold_load_ns")), *(shown(about.get(name)) for name in ("train_seconds", "export_seconds", "onnx_seconds"))]


def cold(cells):
    """The first use of a process beside the same again."""
    head = ["model", "cell", "system", "cold open ms", "cold load ms", "cold prepare ms", "cold first ms", "hot ms", "cold / hot"]
    rows = []
    for s in ordered(cells):
        first, hot = s.cold_first, s.hot
        rows.append([s.model, s.cell, s.system, *(ms(s.cold(name)) for name in ("cold_open_ns", "cold_load_ns", "cold_prepare_ns")), ms(first), ms(hot),
                     shown(first / hot) if first is not None and hot else ""])
    return head, rows


def steps(cells):
    """Cells of some steps alone beside those of all steps."""
    head, rows = ["model", "cell", "system", "unit", "all steps", "these alone", "the others, of all"], []
    for s in ordered(cells):
        whole = cells.get((s.model, s.system, s.cell.removesuffix("-" + "-".join(s.record["timed"])))) if s.record.get("timed") else None
        if whole:
            alone, together = (1 / value if s.more_is_better else value for value in (s.median, whole.median))
            rows.append([s.model, s.cell, s.system, s.unit, shown(whole.median), shown(s.median), f"{max(0.0, 1 - alone / together):.0%}"])
    return head, rows


def alternating(cells):
    """Models that take turns with others beside the same models by themselves: what cold caches cost. The headline, and the median."""
    head = ["model", "cell", "system", "in turn with", "us by itself", "us in turn", "times as long", "p50 us by itself", "p50 us in turn", "times as long, p50"]
    rows = []
    for s in ordered(cells):
        alone = cells.get((s.model, s.system, s.cell.removesuffix("-alternating"))) if s.others else None
        if alone:
            p50s = alone.latency["p50"] / 1000, s.latency["p50"] / 1000
            rows.append([s.model, s.cell, s.system, ", ".join(s.others), shown(alone.median), shown(s.median), shown(s.median / alone.median),
                         *map(shown, p50s), shown(p50s[1] / p50s[0])])
    return head, rows


def ms(ns):
    return "" if ns is None else shown(ns / 1e6)


def statements(cells):
    """The database's own times of a query's statement. The rest of the query's time is the way to the client, and the client."""
    head = ["model", "cell", "system", "statements a query", "planning us", "execution us", "a query us", "bytes to the client", "blocks hit", "blocks read",
            "parallel workers"]
    return head, [[s.model, s.cell, s.system, f"{s.statement['statements']:.0f}", shown(s.statement["planning_ns"] / 1000), shown(s.statement["execution_ns"] / 1000),
                   shown(s.own["p50"] / 1000), f"{s.statement['client_bytes']:.0f}", *(f"{s.statement[name]:.0f}" if name in s.statement else "" for name in (*figures.BUFFERS, "workers_launched"))]
                  for s in ordered(cells) if s.statement]


def shares(cells):
    """The part of a query that LoadGen and Python around the system take; older records do not tell it."""
    head = ["model", "cell", "system", "a query us", "within the system us", "by the clock of", "the harness's share"]
    rows = []
    for s in ordered(cells):
        if s.share is not None:
            whole, own = (float(numpy.median([part[name] for part in s.harness])) / 1000 for name in ("whole_ns", "system_ns"))
            rows.append([s.model, s.cell, s.system, shown(whole), shown(own), "C code" if s.record["own_clock"] == "c" else "the harness", f"{s.share:.0%}"])
    return head, rows


def stack(profiles):
    """Each level of each scan, and the ten stacks of it that take most."""
    head, rows = ["scan", "level", "ms", "against level off", "stack"], []
    for found in profiles:
        for level, tree in found["levels"].items():
            share = found["overhead"].get(level)
            why = profile.without_callers(tree)
            rows.append([found["title"], level, shown(tree["ns"] / 1e6), "" if share is None else f"{share:+.0%}", f"no callers of functions: {why}" if why else ""])
            most = sorted(profile.folded(tree), key=lambda pair: -pair[1])[:10] if tree["children"] else []
            rows += [[found["title"], level, shown(ns / 1e6), "", names] for names, ns in most]
    return head, rows


def empty_cells(empty):
    return ["model", "system", "why it is empty"], sorted(map(list, empty))


def lines(cells, problems):
    """The text: what may not be claimed first, then ours beside the best other system."""
    found = [f"not to be published: {problem}" for problem in problems]
    for s in ordered(cells):
        if s.kind == "ours" and s.passed and s.valid:
            peers = [p for p in cells.values() if (p.model, p.cell, p.division) == (s.model, s.cell, s.division) and p.kind == "peer" and
                     p.passed and p.valid]
            if peers:
                best = (max if s.more_is_better else min)(peers, key=lambda p: p.median)
                found.append(f"{s.model}, {s.cell}: {summary.words(s, best)}")
    return found


class Board:
    """Systems by workloads: how many times as long as the best each one takes, and the geometric mean. What is INVALID or inaccurate is grey,
    what nobody supports or measured is empty, with the reason."""

    def __init__(self, cells, empty):
        self.cells, self.means = cells, geometric(cells)
        self.columns = sorted({(s.model, s.cell) for s in cells.values()})
        self.rows = sorted({(s.division, s.system) for s in cells.values() if s.kind != "floor"})
        self.reasons = {}
        for model, system, reason in empty:
            self.reasons.setdefault((model, system), reason)

    def value(self, model, system, cell):
        s = self.cells.get((model, system, cell))
        ratio = slower_than_best(self.cells, s) if s else None
        return "" if s is None else "-" if ratio is None else f"{ratio:.2f}x"

    def mean(self, division, system):
        """Over all models."""
        found = [(mean, count) for (model, *key), (mean, count) in self.means.items() if key == [division, system]]
        total = sum(count for _, count in found)
        return f"{numpy.exp(sum(numpy.log(mean) * count for mean, count in found) / total):.2f}x" if total else ""

    def table(self):
        head = ["division", "system", *(f"{model}, {cell}" for model, cell in self.columns), "geometric mean"]
        return head, [[division, system, *(self.value(model, system, cell) for model, cell in self.columns), self.mean(division, system)]
                      for division, system in self.rows]

    def shown(self, links):
        """For the page: [(division, system, [(text, link, grey, reason)], mean)]"""
        rows = []
        for division, system in self.rows:
            values = []
            for model, cell in self.columns:
                s = self.cells.get((model, system, cell))
                values.append((self.value(model, system, cell), links.get((model, system, cell)), s is not None and not (s.valid and s.passed),
                               "" if s else self.reasons.get((model, system), "not measured")))
            rows.append((division, system, values, self.mean(division, system)))
        return rows


# ---------------------------------------------------------------------- the page

TITLES = {"board": "Scoreboard: how many times as long as the best of its division", "scoreboard": "Every cell", "latency": "Latency", "server": "Server",
          "batches": "Rows a query", "crossover": "Rows a query: where scoring in the database and fetching take as long", "offline": "Offline",
          "split": "Parts of a pass of offline", "cold": "Cold and hot: the first use of a process, and the same again",
          "statement": "Statements: planning, execution, buffers, and bytes to the client", "share": "The harness's own share", "accuracy": "Accuracy",
          "memory": "Memory, processor time, files, load and export", "alternating": "Models in turn: cold caches", "steps": "Some steps alone",
          "stack": "Stack: where the time of a scan goes", "trend": "Trend over commits: instructions a row", "empty": "Empty cells"}
# The plots above a table: by the begin of their names.
PLOTS = {"latency": "ecdf-", "server": "server-", "batches": "batches-", "offline": "offline-", "split": "split-", "trend": "trend"}


def linked(head, row, links):
    """The settings of the cell that a row of a table is about."""
    named = dict(zip(head, row))
    cell = named.get("cell", f"{OFFLINE}-{named['sink']}" if "sink" in named else None)
    return links.get((named.get("model"), named.get("system"), cell))


def page(tables, plots, problems, environments, cells, claims, profiles, board):
    import jinja2

    template = jinja2.Environment(autoescape=True).from_string((HERE / "report.html").read_text())
    grey = {s.key(): not (s.valid and s.passed) for s in cells.values()}
    links = {s.key(): f"settings-{number}" for number, s in enumerate(ordered(cells))}
    settings = [{"name": ", ".join(s.key()), "link": links[s.key()], "changed": s.record["changed_settings"], "all": s.record["settings"],
                 "targets": {**s.record["targets"], "processors": s.record["facts"].get("bound")}, "profile": s.record["profile"], "commit": s.record["commit"], "environment": s.record["environment"]}
                for s in ordered(cells)]
    drawn = {name: [(plot, picture.svg) for plot, picture in plots.items() if plot.startswith(begin)] for name, begin in PLOTS.items()}
    traces = {found["title"]: base64.b64encode(gzip.compress(found["trace"].encode(), mtime=0)).decode() for found in profiles if found.get("trace")}
    return template.render(
        titles=TITLES, tables=tables, problems=problems, environments=environments, settings=settings, claims=claims, grey=grey, links=links,
        linked=linked, drawn=drawn, label=records.LABEL, profiles=profiles, board=board.shown(links), traces=traces)
