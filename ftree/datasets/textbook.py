"""Tables of textbooks and of games that can be listed whole: weather, rides, fish, lenses, scales, tic-tac-toe, parity."""

import csv
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.fields import require_whole_number
from ftree.data.bins_and_one_hot import binned
from ftree.data.dataset import Dataset
from ftree.responses import survival
from ftree.tree.schema import Kind

_FEATURES = ("outlook", "temperature", "humidity", "windy")
# Each day in both forms: outlook, temperature in words and in °F, humidity in words and in per cent, windy, play.
_DAYS: tuple[tuple[Any, ...], ...] = (
    ("sunny", "hot", 85, "high", 85, False, "no"),
    ("sunny", "hot", 80, "high", 90, True, "no"),
    ("overcast", "hot", 83, "high", 86, False, "yes"),
    ("rainy", "mild", 70, "high", 96, False, "yes"),
    ("rainy", "cool", 68, "normal", 80, False, "yes"),
    ("rainy", "cool", 65, "normal", 70, True, "no"),
    ("overcast", "cool", 64, "normal", 65, True, "yes"),
    ("sunny", "mild", 72, "high", 95, False, "no"),
    ("sunny", "cool", 69, "normal", 70, False, "yes"),
    ("rainy", "mild", 75, "normal", 80, False, "yes"),
    ("sunny", "mild", 75, "normal", 70, True, "yes"),
    ("overcast", "mild", 72, "high", 90, True, "yes"),
    ("overcast", "hot", 81, "normal", 75, False, "yes"),
    ("rainy", "mild", 71, "high", 91, True, "no"),
)


def weather(*, numeric: bool = False) -> Dataset:
    """14 days with 4 features; the target is whether to play (9 yes, 5 no). `numeric` gives temperature and humidity as numbers.

    Source: Quinlan (1986), "Induction of Decision Trees"; the numbers are those that Weka distributes.

    >>> weather()
    Dataset of 14 rows: outlook nominal(3), temperature nominal(3), humidity nominal(2), windy nominal(2) -> play: no 5, yes 9
    >>> weather(numeric=True)
    Dataset of 14 rows: outlook nominal(3), temperature numeric, humidity numeric, windy nominal(2) -> play: no 5, yes 9
    """
    temperature, humidity = (2, 4) if numeric else (1, 3)
    rows = [(day[0], day[temperature], day[humidity], day[5]) for day in _DAYS]
    return Dataset.from_rows(rows, [day[-1] for day in _DAYS], features=_FEATURES, target="play")


# Passengers of each class and the crew: men, women, boys and girls who died, and who survived.
_ABOARD = {
    "first": ((118, 4, 0, 0), (57, 140, 5, 1)),
    "second": ((154, 13, 0, 0), (14, 80, 11, 13)),
    "third": ((387, 89, 35, 17), (75, 76, 13, 14)),
    "crew": ((670, 3, 0, 0), (192, 20, 0, 0)),
}


def titanic() -> Dataset:
    """The 2,201 people aboard the Titanic by class, age and sex, as a table of counts; the target is whether they survived.

    Source: Dawson (1995), "The 'Unusual Episode' Data Revisited", from the report of the British Board of Trade.

    >>> titanic()
    Dataset of 24 rows, weighted: status nominal(4), age nominal(2), sex nominal(2) -> survived: no 1490, yes 711
    """
    people = [(age, sex) for age in ("adult", "child") for sex in ("male", "female")]
    rows = [
        (status, *who, survived, n)
        for status, both in _ABOARD.items()
        for survived, counts in zip(("no", "yes"), both, strict=True)
        for who, n in zip(people, counts, strict=True)
        if n
    ]
    columns = dict(zip(("status", "age", "sex", "survived", "people"), zip(*rows, strict=True), strict=True))
    return Dataset.from_frame(columns, "survived", weights="people")


_MILEAGE = ("bad", "OK", "good")
_ORIGINS = {1: "America", 2: "Europe", 3: "Asia"}


def auto_mpg(*, numeric: bool = False) -> Dataset:
    """392 cars of 1970 to 1982 by 7 features; the target is whether they go up to 19 miles per gallon, up to 27, or further.

    With `numeric=True` the target is the miles per gallon themselves, for a regression tree.

    Source: Quinlan (1993), "Combining Instance-Based and Model-Based Learning"; the file comes with the library.

    >>> auto_mpg().schema.classes, auto_mpg().class_counts()
    (('bad', 'OK', 'good'), (143, 127, 122))
    >>> auto_mpg(numeric=True).labels[:3].tolist()
    [18.0, 15.0, 18.0]
    """
    columns: dict[str, Any] = _numbers_in("auto-mpg.csv")
    columns["origin"] = [_ORIGINS[number] for number in columns["origin"]]
    if numeric:
        return Dataset.from_columns(columns, target="mpg")
    columns["mpg"] = binned(columns["mpg"], cuts=(19, 27), labels=_MILEAGE)
    return Dataset.from_columns(columns, target="mpg", classes=_MILEAGE)


