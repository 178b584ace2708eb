"""Compiled kernels on disk: stale or damaged ones are compiled again, and a full disk stops nobody.

Numba itself looks only at the file of a kernel, and not at the files of the kernels that it calls. It raises whatever
reading a damaged file raises, and does not notice damage inside of machine code.
"""

import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from numba.core import caching, serialize

# Of type Any, since numba declares no types.
_CompiledResults: Any = caching.CompileResultCacheImpl
_FunctionCache: Any = caching.FunctionCache
_CacheFile: Any = caching.IndexDataCacheFile
_dumps: Any = serialize.dumps


def sources_digest(folder: Path) -> str:
    """A digest of all files with kernels in the rooms of a folder, and of this one's; another one means another cache.

    >>> len(sources_digest(Path("no such folder")))
    64
    """
    files = sorted(chain(folder.glob("*/kernels/*.py"), folder.glob("_lib/jit.py")))  # none where modules come in an archive
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@cache
def _digest() -> str:
    return sources_digest(Path(__file__).parents[1])


class _ChecksummedResults(_CompiledResults):  # type: ignore[misc]  # as above
    """Compiled kernels as bytes behind their checksum."""

    def reduce(self, result: Any) -> tuple[bytes, bytes]:
        """The bytes of a kernel, and their checksum."""
        written: bytes = _dumps(super().reduce(result))
        return sha256(written).digest(), written

    def rebuild(self, target: Any, payload: tuple[bytes, bytes]) -> Any:
        """The kernel of such bytes. Raises a ValueError where the checksum is another one."""
        checksum, written = payload
        if sha256(written).digest() != checksum:
            message = "The bytes of a kernel must have the checksum that was written with them."
            raise ValueError(message)
        return super().rebuild(target, pickle.loads(written))  # noqa: S301  # from numba's folder, as all that numba reads


class KernelCache(_FunctionCache):  # type: ignore[misc]  # as above
    """Numba's cache of one kernel, which reads what is whole and fresh, and nothing else."""

    _impl_class = _ChecksummedResults

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CacheFile(self.cache_path, self._impl.filename_base, _digest())

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled kernel; None where there is none that can be read, and then the files are given up."""
        try:
            return super().load_overload(signature, target)
        except Exception:  # noqa: BLE001  # damaged bytes can raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled kernel where that is possible."""
        with suppress(Exception):  # a full disk, or damaged files that cannot be replaced
            super().save_overload(signature, result)
