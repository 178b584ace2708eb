"""The native library: loops in C over arrays that are checked here first. Without a library, NumPy does the same more slowly.

`SIGNATURES` is the only list of its functions. A signature names each argument and its type: `f64[m,k]` is an array of two
dimensions, `f64[]` one of any length, `f64` a number; `!` marks an array that is written. C gets the addresses and numbers in
this order, then the lengths that have names, in the order of their first mention.
"""

import ctypes
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ftree.native import build

Array = npt.NDArray[Any]


def _struct(fields: str) -> np.dtype[Any]:
    """The type of a struct in C, from its fields and their types."""
    return np.dtype([(name, kind) for name, kind in (each.split(":") for each in fields.split())])


# The structs of `native.h`.
STEP = _struct("at:f8 line:u4 first:u4")
QUESTION = _struct("at:f8 start:i8 width:i8 kind:i4 line:i4 surrogate:i4 default_child:i4 reversed:i8")
DIVISION = _struct("share:f8 arity:i4 rest:i4 answer:i4 unused:i4")
GROWING = _struct("pure:f8 depth:f8 rows:f8 errors:f8 leaf:f8 gain:f8 unit:f8 n_classes:i8 shift:i8 impurity:i8")
ITEM = _struct("place:u4 row:u4")
CUT = _struct("gain:f8 at:i8 feature:i4 unsure:i4 threshold:f8")
OPEN = _struct("low:i8 high:i8 node:i8 depth:i8 key:u8 local:i8")
GROWN_NODE = _struct("feature:i4 first:i4 below:i4 above:i4")
SEARCH = _struct("n:i8 exact:i8 stream:u8")
SEARCHED_FEATURE = _struct("hash:u8 stream:u8 least:f8 is_drawn:i8")
DRAWN = _struct("draw:u8 feature:i8")
DRAWN_NODE = _struct("at:f8 feature:i4 first:i4")
STRUCTS = {
    "Step": STEP,
    "Question": QUESTION,
    "Division": DIVISION,
    "Growing": GROWING,
    "Item": ITEM,
    "Cut": CUT,
    "Open": OPEN,
    "GrownNode": GROWN_NODE,
    "Search": SEARCH,
    "SearchedFeature": SEARCHED_FEATURE,
    "Drawn": DRAWN,
    "DrawnNode": DRAWN_NODE,
}
_NUMBERS = {"f64": "f8", "i64": "i8", "i32": "i4", "u64": "u8", "u32": "u4", "u8": "u1"}
_TYPES: dict[str, np.dtype[Any]] = STRUCTS | {name: np.dtype(kind) for name, kind in _NUMBERS.items()}

