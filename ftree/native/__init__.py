"""The native library: loops in C over arrays that are checked here first. Without a library, NumPy does the same more slowly.

`SIGNATURES` is the only list of its functions. A signature names each argument and its type: `f64[m,k]` is an array of two
dimensions, `f64[]` one of any length, `f64` a number; `!` marks an array that is written. C gets the addresses and numbers in
this order, then the lengths that have names, in the order of their first mention.
"""

import ctypes
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ftree.native import build

Array = npt.NDArray[Any]

# Structs of `native.h`.
STEP = np.dtype([("at", "f8"), ("line", "u4"), ("first", "u4")])
QUESTION = np.dtype(
    [("at", "f8"), ("start", "i8"), ("width", "i8")]
    + [(name, "i4") for name in ("kind", "line", "surrogate", "default_child")]
    + [("reversed", "i8")]
)
DIVISION = np.dtype([("share", "f8"), ("arity", "i4"), ("rest", "i4"), ("answer", "i4"), ("unused", "i4")])

_TYPES: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "u64": np.dtype(np.uint64),
    "Step": STEP,
    "Question": QUESTION,
    "Division": DIVISION,
}

_WAYS = "cells:f64[,b] by_row:i64 steps:Step[] questions:Question[] table:i32[] numbers:f64[] terms:i64[]"
# Functions for both types of counts, which their names end with.
_OF_COUNTS = {
    "pairs": "of_class:i64[s] weight:COUNT[s] bits:u64[w,b] starts:i64[t] others:u64[w,o] first:i64 end:i64 pairs:COUNT[k,f,n]!",
    "triples": "of_class:i64[s] weight:COUNT[s] bits:u64[w,b] starts:i64[t] rows:u64[r,v] first:i64 end:i64 "
    "both:u64[w]! begin:i64[t]! some:u64[w,b]! triples:COUNT[m,k,m,p]!",
    "pairs_with": "triples:COUNT[n,k,n,p] pairs:COUNT[k,n,n] item:i64 own:COUNT[k,n,n]!",
    "subtract": "whole:COUNT[m,k,m,p] part:COUNT[m,k,m,p] rest:COUNT[m,k,m,p]!",
}
# What leaves and splits cost, and room for trees of depth two.
_TERMS = (
    "wide:i64[e] prices:f64[c] kind:i64 penalty:f64 least:f64 step:f64 costs:f64[h,x] "
    "counts:f64[k,n]! low_high:f64[2,n]! cells:f64[4,k]!"
)
SIGNATURES = {
    "sizes": "sizes:i64[n]!",
    "leaves": f"{_WAYS} leaf:i64[n]!",
    "add_up": f"{_WAYS} divisions:Division[m] counts:f64[m,k] distributions:i64 unit:f64 "
    "node:i64[m]! part:f64[m]! spare:f64[k]! added:f64[n,k]!",
    **{
        f"{name}_{dtype}": signature.replace("COUNT", count)
        for dtype, count in (("int32", "i32"), ("float64", "f64"))
        for name, signature in _OF_COUNTS.items()
    },
    "select_rows": "rows:u64[r,v] starts:i64[t] mask:u64[w] begin:i64[t]! bits:u64[w,b]! selected:u64[r,v]!",
    "most_of_others": "masks:u64[n,w] totals:f64[n,k] least:f64[n] weight:f64[s] starts:i64[t] class_weights:f64[k] some:i64 "
    "mask:u64[w] total:f64[k] best:f64[1]!",
    "two_classes": "pairs:i32[2,n,n] total:i32[2] penalty:f64 room:i32[4,n]! best:f64[1]!",
    "quarters": "triples:i32[n,2,n,p] pairs:i32[2,n,n] total:i32[2] penalty:f64 quarters:i32[n,6,272]! "
    "counts:i32[4,272]! two:f64[n,2]!",
    "depth_two": f"pairs:f64[k,n,n] total:f64[k] {_TERMS} best:f64[1]!",
    "depth_three": "triples:f64[n,k,n,p] pairs:f64[k,n,n] total:f64[k] order:i64[o] bound:f64[c] two:f64[n,2]! "
    f"{_TERMS} own:f64[k,n,n]! rest:f64[k,n,n]! sums:f64[2,k]! best:f64[1]!",
    "add_answers": "counts:f64[,k] labels:i64[] leaf:i64[n] weight:f64 by_label:i64 added:f64[n,k]!",
}


def filled(struct: np.dtype[Any], **fields: Array) -> Array:
    """An array (m,) of structs from arrays (m,) of their fields; fields that are not given are 0.

    >>> filled(STEP, at=np.array([0.5, np.inf]), first=np.array([1, 1])).tolist()
    [(0.5, 0, 1), (inf, 0, 1)]
    """
    made = np.zeros(len(next(iter(fields.values()))), struct)
    for name, values in fields.items():
        made[name] = values
    return made


class Argument(NamedTuple):
    """An argument of a function: a number, or an array of a type with some dimensions, each a name, a length or any."""

    name: str
    type: np.dtype[Any]
    dimensions: tuple[str, ...] | None
    written: bool


