"""A fold of nested dictionaries, which may have any depth, share parts, or, by mistake, contain themselves."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from attrs import frozen

_R = TypeVar("_R")

# A tree in which parts are shared may have at most this many nodes, since most functions of a tree visit each of its paths.
MOST_NODES = 1_000_000


def fold_nested(nested: Any, below: Callable[[Any], Iterable[Any]], combine: Callable[[Any, tuple[_R, ...]], _R]) -> _R:
    """Compute `combine(part, results of the parts below it)` for the whole, the parts below first, left to right.

    `below(part)` gives the parts below a part. A part that occurs several times is computed once.

    Raises a ValueError for a part inside itself, and for shared parts that make a tree of more than a million nodes.

    >>> fold_nested([[], []], list, lambda part, below: 1 + sum(below))
    3
    """
    done: dict[int, _Done[_R]] = {}
    open_parts: dict[int, list[Any]] = {}
    stack, n_found = [nested], 1
    while stack:
        part = stack[-1]
        key = id(part)
        if key in done:
            stack.pop()
        elif key in open_parts:
            found = [done[id(each)] for each in open_parts.pop(key)]
            size = 1 + sum(each.size for each in found)
            _check_size(size, n_found)
            done[key] = _Done(part, size, combine(part, tuple([each.result for each in found])))
        else:
            open_parts[key] = inner = list(below(part))
            n_found += len(inner)
            _check_cycle(inner, open_parts)
            stack += reversed(inner)
    return done[id(nested)].result


@frozen(eq=False)
class _Done(Generic[_R]):
    """The result of a part, and its number of nodes; the part is kept, so that no other object gets its id."""

    part: Any
    size: int
    result: _R


def _check_cycle(inner: list[Any], open_parts: dict[int, list[Any]]) -> None:
    if any(id(each) in open_parts for each in inner):
        message = "nested must be a dictionary of finite depth, got one that is inside itself."
        raise ValueError(message)


def _check_size(size: int, n_found: int) -> None:
    """Check the number of nodes; without shared parts, it is the number of parts found."""
    if size > MOST_NODES and size > n_found:
        wanted = f"a dictionary whose shared parts make a tree of at most {MOST_NODES:,} nodes"
        message = f"nested must be {wanted}, got a part that makes {size:,} nodes."
        raise ValueError(message)
