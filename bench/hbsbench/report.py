"""report.py - a folder of results as one HTML page without anything from elsewhere, PNG and CSV files, and a text.

What check.py refuses is written at the top of the page; numbers of the profile smoke are marked as no measurement, and get no
plot."""

import base64
import csv
import io
import pathlib
import shutil

import numpy

from . import check, crosscheck, profile, records, summary
from .data import put
from .errors import BenchError
from .profiles import MULTI, OFFLINE, PROFILES, SERVER, SINGLE

HERE = pathlib.Path(__file__).resolve().parent


def write(results, folder):
    """The report; gives the lines of the summary."""
    folder = pathlib.Path(folder).resolve()
    found = records.read_all(results)
    problems = check.breaches(found, claims=True)
    cells = summary.summaries(found)
    environments = records.environments(results)
    empty, profiles = records.read_empty(results), records.read_profiles(results)
    tables = {"scoreboard": scoreboard(cells), "latency": latencies(cells), "server": servers(cells), "batches": batches(cells),
              "offline": offline(cells), "cold": cold(cells), "statement": statements(cells), "share": shares(cells), "accuracy": accuracies(cells), "memory": memory(cells),
              "stack": stack(profiles), "alternating": alternating(cells), "steps": steps(cells), "empty": empty_cells(empty)}
    claims = all(PROFILES[s.record["profile"]].claims for s in cells.values())
    plots = draw(cells) if claims and cells else {}
    text = lines(cells, problems)

    def fill(making):
        for name, (head, rows) in tables.items():
            with open(making / f"{name}.csv", "w", newline="") as file:
                csv.writer(file).writerows([head, *rows])
        for name, png in plots.items():
            (making / f"{name}.png").write_bytes(png)
        (making / "summary.txt").write_text("\n".join(text) + "\n")
        (making / "report.html").write_text(page(tables, plots, problems, environments, cells, claims, profiles))

    clear(folder)
    put(folder, fill)
    return text


def clear(folder):
    """An older report goes; a folder that holds anything else stays as it is."""
    if not folder.exists():
        return
    if not folder.is_dir() or folder.is_symlink() or any(path.is_dir() or path.suffix not in (".html", ".csv", ".png", ".txt") for path in folder.iterdir()):
        raise BenchError(f"{folder}: this holds something else than a report: give --to a folder of its own")
    shutil.rmtree(folder)


# ---------------------------------------------------------------------- tables


def ordered(cells, scenarios=None):
    return sorted((s for s in cells.values() if scenarios is None or s.scenario in scenarios), key=lambda s: (s.model, s.cell, s.division, s.system))


