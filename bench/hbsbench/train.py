"""train.py - recipes of the models that are shipped: train(x, y, seed, ...) gives a fitted estimator."""


def scaled_logistic(x, y, seed):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed)).fit(x, y)


def forest(x, y, seed, trees=100, depth=8):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(trees, max_depth=depth, random_state=seed, n_jobs=2).fit(x, y)


def hist_boosting_regressor(x, y, seed, trees=100):
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(max_iter=trees, early_stopping=False, random_state=seed).fit(x, y)


def xgboost_classifier(x, y, seed, trees=500, depth=8):
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=trees, max_depth=depth, learning_rate=0.1, reg_lambda=1, n_jobs=2,
                         tree_method="hist", random_state=seed).fit(x, y)


def lightgbm_classifier(x, y, seed, trees=500, leaves=31):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=trees, num_leaves=leaves, random_state=seed, n_jobs=2, deterministic=True,
                          force_row_wise=True, verbose=-1).fit(x, y)
