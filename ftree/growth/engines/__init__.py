"""Counting engines: the protocol, common parts of engines, the NumPy reference and the compiled engine."""

from ftree.criteria.counts import Avc, Joint, merge
from ftree.growth.engines.numpy_engine import plain
from ftree.growth.engines.protocol import CountsSides, Engine, EngineSetup, FindsSplits, GrowsSubtrees, MissingRows, Start
from ftree.growth.engines.sharing import parts_of, unit_of

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
