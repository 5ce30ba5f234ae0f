"""postgres.py - systems inside PostgreSQL, on the server of the environment (PGHOST and others): hbscore's functions, and the
same statements without a model."""

import os

from hbsbench import equal_rows, native
from hbsbench.errors import BenchError, Refused
from hbsbench.statements import Statements, create_table, floor_expressions, predict_expressions
from suts.databases import Database, DatabaseSession


def connect(database="postgres"):
    import psycopg

    return psycopg.connect(f"dbname={database}", autocommit=True, prepare_threshold=None)


def fill(case, connection):
    connection.execute(create_table(case, "postgres"))
    with connection.cursor().copy(f"COPY {case.dataset['table']} FROM STDIN") as copy:
        for key, row in enumerate(case.raw_rows().tolist()):
            copy.write_row((key, *(None if value != value else value for value in row)))
    connection.execute(f"VACUUM (FREEZE, ANALYZE) {case.dataset['table']}")


class Postgres(Database):
    """Each case has a database of its own, in a server that ends with the harness."""

    dialect = "postgres"

    def make_statements(self):
        return Statements(self.case, self.dialect, self.expressions())

    def check(self):
        if "PGHOST" not in os.environ:
            raise Refused("there is no PostgreSQL server: tools/postgres_server.sh makes one")
        super().check()

    def database(self):
        return f"{type(self).__name__.lower()}_{self.case.folder.name[-16:]}_{self.case.rows}"

    def prepare(self):
        import psycopg

        with connect() as server:
            if server.execute("SELECT 1 FROM pg_database WHERE datname = %s", (self.database(),)).fetchone():
                return
            server.execute(f'CREATE DATABASE "{self.database()}"')
        try:
            with connect(self.database()) as connection:
                fill(self.case, connection)
                equal_rows.in_postgres(self.case, connection)
                self.register(connection)
                self.hooks(connection.execute, "before_preprocess", "before_postprocess")
        except (psycopg.Error, BenchError) as error:
            with connect() as server:
                server.execute(f'DROP DATABASE "{self.database()}"')
            if isinstance(error, BenchError):
                raise
            raise BenchError(f"{self.case.manifest.path}: PostgreSQL: {str(error).splitlines()[0]}") from None

    def register(self, connection):
        pass

    def session(self):
        return DatabaseSession(self.case, native.Statements("pg", f"dbname={self.database()}"), self.make_statements())


class Floor(Postgres):
    scores = False

    def expressions(self):
        return floor_expressions(self.case, self.dialect)


class Hbscore(Postgres):
    def expressions(self):
        self.case.file("hbscore")
        return predict_expressions(self.case, self.dialect)

    def register(self, connection):
        connection.execute("CREATE EXTENSION hbscore")
        connection.execute("SELECT hbscore.register('model', %s, options => %s)",
                           (self.case.file("hbscore").read_bytes(), self.case.options() or "{}"))
