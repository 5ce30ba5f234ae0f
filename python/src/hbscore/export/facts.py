"""Facts for users about each exporter, beside the table of exporters: docs/estimators.md is made of
both (tools/make_estimators.py), and python/tests/test_estimators.py asks that none is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Dict

#: How near the answers are to the library's own, by a word; the page explains them.
EXACTNESS: Dict[str, str] = {
    "bits": "The same bits.",
    "links": "Sums of trees have the same bits. Answers behind an exp (probabilities, a log link) are within 1e-15 of"
    " the library's number, relative to it. Before scikit-learn 1.4, probabilities of three and more classes are"
    " within 1e-14.",
    "power": "Sums of depths have the same bits, and so have labels. Scores are within 1e-15: they are a power of 2"
    " less a number of similar size.",
    "sums": "Within 1e-12 of the sum of the added magnitudes, or 1e-6 if the columns are float32: the library's"
    " products of matrices add in an order that depends on the machine. The same holds for probabilities. A"
    " label differs only if two scores are that close.",
    "norms": "The same bits for one row on x86-64. Else within 4 units of the last place (of float32 if the columns"
    " are float32): numpy's order of addition depends on the machine and on the table's layout in memory.",
    "terms": "The same bits, in a row of texts that scikit-learn 1.4 or newer weighs. Before it added a row's squares from"
    " the last term on: within 1e-14. So are numbers behind a logarithm (`sublinear_tf`), in float32 within 1e-6. Of float32"
    " a linear model behind them has the same bits too, since 1.4.",
    "json": "The same bits. Where several numbers of a row count in one column they are added in the row's order, which"
    " scikit-learn keeps up to 16 features a row: else within 1e-15 of the sum of their magnitudes. A row is one JSON text"
    " ([own-format.md](own-format.md#json-texts)); one with a number that is not finite, or null, in a known column has no"
    " result.",
    "functions": "The same bits where no function but a square root is taken, in FunctionTransformer and a"
    " QuantileTransformer to a uniform distribution. Else within 4 units of the last place of each function (of float32 if"
    " the columns are float32): numpy's own depend on the machine. PowerTransformer: within 1e-13 of the number, or of 1 if"
    " it is smaller, before it is standardized.",
    "nearest": "Distances are added in the order of the columns, as scikit-learn's trees do: labels and means are the same"
    " bits but for roots, powers and the order of sums (1e-12). Its brute force makes squares of distances of products,"
    " which cancel: weights by distance differ by 1e-15 of the square of a row's length, divided by that of the distance."
    " Where rows are equally far, which of them are neighbours is chance there; here the first of the training table are."
    " Means of float32 targets: the same bits up to 7 neighbours, else within 1e-6 of their magnitudes. Without neighbours the number is missing"
    " (NaN), also where targets are integers: there scikit-learn gives what the processor makes of NaN as an integer"
    " (-2^63 on x86-64), and warns.",
    "solved": "Each row has a problem of its own. Topics and factors are within 1e-11, weights of atoms within 1e-12 of the sum"
    " of the magnitudes behind them, times how much the equations let an error grow; those of `lasso_lars` among more than 256 atoms within 1e-9. If the"
    " columns are float32, 1e-5 in place of these. A row on the border ends a round sooner or later than scikit-learn, by the"
    " tolerance of its rounds, or takes the other one of two atoms that are equally good. NMF and"
    " MiniBatchNMF begin with the mean of all rows of a table (`cd` with 0), and stop where all together are good enough, so"
    " their answer to a row depends on the others: here it is that of the row alone.",
    "parts": "As exact as the least exact of its parts.",
}


@dataclass(frozen=True)
class Facts:
    """exact: a word of EXACTNESS. refused: options and models that are refused by name. since: the oldest
    version of scikit-learn whose fitted models are taken."""

    exact: str
    refused: str = ""
    since: str = "1.2"


BITS, LINKS, SUMS, PARTS = (Facts(word) for word in ("bits", "links", "sums", "parts"))

ENCODER = Facts(
    "bits",
    "None and NaN as two categories of one column, which are one NULL; a missing category behind an imputer that looks for the other"
    " kind, unless a sample has one kind only; categories of one column that are not all texts or all"
    " numbers",
)
ONE_HOT = replace(ENCODER, refused=ENCODER.refused + "; `dtype=float16`, of which scipy has no matrix")
ORDINAL = replace(
    ENCODER,
    refused=ENCODER.refused + "; `dtype=float16` in front of an estimator that computes in it and is no scaler, SimpleImputer or selector",
)
SEARCH = Facts("parts", "`refit=False`, which leaves no estimator")
COUNTS = Facts("sums", "a probability of 0 (`alpha=0`): answers of NaN in scikit-learn")
BOOSTED = Facts("links", "`init` that is no classifier of this page")
BOOSTED_NUMBERS = Facts("links", "`init` that is no regressor of this page")

THRESHOLD = Facts("parts", since="1.5")
CATEGORIES = Facts("bits", since="2.6")
COMBINED = replace(CATEGORIES, refused="`composite_cols` of values that hold `|`, by which the package joins them")
VECTORS = Facts("sums", "`kernel` that is a function; more than 65,536 support vectors")
VECTORS_OF_CLASSES = Facts(VECTORS.exact, VECTORS.refused + "; probabilities of more than 128 classes")
TEXTS = (
    "`input` that is not `content`; `analyzer`, `tokenizer` and `preprocessor` that are functions but `str.split` and `str.lower`; functions as `strip_accents`"
    " but scikit-learn's own; a `token_pattern` beyond [these](architecture.md#regular-expressions-base); a Python with another Unicode than 13.0 to 15.1; terms of more"
    " than 256 words or characters"
)

KERNEL = Facts("sums", "`kernel` that is a function; more than 65,536 rows")
PROCESS = Facts(
    "sums", "kernels of one's own; `Matern` of a `nu` above 171 that is not infinite, whose gamma function overflows; more than 65,536 rows"
)
NEAR_ONLY = (
    "functions as `metric` or `weights`; more than 20,000 rows with `metric` kulsinski, russellrao, yule; `metric=precomputed`"
    " of a sparse matrix that no KNeighborsTransformer or RadiusNeighborsTransformer made; more than 4,096 neighbours"
)
NEAR = NEAR_ONLY + "; "
FEW = "more than 65,536 rows, and with `metric=haversine` more than 20,000; "
CODES = Facts(
    "solved",
    "more than 1,024 atoms, or 256 that may have a weight with `omp` (the default), `lars`, and `lasso_lars` with `positive_code` or"
    " `transform_alpha=0`; `omp` and `lars` with `positive_code`, which scikit-learn refuses",
)
SPREADING = Facts("sums", "a function as `kernel`; with `kernel=rbf` more than 65,536 rows")

#: By the names of EXPORTERS.
FACTS: Dict[str, Facts] = {
    "calibration.CalibratedClassifierCV": Facts(
        "parts", "`method=temperature` of estimators that do not know all classes: their predict_proba fails"
    ),
    "cluster.AffinityPropagation": SUMS,
    "cluster.Birch": SUMS,
    "cluster.BisectingKMeans": SUMS,
    "cluster.FeatureAgglomeration": Facts(
        "sums", "`pooling_func` that is not `numpy.mean`, `median`, `sum`, `max`, `min`, `prod`, `ptp`, `var` or `std`"
    ),
    "cluster.KMeans": SUMS,
    "cluster.MeanShift": SUMS,
    "cluster.MiniBatchKMeans": SUMS,
    "compose.ColumnTransformer": PARTS,
    "compose.TransformedTargetRegressor": Facts(
        "parts",
        "`transformer` that is no scaler, PowerTransformer, QuantileTransformer, KBinsDiscretizer of numbers, PCA or other linear"
        " projection with an inverse, or Pipeline of these; functions that are not in [python.md](python.md#functions-of-numbers)",
    ),
    "covariance.EllipticEnvelope": SUMS,
    "category_encoders.BackwardDifferenceEncoder": CATEGORIES,
    "category_encoders.BaseNEncoder": CATEGORIES,
    "category_encoders.BinaryEncoder": CATEGORIES,
    "category_encoders.CatBoostEncoder": COMBINED,
    "category_encoders.CountEncoder": CATEGORIES,
    "category_encoders.CountTargetEncoder": replace(CATEGORIES, since="2.11"),
    "category_encoders.GrayEncoder": CATEGORIES,
    "category_encoders.HelmertEncoder": CATEGORIES,
    "category_encoders.JamesSteinEncoder": COMBINED,
    "category_encoders.LeaveOneOutEncoder": COMBINED,
    "category_encoders.MEstimateEncoder": COMBINED,
    "category_encoders.OneHotEncoder": CATEGORIES,
    "category_encoders.OrdinalEncoder": Facts("bits", "a function as `handle_unknown`, which is called with the row's category", "2.6"),
    "category_encoders.PolynomialEncoder": CATEGORIES,
    "category_encoders.QuantileEncoder": COMBINED,
    "category_encoders.RankHotEncoder": CATEGORIES,
    "category_encoders.SumEncoder": CATEGORIES,
    "category_encoders.SummaryEncoder": CATEGORIES,
    "category_encoders.TargetEncoder": COMBINED,
    "category_encoders.WOEEncoder": COMBINED,
    "cross_decomposition.CCA": SUMS,
    "cross_decomposition.PLSCanonical": SUMS,
    "cross_decomposition.PLSRegression": SUMS,
    "cross_decomposition.PLSSVD": SUMS,
    "decomposition.DictionaryLearning": CODES,
    "decomposition.FactorAnalysis": SUMS,
    "decomposition.FastICA": SUMS,
    "decomposition.IncrementalPCA": Facts("sums", "`n_components=0`, which gives no columns"),
    "decomposition.KernelPCA": KERNEL,
    "decomposition.LatentDirichletAllocation": Facts("solved", "more than 4,096 topics"),
    "decomposition.MiniBatchDictionaryLearning": CODES,
    "decomposition.MiniBatchNMF": Facts("solved", "more than 1,024 components"),
    "decomposition.MiniBatchSparsePCA": SUMS,
    "decomposition.NMF": Facts(
        "solved", "`shuffle=True`, which draws random numbers; a sparse matrix where `beta_loss` is 0 or less, which refuses zeros; more than 1,024 components"
    ),
    "decomposition.PCA": Facts("sums", "`n_components=0`, which gives no columns"),
    "decomposition.SparseCoder": CODES,
    "decomposition.SparsePCA": SUMS,
    "decomposition.TruncatedSVD": SUMS,
    "discriminant_analysis.LinearDiscriminantAnalysis": Facts("sums", "as a step with `solver=lsqr`, which has no transform"),
    "discriminant_analysis.QuadraticDiscriminantAnalysis": SUMS,
    "dummy.DummyClassifier": Facts("bits", "`strategy` that draws random labels: `stratified`, `uniform`"),
    "dummy.DummyRegressor": BITS,
    "ensemble.AdaBoostClassifier": LINKS,
    "ensemble.AdaBoostRegressor": Facts("parts", "more than 65,536 trees, or 4,096 other estimators"),
    "ensemble.BaggingClassifier": PARTS,
    "ensemble.BaggingRegressor": PARTS,
    "ensemble.ExtraTreesClassifier": BITS,
    "ensemble.ExtraTreesRegressor": BITS,
    "ensemble.GradientBoostingClassifier": BOOSTED,
    "ensemble.GradientBoostingRegressor": BOOSTED_NUMBERS,
    "ensemble.HistGradientBoostingClassifier": LINKS,
    "ensemble.HistGradientBoostingRegressor": LINKS,
    "ensemble.IsolationForest": Facts("power"),
    "ensemble.RandomForestClassifier": BITS,
    "ensemble.RandomForestRegressor": BITS,
    "ensemble.RandomTreesEmbedding": BITS,
    "ensemble.StackingClassifier": Facts("parts", "texts beside numbers, of which numpy makes texts: by `stack_method=predict` of estimators fitted before, or `passthrough`"),
    "ensemble.StackingRegressor": PARTS,
    "ensemble.VotingClassifier": PARTS,
    "ensemble.VotingRegressor": PARTS,
    "feature_extraction.DictVectorizer": Facts("json", "`dtype` that is neither float32, float64 nor of integers, or uint64; names that are no texts"),
    "feature_extraction.FeatureHasher": Facts("json", "`dtype` as of DictVectorizer, and of unsigned integers with `alternate_sign`; more than 4,194,304 columns"),
    "feature_extraction.text.CountVectorizer": Facts("bits", TEXTS),
    "feature_extraction.text.HashingVectorizer": Facts("bits", TEXTS + "; more than 4,194,304 columns"),
    "feature_extraction.text.TfidfTransformer": Facts("terms", "`sublinear_tf` after `alternate_sign`: logarithms of numbers below 0"),
    "feature_extraction.text.TfidfVectorizer": Facts("terms", TEXTS),
    "feature_selection.GenericUnivariateSelect": BITS,
    "feature_selection.RFE": BITS,
    "feature_selection.RFECV": BITS,
    "feature_selection.SelectFdr": BITS,
    "feature_selection.SelectFpr": BITS,
    "feature_selection.SelectFromModel": BITS,
    "feature_selection.SelectFwe": BITS,
    "feature_selection.SelectKBest": BITS,
    "feature_selection.SelectPercentile": BITS,
    "feature_selection.SequentialFeatureSelector": BITS,
    "feature_selection.VarianceThreshold": BITS,
    "frozen.FrozenEstimator": Facts("parts", since="1.6"),
    "gaussian_process.GaussianProcessClassifier": PROCESS,
    "gaussian_process.GaussianProcessRegressor": PROCESS,
    "impute.IterativeImputer": Facts(
        "parts",
        "`sample_posterior=True`, which draws random numbers; before 1.6 `keep_empty_features=True`; a chain of more than"
        " 4,000 operators",
    ),
    "impute.KNNImputer": Facts("nearest", "functions as `metric` or `weights`; more than 200 neighbours"),
    "impute.MissingIndicator": BITS,
    "impute.SimpleImputer": BITS,
    "isotonic.IsotonicRegression": BITS,
    "kernel_approximation.AdditiveChi2Sampler": Facts("sums", "a sparse matrix with stored zeros before it"),
    "kernel_approximation.Nystroem": KERNEL,
    "kernel_approximation.PolynomialCountSketch": Facts("sums", "`n_components` above 2,048"),
    "kernel_approximation.RBFSampler": SUMS,
    "kernel_approximation.SkewedChi2Sampler": SUMS,
    "kernel_ridge.KernelRidge": KERNEL,
    "linear_model.ARDRegression": SUMS,
    "linear_model.BayesianRidge": SUMS,
    "linear_model.ElasticNet": SUMS,
    "linear_model.ElasticNetCV": SUMS,
    "linear_model.GammaRegressor": SUMS,
    "linear_model.HuberRegressor": SUMS,
    "linear_model.Lars": SUMS,
    "linear_model.LarsCV": SUMS,
    "linear_model.Lasso": SUMS,
    "linear_model.LassoCV": SUMS,
    "linear_model.LassoLars": SUMS,
    "linear_model.LassoLarsCV": SUMS,
    "linear_model.LassoLarsIC": SUMS,
    "linear_model.LinearRegression": SUMS,
    "linear_model.LogisticRegression": SUMS,
    "linear_model.LogisticRegressionCV": SUMS,
    "linear_model.MultiTaskElasticNet": SUMS,
    "linear_model.MultiTaskElasticNetCV": SUMS,
    "linear_model.MultiTaskLasso": SUMS,
    "linear_model.MultiTaskLassoCV": SUMS,
    "linear_model.OrthogonalMatchingPursuit": SUMS,
    "linear_model.OrthogonalMatchingPursuitCV": SUMS,
    "linear_model.PassiveAggressiveClassifier": SUMS,
    "linear_model.PassiveAggressiveRegressor": SUMS,
    "linear_model.Perceptron": SUMS,
    "linear_model.PoissonRegressor": SUMS,
    "linear_model.QuantileRegressor": SUMS,
    "linear_model.RANSACRegressor": PARTS,
    "linear_model.Ridge": SUMS,
    "linear_model.RidgeCV": SUMS,
    "linear_model.RidgeClassifier": SUMS,
    "linear_model.RidgeClassifierCV": SUMS,
    "linear_model.SGDClassifier": SUMS,
    "linear_model.SGDOneClassSVM": SUMS,
    "linear_model.SGDRegressor": SUMS,
    "linear_model.TheilSenRegressor": SUMS,
    "linear_model.TweedieRegressor": SUMS,
    "manifold.Isomap": Facts("sums", "functions as `metric`; more than 65,536 rows x neighbours, or rows with `radius`"),
    "manifold.LocallyLinearEmbedding": Facts("solved", "more than 256 neighbours"),
    "mixture.BayesianGaussianMixture": SUMS,
    "mixture.GaussianMixture": SUMS,
    "model_selection.FixedThresholdClassifier": THRESHOLD,
    "model_selection.GridSearchCV": SEARCH,
    "model_selection.HalvingGridSearchCV": SEARCH,
    "model_selection.HalvingRandomSearchCV": SEARCH,
    "model_selection.RandomizedSearchCV": SEARCH,
    "model_selection.TunedThresholdClassifierCV": THRESHOLD,
    "multiclass.OneVsOneClassifier": PARTS,
    "multiclass.OneVsRestClassifier": PARTS,
    "multiclass.OutputCodeClassifier": PARTS,
    "multioutput.ClassifierChain": Facts(
        "parts",
        "`chain_method` that is not `predict`, of a target of more than two classes: its predict fails; predict_log_proba as"
        " `chain_method` of a BaggingClassifier of naive Bayes or a discriminant analysis",
    ),
    "multioutput.MultiOutputClassifier": PARTS,
    "multioutput.MultiOutputRegressor": PARTS,
    "multioutput.RegressorChain": PARTS,
    "naive_bayes.BernoulliNB": COUNTS,
    "naive_bayes.CategoricalNB": SUMS,
    "naive_bayes.ComplementNB": COUNTS,
    "naive_bayes.GaussianNB": Facts("sums", "a variance of 0 (`var_smoothing=0`): answers of NaN in scikit-learn"),
    "naive_bayes.MultinomialNB": Facts("sums", COUNTS.refused + " unless of sparse matrices"),
    "neighbors.KNeighborsClassifier": Facts("nearest", NEAR_ONLY),
    "neighbors.KNeighborsRegressor": Facts("nearest", NEAR_ONLY),
    "neighbors.KNeighborsTransformer": Facts("nearest", NEAR_ONLY + "; more than 65,536 rows x neighbours"),
    "neighbors.LocalOutlierFactor": Facts("nearest", "`novelty=False`, which labels the rows of training only; " + NEAR_ONLY),
    "neighbors.NearestCentroid": Facts("sums", "`metric` precomputed, or a function"),
    "neighbors.NeighborhoodComponentsAnalysis": SUMS,
    "neighbors.RadiusNeighborsClassifier": Facts(
        "nearest", FEW + NEAR + "`outlier_label` that is none of the classes, which has no probability"
    ),
    "neighbors.RadiusNeighborsRegressor": Facts("nearest", FEW + NEAR_ONLY),
    "neighbors.RadiusNeighborsTransformer": Facts("nearest", FEW + NEAR_ONLY),
    "neural_network.BernoulliRBM": SUMS,
    "neural_network.MLPClassifier": SUMS,
    "neural_network.MLPRegressor": SUMS,
    "pipeline.FeatureUnion": PARTS,
    "pipeline.Pipeline": PARTS,
    "preprocessing.Binarizer": BITS,
    "preprocessing.FunctionTransformer": Facts(
        "functions", "`func`: one that is not in [python.md](python.md#functions-of-numbers); other `kw_args`"
    ),
    "preprocessing.KBinsDiscretizer": BITS,
    "preprocessing.KernelCenterer": SUMS,
    "preprocessing.LabelBinarizer": BITS,
    "preprocessing.LabelEncoder": BITS,
    "preprocessing.MaxAbsScaler": BITS,
    "preprocessing.MinMaxScaler": BITS,
    "preprocessing.Normalizer": Facts("norms"),
    "preprocessing.OneHotEncoder": ONE_HOT,
    "preprocessing.OrdinalEncoder": ORDINAL,
    "preprocessing.PolynomialFeatures": Facts(
        "bits",
        "more than 65,536 columns; before 1.4 a sparse matrix that a TF-IDF made, whose rows are out of order there",
    ),
    "preprocessing.PowerTransformer": Facts("functions"),
    "preprocessing.QuantileTransformer": Facts("functions", "a sparse matrix with stored zeros before it"),
    "preprocessing.RobustScaler": BITS,
    "preprocessing.SplineTransformer": Facts(
        "bits",
        "more than 65,536 numbers of columns x splines x (degree + 1); knots so few that"
        " extrapolation changes all splines; `handle_missing=zeros` with `sparse_output` and `extrapolation` continue, error or"
        " periodic; before numpy 2 knots that float32 columns do not hold",
    ),
    "preprocessing.StandardScaler": BITS,
    "preprocessing.TargetEncoder": replace(ENCODER, since="1.3"),
    "random_projection.GaussianRandomProjection": SUMS,
    "random_projection.SparseRandomProjection": SUMS,
    "semi_supervised.LabelPropagation": SPREADING,
    "semi_supervised.LabelSpreading": SPREADING,
    "semi_supervised.SelfTrainingClassifier": PARTS,
    "svm.LinearSVC": SUMS,
    "svm.LinearSVR": SUMS,
    "svm.NuSVC": VECTORS_OF_CLASSES,
    "svm.NuSVR": VECTORS,
    "svm.OneClassSVM": VECTORS,
    "svm.SVC": VECTORS_OF_CLASSES,
    "svm.SVR": VECTORS,
    "tree.DecisionTreeClassifier": BITS,
    "tree.DecisionTreeRegressor": BITS,
    "tree.ExtraTreeClassifier": BITS,
    "tree.ExtraTreeRegressor": BITS,
}
