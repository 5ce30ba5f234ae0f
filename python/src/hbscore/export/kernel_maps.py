"""Transformers by kernels: projections of kernels, and maps whose products are nearly a kernel."""

from __future__ import annotations

import numpy as np

from hbscore.export.arithmetic import chosen, combined, mapped, reduced
from hbscore.export.document import array
from hbscore.export.expand import refuse_sparse, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.kernels import kernel_options, named_kernel, stored_rows, weighted
from hbscore.export.registry import exporter


def centered(f: Fitted, graph: Graph, kernel: Value) -> Value:
    """Less the means of training, and less the row's own mean."""
    rows = f.numbers("K_fit_rows_", kernel.width)
    mean = combined(graph, "divide", reduced(graph, "sum", kernel), float(kernel.width))
    made = combined(graph, "subtract", combined(graph, "subtract", kernel, rows), mean)
    return combined(graph, "add", made, f.number("K_fit_all_"))


@exporter("preprocessing", "KernelCenterer")
def kernel_centerer(f: Fitted, graph: Graph, x: Value) -> Result:
    return transformed(centered(f, graph, graph.check(x, missing=False)))


@exporter("decomposition", "KernelPCA")
def kernel_pca(f: Fitted, graph: Graph, x: Value) -> Result:
    options = kernel_options(f, "gamma_" if hasattr(f.model, "gamma_") else "gamma")
    rows = stored_rows(f, "X_fit_", x.width)
    checked = graph.check(x, missing=False)
    return transformed(projected(f, graph, checked, named_kernel(f, graph, checked, rows, options)))


def projected(f: Fitted, graph: Graph, x: Value, kernel: Value) -> Value:
    """The transform of a fitted KernelPCA, from the kernel of a row and each stored one, which its KernelCenterer checks."""
    kernel = graph.check(graph.guard(kernel, missing=False), missing=False)
    middle = centered(Fitted(f.get("_centerer"), f.path), graph, kernel)
    values = f.numbers("eigenvalues_", -1)
    vectors = f.numbers("eigenvectors_", kernel.width, len(values))
    with np.errstate(divide="ignore"):
        scaled = np.where(values != 0.0, vectors / np.sqrt(np.where(values != 0.0, values, 1.0)), 0.0)
    return weighted(graph, x, middle, np.ascontiguousarray(scaled.T))


@exporter("kernel_approximation", "Nystroem")
def nystroem(f: Fitted, graph: Graph, x: Value) -> Result:
    """kernel_params are those of a kernel by name too, where no option of their own says more."""
    rows = stored_rows(f, "components_", x.width)
    checked = graph.check(x, missing=False)
    given = {name: value for name, value in kernel_options(f).items() if value is not None}
    kernel = named_kernel(f, graph, checked, rows, {**(f.get("kernel_params") or {}), **given})
    return transformed(weighted(graph, checked, kernel, f.numbers("normalization_", -1, len(rows))))


def cosines(f: Fitted, graph: Graph, x: Value, factor: float) -> Result:
    weights = f.numbers("random_weights_", x.width, -1)
    start = f.numbers("random_offset_", weights.shape[1])
    fields = {"coef": array(weights.T, "f8"), "intercept": array(start, "f8")}
    angle = graph.floats("linear", x, len(start), **fields)
    return transformed(combined(graph, "multiply", mapped(graph, "cos", angle), factor))


@exporter("kernel_approximation", "RBFSampler")
def rbf_sampler(f: Fitted, graph: Graph, x: Value) -> Result:
    return cosines(f, graph, graph.check(x, missing=False), (2.0 / int(f.number("n_components"))) ** 0.5)


@exporter("kernel_approximation", "SkewedChi2Sampler")
def skewed_chi2_sampler(f: Fitted, graph: Graph, x: Value) -> Result:
    """A number of at most -skewedness, which the library refuses, has no finite logarithm: the guard refuses it."""
    shifted = combined(graph, "add", graph.check(x, missing=False), f.number("skewedness"))
    logarithm = graph.guard(mapped(graph, "log", shifted), missing=False)
    return cosines(f, graph, logarithm, float(np.sqrt(2.0) / np.sqrt(int(f.number("n_components")))))


