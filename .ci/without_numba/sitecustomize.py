"""A machine without numba: Python reads this file at its start if its folder is in PYTHONPATH, and imports neither library."""

import sys
from importlib import metadata

ABSENT = {"numba", "llvmlite"}
_distribution = metadata.distribution


def distribution(name: str) -> metadata.Distribution:
    """What is installed under a name, without these libraries."""
    if name in ABSENT:
        raise metadata.PackageNotFoundError(name)
    return _distribution(name)


metadata.distribution = distribution


class Absent:
    """A finder that has no numba."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse these libraries, and leave all others to other finders."""
        if name.partition(".")[0] in ABSENT:
            message = f"No module named {name!r}"
            raise ModuleNotFoundError(message, name=name)


sys.meta_path.insert(0, Absent())
