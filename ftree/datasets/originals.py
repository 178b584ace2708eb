"""The files that `fetch` knows: where each file is, its checksum, how it is read, and how it is cited.

All are of the UCI Machine Learning Repository, under the licence CC BY 4.0.
"""

from collections.abc import Callable
from pathlib import Path

from attrs import field, frozen

from ftree._lib.messages import joined, short_repr
from ftree.data.dataset import Dataset
from ftree.datasets.readers import delimited, digit_pictures, monk_rows

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
    found = _BY_NAME.get(name) if isinstance(name, str) else None
    if found is None:
        message = f"name must be one of {joined(map(repr, names()))}, got {short_repr(name)}."
        raise ValueError(message)
    return found


def _cited(who: str, title: str, source: str) -> str:
    return f"{who} {title}. UCI Machine Learning Repository. https://{source}"


def _monks(part: str, sha256: str) -> Original:
    source = "archive.ics.uci.edu/dataset/70/monk+s+problems"
    citation = _cited("Wnek, J. (1993).", "MONK's Problems", source)
    return Original(part.replace(".", "-"), f"monks-problems/{part}", sha256, monk_rows, citation)


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