def by_themselves(cells):
    """Without cells of models that take turns."""
    return {key: s for key, s in cells.items() if not s.others}


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
    head = ["model", "cell", "division", "system", "headline", "unit", "against the best", "valid", "accurate", "at the floor", "repeats", "outliers"]
    rows = [[s.model, s.cell, s.division, s.system, shown(s.median), s.unit, shown(slower_than_best(cells, s)),
             verdict(s), "" if s.kind == "floor" else "yes" if s.passed else "no",
             "at the floor" if s.at_floor else "", len(s.values), ", ".join(f"run {number}" for number in s.outliers)] for s in ordered(cells)]
    return head, rows + [[model, "all", division, system, shown(mean), "geometric mean", shown(mean), "", "", "", count, ""]
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
    names = ["p50", "p90", "p95", "p97", "p99", "p99.9"]
    head = ["model", "cell", "system", *(f"{name} us" for name in names), "p50 us, floor", "p50 us within C"]
    rows = []
    for s in ordered(cells, (SINGLE, MULTI, SERVER)):
        floor = cells.get((s.model, s.floor, s.cell))
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
        rows.append([s.model, s.cell, s.system, shown(s.median), shown(s.p99 / 1000), shown(late and late["p99"] / 1000), target,
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
    head = ["model", "system", "rows a query", "p50 us a row", "p99 us a row"]
    rows = []
    for s in ordered(by_themselves(cells), (SINGLE, MULTI)):
        n = s.record["samples_per_query"] or 1
        rows.append([s.model, s.system, n, shown(s.latency["p50"] / 1000 / n), shown(s.latency["p99"] / 1000 / n)])
    return head, rows


def offline(cells):
    head = ["model", "sink", "system", "division", "rows/s", "ms a pass", "rows"]
    return head, [[s.model, s.record["sink"], s.system, s.division, shown(s.median), shown(s.record["rows"] / s.median * 1000),
                   s.record["rows"]] for s in ordered(cells, (OFFLINE,))]


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
    head = ["model", "cell", "system", "peak MiB", "peak MiB of the server's process", "user s", "system s", "plan bytes"]
    return head, [[s.model, s.cell, s.system, shown(s.record["usage"]["peak_kib"] / 1024),
                   shown(s.record["usage"]["server_peak_kib"] / 1024) if "server_peak_kib" in s.record["usage"] else "",
                   shown(s.record["usage"]["user_seconds"]),
                   shown(s.record["usage"]["system_seconds"]), s.record["facts"].get("model_bytes", "")] for s in ordered(cells)]


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
    head = ["model", "cell", "system", "statements a query", "planning us", "execution us", "a query us", "bytes to the client"]
    return head, [[s.model, s.cell, s.system, f"{s.statement['statements']:.0f}", shown(s.statement["planning_ns"] / 1000), shown(s.statement["execution_ns"] / 1000),
                   shown(s.latency["p50"] / 1000), f"{s.statement['client_bytes']:.0f}"] for s in ordered(cells) if s.statement]


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
            rows.append([found["title"], level, shown(tree["ns"] / 1e6), "" if share is None else f"{share:+.0%}", ""])
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


# ---------------------------------------------------------------------- plots


def draw(cells):
    import matplotlib

    matplotlib.use("Agg")
    found = {}
    for model in sorted({s.model for s in cells.values()}):
        mine = {key: s for key, s in cells.items() if s.model == model}
        for name, make in (("ecdf", draw_ecdf), ("server", draw_server), ("batches", draw_batches), ("offline", draw_offline)):
            png = make(mine)
            if png:
                found[f"{name}-{model}"] = png
    return found


def figure(title, across, up):
    from matplotlib import pyplot

    made, axes = pyplot.subplots(figsize=(8, 4.5), dpi=100)
    axes.set_title(f"{title} (LoadGen, unofficial)")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(True, which="both", alpha=0.3)
    return made, axes


def finished(made, axes):
    from matplotlib import pyplot

    axes.legend(fontsize=8)
    data = io.BytesIO()
    made.savefig(data, format="png", bbox_inches="tight", metadata={"Software": None})
    pyplot.close(made)
    return data.getvalue()


def draw_ecdf(cells):
    chosen = ordered(by_themselves(cells), (SINGLE,))
    if not chosen:
        return None
    made, axes = figure(f"{chosen[0].model}: latency of single rows", "microseconds", "share of queries that are slower")
    for s in chosen:
        times = numpy.sort(numpy.concatenate([t[0] for t in s.times])) / 1000
        places = curve(len(times))
        axes.plot(times[places], 1 - places / len(times), label=s.system, linestyle=":" if s.kind == "floor" else "-")
    axes.set_xscale("log")
    axes.set_yscale("log")
    return finished(made, axes)


def curve(n, points=1000):
    """Places of a sorted list of n that a curve is drawn through: dense towards its end, for the axis of the share beyond is
    logarithmic. A curve of millions of points takes a minute to draw."""
    return n - numpy.unique(numpy.geomspace(1, n, min(n, points)).astype(int))[::-1]


def draw_server(cells):
    chosen = [s for s in ordered(cells, (SERVER,)) if s.record.get("search")]
    if not chosen:
        return None
    made, axes = figure(f"{chosen[0].model}: server", "queries a second", "99th percentile, microseconds")
    curves = []
    for s in chosen:
        steps = sorted(s.record["search"], key=lambda step: step["qps"])
        (line,) = axes.plot([step["qps"] for step in steps], [step["p99_us"] for step in steps], marker="o", linestyle=":" if s.kind == "floor" else "-",
                            label=s.system if s.cell == SERVER else f"{s.system}, {s.cell}")
        curves.append((line, [step for step in steps if "issue_p99_us" in step]))
    axes.axhline(chosen[0].record["targets"]["target_latency_ms"] * 1000, color="black", linestyle="--", label="target")
    axes.set_xscale("log")
    axes.set_yscale("log")
    draw_issue_delay(axes, curves)
    return finished(made, axes)


def draw_issue_delay(axes, curves):
    """A small panel below the axes, of the same rates: [(line above, steps)]. What the generator itself is late by."""
    if not any(steps for _, steps in curves):
        return
    small = axes.inset_axes([0, -0.55, 1, 0.35], sharex=axes)
    for line, steps in curves:
        small.plot([step["qps"] for step in steps], [max(step["issue_p99_us"], 1.0) for step in steps], marker=".", color=line.get_color(),
                   linestyle=line.get_linestyle())
    small.set_yscale("log")
    small.set_xlabel("queries a second")
    small.set_ylabel("issue delay, p99, us")
    small.grid(True, which="both", alpha=0.3)


def draw_batches(cells):
    chosen = ordered(by_themselves(cells), (SINGLE, MULTI))
    if len({s.record["samples_per_query"] for s in chosen}) < 2:
        return None
    made, axes = figure(f"{chosen[0].model}: rows a query", "rows a query", "microseconds a row, median")
    for system in sorted({s.system for s in chosen}):
        points = sorted((s.record["samples_per_query"] or 1, s.latency["p50"] / 1000 / (s.record["samples_per_query"] or 1))
                        for s in chosen if s.system == system)
        axes.plot(*zip(*points), marker="o", label=system)
    axes.set_xscale("log")
    axes.set_yscale("log")
    return finished(made, axes)


def draw_offline(cells):
    chosen = [s for s in ordered(cells, (OFFLINE,)) if s.kind != "floor"]
    if not chosen:
        return None
    made, axes = figure(f"{chosen[0].model}: offline", "rows a second", "")
    names = [f"{s.system}, {s.record['sink']}" for s in chosen]
    axes.barh(names, [s.median for s in chosen], label="rows a second",
              color=["#888888" if not (s.valid and s.passed) else "#2a6f97" if s.kind == "ours" else "#c9a227" for s in chosen])
    axes.set_xscale("log")
    return finished(made, axes)


# ---------------------------------------------------------------------- the page

TITLES = {"scoreboard": "Scoreboard", "latency": "Latency", "server": "Server", "batches": "Rows a query", "offline": "Offline",
          "cold": "Cold and hot: the first use of a process, and the same again", "statement": "Statements: planning, execution, and bytes to the client", "share": "The harness's own share", "accuracy": "Accuracy",
          "memory": "Memory and processor time", "alternating": "Models in turn: cold caches", "steps": "Some steps alone", "stack": "Stack: where the time of a scan goes", "empty": "Empty cells"}


def page(tables, plots, problems, environments, cells, claims, profiles):
    import jinja2

    template = jinja2.Environment(autoescape=True).from_string((HERE / "report.html").read_text())
    grey = {s.key(): not (s.valid and s.passed) for s in cells.values()}
    settings = [{"name": ", ".join(s.key()), "changed": s.record["changed_settings"], "all": s.record["settings"],
                 "profile": s.record["profile"], "commit": s.record["commit"], "environment": s.record["environment"]}
                for s in ordered(cells)]
    return template.render(
        titles=TITLES, tables=tables, problems=problems, environments=environments, settings=settings, claims=claims, grey=grey,
        plots={name: base64.b64encode(png).decode() for name, png in plots.items()}, label=records.LABEL, profiles=profiles)
