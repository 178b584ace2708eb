"""Writes what test_boosted_trees.py reads: models of LightGBM, XGBoost and treelite, rows with gaps, and their leaves."""

import json
import sys
from pathlib import Path

import lightgbm
import numpy as np
import treelite
import xgboost

rng = np.random.default_rng(18)
table = rng.normal(size=(100, 3)).round(1)
table[:, 2] = rng.integers(0, 4, 100)
labels = (table[:, 0] + (table[:, 2] == 2) > 0.3).astype(int)
gaps = np.where(rng.random(table.shape) < 0.15, np.nan, table)


def rows(a):
    return [[None if np.isnan(x) else x for x in r] for r in a.tolist()]


out = {"labels": labels.tolist(), "rows": rows(gaps)}


def lgb(x, **o):
    d = lightgbm.Dataset(x, labels, categorical_feature=o.pop("cat", "auto"), free_raw_data=False)
    b = lightgbm.train(
        {
            "objective": "binary",
            "num_leaves": 6,
            "min_data_in_leaf": 5,
            "verbose": -1,
            "max_cat_to_onehot": 1,
            "min_data_per_group": 5,
            "cat_smooth": 1,
            "max_bin": 32,
            **o,
        },
        d,
        2,
    )
    m = b.dump_model()
    return {"dump": {"tree_info": m["tree_info"]}, "leaves": b.predict(gaps, pred_leaf=True).tolist()}, b


out["lightgbm"], b1 = lgb(gaps)
out["lightgbm without gaps"], _ = lgb(table)
out["lightgbm with values"], _ = lgb(gaps, cat=[2])
x = xgboost.train({"objective": "binary:logistic", "max_depth": 3}, xgboost.DMatrix(gaps, labels), 2)
out["xgboost"] = {
    "dump": [json.loads(t) for t in x.get_dump(dump_format="json")],
    "leaves": x.predict(xgboost.DMatrix(gaps), pred_leaf=True).astype(int).tolist(),
}
for name, m in (
    ("treelite of lightgbm", treelite.frontend.from_lightgbm(b1)),
    ("treelite of xgboost", treelite.frontend.from_xgboost(x)),
):
    t = json.loads(m.dump_as_json().replace('"threshold": ,', '"threshold": 1e-35,'))  # which release 4.8 leaves out
    out[name] = {
        "dump": {k: t[k] for k in ("threshold_type", "num_class", "trees") if k in t},
        "leaves": treelite.gtil.predict_leaf(m, gaps.astype(np.float64 if t["threshold_type"] == "float64" else np.float32))
        .astype(int)
        .tolist(),
    }
Path(sys.argv[1]).write_text(json.dumps(out, separators=(",", ":")))
