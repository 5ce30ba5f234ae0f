"""paper_cases.py - the models of the papers' tables as cases: a workload of a table becomes manifests, as those that are shipped.

A workload names its data and its model: trees over rows of a data set's shape, an operator or a transformer over iris with 20
columns, or a pipeline over a small data set."""

from . import data as datasets
from . import manifest, models, paper_networks
from .case import Case
from .errors import BenchError

TOLERANCE = 1e-5  # relative and absolute, as in Hummingbird's paper
TREES = "paper_recipes:trees"
CLASSIFICATION, REGRESSION = "hbsbench.generate:classification", "hbsbench.generate:regression"
# The shapes of the papers' data sets: features, classes (0: a regression).
SHAPES = {"fraud": (28, 2), "epsilon": (2000, 2), "year": (90, 0), "covtype": (54, 7), "higgs": (28, 2), "airline": (13, 2),
          "random": (200, 2)}
MOST_EPSILON = 10_000
# Small data sets of Figure 12: those that scikit-learn ships, and made ones: rows, features, classes.
BUNDLED = {"iris-itself": ("load_iris", 3), "wine": ("load_wine", 3), "breast-cancer": ("load_breast_cancer", 2), "digits": ("load_digits", 10)}
MADE = {"made-100": (100, 4, 2), "made-462": (462, 30, 2), "made-5000": (5_000, 50, 3), "made-19264": (19_264, 20, 2)}
# The same with missing values; and with columns of codes too.
GAPS, MIXED = {"gaps-2000": (2_000, 16, 3)}, {"mixed-1000": (1_000, 12, 2), "mixed-10000": (10_000, 21, 3)}
# Rows of networks: their function, classes, and what it is told.
MADE_FOR_NETWORKS = {"digit-images": ("digit_images", 10, dict),
                     "sentences": ("sentences", 2, lambda: {"tokens": paper_networks.BERT.tokens, "vocabulary": paper_networks.BERT.vocabulary})}


def expanded(table):
    """A table with grids has a workload for each of their pipelines over each of their data sets."""
    if "grids" not in table:
        return table
    unknown = sorted({data for grid in table["grids"] for data in grid["data"]} - {*BUNDLED, *MADE, *GAPS, *MIXED})
    if unknown:
        raise BenchError(f"{table['name']}: grids: there is no data set {', '.join(unknown)}")
    workloads = [{"name": f"{data}, {'+'.join([*steps, model])}", "data": data, "steps": steps, "model": model, "recipe": "paper_pipelines:pipeline"}
                 for grid in table["grids"] for data in grid["data"] for steps in grid["steps"] for model in grid["models"]]
    return {**table, "workloads": workloads}