@exporter("kernel_approximation", "AdditiveChi2Sampler")
def additive_chi2_sampler(f: Fitted, graph: Graph, x: Value) -> Result:
    """A negative number, which the library refuses, has no root: the guard refuses it."""
    if x.stored_zeros:
        refuse_sparse(f, x, "in which zeros may be stored")
    name = "sample_interval_" if hasattr(f.model, "sample_interval_") else "sample_interval"
    interval = f.number(name) if f.get(name) is not None else {1: 0.8, 2: 0.5, 3: 0.4}[int(f.number("sample_steps"))]
    checked = graph.check(x, missing=False)
    some = mapped(graph, "truth", checked)

    def steps(value: Value) -> Value:
        return chosen(graph, some, value, 0.0)

    made = [steps(mapped(graph, "sqrt", combined(graph, "multiply", checked, interval)))]
    step = combined(graph, "multiply", combined(graph, "multiply", checked, 2.0), interval)
    logarithm = combined(graph, "multiply", mapped(graph, "log", checked), interval)
    for j in range(1, int(f.number("sample_steps"))):
        divided = combined(graph, "divide", step, float(np.cosh(np.pi * j * interval)))
        factor, angle = mapped(graph, "sqrt", divided), combined(graph, "multiply", logarithm, float(j))
        made += [steps(combined(graph, "multiply", factor, mapped(graph, name, angle))) for name in ("cos", "sin")]
    return transformed(graph.check(graph.guard(graph.concat(made), missing=False), missing=False))


MOST_SKETCHED = 2048  # components: the way back from frequencies has a number for each two of them


def spectrum(f: Fitted, graph: Graph, x: Value, d: int, shift: float) -> Value:
    """The discrete Fourier transform of count sketch d, which is a weighted sum of the columns, as real parts and
    imaginary parts. shift: of a last column of ones."""
    count = int(f.number("n_components"))
    width = x.width + (shift != 0.0)
    place = f.integers("indexHash_", f.get("indexHash_")[d], width, 0, count)
    sketch = np.zeros((count, width))
    sketch[place, np.arange(width)] = f.numbers("bitHash_", -1, width)[d]
    sketch[:, : x.width] *= np.sqrt(f.number("gamma"))
    sketch[:, x.width :] *= shift
    found = np.fft.rfft(sketch, axis=0)
    parts = np.vstack([found.real, found.imag])
    intercept = parts[:, x.width :].sum(axis=1)
    fields = {"coef": array(parts[:, : x.width], "f8"), "intercept": array(intercept, "f8")}
    return graph.floats("linear", x, len(parts), **fields)


def complex_product(graph: Graph, a: Value, b: Value) -> Value:
    half = a.width // 2
    first, second = list(range(half)), list(range(half, 2 * half))
    same = combined(graph, "multiply", a, b)
    real = combined(graph, "subtract", graph.select(same, first), graph.select(same, second))
    crossed = combined(graph, "multiply", a, graph.select(b, second + first))
    imaginary = combined(graph, "add", graph.select(crossed, first), graph.select(crossed, second))
    return graph.concat([real, imaginary])


@exporter("kernel_approximation", "PolynomialCountSketch")
def polynomial_count_sketch(f: Fitted, graph: Graph, x: Value) -> Result:
    """Products of spectra, and back: weighted sums in place of fast Fourier transforms."""
    count, degree = int(f.number("n_components")), int(f.number("degree"))
    if count > MOST_SKETCHED:
        raise f.error("with n_components=%d is not supported: at most %d are" % (count, MOST_SKETCHED))
    checked = graph.check(x, missing=False)
    shift = float(np.sqrt(f.number("coef0")))
    made = spectrum(f, graph, checked, 0, shift)
    for d in range(1, degree):
        made = complex_product(graph, made, spectrum(f, graph, checked, d, shift))
    ones = np.eye(count // 2 + 1)
    back = np.hstack([np.fft.irfft(ones, n=count, axis=0), np.fft.irfft(1j * ones, n=count, axis=0)])
    fields = {"coef": array(back, "f8"), "intercept": array(np.zeros(count), "f8")}
    return transformed(graph.floats("linear", made, count, **fields))
