"""Compiled kernels on disk: stale or damaged ones are compiled again, and a full disk is no error.

Numba itself checks only the file of a kernel, and not the files of the kernels that it calls. It raises whatever
reading a damaged file raises, and does not notice damage inside machine code.
"""

import pickle
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from numba.core import caching, config, runtime, serialize

from ftree._lib.kernel_digest import kernel_digest

# Of type Any, since numba declares no types.
_CompiledResults: Any = caching.CompileResultCacheImpl
_FunctionCache: Any = caching.FunctionCache
_CacheFile: Any = caching.IndexDataCacheFile
_dumps: Any = serialize.dumps
_config: Any = config
_modules: Any = runtime
_runtime = _modules.rtsys
# The folders where numba keeps kernels: that of NUMBA_CACHE_DIR, else the one beside their source, else others.
_Chosen, _InTree, *_others = _CompiledResults._locator_classes  # noqa: SLF001  # their names differ among versions of numba


class _ReadOnlyChosen(_Chosen):  # type: ignore[misc,valid-type]  # as above
    """The folder of NUMBA_CACHE_DIR, if it is no longer writable."""

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_ReadOnlyChosen | None":
        """The folder of a kernel; None if it has no compiled kernels of that file."""
        return _if_compiled(cls(function, file), file) if _config.CACHE_DIR else None


class _ReadOnlyTree(_InTree):  # type: ignore[misc,valid-type]  # as above
    """The folder beside a kernel's source, if it is no longer writable, as in a container's image."""

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_ReadOnlyTree | None":
        """The folder of a kernel; None if it has no compiled kernels of that file."""
        found: _ReadOnlyTree | None = _if_compiled(cls(function, file), file)
        return found


def _if_compiled(place: Any, file: str) -> Any:
    """A folder with compiled kernels of a file; None for any other."""
    compiled = Path(place.get_cache_path()).glob(f"{Path(file).stem}.*.nbi")
    return place if any(compiled) else None


class _ChecksummedResults(_CompiledResults):  # type: ignore[misc]  # as above
    """Compiled kernels as bytes with their checksum."""

    _locator_classes: ClassVar = [_Chosen, _ReadOnlyChosen, _InTree, _ReadOnlyTree, *_others]

    def reduce(self, result: Any) -> tuple[bytes, bytes]:
        """The bytes of a kernel, and their checksum."""
        written: bytes = _dumps(super().reduce(result))
        return sha256(written).digest(), written

    def rebuild(self, target: Any, payload: tuple[bytes, bytes]) -> Any:
        """The kernel made from such bytes. Raises a ValueError if the checksum differs."""
        checksum, written = payload
        if sha256(written).digest() != checksum:
            message = "The bytes of a kernel must have the checksum that was written with them."
            raise ValueError(message)
        return super().rebuild(target, pickle.loads(written))  # noqa: S301  # the file is in numba's own folder, like everything that numba reads


class KernelCache(_FunctionCache):  # type: ignore[misc]  # as above
    """Numba's cache of one kernel, which reads only undamaged and fresh files."""

    _impl_class = _ChecksummedResults

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CacheFile(self.cache_path, self._impl.filename_base, kernel_digest())

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled kernel; None if no file can be read, and the files are then discarded.

        Numba would load its declarations for the compiler before; without a compiler, they take 60 MB and a second for nothing.
        """
        try:
            _runtime.initialize(target)
            return self._load_overload(signature, target)
        except Exception:  # noqa: BLE001  # damaged bytes can raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled kernel if possible."""
        with suppress(Exception):  # a full disk, or damaged files that cannot be replaced
            super().save_overload(signature, result)
