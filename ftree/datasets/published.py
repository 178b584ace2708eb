"""Published files as datasets, downloaded once: where they are, their checksums, and how each is read."""

import os
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, require_one_of
from ftree._lib.messages import how_to_install, imported, short_repr
from ftree.data.dataset import Dataset
from ftree.datasets.monks_problems import MONK_FEATURES


def fetch(name: str, *, base_url: str | None = None, cache: str | PathLike[str] | None = None) -> Dataset:
    """The dataset of a file that the UCI archive publishes, downloaded on first use and kept in a cache.

    `names()` lists the names, `original(name)` has the citation and the licence. "house-votes" comes with the library, and
    needs neither the network nor pooch. Features are nominal where the archive says so; "?" is missing; rows are in the
    order of the file. The MONK's files ("monks-1-train" and so on) use the values of `monks`,
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
    shipped = _SHIPPED / wanted.file.rpartition("/")[2]
    return wanted.read(shipped if base_url is None and shipped.is_file() else downloaded(wanted, base_url, cache))


# Files that come with the library, as the archive publishes them, for pages that need no network.
_SHIPPED = Path(__file__).with_name("files")
# Environment variables: the folder of the cache, and the address of a mirror of the archive.
CACHE, ARCHIVE = "FTREE_CACHE", "FTREE_ARCHIVE"


@frozen
class Original:
    """A published file: `file` is its path in the archive, `sha256` its checksum, `read` makes a dataset of it.

    >>> original("iris").file, original("iris").licence
    ('iris/iris.data', 'CC BY 4.0')
    """

    name: str
    file: str
    sha256: str
    read: Callable[[Path], Dataset]
    citation: str
    licence: str = field(default="CC BY 4.0", kw_only=True)


def downloaded(original: Original, base_url: str | None = None, cache: str | PathLike[str] | None = None) -> Path:
    """The path of the file in the cache; the file is downloaded if it is absent. `fetch` explains the arguments and errors."""
    pooch = imported("pooch", f"pooch must be installed for fetch, got none. {how_to_install('datasets')}")
    url: Any = base_url or os.environ.get(ARCHIVE) or UCI
    if not (isinstance(url, str) and url.startswith(("http://", "https://"))):
        raise ValueError(f"base_url must be an address that begins with http:// or https://, got {short_repr(url)}.")
    address = f"{url.rstrip('/')}/{original.file}"
    folder = Path(cache or os.environ.get(CACHE) or pooch.os_cache("ftree"))
    path = folder / original.file.rpartition("/")[2]
    by_hand = f"Save the published file as {path} (the environment variable {CACHE} names another folder)."
    try:
        pooch.retrieve(address, f"sha256:{original.sha256}", path.name, folder)
    except OSError as error:
        raise OSError(f"The file of {original.name!r} must be found at {address}, got {short_repr(error)}. {by_hand}") from error
    except ValueError as error:
        wanted = f"{path.name} must have the SHA-256 checksum {original.sha256}"
        raise ValueError(f"{wanted}, got another checksum from {address}. {by_hand}") from error
    return path


UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_VOTES = """class handicapped-infants water-project-cost-sharing adoption-of-the-budget-resolution physician-fee-freeze
    el-salvador-aid religious-groups-in-schools anti-satellite-test-ban aid-to-nicaraguan-contras mx-missile immigration
    synfuels-corporation-cutback education-spending superfund-right-to-sue crime duty-free-exports
    export-administration-act-south-africa"""
_MUSHROOM = """class cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size gill-color stalk-shape
    stalk-root stalk-surface-above-ring stalk-surface-below-ring stalk-color-above-ring stalk-color-below-ring veil-type
    veil-color ring-number ring-type spore-print-color population habitat"""
_TIC_TAC_TOE = """top-left-square top-middle-square top-right-square middle-left-square middle-middle-square middle-right-square
    bottom-left-square bottom-middle-square bottom-right-square class"""
_BREAST_CANCER = "class age menopause tumor-size inv-nodes node-caps deg-malig breast breast-quad irradiat"
_ZOO = """animal hair feathers eggs milk airborne aquatic predator toothed backbone breathes venomous fins legs tail domestic
    catsize class"""
_IRIS = "sepal_length sepal_width petal_length petal_width"


def names() -> tuple[str, ...]:
    """The names that `fetch` knows, sorted.

    >>> names()[:4]
    ('breast-cancer', 'car', 'house-votes', 'iris')
    """
    return tuple(sorted(_BY_NAME))


def original(name: str) -> Original:
    """The record of the file that `fetch` gets under that name: its path, its checksum, its citation.

    Raises a ValueError for a name that `names` does not list.

    >>> original("zoo").citation
    'Forsyth, R. (1990). Zoo. UCI Machine Learning Repository. https://doi.org/10.24432/C5R59V'
    """
    require_one_of("name", name, names())
    return _BY_NAME[name]


def _cited(who: str, title: str, source: str) -> str:
    return f"{who} {title}. UCI Machine Learning Repository. https://{source}"


def _monks(part: str, sha256: str) -> Original:
    source = "archive.ics.uci.edu/dataset/70/monk+s+problems"
    citation = _cited("Wnek, J. (1993).", "MONK's Problems", source)
    return Original(part.replace(".", "-"), f"monks-problems/{part}", sha256, monk_rows, citation)


def digit_pictures(path: Path) -> Dataset:
    """Digits as 256 bits, from lines of numbers: a picture's bits row by row, then ten more, one of which marks the digit."""
    table = np.loadtxt(path, ndmin=2)
    pixels = {f"p{number // 16:02}_{number % 16:02}": bits for number, bits in enumerate(table[:, :256].T.copy())}
    return Dataset.from_columns({**pixels, "class": table[:, 256:].argmax(axis=1)})


