"""Conversion of trees, policies and decisions to and from other forms: JSON, nested dictionaries."""

from ftree.exchange.dictionary import from_dict, to_dict
from ftree.exchange.json_document import from_json, to_json
from ftree.exchange.json_file import load, save

__all__ = ["from_dict", "from_json", "load", "save", "to_dict", "to_json"]
__dir__ = __all__.copy  # dir() shows public names only
