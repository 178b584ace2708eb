"""Tools that import nothing of the other packages; and names that are imported on first use.

fields.py has arguments, messages.py texts of errors, objects.py recursion and identity, machine.py threads and memory, waiting.py
progress, faces.py displays in notebooks. arrays.py has tools of arrays and, at its end, what the whole library takes from one
place: which scores and counts tie. random_numbers.py draws by keys; limbs.py has exact sums beyond floats; tail_probabilities.py
has the distributions of tests.

| after a change of | run first, in `tests/_lib` |
|---|---|
| arrays.py | `test_arrays.py`; of ties and midpoints `tests/growth/test_depth_first.py`, `test_table_growth.py` |
| random_numbers.py | `tests/growth/test_drawn_trees.py`, whose C draws the same |
| fields.py, messages.py, limbs.py | the tests of their names; of fields `tests/test_odd_values.py` |
| objects.py | `test_identity_cache.py`, `test_recursion.py`, `tests/test_depth.py` |
| machine.py | `test_memory.py`, `test_threads.py`, `test_other_systems.py` |
| waiting.py, faces.py, tail_probabilities.py | `test_progress.py`; the tests of their names |
| this file | `tests/test_doors.py` |
"""

import ast
import sys
from functools import cached_property
from importlib import import_module
from inspect import getsource
from types import ModuleType
from typing import Any


def on_first_use(package: str) -> None:
    """Let a package import each of its public names when it is first used: those that it imports as themselves.

    The imports stand under `if TYPE_CHECKING:`. Type checkers read them there, and so does the package when a name is asked for.

    >>> import ftree.prune
    >>> ftree.prune.trim
    <class 'ftree.prune.trim.trim'>
    """
    sys.modules[package].__class__ = Package


class Package(ModuleType):
    """A package whose names are imported on first use. A file that has a public name's own name does not hide it."""

    @cached_property
    def _homes(self) -> dict[str, str]:
        """The module of each public name."""
        try:
            source = ast.parse(getsource(self))
        except OSError as error:
            raise ImportError(f"{self.__name__} must have its file __init__.py, whose imports it reads, got none.") from error
        imports = (node for node in ast.walk(source) if isinstance(node, ast.ImportFrom) and node.module)
        return {alias.name: str(node.module) for node in imports for alias in node.names if alias.name == alias.asname}

    def __getattr__(self, name: str) -> Any:
        """Import a public name, and keep it."""
        if name == "__all__":
            return sorted(self._homes)
        if name.startswith("_") or name not in self._homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home = self._homes[name]
        value = import_module(f"{home}.{name}") if home == self.__name__ else getattr(import_module(home), name)
        vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a module that Python has imported; a public name in it that equals its own takes its place."""
        is_hidden = isinstance(value, ModuleType) and hasattr(value, name) and name in self._homes
        super().__setattr__(name, getattr(value, name) if is_hidden else value)

    def __dir__(self) -> list[str]:
        """Public names only."""
        return sorted(self._homes)
