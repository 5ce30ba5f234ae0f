"""paper_recipes.py - models of the papers' tables: train(x, y, seed, ...) gives a fitted estimator."""


def trees(x, y, seed, library, classes, trees, depth):
    """`classes` 0: a regression."""
    kind = "Classifier" if classes else "Regressor"
    if library == "forest":
        from sklearn import ensemble

        made = getattr(ensemble, f"RandomForest{kind}")(trees, max_depth=depth, random_state=seed, n_jobs=2)
    elif library == "xgboost":
        import xgboost

        made = getattr(xgboost, f"XGB{kind}")(n_estimators=trees, max_depth=depth, tree_method="hist", random_state=seed, n_jobs=2)
    else:
        import lightgbm

        made = getattr(lightgbm, f"LGBM{kind}")(n_estimators=trees, max_depth=depth, num_leaves=min(2 ** depth, 256), random_state=seed,
                                                 n_jobs=2, deterministic=True, force_row_wise=True, verbose=-1)
    return made.fit(x, y)


def operator(x, y, seed, name):
    """One of the models of Hummingbird's Tables 11 and 12."""
    from sklearn import linear_model, naive_bayes, neural_network, preprocessing, svm, tree

    made = {"LogisticRegression": lambda: linear_model.LogisticRegression(max_iter=1000),
            "SGDClassifier": lambda: linear_model.SGDClassifier(random_state=seed),
            "LinearSVC": lambda: svm.LinearSVC(random_state=seed, dual=False), "NuSVC": lambda: svm.NuSVC(nu=0.1), "SVC": svm.SVC,
            "BernoulliNB": lambda: naive_bayes.BernoulliNB(binarize=2.0),
            "MLPClassifier": lambda: neural_network.MLPClassifier(random_state=seed, max_iter=200),
            "DecisionTreeClassifier": lambda: tree.DecisionTreeClassifier(random_state=seed),
            "Binarizer": lambda: preprocessing.Binarizer(threshold=2.0), "MinMaxScaler": preprocessing.MinMaxScaler,
            "Normalizer": preprocessing.Normalizer, "PolynomialFeatures": preprocessing.PolynomialFeatures,
            "StandardScaler": preprocessing.StandardScaler}[name]()
    return made.fit(x, y)


def widened_iris(seed, rows):
    """Rows of iris, five times side by side, with noise: 20 columns, three classes."""
    import numpy
    from sklearn.datasets import load_iris

    random, iris = numpy.random.default_rng(seed), load_iris()
    picked = random.integers(len(iris.target), size=rows)
    x = numpy.round(numpy.tile(iris.data[picked], 5) + random.normal(0, 0.1, (rows, 20)), 4)
    return [f"f{i}" for i in range(20)], x.T, iris.target[picked]


def pipeline(x, y, seed, steps, model):
    """A pipeline of Figure 12, or of classical and neural models: steps by their short names, and a classifier."""
    from sklearn import (decomposition, ensemble, feature_selection, impute, linear_model, naive_bayes, neural_network, preprocessing,
                         svm, tree)
    from sklearn.pipeline import make_pipeline, make_union

    def leaves():
        return ensemble.RandomTreesEmbedding(100, max_depth=4, random_state=seed)

    width = x.shape[1]
    known = {"impute": lambda: impute.SimpleImputer(strategy="median"), "scale": preprocessing.StandardScaler, "minmax": preprocessing.MinMaxScaler,
             "leaves": leaves, "columns-and-leaves": lambda: make_union(preprocessing.StandardScaler(), leaves()),
             "select": lambda: feature_selection.SelectKBest(k=max(2, width // 2)),
             "pca": lambda: decomposition.PCA(max(2, width // 2), random_state=seed)}
    models = {"MLPClassifier": lambda: neural_network.MLPClassifier((64, 32), random_state=seed, max_iter=20),
              "LogisticRegression": lambda: linear_model.LogisticRegression(max_iter=1000), "GaussianNB": naive_bayes.GaussianNB,
              "DecisionTreeClassifier": lambda: tree.DecisionTreeClassifier(random_state=seed), "SVC": svm.SVC,
              "RandomForestClassifier": lambda: ensemble.RandomForestClassifier(100, random_state=seed)}
    return make_pipeline(*(known[step]() for step in steps), models[model]()).fit(x, y)
