"""Estimators of sums and exponentials: naive Bayes, multi-layer perceptrons, projections."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, StandardScaler

from golden_sklearn_models import ALL, BOTH, LATE, Trained, case, clean, fitted, small
from golden_tables import Column, Table

WORDS = np.array(["no", "yes", "été"])
ROWS = 32


def model_of(model: object, t: Table, y: object, *covers: str, **more: object) -> Trained:
    return fitted(model, t, y, covers=["option=" + c for c in covers], count=ROWS, **more)


def counts(seed: int) -> Table:
    """Whole numbers from 0 on, as naive Bayes of counts is trained with; it is asked for any."""
    t = small(seed)
    for c in t.columns:
        c.values = np.round(np.abs(np.asarray(c.values, dtype=np.float64)) * 3)
    return t


# Naive Bayes --------------------------------------------------------------------------------


@case(ALL)
def est_gaussian_nb() -> Trained:
    t = clean(901, named=True)
    return model_of(GaussianNB(), t, WORDS[t.y_class(3)])


@case()
def est_gaussian_nb_priors() -> Trained:
    """A class that cannot be."""
    t = small(902)
    return model_of(GaussianNB(priors=[0.0, 0.3, 0.7]), t, t.y_class(3), "GaussianNB.priors")


@case()
def est_gaussian_nb_smoothing() -> Trained:
    t = small(903)
    model = GaussianNB(var_smoothing=0.1)
    return model_of(model, t, t.y_binary(), "GaussianNB.var_smoothing")


@case()
def est_gaussian_nb_huge() -> Trained:
    """Squares that overflow: both classes are impossible, and the first is the label."""
    t = small(904)
    return model_of(GaussianNB(), t, t.y_binary(), "huge", huge=True)


@case(BOTH)
def est_gaussian_nb_float32() -> Trained:
    t = small(905)
    return model_of(GaussianNB(), t, t.y_binary(), "GaussianNB.float32", narrow=True)


@case(BOTH)
def est_bernoulli_nb() -> Trained:
    t = small(906)
    return model_of(BernoulliNB(), t, WORDS[t.y_class(3)])


@case()
def est_bernoulli_nb_threshold() -> Trained:
    t = small(907)
    model = BernoulliNB(alpha=0.5, binarize=0.25, fit_prior=False)
    return model_of(model, t, t.y_binary() > 0, "BernoulliNB.binarize", "BernoulliNB.fit_prior")


@case(BOTH)
def est_bernoulli_nb_float32() -> Trained:
    """The threshold is rounded to float32, as the data is."""
    t = small(908)
    t.columns[0].values = np.where(np.asarray(t.columns[0].values) > 0.0, 0.1, -0.3)
    model = BernoulliNB(binarize=0.1)
    return model_of(model, t, t.y_binary(), "BernoulliNB.float32", narrow=True)


@case()
def est_bernoulli_nb_as_is() -> Trained:
    """Nothing is made 0 or 1: what is asked may be any number."""
    t = small(909)
    for c in t.columns:
        c.values = (np.asarray(c.values) > 0.0).astype(np.float64)
    return model_of(BernoulliNB(binarize=None), t, t.y_binary(), "BernoulliNB.binarize=None")


@case(BOTH)
def est_multinomial_nb() -> Trained:
    """Fit refuses negative counts, predict does not."""
    t = counts(910)
    return model_of(MultinomialNB(), t, WORDS[t.y_class(3)], "MultinomialNB.negative")


@case()
def est_multinomial_nb_prior() -> Trained:
    t = counts(911)
    model = MultinomialNB(class_prior=[0.0, 1.0])
    return model_of(model, t, t.y_binary(), "MultinomialNB.class_prior")


@case(BOTH)
def est_complement_nb() -> Trained:
    t = counts(912)
    return model_of(ComplementNB(), t, t.y_class(3))


@case()
def est_complement_nb_norm() -> Trained:
    t = counts(913)
    return model_of(ComplementNB(norm=True), t, t.y_binary(), "ComplementNB.norm")


# Encoders of a target -----------------------------------------------------------------------


def target(model: object, labels: list, others: list, *covers: str) -> Trained:
    """Asked for each label, for others, and for a missing one."""
    texts = isinstance(labels[0], str)
    column = Column("y", "text" if texts else "real", labels if texts else np.array(labels, dtype=float))
    t = Table([column], np.zeros(len(labels)), named=texts, rng=np.random.RandomState(1))
    rows = [[v] for v in labels + others] + [[None]]
    fit = model.fit(np.array(labels, dtype=object) if texts else labels)  # type: ignore[attr-defined]
    more = ["option=" + c for c in covers]
    return Trained(fit, t, covers=more, sample=["y"], rows=rows, count=0, target=True)


PLANS = ["gold", "basic", "été", "", "basic plus"]


@case(BOTH)
def est_label_encoder() -> Trained:
    return target(LabelEncoder(), PLANS, ["Gold", "silver"], "LabelEncoder.texts")


@case()
def est_label_encoder_integers() -> Trained:
    return target(LabelEncoder(), [7, -3, 2**40, 0], [8, -0.0], "LabelEncoder.integers")


@case()
def est_label_encoder_missing() -> Trained:
    return target(LabelEncoder(), [0.5, float("nan"), -2.0], [3.0], "LabelEncoder.missing")


@case(BOTH)
def est_label_binarizer() -> Trained:
    return target(LabelBinarizer(), PLANS, ["Gold", "silver"], "LabelBinarizer.texts")


@case()
def est_label_binarizer_two() -> Trained:
    model = LabelBinarizer(neg_label=-1, pos_label=1)
    return target(model, [True, False], [], "LabelBinarizer.binary", "LabelBinarizer.labels")


@case()
def est_label_binarizer_numbers() -> Trained:
    model = LabelBinarizer(neg_label=-2, pos_label=0)
    return target(model, [3, -1, 12], [5, 2], "LabelBinarizer.integers")


@case()
def est_label_binarizer_one() -> Trained:
    """One class: the same number for every label."""
    model = LabelBinarizer(neg_label=-2, pos_label=3)
    return target(model, ["gold", "gold"], ["silver"], "LabelBinarizer.one-class")


# Perceptrons --------------------------------------------------------------------------------


def classifier(activation: str, layers: tuple) -> MLPClassifier:
    return MLPClassifier(layers, activation=activation, max_iter=60, random_state=1)


@case(ALL)
def est_mlp_classifier() -> Trained:
    t = small(920, named=True)
    return model_of(classifier("relu", (8,)), t, WORDS[t.y_binary()], "MLP.activation=relu")


@case(BOTH)
def est_mlp_classifier_tanh() -> Trained:
    t = small(921)
    return model_of(classifier("tanh", (6, 4)), t, t.y_class(3), "MLP.activation=tanh")


@case()
def est_mlp_classifier_logistic() -> Trained:
    t = small(922)
    y = t.y_binary() > 0
    return model_of(classifier("logistic", (5,)), t, y, "MLP.activation=logistic")


@case()
def est_mlp_classifier_identity() -> Trained:
    t = small(923)
    return model_of(classifier("identity", (3,)), t, t.y_class(4), "MLP.activation=identity")


@case(BOTH)
def est_mlp_classifier_float32() -> Trained:
    t = small(924)
    return model_of(classifier("relu", (6,)), t, t.y_class(3), "MLP.float32", narrow=True)


@case(BOTH)
def est_mlp_regressor() -> Trained:
    t = small(925)
    return model_of(MLPRegressor(hidden_layer_sizes=(7, 3), max_iter=80, random_state=1), t, t.y_real())


@case()
def est_mlp_regressor_targets() -> Trained:
    t = small(926)
    layers = (5,)
    model = MLPRegressor(
        hidden_layer_sizes=layers, activation="tanh", max_iter=80, random_state=1
    )
    return model_of(model, t, t.y_many(3), "MLPRegressor.targets")


@case()
def est_mlp_regressor_poisson() -> Trained:
    t = small(927)
    model = MLPRegressor(hidden_layer_sizes=(4,), loss="poisson", max_iter=80, random_state=1)
    return model_of(model, t, t.y_count(), "MLPRegressor.loss=poisson")


@case()
def est_mlp_huge() -> Trained:
    """Sums that overflow behind a tanh do not: it is 1."""
    t = small(928)
    return model_of(classifier("tanh", (4,)), t, t.y_binary(), "huge", huge=True)


@case()
def est_mlp_scaled() -> Trained:
    t = clean(929)
    model = make_pipeline(StandardScaler(), classifier("relu", (10,)))
    return model_of(model, t, t.y_binary())


# Projections --------------------------------------------------------------------------------


@case(ALL)
def est_pca() -> Trained:
    t = small(940, f=5)
    model = make_pipeline(PCA(3), LogisticRegression())
    return model_of(model, t, t.y_class(3), "PCA.n_components", transform=True)


@case()
def est_pca_huge() -> Trained:
    """Projections that overflow are refused by what follows."""
    t = small(949)
    model = make_pipeline(PCA(2), LogisticRegression())
    return model_of(model, t, t.y_binary(), "huge", huge=True)


@case(BOTH)
def est_pca_whiten() -> Trained:
    t = clean(941, f=5)
    model = make_pipeline(StandardScaler(), PCA(2, whiten=True), Ridge())
    return model_of(model, t, t.y_real(), "PCA.whiten")


@case()
def est_pca_part() -> Trained:
    """As many components as explain so much; of a column that is the sum of two."""
    t = small(942, f=5)
    t.columns[4].values = np.asarray(t.columns[0].values) + np.asarray(t.columns[1].values)
    return model_of(make_pipeline(PCA(0.9), Ridge()), t, t.y_real(), "PCA.n_components=part")


@case(BOTH)
def est_pca_float32() -> Trained:
    t = small(944)
    model = make_pipeline(PCA(2, whiten=True), Ridge())
    return model_of(model, t, t.y_real(), "PCA.float32", narrow=True)


@case(BOTH)
def est_pca_alone() -> Trained:
    t = clean(947, named=True)
    return model_of(PCA(whiten=True), t, None, "PCA.whiten")


@case()
def est_truncated_svd_alone() -> Trained:
    t = small(948)
    return model_of(TruncatedSVD(2, random_state=1), t, None, "TruncatedSVD.n_components")


@case(BOTH)
def est_truncated_svd() -> Trained:
    t = small(945, f=5)
    model = make_pipeline(TruncatedSVD(3, random_state=1), LogisticRegression())
    return model_of(model, t, t.y_binary(), "TruncatedSVD.n_components")


@case(LATE)
def est_truncated_svd_arpack() -> Trained:
    t = small(946, f=5)
    model = make_pipeline(TruncatedSVD(2, algorithm="arpack", random_state=1), GaussianNB())
    return model_of(model, t, t.y_class(3), "TruncatedSVD.arpack")
