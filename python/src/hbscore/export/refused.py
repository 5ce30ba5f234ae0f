"""scikit-learn's estimators that have no exporter, and why: the message of the refusal says it, and docs/estimators.md lists
them. A test walks over all estimators of scikit-learn: each has an exporter or stands here, and none both."""

from __future__ import annotations

from typing import Any, Dict

TRAINING = "it labels the rows that it was fitted on, and no others"
PLACES = "it places the rows that it was fitted on, and no others"
NOTHING = "it has neither a prediction nor a transform"

#: By public name, as EXPORTERS has it.
REFUSED: Dict[str, str] = {
    "cluster.AgglomerativeClustering": TRAINING,
    "cluster.DBSCAN": TRAINING,
    "cluster.HDBSCAN": TRAINING,
    "cluster.OPTICS": TRAINING,
    "cluster.SpectralBiclustering": TRAINING,
    "cluster.SpectralClustering": TRAINING,
    "cluster.SpectralCoclustering": TRAINING,
    "covariance.EmpiricalCovariance": NOTHING,
    "covariance.GraphicalLasso": NOTHING,
    "covariance.GraphicalLassoCV": NOTHING,
    "covariance.LedoitWolf": NOTHING,
    "covariance.MinCovDet": NOTHING,
    "covariance.OAS": NOTHING,
    "covariance.ShrunkCovariance": NOTHING,
    "feature_extraction.image.PatchExtractor": "it takes images",
    "manifold.ClassicalMDS": PLACES,
    "manifold.MDS": PLACES,
    "manifold.SpectralEmbedding": PLACES,
    "manifold.TSNE": PLACES,
    "neighbors.KernelDensity": NOTHING,
    "neighbors.NearestNeighbors": NOTHING,
    "preprocessing.MultiLabelBinarizer": "it takes lists of labels, and no columns",
}


def reason(model: Any) -> str:
    """Behind "is not supported"; "" where there is no more to say."""
    name = type(model).__name__
    found = [why for known, why in REFUSED.items() if known.rpartition(".")[2] == name]
    ours = type(model).__module__.partition(".")[0] == "sklearn"
    return ": " + found[0] if ours and found else ""
