#!/usr/bin/env python3
"""Writes docs/estimators.md from the table of exporters, its facts and the golden models.

    tools/make_estimators.py            writes the page; needs numpy, as the package does
    tools/make_estimators.py --check    says what is wrong with it, and with the facts; the status is 1 then

`make check` asks the same (python/tests/test_estimators.py)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict, List, Set, Tuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "estimators.md"
GOLDENS = [ROOT / "test" / "golden" / library for library in ("sklearn", "encoders")]
sys.path.insert(0, str(ROOT / "python" / "src"))

from hbscore.export import EXPORTERS  # noqa: E402
from hbscore.export.facts import EXACTNESS, FACTS  # noqa: E402
from hbscore.export.refused import REFUSED  # noqa: E402
from hbscore.export.registry import ENCODERS, full_name  # noqa: E402

HEAD = """# scikit-learn's estimators

This page is a reference: it lists the estimators that `hbscore.export` and `hbscore.register` take
([python.md](python.md#scikit-learn)), alone or as steps of each other. `tools/make_estimators.py` makes it from the
table of exporters.

[Other estimators](#estimators-that-are-refused-and-why), and the options under *refused*, are an error that names the estimator, the option and its place in
the pipeline. All other options are supported, or matter in training only. Estimators are told by their exact class: a
subclass is refused, and so is an object with a method of its own. Classifiers of one class are supported, also as
parts of others, but those of which scikit-learn's predict_proba makes two classes or fails: HistGradientBoostingClassifier,
MLPClassifier, OneVsRestClassifier, LinearDiscriminantAnalysis. Labels are texts, numbers or bool.
A row that scikit-learn refuses has no result
([own-format.md](own-format.md#rows-that-have-no-result)).

The last step may also be an estimator of XGBoost, LightGBM or CatBoost, and so may that of a search
([python.md](python.md#pipelines-that-end-in-a-booster)). It answers with that library's own bits or tolerance. Estimators around
others take them as parts, too.

A pipeline of imbalanced-learn (`imblearn.pipeline.Pipeline`) is taken as one of scikit-learn, anywhere: its samplers do
nothing to new rows.

- **since**: the oldest version of scikit-learn, or of category_encoders, whose fitted models are taken.
- **golden models**: models that these versions trained, and whose answers `make check` compares. Models with the
  estimator as a part count too.
- **exactness**: how near the answers are to those of scikit-learn on the machine that trained:

| | |
|---|---|
"""


Golden = Dict[str, Set[Tuple[str, str]]]


def golden_models() -> Golden:
    """Of each class the golden models that cover it, with the versions that trained them."""
    found: Golden = {}
    for path in sorted(path for folder in GOLDENS for path in folder.glob("*.golden")):
        head: Dict[str, str] = {}
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                kind, _, rest = line.rstrip("\n").partition(" ")
                head[kind] = rest
                if kind == "covers":
                    break
        for word in head["covers"].split():
            if word.startswith("estimator="):
                model = head["model"], head["trained"].split()[-1]
                found.setdefault(word[len("estimator=") :], set()).add(model)
    return found


def by_number(version: str) -> List[int]:
    return [int(part) for part in version.split(".")]


def shown(name: str) -> str:
    """Without its module, but for those of category_encoders, whose names scikit-learn has too."""
    return name if name.startswith(ENCODERS + ".") else name.rpartition(".")[2]


def line_of(name: str, golden: Golden) -> str:
    facts = FACTS[name]
    models = golden.get(shown(name), set())
    trained = ", ".join(sorted({version for _, version in models}, key=by_number))
    cells = (
        "`%s`" % shown(name),
        facts.since,
        facts.exact,
        facts.refused or "-",
        "%d of %s" % (len(models), trained) if models else "none",
    )
    return "| " + " | ".join(cells) + " |"


def page() -> str:
    """Without what lacks its facts."""
    golden = golden_models()
    names = sorted(set(EXPORTERS) & set(FACTS))
    parts = [HEAD + "".join("| %s | %s |\n" % item for item in EXACTNESS.items())]
    for module in sorted({name.rpartition(".")[0] for name in names}, key=full_name):
        lines = [line_of(name, golden) for name in names if name.rpartition(".")[0] == module]
        head = "| | since | exactness | refused | golden models |\n|---|---|---|---|---|\n"
        parts.append("\n## %s\n\n%s%s\n" % (full_name(module), head, "\n".join(lines)))
    return "".join(parts) + refusals()


def refusals() -> str:
    """A line for each reason; those that are to come are last."""
    lines = []
    for why in sorted(set(REFUSED.values()), key=lambda why: (-list(REFUSED.values()).count(why), why)):
        names = sorted("`%s`" % name.rpartition(".")[2] for name, found in REFUSED.items() if found == why)
        lines.append("| %s | %s |\n" % (why, ", ".join(names)))
    return "\n## Estimators that are refused, and why\n\n| Why | Estimators |\n|---|---|\n" + "".join(lines)


def problems() -> List[str]:
    """What must be mended, a line each."""
    found = [
        "%s has no facts in python/src/hbscore/export/facts.py" % name
        for name in sorted(EXPORTERS)
        if name not in FACTS
    ]
    found += ["%s has an exporter and is refused" % name for name in sorted(REFUSED) if name in EXPORTERS]
    found += ["%s has facts and no exporter" % name for name in sorted(FACTS) if name not in EXPORTERS]
    found += [
        "%s: exactness %r is explained nowhere" % (name, facts.exact)
        for name, facts in sorted(FACTS.items())
        if facts.exact not in EXACTNESS
    ]
    if not found and (not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page()):
        found.append("docs/estimators.md is stale: run tools/make_estimators.py")
    return found


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        found = problems()
        print("\n".join(found) or "docs/estimators.md is up to date")
        return 1 if found else 0
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
