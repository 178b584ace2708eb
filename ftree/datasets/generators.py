"""Tables drawn from known distributions, and noise in a table: replaced labels and values, and deleted values."""

from collections.abc import Callable, Collection, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve

from ftree._lib.fields import require_count, require_probability, require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.coding import smallest_integers
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.values import Column
from ftree.tree.schema import Feature, Schema, names_of, position, require_classes

# Lengths of the ranges of numeric features, in the order of the columns; noise moves a value by a share of its range.
_RANGES = {"salary": 130_000, "commission": 65_000, "age": 60, "hvalue": 1_300_000, "hyears": 29, "loan": 500_000}
_FEATURES = (
    Feature("salary", "numeric"),
    Feature("commission", "numeric"),
    Feature("age", "numeric"),
    Feature("elevel", "ordinal", range(5)),
    Feature("car", "nominal", range(1, 21)),
    Feature("zipcode", "nominal", range(9)),
    Feature("hvalue", "numeric"),
    Feature("hyears", "numeric"),
    Feature("loan", "numeric"),
)


def agrawal(n: int, *, function: int = 1, noise: float = 0.0, seed: int = 0) -> Dataset:
    """Applicants for loans in n rows, with 9 features; the target is the group, A or B, by one of ten functions.

    Salary is uniform from 20,000 to 150,000; commission is 0 from a salary of 75,000, else uniform from 10,000 to 75,000. Age is
    from 20 to 80, education level from 0 to 4, car from 1 to 20, zipcode from 0 to 8. The value of the house is uniform from .5
    to 1.5 times (9 - zipcode) * 100,000, and it is owned for 1 to 30 years. The loan is uniform from 0 to 500,000.

    `noise` is the paper's perturbation factor: after labelling, numeric values move by up to half of that share of their range.
    Functions 7 to 10 use 0.67 of the income, as the paper does; some other programs use 2/3.

    Raises a ValueError for n below 1, a function outside 1 to 10, and noise outside 0 to 1.

    Source: Agrawal, Imielinski & Swami (1993), "Database Mining: A Performance Perspective"; functions also in (1992), "An
    Interval Classifier for Database Mining Applications".

    >>> agrawal(1000, function=5).schema.classes, len(agrawal(1000).columns)
    (('A', 'B'), 9)
    """
    require_count("n", n, 1, of="rows")
    require_whole_number("function", function, 1, most=len(GROUP_A))
    require_probability("noise", noise)
    random = generator_of(seed)
    columns = _drawn(n, random)
    labels = np.where(GROUP_A[function - 1](_applicants(columns)), 0, 1).astype(np.int8)
    for name, length in _RANGES.items():
        columns[name] = columns[name] + noise * length * (random.random(n) - 0.5)
    return Dataset(Schema(_FEATURES, "group", ("A", "B")), [columns[feature.name] for feature in _FEATURES], labels)


def _drawn(n: int, random: np.random.Generator) -> dict[str, Any]:
    """Columns as codes and floats, by name."""
    salary = 20_000 + 130_000 * random.random(n)
    commission = np.where(salary < 75_000, 10_000 + 65_000 * random.random(n), 0.0)  # noqa: PLR2004  # the paper's limit
    age = random.integers(20, 81, n).astype(np.float64)
    elevel, car, zipcode = (random.integers(0, values, n).astype(np.int8) for values in (5, 20, 9))
    hvalue = (9.0 - zipcode) * 100_000 * (0.5 + random.random(n))
    hyears = random.integers(1, 31, n).astype(np.float64)
    loan = 500_000 * random.random(n)
    cells = (salary, commission, age, elevel, car, zipcode, hvalue, hyears, loan)
    return dict(zip((feature.name for feature in _FEATURES), cells, strict=True))


def _applicants(columns: dict[str, Any]) -> SimpleNamespace:
    """The columns that functions use, (n,) each; amounts in thousands."""
    people = SimpleNamespace(**{name: columns[name] / 1000 for name in ("salary", "commission", "hvalue", "loan")})
    people.age, people.elevel, people.hyears = columns["age"], columns["elevel"], columns["hyears"]
    people.income = people.salary + people.commission
    return people


# The ten functions of Agrawal, Imielinski & Swami (1993).


Mask: TypeAlias = npt.NDArray[np.bool_]


def _within(amount: Any, least: float, most: float) -> Any:
    return (least <= amount) & (amount <= most)


