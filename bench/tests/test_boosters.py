"""The C APIs of XGBoost and LightGBM, beside the estimators that wrote the files."""

import pathlib
import shutil
import tempfile
import types
import unittest

import numpy

from hbsbench import systems
from hbsbench.errors import Refused
from suts import boosters, compiled

CHANCE = [{"name": "p", "function": "predict_probability", "class": 1}]
VALUE = [{"name": "v", "function": "predict"}]


class Boosters(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hbsbench-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        random = numpy.random.default_rng(2)
        self.x = random.normal(size=(200, 4)).astype(numpy.float32).astype(float)
        self.x[::7, 1] = numpy.nan
        self.y = (self.x[:, 0] > 0).astype(int) + (self.x[:, 2] > 0.5)

    def outputs(self, cls, format_, predict, classes):
        case = types.SimpleNamespace(manifest={"predict": predict}, facts={"classes": classes}, file=lambda name: self.folder / f"model.{name}")
        system = cls(case, {"format": format_, "threads": 1})
        system.threads = 1
        self.addCleanup(system.close)
        return system.load()

    def same(self, outputs, wanted):
        numpy.testing.assert_allclose(outputs(self.x)[:, 0], wanted, rtol=1e-6)
        for row in (0, 7, 199):  # a row by itself, and after others
            numpy.testing.assert_allclose(outputs(self.x[row:row + 1])[0, 0], wanted[row], rtol=1e-6)
        self.assertEqual(outputs(self.x[3:5]).shape, (2, 1))

    def test_xgboost(self):
        from xgboost import XGBClassifier, XGBRegressor

        def check(estimator, y, predict, wanted):
            estimator.fit(self.x, y).save_model(self.folder / "model.json")
            (self.folder / "model.json").rename(self.folder / "model.xgboost")
            classes = getattr(estimator, "classes_", numpy.array([])).tolist() if predict is CHANCE else []
            self.same(self.outputs(boosters.Xgboost, "xgboost", predict, classes), wanted(estimator))

        check(XGBRegressor(n_estimators=5, n_jobs=1), self.y, VALUE, lambda e: e.predict(self.x))
        check(XGBClassifier(n_estimators=5, n_jobs=1), self.y > 0, CHANCE, lambda e: e.predict_proba(self.x)[:, 1])
        check(XGBClassifier(n_estimators=5, n_jobs=1), self.y, CHANCE, lambda e: e.predict_proba(self.x)[:, 1])

    def test_catboost(self):
        try:
            from catboost import CatBoostClassifier, CatBoostRegressor
        except ImportError:
            self.skipTest("catboost is not installed: make bench-optional")
        from hbsbench import models

        settings = {"iterations": 5, "depth": 3, "thread_count": 1, "verbose": 0, "allow_writing_files": False}
        for estimator, y, predict in ((CatBoostRegressor(**settings), self.y, VALUE), (CatBoostClassifier(**settings), self.y > 0, CHANCE),
                                      (CatBoostClassifier(**settings), self.y, CHANCE)):
            path, classes = self.folder / "model.catboost", []
            estimator.fit(self.x, y.astype(int) if predict is CHANCE else y).save_model(path, format="json")
            if predict is CHANCE:
                classes = estimator.classes_.tolist()
            outputs = models.catboost_file(path, {"predict": predict}, classes)
            self.same(outputs, estimator.predict_proba(self.x)[:, 1] if predict is CHANCE else estimator.predict(self.x))

    def test_threads_share_a_booster(self):
        import concurrent.futures

        from xgboost import XGBClassifier

        estimator = XGBClassifier(n_estimators=50, n_jobs=1).fit(self.x, self.y)
        estimator.save_model(self.folder / "model.json")
        (self.folder / "model.json").rename(self.folder / "model.xgboost")
        outputs, wanted = self.outputs(boosters.Xgboost, "xgboost", CHANCE, [0, 1, 2]), estimator.predict_proba(self.x)[:, 1]
        rows = list(range(200)) * 10
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            got = list(pool.map(lambda row: outputs(self.x[row:row + 1])[0, 0], rows))
        numpy.testing.assert_allclose(got, wanted[rows], rtol=1e-6)

    def same_answers(self, names, save, estimator, y, predict, wanted, digits):
        """Programs of the estimator's trees: by chunks, by rows, and by threads."""
        import concurrent.futures

        estimator.fit(self.x, y)
        save(estimator)
        classes = getattr(estimator, "classes_", numpy.array([])).tolist() if predict is CHANCE else []
        for name in names:
            with self.subTest(f"{name} of {type(estimator).__name__}"):
                case = types.SimpleNamespace(manifest={"predict": predict}, facts={"classes": classes}, file=self.file, folder=self.folder,
                                             estimator_path=lambda: self.folder / "estimator.joblib", data=types.SimpleNamespace(texts=[]), steps=lambda: (None, None))
                system = getattr(compiled, name)(case, {"threads": 1})
                system.threads = 1
                system.check()
                shutil.rmtree(system.path(), ignore_errors=True)
                system.prepare()
                outputs, expected = system.load(), wanted(estimator)
                numpy.testing.assert_allclose(outputs(self.x)[:, 0], expected, rtol=digits)
                with concurrent.futures.ThreadPoolExecutor(4) as pool:
                    rows = list(range(200)) * 3
                    got = list(pool.map(lambda row: outputs(self.x[row:row + 1])[0, 0], rows))
                numpy.testing.assert_allclose(got, expected[rows], rtol=digits)

    def file(self, format_):
        path = self.folder / f"model.{format_}"
        if not path.exists():
            raise Refused(f"there is no {format_} file of this model")
        return path

    def test_trees_as_programs(self):
        for module in ("treelite", "tl2cgen", "lleaves"):
            if not systems.there(module):
                self.skipTest(f"{module} is not installed: make bench-optional")
        import joblib
        from lightgbm import LGBMClassifier, LGBMRegressor
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from xgboost import XGBClassifier

        treelite = ("Treelite", "TreeliteGtil")
        joblib.dump(LogisticRegression(), self.folder / "estimator.joblib")
        case = types.SimpleNamespace(manifest={"predict": VALUE}, file=self.file, estimator_path=lambda: self.folder / "estimator.joblib",
                                     data=types.SimpleNamespace(texts=[]), steps=lambda: (None, None))
        for name, words in (("Treelite", "takes trees, and no LogisticRegression"), ("Lleaves", "there is no lightgbm file")):
            with self.assertRaisesRegex(Refused, words):
                getattr(compiled, name)(case, {}).check()
        forest, path = RandomForestClassifier(5, max_depth=4, random_state=1), self.folder / "estimator.joblib"
        self.same_answers(treelite, lambda e: joblib.dump(e, path), forest, self.y, CHANCE, lambda e: e.predict_proba(self.x)[:, 1], 1e-12)

        def lightgbm(estimator):
            estimator.booster_.save_model(self.folder / "model.lightgbm")

        for estimator, y, predict, wanted in ((LGBMRegressor(n_estimators=5, n_jobs=1, verbose=-1), self.y, VALUE, lambda e: e.predict(self.x)),
                                              (LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1), (self.y > 0).astype(int), CHANCE,
                                               lambda e: e.predict_proba(self.x)[:, 1])):
            self.same_answers((*treelite, "Lleaves"), lightgbm, estimator, y, predict, wanted, 1e-6)
        (self.folder / "model.lightgbm").unlink()

        def xgboost(estimator):
            estimator.save_model(self.folder / "model.json")
            (self.folder / "model.json").rename(self.folder / "model.xgboost")

        self.same_answers(treelite, xgboost, XGBClassifier(n_estimators=5, n_jobs=1), self.y, CHANCE, lambda e: e.predict_proba(self.x)[:, 1], 1e-6)

    def test_lightgbm(self):
        from lightgbm import LGBMClassifier, LGBMRegressor

        def check(estimator, y, predict, wanted):
            estimator.fit(self.x, y).booster_.save_model(self.folder / "model.lightgbm")
            classes = getattr(estimator, "classes_", numpy.array([])).tolist() if predict is CHANCE else []
            self.same(self.outputs(boosters.Lightgbm, "lightgbm", predict, classes), wanted(estimator))

        check(LGBMRegressor(n_estimators=5, n_jobs=1, verbose=-1), self.y, VALUE, lambda e: e.predict(self.x))
        check(LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1), (self.y > 0).astype(int), CHANCE, lambda e: e.predict_proba(self.x)[:, 1])
        check(LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1), self.y, CHANCE, lambda e: e.predict_proba(self.x)[:, 1])
