"""A cache keyed by the identity of an object; an entry is dropped with its object.

It is meant for frozen values, which cannot change, and which take long to hash and to compare.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import ReferenceType, ref

_S = TypeVar("_S")
_R = TypeVar("_R")


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
