"""The native library: loops in C over arrays that are checked here first. Without a library, NumPy does the same more slowly.

`docs/explanation/native.md` is the map: which C file calls which, and what does the same in Python.
"""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree.native import build
from ftree.native.signatures import (
    COLUMN as COLUMN,
    COPY as COPY,
    CRITERION as CRITERION,
    CUT as CUT,
    DIVISION as DIVISION,
    DRAWN as DRAWN,
    FORK as FORK,
    GROWTH_RULES as GROWTH_RULES,
    GROWN_NODE as GROWN_NODE,
    ITEM as ITEM,
    OPEN as OPEN,
    PART as PART,
    QUESTION as QUESTION,
    RAISED as RAISED,
    SCORED as SCORED,
    SEARCH as SEARCH,
    SEARCHED_FEATURE as SEARCHED_FEATURE,
    SIGNATURES as SIGNATURES,
    STAND_IN as STAND_IN,
    STEP as STEP,
    STRUCTS as STRUCTS,
    TABLE_NODE as TABLE_NODE,
    TABLE_SIZES as TABLE_SIZES,
    LEAF_TERMS as LEAF_TERMS,
    TREES_KNOWN as TREES_KNOWN,
    Argument,
    arguments_of,
)

__all__ = ["about"]
__dir__ = __all__.copy  # dir() shows public names only
Array = npt.NDArray[Any]


def filled(struct: np.dtype[Any], **fields: Array) -> Array:
    """An array (m,) of structs from arrays (m,) of their fields; fields that are not given are 0.

    >>> filled(STEP, at=np.array([0.5, np.inf]), first=np.array([1, 1])).tolist()
    [(0.5, 0, 1), (inf, 0, 1)]
    """
    made = np.zeros(len(next(iter(fields.values()))), struct)
    for name, values in fields.items():
        made[name] = values
    return made


def aligned(*arrays: Array) -> list[Array]:
    """Arrays, copied where they lie at an odd address, as those of a message from another process may.

    >>> aligned(np.frombuffer(bytes(17), np.uint8)[1:].view(np.float64))[0].flags.aligned
    True
    """
    return [np.require(array, requirements="A") for array in arrays]


def record(struct: np.dtype[Any], **fields: Any) -> tuple[Any, ...]:
    """One struct as NumPy takes it, the fields in their order; fields that are not given are 0.

    >>> record(STEP, first=1, at=0.5)
    (0.5, 0, 1)
    """
    found = tuple([fields.pop(name, 0) for name in struct.names or ()])
    if fields:
        raise TypeError(f"fields must be {', '.join(struct.names or ())}, got {', '.join(fields)}.")
    return found


def is_here() -> bool:
    """Whether there is a library for this platform that FTREE_NATIVE=off does not forbid.

    Raises an ImportError for a library that was not built from the sources beside it.
    """
    return not build.is_off() and loaded(build.LIBRARY) is not None


def about(library: Path | None = None) -> str:
    """What computes trees here, and why: the native library at its place, or NumPy.

    Raises an ImportError for a library that was not built from the sources beside it.

    >>> about(Path("none")).split(",")[0]
    'NumPy'
    """
    if build.is_off():
        return "NumPy, since FTREE_NATIVE=off asks for it."
    library = build.LIBRARY if library is None else library
    if loaded(library) is None:
        return f"NumPy, since there is no {library}. {REMEDY}"
    return f"The native library {library}, compiled for {variants(library)[-1][1:].upper() or 'any processor'}."


def call(name: str, *arguments: Any, **named: Any) -> int:
    """Call a function of the library, which must be here; arrays have the types and shapes of its signature.

    Arguments may be given by their names in the signature, as is best where they are many.

    Raises a TypeError or ValueError that names the argument, before anything is computed.
    """
    return _called(name)(*arguments, *(_in_order(name, len(arguments), named) if named else ()))


def prepared(name: str, *first: Any, variant: str | None = None) -> Callable[..., int]:
    """A function of the library whose first arguments are checked once; it takes the others, as `call` does.

    All variants give the same bits; `variant` is one of `variants()`, the newest by default.
    """
    function, wanted, named, fixed = _function(name, variants()[-1] if variant is None else variant)
    known = fixed.copy()
    passed, others = _passed(wanted, first, known), wanted[len(first) :]

    def checked(*given: Any) -> int:
        if len(first) + len(given) != len(wanted):  # this keeps `first` alive, whose addresses are passed
            raise TypeError(f"{name} takes {len(wanted)} arguments, got {len(first) + len(given)}.")
        sizes = known.copy()
        return int(function(*passed, *_passed(others, given, sizes), *map(sizes.__getitem__, named)))

    return checked


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
def variants(library: Path = build.LIBRARY) -> list[str]:
    """The suffixes of the variants of a library that this processor can run, the newest one last; none where there is no file."""
    found = loaded(library)
    return [] if found is None else list(build.VARIANTS)[: found.ftree_processor() + 1]


_called = cache(prepared)


@cache
def _function(name: str, variant: str) -> tuple[Any, list[Argument], list[str], dict[str, int]]:
    """A function of the library, its arguments, the names of its lengths, and the lengths that the signature says."""
    wanted = arguments_of(SIGNATURES[name])
    lengths = dict.fromkeys(each for part in wanted for each in part.dimensions or () if each)
    named = [each for each in lengths if each.isalpha()]
    function = getattr(loaded(build.LIBRARY), f"ftree_{name}{variant}")
    function.restype = ctypes.c_int64
    function.argtypes = [*map(_c_type, wanted), *(ctypes.c_int64 for _ in named)]
    return function, wanted, named, {each: int(each) for each in lengths if each.isdigit()}


def _in_order(function: str, first: int, named: dict[str, Any]) -> list[Any]:
    """The arguments of a function from number `first` on, which are given by their names."""
    names = _names_of(function)[first:]
    if named.keys() != set(names):
        raise TypeError(f"{function} takes {', '.join(names)}, got {', '.join(named)}.")
    return [named[name] for name in names]


@cache
def _names_of(function: str) -> list[str]:
    return [part.name for part in arguments_of(SIGNATURES[function])]


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
        # A buffer has its address sooner than `ctypes.data`; a read-only array has none.
        passed.append(0 if not array.size else _address(_byte(array)) if flags.writeable else array.ctypes.data)
    return passed


_ARRAY, _address = np.ndarray, ctypes.addressof
_byte: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer
