"""cli.py - python -m hbsbench COMMAND: what bench/hbsbench/bench.sh runs."""

import argparse
import datetime
import os
import pathlib
import sys

from .errors import BenchError, Refused, one_line
from .profiles import PROFILES, SCENARIOS

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
# The headline set: each model has six systems, of which one is its own library, and the four floors.
HEADLINE_MODELS = ("fraud-xgboost", "fraud-lightgbm")
HEADLINE_SYSTEMS = ("null-callback", "null-ctypes", "hbscore-core", "xgboost", "lightgbm", "floor-sqlite", "hbscore-sqlite",
                    "sklearn-fetch-sqlite", "floor-pg", "hbscore-pg", "sklearn-fetch-pg")


def seconds(text):
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds between 0 and 1,000,000")
    return value


def rate(text):
    value = float(text)
    if not 0.1 <= value <= 10_000:
        raise argparse.ArgumentTypeError(f"{text} is no rate between 0.1 and 10,000 a second")
    return value


def numbers_up_to(most):
    def numbers(text):
        values = [int(part) for part in text.split(",")]
        if not all(1 <= value <= most for value in values):
            raise argparse.ArgumentTypeError(f"{text} has a number that is not between 1 and {most:,}")
        return values

    return numbers


def at_least(least):
    def number(text):
        value = int(text)
        if not least <= value <= 10_000_000:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and 10,000,000")
        return value

    return number


def parser():
    p = argparse.ArgumentParser(prog="hbsbench", description=__doc__.splitlines()[0])
    p.add_argument("--cache", type=pathlib.Path, default=BUILD / "bench" / "harness" / "cache", help="default: %(default)s")
    p.add_argument("--results", type=pathlib.Path, default=BUILD / "bench" / "harness" / "results", help="default: %(default)s")
    commands = p.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="models, systems, and which system takes which model")
    for name, text in (("lock", "writes the locks of models"), ("prepare", "makes data sets, models and tables")):
        c = commands.add_parser(name, help=text)
        c.add_argument("models", nargs="*", help="names, or paths of .yaml files; default: all that are shipped")
        c.add_argument("--deadline", type=seconds, help="seconds of a function that a manifest names; default: an hour")
    for name, text, systems in (("run", "measures: accuracy and performance of each cell", HEADLINE_SYSTEMS),
                                ("audit", "audits TEST01 and TEST04 of single-stream", HEADLINE_SYSTEMS),
                                ("profile", "where the time of a scan goes, with traces and flame graphs", ("hbscore-sqlite", "hbscore-pg"))):
        c = commands.add_parser(name, help=text)
        c.add_argument("models", nargs="*", help=f"default: {' '.join(HEADLINE_MODELS)}")
        c.add_argument("--systems", default=",".join(systems), help="between commas; default: %(default)s")
        c.add_argument("--profile", choices=PROFILES, default="standard")
        c.add_argument("--deadline", type=seconds, help="seconds of a process; default: by the profile")
        if name == "run":
            c.add_argument("--scenarios", default=",".join(SCENARIOS), help="default: %(default)s")
            c.add_argument("--writes", type=rate, help="a second: server also with a writer beside it, where the manifest has none")
            c.add_argument("--threads", type=numbers_up_to(1024), default=(1,), help="numbers between commas: libraries with so many threads, each in cells of its own; default: 1")
            c.add_argument("--duration", type=seconds, help="of a run, shorter than the profile's: to try something, for bench-check refuses it")
            c.add_argument("--batches", type=numbers_up_to(4096), default=(), help="rows of a query of multi_stream between commas, in the place of the manifest's")
            c.add_argument("--find-peak", action="store_true", help="the rate of server is searched by LoadGen's own mode FindPeakPerformance")
            c.add_argument("--alternate", help="models between commas: streams also with these in turn, where the manifest names none")
        if name == "profile":
            c.add_argument("--levels", default="1,2,3,4", help="of 0 to 4; default: %(default)s")
            c.add_argument("--traces", default="single_stream,server,offline", help="scenarios of short traced runs of LoadGen; none: no such run")
    c = commands.add_parser("crosscheck", help="server in PostgreSQL by pgbench, at the rates of records, beside them")
    c.add_argument("folder", nargs="?", type=pathlib.Path, help="of results; default: the newest day's")
    c.add_argument("--seconds", type=seconds, help="of a run; default: by the profile of the record")
    c = commands.add_parser("check", help="says which records may not be compared or published")
    c.add_argument("folder", nargs="?", type=pathlib.Path, help="of results; default: the newest day's")
    c.add_argument("--claims", action="store_true", help="they are to stand in a table: by five repeats, not of the profile smoke")
    c = commands.add_parser("report", help="writes the report: HTML, PNG, CSV and a text")
    c.add_argument("folder", nargs="?", type=pathlib.Path)
    c.add_argument("--to", type=pathlib.Path, default=BUILD / "bench" / "harness" / "report", help="default: %(default)s")
    c = commands.add_parser("publish", help="writes the headline results into docs/benchmarks.md, with pictures")
    c.add_argument("folder", nargs="?", type=pathlib.Path)
    c.add_argument("--page", type=pathlib.Path, default=pathlib.Path("docs/benchmarks.md"), help="default: %(default)s")
    c.add_argument("--everything", action="store_true", help="even if bench-check finds breaches, which are then named in the page")
    _paper_options(commands.add_parser("paper", help="measures tables of the papers"))
    c = commands.add_parser("compare", help="each cell of two or more folders of results beside the first one")
    c.add_argument("before", type=pathlib.Path)
    c.add_argument("after", type=pathlib.Path, nargs="+")
    return p


