"""A small model of each estimator of scikit-learn that skl2onnx converts, in float32 and in float64, for opsets in turn.

Those that need texts or have cases of their own are in golden_onnx_cases.py and golden_onnx_graphs.py. The page
docs/onnx.md lists them all: tools/make_onnx_table.py."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np
from sklearn import (
    calibration,
    cluster,
    cross_decomposition,
    decomposition,
    discriminant_analysis,
    ensemble,
    feature_selection,
    gaussian_process,
    linear_model,
    mixture,
    multiclass,
    multioutput,
    naive_bayes,
    neighbors,
    neural_network,
    preprocessing,
    random_projection,
    svm,
    tree,
)

from golden_onnx_graphs import Graph, classes_of, numbers, rows_of, score_of

OPSETS = [11, 15, 18, 22]
ARRAY = {"zipmap": False}

# The name of the case, its estimator, what it is trained for, whether the rows must be finite.
ROWS: List[Tuple[str, Callable[[], Any], str, bool]] = []


def add(name: str, make: Callable[[], Any], y: str, finite: bool = False) -> None:
    ROWS.append((name, make, y, finite))


def linear() -> None:
    for name in (
        "ARDRegression", "BayesianRidge", "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lars", "LarsCV", "Lasso",
        "LassoCV", "LassoLars", "LassoLarsCV", "LassoLarsIC", "LinearRegression", "OrthogonalMatchingPursuit",
        "OrthogonalMatchingPursuitCV", "QuantileRegressor", "RANSACRegressor", "Ridge", "RidgeCV", "SGDRegressor",
        "TheilSenRegressor",
    ):
        add(name, getattr(linear_model, name), "real")
    for name in ("MultiTaskElasticNet", "MultiTaskElasticNetCV", "MultiTaskLasso", "MultiTaskLassoCV"):
        add(name, getattr(linear_model, name), "two_reals")
    for name in ("GammaRegressor", "PoissonRegressor", "TweedieRegressor"):
        add(name, getattr(linear_model, name), "positive")
    for name in ("LogisticRegression", "LogisticRegressionCV", "Perceptron", "RidgeClassifier", "RidgeClassifierCV"):
        add(name, getattr(linear_model, name), "class3")
    for loss in ("hinge", "log_loss", "modified_huber", "perceptron"):
        add("SGDClassifier_" + loss, lambda loss=loss: linear_model.SGDClassifier(loss=loss, random_state=1), "class3")
    add("SGDClassifier_two", lambda: linear_model.SGDClassifier(random_state=1), "class2")
    add("SGDOneClassSVM", lambda: linear_model.SGDOneClassSVM(random_state=1), "none", True)


def vectors() -> None:
    for kernel in ("linear", "poly", "rbf", "sigmoid"):
        add("SVC_" + kernel, lambda k=kernel: svm.SVC(kernel=k), "class3", True)
        add("SVR_" + kernel, lambda k=kernel: svm.SVR(kernel=k), "real", True)
    add("SVC_two", lambda: svm.SVC(), "class2", True)
    add("SVC_probability", lambda: svm.SVC(probability=True, random_state=1), "class3", True)
    add("SVC_probability_two", lambda: svm.SVC(probability=True, random_state=1), "class2", True)
    add("NuSVC", lambda: svm.NuSVC(nu=0.3), "class3", True)
    add("NuSVR", lambda: svm.NuSVR(), "real", True)
    add("OneClassSVM", lambda: svm.OneClassSVM(), "none", True)
    add("LinearSVC", lambda: svm.LinearSVC(random_state=1), "class3")
    add("LinearSVR", lambda: svm.LinearSVR(random_state=1), "real")


def near() -> None:
    for metric in ("euclidean", "manhattan", "minkowski"):
        more = {"p": 3} if metric == "minkowski" else {}
        add(
            "KNeighborsClassifier_" + metric,
            lambda m=metric, k=more: neighbors.KNeighborsClassifier(metric=m, **k), "class3", True,
        )
    add("KNeighborsClassifier_distance", lambda: neighbors.KNeighborsClassifier(weights="distance"), "class3", True)
    add("KNeighborsRegressor", lambda: neighbors.KNeighborsRegressor(), "real", True)
    add("KNeighborsRegressor_distance", lambda: neighbors.KNeighborsRegressor(weights="distance"), "two_reals", True)
    add("RadiusNeighborsRegressor", lambda: neighbors.RadiusNeighborsRegressor(radius=50.0), "real", True)
    add("GaussianProcessRegressor", lambda: gaussian_process.GaussianProcessRegressor(random_state=1), "real", True)
    add("GaussianProcessClassifier", lambda: gaussian_process.GaussianProcessClassifier(random_state=1), "class2", True)
    add("LocalOutlierFactor", lambda: neighbors.LocalOutlierFactor(novelty=True), "none", True)
    add("NeighborhoodComponentsAnalysis", lambda: neighbors.NeighborhoodComponentsAnalysis(random_state=1), "class3")
    add("KMeans", lambda: cluster.KMeans(3, n_init=1, random_state=1), "none", True)
    add("MiniBatchKMeans", lambda: cluster.MiniBatchKMeans(3, n_init=1, random_state=1), "none", True)
    add("GaussianMixture", lambda: mixture.GaussianMixture(2, random_state=1), "none", True)
    add("BayesianGaussianMixture", lambda: mixture.BayesianGaussianMixture(n_components=2, random_state=1), "none", True)


def bayes() -> None:
    add("BernoulliNB", lambda: naive_bayes.BernoulliNB(), "class3")
    add("GaussianNB", lambda: naive_bayes.GaussianNB(), "class3", True)
    for name in ("ComplementNB", "MultinomialNB"):
        add(name, getattr(naive_bayes, name), "counts", True)
    add("CategoricalNB", lambda: naive_bayes.CategoricalNB(min_categories=12), "categories", True)
    add("LinearDiscriminantAnalysis", lambda: discriminant_analysis.LinearDiscriminantAnalysis(), "class3")
    add("QuadraticDiscriminantAnalysis", lambda: discriminant_analysis.QuadraticDiscriminantAnalysis(), "class3", True)


def trees() -> None:
    few: Dict[str, Any] = {"n_estimators": 4, "random_state": 1}
    for name in ("RandomForestClassifier", "ExtraTreesClassifier"):
        add(name, lambda n=name: getattr(ensemble, n)(max_depth=4, **few), "class3")
    for name in ("RandomForestRegressor", "ExtraTreesRegressor"):
        add(name, lambda n=name: getattr(ensemble, n)(max_depth=4, **few), "real")
    for name, y in (("DecisionTree", "class3"), ("ExtraTree", "class3")):
        add(name + "Classifier", lambda n=name: getattr(tree, n + "Classifier")(max_depth=4, random_state=1), y)
        add(name + "Regressor", lambda n=name: getattr(tree, n + "Regressor")(max_depth=4, random_state=1), "real")
    add("GradientBoostingClassifier", lambda: ensemble.GradientBoostingClassifier(**few), "class3")
    add("GradientBoostingRegressor", lambda: ensemble.GradientBoostingRegressor(**few), "real")
    add("HistGradientBoostingClassifier", lambda: ensemble.HistGradientBoostingClassifier(max_iter=4), "class3")
    add("HistGradientBoostingRegressor", lambda: ensemble.HistGradientBoostingRegressor(max_iter=4), "real")
    add("AdaBoostClassifier", lambda: ensemble.AdaBoostClassifier(**few), "class3")
    add("AdaBoostRegressor", lambda: ensemble.AdaBoostRegressor(**few), "real")
    add("BaggingClassifier", lambda: ensemble.BaggingClassifier(**few), "class3")
    add("BaggingRegressor", lambda: ensemble.BaggingRegressor(**few), "real")
    add("IsolationForest", lambda: ensemble.IsolationForest(**few), "none", True)
    add("RandomTreesEmbedding", lambda: ensemble.RandomTreesEmbedding(max_depth=3, **few), "none")


def combined() -> None:
    logistic = linear_model.LogisticRegression
    two = [("a", logistic()), ("b", naive_bayes.GaussianNB())]
    reals = [("a", linear_model.Ridge()), ("b", tree.DecisionTreeRegressor(max_depth=3, random_state=1))]
    add("VotingClassifier_soft", lambda: ensemble.VotingClassifier(two, voting="soft", flatten_transform=False), "class3", True)
    add("VotingClassifier_hard", lambda: ensemble.VotingClassifier(two, flatten_transform=False), "class3", True)
    add("VotingRegressor", lambda: ensemble.VotingRegressor(reals), "real")
    add("StackingClassifier", lambda: ensemble.StackingClassifier(two, cv=2), "class3", True)
    add("StackingRegressor", lambda: ensemble.StackingRegressor(reals, cv=2), "real")
    for method in ("sigmoid", "isotonic"):
        add(
            "CalibratedClassifierCV_" + method,
            lambda m=method: calibration.CalibratedClassifierCV(logistic(), method=m, cv=2), "class3",
        )
    add("OneVsRestClassifier", lambda: multiclass.OneVsRestClassifier(logistic()), "class3")
    add("OneVsOneClassifier", lambda: multiclass.OneVsOneClassifier(logistic()), "class3")
    add("MultiOutputRegressor", lambda: multioutput.MultiOutputRegressor(linear_model.Ridge()), "two_reals")
    add("MLPClassifier", lambda: neural_network.MLPClassifier((5,), max_iter=40, random_state=1), "class3")
    add("MLPRegressor", lambda: neural_network.MLPRegressor(hidden_layer_sizes=(5,), max_iter=40, random_state=1), "real")


def transforms() -> None:
    for name in ("Binarizer", "MaxAbsScaler", "MinMaxScaler", "Normalizer", "RobustScaler", "StandardScaler"):
        add(name, getattr(preprocessing, name), "none")
    for encode in ("onehot-dense", "ordinal"):
        add(
            "KBinsDiscretizer_" + encode.replace("-", "_"),
            lambda e=encode: preprocessing.KBinsDiscretizer(4, encode=e, quantile_method="averaged_inverted_cdf"), "none",
            True,
        )
    add("PolynomialFeatures", lambda: preprocessing.PolynomialFeatures(2), "none", True)
    add("PowerTransformer", lambda: preprocessing.PowerTransformer(), "none", True)
    add("QuantileTransformer", lambda: preprocessing.QuantileTransformer(n_quantiles=9), "none", True)
    add("SplineTransformer", lambda: preprocessing.SplineTransformer(4), "none", True)
    add("PCA", lambda: decomposition.PCA(3), "none")
    add("PCA_whiten", lambda: decomposition.PCA(3, whiten=True), "none")
    add("IncrementalPCA", lambda: decomposition.IncrementalPCA(3), "none")
    add("TruncatedSVD", lambda: decomposition.TruncatedSVD(3, random_state=1), "none")
    for kernel in ("linear", "poly", "rbf", "sigmoid", "cosine"):
        add("KernelPCA_" + kernel, lambda k=kernel: decomposition.KernelPCA(3, kernel=k), "none", True)
    add("GaussianRandomProjection", lambda: random_projection.GaussianRandomProjection(3, random_state=1), "none")
    for name, make in (
        ("SelectKBest", lambda: feature_selection.SelectKBest(k=2)),
        ("SelectPercentile", lambda: feature_selection.SelectPercentile(percentile=50)),
        ("SelectFpr", lambda: feature_selection.SelectFpr()),
        ("SelectFdr", lambda: feature_selection.SelectFdr()),
        ("SelectFwe", lambda: feature_selection.SelectFwe()),
        ("GenericUnivariateSelect", lambda: feature_selection.GenericUnivariateSelect()),
        ("VarianceThreshold", lambda: feature_selection.VarianceThreshold()),
        ("SelectFromModel", lambda: feature_selection.SelectFromModel(linear_model.Lasso(0.1))),
        ("RFE", lambda: feature_selection.RFE(linear_model.Ridge(), n_features_to_select=2)),
        ("RFECV", lambda: feature_selection.RFECV(linear_model.Ridge(), cv=2)),
    ):
        add(name, make, "class3")
    add("PLSRegression", lambda: cross_decomposition.PLSRegression(2), "real")


for part in (linear, vectors, near, bayes, trees, combined, transforms):
    part()


def target(y: str, x: np.ndarray) -> Any:
    s = score_of(x)
    if y == "two_reals":
        return np.stack([s, np.sin(s)], axis=1)
    if y == "positive":
        return np.exp(0.3 * s)
    return {"none": None, "real": s, "class2": classes_of(x, 2)}.get(y, classes_of(x, 3))


def sample(y: str, n: int) -> np.ndarray:
    x = numbers(zlib(y), 4, n)
    if y == "counts":
        return np.abs(np.round(3 * x))
    return np.minimum(np.abs(np.round(3 * x)), 11) if y == "categories" else x


def zlib(text: str) -> int:
    return sum(map(ord, text)) % 1000


def grid(x: np.ndarray) -> np.ndarray:
    """Not so near to each other that float32 and float64 take another branch, or another neighbour."""
    return np.round(64 * x) / 64


def train(name: str, make: Callable[[], Any], y: str, finite: bool, dtype: str, opset: int) -> Graph:
    x = grid(sample(y, 100)).astype(np.float32)
    model = make()
    model.fit(x[:48].astype(dtype), target(y, x[:48]))
    rows = rows_of(x[48:], finite or dtype == "float64") if y not in ("counts", "categories") else [list(map(float, r)) for r in x[48:80]]
    options = ARRAY if hasattr(model, "classes_") or hasattr(model, "predict_proba") else None
    versions = {"": opset, "ai.onnx.ml": 1 if opset == 11 else 3}
    return Graph(model, [dtype] * 4, rows, options=options, opset=versions, differs="see DIFFERS" if name in DIFFERS else "")


#: Cases whose graph computes something else than scikit-learn. Of isotonic calibration it interpolates otherwise, hard
#: votes have no numbers there, neighbours of equal distance count otherwise, and a Binarizer of float64 rounds to float32
#: first.
DIFFERS = [
    "Binarizer",
    "CalibratedClassifierCV_isotonic",
    "KNeighborsClassifier_distance",
    "KNeighborsRegressor_distance",
    "VotingClassifier_hard",
]


#: Large terms cancel in the sums of a Gaussian process, which ONNX Runtime adds in float32: numbers are 1e-4 apart.
NEAR = {("GaussianProcessRegressor", "float32")}


def cases() -> List[Callable[[], Graph]]:
    made = []
    for i, (name, make, y, finite) in enumerate(ROWS):
        for k, dtype in enumerate(("float32", "float64")):
            if (name, dtype) in NEAR:
                continue
            def case(name=name, make=make, y=y, finite=finite, dtype=dtype, opset=OPSETS[(i + k) % 4]) -> Graph:
                return train(name, make, y, finite, dtype, opset)

            case.__name__ = "%s_%s" % (name.lower(), "f" if k == 0 else "d")
            made.append(case)
    return made


CASES = cases()
NAMES = [name for name, *_ in ROWS for dtype in ("float32", "float64") if (name, dtype) not in NEAR]
