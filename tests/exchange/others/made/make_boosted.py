"""Writes the files for test_boosted_trees.py: models of LightGBM and XGBoost, rows with gaps, and their leaves."""

import json
import sys
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import xgboost

SMALL_TREES = {"objective": "binary", "num_leaves": 6, "min_data_in_leaf": 5, "verbose": -1, "max_bin": 32, "num_threads": 1}
OF_VALUES = {"max_cat_to_onehot": 1, "min_data_per_group": 5, "cat_smooth": 1}


def tables(seed):
    """A table of three columns, the last of four values, its labels, and the table with gaps."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(100, 3)).round(1)
    table[:, 2] = rng.integers(0, 4, 100)
    labels = (table[:, 0] + (table[:, 2] == 2) > 0.3).astype(int)
    return table, labels, np.where(rng.random(table.shape) < 0.15, np.nan, table)


def of_lightgbm(rows, labels, gaps, nominal="auto"):
    """The data of its model for the tests."""
    data = lightgbm.Dataset(rows, labels, categorical_feature=nominal, free_raw_data=False)
    model = lightgbm.train(SMALL_TREES | OF_VALUES, data, 2)
    dump = {"tree_info": model.dump_model()["tree_info"]}
    return {"dump": dump, "leaves": model.predict(gaps, pred_leaf=True).tolist()}


def make(seed):
    """The test data from each library's model of the tables of a seed."""
    table, labels, gaps = tables(seed)
    made = {"labels": labels.tolist(), "rows": [[None if np.isnan(x) else x for x in row] for row in gaps.tolist()]}
    made["lightgbm"] = of_lightgbm(gaps, labels, gaps)
    made["lightgbm without gaps"] = of_lightgbm(table, labels, gaps)
    made["lightgbm with values"] = of_lightgbm(gaps, labels, gaps, nominal=[2])
    extreme = xgboost.train({"objective": "binary:logistic", "max_depth": 3, "nthread": 1}, xgboost.DMatrix(gaps, labels), 2)
    leaves = extreme.predict(xgboost.DMatrix(gaps), pred_leaf=True).astype(int).tolist()
    made["xgboost"] = {"dump": [json.loads(tree) for tree in extreme.get_dump(dump_format="json")], "leaves": leaves}
    return made


def of_pandas(seed):
    """A frame of large whole numbers, booleans, some with gaps, and categories not in order; and numbers that depend on all."""
    rng = np.random.default_rng(seed)
    gaps = np.where(rng.random(120) < 0.3, None, rng.random(120) < 0.5)
    frame = pd.DataFrame({"ms": (1.7e12 + rng.integers(0, 10**6, 120)).astype("int64"), "b": rng.random(120) < 0.5})
    frame["gaps"] = pd.array(gaps, dtype="boolean")
    frame["code"] = pd.Categorical(rng.integers(0, 4, 120) * 10, categories=[30, 0, 20, 10])
    frame["c"] = pd.Categorical.from_codes(np.where(rng.random(120) < 0.1, -1, rng.integers(0, 5, 120)), list("edcba"))
    terms = [
        3 * (frame.ms > frame.ms.median()),
        2 * frame.b,
        4 * frame.c.isin(["e", "b"]),
        3 * frame.gaps.isna(),
        frame.code == 20,
    ]
    return frame, sum(term.to_numpy().astype(float) for term in terms) + rng.normal(size=120) / 9


def models_of_pandas(frame, y, depth=3):
    """Models of both libraries, and the leaf of each row in each tree."""
    few = {"n_estimators": 2, "max_depth": depth, "n_jobs": 1}
    lights = lightgbm.LGBMRegressor(min_child_samples=2, verbose=-1, cat_smooth=1, min_data_per_group=2, **few).fit(frame, y)
    extreme = xgboost.XGBRegressor(enable_categorical=True, base_score=0.0, **few).fit(frame, y)
    return (lights, lights.predict(frame, pred_leaf=True)), (extreme, extreme.apply(frame).astype(int))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(make(18), separators=(",", ":")))
