"""Nearest neighbours: metrics, weights, radii, centroids and outliers."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import Isomap
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, LocalOutlierFactor, NearestCentroid
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer
from sklearn.neighbors import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from golden_sklearn_cases_estimators import WORDS
from golden_sklearn_cases_projections import model_of as probed
from golden_sklearn_models import BOTH, OLD, Trained, case, clean, fitted, small
from golden_tables import Table


def model_of(model: object, t: Table, y: object, *covers: str, **more: object) -> Trained:
    return probed(model, t, y, *covers, probed=True, **more)


def near(seed: int, model: object, *covers: str, f: int = 4, n: int = 80, **more: object) -> Trained:
    t = small(seed, f=f, n=n)
    return model_of(model, t, WORDS[t.y_class(3)], *covers, **more)


@case(BOTH)
def knn_three() -> Trained:
    t = clean(2101, n=80, named=True)
    return model_of(make_pipeline(StandardScaler(), KNeighborsClassifier()), t, WORDS[t.y_class(3)])


@case(BOTH)
def knn_two_by_distance() -> Trained:
    t = small(2102, n=80)
    return model_of(KNeighborsClassifier(4, weights="distance"), t, t.y_binary(), "KNN.distance")


@case(BOTH)
def knn_brute() -> Trained:
    return near(2103, KNeighborsClassifier(3, algorithm="brute"), "KNN.brute")


@case()
def knn_float32() -> Trained:
    return near(2104, KNeighborsClassifier(3, algorithm="brute"), "KNN.float32", narrow=True)


@case()
def knn_manhattan() -> Trained:
    return near(2105, KNeighborsClassifier(6, p=1, weights="distance"), "KNN.manhattan")


@case()
def knn_minkowski() -> Trained:
    return near(2106, KNeighborsClassifier(5, p=3, weights="distance"), "KNN.minkowski")


@case()
def knn_minkowski_weights() -> Trained:
    params = {"w": np.array([1.0, 0.5, 2.0, 0.25])}
    return near(2107, KNeighborsClassifier(5, p=1.5, metric_params=params), "KNN.minkowski.w")


@case()
def knn_chebyshev() -> Trained:
    return near(2108, KNeighborsClassifier(5, metric="chebyshev", weights="distance"), "KNN.chebyshev")


@case()
def knn_canberra() -> Trained:
    return near(2109, KNeighborsClassifier(5, metric="canberra", weights="distance"), "KNN.canberra")


@case(BOTH)
def knn_bray_curtis() -> Trained:
    return near(2110, KNeighborsClassifier(5, metric="braycurtis", weights="distance"), "KNN.braycurtis")


@case(BOTH)
def knn_cosine() -> Trained:
    return near(2111, KNeighborsClassifier(5, metric="cosine", weights="distance"), "KNN.cosine")


@case()
def knn_correlation() -> Trained:
    return near(2112, KNeighborsClassifier(5, metric="correlation"), "KNN.correlation")


@case()
def knn_mahalanobis() -> Trained:
    t = small(2113, n=80)
    params = {"VI": np.linalg.inv(np.cov(t.matrix().T))}
    model = KNeighborsClassifier(5, metric="mahalanobis", metric_params=params, weights="distance", algorithm="ball_tree")
    return model_of(model, t, t.y_class(3), "KNN.mahalanobis")


@case()
def knn_seuclidean() -> Trained:
    t = small(2114, n=80)
    params = {"V": np.var(t.matrix(), axis=0)}
    return model_of(KNeighborsClassifier(5, metric="seuclidean", metric_params=params), t, t.y_class(3), "KNN.seuclidean")


@case(BOTH)
def knn_bagged() -> Trained:
    model = BaggingClassifier(KNeighborsClassifier(3), n_estimators=3, max_samples=0.4, random_state=1)
    return near(2115, model, "KNN.bagged")


@case()
def knn_voting() -> Trained:
    parts = [("knn", KNeighborsClassifier(3, weights="distance")), ("lr", LogisticRegression())]
    return near(2116, VotingClassifier(parts, voting="soft"), "KNN.voting")


@case(BOTH)
def knn_regressor() -> Trained:
    t = clean(2117, n=80, named=True)
    return model_of(make_pipeline(StandardScaler(), KNeighborsRegressor()), t, t.y_real())


@case(BOTH)
def knn_regressor_float32() -> Trained:
    """The means of float32 targets are float32."""
    t = clean(2119, n=60)
    return model_of(KNeighborsRegressor(7), t, t.y_real().astype(np.float32), "KNN.float32-targets", most=30)


@case(BOTH)
def knn_regressor_targets() -> Trained:
    t = small(2118, n=80)
    return model_of(KNeighborsRegressor(9, weights="distance"), t, t.y_many(3), "KNN.targets")


@case(BOTH)
def radius_classifier() -> Trained:
    model = RadiusNeighborsClassifier(1.1, outlier_label="most_frequent")
    return near(2119, model, "Radius.most_frequent")


@case(BOTH)
def radius_refuses() -> Trained:
    model = RadiusNeighborsClassifier(1.3, weights="distance", p=1, algorithm="kd_tree")
    return near(2120, model, "Radius.distance")


@case(BOTH)
def radius_regressor() -> Trained:
    t = small(2121, n=80)
    return model_of(RadiusNeighborsRegressor(1.5, weights="distance"), t, t.y_many(2), "Radius.targets")


@case()
def radius_regressor_uniform() -> Trained:
    t = small(2122, n=80)
    return model_of(RadiusNeighborsRegressor(2.0, p=3), t, t.y_real(), "Radius.minkowski")


@case(BOTH)
def outlier_factor() -> Trained:
    t = small(2123, n=80)
    return model_of(LocalOutlierFactor(7, novelty=True), t, None)


@case()
def outlier_factor_contamination() -> Trained:
    t = small(2124, n=80)
    model = LocalOutlierFactor(5, novelty=True, contamination=0.2, metric="manhattan")
    return model_of(model, t, None, "LOF.contamination")


@case(BOTH)
def centroid() -> Trained:
    t = clean(2125, named=True)
    return model_of(NearestCentroid(), t, WORDS[t.y_class(3)])


@case(BOTH)
def centroid_shrunk() -> Trained:
    t = small(2126)
    return model_of(NearestCentroid(metric="manhattan", shrink_threshold=0.3), t, t.y_binary(), "NearestCentroid.manhattan")


@case()
def centroid_priors() -> Trained:
    t = small(2127)
    return model_of(NearestCentroid(priors=[0.2, 0.8]), t, t.y_binary(), "NearestCentroid.priors")


@case(BOTH)
def knn_jaccard() -> Trained:
    """Columns of which a third is 0."""
    t = small(2128, n=60, f=6)
    for c in t.columns:
        c.values = np.where(np.abs(np.asarray(c.values)) < 0.7, 0.0, c.values)
    model = KNeighborsRegressor(7, metric="jaccard", weights="distance", algorithm="ball_tree")
    return model_of(model, t, t.y_real(), "KNN.jaccard")


# Metrics in steps, with missing numbers, and by radius ------------------------------------------

SEVERAL_ROWS = 40


def places(seed: int) -> Table:
    """Latitudes and longitudes."""
    t = small(seed, f=2, n=SEVERAL_ROWS)
    t.columns[0].values = np.round(np.asarray(t.columns[0].values) / 2.0, 2)
    return t


@case(BOTH)
def knn_haversine() -> Trained:
    t = places(2129)
    model = KNeighborsClassifier(4, metric="haversine", weights="distance")
    return model_of(model, t, WORDS[t.y_class(3)], "KNN.haversine", most=24)


@case()
def knn_haversine_uniform() -> Trained:
    t = places(2130)
    return model_of(KNeighborsRegressor(3, metric="haversine", algorithm="brute"), t, t.y_real(), "KNN.haversine", most=16)


@case()
def knn_missing() -> Trained:
    """A row without numbers has no neighbours."""
    t = small(2131, n=40)
    rows = [list(row) for row in np.round(small(2132, n=9).matrix(), 2).tolist()]
    for i, row in enumerate(rows):
        for c in range(i % 4):
            row[(i + c) % 4] = None
    rows += [[None] * 4, [0.5, None, float("inf"), 1.0], [float("nan"), 1, -0.0, 2.5]]
    for j, c in enumerate(t.columns):
        c.values = np.where(np.arange(40) % 7 == j, np.nan, c.values)
    model = KNeighborsRegressor(4, metric="nan_euclidean", weights="distance")
    return fitted(model, t, t.y_many(2), covers=["option=KNN.nan_euclidean"], rows=rows, count=0, probed=True)


@case()
def radius_missing() -> Trained:
    t = small(2133, n=40)
    rows = [list(row) for row in np.round(small(2134, n=12).matrix(), 2).tolist()]
    for i, row in enumerate(rows):
        row[i % 5 : i % 5 + 1] = [None] * (i % 5 < 4)
    for j, c in enumerate(t.columns):
        c.values = np.where(np.arange(40) % 9 == j, np.nan, c.values)
    model = RadiusNeighborsClassifier(1.7, metric="nan_euclidean", outlier_label="most_frequent")
    covers = ["option=Radius.nan_euclidean"]
    return fitted(model, t, WORDS[t.y_class(3)], covers=covers, rows=rows, count=0, probed=True)


def marks(seed: int, n: int = SEVERAL_ROWS, f: int = 12) -> Table:
    """Numbers of which half are 0."""
    t = small(seed, f=f, n=n)
    for c in t.columns:
        c.values = np.where(np.abs(np.asarray(c.values)) < 0.7, 0.0, c.values)
    return t


def of_marks(seed: int, metric: str, *covers: str) -> Trained:
    """By all rows, so that equal distances do not matter."""
    t = marks(seed)
    model = KNeighborsRegressor(SEVERAL_ROWS, metric=metric, weights="distance", algorithm="brute")
    return model_of(model, t, t.y_real(), *covers, rows=[[0.0] * 12, [0.0] * 6 + [1.0] * 6], most=12)


@case()
def knn_yule() -> Trained:
    return of_marks(2135, "yule", "KNN.yule")


@case()
def knn_russell_rao() -> Trained:
    return of_marks(2136, "russellrao", "KNN.russellrao")


@case((OLD,))
def knn_kulsinski() -> Trained:
    return of_marks(2137, "kulsinski", "KNN.kulsinski")


def by_radius(seed: int, metric: str, radius: float, table: object = small, **more: object) -> Trained:
    t = table(seed, n=SEVERAL_ROWS, f=6)
    model = RadiusNeighborsRegressor(radius, metric=metric, weights="distance", **more)
    return model_of(model, t, t.y_real(), "Radius." + metric, most=12, nan=True)


@case(BOTH)
def radius_cosine() -> Trained:
    return by_radius(2138, "cosine", 0.8)


@case()
def radius_correlation() -> Trained:
    return by_radius(2139, "correlation", 0.9)


@case()
def radius_bray_curtis() -> Trained:
    return by_radius(2140, "braycurtis", 0.85, algorithm="ball_tree")


@case(BOTH)
def radius_jaccard() -> Trained:
    return by_radius(2141, "jaccard", 0.55, marks, algorithm="ball_tree")


@case()
def radius_dice() -> Trained:
    return by_radius(2142, "dice", 0.45, marks)


@case()
def radius_sokal_sneath() -> Trained:
    return by_radius(2143, "sokalsneath", 0.7, marks)


@case()
def radius_haversine() -> Trained:
    t = places(2145)
    model = RadiusNeighborsClassifier(0.6, metric="haversine", weights="distance", outlier_label="low")
    return model_of(model, t, np.array(["low", "middle", "high"])[t.y_class(3)], "Radius.haversine", most=16)


@case((OLD,))
def centroid_cosine() -> Trained:
    t = small(2146)
    return model_of(NearestCentroid(metric="cosine"), t, t.y_class(3), "NearestCentroid.cosine")


# Several outputs ------------------------------------------------------------------------------


@case(BOTH)
def knn_several() -> Trained:
    t = small(2147, n=60)
    y = np.stack([WORDS[t.y_class(3)], WORDS[t.y_binary()]], axis=1)
    return model_of(KNeighborsClassifier(4, weights="distance"), t, y, "KNN.outputs", most=24)


@case()
def knn_several_numbers() -> Trained:
    t = small(2148, n=40)
    y = np.stack([t.y_class(3), t.y_binary() + 5], axis=1)
    return model_of(KNeighborsClassifier(5), t, y, "KNN.outputs", most=16)


@case()
def radius_several() -> Trained:
    t = small(2149, n=60)
    y = np.stack([t.y_class(3), t.y_binary() + 5], axis=1)
    return model_of(RadiusNeighborsClassifier(1.2, outlier_label=[2, 5]), t, y, "Radius.outputs", most=24)


@case()
def radius_several_refuses() -> Trained:
    t = small(2150, n=40)
    y = np.stack([WORDS[t.y_class(3)], WORDS[t.y_binary()]], axis=1)
    return model_of(RadiusNeighborsClassifier(1.3, weights="distance"), t, y, "Radius.outputs", most=24)


# Graphs ---------------------------------------------------------------------------------------


@case()
def isomap() -> Trained:
    t = small(2151, f=3, n=SEVERAL_ROWS)
    return model_of(make_pipeline(Isomap(n_neighbors=4), LogisticRegression()), t, t.y_binary(), transform=True, most=16)


def graph(seed: int, model: object, *covers: str) -> Trained:
    t = small(seed, f=2, n=14)
    rows = [[float(v) for v in row] for row in t.matrix()[:4]]  # which are their own neighbours
    rows += [[0.25, -0.5], [-0.0, 1.5], [3, -2.75], [np.float32(0.1), 0.7], [None, 1.0], [float("inf"), 0.0]]
    return fitted(model, t, None, covers=["option=" + c for c in covers], rows=rows, count=0, probed=True)


@case()
def isomap_radius() -> Trained:
    """A row without a neighbour has no result."""
    return graph(2152, Isomap(n_neighbors=None, radius=1.5, metric="manhattan"), "Isomap.radius")


@case(BOTH)
def neighbours_graph() -> Trained:
    return graph(2190, KNeighborsTransformer(n_neighbors=3))


@case()
def neighbours_graph_of_links() -> Trained:
    return graph(2191, KNeighborsTransformer(mode="connectivity", n_neighbors=4, p=1), "KNT.connectivity")


@case(BOTH)
def radius_graph() -> Trained:
    return graph(2192, RadiusNeighborsTransformer(radius=0.9))


@case()
def radius_graph_of_links() -> Trained:
    return graph(2193, RadiusNeighborsTransformer(mode="connectivity", radius=1.1, metric="chebyshev"), "RNT.connectivity")


# Precomputed distances ------------------------------------------------------------------------


def of_graph(seed: int, transformer: object, model: object, y: object = None, *covers: str) -> Trained:
    """covers: beside the graph."""
    t = small(seed, f=3, n=40)
    labels = WORDS[t.y_class(3)] if y is None else t.y_many(2) if y == "targets" else None
    return model_of(make_pipeline(transformer, model), t, labels, "Precomputed.graph", *covers, most=30)


@case(BOTH)
def knn_of_graph() -> Trained:
    model = KNeighborsClassifier(4, weights="distance", metric="precomputed")
    return of_graph(2194, KNeighborsTransformer(n_neighbors=6), model)


@case()
def knn_of_radius_graph() -> Trained:
    """Rows with fewer neighbours have no result."""
    model = KNeighborsRegressor(3, metric="precomputed")
    return of_graph(2195, RadiusNeighborsTransformer(radius=1.1, metric="manhattan"), model, "targets")


@case(BOTH)
def radius_of_graph() -> Trained:
    model = RadiusNeighborsClassifier(0.8, metric="precomputed", outlier_label="most_frequent")
    return of_graph(2196, KNeighborsTransformer(n_neighbors=5), model)


@case()
def radius_regressor_of_graph() -> Trained:
    model = RadiusNeighborsRegressor(1.2, weights="distance", metric="precomputed")
    return of_graph(2197, RadiusNeighborsTransformer(radius=1.5), model, "targets")


@case()
def outlier_factor_of_graph() -> Trained:
    model = LocalOutlierFactor(4, novelty=True, metric="precomputed")
    return of_graph(2198, KNeighborsTransformer(n_neighbors=4), model, "none")


@case()
def knn_of_distances() -> Trained:
    """A column for each row of training. One below 0 has no result."""
    t = small(2199, f=12, n=12)
    for c in t.columns:
        c.values = np.abs(np.asarray(c.values))
    model = KNeighborsClassifier(3, weights="distance", metric="precomputed")
    rows = [[abs(float(v)) for v in row] for row in small(2200, f=12, n=20).matrix()]
    rows += [[0.5] * 11 + [v] for v in (None, -0.25, -0.0, float("inf"), 3)] + [[0.0, 1.5] * 6]
    covers = ["option=Precomputed.distances"]
    return fitted(model, t, WORDS[t.y_class(3)], covers=covers, rows=rows, count=0, probed=True)
