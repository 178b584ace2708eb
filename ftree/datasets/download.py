"""Downloads of published files to a cache, with verified checksums."""

import os
from os import PathLike
from pathlib import Path
from typing import Any

from ftree._lib.messages import short_repr
from ftree.datasets.originals import UCI, Original

# Environment variables: the folder of the cache, and the address of a mirror of the archive.
CACHE, ARCHIVE = "FTREE_CACHE", "FTREE_ARCHIVE"


def downloaded(original: Original, base_url: str | None = None, cache: str | PathLike[str] | None = None) -> Path:
    """The path of the file in the cache; the file is downloaded if it is absent. `fetch` explains the arguments and errors."""
    pooch = _pooch()
    address = f"{_checked_url(base_url or os.environ.get(ARCHIVE) or UCI).rstrip('/')}/{original.file}"
    folder = Path(cache or os.environ.get(CACHE) or pooch.os_cache("ftree"))
    path = folder / original.file.rpartition("/")[2]
    by_hand = f"Save the published file as {path} (the environment variable {CACHE} names another folder)."
    try:
        pooch.retrieve(address, f"sha256:{original.sha256}", path.name, folder)
    except OSError as error:
        message = f"The file of {original.name!r} must be found at {address}, got {short_repr(error)}. {by_hand}"
        raise OSError(message) from error
    except ValueError as error:
        wanted = f"{path.name} must have the SHA-256 checksum {original.sha256}"
        message = f"{wanted}, got another checksum from {address}. {by_hand}"
        raise ValueError(message) from error
    return path


def _pooch() -> Any:
    try:
        import pooch  # noqa: PLC0415  # an extra that only downloads need
    except ImportError as error:
        message = "pooch must be installed for fetch, got none. Run pip install 'ftrees[datasets]'."
        raise ImportError(message) from error
    return pooch


def _checked_url(url: Any) -> str:
    if not (isinstance(url, str) and url.startswith(("http://", "https://"))):
        message = f"base_url must be an address that begins with http:// or https://, got {short_repr(url)}."
        raise ValueError(message)
    return url