def lung(*, splits: str = "deviance") -> Dataset:
    """228 patients with advanced lung cancer by 7 features, of which some are missing; the target is the days that they survived.

    Of the patients, 165 `died`, and 63 were alive when last seen. The features are age, sex, the physicians' ratings of what
    patients can do (ECOG from 0, good, and Karnofsky from 100, good) and their own (Karnofsky), the calories of meals, and the
    loss of weight in pounds in six months. `splits` is as for `survival`.

    Source: Loprinzi et al. (1994), Journal of Clinical Oncology 12, 601-607; the file comes with the library.

    >>> lung()
    Dataset of 228 rows: age numeric, sex nominal(2), ph_ecog numeric, ..., wt_loss numeric -> days: survival times from 5 to 1022
    """
    read = _numbers_in("lung.csv")
    columns: dict[str, Any] = {name.replace(".", "_"): numbers for name, numbers in list(read.items())[3:]}
    columns["sex"] = ["male" if sex == 1 else "female" for sex in columns["sex"]]
    kinds: dict[str, Kind] = {name: "numeric" for name in columns if name != "sex"}
    columns |= {"days": read["time"], "died": read["status"]}
    return Dataset.from_columns(columns, target="days", kinds=kinds, response=survival("days", "died", splits=splits))


def _numbers_in(file: str) -> dict[str, list[float | None]]:
    """The columns of a file that comes with the library, in which all cells are numbers or empty."""
    with (Path(__file__).with_name("files") / file).open(encoding="ascii", newline="") as text:
        names, *rows = csv.reader(text)
    return {
        name: [float(cell) if cell else None for cell in cells]
        for name, cells in zip(names, zip(*rows, strict=True), strict=True)
    }


_RIDE_DAYS = (
    (("Sunny", "Warm", "Normal", "Low"), "yes"),
    (("Sunny", "Cold", "Normal", "Low"), "no"),
    (("Rainy", "Warm", "High", "Low"), "yes"),
    (("Sunny", "Hot", "High", "Medium"), "yes"),
    (("Sunny", "Hot", "Normal", "High"), "no"),
    (("Rainy", "Warm", "High", "High"), "no"),
)


def rides() -> Dataset:
    """6 days with 4 features; the target is whether to ride (3 yes, 3 no).

    A tree splits on Wind, then on Temperature; the value Hot does not occur where Wind is Low.

    Source: teaching texts on decision trees, after Mitchell (1997), *Machine Learning*, chapter 3.

    >>> rides()
    Dataset of 6 rows: Sky nominal(2), Temperature nominal(3), Humidity nominal(2), Wind nominal(3) -> ride: no 3, yes 3
    """
    return Dataset.from_pairs(_RIDE_DAYS, features=("Sky", "Temperature", "Humidity", "Wind"), target="ride")


# Men: chin-ups, sit-ups and jumps; weight in pounds, waist in inches, and pulse.
_MEN: tuple[tuple[int, ...], ...] = (
    (5, 162, 60, 191, 36, 50), (2, 110, 60, 189, 37, 52), (12, 101, 101, 193, 38, 58), (12, 105, 37, 162, 35, 62),
    (13, 155, 58, 189, 35, 46), (4, 101, 42, 182, 36, 56), (8, 101, 38, 211, 38, 56), (6, 125, 40, 167, 34, 60),
    (15, 200, 40, 176, 31, 74), (17, 251, 250, 154, 33, 56), (17, 120, 38, 169, 34, 50), (13, 210, 115, 166, 33, 52),
    (14, 215, 105, 154, 34, 64), (1, 50, 50, 247, 46, 50), (6, 70, 31, 193, 36, 46), (12, 210, 120, 202, 37, 62),
    (4, 60, 25, 176, 37, 54), (11, 230, 80, 157, 32, 52), (15, 225, 73, 156, 33, 54), (2, 110, 43, 138, 33, 68),
)  # fmt: skip


def linnerud() -> Dataset:
    """20 men with 3 exercises; the targets are 3 numbers of each man: weight, waist and pulse.

    Source: Tenenhaus (1998), "La régression PLS", table 1.1, after A. C. Linnerud.

    >>> linnerud()
    Dataset of 20 rows: chins numeric, situps numeric, jumps numeric -> weight: several numbers from 138 to 247
    """
    names = ("chins", "situps", "jumps", "weight", "waist", "pulse")
    columns = {name: np.array(column, np.float64) for name, column in zip(names, zip(*_MEN, strict=True), strict=True)}
    return Dataset.from_columns(columns, target=names[3:], kinds="numeric")


def fish() -> Dataset:
    """5 animals with 2 features, each 0 (no) or 1 (yes); the target is whether the animal is a fish (2 yes, 3 no).

    Source: Harrington (2012), *Machine Learning in Action*, chapter 3.

    >>> fish()
    Dataset of 5 rows: no surfacing nominal(2), flippers nominal(2) -> fish: no 3, yes 2
    """
    rows = [(1, 1), (1, 1), (1, 0), (0, 1), (0, 1)]
    labels = ["yes", "yes", "no", "no", "no"]
    # 0 and 1 stand for no and yes; as numbers they would make numeric features.
    return Dataset.from_rows(rows, labels, features=["no surfacing", "flippers"], target="fish", kinds="nominal")


