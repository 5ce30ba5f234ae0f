"""publish.py - the headline results as a part of docs/benchmarks.md: tables, pictures, the environment and the commit. The part
stands between two comments and is written anew each time."""

import pathlib
import re

from . import check, crossover, pictures, records, report, summary
from .errors import BenchError
from .profiles import MULTI, OFFLINE, PROFILES, SERVER, SINGLE

PICTURES = ("ecdf", "offline", "split")
EMPTY = "-"
NOT_MEASURED = "papers not measured"


def marks(name):
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def between(page, name, text):
    """Replaces what stands between the two comments of a name."""
    before, after = around(page, name)
    begin, end = marks(name)
    making = page.with_name(page.name + ".making")
    making.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}")
    making.rename(page)


def around(page, name):
    """The page before and behind the part. A page without the comments is refused, before anything is measured or drawn."""
    begin, end = marks(name)
    try:
        content = page.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"{page}: {getattr(error, 'strerror', 'this is no text in UTF-8')}") from None
    if content.count(begin) != 1 or content.count(end) != 1 or content.index(begin) > content.index(end):
        raise BenchError(f"{page}: it needs the lines {begin} and {end}, once each")
    return content.split(begin)[0], content.split(end)[1]


def paper(page, name, text, picture):
    """Writes a paper's table into the page, with its picture if there is one. A reason names files as seen from here."""
    text = text.replace(f"{pathlib.Path.cwd()}/", "")
    if picture.exists():
        folder = page.parent / "images"
        folder.mkdir(exist_ok=True)
        (folder / f"paper-{name}.png").write_bytes(picture.read_bytes())
        text += f"\n\n![{name}](images/paper-{name}.png)"
    between(page, f"paper {name}", text)
    begin, _ = marks(NOT_MEASURED)
    if begin in page.read_text():
        between(page, NOT_MEASURED, not_measured(page.read_text()))


def not_measured(text):
    """The papers' tables whose part of a page is empty, as a sentence."""
    names = empty_parts(text)
    if not names:
        return "Each of these tables was measured."
    return f"Not measured yet, though `make bench-paper` can: {', '.join(f'`{name}`' for name in names)}."


def empty_parts(text):
    return re.findall("<!-- paper ([a-z0-9-]+): begin -->\n<!-- paper", text)


def write(results, page, everything=False):
    """Writes the part and the pictures; gives the names of the pictures. Records of the profile smoke are left out."""
    around(page, "headline")
    found = [r for r in records.read_all(results) if PROFILES[r["profile"]].claims]
    if not found:
        raise BenchError(f"{results}: there is nothing but the profile smoke, which is no measurement")
    breaches = check.breaches(found, claims=True)
    hard = [breach for breach in breaches if "its accuracy record failed" not in breach]
    if hard and not everything:
        raise BenchError(f"{results}: {len(hard)} breaches; bench-check lists them. The first: {hard[0]}")
    cells = summary.summaries(found)
    environments = [e for id_, e in records.environments(results).items() if id_ in {r["environment"] for r in found}]
    drawn = {name: picture.png for name, picture in pictures.draw(cells).items() if name.split("-")[0] in PICTURES}
    folder = page.parent / "images"
    folder.mkdir(exist_ok=True)
    for name, png in drawn.items():
        (folder / f"bench-{name}.png").write_bytes(png)
    between(page, "headline", text_of(cells, found, environments, drawn, breaches, records.read_empty(results)))
    return sorted(f"bench-{name}.png" for name in drawn)


def text_of(cells, found, environments, drawn, breaches, empty):
    parts = [told_of(found, environments)]
    if breaches:
        parts += ["What may not be claimed of it:", "\n".join(f"- {breach}" for breach in breaches)]
    models = sorted({s.model for s in cells.values()})
    for model in models:
        parts += [f"**`{model}`**", table(cells, model), *first_use(cells, model), *statements(cells, model), *crossings(cells, model)]
        parts += [f"![{name}](images/bench-{name}.png)" for name in sorted(drawn) if name in [f"{kind}-{model}" for kind in PICTURES]]
    sentences = report.lines(cells, [])
    if sentences:
        parts += ["Beside the best other system of the same division (medians of the repeats' ratios, intervals of 95 %):",
                  "\n".join(f"- {line}" for line in sentences)]
    reasons = sorted({(model, system, why) for model, system, why in empty if model in models})
    if reasons:
        parts += [markdown(["Model", "System", "Why its cells are empty"], [[f"`{m}`", f"`{s}`", why] for m, s, why in reasons])]
    return "\n\n".join(parts)


