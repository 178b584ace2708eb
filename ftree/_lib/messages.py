"""Parts of messages: a value in a form that fits on one line, optional imports, and warnings at the user's line."""

import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextvars import ContextVar
from difflib import get_close_matches
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from toolz import unique

# The most characters of a value that a message shows.
_WIDTH = 60
_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    dict: ("{", "}"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


def short_repr(value: Any) -> str:
    """The repr of a value on one line, shortened to 60 characters; for an array or a table, its type and shape.

    It reads only the part of a long or deep value that it shows. A value whose repr fails is shown by its type.

    >>> import numpy as np
    >>> short_repr("yes"), len(short_repr("yes" * 1000)), short_repr(np.zeros((2, 3)))
    ("'yes'", 60, 'ndarray of shape (2, 3)')
    >>> short_repr([np.zeros((2, 2))])
    '[array([[0., 0.], [0., 0.]])]'
    """
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {shape}"
    text = ""
    for piece in _pieces_of_repr(value):
        text += piece
        if len(text) > _WIDTH:
            return f"{text[: _WIDTH - 3]}..."
    return text


def type_of(value: Any) -> str:
    """The type of a value, with its article; None and classes by their own names.

    >>> type_of(3), type_of({}), type_of(None), type_of(dict)
    ('an int', 'a dict', 'None', 'the class dict')
    """
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"


def how_to_install(extra: str) -> str:
    """The command that installs the libraries of an extra, from PyPI or in a checkout.

    >>> how_to_install("plot")
    "Run pip install 'ftrees[plot]', or pip install -e '.[plot]' in a checkout."
    """
    return f"Run pip install 'ftrees[{extra}]', or pip install -e '.[{extra}]' in a checkout."


def imported(name: str, message: str) -> Any:
    """A library that only some functions need. Raises an ImportError with the message where it is not installed.

    >>> imported("no_such_library", "no_such_library must be installed for this.")
    Traceback (most recent call last):
    ModuleNotFoundError: no_such_library must be installed for this.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise type(error)(message) from error


def counted(n: int, one: str, several: str = "") -> str:
    """A number with its word.

    >>> counted(1, "row"), counted(0, "leaf", "leaves")
    ('1 row', '0 leaves')
    """
    return f"{n} {one if n == 1 else several or one + 's'}"


def joined(texts: Iterable[str], *, at_most: int = 20) -> str:
    """Texts separated by commas, with dots instead of those beyond `at_most`.

    >>> joined(["a", "b", "c"], at_most=2)
    'a, b, ...'
    """
    listed = list(islice(texts, at_most + 1))
    return ", ".join([*listed[:at_most], *(["..."] if len(listed) > at_most else [])])


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The most similar known name, ignoring case and blanks; None where no name is similar.

    >>> nearest_name(" WINDYY", ["outlook", "windy"])
    'windy'
    """
    folded = {candidate.strip().casefold(): candidate for candidate in known}
    near = get_close_matches(name.strip().casefold(), folded, n=1)
    return folded[near[0]] if near else None


def _pieces_of_repr(value: Any) -> Iterator[str]:
    """The repr of a value, piece by piece, so that the caller can stop early."""
    if type(value) not in _BRACKETS or not value:
        yield _line_of_repr(value)
        return
    opening, closing = _BRACKETS[type(value)]
    for number, item in enumerate(value):
        yield ", " if number else opening
        yield from _pieces_of_repr(item)
        if isinstance(value, dict):
            yield ": "
            yield from _pieces_of_repr(value[item])
    yield ",)" if isinstance(value, tuple) and len(value) == 1 else closing


def _line_of_repr(value: Any) -> str:
    try:
        text = repr(value[: _WIDTH + 1]) if isinstance(value, (str, bytes)) else repr(value)
    except Exception:  # noqa: BLE001  # a message must not fail, whatever a user's type raises
        return f"<{type(value).__name__} object>"
    return " ".join(line.strip() for line in text.splitlines())


# Warnings

_PACKAGE = str(Path(__file__).parent.parent) + os.sep
# Where installed libraries are, whose calls are not the user's.
_LIBRARIES = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"))
# The last call of the user's, and the doubts that it was warned of: a library that fits many times keeps nothing of ours.
_TOLD: ContextVar[tuple[Any, tuple[Hashable, ...]]] = ContextVar("told", default=(None, ()))


def warn_of(doubts: Iterable[Hashable]) -> None:
    """Warn of each doubt but None, by its text, at the user's line that reads the table.

    Warn once of equal doubts, also if a library reads parts of the table repeatedly for that line.
    """
    level, reader = _caller(sys._getframe(), lambda file: file.startswith(_PACKAGE))  # noqa: SLF001  # the only way to the line
    further, user = _caller(reader, lambda file: any(place in file for place in _LIBRARIES))
    call = id(user), user.f_code, user.f_lasti
    last_call, told = _TOLD.get()
    told = told if user is not reader and call == last_call else ()
    new = [doubt for doubt in unique(filter(None, doubts)) if doubt not in told]
    _TOLD.set((call, (*told, *new)))
    for doubt in new:
        warnings.warn(str(doubt), stacklevel=1 + level + further)


def _caller(frame: FrameType, is_passed: Callable[[str], bool]) -> tuple[int, FrameType]:
    """The first frame, from this one outwards, whose file is not passed over, and how many are; the last one if all are."""
    n_passed = 0
    while frame.f_back is not None and is_passed(frame.f_code.co_filename):
        n_passed, frame = n_passed + 1, frame.f_back
    return n_passed, frame
