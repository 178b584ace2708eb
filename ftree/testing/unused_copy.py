"""A copy of a user's part that no call has changed, by which a check sees whether earlier calls change later answers."""

from contextlib import suppress
from copy import deepcopy
from types import CellType, FunctionType
from typing import Any


def unused_copy(part: Any) -> Any:
    """A deep copy of a part; the part itself if it holds something that cannot be copied.

    `copy.deepcopy` returns a function itself, with all that it remembers. So a function is made again from its code, with deep
    copies of the three places in which it may keep something: defaults, keyword defaults, and the variables around it.

    >>> def remembers():
    ...     seen = []
    ...     return lambda x: seen.append(x) or len(seen)
    >>> part = remembers()
    >>> fresh = unused_copy(part)
    >>> part("a"), part("b"), fresh("a")
    (1, 2, 1)
    """
    with suppress(Exception):  # whatever a user's object raises that cannot be copied
        return _function_again(part) if isinstance(part, FunctionType) else deepcopy(part)
    return part


def _function_again(function: FunctionType) -> FunctionType:
    around = tuple(CellType(deepcopy(cell.cell_contents)) for cell in function.__closure__ or ())
    again = FunctionType(function.__code__, function.__globals__, function.__name__, deepcopy(function.__defaults__), around)
    again.__kwdefaults__ = deepcopy(function.__kwdefaults__)
    return again