def _paper_options(c):
    c.add_argument("tables", nargs="*", help="names; without one: the list")
    c.add_argument("--publish", action="store_true", help="writes what was measured into --page")
    c.add_argument("--page", type=pathlib.Path, default=pathlib.Path("docs/benchmarks.md"), help="default: %(default)s")
    c.add_argument("--to", type=pathlib.Path, default=BUILD / "bench" / "harness" / "papers", help="default: %(default)s")
    c.add_argument("--rows", type=at_least(100), default=100_000, help="to train on, and as many to score; default: %(default)s")
    c.add_argument("--trees", type=at_least(1), default=500, help="default: %(default)s")
    c.add_argument("--singles", type=at_least(1), default=1000, help="rows that are scored one by one; default: %(default)s")
    c.add_argument("--cpu", action="store_true", help="processor time of the process, on a machine that others use too")
    c.add_argument("--systems", help="between commas; default: the table's")
    c.add_argument("--add", action="store_true", help="keeps the cells of the other systems, as this machine has measured them last with these settings")
    c.add_argument("--workloads", default="", help="only those whose names have this text")


def the_models(names):
    from . import manifest, models

    if names:
        return [manifest.find("model", name) for name in names]
    shipped = manifest.shipped("model")
    for model in shipped:
        if not models.installed(model):
            print(f"left out {model.name}: {model['framework']['name']} is not installed: make bench-optional")
    return [model for model in shipped if models.installed(model)]


def names_of(text, known, what):
    names = list(dict.fromkeys(name for name in text.split(",") if name))
    if not names:
        raise BenchError(f'"{text}" names no {what}')
    for name in names:
        if known is not None and name not in known:
            raise BenchError(f'there is no {what} "{name}"; there are {", ".join(known)}')
    return names


def do_list(o):
    from . import case, manifest, systems

    for kind in ("dataset", "model", "system"):
        print(f"{kind}s")
        for found in manifest.shipped(kind):
            more = " ({}: {} in, {} out)".format(found["task"], *manifest.modalities(found)) if kind == "model" else ""
            print(f"  {found.name:<28} {found['description']}{more}")
    print("cells")
    for model in manifest.shipped("model"):
        try:
            case.check_lock(model, o.cache)
            opened = case.Case(model, o.cache)
        except BenchError as error:
            print(f"  {model.name}: {error}")
            continue
        for system in manifest.shipped("system"):
            try:
                systems.load(system.name, opened)
                print(f"  {model.name:<28} {system.name:<28} yes")
            except Refused as reason:
                print(f"  {model.name:<28} {system.name:<28} no: {reason}")
    return 0


