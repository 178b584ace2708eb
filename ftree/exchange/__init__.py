"""Trees, policies and decisions in other forms: JSON, nested dictionaries, programs, formats of other tools and libraries."""

from ftree.exchange.dictionary import from_dict, to_dict
from ftree.exchange.json_document import from_json, load, save, to_json
from ftree.exchange.onnx_model import to_onnx
from ftree.exchange.others.ensembles import from_lightgbm, from_treelite, from_xgboost, from_ydf
from ftree.exchange.others.from_pmml import from_pmml
from ftree.exchange.others.printed_trees import from_rpart, from_weka_text
from ftree.exchange.others.scikit_learn import forest_from_sklearn, from_sklearn, to_sklearn
from ftree.exchange.others.viewers import to_dtreeviz, to_supertree, to_thresholds
from ftree.exchange.pmml import to_pmml
from ftree.exchange.source_code import to_c, to_python
from ftree.exchange.sql import to_sql
from ftree.exchange.step_list import Every, Not, Some, Step, Steps, Test, steps
from ftree.show.tex import to_latex

__all__ = [
    "Every",
    "Not",
    "Some",
    "Step",
    "Steps",
    "Test",
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
    "steps",
    "to_c",
    "to_dict",
    "to_dtreeviz",
    "to_json",
    "to_latex",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_sklearn",
    "to_sql",
    "to_supertree",
    "to_thresholds",
]
__dir__ = __all__.copy  # dir() shows public names only