def arguments_of(signature: str) -> list[Argument]:
    """The arguments that a signature names.

    >>> [(each.name, each.dimensions, each.written) for each in arguments_of("unit:f64 counts:f64[m,2]!")]
    [('unit', None, False), ('counts', ('m', '2'), True)]
    """
    found = (re.fullmatch(r"(\w+):(\w+)(?:\[([\w,]*)\])?(!?)", each) for each in signature.split())
    return [
        Argument(name, _TYPES[kind], None if sizes is None else tuple(sizes.split(",")), bool(mark))
        for name, kind, sizes, mark in (each.groups() for each in found if each is not None)
    ]


def is_here() -> bool:
    """Whether there is a library for this platform that FTREE_NATIVE=off does not forbid.

    Raises an ImportError for a library that was not built from the sources beside it.
    """
    return not build.is_off() and loaded(build.LIBRARY) is not None


def about(library: Path = build.LIBRARY) -> str:
    """What computes trees here, and why."""
    if build.is_off():
        return "NumPy, since FTREE_NATIVE=off asks for it."
    if loaded(library) is None:
        return f"NumPy, since there is no {library}. {_REMEDY}"
    return f"The native library {library}."


def call(name: str, *arguments: Any) -> int:
    """Call a function of the library, which must be here; arrays have the types and shapes of its signature.

    Raises a TypeError or ValueError that names the argument, before anything is computed.
    """
    return _called(name)(*arguments)


def prepared(name: str, *first: Any) -> Callable[..., int]:
    """A function of the library whose first arguments are checked once; it takes the others, as `call` does."""
    function, wanted, named, fixed = _function(name)
    known = fixed.copy()
    passed, others = _passed(wanted, first, known), wanted[len(first) :]

    def checked(*given: Any) -> int:
        if len(first) + len(given) != len(wanted):  # this keeps `first` alive, whose addresses are passed
            raise TypeError(f"{name} takes {len(wanted)} arguments, got {len(first) + len(given)}.")
        sizes = known.copy()
        return int(function(*passed, *_passed(others, given, sizes), *map(sizes.__getitem__, named)))

    return checked


# The file, and not `-m ftree.native.build`, which would load the library.
_REMEDY = f'`python "{build.__file__}"` builds it; FTREE_NATIVE=off does without.'


@cache
def loaded(library: Path) -> ctypes.CDLL | None:
    """A library that was built from the sources beside it; None where there is no file.

    Raises an ImportError for another one.
    """
    if not library.exists():
        return None
    try:
        found = ctypes.CDLL(str(library))
        found.ftree_digest.restype = ctypes.c_char_p
        same = found.ftree_digest().decode() == build.digest()
    except (OSError, AttributeError) as error:
        raise ImportError(f"{library} cannot be loaded ({error}). {_REMEDY}") from error
    if not same:
        raise ImportError(f"{library} was built from other sources than those beside it. {_REMEDY}")
    return found


_called = cache(prepared)


@cache
def _function(name: str) -> tuple[Any, list[Argument], list[str], dict[str, int]]:
    """A function of the library, its arguments, the names of its lengths, and the lengths that the signature says."""
    wanted = arguments_of(SIGNATURES[name])
    lengths = dict.fromkeys(each for part in wanted for each in part.dimensions or () if each)
    named = [each for each in lengths if each.isalpha()]
    function = getattr(loaded(build.LIBRARY), f"ftree_{name}")
    function.restype = ctypes.c_int64
    function.argtypes = [*map(_c_type, wanted), *(ctypes.c_int64 for _ in named)]
    return function, wanted, named, {each: int(each) for each in lengths if each.isdigit()}


def _c_type(part: Argument) -> Any:
    if part.dimensions is not None:
        return ctypes.c_void_p
    return ctypes.c_double if part.type.kind == "f" else ctypes.c_int64


def _passed(wanted: Sequence[Argument], given: Sequence[Any], sizes: dict[str, int]) -> list[Any]:
    """Numbers, and the addresses of arrays of the right types; their lengths are added to `sizes`, or equal those there."""
    passed = []
    for part, array in zip(wanted, given, strict=False):
        _, dtype, dimensions, written = part
        if dimensions is None:
            passed.append(array)
            continue
        if type(array) is not _ARRAY or (array.dtype is not dtype and array.dtype != dtype):
            got = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
            raise TypeError(f"{part.name} must be an array of {dtype}, got {got}.")
        flags, shape = array.flags, array.shape
        if not (flags.carray if written else flags.c_contiguous and flags.aligned):
            raise ValueError(f"{part.name} must be contiguous, aligned{' and writable' * written}; pass a copy.")
        fits = len(dimensions) == len(shape)
        for length, size in zip(dimensions, shape, strict=False):
            fits &= not length or sizes.setdefault(length, size) == size
        if not fits:
            raise ValueError(f"{part.name} must have the shape ({', '.join(dimensions)}) with {sizes}, got {shape}.")
        # A buffer has its address sooner than `ctypes.data`; read-only and empty arrays have none.
        passed.append(_address(_byte(array)) if flags.writeable and array.size else array.ctypes.data)
    return passed


_ARRAY, _address = np.ndarray, ctypes.addressof
_byte: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer
