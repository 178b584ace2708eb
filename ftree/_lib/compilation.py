"""Whether compiled code or NumPy does a task, with a report of any wait; and which kernels on disk are those of these sources.

Kernels are compiled kind by kind, as tasks need them, by a process beside this one. A short task is done by NumPy meanwhile, a
long one waits. The environment variable FTREE_COMPILE says which: "background" (the default), "now", where every task waits,
or "never", where only `python -m ftree.compile` compiles. Without numba, NumPy does everything.
"""

import multiprocessing
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from ftree._lib.messages import short_repr

# Kinds of tasks that have kernels of their own, and the processor's seconds for compiling these alone. Kinds share many kernels.
KINDS = {
    "trees": 70,
    "trees by gain ratio": 80,
    "surrogates": 90,
    "counts": 15,
}
# Seconds that loading numba and kernels takes.
_LOADING = 0.5
# A task that takes NumPy more seconds waits for a compiler; one that takes more than the shorter time is worth a message.
_PATIENCE, _SHORT = 2, 1
_CHOICES = "background", "now", "never"
_BEFOREHAND = "`python -m ftree.compile` does it beforehand."
compiled: set[str] = set()  # kinds that are marked, or that this process compiles
_told: set[str] = set()
# Seconds that NumPy has taken for tasks which kernels could have done.
_in_numpy = [0.0]


def pays(kind: str, n: int, least: int, seconds_each: float) -> bool:
    """Whether compiled code should do a task of n items, for each of which NumPy takes `seconds_each`.

    From `least` items on, kernels that are loaded are faster than NumPy. Others must also save the time that loading takes: in
    this task, or in as many more as NumPy has done before it.
    """
    if n < least or kernels_are_off():
        return False
    if "numba" in sys.modules and is_compiled(kind):
        return True
    seconds = n * seconds_each
    _in_numpy[0] += seconds
    return _in_numpy[0] > _LOADING and is_ready(kind, seconds)


def is_ready(kind: str, seconds: float) -> bool:
    """Whether compiled code should do a task of this kind that takes NumPy `seconds`; it may first wait for a compiler.

    Raises a ValueError for an unknown value of FTREE_COMPILE.
    """
    if is_compiled(kind):
        return True
    how = "never" if kernels_are_off() else os.environ.get("FTREE_COMPILE", "background")
    if how not in _CHOICES:
        raise ValueError(f"FTREE_COMPILE must be one of {', '.join(_CHOICES)}, got {short_repr(how)}.")
    if how == "now" or (how == "background" and seconds > _PATIENCE):
        return _waited_for(kind)
    if how == "background" and not _is_worker():
        compile_in_background(kind)
        does = "grows this tree" if kind.startswith("trees") else "does this task"
        words = f"compiling in the background, once per installation; NumPy {does} meanwhile"
    else:
        words = "working without compiled code"
    if seconds > _SHORT:
        _say("meanwhile", f"{words} (about {seconds:.0f} s)")
    return False


def _waited_for(kind: str) -> bool:
    """Compile kernels of a kind in a process of their own; without one, each is compiled when it is first called."""
    tell_of_compilation(kind)
    process = compile_in_background(kind)
    if process is not None:
        process.wait()
    # A numba that is installed may still refuse to work, for instance with this version of NumPy.
    return is_compiled(kind) or not import_module("ftree._lib.jit").is_disabled()


def tell_of_compilation(kind: str) -> None:
    """Say on stderr, once for each kind, that the caller waits for a compiler, if it does."""
    if not is_compiled(kind) and not kernels_are_off():
        _say(kind, f"compiling the code for {kind}, which takes up to {KINDS[kind]} s, once per installation. {_BEFOREHAND}")


def is_compiled(kind: str) -> bool:
    """Whether a process has compiled the kernels of a kind, in their present version, for this processor."""
    if kernels_are_off():
        return False
    if kind not in compiled and any((folder / mark_name(kind)).is_file() for folder in mark_folders()):
        compiled.add(kind)
    return kind in compiled


def kernels_are_off() -> bool:
    """Whether kernels are no machine code in this process: NUMBA_DISABLE_JIT=1 says so, or numba is not installed."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"} or not has_numba()


@cache
def has_numba() -> bool:
    """Whether numba is installed; this does not load it, which takes longer than a small tree takes to grow."""
    return find_spec("numba") is not None


def compile_in_background(kind: str) -> "subprocess.Popen[bytes] | None":
    """Start one process that compiles the kernels of a kind, and may outlive this one; None where none can be started."""
    return _compiling(kind, os.getpid())  # a fork starts its own


@cache
def _compiling(kind: str, _: int) -> "subprocess.Popen[bytes] | None":
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    # -P: a folder named ftree below the working directory is not taken for the library.
    command = [sys.executable, "-P", "-m", "ftree.compile", "--background", kind]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        return subprocess.Popen(  # noqa: S603  # this interpreter, and a module of this library
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None


def _is_worker() -> bool:
    """Whether this is a process of a pool, whose messages nobody asked for."""
    return multiprocessing.parent_process() is not None or multiprocessing.current_process().daemon


def _say(topic: str, text: str) -> None:
    if topic not in _told and not _is_worker():
        _told.add(topic)
        print(f"ftree: {text}", file=sys.stderr, flush=True)  # noqa: T201  # a message for a person who waits


# The marks: files beside numba's cache which say which kinds of kernels are compiled on this machine. Reading them does not load
# numba.


def mark(kind: str) -> Path | None:
    """Write the mark of a kind to the first writable folder; None where no folder is writable."""
    for folder in mark_folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / mark_name(kind)).touch()
            return folder / mark_name(kind)
    return None


def mark_folders() -> Iterator[Path]:
    """Folders where numba may keep kernels: that of NUMBA_CACHE_DIR, else beside their sources, else the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield Path(__file__).parents[1] / "growth" / "kernels" / "__pycache__"
    with suppress(RuntimeError):  # a user without a home
        yield Path.home() / ".cache" / "ftree"


@cache
def mark_name(kind: str) -> str:
    """A name made of all that machine code depends on: the kernels, the versions of numba and Python, the processor."""
    known = kernel_digest(), version("numba"), sys.implementation.cache_tag, platform.machine(), platform.processor()
    return f"ftree-{sha256(repr(known).encode()).hexdigest()[:16]}-{kind.replace(' ', '-')}.compiled"


# The digest: numba itself checks only the file of a kernel, and not the files of the kernels that it calls.


def clear_stale_kernels(folder: Path) -> None:
    """Delete the compiled kernels of a folder if other sources made them; a folder that is not writable stays as it is."""
    fresh = folder / f"ftree-{kernel_digest()[:16]}.digest"
    with suppress(OSError):
        if fresh.exists():
            return
        for stale in chain(folder.glob("*.nbi"), folder.glob("ftree-*.digest")):
            stale.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        fresh.touch()


@cache
def kernel_digest() -> str:
    """The digest of this library's kernels."""
    return sources_digest(Path(__file__).parents[1])


def sources_digest(folder: Path) -> str:
    """A digest of all kernel files in the rooms of a folder, of the file that compiles them, and of the homes of their constants.

    >>> len(sources_digest(Path("no such folder")))
    64
    """
    # The list is empty where modules are imported from an archive.
    others = (
        folder / name
        for name in ("_lib/jit.py", "_lib/arrays.py", "_lib/random_numbers.py", "criteria/impurity.py", "splitters/runs.py")
    )
    kernels = chain(folder.glob("*/kernels/*.py"), folder.glob("*/*_kernels.py"))
    files = sorted([*kernels, *(file for file in others if file.is_file())])
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
