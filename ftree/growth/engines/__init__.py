"""Counting engines: the protocol, common parts of engines, and the reference, `plain`."""

from ftree._lib import exported
from ftree.criteria.frontier import Avc as Avc, Joint as Joint, merge as merge
from ftree.growth.engines.engine import (
    Engine as Engine,
    EngineSetup as EngineSetup,
    MissingRows as MissingRows,
    Start as Start,
    parts_of as parts_of,
    unit_of as unit_of,
)
from ftree.growth.engines.plain_engine import plain as plain
from ftree.splitters.surrogates import CountsSides as CountsSides

__all__, __dir__ = exported(globals())  # dir() shows public names only
