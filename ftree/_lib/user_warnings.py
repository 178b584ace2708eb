"""Warnings at the user's line, wherever in the package or in an installed library the reason is found; once for each line."""

import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Hashable, Iterable
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any

from toolz import unique

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