def data_of(workload, size):
    """(name, source, split, classes) of the data set."""
    data = workload["data"]
    if data in BUNDLED:
        loader, classes = BUNDLED[data]
        return data, {"sklearn": loader}, {"test_size": 0.2, "random_state": 77}, classes
    if data in MADE:
        rows, features, classes = MADE[data]
        args = {"rows": rows, "features": features, "classes": classes, "informative": min(10, features - features // 5)}
        return data, {"generator": CLASSIFICATION, "seed": 77, "args": args}, {"test_size": 0.2, "random_state": 77}, classes
    for known, function in ((GAPS, "with_gaps"), (MIXED, "mixed")):
        if data in known:
            args = dict(zip(("rows", "features", "classes"), known[data]))
            return data, {"generator": f"hbsbench.paper_pipelines:{function}", "seed": 77, "args": args}, {"test_size": 0.2, "random_state": 77}, args["classes"]
    rows = min(size.rows, MOST_EPSILON) if data == "epsilon" else size.rows
    if data in MADE_FOR_NETWORKS:
        generator, classes, arguments = MADE_FOR_NETWORKS[data]
        source = {"generator": f"hbsbench.paper_networks:{generator}", "seed": 77, "args": {"rows": 2 * rows, **arguments()}}
        return f"{data}-{rows}", source, {"train_size": rows, "test_size": rows, "random_state": 77}, classes
    if data == "iris":
        source = {"generator": "hbsbench.paper_recipes:widened_iris", "seed": 77, "args": {"rows": 2 * rows}}
        return f"iris-{rows}", source, {"train_size": min(rows, 1000), "test_size": rows, "random_state": 77}, 3
    features, classes = SHAPES[data]
    scored = max(rows, workload.get("score", 0))
    args = {"rows": rows + scored, "features": features}
    if classes:
        args.update(informative=min(12, features - features // 5), classes=classes)
    source = {"generator": CLASSIFICATION if classes else REGRESSION, "seed": 77, "args": args}
    name = f"{data}-{rows}" if scored == rows else f"{data}-{rows}-{scored}"
    return name, source, {"train_size": rows, "test_size": scored, "random_state": 77}, classes


def recipe_of(workload, size, classes):
    """(function of its module, its arguments, the end of the model's name)"""
    if "network" in workload:
        named = {"network": workload["network"], "model": workload["model"]}
        return "paper_networks:joined", named, "-".join(named.values())
    if "steps" in workload:
        return workload.get("recipe", "paper_recipes:pipeline"), {"steps": workload["steps"], "model": workload["model"]}, "-".join([*workload["steps"], workload["model"]])
    if workload["data"] == "iris":
        name = workload.get("model", workload.get("transform"))
        return "paper_recipes:operator", {"name": name}, name
    trees, depth = workload.get("trees", size.trees), workload.get("depth", size.depth)
    return TREES, {"library": workload["model"], "classes": classes, "trees": trees, "depth": depth}, f"{workload['model']}-{trees}-{depth}"


def outputs_of(classes, transform=None):
    """predict, outputs, and the metric of accuracy."""
    if transform:
        columns = range(231 if transform == "PolynomialFeatures" else 20)
        return ([{"name": f"t{c}", "function": "transform", "column": c} for c in columns],
                [{"name": f"t{c}", "role": "score", "type": "real"} for c in columns], "r2")
    if classes == 2:
        return ([{"name": "p", "function": "predict_probability", "class": 1}], [{"name": "p", "role": "score", "type": "real"}], "roc_auc")
    role = {"name": "y", "role": "label" if classes else "score"}
    return [{"name": "y", "function": "predict"}], [role], "accuracy" if classes else "r2"


def write_manifests(folder, workload, size):
    """The manifests of a workload, as files: what is not shipped is made the same way. Gives the model's path."""
    import yaml

    data, source, split, classes = data_of(workload, size)
    recipe, args, end = recipe_of(workload, size, classes)
    data_name = f"paper-{data}"
    name = f"{data_name}-{end.lower()}"
    library = {"xgboost": "xgboost", "lightgbm": "lightgbm"}.get(workload.get("model"), "scikit-learn")
    # Operators and pipelines are asked for labels, as in the paper.
    predict, outputs, metric = outputs_of(classes if recipe == TREES else 3, workload.get("transform"))
    dataset = {"schema": "hbsbench/dataset/1", "name": data_name, "version": "1.0.0", "description": "rows of a paper's shape", "source": source,
               "float32": True, "split": split, "table": "rows_", "key": "id"}
    made = {"schema": "hbsbench/model/1", "name": name, "version": "1.0.0", "description": workload["name"],
            "task": "transform" if "transform" in workload else "regression" if not classes else "binary" if classes == 2 else "multiclass",
            "framework": {"name": library, "version": ">=0"},
            "model": {"train": {"function": f"hbsbench.{recipe}", "args": args, "seed": 77}}, "dataset": {"ref": data_name},
            "predict": predict, "outputs": outputs,
            "accuracy": {"metric": metric, "tolerance": 1, "per_row": {"rtol": TOLERANCE, "atol": TOLERANCE}},
            "scenarios": {"single_stream": {}, "multi_stream": {"samples_per_query": [8]}, "server": {},
                          "offline": {"sink": ["aggregate", "client"]}}}
    folder.mkdir(parents=True, exist_ok=True)
    for content in (dataset, made):
        (folder / f"{content['name']}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return folder / f"{name}.yaml"


def made_rows(workload, size, cache):
    """Makes the rows of a workload, where they are not there."""
    datasets.cached(cache, models.dataset_of(manifest.read(write_manifests(cache / "papers", workload, size), "model")))


def open_case(workload, size, cache):
    path = write_manifests(cache / "papers", workload, size)
    return Case(manifest.read(path, "model"), cache)
