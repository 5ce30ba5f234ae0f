"""hbsbench: hbscore beside what people do today, by the methods of MLCommons Inference and with its LoadGen.

Models, data sets and systems are described by manifests (docs/benchmarks.md); no code is needed to add a model."""
