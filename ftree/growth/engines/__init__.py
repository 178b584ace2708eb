"""Counting engines: the protocol, in engine.py, and the reference, `plain`.

plain_engine.py counts in NumPy, or in C by native_counting.py.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.criteria.frontier import Avc as Avc, Joint as Joint, merge as merge
    from ftree.data.dataset_fields import unit_of as unit_of
    from ftree.growth.engines.engine import Engine as Engine, EngineSetup as EngineSetup, Start as Start
    from ftree.growth.engines.plain_engine import plain as plain
    from ftree.routing.missing_rules import parts_of as parts_of
    from ftree.splitters.surrogates import CountsSides as CountsSides
else:
    on_first_use(__name__)
