"""Checks of JSON: text is Unicode, objects have exactly the expected keys, and columns have equal lengths."""

from collections.abc import Collection
from typing import Any

from ftree._lib.messages import joined, short_repr


def check_text(text: Any) -> str:
    """The text itself. Raises a ValueError for anything else, and for a single surrogate of UTF-16.

    >>> check_text("é")
    'é'
    """
    if not isinstance(text, str):
        message = f"A name must be a text, got {short_repr(text)}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text read, not in the argument's type
    try:
        text.encode()
    except UnicodeEncodeError:
        message = f"Text must be Unicode without single surrogates, got {short_repr(text)}."
        raise ValueError(message) from None
    return text


def members(plain: Any, what: str, required: Collection[str], optional: Collection[str] = ()) -> list[Any]:
    """The values of an object's keys, the required and then the optional ones, None for an absent key.

    Raises a ValueError for anything but an object with these keys.

    >>> members({"a": 1, "c": 2}, "It", ["a"], ["b", "c"])
    [1, None, 2]
    """
    if not isinstance(plain, dict) or not set(required) <= set(plain) <= {*required, *optional}:
        may = f", and may have {joined(optional)}" if optional else ""
        keys = plain if isinstance(plain, dict) else ()
        got = f"the keys {joined(map(short_repr, keys), at_most=8)}" if keys else short_repr(plain)
        message = f"{what} must be an object with the keys {joined(required)}{may}, got {got}."
        raise ValueError(message)
    return [plain.get(key) for key in (*required, *optional)]


def items(plain: Any, what: str, n: int | None = None) -> list[Any]:
    """A list, of n items if n is given. Raises a ValueError for anything else.

    >>> items([1, 2], "counts", 2)
    [1, 2]
    """
    if not isinstance(plain, list) or (n is not None and len(plain) != n):
        wanted = "a list" if n is None else f"a list of {n}"
        message = f"{what} must be {wanted}, got {f'{len(plain)} items' if isinstance(plain, list) else short_repr(plain)}."
        raise ValueError(message)
    return plain


def whole_numbers(plain: Any, what: str, below: int, n: int | None = None) -> list[int]:
    """A list of whole numbers from 0 and below a bound. Raises a ValueError for anything else.

    >>> whole_numbers([0, 2], "n_children", 3)
    [0, 2]
    """
    listed = items(plain, what, n)
    if not (set(map(type, listed)) <= {int} and (not listed or (min(listed) >= 0 and max(listed) < below))):
        message = f"{what} must be whole numbers from 0 and below {below}, got {short_repr(listed)}."
        raise ValueError(message)
    return listed