def do_lock(o):
    from . import case, deadline

    for model in the_models(o.models):
        with deadline.of(o.deadline):
            case.write_lock(model, o.cache, print)
        print(f"locked {model.lock_path}")
    return 0


def do_prepare(o):
    from . import case, deadline

    for model in the_models(o.models):
        with deadline.of(o.deadline):
            case.check_lock(model, o.cache, print)
        print(f"{model.name} is ready")
    return 0


def the_harness(o):
    from .driver import Harness
    from .environment import environment

    return Harness(o.results, o.cache, o.profile, environment(), datetime.date.today().isoformat(), deadline=o.deadline,
                   told=lambda line: print(line, flush=True), writes=getattr(o, "writes", None), threads=getattr(o, "threads", (1,)),
                   batches=getattr(o, "batches", ()), find_peak=getattr(o, "find_peak", False), duration_ms=round(o.duration * 1000) if getattr(o, "duration", None) else None,
                   alternate=names_of(o.alternate, None, "model") if getattr(o, "alternate", None) else ())


def the_cells(o, harness, scenarios):
    cells = harness.plan(the_models(o.models or HEADLINE_MODELS), names_of(o.systems, None, "system"), scenarios)
    if not cells:
        for model, system, reason in harness.empty:
            print(f"empty   {model}, {system}: {reason}")
        raise BenchError("no system takes any of these models in these scenarios")
    return cells


def do_run(o):
    harness = the_harness(o)
    cells = the_cells(o, harness, names_of(o.scenarios, SCENARIOS, "scenario"))
    failed = harness.run(cells)
    print(f"{len(cells)} cells, {failed} failed; profile {o.profile}: {PROFILES[o.profile].use}")
    return 1 if failed else 0


def do_audit(o):
    from . import audit

    harness = the_harness(o)
    failed = audit.run(harness, the_cells(o, harness, ["single_stream"]))
    print(f"{failed} audits failed")
    return 1 if failed else 0


def do_profile(o):
    from . import records, traced

    levels = [int(level) for level in names_of(o.levels, list("01234"), "level")]
    names, harness, made = names_of(o.systems, None, "system"), the_harness(o), 0
    traces = [] if o.traces == "none" else names_of(o.traces, traced.SCENARIOS, "scenario to trace")
    with records.alone(harness.results):
        for model in the_models(o.models or HEADLINE_MODELS):
            made += sum(profiled(harness, model, name, levels, traces) for name in names)
    return 0 if made else 1


def profiled(harness, model, name, levels, traces):
    """A model on a system; False where it cannot be measured."""
    from . import case, profile, records, systems, traced

    case.check_lock(model, harness.cache)
    try:
        manifest, system = systems.load(name, case.Case(model, harness.cache, harness.profile.most_rows), beside=model.folder)
        systems.telling(manifest, system.prepare)
        trees = systems.telling(manifest, profile.measure, system, levels)
        runs = traced.measure(harness, model, name, traces)
    except Refused as reason:
        print(f"empty   {model.name}, {name}: {reason}")
        return False
    home = harness.results / harness.date / harness.environment["id"] / model["dataset"]["ref"] / model.name / manifest.name / "profile"
    with harness.making() as folder:
        making = folder / "profile"
        making.mkdir()
        profile.write(making, f"{model.name}, {manifest.name}", trees, runs)
        records.put(home, making)
    for level, tree in sorted(trees.items()):
        more = f", {profile.overhead(trees)[level]:+.0%} of level 0" if level else ""
        print(f"{model.name}, {manifest.name}, level {level}: {profile.LEVELS[level]:<9} {tree['ns'] / 1e6:10.3f} ms{more}")
        for stack, ns in sorted(profile.folded(tree), key=lambda pair: -pair[1])[:10] if level else []:
            print(f"    {ns / 1e6:10.3f} ms  {stack}")
    print(home)
    return True


