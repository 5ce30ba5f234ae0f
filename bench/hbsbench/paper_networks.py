"""paper_networks.py - the deep halves of CMLCompiler's pipelines: networks with seeded weights, whose numbers a model of scikit-learn
is trained on. A network is a graph of ONNX, with the operators that PyTorch's exporter writes.

One estimator is both: the two libraries joined by hand, as people do today (ONNX Runtime gives the features, scikit-learn the label),
and the one file that both halves become, which ONNX Runtime and hbscore read."""

import dataclasses

import numpy

OPSETS = {"": 17, "ai.onnx.ml": 3}
PAD, BEGIN, END = 0, 101, 102  # of the vocabulary that Bert comes with


@dataclasses.dataclass
class Sizes:
    tokens: int = 16
    vocabulary: int = 30_522
    hidden: int = 128
    layers: int = 2
    heads: int = 2
    inner: int = 512


BERT = Sizes()

# ---------------------------------------------------------------------- rows


def digit_images(seed, rows):
    """Images of 8 x 8 that scikit-learn ships, as often as needed, with noise."""
    from sklearn.datasets import load_digits

    random, digits = numpy.random.default_rng(seed), load_digits()
    picked = random.integers(len(digits.target), size=rows)
    x = numpy.round(digits.data[picked] / 16 + random.normal(0, 0.05, (rows, 64)), 4)
    return [f"p{i}" for i in range(64)], x.T, digits.target[picked]


