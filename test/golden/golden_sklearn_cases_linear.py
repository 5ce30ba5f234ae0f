"""Linear models of scikit-learn: every class, loss and link; class labels of every type."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import linear_model as lm
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, LinearSVR

from golden_sklearn_models import ALL, BOTH, LATE, NEW, OLD, Trained, case, clean, fitted, small
from golden_tables import Column, Table

WORDS = np.array(["no", "yes", "été"])


def binary(seed: int, model: object, labels: object = None, **more: object) -> Trained:
    t = small(seed)
    y = t.y_binary()
    return fitted(model, t, y if labels is None else np.asarray(labels)[y], **more)


def several(seed: int, model: object, labels: object = None, **more: object) -> Trained:
    t = small(seed)
    y = t.y_class(3)
    return fitted(model, t, y if labels is None else np.asarray(labels)[y], **more)


def regression(seed: int, model: object, **more: object) -> Trained:
    t = small(seed)
    return fitted(model, t, t.y_real(), **more)


# Regressors ---------------------------------------------------------------------------------


@case(BOTH)
def linear_regression() -> Trained:
    t = clean(301, named=True)
    return fitted(
        lm.LinearRegression(), t, t.y_real(), covers=["option=LinearRegression.DataFrame"]
    )


@case()
def linear_regression_targets() -> Trained:
    t = clean(302)
    return fitted(lm.LinearRegression(), t, t.y_many(3), covers=["option=targets"])


@case()
def linear_regression_origin() -> Trained:
    """Without an intercept the answer to zeros is exactly 0."""
    t = clean(303)
    model = lm.LinearRegression(fit_intercept=False, positive=True)
    return fitted(model, t, t.y_many(2), covers=["option=no-intercept"])


@case()
def linear_regression_float32() -> Trained:
    """Trained on float32; what is asked is float64, which the coefficients are widened to."""
    t = small(304)
    model = lm.LinearRegression().fit(t.matrix().astype(np.float32), t.y_real().astype(np.float32))
    return Trained(model, t, covers=["option=coef-float32"])


@case()
def linear_regression_sparse_training() -> Trained:
    import scipy.sparse

    t = small(305)
    x = t.matrix()
    x[np.abs(x) < 0.7] = 0.0
    model = lm.Lasso(alpha=0.05).fit(scipy.sparse.csc_matrix(x), t.y_real())
    return Trained(model, t, covers=["option=sparse-training"])


@case(BOTH)
def ridge() -> Trained:
    return regression(306, lm.Ridge(alpha=2.0))


@case()
def ridge_cv() -> Trained:
    return regression(307, lm.RidgeCV(alphas=(0.1, 1.0)))


@case(BOTH)
def lasso() -> Trained:
    """Two features have no weight: their NULL does not matter."""
    t = small(308, f=6)
    return fitted(
        lm.Lasso(alpha=0.4), t, t.score - t.matrix()[:, 1] * 0.7, covers=["option=zero-weights"]
    )


@case()
def lasso_cv() -> Trained:
    return regression(309, lm.LassoCV(cv=3, random_state=1))


@case()
def lasso_lars() -> Trained:
    return regression(310, lm.LassoLars(alpha=0.01))


@case()
def lasso_lars_cv() -> Trained:
    return regression(311, lm.LassoLarsCV(cv=3))


@case()
def lasso_lars_ic() -> Trained:
    return regression(312, lm.LassoLarsIC())


@case()
def elastic_net() -> Trained:
    return regression(313, lm.ElasticNet(alpha=0.05))


@case()
def elastic_net_cv() -> Trained:
    return regression(314, lm.ElasticNetCV(cv=3, random_state=1))


@case()
def multi_task_lasso() -> Trained:
    t = small(315)
    return fitted(lm.MultiTaskLasso(alpha=0.1), t, t.y_many(2))


@case()
def multi_task_lasso_cv() -> Trained:
    t = small(316)
    return fitted(lm.MultiTaskLassoCV(cv=3, random_state=1), t, t.y_many(2))


@case()
def multi_task_elastic_net() -> Trained:
    t = small(317)
    return fitted(lm.MultiTaskElasticNet(alpha=0.1), t, t.y_many(2))


@case()
def multi_task_elastic_net_cv() -> Trained:
    t = small(318)
    return fitted(lm.MultiTaskElasticNetCV(cv=3, random_state=1), t, t.y_many(2))


@case()
def lars() -> Trained:
    return regression(319, lm.Lars())


@case()
def lars_targets() -> Trained:
    t = small(320)
    return fitted(lm.Lars(n_nonzero_coefs=2), t, t.y_many(2), covers=["option=Lars.targets"])


@case()
def lars_cv() -> Trained:
    return regression(321, lm.LarsCV(cv=3))


@case()
def orthogonal_matching_pursuit() -> Trained:
    return regression(322, lm.OrthogonalMatchingPursuit(n_nonzero_coefs=2))


@case()
def orthogonal_matching_pursuit_cv() -> Trained:
    return regression(323, lm.OrthogonalMatchingPursuitCV(cv=3))


@case()
def bayesian_ridge() -> Trained:
    return regression(324, lm.BayesianRidge())


@case()
def ard_regression() -> Trained:
    return regression(325, lm.ARDRegression())


@case(BOTH)
def huber_regressor() -> Trained:
    return regression(326, lm.HuberRegressor())


@case()
def theil_sen_regressor() -> Trained:
    return regression(327, lm.TheilSenRegressor(random_state=1, max_subpopulation=200))


@case(BOTH)
def quantile_regressor() -> Trained:
    return regression(328, lm.QuantileRegressor(quantile=0.7, alpha=0.01, solver="highs"))


@case(BOTH)
def sgd_regressor() -> Trained:
    return regression(329, lm.SGDRegressor(random_state=1, loss="huber"))


@case()
def sgd_regressor_sparsified() -> Trained:
    t = regression(330, lm.SGDRegressor(random_state=1, penalty="l1", alpha=0.05, average=True))
    t.model.sparsify()
    t.covers += ["option=sparsify", "option=average"]
    return t


@case((OLD,))
def passive_aggressive_regressor() -> Trained:
    return regression(331, lm.PassiveAggressiveRegressor(random_state=1))


@case(BOTH)
def linear_svr() -> Trained:
    return regression(332, LinearSVR(random_state=1, C=0.5))


@case()
def linear_svr_origin() -> Trained:
    return regression(
        333, LinearSVR(random_state=1, fit_intercept=False), covers=["option=no-intercept"]
    )


@case(BOTH)
def poisson_regressor() -> Trained:
    t = small(334)
    return fitted(lm.PoissonRegressor(), t, t.y_count())


@case()
def gamma_regressor() -> Trained:
    t = small(335)
    return fitted(lm.GammaRegressor(), t, t.y_positive())


@case(BOTH)
def tweedie_regressor_log() -> Trained:
    t = small(336)
    model = lm.TweedieRegressor(power=1.5)
    return fitted(model, t, t.y_positive(), covers=["option=Tweedie.link=auto"])


@case()
def tweedie_regressor_identity() -> Trained:
    t = small(337)
    model = lm.TweedieRegressor(power=0, link="identity")
    return fitted(model, t, t.y_real(), covers=["option=Tweedie.link=identity"])


@case()
def tweedie_regressor_normal_log() -> Trained:
    t = small(338)
    model = lm.TweedieRegressor(power=0, link="log")
    return fitted(model, t, t.y_positive(), covers=["option=Tweedie.link=log"])


@case(BOTH)
def ransac_regressor() -> Trained:
    return regression(339, lm.RANSACRegressor(random_state=1))


@case(LATE)
def ransac_ridge() -> Trained:
    model = lm.RANSACRegressor(estimator=lm.Ridge(), min_samples=20, random_state=1)
    return regression(340, model, covers=["option=RANSAC.estimator"])


@case()
def linear_huge() -> Trained:
    """Doubles far beyond float32, which linear models take."""
    return regression(341, lm.LinearRegression(), huge=True, covers=["option=huge"])


# Classifiers --------------------------------------------------------------------------------


@case(BOTH)
def logistic_binary() -> Trained:
    return binary(350, lm.LogisticRegression(), WORDS[:2])


@case()
def logistic_binary_bool() -> Trained:
    return binary(351, lm.LogisticRegression(C=0.5), [False, True])


@case()
def logistic_binary_float() -> Trained:
    return binary(352, lm.LogisticRegression(class_weight="balanced"), [-1.0, 2.0])


@case()
def logistic_binary_origin() -> Trained:
    """Zeros are an exact tie: the first class."""
    return binary(353, lm.LogisticRegression(fit_intercept=False), covers=["option=no-intercept"])


@case(ALL)
def logistic_multinomial() -> Trained:
    return several(354, lm.LogisticRegression(max_iter=200), WORDS)


@case()
def logistic_multinomial_tie() -> Trained:
    model = lm.LogisticRegression(fit_intercept=False)
    return several(355, model, [-7, 0, 2**40], covers=["option=no-intercept"])


@case((OLD,))
def logistic_binary_multinomial() -> Trained:
    model = lm.LogisticRegression(multi_class="multinomial")
    return binary(356, model, covers=["option=multi_class=multinomial"])


@case((OLD,))
def logistic_ovr() -> Trained:
    model = lm.LogisticRegression(multi_class="ovr")
    return several(357, model, covers=["option=multi_class=ovr"])


@case((OLD,))
def logistic_liblinear_several() -> Trained:
    model = lm.LogisticRegression(solver="liblinear")
    return several(358, model, covers=["option=solver=liblinear"])


@case()
def logistic_liblinear() -> Trained:
    model = lm.LogisticRegression(solver="liblinear")
    return binary(359, model, covers=["option=solver=liblinear"])


@case(BOTH)
def logistic_cv() -> Trained:
    return several(360, lm.LogisticRegressionCV(Cs=2, cv=3, max_iter=200))


@case()
def logistic_cv_binary() -> Trained:
    return binary(361, lm.LogisticRegressionCV(Cs=2, cv=3))


@case()
def logistic_sparsified() -> Trained:
    t = binary(362, lm.LogisticRegression())
    t.model.sparsify()
    t.covers.append("option=sparsify")
    return t


@case()
def logistic_huge() -> Trained:
    return binary(363, lm.LogisticRegression(), huge=True, covers=["option=huge"])


SGD_LOSSES = (
    "hinge",
    "log_loss",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "squared_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)


def sgd(loss: str, seed: int, make: object, versions: tuple) -> None:
    two = make is binary

    def train() -> Trained:
        model = lm.SGDClassifier(loss=loss, random_state=1, alpha=0.01)
        covers = ["option=SGDClassifier.loss=" + loss]
        return make(seed, model, covers=covers, count=44)  # type: ignore[operator]

    train.__name__ = "sgd_%s%s" % (loss, "" if two else "_several")
    case(versions)(train)


for k, name in enumerate(SGD_LOSSES):
    sgd(name, 370 + k, binary, BOTH if name in ("log_loss", "modified_huber") else (NEW,))
for k, name in enumerate(("hinge", "log_loss", "modified_huber")):
    sgd(name, 380 + k, several, BOTH if name == "modified_huber" else (NEW,))


@case((OLD,))
def sgd_log_old_name() -> Trained:
    model = lm.SGDClassifier(loss="log", random_state=1)
    return binary(385, model, covers=["option=SGDClassifier.loss=log"])


@case(BOTH)
def perceptron() -> Trained:
    return several(386, lm.Perceptron(random_state=1))


@case((OLD,))
def passive_aggressive_classifier() -> Trained:
    return binary(387, lm.PassiveAggressiveClassifier(random_state=1))


@case(BOTH)
def ridge_classifier() -> Trained:
    return binary(388, lm.RidgeClassifier(), WORDS[:2])


@case()
def ridge_classifier_several() -> Trained:
    return several(389, lm.RidgeClassifier(fit_intercept=False), covers=["option=no-intercept"])


@case()
def ridge_classifier_cv() -> Trained:
    return several(390, lm.RidgeClassifierCV(alphas=(0.1, 1.0)))


@case(ALL)
def linear_svc() -> Trained:
    return several(391, LinearSVC(random_state=1, dual=True))


@case()
def linear_svc_crammer_singer() -> Trained:
    model = LinearSVC(random_state=1, multi_class="crammer_singer")
    return binary(392, model, covers=["option=LinearSVC.crammer_singer"])


@case(BOTH)
def scaled_logistic() -> Trained:
    """The usual pipeline, on columns of very different scales."""
    t = clean(393, named=True)
    model = make_pipeline(StandardScaler(), lm.LogisticRegression())
    return fitted(model, t, WORDS[t.y_binary()])


@case()
def scaled_ridge_huge() -> Trained:
    """Values that overflow in the scaler are refused by what follows it."""
    t = clean(394)
    model = make_pipeline(StandardScaler(), lm.Ridge())
    return fitted(model, t, t.y_real(), huge=True, covers=["option=huge"])


# Few weights: the sums of several outputs, each of columns of its own ---------------------------


def sums_apart(t: Table, n: int) -> np.ndarray:
    """[rows, n]: column j of the table goes into sum j % n."""
    return np.stack([t.matrix()[:, k::n].sum(axis=1) for k in range(n)], axis=1)


def sparse(seed: int, model: Any, **more: Any) -> Trained:
    t = small(seed, f=24, n=320)
    covers = ["option=sparse-weights"] + more.pop("covers", [])
    return fitted(model, t, sums_apart(t, 5).argmax(axis=1), most=more.pop("most", 70), covers=covers, **more)


def lasso_of(version: str, **more: Any) -> Any:
    """A logistic regression with an L1 penalty, as each version spells it."""
    penalty = {"penalty": "l1"} if version == OLD else {"l1_ratio": 1}
    return lm.LogisticRegression(**penalty, random_state=1, **more)


@case()
def sparse_multinomial() -> Trained:
    return sparse(395, lasso_of(NEW, solver="saga", C=0.1, max_iter=500))


@case((OLD,))
def sparse_one_vs_rest() -> Trained:
    model = lasso_of(OLD, solver="liblinear", C=0.05)
    return sparse(396, model, covers=["option=solver=liblinear"])


@case()
def sparse_huge() -> Trained:
    """Sums that overflow: infinities and NaN."""
    return sparse(397, lasso_of(NEW, solver="saga", C=0.1, max_iter=500), huge=True, most=32)


@case(BOTH)
def sparse_svc() -> Trained:
    return sparse(398, LinearSVC(penalty="l1", dual=False, random_state=1, C=0.01))


@case()
def sparse_targets() -> Trained:
    t = small(399, f=24)
    model = lm.Lars(n_nonzero_coefs=6)
    return fitted(model, t, sums_apart(t, 5), most=70, covers=["option=sparse-weights"])


@case()
def sparse_digits() -> Trained:
    """Ten classes of 64 scaled pixels, of which some are always 0."""
    digits = load_digits()
    columns = [
        Column("pixel%d" % j, "real", values, cell="di"[j % 2])
        for j, values in enumerate(digits.data.T)
    ]
    t = Table(columns, digits.target.astype(np.float64), named=True)
    model = make_pipeline(StandardScaler(), lasso_of(NEW, solver="saga", C=0.02, max_iter=50))
    return fitted(model, t, digits.target, most=32, covers=["option=sparse-weights"])
