"""Counting engines: the protocol, common parts of engines, the NumPy reference and the compiled engine."""

from ftree.criteria.frontier import Avc, Joint, merge
from ftree.growth.engines.engine import Engine, EngineSetup, FindsSplits, GrowsSubtrees, MissingRows, Start, parts_of, unit_of
from ftree.growth.engines.plain_engine import plain
from ftree.splitters.surrogates import CountsSides

__all__ = [
    "Avc",
    "CountsSides",
    "Engine",
    "EngineSetup",
    "FindsSplits",
    "GrowsSubtrees",
    "Joint",
    "MissingRows",
    "Start",
    "merge",
    "parts_of",
    "plain",
    "unit_of",
]
__dir__ = __all__.copy  # dir() shows public names only