def told_of(found, environments):
    dates, profiles = sorted({r["date"] for r in found}), sorted({r["profile"] for r in found})
    commits = sorted({f"{str(r['commit'])[:12]}{' with changed files' if r['changed_files'] else ''}" for r in found})
    return (f"Measured {' and '.join(dates)}, profile {', '.join(profiles)}, commit {', '.join(commits)}; LoadGen, unofficial. "
            + " ".join(environment_of(e) for e in environments))


def environment_of(e):
    libraries = ", ".join(f"{name} {version}" for name, version in e.get("libraries", {}).items())
    cpu = e.get("cpu", {})
    return (f"{cpu.get('model')}, {cpu.get('cpus')} CPUs, Linux {e.get('kernel')}, Python {e.get('python')}, SQLite {e.get('sqlite')}"
            + (f", PostgreSQL {e['postgres']}" if e.get("postgres") else "") + compiled_by(e.get("compiler")) + (f", {libraries}." if libraries else "."))


def compiled_by(compiler):
    """The flags that count for speed and bits; a warning's name says nothing of either."""
    if not compiler or not compiler.get("version"):
        return ""
    flags = [flag for flag in (compiler.get("flags") or "").split() if flag.startswith(("-O", "-f", "-m", "-g", "-D"))]
    return f", hbscore by {compiler['version']}" + (f" ({' '.join(flags)})" if flags else "")


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(part).replace("|", "\\|") for part in line) + " |" for line in lines)


def number(value):
    """With three digits that say something."""
    if value is None:
        return EMPTY
    if value >= 999.5:
        return f"{round(value, 2 - len(str(int(value))) + 1):,.0f}"
    return f"{value:.3g}"


def shown(s):
    if s is None:
        return EMPTY
    notes = ([] if s.valid else ["INVALID"]) + (["untrustworthy"] if s.untrustworthy else []) + ([] if s.passed else ["wrong answers"]) + (["at the floor"] if s.at_floor else [])
    return number(s.median) + (f" ({', '.join(notes)})" if notes else "")


def table(cells, model):
    """A row for each system: in its division, floors last."""
    mine = [s for s in cells.values() if s.model == model]
    columns = sorted({s.cell for s in mine}, key=lambda cell: (order(cell), cell))
    titles = {cell: title(next(s for s in mine if s.cell == cell)) for cell in columns}
    systems = sorted({(s.division, s.kind == "floor", s.kind == "peer", s.system) for s in mine})
    rows = []
    for division, floor, _, system in systems:
        own = {s.cell: s for s in mine if s.system == system}
        judged = [s.accuracy["labels_differ"] for s in own.values() if s.accuracy and s.accuracy["labels_differ"] is not None]
        rows.append([f"`{system}`", "floor" if floor else division, *(shown(own.get(cell)) for cell in columns),
                     "" if floor else max(judged) if judged else EMPTY])
    return markdown(["System", "Division", *(titles[cell] for cell in columns), "Labels that differ"], rows)


ABOUT_FIRST_USE = ("The first use in a new process, and the same again. Open: connection, extension, model and import of a library, rows that must be in "
                   "memory. A pass is of offline's aggregate, else of its client.")
FIRST_USE = ["System", "open, ms", "first row, ms", "a row, ms", "of it the harness", "first pass, ms", "a pass, ms"]