def _by_age(people: SimpleNamespace, young: Any, middle: Any, old: Any) -> Any:
    """The value for ages below 40, for ages from 40 to below 60, and for ages from 60."""
    return np.where(people.age < 40, young, np.where(people.age < 60, middle, old))  # noqa: PLR2004  # the paper's ages


def _function_4(p: SimpleNamespace) -> Any:
    young = np.where(_within(p.elevel, 0, 1), _within(p.salary, 25, 75), _within(p.salary, 50, 100))
    middle = np.where(_within(p.elevel, 1, 3), _within(p.salary, 50, 100), _within(p.salary, 75, 125))
    old = np.where(_within(p.elevel, 2, 4), _within(p.salary, 50, 100), _within(p.salary, 25, 75))
    return _by_age(p, young, middle, old)


def _function_5(p: SimpleNamespace) -> Any:
    young = np.where(_within(p.salary, 50, 100), _within(p.loan, 100, 300), _within(p.loan, 200, 400))
    middle = np.where(_within(p.salary, 75, 125), _within(p.loan, 200, 400), _within(p.loan, 300, 500))
    old = np.where(_within(p.salary, 25, 75), _within(p.loan, 300, 500), _within(p.loan, 100, 300))
    return _by_age(p, young, middle, old)


def _by_amount(people: SimpleNamespace, amount: Any) -> Any:
    """The ranges of an amount, which differ between ages."""
    return _by_age(people, _within(amount, 50, 100), _within(amount, 75, 125), _within(amount, 25, 75))


# Whether each applicant belongs to group A, by functions 1 to 10.
GROUP_A: tuple[Callable[[SimpleNamespace], Mask], ...] = (
    lambda p: _by_age(p, young=True, middle=False, old=True),
    lambda p: _by_amount(p, p.salary),
    lambda p: _by_age(p, _within(p.elevel, 0, 1), _within(p.elevel, 1, 3), _within(p.elevel, 2, 4)),
    _function_4,
    _function_5,
    lambda p: _by_amount(p, p.income),
    lambda p: 0.67 * p.income - 0.2 * p.loan - 20 > 0,
    lambda p: 0.67 * p.income - 5 * p.elevel - 20 > 0,
    lambda p: 0.67 * p.income - 5 * p.elevel - 0.2 * p.loan - 10 > 0,
    lambda p: 0.67 * p.income - 5 * p.elevel + 0.2 * (0.1 * p.hvalue * np.maximum(p.hyears - 20, 0)) - 10 > 0,
)


# LED digits.


_SEGMENTS = ("top", "upper_left", "upper_right", "middle", "lower_left", "lower_right", "bottom")
# The lit segments of each digit.
_DIGITS = ("1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011")
_LIT = np.array([[mark == "1" for mark in marks] for marks in _DIGITS])


def led(n: int, *, noise: float = 0.1, irrelevant: int = 0, seed: int = 0) -> Dataset:
    """Digits in n rows, with 7 segments, each inverted with probability `noise`; `irrelevant` random features may follow.

    Digits are equally probable. With noise .1, no classifier is right on more than 74 % of new rows.

    Raises a ValueError for n below 1, and for noise outside 0 to 1.

    Source: Breiman et al. (1984), *Classification and Regression Trees*, section 2.6.1.

    >>> led(500).schema.features[0]
    Feature(name='top', kind='nominal', values=(False, True))
    >>> len(led(500, irrelevant=17).columns)
    24
    """
    require_count("n", n, 1, of="rows")
    require_probability("noise", noise)
    require_count("irrelevant", irrelevant, 0, of="features")
    random = generator_of(seed)
    digits = random.integers(0, 10, n)
    shown = _LIT[digits] ^ (random.random((n, len(_SEGMENTS))) < noise)
    others = random.random((n, irrelevant)) < 0.5  # noqa: PLR2004  # a fair coin
    names = (*_SEGMENTS, *(f"irrelevant{number}" for number in range(irrelevant)))
    features = [Feature(name, "nominal", (False, True)) for name in names]
    columns = np.hstack([shown, others]).T.astype(np.int8)
    return Dataset(Schema(features, "digit", range(10)), columns, digits.astype(np.int8))


# Waveforms.


