"""postgres_report.py - what the benchmark's measurements say: postgres.txt, postgres.md, postgres.json (with each
measurement) and postgres.png in its folder, and the text on the terminal.
"""

import os

import numpy
import psycopg
import sklearn
import xgboost

import scan_report
from postgres_ways import FETCH, WAYS

GOALS = {
    ("xgboost_100x6", "batch"): [("bare", 1.10)],
    ("xgboost_500x8", "batch"): [("row", 1 / 4)],
    **{(model, "written"): [("fetch", 1 / 10)] for model in ("xgboost_100x6", "xgboost_500x8", "pipeline")},
    **{(model, "batch_2"): [("batch", 1 / 1.7)] for model in ("xgboost_100x6", "xgboost_500x8", "pipeline")},
}
AGAINST = {"bare": "the bare scan", "row": "by row", "batch": "one process", "fetch": "the faster fetch"}
# Okabe and Ito's colours, which all kinds of colour vision tell apart; they differ in lightness too.
COLOURS = {"bare": ("#999999", "PostgreSQL alone"), "hbscore": ("#0072B2", "hbscore, in the database"),
           "library": ("#E69F00", "without hbscore")}
# Processes of a statement with two workers: its leader scores too.
PROCESSES = 3


def machine(bench):
    return scan_report.machine(postgres=bench.ask("SHOW server_version").split()[0], psycopg=psycopg.__version__,
                               xgboost=xgboost.__version__, sklearn=sklearn.__version__, numpy=numpy.__version__)


def facts(bench, about, not_run):
    lines = [f"{bench.rows:,} rows; 28 float4 columns, or 8 float8 and 4 text columns (the pipeline); tables in the shared "
             "buffers, jit off; one process unless workers are named, beside which the leader scores too.",
             f"{about['cpu']}, {about['cpus']} CPUs; {about['system']}; PostgreSQL {about['postgres']}, "
             f"Python {about['python']}, psycopg {about['psycopg']}, XGBoost {about['xgboost']}, "
             f"scikit-learn {about['sklearn']}, NumPy {about['numpy']}; "
             f"hbscore {about['hbscore'] or 'of no known commit'}; {about['date']}.",
             "Medians; ratios are those of the same round. \"x bare scan\" and \"x fetch\": the time as a multiple of "
             "the bare scan's in one process, and of the faster way of a client, which fetches, predicts on one thread and "
             "writes back, and of which \"written to a table\" is the counterpart. \"differ\": rows whose bits are not "
             "those of the library's own prediction, of all rows that the way scores."]
    return lines + [f"Not run: {title}: {reason}" for title, reason in not_run.items()]


def excuse(model, way, other):
    """Workers gain where there are CPUs for them."""
    if way == "batch_2" and (os.cpu_count() or 1) < PROCESSES:
        return f"not judged on {os.cpu_count()} CPUs"
    return None


def report(o, bench, ways_of, differences, not_run, measurements, memory):
    about = machine(bench)
    sentence, missed = memory

    def cells(model, way):
        found = differences.get((model.name, way))
        return ("" if found is None else f"{found:,}",)

    picture_title = (f"Scoring {bench.rows:,} rows in PostgreSQL: time a row\n"
                     f"{about['cpu']}, PostgreSQL {about['postgres']}, XGBoost {about['xgboost']}, "
                     f"scikit-learn {about['sklearn']}")
    spec = scan_report.Spec(name="postgres", title="Scoring a table in PostgreSQL", picture_title=picture_title, ways=WAYS,
                            goals=GOALS, against=AGAINST, colours=COLOURS, fetch=FETCH, notes=facts(bench, about, not_run),
                            head=("differ",), cells=cells, excuse=excuse)
    missed += sum(differences.values()) > 0
    return scan_report.report(o.folder, spec, bench.models, ways_of, measurements, about, [sentence], missed)