def first_use(cells, model):
    """Cold beside hot: what a new process pays once, and the harness's own share of a row. Columns that nothing stands in are left
    out, and so is a table without rows."""
    rows = []
    for system in sorted({s.system for s in cells.values() if s.model == model and s.kind != "floor"}):
        own = {s.cell: s for s in cells.values() if s.model == model and s.system == system}
        single, scan = own.get(SINGLE), own.get(f"{OFFLINE}-aggregate", own.get(f"{OFFLINE}-client"))
        if single or scan:
            opened = (single or scan).cold("cold_open_ns")
            share = EMPTY if single is None or single.share is None else f"{single.share:.0%}"
            rows.append([f"`{system}`", milliseconds(opened), *cold_and_hot(single), share, *cold_and_hot(scan)])
    return full_columns(ABOUT_FIRST_USE, FIRST_USE, rows)


def full_columns(about, head, rows):
    """The text and the table, without columns that nothing stands in; nothing without rows."""
    if not rows:
        return []
    places = [place for place in range(len(head)) if any(row[place] != EMPTY for row in rows)]
    return [about, markdown([head[place] for place in places], [[row[place] for place in places] for row in rows])]


ABOUT_STATEMENTS = ("The statement of a query by the database's own figures, taken apart from the runs. PostgreSQL executes without sending (EXPLAIN); "
                    "a pass to the client has the sending, and what the client does. A client that fetches gets the features.")
SINKS = ("aggregate", "client")
STATEMENTS = ["System", "one row: planning, us", "one row: execution, us", "one row: bytes to the client",
              *(f"{sink}: {what}" for sink in SINKS for what in ("execution, ms", "a pass, ms", "bytes to the client"))]


def statements(cells, model):
    """A row for each system that has a statement: of a single row, and of passes whose rows stay, or go to the client."""
    rows = []
    for system in sorted({s.system for s in cells.values() if s.model == model and s.statement}):
        single = cells.get((model, system, SINGLE))
        found = single.statement if single else None
        row = [number(found["planning_ns"] / 1e3), number(found["execution_ns"] / 1e3), number(found["client_bytes"])] if found else [EMPTY] * 3
        for sink in SINKS:
            scan = cells.get((model, system, f"{OFFLINE}-{sink}"))
            found = scan.statement if scan and scan.statement and scan.statement["statements"] == 1 else None
            row += [milliseconds(found["execution_ns"]), milliseconds(scan.hot), number(found["client_bytes"])] if found else [EMPTY] * 3
        if any(value != EMPTY for value in row):
            rows.append([f"`{system}`", *row])
    return full_columns(ABOUT_STATEMENTS, STATEMENTS, rows)


ABOUT_CROSSINGS = ("The sweep of rows a query, from one row to a pass of all: where a query that scores in the database and one that fetches take as long, "
                   "by the median.")


def crossings(cells, model):
    rows = [[f"`{pair.ours}`", f"`{pair.peer}`", crossover.words(pair)] for pair in crossover.pairs(cells) if pair.model == model and pair.sizes]
    return [ABOUT_CROSSINGS, markdown(["In the database", "Fetching", "Crossover"], rows)] if rows else []


def cold_and_hot(s):
    return [milliseconds(s and s.cold_first), milliseconds(s and s.hot)]


def milliseconds(ns):
    return number(None if ns is None else ns / 1e6)


def order(cell):
    return next(place for place, name in enumerate((SINGLE, MULTI, SERVER, OFFLINE)) if cell.startswith(name))


def title(s):
    threads = s.record.get("threads") or 1
    return scenario_title(s) + (f", {threads} threads" if f"-{threads}-threads" in s.cell else "") + (f", in turn with {' and '.join(s.others)}" if s.others else "") + (f", {' and '.join(s.record['timed'])} alone" if s.record.get("timed") else "")


def scenario_title(s):
    if s.scenario == SINGLE:
        return "one row, 90th percentile, us"
    if s.scenario == MULTI:
        return f"{s.record['samples_per_query']} rows, 99th percentile, us"
    if s.scenario == SERVER:
        writes = f" beside {s.record['targets']['writes_per_second']:g} writes/s" if "writes_per_second" in s.record["targets"] else ""
        return f"server, queries/s under {s.record['targets']['target_latency_ms']:g} ms{writes}"
    return f"offline, {s.record['sink']}, rows/s"
