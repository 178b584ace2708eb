"""Decides whether compiled code or NumPy does a task while kernels are being compiled, and reports any wait on stderr.

The environment variable FTREE_COMPILE says how missing kernels are compiled: "background" (the default), in a process of
low priority, while NumPy does the task; "now", before the task; "never", only by `python -m ftree.compile`.
"""

import atexit
import multiprocessing
import os
import subprocess
import sys
from functools import cache

from ftree._lib.compiled_mark import is_marked
from ftree._lib.messages import short_repr

# Seconds that compilation takes on a machine of 2024.
SECONDS = 50
# A task that takes at most this many seconds needs no message.
_SHORT = 2
_CHOICES = "background", "now", "never"
_BEFOREHAND = "`python -m ftree.compile` does it beforehand."

_here = {"compiled": False}
_told: set[str] = set()


def compiled_code_is_due(seconds: float) -> bool:
    """Whether compiled code should do a task that takes NumPy `seconds`; a line on stderr announces a wait.

    Raises a ValueError for an unknown value of FTREE_COMPILE.
    """
    if is_compiled():
        return True
    how = "never" if _is_disabled() else os.environ.get("FTREE_COMPILE", "background")
    if how not in _CHOICES:
        message = f"FTREE_COMPILE must be one of {', '.join(_CHOICES)}, got {short_repr(how)}."
        raise ValueError(message)
    if how == "now" or (how == "background" and seconds > SECONDS):
        tell_of_compilation()
        return True
    if how == "background":
        compile_in_background()
    if seconds > _SHORT:
        meanwhile = "while that is compiled, once" if how == "background" else "since FTREE_COMPILE=never"
        _say(f"working without compiled code for about {seconds:.0f} s, {meanwhile}. {_BEFOREHAND}")
    return False


def tell_of_compilation() -> None:
    """Say on stderr that the caller waits for a compiler, if it does; afterwards kernels count as compiled in this process."""
    if not is_compiled() and not _is_disabled():
        _say(f"compiling the code for large tables, which takes about {SECONDS} s, once. {_BEFOREHAND}")
        count_as_compiled()


def tell_of_compiling(what: str, seconds: int) -> None:
    """Say on stderr, once, that the caller waits for code to be compiled, unless everything was compiled beforehand."""
    if not is_compiled() and not _is_disabled() and what not in _told:
        _told.add(what)
        _say(f"compiling {what}, which takes about {seconds} s, once. {_BEFOREHAND}")


def count_as_compiled() -> None:
    """Print no more messages about compilation in this process."""
    _here["compiled"] = True


def is_compiled() -> bool:
    """Whether kernels are compiled; False where NUMBA_DISABLE_JIT=1 switches compilation off."""
    _here["compiled"] = _here["compiled"] or is_marked()
    return _here["compiled"] and not _is_disabled()


def _is_disabled() -> bool:
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}


@cache
def compile_in_background() -> "subprocess.Popen[bytes] | None":
    """Start one process that compiles all kernels and ends with this one; None in a worker process."""
    worker = multiprocessing.parent_process() is not None or multiprocessing.current_process().daemon
    if worker or not sys.executable or getattr(sys, "frozen", False):
        return None
    # -P: a folder named ftree below the working directory is not taken for the library.
    command = [sys.executable, "-P", "-m", "ftree.compile", "--background"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        process = subprocess.Popen(  # noqa: S603  # this interpreter, and a module of this library
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None
    atexit.register(_end, process, os.getpid())
    return process


def _end(process: "subprocess.Popen[bytes]", owner: int) -> None:
    """End the process with the process that started it, and not with forks of that process."""
    if os.getpid() == owner:
        process.terminate()
        process.communicate()


def _say(text: str) -> None:
    print(f"ftree: {text}", file=sys.stderr, flush=True)  # noqa: T201  # a message for a person who waits