@frozen(repr=False)
class delimited(ConstructorRepr):
    """Reads a file of values separated by commas; `columns` has the names in order, separated by blanks.

    Features are nominal, except those in `numeric`; the column `without` is omitted.
    """

    columns: str
    target: str = "class"
    numeric: tuple[str, ...] = ()
    without: str | None = field(default=None, kw_only=True)

    def __call__(self, path: Path) -> Dataset:
        """The file's dataset."""
        names = self.columns.split()
        kinds = {name: "numeric" if name in self.numeric else "nominal" for name in names if name != self.target}
        dataset = Dataset.read_csv(path, header=names, target=self.target, kinds=kinds, delimiter=",")
        return dataset.keep_columns([name for name in kinds if name != self.without])


def monk_rows(path: Path) -> Dataset:
    """Robots of the MONK's problems with the values of `monks`, from lines of numbers: the class, six values from 1, an id."""
    label, *values = np.loadtxt(path, dtype=np.intp, usecols=range(7), ndmin=2).T
    named: Mapping[str, tuple[str, ...]] = MONK_FEATURES
    pairs = zip(named.items(), values, strict=True)
    columns = {name: np.array(words)[numbers - 1].tolist() for (name, words), numbers in pairs}
    return Dataset.from_columns({**columns, "monk": np.array(["no", "yes"])[label].tolist()}, target="monk")


_ORIGINALS = (
    Original(
        "house-votes",
        "voting-records/house-votes-84.data",
        "c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e",
        delimited(_VOTES),
        _cited("(1987).", "Congressional Voting Records", "doi.org/10.24432/C5C01P"),
    ),
    Original(
        "mushroom",
        "mushroom/agaricus-lepiota.data",
        "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
        delimited(_MUSHROOM),
        _cited("(1981).", "Mushroom", "doi.org/10.24432/C5959T"),
    ),
    Original(
        "car",
        "car/car.data",
        "b703a9ac69f11e64ce8c223c0a40de4d2e9d769f7fb20be5f8f2e8a619893d83",
        delimited("buying maint doors persons lug_boot safety class"),
        _cited("Bohanec, M. (1988).", "Car Evaluation", "doi.org/10.24432/C5JP48"),
    ),
    Original(
        "tic-tac-toe",
        "tic-tac-toe/tic-tac-toe.data",
        "a996a756484d0cf8cbad1680d823aadbfcff8ae2d78c450e6999362d580301c5",
        delimited(_TIC_TAC_TOE),
        _cited("Aha, D. (1991).", "Tic-Tac-Toe Endgame", "doi.org/10.24432/C5688J"),
    ),
    Original(
        "breast-cancer",
        "breast-cancer/breast-cancer.data",
        "ca7d3fa97b62ff967b6894ffbb3acaaf4a51062e0149e5950b3ad6f685970b65",
        delimited(_BREAST_CANCER, numeric=("deg-malig",)),
        _cited("Zwitter, M. & Soklic, M. (1988).", "Breast Cancer", "doi.org/10.24432/C51P4M"),
    ),
    Original(
        "zoo",
        "zoo/zoo.data",
        "cddc71c26ab9bc82795b8f4ff114cade41885d92720c6af29ffb69bcf73f0315",
        delimited(_ZOO, numeric=("legs",), without="animal"),
        _cited("Forsyth, R. (1990).", "Zoo", "doi.org/10.24432/C5R59V"),
    ),
    Original(
        "iris",
        "iris/iris.data",
        "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0",
        delimited(f"{_IRIS} class", numeric=tuple(_IRIS.split())),
        _cited("Fisher, R. (1936).", "Iris", "doi.org/10.24432/C56C76"),
    ),
    Original(
        "semeion",
        "semeion/semeion.data",
        "f43228ae3da5ea6a3c95069d53450b86166770e3b719dcc333182128fe08d4b1",
        digit_pictures,
        _cited("Buscema, M. & Terzi, S. (1998).", "Semeion Handwritten Digit", "doi.org/10.24432/C5SC8V"),
    ),
    _monks("monks-1.train", "d9c328b6f0e095ab10f7bc8468f1d2141f3d08be73e665c3bf0a62994c922606"),
    _monks("monks-1.test", "e501ada3b21d876ab86f3e1614747bd2edc443a685f229a25e480aa1dea629f6"),
    _monks("monks-2.train", "7ebcc278005737caad0cd52e6aa31256a2c3174da8047faf4ac3a9d35edbdaa8"),
    _monks("monks-2.test", "945650affde377c27f6218c8b17893e339ea831f4bee9f9d7123020699cfbf40"),
    _monks("monks-3.train", "726f258f80be06af4bb2d8831789514a663f5813e47429211fe19dcd367966f8"),
    _monks("monks-3.test", "1d816ae7347afaf895050667adc3f382904c6ed2332d0a2d09353f5e6cb54612"),
)
_BY_NAME = {each.name: each for each in _ORIGINALS}
