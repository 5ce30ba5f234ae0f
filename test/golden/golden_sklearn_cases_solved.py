"""Models that solve a problem of its own for each row: topics of documents, codes of a dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import NMF, DictionaryLearning, LatentDirichletAllocation, MiniBatchDictionaryLearning, MiniBatchNMF
from sklearn.decomposition import SparseCoder
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.pipeline import make_pipeline

from golden_sklearn_cases_projections import model_of
from golden_sklearn_cases_texts import of_texts
from golden_sklearn_models import BOTH, Trained, case, fitted, small
from golden_tables import Column, Table

# Topics --------------------------------------------------------------------------------------


def counts(seed: int, f: int = 6) -> Table:
    rng = np.random.RandomState(seed)
    kind = rng.randint(0, 3, size=120)
    rates = rng.gamma(0.4, 6.0, size=(3, f))
    columns = [Column("f%d" % j, "real", rng.poisson(rates[kind, j]).astype(np.float64)) for j in range(f)]
    return Table(columns, kind.astype(np.float64), rng=rng)


def topics_of(seed: int, model: Any, *covers: str, largest: float = 1e40, **more: Any) -> Trained:
    t = counts(seed)
    rows = [[0] * 6, [-1] + [0] * 5, [0, 0, 0.5, 0, 0, min(1e6, largest)], [-0.0] * 6, [1e-300] * 6, [0, 0, 0, 0, 0, largest]]
    return model_of(model, t, t.score > 0, *covers, probed=True, rows=rows, **more)


def factors_of(seed: int, model: Any, *covers: str, **more: Any) -> Trained:
    """Factors grow with the row, so one bound for all rows asks for rows of one size."""
    return topics_of(seed, model, *covers, largest=40.0, modest=True, **more)


@case(BOTH)
def topics() -> Trained:
    return topics_of(3001, LatentDirichletAllocation(3, max_iter=3, random_state=1))


@case()
def topics_options() -> Trained:
    """Rounds that do not end before the last; a model reads them."""
    lda = LatentDirichletAllocation(
        4, doc_topic_prior=0.9, topic_word_prior=0.01, max_iter=2, max_doc_update_iter=7, mean_change_tol=0.0, random_state=1
    )
    return topics_of(3002, make_pipeline(lda, LogisticRegression()), "Topics.options", transform=True)


@case(BOTH)
def topics_float32() -> Trained:
    lda = LatentDirichletAllocation(3, learning_method="online", max_iter=2, mean_change_tol=1e-4, random_state=1)
    return topics_of(3003, lda, "Topics.float32", narrow=True)


@case(BOTH)
def topics_of_texts() -> Trained:
    lda = LatentDirichletAllocation(3, max_iter=2, max_doc_update_iter=20, random_state=1)
    return of_texts(make_pipeline(CountVectorizer(max_features=40), lda), 3004, "Topics.texts", probed=True)


@case()
def topics_of_hashes() -> Trained:
    """Hashes that count -1 make rows that it refuses."""
    lda = LatentDirichletAllocation(2, max_iter=1, max_doc_update_iter=10, random_state=1)
    hashes = HashingVectorizer(n_features=32, norm=None, alternate_sign=False, dtype=np.float32)
    model = make_pipeline(hashes, lda, LogisticRegression())
    made = of_texts(model, 3005, "Topics.hashes", classes=2, probed=True, transform=True)
    hashes.alternate_sign = True
    return made


# Codes of a dictionary -----------------------------------------------------------------------


def coded(seed: int, model: Any, *covers: str, **more: Any) -> Trained:
    return model_of(model, small(seed, f=5), None, *covers, most=30, probed=True, rows=[[0] * 5], **more)


@case(BOTH)
def pursuit() -> Trained:
    return coded(3011, DictionaryLearning(6, alpha=0.4, max_iter=10, random_state=1))


@case()
def pursuit_several() -> Trained:
    model = MiniBatchDictionaryLearning(7, max_iter=10, transform_n_nonzero_coefs=3, split_sign=True, random_state=1)
    return coded(3012, model, "DictionaryLearning.n_nonzero_coefs")


@case(BOTH)
def pursuit_float32() -> Trained:
    model = DictionaryLearning(6, alpha=0.4, max_iter=10, transform_n_nonzero_coefs=2, random_state=1)
    return coded(3013, model, "DictionaryLearning.float32", narrow=True)


@case(BOTH)
def pursuit_of_all() -> Trained:
    """Atoms that depend on others, one that is nothing, and rows that few of them make."""
    atoms = np.array([[2, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 3, 0, 1]], dtype=np.float64)
    made = coded(3014, SparseCoder(atoms, transform_n_nonzero_coefs=5), "SparseCoder.dependent")
    made.rows += [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [2, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 4, 0]]
    return made


@case(BOTH)
def lasso_codes() -> Trained:
    model = DictionaryLearning(6, alpha=0.4, max_iter=10, transform_algorithm="lasso_cd", transform_alpha=0.3, random_state=1)
    return coded(3015, model, "DictionaryLearning.lasso_cd")


@case(BOTH)
def lasso_codes_positive() -> Trained:
    model = MiniBatchDictionaryLearning(
        6, max_iter=10, transform_algorithm="lasso_cd", transform_alpha=0.05, positive_code=True, fit_algorithm="cd", random_state=1
    )
    return coded(3016, model, "DictionaryLearning.lasso_cd-positive")


@case(BOTH)
def lasso_path_codes() -> Trained:
    model = DictionaryLearning(7, alpha=0.4, max_iter=10, transform_algorithm="lasso_lars", transform_alpha=0.2, random_state=1)
    return coded(3017, model, "DictionaryLearning.lasso_lars")


@case()
def lasso_path_codes_split() -> Trained:
    atoms = np.array([[1.0, 0.0, 0.5, 0.0, -1.0], [0.0, 1.0, -0.5, 0.25, 0.0], [0.6, 0.0, 0.0, 0.8, 0.0]])
    model = SparseCoder(atoms, transform_algorithm="lasso_lars", transform_alpha=0.5, split_sign=True)
    return coded(3018, model, "SparseCoder.lasso_lars")


@case(BOTH)
def angle_codes() -> Trained:
    """Some of the atoms, and weights that become 0 on the way."""
    model = DictionaryLearning(
        7, alpha=0.4, max_iter=10, transform_algorithm="lars", transform_n_nonzero_coefs=4, split_sign=True, random_state=1
    )
    return coded(3019, model, "DictionaryLearning.lars")


@case()
def angle_codes_float32() -> Trained:
    model = DictionaryLearning(6, alpha=0.4, max_iter=10, transform_algorithm="lars", random_state=1)
    return coded(3020, model, "DictionaryLearning.lars-float32", narrow=True)


@case(BOTH)
def lasso_path_codes_positive() -> Trained:
    rng = np.random.RandomState(3)
    atoms = np.round(rng.randn(6, 5) + 0.4, 2)
    model = SparseCoder(atoms, transform_algorithm="lasso_lars", transform_alpha=0.2, positive_code=True)
    return coded(3028, model, "SparseCoder.lasso_lars-positive")


@case()
def lasso_path_codes_to_the_end() -> Trained:
    model = MiniBatchDictionaryLearning(4, max_iter=10, transform_algorithm="lasso_lars", transform_alpha=0.0, random_state=1)
    return coded(3029, model, "DictionaryLearning.lasso_lars-0")


# Factors that are not negative ----------------------------------------------------------------


@case(BOTH)
def factors() -> Trained:
    return factors_of(3021, NMF(3, max_iter=100, random_state=1))


@case()
def factors_penalized() -> Trained:
    model = make_pipeline(NMF(4, alpha_W=0.1, l1_ratio=0.5, max_iter=30, tol=1e-6, random_state=1), LogisticRegression())
    return factors_of(3022, model, "NMF.penalties", transform=True)


@case(BOTH)
def factors_float32() -> Trained:
    return factors_of(3023, NMF(3, max_iter=60, random_state=1), "NMF.float32", narrow=True)


@case()
def factors_of_texts() -> Trained:
    model = make_pipeline(TfidfVectorizer(max_features=40), NMF(3, max_iter=60, random_state=1))
    return of_texts(model, 3024, "NMF.texts", probed=True)


FEW = {"count": 32, "most": 32, "modest": True}


def shares_of(seed: int, model: Any, *covers: str, **more: Any) -> Trained:
    t = small(seed)
    for column in t.columns:
        column.values = np.abs(column.values) + 0.01
    return fitted(model, t, t.y_binary(), covers=["option=" + c for c in covers], probed=True, **FEW, **more)


@case(BOTH)
def factors_multiplied() -> Trained:
    """A penalty that adds up over the rounds."""
    model = NMF(3, solver="mu", beta_loss="kullback-leibler", alpha_W=0.002, l1_ratio=0.5, max_iter=60, random_state=1)
    return shares_of(3041, model, "NMF.mu")


@case()
def factors_of_logarithms() -> Trained:
    return shares_of(3042, NMF(2, solver="mu", beta_loss="itakura-saito", max_iter=40, random_state=1), "NMF.mu-0")


@case(BOTH)
def factors_in_batches() -> Trained:
    return shares_of(3043, MiniBatchNMF(2, beta_loss=1.5, max_iter=40, random_state=1), "MiniBatchNMF")


# Where the neighbours of a row lie ------------------------------------------------------------


def embedded(seed: int, model: Any, *covers: str, **more: Any) -> Trained:
    t = small(seed, f=3, n=40)
    rows = [[float(v) for v in row] for row in t.matrix()[:3]]  # which are their own neighbours
    return model_of(model, t, t.y_binary(), *covers, probed=True, rows=rows, **more)


@case(BOTH)
def embedding_of_neighbours() -> Trained:
    return embedded(3031, LocallyLinearEmbedding(n_neighbors=4, eigen_solver="dense"))


@case()
def embedding_regularized() -> Trained:
    model = make_pipeline(LocallyLinearEmbedding(n_neighbors=6, n_components=3, reg=0.1, eigen_solver="dense"), LogisticRegression())
    return embedded(3032, model, "LLE.reg", transform=True)
