"""accuracy.py - a system's answers beside those of the library that trained the model."""

import numpy

from .errors import BenchError


def outputs_of(samples, rows, block):
    """The rows in the order of their keys, from the answers by sample."""
    wanted = -(-rows // block)
    missing = [sample for sample in range(wanted) if sample not in samples]
    if missing or len(samples) != wanted:
        raise BenchError(f"{len(samples)} of {wanted} samples have an answer; sample {missing[0] if missing else '?'} has none")
    found = numpy.concatenate([samples[sample] for sample in range(wanted)])
    if len(found) != rows:
        raise BenchError(f"the samples have {len(found)} rows, not {rows}")
    return found


def _ranks(values):
    """From 1 on; equal values share the mean of theirs."""
    order = numpy.argsort(values, kind="stable")
    ordered = values[order]
    first = numpy.concatenate([[True], ordered[1:] != ordered[:-1]])
    group = numpy.cumsum(first) - 1
    starts = numpy.flatnonzero(first)
    ends = numpy.concatenate([starts[1:], [len(values)]])
    ranks = numpy.empty(len(values))
    ranks[order] = ((starts + ends + 1) / 2)[group]
    return ranks


def ndcg(target, values, groups):
    """The mean of all groups, as LightGBM and XGBoost have it: gains of 2^grade - 1, all places, equal values in the order of the rows; a
    group without a gain counts 1."""
    ends = numpy.flatnonzero(numpy.concatenate([groups[1:] != groups[:-1], [True]])) + 1
    found = []
    for begin, end in zip([0, *ends[:-1]], ends):
        gains = 2.0 ** target[begin:end] - 1
        weights = 1 / numpy.log2(numpy.arange(2, end - begin + 2))
        best = (numpy.sort(gains)[::-1] * weights).sum()
        found.append((gains[numpy.argsort(-values[begin:end], kind="stable")] * weights).sum() / best if best else 1.0)
    return float(numpy.mean(found))


def metric_of(name, target, values, groups=None):
    if name == "ndcg":
        if groups is None:
            raise BenchError("ndcg: the rows of the data set are in no groups, which are ranked")
        return ndcg(target, values, groups)
    if name == "accuracy":
        return float(numpy.mean(values == target))
    if name == "roc_auc":
        positive = target == target.max()
        n, m = positive.sum(), (~positive).sum()
        if not n or not m:
            raise BenchError("roc_auc: the evaluation rows have one class only")
        return float((_ranks(values)[positive].sum() - n * (n + 1) / 2) / (n * m))
    if name == "log_loss":
        tiny = numpy.finfo(float).eps
        p = numpy.clip(values, tiny, 1 - tiny)
        positive = target == target.max()
        return float(-numpy.mean(numpy.where(positive, numpy.log(p), numpy.log1p(-p))))
    if name == "rmse":
        return float(numpy.sqrt(numpy.mean((values - target) ** 2)))
    return float(1 - ((values - target) ** 2).sum() / ((target - target.mean()) ** 2).sum())


def scored_column(manifest):
    """The place of the output that the metric is of."""
    names = [output["name"] for output in manifest["outputs"]]
    about = manifest["accuracy"]
    if about.get("output"):
        return names.index(about["output"])
    role = "label" if about["metric"] == "accuracy" else "score"
    return next(place for place, output in enumerate(manifest["outputs"]) if output["role"] == role)


def judge(manifest, found, expected, target, whole, tolerances=None, groups=None):
    """The record. `whole`: these are all evaluation rows, so the manifest's own reference counts. `tolerances`: of hbscore,
    what each output of predict may differ from the library by, relative; None: a peer, which has the manifest's per_row."""
    about, reasons = manifest["accuracy"], []
    outputs = manifest["outputs"]
    predicted = [item["name"] for item in manifest["predict"]]
    both_missing = numpy.isnan(found) & numpy.isnan(expected)
    apart = numpy.where(both_missing, 0.0, numpy.abs(found - expected))
    apart = numpy.where(numpy.isnan(apart), numpy.inf, apart)
    scale = numpy.abs(numpy.nan_to_num(expected))
    labels = 0
    for place, output in enumerate(outputs):
        off = apart[:, place]
        if output["role"] == "label":
            labels += int((off != 0).sum())
            continue
        rtol, atol = about["per_row"]["rtol"], about["per_row"]["atol"]
        if tolerances is not None and output["name"] in predicted:
            rtol, atol = tolerances[predicted.index(output["name"])], 0.0
        over = int((off > atol + rtol * scale[:, place]).sum())
        if over:
            reasons.append(f'{over} rows of "{output["name"]}" are off by more than {atol:g} + {rtol:g} x the reference')
    if labels:
        reasons.append(f"{labels} labels differ")
    place = scored_column(manifest)
    metric, own = (metric_of(about["metric"], target, answers[:, place], groups) for answers in (found, expected))
    reference = about["reference"] if whole and "reference" in about else own
    if not abs(metric - reference) <= about["tolerance"]:
        reasons.append(f"{about['metric']} is {metric!r}, and the reference is {reference!r}")
    scores = [place for place, output in enumerate(outputs) if output["role"] == "score"]
    relative = numpy.where(apart == 0, 0.0, apart / numpy.maximum(scale, numpy.finfo(float).tiny))
    return {"metric": about["metric"], "value": metric, "reference": reference, "rows": len(found), "labels_differ": labels,
            "bits_differ": int((found.view("u8") != expected.view("u8"))[~both_missing].sum()),
            "max_abs_error": float(apart[:, scores].max()) if scores else 0.0,
            "max_rel_error": float(relative[:, scores].max()) if scores else 0.0,
            "passed": not reasons, "reasons": reasons}


def judge_sums(expected, sums):
    """An aggregate has no rows: its sums differ from those of the reference by the order of additions only."""
    wanted = numpy.nansum(expected, axis=0)
    allowed = 1e-9 * numpy.nansum(numpy.abs(expected), axis=0) + 1e-12
    off = numpy.abs(numpy.asarray(sums) - wanted)
    reasons = [] if (off <= allowed).all() else [f"the sums are {list(sums)}, and the reference has {wanted.tolist()}"]
    return {"metric": "sum", "value": list(sums), "reference": wanted.tolist(), "rows": len(expected), "labels_differ": None,
            "bits_differ": None, "max_abs_error": float(off.max()), "max_rel_error": None, "passed": not reasons,
            "reasons": reasons}
