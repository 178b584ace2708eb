"""Conversion of trees, policies and decisions to and from other forms: JSON, nested dictionaries, other libraries' trees."""

from ftree.exchange.dictionary import from_dict, to_dict
from ftree.exchange.json_document import from_json, to_json
from ftree.exchange.json_file import load, save
from ftree.exchange.others.lightgbm import from_lightgbm
from ftree.exchange.others.pmml import from_pmml
from ftree.exchange.others.rpart import from_rpart
from ftree.exchange.others.scikit_learn import forest_from_sklearn, from_sklearn, to_sklearn
from ftree.exchange.others.treelite import from_treelite
from ftree.exchange.others.weka import from_weka_text
from ftree.exchange.others.xgboost import from_xgboost
from ftree.exchange.others.ydf import from_ydf

__all__ = [
    "forest_from_sklearn",
    "from_dict",
    "from_json",
    "from_lightgbm",
    "from_pmml",
    "from_rpart",
    "from_sklearn",
    "from_treelite",
    "from_weka_text",
    "from_xgboost",
    "from_ydf",
    "load",
    "save",
    "to_dict",
    "to_json",
    "to_sklearn",
]
__dir__ = __all__.copy  # dir() shows public names only