def newest(o):
    """The folder of results that is asked for, else that of the newest day."""
    if o.folder:
        if not o.folder.is_dir():
            raise BenchError(f"{o.folder}: there is no such folder")
        return o.folder
    days = sorted(path for path in o.results.glob("*") if path.is_dir())
    if not days:
        raise BenchError(f"{o.results}: there are no results: run `hbsbench run` first")
    return days[-1]


def do_check(o):
    from . import check, records

    folder = newest(o)
    found = check.breaches(records.read_all(folder), o.claims)
    for breach in found:
        print(breach)
    print(f"{folder}: {len(found)} breaches")
    return 1 if found else 0


def do_crosscheck(o):
    from . import crosscheck

    return 1 if crosscheck.run(newest(o), o.cache, o.seconds, lambda line: print(line, flush=True)) else 0


def do_report(o):
    from . import report

    for line in report.write(newest(o), o.to):
        print(line)
    print(f"{o.to / 'report.html'}")
    return 0


def do_publish(o):
    from . import publish

    for picture in publish.write(newest(o), o.page, o.everything):
        print(o.page.parent / "images" / picture)
    print(o.page)
    return 0


def do_paper(o):
    from . import paper, publish
    from .environment import environment

    if not o.tables:
        print(paper.listed())
        return 0
    tables = [paper.find(name) for name in dict.fromkeys(o.tables)]
    for table in tables if o.publish else []:
        publish.around(o.page, f"paper {table['name']}")
    for table in tables:
        name = table["name"]
        if table["kind"] == "program":
            print(f"{name}: `{table['command']}` measures it: {table['note']}")
            continue
        size = paper.Size(rows=o.rows, trees=o.trees, singles=o.singles, cpu=o.cpu)
        text = paper.run(table, size, o, environment(), lambda line: print(line, flush=True))
        print(text)
        if o.publish:
            publish.paper(o.page, name, text, o.to / f"{name}.png")
            print(o.page)
    return 0


def do_compare(o):
    from . import records, summary

    for folder in (o.before, *o.after):
        if not folder.is_dir():
            raise BenchError(f"{folder}: there is no such folder")
    before, apart = summary.summaries(records.read_all(o.before)), 0
    for folder in o.after:
        if len(o.after) > 1:
            print(folder)
        apart += compared(o.before, before, folder, summary.summaries(records.read_all(folder)))
    return 1 if apart else 0


def compared(first, before, folder, after):
    """Prints each cell that both have; the number of those that may not be compared."""
    from . import check, summary

    both = sorted(set(before) & set(after))
    if not both:
        raise BenchError(f"{first} and {folder} have no cell in common")
    apart = 0
    for key in both:
        unlike = [words for field, words in [*check.SAME.items(), ("environment", "the environment"), ("targets", "the targets")]
                  if before[key].record[field] != after[key].record[field]]
        if unlike:
            print(f"{', '.join(key):<60} may not be compared: not the same are {', '.join(unlike)}")
            apart += 1
            continue
        middle, low, high = summary.ratio(after[key], before[key])
        interval = "one run or unequal numbers of runs" if low is None else f"{low:.2f} to {high:.2f}"
        print(f"{', '.join(key):<60} after, times as fast as before: {middle:.2f} ({interval})")
    return apart


def main(arguments=None):
    o = parser().parse_args(arguments)
    try:
        return globals()[f"do_{o.command}"](o)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads: the interpreter's end must not write
        return 1
    except KeyboardInterrupt:
        return told("interrupted", 130)
    except (BenchError, Refused) as error:
        return told(error)
    except OSError as error:
        return told(f"{error.filename or 'the system'}: {error.strerror or error}")
    except MemoryError:
        return told("there is not enough memory")


def told(error, status=1):
    print(f"hbsbench: {one_line(error)}", file=sys.stderr)
    return status
