"""peers.py MODEL.. - other libraries on the GPU, with the forests of bench-gpu: nanoseconds of a row, from rows in the
host's memory to scores there (`all`) and from rows on the device to scores there (`resident`).

A library that is not installed, or that refuses a model, prints `not measured` and its reason. Rows are distinct, and each
library's scores are compared with XGBoost's own on the CPU where that is installed."""

import os
import statistics
import sys
import time

FEATURES, TURNS = 28, 7
BATCHES = (1024, 16384, 65536, 1 << 20)


def sample(numpy, rows):
    rng = numpy.random.default_rng(1)
    return numpy.clip(rng.standard_normal((rows, FEATURES), dtype=numpy.float32), -4, 4)


def xgboost_model(path):
    import cupy
    import xgboost

    booster = xgboost.Booster({"device": "cuda"}, model_file=path)
    return cupy.asarray, booster.inplace_predict, cupy.asnumpy, cupy.cuda.Device().synchronize


def nvforest_model(path):
    import cupy
    import nvforest

    model = nvforest.load_model(path, model_type="xgboost_json", device="gpu")
    model = model.optimize(batch_size=65536, timeout=1.0) or model  # chooses the layout and the chunk
    return cupy.asarray, model.predict, cupy.asnumpy, cupy.cuda.Device().synchronize


def hummingbird_model(path):
    import numpy
    import torch
    import xgboost
    from hummingbird.ml import convert

    regressor = xgboost.XGBRegressor()
    regressor.load_model(path)
    module = convert(regressor, "torch.jit", sample(numpy, 1024), device="cuda", extra_config={"n_features": FEATURES}).model

    def predict(x):
        with torch.no_grad():
            return module(x)

    return lambda x: torch.from_numpy(x).cuda(), predict, lambda y: y.cpu().numpy(), torch.cuda.synchronize


PEERS = {"XGBoost": xgboost_model, "nvForest": nvforest_model, "Hummingbird (TorchScript)": hummingbird_model}


def median_ns(rows, finish, work):
    work()
    times = []
    for _ in range(TURNS):
        finish()
        start = time.perf_counter_ns()
        work()
        finish()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / rows


def reference(path, x):
    try:
        import xgboost

        return xgboost.Booster({"device": "cpu"}, model_file=path).inplace_predict(x)
    except ImportError:
        return None


def measure(name, path, x):
    import numpy

    to_device, predict, to_host, finish = PEERS[name](path)
    expected = reference(path, x[: BATCHES[0]])
    for rows in BATCHES:
        on_device = to_device(x[:rows])
        whole = median_ns(rows, finish, lambda: to_host(predict(to_device(x[:rows]))))
        resident = median_ns(rows, finish, lambda: predict(on_device))
        print(f"  {name}, {rows} rows at once: {whole:.1f} ns/row all, {resident:.1f} resident", flush=True)
        if rows == BATCHES[0] and expected is not None:
            got = numpy.ravel(to_host(predict(on_device))).astype(numpy.float32)
            print(f"  {name}: {int((got != expected).sum())} of {rows} scores differ from XGBoost's on the CPU, "
                  f"by {float(numpy.abs(got - expected).max()):.1e} at most")


def main():
    try:
        import numpy
    except ImportError as error:
        print(f"XGBoost, nvForest, Hummingbird on the GPU: not measured, {error}")
        return
    x = sample(numpy, BATCHES[-1])
    for path in sys.argv[1:]:
        print(os.path.basename(path))
        for name in PEERS:
            try:
                measure(name, path, x)
            except Exception as error:  # a peer's failure is a line of the table
                print(f"  {name}: not measured, {type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}")


main()
