"""cli.py - python -m hbsbench COMMAND: what bench/hbsbench/bench.sh runs."""

import argparse
import datetime
import os
import pathlib
import sys

from .errors import BenchError, Refused
from .profiles import PROFILES, SCENARIOS

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
DEFAULT_SYSTEMS = ("null-callback", "null-ctypes", "hbscore-core", "floor-sqlite", "hbscore-sqlite", "floor-pg", "hbscore-pg", "sklearn")


def parser():
    p = argparse.ArgumentParser(prog="hbsbench", description=__doc__.splitlines()[0])
    p.add_argument("--cache", type=pathlib.Path, default=BUILD / "bench" / "harness" / "cache", help="default: %(default)s")
    p.add_argument("--results", type=pathlib.Path, default=BUILD / "bench" / "harness" / "results", help="default: %(default)s")
    commands = p.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="models, systems, and which system takes which model")
    for name, text in (("lock", "writes the locks of models"), ("prepare", "makes data sets, models and tables")):
        c = commands.add_parser(name, help=text)
        c.add_argument("models", nargs="*", help="names, or paths of .yaml files; default: all that are shipped")
    c = commands.add_parser("run", help="measures: accuracy and performance of each cell")
    c.add_argument("models", nargs="*")
    c.add_argument("--systems", default=",".join(DEFAULT_SYSTEMS), help="between commas; default: %(default)s")
    c.add_argument("--scenarios", default=",".join(SCENARIOS), help="default: %(default)s")
    c.add_argument("--profile", choices=PROFILES, default="standard")
    c.add_argument("--deadline", type=float, help="seconds of a process; default: by the profile")
    return p


def the_models(names):
    from . import manifest

    return [manifest.find("model", name) for name in names] if names else manifest.shipped("model")


def names_of(text, known, what):
    names = [name for name in text.split(",") if name]
    for name in names:
        if known is not None and name not in known:
            raise BenchError(f'there is no {what} "{name}"; there are {", ".join(known)}')
    return names


def do_list(o):
    from . import case, manifest, systems

    for kind in ("dataset", "model", "system"):
        print(f"{kind}s")
        for found in manifest.shipped(kind):
            print(f"  {found.name:<28} {found['description']}")
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
    from . import case

    for model in the_models(o.models):
        case.write_lock(model, o.cache, print)
        print(f"locked {model.lock_path}")
    return 0


def do_prepare(o):
    from . import case

    for model in the_models(o.models):
        case.check_lock(model, o.cache, print)
        print(f"{model.name} is ready")
    return 0


def do_run(o):
    from .driver import Harness
    from .environment import environment

    scenarios = names_of(o.scenarios, SCENARIOS, "scenario")
    harness = Harness(o.results, o.cache, o.profile, environment(), datetime.date.today().isoformat(), deadline=o.deadline,
                      told=lambda line: print(line, flush=True))
    cells = harness.plan(the_models(o.models), names_of(o.systems, None, "system"), scenarios)
    if not cells:
        for model, system, reason in harness.empty:
            print(f"empty   {model}, {system}: {reason}")
        raise BenchError("no system takes any of these models in these scenarios")
    failed = harness.run(cells)
    print(f"{len(cells) - failed} cells measured, {failed} failed; profile {o.profile}: {PROFILES[o.profile].use}")
    return 1 if failed else 0


def main(arguments=None):
    o = parser().parse_args(arguments)
    try:
        return globals()[f"do_{o.command}"](o)
    except BenchError as error:
        print(f"hbsbench: {error}", file=sys.stderr)
        return 1
    except Refused as reason:
        print(f"hbsbench: {reason}", file=sys.stderr)
        return 1
