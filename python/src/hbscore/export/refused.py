"""scikit-learn's estimators that have no exporter, and why: the message of the refusal says it, and docs/estimators.md lists
them. A test walks over all estimators of scikit-learn: each has an exporter or stands here, and none both."""

from __future__ import annotations

from typing import Any, Dict

TRAINING = "it labels the rows that it was fitted on, and no others"
PLACES = "it places the rows that it was fitted on, and no others"
NOTHING = "it has neither a prediction nor a transform"
SOLVES = "it solves an optimisation problem of its own for each row"
LATER = "not yet"

#: By public name, as EXPORTERS has it.
REFUSED: Dict[str, str] = {
    "cluster.AffinityPropagation": LATER,
    "cluster.AgglomerativeClustering": TRAINING,
    "cluster.Birch": LATER,
    "cluster.BisectingKMeans": LATER,
    "cluster.DBSCAN": TRAINING,
    "cluster.HDBSCAN": TRAINING,
    "cluster.KMeans": LATER,
    "cluster.MeanShift": LATER,
    "cluster.MiniBatchKMeans": LATER,
    "cluster.OPTICS": TRAINING,
    "cluster.SpectralBiclustering": TRAINING,
    "cluster.SpectralClustering": TRAINING,
    "cluster.SpectralCoclustering": TRAINING,
    "covariance.EllipticEnvelope": LATER,
    "covariance.EmpiricalCovariance": NOTHING,
    "covariance.GraphicalLasso": NOTHING,
    "covariance.GraphicalLassoCV": NOTHING,
    "covariance.LedoitWolf": NOTHING,
    "covariance.MinCovDet": NOTHING,
    "covariance.OAS": NOTHING,
    "covariance.ShrunkCovariance": NOTHING,
    "decomposition.DictionaryLearning": SOLVES,
    "decomposition.LatentDirichletAllocation": SOLVES,
    "decomposition.MiniBatchDictionaryLearning": SOLVES,
    "decomposition.MiniBatchNMF": SOLVES,
    "decomposition.NMF": SOLVES,
    "decomposition.SparseCoder": SOLVES,
    "discriminant_analysis.QuadraticDiscriminantAnalysis": LATER,
    "feature_extraction.DictVectorizer": LATER,
    "feature_extraction.FeatureHasher": LATER,
    "feature_extraction.image.PatchExtractor": "it takes images",
    "impute.KNNImputer": LATER,
    "kernel_approximation.PolynomialCountSketch": "its fast Fourier transform is not supported",
    "manifold.ClassicalMDS": PLACES,
    "manifold.Isomap": "it measures the shortest ways through a graph of the rows that it was fitted on",
    "manifold.LocallyLinearEmbedding": SOLVES,
    "manifold.MDS": PLACES,
    "manifold.SpectralEmbedding": PLACES,
    "manifold.TSNE": PLACES,
    "mixture.BayesianGaussianMixture": LATER,
    "mixture.GaussianMixture": LATER,
    "naive_bayes.CategoricalNB": LATER,
    "neighbors.KNeighborsClassifier": LATER,
    "neighbors.KNeighborsRegressor": LATER,
    "neighbors.KNeighborsTransformer": LATER,
    "neighbors.KernelDensity": NOTHING,
    "neighbors.LocalOutlierFactor": LATER,
    "neighbors.NearestCentroid": LATER,
    "neighbors.NearestNeighbors": NOTHING,
    "neighbors.NeighborhoodComponentsAnalysis": LATER,
    "neighbors.RadiusNeighborsClassifier": LATER,
    "neighbors.RadiusNeighborsRegressor": LATER,
    "neighbors.RadiusNeighborsTransformer": LATER,
    "neural_network.BernoulliRBM": LATER,
    "preprocessing.MultiLabelBinarizer": "it takes lists of labels, and no columns",
    "preprocessing.QuantileTransformer": LATER,
    "preprocessing.SplineTransformer": LATER,
    "semi_supervised.LabelPropagation": LATER,
    "semi_supervised.LabelSpreading": LATER,
}


def reason(model: Any) -> str:
    """Behind "is not supported"; "" where there is no more to say."""
    name = type(model).__name__
    found = [why for known, why in REFUSED.items() if known.rpartition(".")[2] == name]
    ours = type(model).__module__.partition(".")[0] == "sklearn"
    return ": " + found[0] if ours and found and found[0] != LATER else ""
