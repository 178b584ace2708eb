"""A plugin of pytest that stores calls of the native library, with what they wrote, into the file that FTREE_CALLS names.

    FTREE_CALLS=build/replay/calls python -m pytest -n 0 -p record tests/routing

A call is its function's number, its arguments and lengths (8 bytes each; an array is the number of its bytes, then these), its
result, and each written array afterwards. replay.c reads it. Of one function, equal calls are stored once, up to ROOM bytes.
"""

import os
import struct
from collections import Counter
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from ftree import native
from ftree.native.signatures import Argument, arguments_of

ROOM = 8_000_000
# Greater whole numbers may be addresses of functions, which no other process has.
ADDRESS = 2**40
KINDS = {True: "double", False: "whole"}


def described(signature: str) -> list[str]:
    """What each argument of a function is to C, its lengths included: read, written, memory, double or whole."""
    parts = arguments_of(signature)
    lengths = dict.fromkeys(each for part in parts for each in part.dimensions or () if each.isalpha())
    return [*map(_kind, parts), *["whole"] * len(lengths)]


def _kind(part: Argument) -> str:
    if part.dimensions is None:
        return KINDS[part.type.kind == "f"]
    # What is left in memory is worth nothing, and the bytes between the fields of a struct differ.
    return "memory" if part.name == "memory" else ("read", "written")[part.written]


def lengths_of(signature: str, given: tuple[Any, ...]) -> list[int]:
    """The lengths that C gets after the arguments."""
    sizes: dict[str, int] = {}
    for part, array in zip(arguments_of(signature), given, strict=True):
        for name, size in zip(part.dimensions or (), np.shape(array), strict=False):
            if name.isalpha():
                sizes.setdefault(name, size)
    return list(sizes.values())


class Recorder:
    """Stores calls in a file; one at a time, since threads may write to parts of one array."""

    def __init__(self, file: Any) -> None:
        self.file, self.lock, self.seen = file, RLock(), set()
        self.stored, self.left, self.used = Counter[str](), Counter[str](), Counter[str]()

    def recording(self, name: str, function: Callable[..., int]) -> Callable[..., int]:
        """A function of the library that also stores its calls."""
        signature = native.SIGNATURES[name]
        kinds = described(signature)

        def called(*given: Any) -> int:
            with self.lock:
                try:
                    values = [*given, *lengths_of(signature, given)]
                    before = b"".join(map(_bytes, kinds, values))
                except (TypeError, ValueError, AttributeError, struct.error):
                    return function(*given)  # which refuses them
                result = function(*given)
                self.store(name, kinds, values, before, result)
            return result

        return called

    def store(self, name: str, kinds: list[str], values: list[Any], before: bytes, result: int) -> None:
        """Store a call, unless there is no room or another process cannot repeat it."""
        key = sha256(name.encode() + before).digest()
        written = b"".join(value.tobytes() for kind, value in zip(kinds, values, strict=True) if kind == "written")
        call = struct.pack("<q", list(native.SIGNATURES).index(name)) + before + struct.pack("<q", result) + written
        has_address = any(kind == "whole" and abs(int(value)) > ADDRESS for kind, value in zip(kinds, values, strict=True))
        structs = [value for value in values if isinstance(value, np.ndarray) and "own" in (value.dtype.names or ())]
        has_address |= any(value["own"].any() for value in structs)
        if key in self.seen:
            return
        if has_address or self.used[name] + len(call) > ROOM:
            self.left[name] += 1
            return
        self.seen.add(key)
        self.used[name] += len(call)
        self.stored[name] += 1
        self.file.write(call)


def _bytes(kind: str, value: Any) -> bytes:
    if kind in {"read", "written", "memory"}:
        return struct.pack("<q", value.nbytes) + value.tobytes()
    return struct.pack("<d", value) if kind == "double" else struct.pack("<q", int(value))


def pytest_configure(config: Any) -> None:
    """Put recording functions in place of those that `call` looks up, whoever has imported that."""
    config.recorder = Recorder(Path(os.environ["FTREE_CALLS"]).open("wb"))  # noqa: SIM115  # until pytest ends
    prepared = native.prepared

    def recorded(name: str, *first: Any, variant: str | None = None) -> Callable[..., int]:
        prepared(name, *first, variant=variant)  # refuses wrong ones at once
        called = config.recorder.recording(name, prepared(name, variant=variant))
        return lambda *others: called(*first, *others)

    native.prepared, native._called = recorded, cache(recorded)  # noqa: SLF001


def pytest_terminal_summary(config: Any) -> None:
    """Tell what is in the file."""
    recorder = config.recorder
    recorder.file.close()
    for name in native.SIGNATURES:
        print(f"{name}: {recorder.stored[name]} calls stored, {recorder.left[name]} left out", flush=True)
