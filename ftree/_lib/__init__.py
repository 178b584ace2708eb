"""Tools that know nothing of trees: fields, messages, recursion, threads, progress, arrays, ties."""

from collections.abc import Callable
from types import ModuleType
from typing import Any


def exported(room: dict[str, Any], *modules: str) -> tuple[list[str], Callable[[], list[str]]]:
    """`__all__` and `__dir__` of a room, given its globals: the names that it imports, but of modules only those given.

    >>> exported({"Tree": int, "_hidden": 1, "exported": exported, "nodes": ModuleType("nodes")})[0]
    ['Tree']
    """
    own = (name for name, value in room.items() if not (name[0] == "_" or value is exported or isinstance(value, ModuleType)))
    names = sorted([*own, *modules])
    return names, names.copy