_LENGTH = 21
_PEAKS = np.array([[11], [15], [7]])
_WAVES = np.maximum(6 - np.abs(np.arange(1, _LENGTH + 1) - _PEAKS), 0.0)
# The two waves that each class mixes.
_MIXED = np.array([[0, 1], [0, 2], [1, 2]])


def waveform(n: int, *, irrelevant: int = 0, seed: int = 0) -> Dataset:
    """Signals in n rows, with 21 numeric features, of 3 equally probable classes; `irrelevant` features of noise may follow.

    A signal is u * one wave + (1 - u) * another, with u uniform from 0 to 1, plus normal noise of deviation 1 at each point.
    No classifier is right on more than about 86 % of new rows. The archive's variant with 40 features has irrelevant=19.

    Raises a ValueError for n below 1.

    Source: Breiman et al. (1984), *Classification and Regression Trees*, section 2.6.2.

    >>> len(waveform(300).columns), waveform(300).schema.classes
    (21, (0, 1, 2))
    """
    require_count("n", n, 1, of="rows")
    require_count("irrelevant", irrelevant, 0, of="features")
    random = generator_of(seed)
    labels = random.integers(0, 3, n)
    share = random.random((n, 1))
    first, second = _WAVES[_MIXED[labels].T]
    signals = share * first + (1 - share) * second + random.standard_normal((n, _LENGTH))
    cells = np.hstack([signals, random.standard_normal((n, irrelevant))]).T.copy()
    features = [Feature(f"x{number}", "numeric") for number in range(1, len(cells) + 1)]
    return Dataset(Schema(features, "class", range(3)), cells, labels.astype(np.int8))


# Gaussian clusters.


_TWO = ((-1.25, 0.0), (1.25, 0.0))


def gaussian_clusters(
    n: int, *, means: Sequence[Sequence[float]] = _TWO, deviations: float | Sequence[float] = 1.0, seed: int = 0
) -> Dataset:
    """Points in n rows, in clusters of equal size, with the dimensions of the means; the target is the cluster's number.

    `means` has one point for each cluster, `deviations` one standard deviation for all clusters or one for each. Rows are in
    the order of the clusters.

    Raises a ValueError for n below 1, for means that are not a table of finite numbers, and for deviations that are
    negative or whose number is not that of the means.

    >>> gaussian_clusters(100)
    Dataset of 100 rows: x0 numeric, x1 numeric -> cluster: 0 50, 1 50
    >>> gaussian_clusters(9, means=[[0], [5], [10]], deviations=[1, 1, 2])
    Dataset of 9 rows: x0 numeric -> cluster: 0 3, 1 3, 2 3
    """
    require_count("n", n, 1, of="rows")
    middles = _checked_means(means)
    scales = _checked_deviations(deviations, len(middles))
    labels = np.sort(np.arange(n) % len(middles))
    noise = generator_of(seed).standard_normal((middles.shape[1], n))
    features = [Feature(f"x{number}", "numeric") for number in range(len(noise))]
    cells = middles.T[:, labels] + noise * scales[labels]
    return Dataset(Schema(features, "cluster", range(len(middles))), cells, labels)


def _checked_means(means: Sequence[Sequence[float]]) -> npt.NDArray[np.float64]:
    try:
        middles = np.asarray(means, dtype=np.float64)
    except (TypeError, ValueError):
        middles = np.array(np.nan)
    if middles.ndim != 2 or not middles.size or not np.isfinite(middles).all():  # noqa: PLR2004  # points by dimensions
        raise ValueError(f"means must be points of equally many finite numbers, one for each cluster, got {short_repr(means)}.")
    return middles


def _checked_deviations(deviations: float | Sequence[float], n_clusters: int) -> npt.NDArray[np.float64]:
    try:
        scales = np.broadcast_to(np.asarray(deviations, dtype=np.float64), n_clusters)
    except (TypeError, ValueError):
        scales = np.array(np.nan)
    if not ((scales >= 0) & np.isfinite(scales)).all():
        wanted = f"a finite number of at least 0, or one for each of the {n_clusters} means"
        raise ValueError(f"deviations must be {wanted}, got {short_repr(deviations)}.")
    return scales


