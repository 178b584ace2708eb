"""Published files as datasets, downloaded once."""

from os import PathLike

from ftree.data.dataset import Dataset
from ftree.datasets.download import downloaded
from ftree.datasets.originals import original


def fetch(name: str, *, base_url: str | None = None, cache: str | PathLike[str] | None = None) -> Dataset:
    """The dataset of a file that the UCI archive publishes, downloaded on first use and kept in a cache.

    `names()` lists the names, `original(name)` has the citation and the licence. Features are nominal where the archive says
    so; "?" is missing; rows are in the order of the file. The MONK's files ("monks-1-train" and so on) use the values of `monks`,
    "zoo" omits the animals' names, and "semeion" has one numeric feature for each of 16 x 16 pixels.

    `cache` is a folder: by default, that of the environment variable FTREE_CACHE, or else the user's cache. `base_url`,
    or the environment variable FTREE_ARCHIVE, is the address of a mirror with the archive's folders. `fetch` needs pooch
    (`pip install 'ftrees[datasets]'`).

    Raises an ImportError without pooch, a ValueError for an unknown name and for a file with a wrong checksum, and an
    OSError for a file that cannot be downloaded, whose message says where to save a copy downloaded by hand.

    >>> fetch("votes")
    Traceback (most recent call last):
    ValueError: name must be one of 'breast-cancer', 'car', 'house-votes', ..., got 'votes'.
    """
    wanted = original(name)
    return wanted.read(downloaded(wanted, base_url, cache))
