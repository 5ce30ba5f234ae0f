"""train_ranking.py - the recipe of models that rank: train(x, y, seed, groups, ...), where rows of one group stand together."""

import numpy


def lightgbm_ranker(x, y, seed, groups, trees=100, leaves=15):
    from lightgbm import LGBMRanker

    first = numpy.flatnonzero(numpy.concatenate([[True], groups[1:] != groups[:-1]]))
    sizes = numpy.diff([*first, len(groups)])
    return LGBMRanker(n_estimators=trees, num_leaves=leaves, random_state=seed, n_jobs=2, deterministic=True, force_row_wise=True, verbose=-1).fit(
        x, y.astype(int), group=sizes)
