"""train_catboost.py - the recipe of the model that needs CatBoost, by itself: a lock holds the digest of its recipe's file, and
this one can be locked only where CatBoost is installed."""


def classifier(x, y, seed, trees=500, depth=6):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(iterations=trees, depth=depth, random_seed=seed, thread_count=2, verbose=0, allow_writing_files=False).fit(x, y)