def noisy_labels(dataset: Dataset, rate: float, *, seed: int = 0) -> Dataset:
    """Replace each label with probability `rate` by another class, all equally probable.

    Raises a ValueError for a rate outside 0 to 1, and for a dataset of only one class.

    >>> clean = Dataset.from_rows([["a"], ["b"]] * 50, ["no", "yes"] * 50)
    >>> int((noisy_labels(clean, 0.2).target_column != clean.target_column).sum())
    19
    """
    require_dataset(dataset)
    require_probability("rate", rate)
    require_classes(dataset.schema, "noisy_labels", "a dataset")
    n_classes = len(dataset.schema.classes)
    if n_classes < 2:  # noqa: PLR2004  # a label needs another class
        raise ValueError(f"dataset must have at least two classes, got {short_repr(dataset.schema.classes)}.")
    random = generator_of(seed)
    hit = random.random(len(dataset)) < rate
    return evolve(dataset, target_column=_replaced(dataset.target_column, hit, n_classes, random))


def noisy_values(dataset: Dataset, rate: float, *, features: Collection[str] | None = None, seed: int = 0) -> Dataset:
    """Replace each known value with probability `rate`, in all features or in those named.

    A nominal or ordinal value becomes another value of the feature, all equally probable; a number becomes one that is uniform
    between the least and the greatest of its column. Missing values stay missing, and so does the only value of a feature.

    Raises a ValueError for a rate outside 0 to 1, a KeyError for a feature that does not exist.

    Source: Zhu & Wu (2004), "Class Noise vs. Attribute Noise: A Quantitative Study of Their Impacts".

    >>> clean = Dataset.from_rows([["a", 1.0], ["b", 2.0]] * 50, ["no", "yes"] * 50)
    >>> [int((new != old).sum()) for new, old in zip(noisy_values(clean, 0.2).columns, clean.columns)]
    [19, 18]
    """
    require_dataset(dataset)
    require_probability("rate", rate)
    random = generator_of(seed)
    columns = list(dataset.columns)
    for number, feature, hit in _hits(dataset, rate, features, random):
        columns[number] = _with_noise(feature, columns[number], hit, random)
    return evolve(dataset, columns=columns)


def with_missing(dataset: Dataset, share: float, *, features: Collection[str] | None = None, seed: int = 0) -> Dataset:
    """Make each value missing with probability `share`, in all features or in those named.

    Raises a ValueError for a share outside 0 to 1, a KeyError for a feature that does not exist.

    >>> known = Dataset.from_rows([["a", 1.0], ["b", 2.0]] * 50, ["no", "yes"] * 50)
    >>> len(with_missing(known, 0.2, features=["x0"]).incomplete())
    19
    """
    require_dataset(dataset)
    require_probability("share", share)
    columns = list(dataset.columns)
    for number, feature, hit in _hits(dataset, share, features, generator_of(seed)):
        columns[number] = _with_gaps(feature, columns[number], hit)
    return evolve(dataset, columns=columns)


def _hits(
    dataset: Dataset, rate: float, wanted: Collection[str] | None, random: np.random.Generator
) -> Iterator[tuple[int, Feature, npt.NDArray[np.bool_]]]:
    """For each wanted feature: its number, the feature, and which rows change."""
    if isinstance(wanted, str):
        raise TypeError(f"features must be a list of names, got {short_repr(wanted)}. Write a single name as [{wanted!r}].")
    for name in names_of(dataset.schema.features) if wanted is None else wanted:
        number = position(dataset.schema, name)
        yield number, dataset.schema.features[number], random.random(len(dataset)) < rate


def _with_noise(feature: Feature, column: Column, hit: Any, random: np.random.Generator) -> Column:
    if feature.kind != "numeric":
        return _replaced(column, hit & (column >= 0), len(feature.values), random)
    known = column[~np.isnan(column)]
    if not known.size:
        return column
    drawn = known.min() + (known.max() - known.min()) * random.random(len(column))
    return np.where(hit & ~np.isnan(column), drawn, column).astype(column.dtype)


def _replaced(codes: Column, hit: Any, n_values: int, random: np.random.Generator) -> Column:
    """Codes, with another one from 0 to n_values - 1 where `hit`; the only value of a feature stays."""
    other = random.integers(1, max(n_values, 2), len(codes))
    return smallest_integers(np.where(hit, (codes + other) % max(n_values, 1), codes), n_values)


def _with_gaps(feature: Feature, column: Column, hit: Any) -> Column:
    if feature.kind == "numeric":
        return np.where(hit, np.nan, column).astype(column.dtype)
    return smallest_integers(np.where(hit, -1, column.astype(np.intp)), len(feature.values))
