"""hbscore: trained models in a table of the database, and SQL that scores rows with them.

    import sqlite3, hbscore

    connection = sqlite3.connect("data.db")
    hbscore.load(connection)
    hbscore.register(connection, "churn", fitted_model, sample=training_frame)
    connection.commit()
    connection.execute("SELECT id, predict('churn', tenure, plan) FROM customers")

load      puts the SQL functions into a connection of sqlite3 or apsw (in PostgreSQL: CREATE EXTENSION hbscore)
register  stores a fitted model, or a model's file, as the next version of a name
deploy    says which version the name means
drop      drops a version, or a model
inspect   what a model takes and gives
export    a fitted model as the bytes of a file
"""

from .database import Line, deploy, drop, inspect, register
from .errors import Error, InvalidValue, LoadError, OpenTransaction, UnsupportedModel
from .export import export
from .loading import load

__version__ = "0.1.0"

__all__ = [
    "Error",
    "InvalidValue",
    "Line",
    "LoadError",
    "OpenTransaction",
    "UnsupportedModel",
    "deploy",
    "drop",
    "export",
    "inspect",
    "load",
    "register",
]
