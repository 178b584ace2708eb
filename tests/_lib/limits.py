"""A machine with less than this one has."""

from contextlib import contextmanager

import pytest

from ftree._lib import machine


@contextmanager
def memory_left(n_bytes, *, little=machine._LITTLE):
    """So many bytes are left; amounts below `little` are taken without a look."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "available_memory", lambda: n_bytes)
        patch.setattr(machine, "_LITTLE", little)
        yield
