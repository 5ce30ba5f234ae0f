"""boosters.py - XGBoost and LightGBM through their C APIs, by ctypes: without what their Python calls do around them."""

import ctypes
import json

import numpy

from hbsbench import models
from hbsbench.errors import BenchError
from suts.files import File


class Xgboost(File):
    """XGBoosterPredictFromDense: in place, of float32."""

    def load(self):
        import xgboost
        from xgboost import core

        self.booster = xgboost.Booster()
        self.booster.load_model(bytearray(self.case.file("xgboost").read_bytes()))
        self.booster.set_param({"nthread": self.threads})
        config = json.dumps({"type": 0, "iteration_begin": 0, "iteration_end": 0, "strict_shape": False, "cache_id": 0,
                             "missing": float("nan")}).encode()
        library, handle = core._LIB, self.booster.handle
        wanted, classes, manifest = self.case.manifest["predict"], self.case.facts["classes"], self.case.manifest

        def outputs(rows):
            # Threads share the booster, and its answers are a thread's own; so are the variables that point to them.
            shape, width, result = ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_uint64(), ctypes.POINTER(ctypes.c_float)()
            rows = numpy.ascontiguousarray(rows, numpy.float32)
            array = b'{"data":[%d,true],"shape":[%d,%d],"typestr":"<f4","version":3}' % (rows.ctypes.data, *rows.shape)
            if library.XGBoosterPredictFromDense(handle, array, config, None, ctypes.byref(shape), ctypes.byref(width), ctypes.byref(result)):
                raise BenchError(f"XGBoost: {library.XGBGetLastError().decode(errors='replace')}")
            sizes = [shape[i] for i in range(width.value)]
            return models.columns_of(numpy.ctypeslib.as_array(result, sizes).copy(), wanted, classes, manifest)

        return outputs


class Lightgbm(File):
    """LGBM_BoosterPredictForMat, and for one row LGBM_BoosterPredictForMatSingleRowFast."""

    NORMAL, FLOAT64, ROW_MAJOR = 0, 1, 1

    def load(self):
        import lightgbm
        from lightgbm import basic

        self.booster = lightgbm.Booster(model_file=str(self.case.file("lightgbm")))
        self.library, self.handle = basic._LIB, self.booster._handle
        self.parameters = f"num_threads={self.threads}".encode()
        features, self.width = self.booster.num_feature(), self.booster.num_model_per_iteration()
        self.fast = ctypes.c_void_p()
        self.do("LGBM_BoosterPredictForMatSingleRowFastInit", self.handle, ctypes.c_int(self.NORMAL), ctypes.c_int(0), ctypes.c_int(-1),
                ctypes.c_int(self.FLOAT64), ctypes.c_int32(features), ctypes.c_char_p(self.parameters), ctypes.byref(self.fast))
        wanted, classes, manifest = self.case.manifest["predict"], self.case.facts["classes"], self.case.manifest
        return lambda rows: models.columns_of(self.predict(rows), wanted, classes, manifest)

    def do(self, name, *arguments):
        if getattr(self.library, name)(*arguments):
            self.library.LGBM_GetLastError.restype = ctypes.c_char_p
            raise BenchError(f"LightGBM: {self.library.LGBM_GetLastError().decode(errors='replace')}")

    def predict(self, rows):
        rows = numpy.ascontiguousarray(rows, float)
        out, length = numpy.empty((len(rows), self.width)), ctypes.c_int64()
        at, into = ctypes.c_void_p(rows.ctypes.data), ctypes.c_void_p(out.ctypes.data)
        if len(rows) == 1:
            self.do("LGBM_BoosterPredictForMatSingleRowFast", self.fast, at, ctypes.byref(length), into)
        else:
            self.do("LGBM_BoosterPredictForMat", self.handle, at, ctypes.c_int(self.FLOAT64), ctypes.c_int32(rows.shape[0]),
                    ctypes.c_int32(rows.shape[1]), ctypes.c_int(self.ROW_MAJOR), ctypes.c_int(self.NORMAL), ctypes.c_int(0),
                    ctypes.c_int(-1), ctypes.c_char_p(self.parameters), ctypes.byref(length), into)
        return out[:, 0] if self.width == 1 else out

    def close(self):
        self.do("LGBM_FastConfigFree", self.fast)
