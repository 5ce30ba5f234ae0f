"""Models at the end of what can be fitted: one class, one cluster, one component, thresholds that nothing passes, weights
below 0, priors of 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import BisectingKMeans
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, ExtraTreesClassifier, GradientBoostingRegressor
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import Binarizer, LabelBinarizer, MinMaxScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from golden_sklearn_cases_projections import model_of
from golden_sklearn_models import BOTH, OLD, Trained, case, clean, small
from golden_tables import Column, Table

FEW = 20


def one_class(seed: int, model: Any, name: str, label: Any = "only", **more: Any) -> Trained:
    t = small(seed, f=3, n=40)
    return model_of(model, t, np.full(40, label), name + ".one-class", most=FEW, **more)


@case(BOTH)
def one_class_tree() -> Trained:
    return one_class(3101, DecisionTreeClassifier(), "Tree")


@case()
def one_class_forest() -> Trained:
    return one_class(3102, RandomForestClassifier(n_estimators=2, random_state=1), "Forest", 7)


@case(BOTH)
def one_class_bayes() -> Trained:
    return one_class(3103, GaussianNB(), "GaussianNB", True)


@case()
def one_class_counts() -> Trained:
    return one_class(3104, make_pipeline(MinMaxScaler(clip=True), MultinomialNB()), "MultinomialNB")


@case(BOTH)
def one_class_complement() -> Trained:
    return one_class(3105, make_pipeline(MinMaxScaler(clip=True), ComplementNB(norm=True)), "ComplementNB")


@case()
def one_class_bernoulli() -> Trained:
    return one_class(3106, BernoulliNB(), "BernoulliNB")


@case()
def one_class_dummy() -> Trained:
    return one_class(3107, DummyClassifier(), "Dummy")


@case()
def one_class_neighbours() -> Trained:
    return one_class(3124, KNeighborsClassifier(3, weights="distance"), "KNeighbors")


@case(BOTH)
def one_class_ridge() -> Trained:
    return one_class(3125, RidgeClassifier(), "RidgeClassifier")


@case()
def one_class_boosted() -> Trained:
    return one_class(3126, AdaBoostClassifier(GaussianNB()), "AdaBoost")


@case()
def one_class_stack() -> Trained:
    plain = DecisionTreeClassifier(max_depth=2)
    return one_class(3127, StackingClassifier([("a", plain), ("b", GaussianNB())], plain, cv=2), "Stacking")


@case(BOTH)
def one_class_in_bags() -> Trained:
    """Bags of three rows, some of which have one label."""
    t = small(3128, f=3, n=40)
    model = BaggingClassifier(KNeighborsClassifier(1), 6, max_samples=3, random_state=1)
    return model_of(model, t, t.y_class(3), "Bagging.one-class", most=FEW)


@case(BOTH)
def one_class_of_targets() -> Trained:
    t = small(3129, f=3, n=40)
    y = np.stack([np.full(40, "only"), np.array(["a", "b", "c"])[t.y_class(3)]], axis=1)
    return model_of(MultiOutputClassifier(GaussianNB()), t, y, "MultiOutput.one-class", most=FEW)


@case()
def one_class_of_two_outputs() -> Trained:
    t = small(3108, f=3, n=40)
    y = np.stack([np.full(40, 3), t.y_class(3)], axis=1)
    return model_of(ExtraTreesClassifier(3, max_depth=3, random_state=1), t, y, "Forest.one-class-of-two", most=FEW)


@case(BOTH)
def mixture_of_one() -> Trained:
    return model_of(GaussianMixture(1), small(3109, f=3), None, "GaussianMixture.one", most=FEW)


@case()
def mixture_of_one_bayes() -> Trained:
    model = BayesianGaussianMixture(n_components=1, covariance_type="diag")
    return model_of(model, small(3110, f=3), None, "BayesianGaussianMixture.one", most=FEW)


@case(BOTH)
def bisecting_of_one() -> Trained:
    return model_of(BisectingKMeans(1), small(3111, f=3), None, "BisectingKMeans.one", most=FEW, transform=True, modest=True)


@case([OLD])
def binarizer_of_all() -> Trained:
    """Newer versions refuse it."""
    model = make_union(Binarizer(threshold=np.inf), Binarizer(threshold=-np.inf))
    return model_of(model, clean(3112, f=3), None, "Binarizer.infinite", most=FEW)


@case()
def binarizer_beyond_float32() -> Trained:
    return model_of(Binarizer(threshold=1e300), small(3113, f=3), None, "Binarizer.beyond-float32", most=FEW, narrow=True)


def weights(t: Any) -> np.ndarray:
    drawn: np.ndarray = t.rng.uniform(-0.3, 1.0, size=t.rows)
    return drawn


@case(BOTH)
def tree_weights_below_0() -> Trained:
    t = clean(3114, f=3)
    model = DecisionTreeRegressor(max_depth=4)
    made = model_of(model, t, t.y_real(), "Tree.negative-weights", most=FEW)
    model.fit(t.matrix(), t.y_real(), sample_weight=weights(t))
    return made


@case(BOTH)
def forest_weights_below_0() -> Trained:
    t = clean(3115, f=3)
    model = ExtraTreesClassifier(3, max_depth=4, random_state=1)
    made = model_of(model, t, t.y_class(3), "Forest.negative-weights", most=FEW)
    model.fit(t.matrix(), t.y_class(3), sample_weight=weights(t))
    return made


@case()
def boosting_weights_below_0() -> Trained:
    t = clean(3116, f=3)
    model = GradientBoostingRegressor(n_estimators=3, random_state=1)
    made = model_of(model, t, t.y_real(), "GradientBoosting.negative-weights", most=FEW)
    model.fit(t.matrix(), t.y_real(), sample_weight=weights(t))
    return made


@case([OLD])
def centroid_braycurtis() -> Trained:
    t = clean(3117, f=3)
    return model_of(NearestCentroid(metric="braycurtis"), t, t.y_class(3), "NearestCentroid.braycurtis", most=FEW)


@case()
def centroid_prior_of_0() -> Trained:
    """By distances of numbers added up, which has no other answer than the label."""
    t = clean(3118, f=3)
    model = NearestCentroid(metric="manhattan", priors=[0.4, 0.0, 0.6])
    return model_of(model, t, t.y_class(3), "NearestCentroid.prior-of-0", most=FEW)


def places(seed: int, width: int, most: int) -> Table:
    rng = np.random.RandomState(seed)
    columns = [Column("f%d" % j, "real", rng.randint(0, most, size=50).astype(np.float64)) for j in range(width)]
    return Table(columns, rng.randn(50), rng=rng)


def several(seed: int, **labels: int) -> Trained:
    t = places(seed, 3, 2)
    rows = [[0, 1, 0], [1, 1, 1], [0, 0, 0], [2, 0, 2], [0, 1, 2], [0.5, 0, 0], [-1, 3, 3], [None, 1, 0], [float("inf"), 0, 0]]
    model = LabelBinarizer(**labels).fit(t.matrix())
    return Trained(model, t, ["option=LabelBinarizer.several"], rows=rows, count=0)


@case(BOTH)
def labels_of_several() -> Trained:
    return several(3121)


@case()
def labels_of_several_renamed() -> Trained:
    return several(3122, neg_label=-2, pos_label=3)


@case()
def labels_of_several_below() -> Trained:
    return several(3123, neg_label=-1, pos_label=0)
