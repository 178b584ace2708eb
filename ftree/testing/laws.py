"""Laws that a check asserts: a failure shows the law, the result, the required value, and the input.

`unused_copy` lets a check see whether earlier calls of a part change later answers.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import wraps
from itertools import count
from types import CellType, FunctionType
from typing import Any, get_args

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from ftree._lib.arrays import TIE
from ftree._lib.fields import require_one_of
from ftree.tree.nodes import Tree

# Results may differ by rounding, which stays below what is a tie.
NEAR = TIE
# Of classes or children, and of nodes or rows: more than a part may be written for, or tried on.
MANY, COPIES = 12, 99
# Stands for a value that is not given.
_ANY = object()


def check_settings(*, fewer: int = 1) -> settings:
    """Settings of a check, from the profile that is loaded when it runs: `max_examples`, or one in `fewer` of them.

    It reports only the simplest failure. A slow machine, or a first call that compiles, breaks no law.
    """
    most = settings.default.max_examples if settings.default else 100
    return settings(
        max_examples=min(most, max(most // fewer, 10)),
        report_multiple_bugs=False,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def check_laws(laws: Callable[..., None], *examples: dict[str, Any], fewer: int = 1, **drawn: SearchStrategy[Any]) -> None:
    """Check laws, a function of values by name: on examples, and on values drawn from strategies."""
    check_settings(fewer=fewer)(_given(laws, examples, drawn))()


def check_stateless(
    part: Any,
    laws: Callable[..., None],
    answer: Callable[..., Any],
    *examples: dict[str, Any],
    every: int = 3,
    **drawn: SearchStrategy[Any],
) -> None:
    """Check laws as `check_laws` does, and then that no call of the part depends on the calls before it.

    `answer` calls the part with what the laws drew. One call in `every` is repeated afterwards, in reverse order, on the part and
    on an unused copy. Later calls must not change an answer, as they do where a part writes into an array that it returned.
    """
    unused, numbers = unused_copy(part), count()
    calls: list[tuple[dict[str, Any], Any, Any]] = []  # the values, the answer, and a copy of an answer that could be changed

    @wraps(laws)  # hypothesis reads its name and its arguments, and reports them
    def recorded(**values: Any) -> None:
        laws(**values)
        if next(numbers) % every == 0:
            answered = answer(part, **values)
            calls.append((values, answered, np.array(answered) if isinstance(answered, np.ndarray) else answered))

    try:
        check_settings()(_given(recorded, examples, drawn))()
    except Flaky as error:
        raise AssertionError("the same call gives the same answer: a law failed, and held when it was tried again") from error
    for values, answered, then in reversed(calls):
        equal("later calls do not change an answer", answered, then, **values)
        equal("the same call gives the same answer", answer(part, **values), then, **values)
        equal("earlier calls do not change an answer", then, answer(unused, **values), **values)


def _given(laws: Callable[..., None], examples: Sequence[dict[str, Any]], drawn: dict[str, SearchStrategy[Any]]) -> Any:
    check: Any = given(**drawn)(laws)
    for each in reversed(examples):  # the one that is added last is tried first
        check = example(**each)(check)
    return check


def require_exempt(exempt: Collection[str], known: Any) -> None:
    """Raise a ValueError for a name of no law that a part may be exempt from; `known` is the type of their names.

    >>> from typing import Literal
    >>> require_exempt({"deep", "depth"}, Literal["deep", "once"])
    Traceback (most recent call last):
    ValueError: exempt must be one of 'deep', 'once', got 'depth'.
    """
    for name in sorted(exempt):
        require_one_of("exempt", name, get_args(known))


def law(text: str, holds: Any, *, got: Any = _ANY, wanted: Any = _ANY, exempt: str = "", **given: Any) -> None:
    """Raise an AssertionError with the law, both values and the input, unless it holds.

    `exempt` is the name by which a part is exempt from the law, which the error then tells.

    >>> law("a node has cases", 0 > 1, got=0, wanted="at least 1", counts=[0, 0])
    Traceback (most recent call last):
    AssertionError: a node has cases: got 0, must be at least 1, for counts = [0, 0]
    """
    if not holds:
        told = [f"{word} {_shown(value)}" for word, value in (("got", got), ("must be", wanted)) if value is not _ANY]
        inputs = [f"{name} = {_shown(value)}" for name, value in given.items()]
        message = ", for ".join(filter(None, (", ".join(told), ", ".join(inputs))))
        remedy = f'. A part that does not promise this is checked with exempt={{"{exempt}"}}' if exempt else ""
        raise AssertionError(": ".join(filter(None, (text, message))) + remedy)


def equal(text: str, got: Any, wanted: Any, **given: Any) -> None:
    """Raise an AssertionError unless two values are equal; numbers, and arrays of them, may differ by rounding.

    >>> equal("two halves are a whole", 0.5 + 0.5, 1, n=2)
    """
    law(text, near(got, wanted), got=got, wanted=wanted, **given)


def same(text: str, got: Any, wanted: Any, **given: Any) -> None:
    """Raise an AssertionError unless two values, or two arrays, are equal without rounding."""
    law(text, np.array_equal(got, wanted), got=got, wanted=wanted, **given)


def near(one: Any, other: Any) -> bool:
    """Whether two values are equal; numbers, and arrays of them, may differ by rounding.

    >>> near([0.1 + 0.2], [0.3]), near("a", "b"), near([1], [1, 2])
    (True, False, False)
    """
    try:
        pair = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    except (TypeError, ValueError):  # neither numbers nor arrays of them
        return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)
    return pair[0].shape == pair[1].shape and bool(np.allclose(*pair, rtol=NEAR, atol=NEAR, equal_nan=True))


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    value = value.root if isinstance(value, Tree) else value
    return repr(value.tolist() if isinstance(value, np.ndarray | np.generic) else value)


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
