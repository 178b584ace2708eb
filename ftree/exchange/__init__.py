"""Conversion of trees to and from other forms: nested dictionaries, programs and the formats of other tools."""

from ftree.exchange.c_source import to_c
from ftree.exchange.dictionary import from_dict, to_dict
from ftree.exchange.latex_tree import to_latex
from ftree.exchange.onnx_model import to_onnx
from ftree.exchange.pmml import to_pmml
from ftree.exchange.python_source import to_python
from ftree.exchange.sql import to_sql
from ftree.exchange.step_list import Every, Not, Some, Step, Steps, Test, steps

__all__ = [
    "Every",
    "Not",
    "Some",
    "Step",
    "Steps",
    "Test",
    "from_dict",
    "steps",
    "to_c",
    "to_dict",
    "to_latex",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_sql",
]
__dir__ = __all__.copy  # dir() shows public names only
