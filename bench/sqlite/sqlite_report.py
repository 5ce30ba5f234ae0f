"""sqlite_report.py - what the benchmark's measurements say: sqlite.txt, sqlite.md, sqlite.json (with each
measurement) and sqlite.png in its folder, and the text on the terminal.
"""

import sqlite3

import lightgbm
import numpy
import sklearn
import xgboost

import scan_report
from scan_models import FEATURES
from sqlite_data import NAMES
from sqlite_ways import WAYS

# What a way may take at most, as a multiple of another one in the same round. With the model that costs nothing it
# is the price of the way itself, against the bare scan of the same columns.
GOALS = {
    ("single_leaf", "scalar"): [("bare", 1.10)],
    ("single_leaf", "scan"): [("bare", 1.10)],
    ("xgboost_100x6", "scalar"): [("bare", 1.50)],
    ("xgboost_100x6", "scan"): [("bare", 1.15)],
    ("xgboost_500x8", "scan"): [("bare", 1.40), ("scalar", 1 / 2)],
    **{(model, "write_scan"): [("fetch", 1 / 10)] for model in NAMES if model != "single_leaf"},
}
AGAINST = {"bare": "the bare scan", "scalar": "scalar", "fetch": "fetching"}
# Okabe and Ito's colours, which all kinds of colour vision tell apart; they differ in lightness too.
COLOURS = {"bare": ("#999999", "SQLite alone"), "hbscore": ("#0072B2", "hbscore, in the database"),
           "library": ("#E69F00", "the model's own library, in Python")}


def machine():
    return scan_report.machine(sqlite=sqlite3.sqlite_version, xgboost=xgboost.__version__, lightgbm=lightgbm.__version__,
                               sklearn=sklearn.__version__, numpy=numpy.__version__)


def facts(o, about):
    lines = [f"{o.rows:,} rows, {FEATURES} REAL columns, no row twice; one thread; SQLite's default settings.",
             f"{about['cpu']}, {about['cpus']} CPUs; {about['system']}; SQLite {about['sqlite']}, "
             f"Python {about['python']}, XGBoost {about['xgboost']}, LightGBM {about['lightgbm']}, "
             f"scikit-learn {about['sklearn']}, NumPy {about['numpy']}; hbscore {about['hbscore'] or 'of no known commit'}; {about['date']}.",
             "Medians; ratios are those of the same round. \"x bare scan\" and \"x fetch\": the time as a multiple of "
             "the bare scan's, and of fetching, predicting and writing back in Python, of which \"written to a table\" "
             "are the counterparts."]
    absent = [WAYS[way][1] for way in WAYS if way not in o.ways]
    return lines + ([f"Not measured: {'; '.join(absent)}."] if absent else [])


def report(o, models, measurements):
    about = machine()
    picture_title = (f"Scoring {o.rows:,} rows of {FEATURES} columns in SQLite, one thread: time a row\n"
                     f"{about['cpu']}, SQLite {about['sqlite']}, XGBoost {about['xgboost']}, LightGBM {about['lightgbm']}")
    spec = scan_report.Spec(name="sqlite", title="Scoring a table in SQLite", picture_title=picture_title, ways=WAYS,
                            goals=GOALS, against=AGAINST, colours=COLOURS, fetch=("fetch",), notes=facts(o, about))
    return scan_report.report(o.folder, spec, models, lambda model: o.ways, measurements, about)
