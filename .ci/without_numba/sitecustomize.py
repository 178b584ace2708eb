"""A machine without numba: Python reads this file at its start if its folder is in PYTHONPATH, and imports neither library."""

from collections.abc import Sequence
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

ABSENT = {"numba", "llvmlite"}
_distribution = metadata.distribution


def distribution(name: str) -> metadata.Distribution:
    """What is installed under a name, without these libraries."""
    if name in ABSENT:
        raise metadata.PackageNotFoundError(name)
    return _distribution(name)


metadata.distribution = distribution


_find_spec = PathFinder.find_spec


@classmethod
def find_spec(_: type, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
    """Where a module is found; nowhere, if it is of these libraries."""
    return None if name.partition(".")[0] in ABSENT else _find_spec(name, path, target)


PathFinder.find_spec = find_spec
