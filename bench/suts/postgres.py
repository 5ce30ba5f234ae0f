"""postgres.py - systems inside PostgreSQL, on the server of the environment (PGHOST and others): hbscore's functions, and the
same statements without a model."""

import os
import pathlib

import numpy

from hbsbench import equal_rows, figures, native, profile
from hbsbench.errors import BenchError, Refused
from hbsbench.profiles import MULTI, OFFLINE
from hbsbench.statements import after_loading, create_table, floor_expressions
from hbsbench.systems import consecutive
from hbsbench.writer import Connection
from suts.databases import Database, DatabaseSession, Scoring


# Where the keys of a range are not known the server expects more rows than there are, so it would plan each execution of a
# prepared statement anew: 0.1 to 1 ms for eight rows, without a model too. Libraries have one thread, and so have statements:
# no parallel workers, unless a system is there to show them.
SETTINGS = "-c client_min_messages=warning -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0"


def connect(database="postgres", prepares=False):
    """`prepares`: statements of SELECT are prepared, with one plan."""
    import psycopg

    options = {"options": SETTINGS, "prepare_threshold": 0} if prepares else {"prepare_threshold": None}
    return psycopg.connect(f"dbname={database}", autocommit=True, **options)


def fill(case, connection):
    connection.execute(create_table(case, "postgres"))
    with connection.cursor().copy(f"COPY {case.dataset['table']} FROM STDIN") as copy:
        for key, row in enumerate(case.raw_rows().tolist()):
            copy.write_row((key, *(None if value != value else value for value in row)))
    if after_loading(case, "postgres"):
        connection.execute(after_loading(case, "postgres"))
    connection.execute(f"VACUUM (FREEZE, ANALYZE) {case.dataset['table']}")


class PostgresSession(DatabaseSession):
    def process(self):
        return self.connection.process()

    def stats(self):
        """The most memory that the server's process for this connection had, its part of the shared buffers too."""
        try:
            lines = pathlib.Path(f"/proc/{self.process()}/status").read_text().splitlines()
        except OSError:  # a server elsewhere
            return {}
        return {"server_peak_kib": int(line.split()[1]) for line in lines if line.startswith("VmHWM:")}


class Postgres(Database):
    """Each case has a database of its own, in a server that ends with the harness."""

    dialect = "postgres"
    session_type = PostgresSession
    store, settings = None, ""  # whose database it uses; more settings of its connections

    def check(self):
        if "PGHOST" not in os.environ:
            raise Refused("there is no PostgreSQL server: tools/postgres_server.sh makes one")
        super().check()

    def database(self):
        return f"{self.store or type(self).__name__.lower()}_{self.case.folder.name[-16:]}_{self.case.rows}_{self.case.manifest.digest[:8]}{self.others()}"

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
        except (psycopg.Error, BenchError, Refused) as error:
            with connect() as server:
                server.execute(f'DROP DATABASE "{self.database()}"')
            if isinstance(error, psycopg.Error):
                raise BenchError(f"{self.case.manifest.path}: PostgreSQL: {str(error).splitlines()[0]}") from None
            raise

    def register(self, connection):
        pass

    def connected(self):
        return native.Statements("pg", f"dbname={self.database()} options='{SETTINGS}{self.settings}'")

    def writer(self):
        return PostgresWriter(self.case, connect(self.database(), prepares=True))


class PostgresWriter(Connection):
    def __init__(self, case, connection):
        self.connection, self.table = connection, case.dataset["table"]
        super().__init__(case, connection.execute, ("%s", "%s"))

    def close(self):
        super().close()
        self.connection.execute(f"VACUUM {self.table}")  # the next cell scans a table as long as it was
        self.connection.close()


class Floor(Postgres):
    scores = False

    def expressions(self):
        return floor_expressions(self.case, self.dialect)


class Hbscore(Scoring, Postgres):
    def register(self, connection):
        connection.execute("CREATE EXTENSION hbscore")
        for case in self.cases():
            connection.execute("SELECT hbscore.register(%s, %s, options => %s)",
                               (case.registered, case.file("hbscore").read_bytes(), case.options() or "{}"))

    def statement_span(self):
        """Level 1: EXPLAIN."""
        sql = self.make_statements().aggregate(self.case.rows)
        with connect(self.database()) as connection:
            connection.execute(sql)
            return profile.explain_spans(connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}").fetchone()[0])

    def profiled(self):
        """The rows of hbscore.profile, of the statement of a scan."""
        with connect(self.database()) as connection:
            names = [name for name, in connection.execute("SELECT name FROM hbscore.features('model') ORDER BY position")]
            query = self.make_statements().rows_for_profile(self.case.rows, names)
            return connection.execute("SELECT operator, source, kernel, calls, rows, ns, bytes FROM hbscore.profile('model', %s, %s)",
                                      (query, profile.scoring_function(self.case.manifest))).fetchall()


class AnySession(PostgresSession):
    def __init__(self, system, connection):
        super().__init__(system, connection)
        self.some_sql = self.statements.listed()
        self.listed = connection.add(self.some_sql)

    def score(self, keys, out):
        keys = numpy.array(keys, numpy.int64)
        n = len(keys)
        if consecutive(keys):
            self.ask(keys)
            out[:n] = self.pair[:n, 1:]
        else:  # the rows come in the order of their keys, each once
            keys, places = numpy.unique(keys, return_inverse=True)
            self.ask(keys)
            out[:n] = self.pair[places, 1:]
        self.inner = self.connection.inner

    def ask(self, keys):
        if self.connection.run_array(self.listed, keys, self.pair, self.width + 1) != len(keys):
            raise BenchError(f"a statement gave other than {len(keys)} rows")

    def figures(self, sink, keys):
        """With the keys in the statement's text."""
        number = self.connection.add(self.some_sql.replace("$1", f"'{{{','.join(map(str, keys))}}}'"))
        return figures.taken(self.connection, lambda: number)


class HbscoreAny(Hbscore):
    """Multi-stream by a list of keys, as an application asks that has some: id = ANY($1)."""

    store, scenarios, sinks, session_type = "hbscore", (MULTI,), (), AnySession


class ParallelSession(PostgresSession):
    def figures(self, sink, keys):
        found = super().figures(sink, keys)
        if sink and not found["workers_launched"]:
            raise Refused("the server launched no parallel workers for this statement")
        return found


class Parallel:
    """Offline with parallel workers: as many as `workers` of the options says, beside the process of the connection. They are planned
    however small the table is. The server writes to tables without them."""

    scenarios, sinks, session_type = (OFFLINE,), ("aggregate", "client"), ParallelSession

    @property
    def settings(self):
        return (f" -c max_parallel_workers_per_gather={self.options['workers']} -c min_parallel_table_scan_size=0 -c parallel_setup_cost=0"
                " -c parallel_tuple_cost=0")


class ParallelHbscore(Parallel, Hbscore):
    store = "hbscore"


class ParallelFloor(Parallel, Floor):
    store = "floor"