# Contact lenses.


_VALUES = {
    "age": ("young", "pre", "presbyopic"),
    "prescript": ("myope", "hyper"),
    "astigmatic": ("no", "yes"),
    "tearRate": ("reduced", "normal"),
}


def lenses() -> Dataset:
    """24 patients with 4 features, enumerated; the target is the kind of lenses (4 hard, 15 no lenses, 5 soft).

    Source: Cendrowska (1987), "PRISM: An algorithm for inducing modular rules"; names as in *Machine Learning in Action*.

    >>> lenses().class_counts()
    (4, 15, 5)
    """
    patients = list(product(*_VALUES.values()))
    return Dataset.from_rows(patients, [_prescribed(*each) for each in patients], features=tuple(_VALUES), target="lenses")


def _prescribed(age: str, prescript: str, astigmatic: str, tear_rate: str) -> str:
    if tear_rate == "reduced":
        return "no lenses"
    if astigmatic == "no":
        return "no lenses" if (age, prescript) == ("presbyopic", "myope") else "soft"
    return "hard" if prescript == "myope" or age == "young" else "no lenses"


_BALANCE_FEATURES = ("left-weight", "left-distance", "right-weight", "right-distance")


def balance_scale() -> Dataset:
    """All 625 combinations of two weights and distances from 1 to 5; L or R, the side with the greater product, or B (balanced).

    Source: Siegler (1976), "Three aspects of cognitive development"; Hume (1994), "Balance Scale", UCI.

    >>> balance_scale()  # doctest: +NORMALIZE_WHITESPACE
    Dataset of 625 rows: left-weight numeric, left-distance numeric, right-weight numeric, right-distance numeric
    -> class: B 49, L 288, R 288
    """
    rows = np.array(list(product(range(1, 6), repeat=4)))
    left, right = rows[:, :2].prod(axis=1), rows[:, 2:].prod(axis=1)
    labels = np.array(["R", "B", "L"])[np.sign(left - right) + 1]
    return Dataset.from_rows(rows, labels.tolist(), features=_BALANCE_FEATURES)


# Tic-tac-toe endgames, enumerated from the rules of the game.


_SQUARES = tuple(f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_MARKS = np.array(["x", "o", "b"])


def tic_tac_toe() -> Dataset:
    """958 final boards of games that x begins, as 9 squares of x, o or b (blank); positive if x has won (626).

    Rows are in the order of the archive's file: boards won by x, boards won by o, and draws.

    Source: Aha (1991), "Tic-Tac-Toe Endgame", UCI Machine Learning Repository.

    >>> tic_tac_toe().class_counts()
    (332, 626)
    """
    boards = _MARKS[np.indices((3,) * 9).reshape(9, -1)]
    x_won, o_won = _has_line(boards, "x"), _has_line(boards, "o")
    lead = (boards == "x").sum(axis=0) - (boards == "o").sum(axis=0)
    # The player who moved last has a line and the other has none, or the board is full.
    by_x, by_o = (lead == 1) & x_won & ~o_won, (lead == 0) & o_won & ~x_won
    draw = (lead == 1) & ~x_won & ~o_won & (boards != "b").all(axis=0)
    rows = np.concatenate([np.flatnonzero(ended) for ended in (by_x, by_o, draw)])
    columns = {name: square[rows].tolist() for name, square in zip(_SQUARES, boards, strict=True)}
    return Dataset.from_columns({**columns, "class": np.where(by_x[rows], "positive", "negative").tolist()})


def _has_line(boards: npt.NDArray[np.str_], player: str) -> npt.NDArray[np.bool_]:
    """For each board, whether the player has three in a line."""
    has = boards == player
    wins: npt.NDArray[np.bool_] = np.any([has[list(line)].all(axis=0) for line in _LINES], axis=0)
    return wins


def xor(*, numeric: bool = False) -> Dataset:
    """The 4 rows of exclusive or: the parity of two bits. No feature alone has any information gain. `numeric` gives numbers.

    >>> xor()
    Dataset of 4 rows: bit0 nominal(2), bit1 nominal(2) -> odd: False 2, True 2
    >>> xor(numeric=True)
    Dataset of 4 rows: bit0 numeric, bit1 numeric -> odd: False 2, True 2
    """
    return parity(2, numeric=numeric)


def parity(n: int, *, numeric: bool = False) -> Dataset:
    """All 2**n rows of n bits; the target is whether an odd number of them is set. `numeric` gives numbers, not nominal values.

    Raises a ValueError for n outside 1 to 20.

    >>> parity(3).class_counts()
    (4, 4)
    """
    require_whole_number("n", n, 1, most=20, of="bits")
    rows = list(product((0, 1), repeat=n))
    names = [f"bit{number}" for number in range(n)]
    kind: Kind = "numeric" if numeric else "nominal"
    return Dataset.from_rows(rows, [sum(row) % 2 == 1 for row in rows], features=names, target="odd", kinds=kind)
