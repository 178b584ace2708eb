"""Tools for very many objects: fold them without Python's call stack, pause the garbage collector, cache by identity.

Lists take the place of the call stack, so that only memory limits the depth.
"""

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeGuard, TypeVar
from weakref import ReferenceType, ref

_S = TypeVar("_S")
_R = TypeVar("_R")


@contextmanager
def gc_paused() -> Iterator[None]:
    """Switch the garbage collector off during a block, or during a call when used as a decorator; then restore its state.

    >>> with gc_paused():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@gc_paused()
def fold_over(root: _S, children: Callable[[_S], Iterable[_S]], combine: Callable[[_S, tuple[_R, ...]], _R]) -> _R:
    """Compute `combine(node, results of its children)` for `root`, children first, left to right.

    `children(node)` gives the nodes below a node.

    >>> fold_over(6, lambda n: [d for d in (2, 3) if d < n <= 6 == n], lambda n, below: n + sum(below))
    11
    """
    visited: list[tuple[_S, int]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        kids = list(children(node))
        visited.append((node, len(kids)))
        stack += kids
    # Nodes were visited before their children, and children from right to left. The reverse order therefore visits
    # children first, from left to right.
    results: list[_R] = []
    for node, n_kids in reversed(visited):
        first = len(results) - n_kids
        results[first:] = [combine(node, tuple(results[first:]))]
    return results[0]


def is_exactly(value: Any, *types: type[_S]) -> TypeGuard[_S]:
    """Whether a value is of one of these types, and not of a subclass, whose methods may do something else.

    >>> is_exactly(True, int, bool), is_exactly(True, int)
    (True, False)
    """
    return type(value) in types


def exhaust(steps: Iterable[object]) -> None:
    """Run through an iterator for its side effects, in C.

    >>> done = []
    >>> exhaust(map(done.append, "ab"))
    >>> done
    ['a', 'b']
    """
    deque(steps, maxlen=0)


def cached_by_identity(function: Callable[[_S], _R]) -> Callable[[_S], _R]:
    """Decorate a function of one object, so that it computes its result once for each object.

    >>> class Value: pass
    >>> one, describe = Value(), cached_by_identity(lambda value: [value.__class__.__name__])
    >>> describe(one) is describe(one), describe(one) is describe(Value())
    (True, False)
    """
    results: dict[int, tuple[ReferenceType[_S], _R]] = {}

    def forget(key: int) -> None:
        results.pop(key, None)

    @wraps(function)
    def cached(subject: _S) -> _R:
        key = id(subject)
        found = results.get(key)
        # An id is reused after its object is gone, so the reference is compared as well.
        if found is not None and found[0]() is subject:
            return found[1]
        result = function(subject)
        results[key] = ref(subject, lambda _: forget(key)), result
        return result

    return cached
