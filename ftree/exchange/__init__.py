"""Trees, policies and decisions in other forms: JSON, nested dictionaries, programs, the formats of other tools and libraries."""

from ftree.exchange.c_source import to_c
from ftree.exchange.dictionary import from_dict, to_dict
from ftree.exchange.json_document import from_json, to_json
from ftree.exchange.json_file import load, save
from ftree.exchange.onnx_model import to_onnx
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
    "from_json",
    "load",
    "save",
    "steps",
    "to_c",
    "to_dict",
    "to_json",
    "to_onnx",
    "to_python",
    "to_sql",
]
__dir__ = __all__.copy  # dir() shows public names only
