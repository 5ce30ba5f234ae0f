"""statements.py - the SQL of a model: features of the table, predict over them, postprocess over that, each a query around
the one inside.

The query of predict is a fence where postprocess stands around it: else both databases would write predict once for each use
of its name, and compute it as often."""

from . import models
from .errors import Refused
from .manifest import form_of

# SQLite takes 127 arguments, of which one is the model; PostgreSQL 100.
MOST_FEATURES = {"sqlite": 126, "postgres": 99}
# Columns of a table in PostgreSQL, less the key, and terms of an expression in SQLite, whose depth is 1,000.
MOST_COLUMNS = {"sqlite": 990, "postgres": 1599}


def literal(value):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


class Statements:
    """`expressions`: one for each item of predict, of the features by their names."""

    def __init__(self, case, dialect, expressions, postprocess=True):
        m = case.manifest
        self.case, self.dialect, self.float8 = case, dialect, "::float8" if dialect == "postgres" else ""
        self.table, self.key = case.dataset["table"], case.dataset.get("key", "id")
        self.names = [item["name"] for item in m["predict"]]
        self.outputs = [output["name"] for output in m["outputs"]]
        self.expressions = expressions
        self.post = case.sql("postprocess", dialect) if postprocess else None
        if models.transforms(m):
            self.names, self.post = ["transformed"], columns_of_transform(case, dialect)
        if not postprocess:
            self.outputs = self.names

    def features(self):
        return features(self.case.sql("preprocess", self.dialect), self.table, self.key, self.case.data.names)

    def query(self, where):
        """The key and the outputs of the rows."""
        predicted = ", ".join(f"{expression} AS {name}" for name, expression in zip(self.names, self.expressions))
        query = f"SELECT {self.key}, {predicted} FROM ({self.features()}) AS features WHERE {where}"
        if self.post:
            fence = " LIMIT -1 OFFSET 0" if self.dialect == "sqlite" else " OFFSET 0"  # SQLite moves a LIMIT alone outwards
            query = f"SELECT {self.key}, {self.post} FROM ({query}{fence}) AS predicted"
        return query

    def select(self, names, where, end=""):
        numbers = ", ".join(f"({name}){self.float8}" for name in names)
        return f"SELECT {numbers} FROM ({self.query(where)}) AS scored{end}"

    def parameter(self, number):
        return f"${number}" if self.dialect == "postgres" else f"?{number}"

    def one(self):
        return self.select(self.outputs, f"{self.key} = {self.parameter(1)}")

    def bound(self):
        """A row whose columns are the parameters: a name of the statement's own hides the table's."""
        column = {"sqlite": "{}", "postgres": "{}::float8::float4" if self.case.dataset.get("float32") else "{}::float8"}[self.dialect]
        values = ", ".join(column.format(self.parameter(number)) for number in range(1, len(self.case.data.names) + 1))
        row = f"WITH {self.table} ({self.key}, {', '.join(self.case.data.names)}) AS (SELECT 0, {values})"
        return f"{row} {self.select(self.outputs, f'{self.key} = 0')}"

    def some(self):
        """Rows with neighbouring keys, in their order."""
        between = f"{self.key} BETWEEN {self.parameter(1)} AND {self.parameter(2)}"
        return self.select([self.key, *self.outputs], between, f" ORDER BY scored.{self.key}")

    def listed(self):
        """Rows whose keys are in a list, which is one parameter, in the order of their keys: PostgreSQL's."""
        return self.select([self.key, *self.outputs], f"{self.key} = ANY({self.parameter(1)}::int8[])", f" ORDER BY scored.{self.key}")

    def all(self, rows):
        return self.select([self.key, *self.outputs], f"{self.key} < {rows}")

    def aggregate(self, rows):
        return self.select(["count(*)", *(f"sum({name})" for name in self.outputs)], f"{self.key} < {rows}")

    def write(self, rows):
        return f"INSERT INTO scored {self.all(rows)}"

    def rows_for_profile(self, rows, names=()):
        """The key and the features. `names`: those that the model has for them, where they are looked up by name: LightGBM's are Column_0
        and so on, whatever the columns are called."""
        columns = list(self.case.inputs)
        if len(set(names)) == len(columns) and all(names):
            columns = [f'{column} AS "{name.replace(chr(34), chr(34) * 2)}"' for column, name in zip(columns, names)]
        return f"SELECT {self.key}, {', '.join(columns)} FROM ({self.features()}) AS features WHERE {self.key} < {rows}"

    def make_scored(self):
        return make_scored(self.dialect, len(self.outputs))

    def read_back(self):
        columns = ", ".join(f"o{i}" for i in range(len(self.outputs)))
        return f"SELECT k, {columns} FROM scored"


