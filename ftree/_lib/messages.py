"""Parts of error messages: values in a form that fits on a line."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

# The most characters of a value that a message shows.
_WIDTH = 60


def short_repr(value: Any) -> str:
    """The repr of a value, shortened to 60 characters; type and shape of an array or a table.

    >>> import numpy as np
    >>> short_repr("yes"), len(short_repr("yes" * 1000)), short_repr(np.zeros((2, 3)))
    ("'yes'", 60, 'ndarray of shape (2, 3)')
    """
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {shape}"
    text = repr(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


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


def joined(texts: Iterable[str], *, at_most: int = 20) -> str:
    """Texts with commas between them, and dots in place of those beyond `at_most`.

    >>> joined(["a", "b", "c"], at_most=2)
    'a, b, ...'
    """
    listed = list(islice(texts, at_most + 1))
    return ", ".join([*listed[:at_most], *(["..."] if len(listed) > at_most else [])])
