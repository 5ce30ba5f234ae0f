"""paper_pipelines.py - the pipelines of Hummingbird's Figure 12, by short names of their steps, and rows for them: with missing values, and
with columns of codes."""

import numpy

from .generate import classification


def with_gaps(seed, rows, features, classes):
    """One number of ten is missing."""
    names, columns, target = classification(seed, rows, features, min(10, features - features // 5), classes)
    columns[numpy.random.default_rng([seed, 1]).random(columns.shape) < 0.1] = numpy.nan
    return names, columns, target


def mixed(seed, rows, features, classes):
    """The same, but for the last third of the columns, which are codes of 2 to 9 categories."""
    names, columns, target = with_gaps(seed, rows, features, classes)
    _, whole, _ = classification(seed, rows, features, min(10, features - features // 5), classes)
    for place, column in enumerate(range(*codes(features))):
        categories = 2 + place % 8
        columns[column] = numpy.searchsorted(numpy.quantile(whole[column], numpy.arange(1, categories) / categories), whole[column])
    return names, columns, target


def codes(features):
    """(first column, behind the last one) of the codes of mixed rows."""
    return features - features // 3, features


def transformers(width, seed):
    """{short name: what makes the step}"""
    from sklearn import decomposition, feature_selection, impute, preprocessing
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline

    half, (first, behind) = max(2, width // 2), codes(width)

    def columns(encoder):
        numbers = make_pipeline(impute.SimpleImputer(strategy="median"), preprocessing.StandardScaler())
        return make_column_transformer((numbers, list(range(first))), (encoder, list(range(first, behind))))

    def filled(**options):
        return lambda: impute.SimpleImputer(**options)

    return {
        "impute": filled(strategy="median"), "mean": filled(strategy="mean"), "frequent": filled(strategy="most_frequent"),
        "indicator": filled(strategy="constant", fill_value=-1, add_indicator=True),
        "scale": preprocessing.StandardScaler, "minmax": preprocessing.MinMaxScaler, "maxabs": preprocessing.MaxAbsScaler,
        "robust": preprocessing.RobustScaler, "power": preprocessing.PowerTransformer, "normalize": preprocessing.Normalizer,
        "quantile": lambda: preprocessing.QuantileTransformer(n_quantiles=50, random_state=seed),
        "bins": lambda: preprocessing.KBinsDiscretizer(5, encode="onehot-dense", strategy="uniform"),
        "select": lambda: feature_selection.SelectKBest(k=half), "percentile": lambda: feature_selection.SelectPercentile(percentile=50),
        "variance": feature_selection.VarianceThreshold, "pca": lambda: decomposition.PCA(half, random_state=seed),
        "svd": lambda: decomposition.TruncatedSVD(half, random_state=seed),
        "onehot": lambda: columns(preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
        "ordinal": lambda: columns(preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1))}


def classifiers(seed):
    from sklearn import ensemble, linear_model, naive_bayes, neighbors, neural_network, svm, tree

    return {
        "LogisticRegression": lambda: linear_model.LogisticRegression(max_iter=1000), "GaussianNB": naive_bayes.GaussianNB, "SVC": svm.SVC,
        "SGDClassifier": lambda: linear_model.SGDClassifier(random_state=seed), "LinearSVC": lambda: svm.LinearSVC(random_state=seed, dual=False),
        "KNeighborsClassifier": neighbors.KNeighborsClassifier, "RidgeClassifier": linear_model.RidgeClassifier,
        "MLPClassifier": lambda: neural_network.MLPClassifier((32,), random_state=seed, max_iter=30),
        "DecisionTreeClassifier": lambda: tree.DecisionTreeClassifier(random_state=seed),
        "RandomForestClassifier": lambda: ensemble.RandomForestClassifier(100, random_state=seed),
        "ExtraTreesClassifier": lambda: ensemble.ExtraTreesClassifier(50, random_state=seed),
        "GradientBoostingClassifier": lambda: ensemble.GradientBoostingClassifier(n_estimators=50, random_state=seed),
        "HistGradientBoostingClassifier": lambda: ensemble.HistGradientBoostingClassifier(max_iter=50, random_state=seed)}


def pipeline(x, y, seed, steps, model):
    from sklearn.pipeline import make_pipeline

    known = transformers(x.shape[1], seed)
    return make_pipeline(*(known[step]() for step in steps), classifiers(seed)[model]()).fit(x, y)
