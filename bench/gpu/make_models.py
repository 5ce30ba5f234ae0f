"""make_models.py FOLDER - forests for bench-gpu, as XGBoost files: random trees of the shapes that the targets name. Nothing
is trained, so nothing but Python is needed; each row reaches the leaves that random thresholds lead it to."""

import json
import random
import statistics
import sys

FEATURES = 28
# Boosters look for thresholds among 255 quantiles of a feature; forests take any.
QUANTILES = [round(statistics.NormalDist().inv_cdf((i + 1) / 256), 4) for i in range(255)]
SHAPES = {  # trees, and how many leaves at most, or a depth of full trees
    "xgboost_100x6": (100, None, 6),
    "xgboost_500x8": (500, None, 8),
    "leaves_500x255": (500, 255, None),
    "forest_16x12500": (16, 12500, None),
}


def grow(rng, leaves, depth):
    """The children of each node: full to a depth, or by splitting leaves at random."""
    left, level, open_leaves = [-1], [0], [0]
    while open_leaves:
        at = open_leaves.pop(0 if depth else rng.randrange(len(open_leaves)))
        if depth is not None and level[at] == depth:
            continue
        if leaves is not None and (len(left) + 1) // 2 == leaves:
            break
        left[at] = len(left)
        left += [-1, -1]
        level += [level[at] + 1] * 2
        open_leaves += [len(left) - 2, len(left) - 1]
    return left


def threshold(rng, binned):
    return rng.choice(QUANTILES) if binned else round(rng.gauss(0, 1), 4)


def tree(rng, index, leaves, depth, binned):
    left = grow(rng, leaves, depth)
    n = len(left)
    parents = [2147483647] * n
    for i, child in enumerate(left):
        if child >= 0:
            parents[child] = parents[child + 1] = i
    inner = [child >= 0 for child in left]
    return {
        "base_weights": [0.0] * n,
        "categories": [], "categories_nodes": [], "categories_segments": [], "categories_sizes": [],
        "default_left": [rng.randrange(2) for _ in range(n)],
        "id": index,
        "left_children": left,
        "loss_changes": [0.0] * n,
        "parents": parents,
        "right_children": [child + 1 if child >= 0 else -1 for child in left],
        "split_conditions": [threshold(rng, binned) if inner[i] else round(rng.gauss(0, 0.1), 5) for i in range(n)],
        "split_indices": [rng.randrange(FEATURES) if inner[i] else 0 for i in range(n)],
        "split_type": [0] * n,
        "sum_hessian": [1.0] * n,
        "tree_param": {"num_deleted": "0", "num_feature": str(FEATURES), "num_nodes": str(n), "size_leaf_vector": "1"},
    }


def model(name):
    trees, leaves, depth = SHAPES[name]
    rng = random.Random(name)
    return {
        "learner": {
            "attributes": {}, "feature_names": [], "feature_types": [],
            "gradient_booster": {
                "model": {
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(trees)},
                    "iteration_indptr": list(range(trees + 1)),
                    "tree_info": [0] * trees,
                    "trees": [tree(rng, t, leaves, depth, not name.startswith("forest")) for t in range(trees)],
                },
                "name": "gbtree",
            },
            "learner_model_param": {"base_score": "5E-1", "boost_from_average": "1", "num_class": "0",
                                    "num_feature": str(FEATURES), "num_target": "1"},
            "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
        "version": [3, 0, 0],
    }


for name in SHAPES:
    with open(f"{sys.argv[1]}/{name}.json", "w", encoding="ascii") as file:
        json.dump(model(name), file, separators=(",", ":"))
    print(name)
