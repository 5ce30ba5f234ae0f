"""audit.py - two of MLCommons' audits, for cells of single-stream.

TEST01: answers that LoadGen samples in performance mode are those of accuracy mode, bit by bit, and that run is as fast as
the others. TEST04: one sample again and again is not much faster than all samples: answers are not kept. A database keeps the
page of a row that was just read; so the gain is compared with that of the floor, which reads the same page and has no model."""

from . import logs, records
from .errors import BenchError
from .profiles import SINGLE

ALLOWED = 0.10
MODES = ["accuracy", "performance", "audit_sampled", "audit_same"]


def judge(modes, timed):
    """`modes`: {mode: {"p50": ns, "answers": {sample: bytes}}}; `timed`: the profile is long enough for clocks to count."""
    whole, sampled = modes["accuracy"]["answers"], modes["audit_sampled"]["answers"]
    reasons = []
    if not sampled:
        reasons.append("TEST01: LoadGen logged no answer in performance mode")
    wrong = [sample for sample, answer in sampled.items() if whole.get(sample) != answer]
    if wrong:
        reasons.append(f"TEST01: {len(wrong)} of {len(sampled)} sampled answers are not those of accuracy mode, the first of row {min(wrong)}")
    plain, logged = modes["performance"]["p50"], modes["audit_sampled"]["p50"]
    if timed and abs(logged / plain - 1) > ALLOWED:
        reasons.append(f"TEST01: the median is {logged} ns with sampled answers and {plain} ns without")
    return reasons


def gain(modes):
    """How many times as fast one sample is as all."""
    return modes["performance"]["p50"] / modes["audit_same"]["p50"]


def judge_same(own, floor, timed):
    if timed and floor and own > (1 + ALLOWED) * max(floor, 1.0):
        return [f"TEST04: one row again and again is {own:.2f} times as fast as all rows; without the model it is {floor:.2f} times"]
    return []


def measure(harness, cell):
    """Runs the modes of a cell; gives {mode: ..} and the answer of the process."""
    modes = [mode for mode in MODES if cell.scores or mode in ("performance", "audit_same")]
    with harness.making() as folder:
        answer = harness.child(cell, modes, folder)
        found = {}
        for mode in modes:
            path = folder / mode / "mlperf_log_accuracy.json"
            rows = {}
            if mode in ("accuracy", "audit_sampled") and path.exists():
                rows = {sample: row.tobytes() for sample, row in logs.accuracy_rows(path.read_text(), cell.case.width, path.name).items()}
            found[mode] = {"p50": answer["runs"][mode]["latency"]["p50"], "answers": rows}
    return found, answer


def run(harness, cells):
    """Audits all cells of single-stream; gives the number of those that failed."""
    chosen = sorted((cell for cell in cells if cell.scenario == SINGLE and not cell.timed and not cell.alternates), key=lambda cell: cell.scores)
    if not chosen:
        raise BenchError("audits are of single-stream, which none of these models has")
    with records.alone(harness.results):
        return audited(harness, chosen)


def audited(harness, chosen):
    timed, gains, failed = harness.profile.claims, {}, 0
    for cell in chosen:
        try:
            found, answer = measure(harness, cell)
        except BenchError as error:
            harness.told(f"FAILED  {error}")
            failed += 1
            continue
        own = gains[cell.model.name, cell.system_name] = gain(found)
        if not cell.scores:
            continue
        floor = gains.get((cell.model.name, cell.manifest.get("floor")))
        reasons = judge(found, timed) + judge_same(own, floor, timed)
        home = records.place(harness.results, harness.date, harness.environment, cell) / "audit"
        with harness.making() as folder:
            making = folder / "audit"
            making.mkdir()
            records.write_json(making / "audit.json", {
                "label": records.LABEL, "profile": harness.profile.name, "model": cell.model.name, "system": cell.system_name,
                "sampled": len(found["audit_sampled"]["answers"]), "gain_of_one_row": own, "gain_of_the_floor": floor,
                "medians_ns": {mode: entry["p50"] for mode, entry in found.items()}, "clocks_count": timed, "passed": not reasons,
                "reasons": reasons, "facts": answer["facts"]})
            records.put(home, making)
        harness.told(f"{str(cell) + ',':<60} {'audit passed' if not reasons else 'FAILED  ' + '; '.join(reasons)}"
                     f"{'' if timed else ' (answers only: the profile is too short for clocks)'}")
        failed += bool(reasons)
    return failed
