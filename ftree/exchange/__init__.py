"""Conversion of trees to and from other forms: nested dictionaries."""

from ftree.exchange.dictionary import from_dict, to_dict

__all__ = ["from_dict", "to_dict"]
__dir__ = __all__.copy  # dir() shows public names only