_WAYS = "cells:f64[,b] by_row:i64 steps:Step[] questions:Question[] table:i32[] numbers:f64[] terms:i64[]"
_LANES = "rules:Growing[1] keys:i32[f,n]! distinct:u8[f]"
_SCAN = f"{_LANES} table:i64[] least:i64[f]"
_SUMS = "rules:Growing[1] keys:i32[l,n]! distinct:u8[l] whole:i64[n] times:i64[t] channels:f64[n,k] features:SearchedFeature[f]"
SIGNATURES = {
    "sizes": "sizes:i64[n]!",
    "leaves": f"{_WAYS} leaf:i64[n]!",
    "add_up": f"{_WAYS} divisions:Division[m] counts:f64[m,k] distributions:i64 unit:f64 "
    "node:i64[m]! part:f64[m]! spare:f64[k]! added:f64[n,k]!",
    "add_answers": "counts:f64[,k] labels:i64[] leaf:i64[n] weight:f64 by_label:i64 added:f64[n,k]!",
    "sort_lane": "x:f64[n] label:u8[n] shift:i64 items:Item[n]! room:Item[n]! lane:i32[n]!",
    "scan_lanes": f"{_SCAN} low:i64 high:i64 all:i64[k] first:i64 last:i64 room:i64[k]! gains:f64[f]!",
    "choose": f"{_SCAN} low:i64 high:i64 depth:i64 all:i64[k] gains:f64[f] left:i64[k]! right:u8[n]! cut:Cut[1]!",
    "part_lanes": f"{_LANES} low:i64 high:i64 own:i64 right:u8[n] first:i64 last:i64 room:i32[r]!",
    "grow_lanes": f"{_SCAN} steps:i64 state:i64[2]! open:Open[m]! nodes:GrownNode[m]! counts:i64[m,k]! right:u8[n]! "
    "room:i32[r]! gains:f64[f]! left:i64[k]!",
    "scan_sums": f"{_SUMS} low:i64 high:i64 all:f64[k] first:i64 last:i64 cuts:Cut[f]!",
    "choose_sums": f"{_SUMS} low:i64 high:i64 depth:i64 all:f64[k] cuts:Cut[f] left:f64[k]! other:f64[k]! right:u8[n]! "
    "cut:Cut[1]!",
    "grow_sums": f"{_SUMS} search:Search[1] x:f64[v] steps:i64 state:i64[2]! open:Open[m]! nodes:GrownNode[m]! sums:f64[m,k]! "
    "at:f64[d]! marks:u8[n]! room:i32[r]! drawn:Drawn[f]! cuts:Cut[f]!",
    "grow_drawn": "rules:Growing[1] search:Search[1] features:SearchedFeature[f] x:f64[f,n] ranks:u32[f,n] table:f64[s] "
    "steps:i64 state:i64[2]! open:Open[m]! nodes:DrawnNode[m]! counts:f64[m,k]! row:u32[e]! label:i32[e]! weight:f64[e]! "
    "near_x:f64[f,b]! near_ranks:u32[f,b]! drawn:Drawn[f]! cuts:Cut[f]! left:f64[g,k]! keys:u64[e]! spare:u64[e]! room:f64[e]!",
    "list_by_level": "nodes:DrawnNode[m] counts:f64[m,k] ordered:DrawnNode[m]! own:f64[m,k]!",
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
        return f"NumPy, since there is no {library}. {REMEDY}"
    return f"The native library {library}."


def call(name: str, *arguments: Any) -> int:
    """Call a function of the library, which must be here; arrays have the types and shapes of its signature.

    Raises a TypeError or ValueError that names the argument, before anything is computed.
    """
    return _functions(name)(*arguments)


# The file, and not `-m ftree.native.build`, which would load the library.
REMEDY = f'`python "{build.__file__}"` builds it; FTREE_NATIVE=off does without.'


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
        raise ImportError(f"{library} cannot be loaded ({error}). {REMEDY}") from error
    if not same:
        raise ImportError(f"{library} was built from other sources than those beside it. {REMEDY}")
    return found


@cache
def _functions(name: str) -> Callable[..., int]:
    """A function of the library that checks its arguments."""
    wanted = arguments_of(SIGNATURES[name])
    function = getattr(loaded(build.LIBRARY), f"ftree_{name}")
    named = {each: ctypes.c_int64 for part in wanted for each in part.dimensions or () if each.isalpha()}
    function.restype = ctypes.c_int64
    function.argtypes = [*map(_c_type, wanted), *named.values()]

    def checked(*given: Any) -> int:
        if len(given) != len(wanted):
            raise TypeError(f"{name} takes {len(wanted)} arguments, got {len(given)}.")
        sizes: dict[str, int] = {}
        passed = [
            each if part.dimensions is None else _address(part, each, sizes) for part, each in zip(wanted, given, strict=True)
        ]
        return int(function(*passed, *sizes.values()))

    return checked


def _c_type(part: Argument) -> Any:
    if part.dimensions is not None:
        return ctypes.c_void_p
    return ctypes.c_double if part.type.kind == "f" else ctypes.c_int64


def _address(part: Argument, array: Array, sizes: dict[str, int]) -> int:
    """The address of an array that is as its signature says; its lengths are added to `sizes`, or equal those there."""
    if type(array) is not np.ndarray or array.dtype != part.type:
        got = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
        raise TypeError(f"{part.name} must be an array of {part.type}, got {got}.")
    flags = array.flags
    if not flags.c_contiguous or not flags.aligned or (part.written and not flags.writeable):
        raise ValueError(f"{part.name} must be contiguous, aligned{' and writable' * part.written}; pass a copy.")
    dimensions = part.dimensions or ()
    pairs = list(zip(dimensions, array.shape, strict=False))
    known = tuple(sizes.get(name, size) if name.isalpha() else int(name or size) for name, size in pairs)
    if len(dimensions) != array.ndim or known != array.shape:
        raise ValueError(f"{part.name} must have the shape ({', '.join(dimensions)}) with {sizes}, got {array.shape}.")
    sizes.update((name, size) for name, size in pairs if name.isalpha())
    return int(array.ctypes.data)
