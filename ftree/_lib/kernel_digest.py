"""A digest of all kernels: another digest means other machine code. Computing it does not load numba."""

from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path


def sources_digest(folder: Path) -> str:
    """A digest of all kernel files in the rooms of a folder and of the files that compile them; it names a cache.

    >>> len(sources_digest(Path("no such folder")))
    64
    """
    # The list is empty where modules are imported from an archive.
    files = sorted(chain(folder.glob("*/kernels/*.py"), folder.glob("_lib/jit.py"), folder.glob("_lib/kernel_cache.py")))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@cache
def kernel_digest() -> str:
    """The digest of this library's kernels."""
    return sources_digest(Path(__file__).parents[1])
