"""translation.py - a model as an SQL expression: sums for linear models, nested CASE for trees. It computes in the database's
own arithmetic, so its answers may differ from the library's; the accuracy record says by how much."""

import numpy

from hbsbench.errors import BenchError, Refused
from suts import postgres, sqlite

MOST_CHARACTERS = 900_000  # SQLite's limit of a statement is a million by default


def number(value):
    return repr(float(value))


def total(parts):
    """A sum as a balanced tree: SQLite's expressions are at most 1,000 deep."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"({total(parts[:half])} + {total(parts[half:])})"


def linear(weights, bias, columns):
    return total([number(bias), *(f"{number(w)} * {column}" for w, column in zip(weights, columns))])


def tree(t, columns, value, node=0):
    if t.children_left[node] == -1:
        return number(value(node))
    column = columns[t.feature[node]]
    return (f"CASE WHEN {column} <= {number(t.threshold[node])} THEN {tree(t, columns, value, t.children_left[node])} "
            f"ELSE {tree(t, columns, value, t.children_right[node])} END")


def sigmoid(expression):
    return f"1.0 / (1.0 + exp(-({expression})))"


class Translator:
    """`one(item)`: the expression of an item of predict."""

    def __init__(self, case):
        import joblib

        self.estimator, self.columns = joblib.load(case.estimator_path()), list(case.inputs)
        self.manifest = case.manifest
        if hasattr(self.estimator, "steps"):
            for _, step in self.estimator.steps[:-1]:
                self.scale(step)
            self.estimator = self.estimator.steps[-1][1]

    def scale(self, step):
        if type(step).__name__ != "StandardScaler":
            raise Refused(f"the translation to SQL has no {type(step).__name__}")
        means = step.mean_ if step.with_mean else numpy.zeros(len(self.columns))
        scales = step.scale_ if step.with_std else numpy.ones(len(self.columns))
        self.columns = [f"(({c} - {number(m)}) / {number(s)})" for c, m, s in zip(self.columns, means, scales)]

    def one(self, item):
        kind = type(self.estimator).__name__
        if item["function"] == "predict_probability":
            make = {"LogisticRegression": self.logistic, "RandomForestClassifier": self.forest, "DecisionTreeClassifier": self.forest}
        else:
            make = {"LinearRegression": self.line, "Ridge": self.line, "RandomForestRegressor": self.forest,
                    "DecisionTreeRegressor": self.forest, "GradientBoostingRegressor": self.boosting}
        if kind not in make:
            raise Refused(f"the translation to SQL has no {item['function']} of {kind}")
        return make[kind](item)

    def place(self, item):
        classes = self.estimator.classes_.tolist()
        if item["class"] not in classes:
            raise BenchError(f"{self.manifest.path}: predict: the model has no class {item['class']!r}")
        return classes.index(item["class"])

    def logistic(self, item):
        if len(self.estimator.classes_) != 2:
            raise Refused("the translation to SQL has LogisticRegression of two classes only")
        margin = linear(self.estimator.coef_[0], self.estimator.intercept_[0], self.columns)
        return sigmoid(margin if self.place(item) else f"-({margin})")

    def line(self, item):
        return linear(numpy.ravel(self.estimator.coef_), numpy.ravel(self.estimator.intercept_)[0], self.columns)

    def forest(self, item):
        trees = [e.tree_ for e in getattr(self.estimator, "estimators_", [self.estimator])]
        place = self.place(item) if "class" in item else 0

        def value(t):
            if "class" in item:
                return lambda node: t.value[node, 0, place] / t.value[node, 0].sum()
            return lambda node: t.value[node, 0, 0]

        return f"{total([tree(t, self.columns, value(t)) for t in trees])} / {float(len(trees))!r}"

    def boosting(self, item):
        e = self.estimator
        if e.init_ != "zero" and type(e.init_).__name__ != "DummyRegressor":
            raise Refused("the translation to SQL has GradientBoostingRegressor with a constant first guess only")
        first = 0.0 if e.init_ == "zero" else float(numpy.ravel(e.init_.constant_)[0])
        trees = [stage[0].tree_ for stage in e.estimators_]
        parts = [tree(t, self.columns, lambda node, t=t: t.value[node, 0, 0] * e.learning_rate) for t in trees]
        return total([number(first), *parts])


def translate(case):
    translator = Translator(case)
    found = [translator.one(item) for item in case.manifest["predict"]]
    size = sum(map(len, found))
    if size > MOST_CHARACTERS:
        raise Refused(f"the model is {size:,} characters of SQL; SQLite takes a million")
    return found


class Translated:
    """The expressions are made once; whether the database takes them shows when they are prepared."""

    made = None

    def expressions(self):
        if self.made is None:
            self.made = translate(self.case)
        return self.made

    def prepare(self):
        super().prepare()
        try:
            self.session().close()
        except BenchError as error:
            raise Refused(f"the database refuses the expression: {str(error)[:120]}") from None


class TranslatedSqlite(Translated, sqlite.Sqlite):
    pass


class TranslatedPostgres(Translated, postgres.Postgres):
    pass
