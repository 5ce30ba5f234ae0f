"""hbscore: trained models in a table of the database, and SQL that scores rows with them.

    import sqlite3, hbscore

    connection = sqlite3.connect("data.db")
    hbscore.load(connection)
    hbscore.register(connection, "churn", fitted_model, sample=training_frame)
    connection.commit()
    connection.execute("SELECT id, predict('churn', tenure, plan) FROM customers")

load        puts the SQL functions into a connection of sqlite3 or apsw (in PostgreSQL: CREATE EXTENSION hbscore)
register    stores a fitted model, or a model's file, as the next version of a name
deploy      says which version the name means
drop        drops a version, or a model
models      lists the models of a database, versions those of one model
inspect     what a model takes and gives
score       scores a query or a DataFrame, in blocks, and gives a DataFrame; score_rows gives dicts
get_model   the bytes of a stored model
verify      scores the golden rows of a model again
profile     how long each operator of a model takes for the rows of a query
get, set    a setting of the connection
export      a fitted model as the bytes of a file
"""

from .catalog import Model, Version, get_model, models, versions
from .database import (
    Line,
    OperatorTime,
    Verification,
    deploy,
    drop,
    inspect,
    profile,
    register,
    verify,
)
from .errors import Error, InvalidValue, LoadError, OpenTransaction, UnsupportedModel
from .export import export
from .loading import load
from .scoring import score, score_rows
from .settings import get, set

__version__ = "0.1.0"

__all__ = [
    "Error",
    "InvalidValue",
    "Line",
    "LoadError",
    "Model",
    "OpenTransaction",
    "OperatorTime",
    "UnsupportedModel",
    "Verification",
    "Version",
    "deploy",
    "drop",
    "export",
    "get",
    "get_model",
    "inspect",
    "load",
    "models",
    "profile",
    "register",
    "score",
    "score_rows",
    "set",
    "verify",
    "versions",
]
