"""Writes the demo's table of texts, data/tickets.csv, its model and the library's scores: short letters to a shop, whose
department scikit-learn's TfidfVectorizer and LogisticRegression tell from their words. The sentences are put together
here, in several languages. Needs scikit-learn 1.7.2 and pandas only; from the repository root:

    build/demo-venv/bin/python demo/make_tickets.py
"""

import pathlib
import random
import sys

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python" / "src"))
import hbscore  # noqa: E402  (its exporter: from this source tree)

COUNT = 400
SUBJECTS = {
    "billing": ["the invoice", "my refund", "the VAT on the receipt", "a second charge of 42 euros", "la facture", "die Rechnung",
                "the credit note", "счёт", "Η ΧΡΕΩΣΗ"],
    "delivery": ["the parcel", "the courier", "my order from İzmir", "the box with the lamp", "le colis", "das Päckchen",
                 "the tracking number", "посылка", "Ο ΤΑΧΥΔΡΟΜΟΣ"],
    "technical": ["the app", "the lamp's switch", "my password", "the update to version 2.1", "l'écran", "der Bildschirm",
                  "the battery", "экран", "Ο ΔΙΑΚΟΠΤΗΣ"],
}
TROUBLES = {
    "billing": ["was paid twice", "shows the wrong amount", "is not on my bank statement", "n'est pas correcte", "ist zu hoch",
                "should have been cancelled", "costs more than the offer said"],
    "delivery": ["has not arrived", "was left in the rain", "went to the neighbour in Malmö", "n'est pas arrivé", "ist beschädigt",
                 "is late by a week", "came without the box"],
    "technical": ["crashes when I sign in", "does not turn on", "freezes on the first page", "ne marche plus", "bleibt schwarz",
                  "is empty after an hour", "asks for a code that I do not get"],
}
OPENINGS = ["Hello!", "Dear team,", "Again:", "Hi there 👋", "Bonjour,", "Guten Tag,", "", "URGENT"]
ENDINGS = ["Please help.", "Thanks in advance", "What can I do?", "I am waiting.", "Merci!", "Danke schön!", "", "🙏"]


def tickets(rng):
    for i in range(COUNT):
        department = sorted(SUBJECTS)[i % len(SUBJECTS)]
        shown = rng.choice(sorted(SUBJECTS)) if rng.random() < 0.1 else department  # some letters are misfiled
        parts = [rng.choice(OPENINGS), rng.choice(SUBJECTS[shown]), rng.choice(TROUBLES[shown]), rng.choice(ENDINGS)]
        yield department, " ".join(part for part in parts if part)


def write_csv(table, folder, name):
    table.to_csv(HERE / folder / name, index=False, lineterminator="\n")


def main():
    rng = random.Random(20240607)
    table = pd.DataFrame(list(tickets(rng)), columns=["department", "letter"])
    table.insert(0, "split", np.where(np.arange(COUNT) % 4 == 3, "test", "train"))
    table.insert(0, "id", np.arange(COUNT) + 1)
    write_csv(table, "data", "tickets.csv")
    train = table.split == "train"
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True), LogisticRegression())
    model.fit(table.letter[train], table.department[train])
    (HERE / "models" / "tickets.json").write_bytes(hbscore.export(model, ["letter"]))
    expected = pd.DataFrame({"id": table.id, "label": model.predict(table.letter)})
    for j, department in enumerate(model.classes_):
        expected["p_" + department] = [format(p, ".19g") for p in model.predict_proba(table.letter)[:, j]]
    write_csv(expected, "expected", "tickets.csv")
    right = expected.label == table.department
    print("tickets: %d terms, accuracy train %.4f, test %.4f"
          % (len(model[0].vocabulary_), right[train].mean(), right[~train].mean()))


if __name__ == "__main__":
    main()
