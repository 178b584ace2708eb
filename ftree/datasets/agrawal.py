"""Agrawal's applicants: nine features of people who want a loan, and ten functions that divide them into two groups."""

from typing import Any

import numpy as np

from ftree._lib.fields import require_probability, require_whole_number
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset
from ftree.datasets.agrawal_functions import GROUP_A, Applicants
from ftree.tree.schema import Feature, Schema

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
    require_whole_number("n", n, 1, of="rows")
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


def _applicants(columns: dict[str, Any]) -> Applicants:
    in_thousands = {name: columns[name] / 1000 for name in ("salary", "commission", "hvalue", "loan")}
    return Applicants(**in_thousands, age=columns["age"], elevel=columns["elevel"], hyears=columns["hyears"])