def sentences(seed, rows, tokens, vocabulary):
    """Word pieces as numbers, and a mask of those that are there. A sentence has words of many kinds, and some of one of two moods."""
    random = numpy.random.default_rng(seed)
    first = min(1_000, vocabulary // 4)
    lengths, target = random.integers(tokens // 2, tokens + 1, size=rows), random.integers(2, size=rows)
    ids = first + 40 + (random.zipf(1.3, (rows, tokens)) - 1) % (vocabulary - first - 40)
    moods = first + 20 * target[:, None] + random.integers(20, size=(rows, tokens))
    ids = numpy.where(random.random((rows, tokens)) < 0.25, moods, ids)
    ids[:, 0] = BEGIN % vocabulary
    ids[numpy.arange(rows), lengths - 1] = END % vocabulary
    mask = numpy.arange(tokens) < lengths[:, None]
    return ([f"id{i}" for i in range(tokens)] + [f"mask{i}" for i in range(tokens)],
            numpy.concatenate([numpy.where(mask, ids, PAD), mask], axis=1).T, target)


# ---------------------------------------------------------------------- graphs


class Graph:
    """Nodes one behind the other; a name for each value."""

    def __init__(self, seed):
        self.random, self.nodes, self.constants = numpy.random.default_rng(seed), [], []

    def constant(self, values, dtype=numpy.float32):
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(numpy.asarray(values, dtype), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def weights(self, *shape, scale=0.02):
        return self.constant(self.random.normal(0, scale, shape))

    def add(self, op, *inputs, **attributes):
        from onnx import helper

        self.nodes.append(helper.make_node(op, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def shaped(self, x, *shape):
        return self.add("Reshape", x, self.constant(shape, numpy.int64))

    def linear(self, x, width, made):
        return self.add("Add", self.add("MatMul", x, self.weights(width, made, scale=width ** -0.5)), self.weights(made))

    def normalized(self, x, width):
        return self.add("LayerNormalization", x, self.constant(1 + self.random.normal(0, 0.1, width)), self.weights(width), epsilon=1e-12)

    def model(self, inputs, features, width):
        """The graph with these inputs (name, type, columns), whose output is `features`."""
        from onnx import TensorProto, helper

        def port(name, type_, columns):
            return helper.make_tensor_value_info(name, getattr(TensorProto, type_), ["rows", columns])

        self.nodes.append(helper.make_node("Identity", [features], ["features"]))
        graph = helper.make_graph(self.nodes, "network", [port(*item) for item in inputs], [port("features", "FLOAT", width)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid(*item) for item in OPSETS.items()], ir_version=8)


def attention(g, x, mask, s):
    """Each word beside all words that the mask has, once for each head."""
    def heads(turned):
        return g.add("Transpose", g.shaped(g.linear(x, s.hidden, s.hidden), -1, s.tokens, s.heads, s.hidden // s.heads), perm=turned)

    query, key, value = heads([0, 2, 1, 3]), heads([0, 2, 3, 1]), heads([0, 2, 1, 3])
    scores = g.add("Div", g.add("MatMul", query, key), g.constant((s.hidden / s.heads) ** 0.5))
    shares = g.add("Softmax", g.add("Add", scores, mask), axis=-1)
    joined = g.add("Transpose", g.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    return g.linear(g.shaped(joined, -1, s.tokens, s.hidden), s.hidden, s.hidden)


def gelu(g, x):
    erf = g.add("Erf", g.add("Div", x, g.constant(2 ** 0.5)))
    return g.add("Mul", g.add("Mul", x, g.add("Add", erf, g.constant(1))), g.constant(0.5))


def bert(seed):
    """Bert-tiny with a fixed number of words: two layers of 128 numbers, two heads; the first word's pooled numbers."""
    s, g = BERT, Graph(seed)
    words = g.add("Gather", g.weights(s.vocabulary, s.hidden), "input_ids")
    x = g.normalized(g.add("Add", g.add("Add", words, g.weights(1, 1, s.hidden)), g.weights(1, s.tokens, s.hidden)), s.hidden)
    mask = g.add("Cast", g.add("Unsqueeze", "attention_mask", g.constant([1, 2], numpy.int64)), to=1)
    mask = g.add("Mul", g.add("Sub", g.constant(1), mask), g.constant(numpy.finfo(numpy.float32).min))
    for _ in range(s.layers):
        x = g.normalized(g.add("Add", attention(g, x, mask, s), x), s.hidden)
        x = g.normalized(g.add("Add", g.linear(gelu(g, g.linear(x, s.hidden, s.inner)), s.inner, s.hidden), x), s.hidden)
    pooled = g.add("Tanh", g.linear(g.add("Gather", x, g.constant(0, numpy.int64), axis=1), s.hidden, s.hidden))
    return g.model([("input_ids", "INT64", s.tokens), ("attention_mask", "INT64", s.tokens)], pooled, s.hidden)


def cnn(seed):
    """Two convolutions of an image of 8 x 8, the last one's 32 numbers averaged over the image."""
    g, wide = Graph(seed), 32
    x = g.shaped("pixels", -1, 1, 8, 8)
    for given, made in ((1, 16), (16, wide)):
        x = g.add("Conv", x, g.weights(made, given, 3, 3, scale=(9 * given) ** -0.5), g.weights(made), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        x = g.add("BatchNormalization", x, g.constant(1 + g.random.normal(0, 0.1, made)), g.weights(made), g.weights(made),
                  g.constant(g.random.uniform(0.5, 1.5, made)))
        x = g.add("Relu", x)
        x = g.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]) if made != wide else g.add("GlobalAveragePool", x)
    return g.model([("pixels", "FLOAT", 64)], g.add("Flatten", x), wide)


# ---------------------------------------------------------------------- both halves


class Joined:
    """A network, as the bytes of its file, and a classifier behind it, whose parameters are those of both."""

    def __init__(self, network, classifier):
        self.network, self.classifier = network, classifier

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "session"}

    @property
    def classes_(self):
        return self.classifier.classes_

    def get_params(self, deep=True):
        return self.classifier.get_params(deep)

    def set_params(self, **changed):
        self.classifier.set_params(**changed)
        return self

    def features(self, rows):
        from .models import onnx_inputs, onnx_session

        if "session" not in vars(self):
            self.session = onnx_session(self.network)
        return self.session.run(None, onnx_inputs(self.session, rows))[0]

    def fit(self, rows, y):
        self.classifier.fit(self.features(rows), numpy.asarray(y).astype(int))
        return self

    def predict(self, rows):
        return self.classifier.predict(self.features(rows))

    def onnx(self):
        """The bytes of the one file that both halves are."""
        import onnx
        import skl2onnx
        from skl2onnx.common.data_types import FloatTensorType

        network = onnx.load_from_string(self.network)
        width = network.graph.output[0].type.tensor_type.shape.dim[1].dim_value
        classifier = skl2onnx.to_onnx(self.classifier, initial_types=[("X", FloatTensorType([None, width]))], target_opset=OPSETS,
                                      options={id(self.classifier): {"zipmap": False}})
        classifier.ir_version = network.ir_version
        del classifier.opset_import[:]  # some are named twice, or are older ones, whose operators are the same
        classifier.opset_import.extend(network.opset_import)
        return onnx.compose.merge_models(network, classifier, io_map=[("features", "X")], prefix2="model_").SerializeToString()


def joined(x, y, seed, network, model):
    from sklearn import ensemble, linear_model

    classifier = {"LogisticRegression": lambda: linear_model.LogisticRegression(max_iter=1000),
                  "RandomForestClassifier": lambda: ensemble.RandomForestClassifier(100, max_depth=4, random_state=seed, n_jobs=2)}[model]()
    return Joined({"bert-tiny": bert, "cnn": cnn}[network](seed).SerializeToString(), classifier).fit(x, y)