def features(preprocess, table, key, names):
    """The query of preprocess; without one that of all columns."""
    text = preprocess or "SELECT {key}, {features} FROM {table}"
    return text.replace("{key}", key).replace("{table}", table).replace("{features}", ", ".join(names))


def make_scored(dialect, outputs):
    """The table that scores are written to, the same whoever writes them."""
    real = "float8" if dialect == "postgres" else "REAL"
    unlogged = "UNLOGGED " if dialect == "postgres" else ""
    return f"CREATE {unlogged}TABLE scored (k {real}, {', '.join(f'o{i} {real}' for i in range(outputs))})"


def predict_expressions(case, dialect):
    """hbscore's own functions."""
    columns = ", ".join(case.inputs) if len(case.inputs) <= MOST_FEATURES[dialect] else one_argument(case, dialect)
    if models.transforms(case.manifest):
        return [f"transform({literal(case.registered)}, {columns})"]
    return [label(case, dialect, f"({literal(case.registered)}, {columns})") if item["function"] == "predict" else
            f"predict_probability({literal(case.registered)}, {literal(item['class'])}, {columns})"
            for item in case.manifest["predict"]]


def columns_of_transform(case, dialect):
    """The numbers out of one call's array, for answers are numbers."""
    if case.manifest.get("postprocess"):
        raise Refused("postprocess behind a transform")
    item = "transformed[{0} + 1]" if dialect == "postgres" else "json_extract(transformed, '$[{0}]')"
    return ", ".join(f"{item.format(output['column'])} AS {output['name']}" for output in case.manifest["predict"])


def label(case, dialect, arguments):
    """The prediction; of labels that are texts the place, for answers are numbers."""
    classes = case.facts["classes"]
    if not classes or not all(isinstance(name, str) for name in classes):
        return f"predict{arguments}"
    function = "predict_label" if dialect == "postgres" else "predict"
    return f"CASE {function}{arguments} {' '.join(f'WHEN {literal(name)} THEN {place}' for place, name in enumerate(classes))} END"


def one_argument(case, dialect):
    """All features, more than a call takes: an array in PostgreSQL, a JSON row in SQLite."""
    if len(case.inputs) > MOST_COLUMNS[dialect]:
        raise Refused(f"{len(case.inputs)} features: a statement of {dialect} takes {MOST_COLUMNS[dialect]}")
    if any(case.data.texts):
        raise Refused(f"{len(case.inputs)} features, of which some are texts: the harness writes arrays of numbers only")
    if dialect == "postgres":
        return f"ARRAY[{', '.join(case.inputs)}]::float8[]"
    # json_array takes 127 arguments too, and writes 15 digits. 17 are enough for every number.
    parts = [f"iif({name} IS NULL, '{comma}null', printf('{comma}%!.17g', {name}))" for name, comma in
             zip(case.inputs, ["", *[","] * (len(case.inputs) - 1)])]
    return f"'[' || {' || '.join(parts)} || ']'"


def floor_expressions(case, dialect):
    """The same statement without a model: the sum of the features."""
    texts = {item["name"] for item in case.manifest.get("inputs", []) if item["type"] == "text"}
    texts |= {name for name, text in zip(case.data.names, case.data.texts) if text}
    if models.transforms(case.manifest):
        raise Refused("a statement without a model gives one number a row, a transformer several")
    parts = [f"coalesce(length({name}), 0)" if name in texts else f"coalesce({name}, 0)" for name in case.inputs]
    return [" + ".join(parts)] * len(case.manifest["predict"])


def after_loading(case, dialect):
    """The data set's SQL behind its rows: an index, say; None: it has none."""
    return form_of(case.dataset.get("load_sql", {}), dialect)


def create_table(case, dialect):
    """The data set's own DDL, else a key and a column for each name."""
    own = form_of(case.dataset.get("ddl", {}), dialect)
    if own:
        return own
    types = {"sqlite": ("INTEGER", "REAL", "TEXT"), "postgres": ("int8", "float4" if case.dataset.get("float32") else "float8", "text")}
    whole, real, text = types[dialect]
    key = case.dataset.get("key", "id")
    columns = ", ".join(f"{name} {text if is_text else real}" for name, is_text in zip(case.data.names, case.data.texts))
    return f"CREATE TABLE {case.dataset['table']} ({key} {whole} PRIMARY KEY, {columns})"
