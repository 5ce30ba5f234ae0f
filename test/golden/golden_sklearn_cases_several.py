"""One estimator for each class, pair or target; several outputs and several labels a row; targets that were transformed."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA, FastICA, IncrementalPCA, SparsePCA, TruncatedSVD
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor, GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neural_network import BernoulliRBM, MLPClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, MaxAbsScaler, MinMaxScaler, PowerTransformer
from sklearn.preprocessing import QuantileTransformer, RobustScaler, StandardScaler
from sklearn.random_projection import GaussianRandomProjection
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from golden_sklearn_cases_estimators import WORDS, counts, model_of
from golden_sklearn_models import BOTH, OLD, Trained, case, small
from golden_tables import Table


def tree(depth: int = 2) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth)


def flags_of(t: Table, k: int = 3) -> np.ndarray:
    """Several labels a row."""
    return (t.y_many(k) > [0.0, 0.5, -0.5][:k]).astype(int)


# One for each class, pair, bit ----------------------------------------------------------------


@case(BOTH)
def one_vs_rest() -> Trained:
    t = small(1601, named=True)
    return model_of(OneVsRestClassifier(LogisticRegression()), t, WORDS[t.y_class(3)], "OneVsRest.scores")


@case(BOTH)
def one_vs_rest_trees() -> Trained:
    """Ties, and rows that no tree takes for its class."""
    t = small(1602)
    return model_of(OneVsRestClassifier(tree()), t, t.y_class(3), "OneVsRest.ties")


@case()
def one_vs_rest_two() -> Trained:
    t = small(1603)
    return model_of(OneVsRestClassifier(GaussianNB()), t, WORDS[t.y_binary()], "OneVsRest.binary")


@case()
def one_vs_rest_regressors() -> Trained:
    t = small(1604)
    return model_of(OneVsRestClassifier(DecisionTreeRegressor(max_depth=3)), t, t.y_class(3), "OneVsRest.regressors")


@case(BOTH)
def one_vs_rest_labels() -> Trained:
    t = small(1605)
    return model_of(OneVsRestClassifier(LogisticRegression()), t, flags_of(t), "OneVsRest.multilabel")


@case()
def one_vs_rest_labels_trees() -> Trained:
    t = small(1606)
    y = np.hstack([flags_of(t), np.ones((160, 1), dtype=int)])
    return model_of(OneVsRestClassifier(tree()), t, y, "OneVsRest.constant")


@case(BOTH)
def one_vs_one() -> Trained:
    t = small(1607)
    return model_of(OneVsOneClassifier(LinearSVC(dual=True, random_state=0)), t, WORDS[t.y_class(3)], "OneVsOne.votes")


@case()
def one_vs_one_two() -> Trained:
    t = small(1608)
    return model_of(OneVsOneClassifier(GaussianNB()), t, t.y_binary(), "OneVsOne.binary")


@case(BOTH)
def output_code() -> Trained:
    t = small(1609)
    """Of large scores all distances are equal but for rounding."""
    model = OutputCodeClassifier(LogisticRegression(), code_size=2, random_state=0)
    return model_of(model, t, WORDS[t.y_class(3)], modest=True)


# Boosting of any estimator --------------------------------------------------------------------


@case(BOTH)
def ada_any() -> Trained:
    t = small(1611)
    more = {"algorithm": "SAMME"} if sklearn.__version__ == OLD else {}
    return model_of(AdaBoostClassifier(GaussianNB(), n_estimators=3, **more), t, t.y_class(3), "AdaBoost.any")


@case([OLD])
def ada_any_logs() -> Trained:
    t = small(1612)
    return model_of(AdaBoostClassifier(LogisticRegression(), n_estimators=3), t, WORDS[t.y_class(3)], "AdaBoost.any-SAMME.R")


@case([OLD])
def ada_any_logs_two() -> Trained:
    t = small(1613)
    return model_of(AdaBoostClassifier(LogisticRegression(), n_estimators=3), t, t.y_binary(), "AdaBoost.any-SAMME.R")


@case()
def ada_any_regressor() -> Trained:
    t = small(1614)
    return model_of(AdaBoostRegressor(Ridge(), n_estimators=3, random_state=0), t, t.y_real(), "AdaBoost.any")


def with_init(y: object, seed: int, init: object, **more: object) -> Trained:
    t = small(seed)
    return model_of(GradientBoostingClassifier(init=init, n_estimators=3, max_depth=2, **more), t, y(t), "GB.init=classifier")


@case([OLD])
def boosting_init_two() -> Trained:
    return with_init(lambda t: t.y_binary(), 1615, GaussianNB())


@case(BOTH)
def boosting_init_three() -> Trained:
    return with_init(lambda t: WORDS[t.y_class(3)], 1616, tree())


@case()
def boosting_init_exponential() -> Trained:
    return with_init(lambda t: t.y_binary(), 1617, tree(), loss="exponential")


@case()
def boosting_init_trees() -> Trained:
    return with_init(lambda t: t.y_binary(), 1618, tree())


# Several outputs ------------------------------------------------------------------------------


@case(BOTH)
def multi_output_flags() -> Trained:
    t = small(1621)
    return model_of(MultiOutputClassifier(LogisticRegression()), t, flags_of(t), "MultiOutput.flags")


@case(BOTH)
def multi_output_numbers() -> Trained:
    t = small(1622)
    y = np.stack([t.y_class(3), t.y_binary() + 5], axis=1)
    return model_of(MultiOutputClassifier(tree(3)), t, y, "MultiOutput.numbers")


@case()
def multi_output_texts() -> Trained:
    t = small(1623)
    y = np.stack([WORDS[t.y_class(3)], WORDS[t.y_binary()]], axis=1)
    return model_of(MultiOutputClassifier(RidgeClassifier()), t, y, "MultiOutput.texts")


@case(BOTH)
def classifier_chain() -> Trained:
    t = small(1624)
    return model_of(ClassifierChain(LogisticRegression(), order=[2, 0, 1]), t, flags_of(t), "ClassifierChain.order")


@case()
def classifier_chain_likely() -> Trained:
    t = small(1625)
    model = ClassifierChain(GaussianNB(), order=[1, 0, 2], chain_method="predict_proba")
    return model_of(model, t, flags_of(t), "ClassifierChain.chain_method")


@case()
def classifier_chain_logarithms() -> Trained:
    t = small(1677)
    model = ClassifierChain(GaussianNB(), order=[2, 0, 1], chain_method="predict_log_proba")
    return model_of(model, t, flags_of(t), "ClassifierChain.predict_log_proba", most=32, probed=True, modest=True)


@case()
def classifier_chain_scores() -> Trained:
    """float32 columns, which the chain makes float64 ones, also for its first link."""
    t = small(1678)
    links = make_pipeline(StandardScaler(), LogisticRegression())
    model = ClassifierChain(links, chain_method=["decision_function", "predict"])
    return model_of(model, t, flags_of(t), "ClassifierChain.decision_function", narrow=True, most=32, probed=True)


@case()
def classifier_chain_numbers() -> Trained:
    t = small(1626)
    return model_of(ClassifierChain(tree()), t, flags_of(t) * 2 + 5, "ClassifierChain.numbers")


@case()
def classifier_chain_classes() -> Trained:
    """A link of three classes between two of two."""
    t = small(1676)
    y = np.stack([t.y_binary(), t.y_class(3) * 2 + 3, t.y_binary() + 5], axis=1)
    model = ClassifierChain(LogisticRegression(), order=[2, 1, 0])
    return model_of(model, t, y, "ClassifierChain.classes", most=32, probed=True)


@case(BOTH)
def tree_several() -> Trained:
    t = small(1627)
    return model_of(tree(4), t, np.stack([t.y_class(3), t.y_binary() + 5], axis=1), "tree.outputs")


@case(BOTH)
def forest_several() -> Trained:
    t = small(1628)
    model = RandomForestClassifier(3, max_depth=4, random_state=0)
    return model_of(model, t, np.stack([WORDS[t.y_class(3)], WORDS[t.y_binary()]], axis=1), "tree.outputs")


@case()
def forest_flags() -> Trained:
    t = small(1629)
    return model_of(RandomForestClassifier(3, max_depth=4, random_state=0), t, flags_of(t), "tree.flags")


@case(BOTH)
def ridge_flags() -> Trained:
    t = small(1630)
    return model_of(RidgeClassifier(), t, flags_of(t), "RidgeClassifier.multilabel")


@case(BOTH)
def mlp_flags() -> Trained:
    t = small(1631)
    return model_of(MLPClassifier((4,), max_iter=50, random_state=0), t, flags_of(t), "MLP.multilabel")


# Dummies --------------------------------------------------------------------------------------


@case()
def dummy_prior() -> Trained:
    t = small(1641)
    return model_of(DummyClassifier(), t, WORDS[t.y_class(3)], "Dummy.prior")


@case()
def dummy_constant() -> Trained:
    t = small(1642)
    return model_of(DummyClassifier(strategy="constant", constant="yes"), t, WORDS[t.y_class(3)], "Dummy.constant")


@case()
def dummy_several() -> Trained:
    t = small(1643)
    y = np.stack([t.y_class(3), t.y_binary() + 5], axis=1)
    return model_of(DummyClassifier(strategy="most_frequent"), t, y, "Dummy.most_frequent")


@case()
def dummy_regressor() -> Trained:
    t = small(1644)
    return model_of(DummyRegressor(strategy="quantile", quantile=0.3), t, t.y_many(2), "Dummy.quantile")


# Transformed targets --------------------------------------------------------------------------


@case(BOTH)
def target_log() -> Trained:
    t = small(1651)
    model = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=3, random_state=0), func=np.log1p, inverse_func=np.expm1)
    return model_of(model, t, t.y_positive(), "TransformedTarget.function")


@case()
def target_sqrt() -> Trained:
    t = small(1652)
    model = TransformedTargetRegressor(Ridge(), func=np.sqrt, inverse_func=np.square)
    return model_of(model, t, t.y_positive(), "TransformedTarget.function")


def target_scaled(seed: int, transformer: object, targets: int = 1) -> Trained:
    t = small(seed)
    model = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=3, random_state=0), transformer=transformer)
    return model_of(model, t, t.y_many(2) if targets == 2 else t.y_real(), "TransformedTarget.scaler", most=60)


@case(BOTH)
def target_standard() -> Trained:
    return target_scaled(1653, StandardScaler(), 2)


@case()
def target_min_max() -> Trained:
    return target_scaled(1654, MinMaxScaler((-1, 2)))


@case()
def target_robust() -> Trained:
    return target_scaled(1655, RobustScaler())


@case()
def target_max_abs() -> Trained:
    return target_scaled(1656, MaxAbsScaler())


@case(BOTH)
def target_power() -> Trained:
    return target_scaled(1657, PowerTransformer(), 2)


@case()
def target_steps() -> Trained:
    t = small(1668)
    steps = make_pipeline(FunctionTransformer(np.log1p, np.expm1), "passthrough", StandardScaler())
    model = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=3, random_state=0), transformer=steps)
    return model_of(model, t, t.y_positive(), "TransformedTarget.steps", most=60)


@case()
def target_pca() -> Trained:
    t = small(1669)
    model = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=2, random_state=0), transformer=PCA(2, whiten=True))
    return model_of(model, t, t.y_many(3), "TransformedTarget.pca", most=40)


def projected_target(seed: int, transformer: Any) -> Trained:
    t = small(seed, f=3)
    model = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=2, random_state=0), transformer=transformer)
    return model_of(model, t, t.y_many(3), "TransformedTarget." + type(transformer).__name__, most=20)


@case()
def target_singular_values() -> Trained:
    return projected_target(2370, TruncatedSVD(2, random_state=1))


@case(BOTH)
def target_components() -> Trained:
    return projected_target(2371, FastICA(2, random_state=1))


@case()
def target_sparse_components() -> Trained:
    return projected_target(2372, SparsePCA(2, alpha=0.2, random_state=1))


@case()
def target_batches() -> Trained:
    return projected_target(2373, IncrementalPCA(2, whiten=True))


@case()
def target_random_projection() -> Trained:
    return projected_target(2374, GaussianRandomProjection(2, random_state=1))


@case(BOTH)
def target_bins() -> Trained:
    t = small(2375, f=3)
    bins = KBinsDiscretizer(6, encode="ordinal", strategy="uniform")
    model = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=3, random_state=0), transformer=bins, check_inverse=False)
    return model_of(model, t, t.y_real(), "TransformedTarget.KBinsDiscretizer", most=20)


def target_quantiles(seed: int, targets: int, **options: object) -> Trained:
    """Answers beyond the quantiles too."""
    t = small(seed)
    model = TransformedTargetRegressor(Ridge(), transformer=QuantileTransformer(**options))
    return model_of(model, t, t.y_many(2) if targets == 2 else t.y_real(), "TransformedTarget.quantiles", most=40)


@case(BOTH)
def target_quantile() -> Trained:
    return target_quantiles(1659, 1, n_quantiles=20)


@case(BOTH)
def target_quantile_normal() -> Trained:
    return target_quantiles(1660, 2, n_quantiles=12, output_distribution="normal")


@case()
def target_box_cox() -> Trained:
    t = small(1658)
    model = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=3, random_state=0), transformer=PowerTransformer(method="box-cox"))
    return model_of(model, t, t.y_positive(), "TransformedTarget.power", most=60)


# Weights, thresholds, calibration -------------------------------------------------------------


@case(BOTH)
def weights_columns() -> Trained:
    t = small(1661, named=True)
    parts = [("scaled", StandardScaler(), ["f0", "f1"]), ("plain", "passthrough", ["f2"])]
    weights = {"scaled": 0.3, "plain": -2, "remainder": 7.5}
    model = make_pipeline(ColumnTransformer(parts, remainder="passthrough", transformer_weights=weights), Ridge())
    return model_of(model, t, t.y_real(), "ColumnTransformer.transformer_weights", transform=True)


@case(BOTH)
def weights_union() -> Trained:
    t = small(1662)
    union = FeatureUnion([("scaled", StandardScaler()), ("plain", "passthrough")], transformer_weights={"scaled": 0.1})
    return model_of(make_pipeline(union, Ridge()), t, t.y_real(), "FeatureUnion.transformer_weights", transform=True)


@case()
def threshold_first() -> Trained:
    from sklearn.model_selection import FixedThresholdClassifier

    t = small(1663)
    model = FixedThresholdClassifier(LogisticRegression(), threshold=0.3, pos_label="no")
    return model_of(model, t, WORDS[t.y_binary()], "FixedThreshold.pos_label")


@case()
def threshold_first_margin() -> Trained:
    from sklearn.model_selection import FixedThresholdClassifier

    t = small(1664)
    return model_of(FixedThresholdClassifier(RidgeClassifier(), threshold=0.2, pos_label=0), t, t.y_binary(), "FixedThreshold.pos_label")


@case()
def calibrated_temperature() -> Trained:
    from sklearn.calibration import CalibratedClassifierCV

    t = small(1665)
    return model_of(CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=2), t, t.y_binary(), "Calibrated.temperature")


@case()
def calibrated_temperature_likely() -> Trained:
    from sklearn.calibration import CalibratedClassifierCV

    t = small(1666)
    model = CalibratedClassifierCV(GaussianNB(), method="temperature", cv=2)
    return model_of(model, t, WORDS[t.y_class(3)], "Calibrated.temperature")


# Selectors that predict, categories, hidden units -----------------------------------------------


@case(BOTH)
def select_rfe_last() -> Trained:
    t = small(1671, f=6)
    model = make_pipeline(StandardScaler(), RFE(LogisticRegression(), n_features_to_select=3))
    return model_of(model, t, WORDS[t.y_class(3)], "RFE.predict", transform=True)


@case()
def select_rfecv_last() -> Trained:
    t = small(1672, f=6)
    return model_of(RFECV(Ridge(), cv=2), t, t.y_real(), "RFE.predict", transform=True)


@case()
def select_last() -> Trained:
    """As a last step a transform and nothing else."""
    t = small(1673, f=6)
    return model_of(make_pipeline(StandardScaler(), SelectFromModel(Ridge(), threshold="mean")), t, t.y_real())


@case(BOTH)
def est_categorical_nb() -> Trained:
    t = counts(1674)
    return model_of(CategoricalNB(min_categories=9), t, WORDS[t.y_class(3)], rows=[[0.0, 1.0, 2.0, 3.0], [1.7, 0, 1, -0.5]])


@case()
def est_rbm() -> Trained:
    t = small(1675)
    model = make_pipeline(MinMaxScaler(), BernoulliRBM(3, n_iter=3, random_state=0), LogisticRegression())
    return model_of(model, t, t.y_binary(), transform=True)
