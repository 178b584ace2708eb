"""Impurities in machine code for tests: of functions in Python by ctypes, and of C by the compiler that is here."""

import os
import shutil
import subprocess
from ctypes import CDLL, CFUNCTYPE, POINTER, c_double, c_int64

import numpy as np
import pytest

signature = CFUNCTYPE(c_double, POINTER(c_double), c_int64)


def in_machine_code(of_one_node):
    """A function of an array of class counts (K,) as a C function, with its name."""
    made = signature(lambda counts, n_classes: float(of_one_node(np.array(counts[:n_classes]))))
    made.__name__ = of_one_node.__name__
    return made


def compiler():
    """The command of the compiler that is here; the test skips where there is none."""
    command = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    return command.split() if command else pytest.skip("needs a C compiler: install gcc")


def compiled(source, folder):
    """The library that C source makes."""
    (folder / "own.c").write_text(source)
    line = [*compiler(), "-O2", "-shared", "-fPIC", "-o", folder / "own.so", folder / "own.c"]
    subprocess.run(line, check=True)  # noqa: S603  # our own code
    return CDLL(folder / "own.so")


@in_machine_code
def roots(counts):
    """The impurity of Dietterich, Kearns and Mansour."""
    n = counts.sum()
    return np.sqrt(counts / n * (1.0 - counts / n)).sum() if n > 0 else 0.0


def of_one_node(counts):
    """Tsallis 1988, of order 1.5."""
    n = counts.sum()
    return (1.0 - ((counts / n) ** 1.5).sum()) / 0.5 if n > 0 else 0.0


@in_machine_code
def tsallis(counts):
    return of_one_node(counts)
