"""The ten functions of Agrawal, Imielinski & Swami (1993): which applicants for a loan belong to group A.

Amounts are in thousands here, as in the paper.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen

Mask: TypeAlias = npt.NDArray[np.bool_]


@frozen(eq=False)
class Applicants:
    """The columns that functions use, (n,) each; amounts in thousands."""

    salary: Any
    commission: Any
    age: Any
    elevel: Any
    hvalue: Any
    hyears: Any
    loan: Any


def _within(amount: Any, least: float, most: float) -> Any:
    return (least <= amount) & (amount <= most)


def _by_age(people: Applicants, young: Any, middle: Any, old: Any) -> Any:
    """The value for ages below 40, for ages from 40 to below 60, and for ages from 60."""
    return np.where(people.age < 40, young, np.where(people.age < 60, middle, old))  # noqa: PLR2004  # the paper's ages


def _function_1(p: Applicants) -> Any:
    return _by_age(p, young=True, middle=False, old=True)


def _function_2(p: Applicants) -> Any:
    return _by_age(p, _within(p.salary, 50, 100), _within(p.salary, 75, 125), _within(p.salary, 25, 75))


def _function_3(p: Applicants) -> Any:
    return _by_age(p, _within(p.elevel, 0, 1), _within(p.elevel, 1, 3), _within(p.elevel, 2, 4))


def _function_4(p: Applicants) -> Any:
    young = np.where(_within(p.elevel, 0, 1), _within(p.salary, 25, 75), _within(p.salary, 50, 100))
    middle = np.where(_within(p.elevel, 1, 3), _within(p.salary, 50, 100), _within(p.salary, 75, 125))
    old = np.where(_within(p.elevel, 2, 4), _within(p.salary, 50, 100), _within(p.salary, 25, 75))
    return _by_age(p, young, middle, old)


def _function_5(p: Applicants) -> Any:
    young = np.where(_within(p.salary, 50, 100), _within(p.loan, 100, 300), _within(p.loan, 200, 400))
    middle = np.where(_within(p.salary, 75, 125), _within(p.loan, 200, 400), _within(p.loan, 300, 500))
    old = np.where(_within(p.salary, 25, 75), _within(p.loan, 300, 500), _within(p.loan, 100, 300))
    return _by_age(p, young, middle, old)


def _function_6(p: Applicants) -> Any:
    total = p.salary + p.commission
    return _by_age(p, _within(total, 50, 100), _within(total, 75, 125), _within(total, 25, 75))


def _function_7(p: Applicants) -> Any:
    return 0.67 * (p.salary + p.commission) - 0.2 * p.loan - 20 > 0


def _function_8(p: Applicants) -> Any:
    return 0.67 * (p.salary + p.commission) - 5 * p.elevel - 20 > 0


def _function_9(p: Applicants) -> Any:
    return 0.67 * (p.salary + p.commission) - 5 * p.elevel - 0.2 * p.loan - 10 > 0


def _function_10(p: Applicants) -> Any:
    equity = 0.1 * p.hvalue * np.maximum(p.hyears - 20, 0)
    return 0.67 * (p.salary + p.commission) - 5 * p.elevel + 0.2 * equity - 10 > 0


# Whether each applicant belongs to group A, by functions 1 to 10.
GROUP_A: tuple[Callable[[Applicants], Mask], ...] = (
    _function_1,
    _function_2,
    _function_3,
    _function_4,
    _function_5,
    _function_6,
    _function_7,
    _function_8,
    _function_9,
    _function_10,
)
