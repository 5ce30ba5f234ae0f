"""The table of exporters: which function writes which class of scikit-learn.

An exporter is a function of the fitted estimator, the graph and the value that the estimator gets;
it adds operators and says what comes out. A new one is such a function under @exporter, with the
class by its public name, and a line of facts.py for docs/estimators.md. A module that is new is
imported in __init__.py, which fills the table. An estimator that is made of others stands in OF_PARTS
too, unless it checks its columns itself."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Dict, Optional, Sequence

import numpy as np

from hbscore.errors import shown
from hbscore.export.boosters import OUTERMOST, SEARCHES, booster
from hbscore.export.document import library_version
from hbscore.export.fitted import Fitted, in_words
from hbscore.export.graph import FLOAT16, FLOAT64, Graph, Result, Value
from hbscore.export.refused import reason
from hbscore.libraries import fitted as library_model

Exporter = Callable[[Fitted, Graph, Value], Result]

#: By public name without `sklearn.`: "preprocessing.StandardScaler".
EXPORTERS: Dict[str, Exporter] = {}

#: Those that write transform() of estimators that also predict.
TRANSFORMERS: Dict[str, Exporter] = {}

#: The same where this transform() is only that of a step: the model's own answer is a prediction, and its file has no
#: transform of that kind.
STEPS: Dict[str, Exporter] = {}


#: Estimators made of others that check no columns themselves: texts and NaN go through to their parts.
OF_PARTS = {
    "CalibratedClassifierCV",
    "ColumnTransformer",
    "FeatureUnion",
    "FixedThresholdClassifier",
    "FrozenEstimator",
    "MultiOutputClassifier",
    "MultiOutputRegressor",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "Pipeline",
    "StackingClassifier",
    "StackingRegressor",
    "TransformedTargetRegressor",
    "TunedThresholdClassifierCV",
    "VotingClassifier",
    "VotingRegressor",
    *SEARCHES,
}

#: Transformers of one column of texts, which check nothing else.
VECTORIZERS = {"CountVectorizer", "DictVectorizer", "FeatureHasher", "HashingVectorizer", "TfidfVectorizer"}

#: No check of the input is added before these.
CHECK_NOTHING = OF_PARTS | VECTORIZERS | {"FunctionTransformer"}

#: These may get columns of texts: also what encodes or fills them, trees with an encoder of their own, and what reads
#: none of its columns.
TAKES_TEXTS = CHECK_NOTHING | {
    "DummyClassifier",
    "DummyRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "LabelBinarizer",
    "LabelEncoder",
    "MissingIndicator",
    "OneHotEncoder",
    "OrdinalEncoder",
    "SimpleImputer",
    "TargetEncoder",
}

#: They compute in float16 where their columns are of that type, and so do their exporters, or they compute nothing.
TAKE_HALVES = {
    "MaxAbsScaler",
    "MinMaxScaler",
    "MissingIndicator",
    "OneHotEncoder",
    "OrdinalEncoder",
    "RobustScaler",
    "SimpleImputer",
    "StandardScaler",
    "TargetEncoder",
}

#: They make float64 or float32 of float16.
WIDEN_HALVES = {
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ElasticNet",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "IsolationForest",
    "KBinsDiscretizer",
    "KMeans",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "Lasso",
    "LinearDiscriminantAnalysis",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MLPClassifier",
    "MLPRegressor",
    "MultinomialNB",
    "NuSVC",
    "NuSVR",
    "PCA",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
    "Ridge",
    "RidgeClassifier",
    "SGDClassifier",
    "SGDRegressor",
    "SVC",
    "SVR",
    "TruncatedSVD",
}

#: The package beside scikit-learn whose classes stand in the table by its own name.
ENCODERS = "category_encoders"

#: Operators that take every number.
TAKE_ALL = {"select", "concat", "cast"}


def exporter(module: str, *names: str) -> Callable[[Exporter], Exporter]:
    return adder(EXPORTERS, module, names)


def transformer(module: str, *names: str) -> Callable[[Exporter], Exporter]:
    return adder(TRANSFORMERS, module, names)


def step(module: str, *names: str) -> Callable[[Exporter], Exporter]:
    return adder(STEPS, module, names)


def adder(table: Dict[str, Exporter], module: str, names: Sequence[str]) -> Callable[[Exporter], Exporter]:
    def add(function: Exporter) -> Exporter:
        for name in names:
            table["%s.%s" % (module, name)] = function
        return function

    return add


def find(model: Any, transforms: bool = False) -> Optional[Exporter]:
    """By the exact class: a subclass may do anything. Those of a boosting library are its own matter.
    transforms: the exporter of transform(), where predict() has another one."""
    own = library_model(model)
    if own is not None:
        return partial(booster, own=own)
    if type(model) is getattr(sys.modules.get("imblearn.pipeline"), "Pipeline", None):
        # That of imbalanced-learn, whose samplers do nothing to new rows.
        return (STEPS if transforms else EXPORTERS)["pipeline.Pipeline"]
    tables = [STEPS, TRANSFORMERS, EXPORTERS] if transforms else [EXPORTERS]
    return next((found for found in (find_in(table, model) for table in tables) if found is not None), None)


def find_in(table: Dict[str, Exporter], model: Any) -> Optional[Exporter]:
    kind = type(model)
    for name, function in table.items():
        module, _, attribute = name.rpartition(".")
        if attribute == kind.__name__:
            known = vars(sys.modules.get(full_name(module), sys))  # asking for an experimental name raises
            if known.get(attribute) is kind:
                return function
    return None


def full_name(module: str) -> str:
    return module if module == ENCODERS else "sklearn." + module


def is_of_encoders(model: Any) -> bool:
    """category_encoders takes all, and its classes have the names of others."""
    return type(model).__module__.partition(".")[0] == ENCODERS


def takes_texts(model: Any) -> bool:
    return type(model).__name__ in TAKES_TEXTS or is_of_encoders(model)


def checks_nothing(model: Any) -> bool:
    return type(model).__name__ in CHECK_NOTHING or is_of_encoders(model)


def check_estimator(model: Any, path: str) -> None:
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise in_words(path, "%s is not a fitted model that hbscore knows%s" % (shown(model), _other_way(model)))


def _other_way(model: Any) -> str:
    """How a model of another kind gets into the database."""
    kinds = {kind.__module__.partition(".")[0] for kind in type(model).__mro__}
    if "torch" in kinds:
        return ": export it by torch.onnx.export, and register the file"
    if "onnx" in kinds and hasattr(model, "SerializeToString"):
        return ": register its SerializeToString()"
    return ""


def check_methods(model: Any, path: str) -> None:
    """A method that the object itself holds, in place of that of its class, may do anything."""
    for name in getattr(model, "__dict__", {}):
        if callable(getattr(type(model), name, None)):
            raise in_words(path, "%s has a %s of its own, which is not supported" % (type(model).__name__, shown(name)))


def has_own_transform(model: Any) -> bool:
    """True if it predicts, and transform() gives no answer of predict()."""
    return find_in(TRANSFORMERS, model) is not None and not (getattr(model, "solver", None) == "lsqr")


def run(model: Any, path: str, graph: Graph, x: Value, transforms: bool = False) -> Result:
    """Exports one estimator, whatever it is. transforms: its transform(), even if it predicts.
    transform() of the last step of all is that of the model."""
    if not transforms and has_own_transform(model) and set(graph.nesting) <= OUTERMOST:
        graph.transform = transform(model, path, graph, x).number
    fitted = Fitted(model, path)
    function = find(model, transforms)
    check_estimator(model, path)
    check_methods(model, path)
    if function is None:
        raise fitted.error("of %s is not supported%s" % (type(model).__module__, reason(model)))
    if x.width == 0:
        raise fitted.error("gets no columns")
    if not takes_texts(model) and graph.has_text(x):
        graph.refuse_unread(x)
        raise fitted.error("gets texts, which only an encoder or an imputer takes")
    width = getattr(model, "n_features_in_", x.width)
    if width != x.width:
        raise fitted.error("was fitted with %s columns and gets %d" % (width, x.width))
    if not checks_nothing(model) and not graph.has_text(x):
        if not takes_infinities(model) or graph.added[x.number]:  # infinities of sums depend on their order
            x = graph.guard(x, missing=allows_nan(model) and not graph.holds_no_nan(x))
        x = of_one_type(model, x)
    x = x if model_takes_halves(model) else without_halves(fitted, x)
    first = len(graph.ops)
    graph.nesting.append(fitted.name)
    result = function(fitted, graph, x)
    graph.nesting.pop()
    result = checked(fitted, graph, x, result, first)
    if x.sparse and result.value.sparse and not keeps_zeros_out(model):
        result = replace(result, value=replace(result.value, stored_zeros=True))
    return result


def of_one_type(model: Any, x: Value) -> Value:
    """Most estimators make one matrix of the columns of a DataFrame; since 1.3 a selector that gives a DataFrame leaves them."""
    if library_version() >= (1, 3) and hasattr(model, "get_support") and gives_frame(model):
        return x
    return replace(x, types=(np.result_type(*set(x.types)),) * x.width)


def model_takes_halves(model: Any) -> bool:
    return type(model).__name__ in TAKE_HALVES | OF_PARTS or hasattr(model, "get_support")


def without_halves(f: Fitted, x: Value) -> Value:
    if FLOAT16 not in x.types:
        return x
    if f.name not in WIDEN_HALVES and library_model(f.model) is None:
        raise f.error("gets columns of float16, in which it computes: not supported")
    return replace(x, types=tuple(FLOAT64 if t == FLOAT16 else t for t in x.types))


def gives_frame(model: Any) -> bool:
    """True if transform() gives a DataFrame, by set_output() or by the configuration of this process."""
    usual = sys.modules["sklearn"].get_config().get("transform_output")
    return getattr(model, "_sklearn_output_config", {}).get("transform", usual) not in (None, "default")


def keeps_zeros_out(model: Any) -> bool:
    """Encoders and stacking store no zeros in a sparse matrix, and a selector only leaves columns out;
    what computes with the stored numbers may make zeros of them."""
    return checks_nothing(model) or hasattr(model, "get_support")


def checked(f: Fitted, graph: Graph, x: Value, result: Result, first: int) -> Result:
    """A transformer refuses what its check of the input refuses, also where none of its operators,
    those from `first` on, does so."""
    value = result.value
    if result.task != "transformer" or checks_nothing(f.model) or graph.has_text(value):
        return result
    if any(op["op"] not in TAKE_ALL for op in graph.ops[first:]):
        return result
    if value.number == x.number and x.known:  # a step before it has refused all that this one does
        return result
    takes_nan = allows_nan(f.model)
    if takes_nan and hasattr(f.model, "get_support"):  # such a selector takes infinities too
        return result
    return Result("transformer", graph.check(value, missing=takes_nan))


def allows_nan(model: Any) -> bool:
    """The estimator's own tag, whose form changed in 1.6."""
    if hasattr(model, "__sklearn_tags__"):
        return bool(model.__sklearn_tags__().input_tags.allow_nan)
    return bool(model._get_tags()["allow_nan"])


def takes_infinities(model: Any) -> bool:
    """Trees of histograms put them into their first and last bin."""
    return type(model).__name__.startswith("HistGradientBoosting")


def transform(model: Any, path: str, graph: Graph, x: Value) -> Value:
    """Exports an estimator whose transform() is followed by others."""
    result = run(model, path, graph, x, transforms=True)
    if result.task != "transformer":
        has = hasattr(model, "transform")
        raise Fitted(model, path).error("has a transform that is not supported before other steps" if has else "has no transform")
    return result.value
