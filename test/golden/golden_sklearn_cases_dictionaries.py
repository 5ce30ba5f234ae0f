"""Dictionaries as JSON texts: names with numbers and texts, in front of models that read sparse rows."""

from __future__ import annotations

import json
import random
from typing import Any, List

import numpy as np
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline

from golden_sklearn_models import BOTH, Trained, case
from golden_tables import Column, Table

CITIES = ["Paris", "\u6771\u4eac", "S\u00e3o Paulo", "", "a=b"]

#: What json.loads makes of more than writers write: names that come twice, numbers in all forms, escapes, white space.
DICTS = [
    "{}", ' {"age" : 1 ,\n"city":"Paris"}\t', '{"age":1,"age":2}', '{"tags":["x"],"tags":[]}', '{"city":"Paris","city":3}',
    '{"city=Paris":2.5,"city":"Paris"}', '{"age":-0}', '{"age":1e3,"member":true,"other":null}', '{"age":123456789012345678901234567890}',
    '{"age":0.1e-400}', '{"c\\u0069ty":"\\u6771\\u4eac"}', '{"city":"\\ud83d"}', '{"tags":["x","x","y","never"]}', '{"never":NaN}',
    '{"age":5e-324,"fee":1.7976931348623157e308}',
]
HASHED = [
    "{}", '{"age":2.5,"city":"Paris","zero":0}', '{"age":1,"age":2}', '{"b":true,"c":false,"\\ud83d\\ude00":-3}',
    '{"city":"\\u6771\\u4eac","city":"Paris"}', '{"":1e-3,"x\\u0000y":4}',
]


def one(rng: random.Random) -> str:
    made: Any = {"age": rng.randint(18, 80), "fee": rng.choice([9.5, 0.1, 12.25]), "city": rng.choice(CITIES)}
    if rng.random() < 0.5:
        made["member"] = rng.random() < 0.5
        made["tags"] = rng.sample(["x", "y", "z"], rng.randint(0, 3))
    return json.dumps(made, ensure_ascii=rng.random() < 0.5)


def of_json(model: Any, seed: int, given: List[str], asked: List[str], *covers: str, **more: Any) -> Trained:
    y = np.arange(len(given)) % 2
    model.fit([json.loads(text) for text in given], y)
    rows: List[List[Any]] = [[text] for text in given[:8] + asked]
    table = Table([Column("f0", "text", given)], y.astype(np.float64))
    return Trained(model, table, ["option=" + c for c in covers], rows=rows, count=0, texts=True, json=True, **more)


def dicts(seed: int) -> List[str]:
    rng = random.Random(seed)
    return [one(rng) for _ in range(40)]


@case(BOTH)
def dict_vectorizer() -> Trained:
    return of_json(DictVectorizer(), 2401, dicts(2401), DICTS)


@case(BOTH)
def dict_vectorizer_unsorted() -> Trained:
    model = make_pipeline(DictVectorizer(separator=" is ", sort=False, sparse=False), LogisticRegression(max_iter=20))
    refused = ['{"age":null}', '{"fee":Infinity}', '{"age":1e999}']
    return of_json(model, 2402, dicts(2402), DICTS[:-1] + refused, "Dict.unsorted", "Dict.dense")


@case(BOTH)
def feature_hasher() -> Trained:
    given = [json.dumps({k: v for k, v in json.loads(text).items() if k != "tags"}) for text in dicts(2403)]
    return of_json(make_pipeline(FeatureHasher(n_features=16), Ridge()), 2403, given, HASHED, transform=True)


@case()
def feature_hasher_pairs() -> Trained:
    given = [json.dumps([[k, v] for k, v in json.loads(text).items() if k != "tags"]) for text in dicts(2404)]
    asked = ["[]", '[["age",1],["age",2],["city","Paris"]]', '[ [ "x" , 0.5 ] ,["y",true]]']
    return of_json(FeatureHasher(9, input_type="pair", alternate_sign=False), 2404, given, asked, "Hasher.pairs")


@case()
def feature_hasher_texts() -> Trained:
    given = [json.dumps(text.split()) for text in dicts(2405)]
    asked = ["[]", '["cat","dog","cat",""]', '[ "\\u6771\\u4eac" ]']
    return of_json(FeatureHasher(12, input_type="string"), 2405, given, asked, "Hasher.texts")


@case(BOTH)
def dict_float32() -> Trained:
    """A number is rounded before numbers of one column are added."""
    more = ['{"fee":0.1,"age":16777217}', '{"city":"Paris","city=Paris":0.1}', '{"age":1e-50}']
    model = make_pipeline(DictVectorizer(dtype=np.float32), Ridge())
    return of_json(model, 2406, dicts(2406), DICTS[:-1] + more, "Dict.float32", transform=True)


@case()
def dict_whole() -> Trained:
    more = ['{"fee":-0.9,"age":2.9}', '{"fee":1e15}', '{"fee":9.9,"tags":["x","x"]}']
    return of_json(DictVectorizer(dtype=np.int64), 2407, dicts(2407), DICTS[:5] + DICTS[6:7] + more, "Dict.whole")


@case()
def feature_hasher_float32() -> Trained:
    given = [json.dumps({k: v for k, v in json.loads(text).items() if k != "tags"}) for text in dicts(2408)]
    more = ['{"a":0.1,"b":0.2,"c":0.3,"d":0.7,"e":1e9,"f":-1e9}']
    model = make_pipeline(FeatureHasher(n_features=4, dtype=np.float32), LogisticRegression(max_iter=20))
    return of_json(model, 2408, given, HASHED + more, "Hasher.float32")
