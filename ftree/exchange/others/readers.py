"""What the readers of other libraries' trees share: nodes given by child numbers, and the counts of leaves."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import frexp, inf
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Floats, exact_unit, times_and_fractions
from ftree._lib.messages import short_repr
from ftree._lib.objects import fold_over
from ftree.data.dataset import Dataset
from ftree.data.values import number_in_text, whole_in_text
from ftree.routing.counting import recount
from ftree.tree.edit import branch_of
from ftree.tree.nodes import Branch, Leaf, Node, PredictionRule, Tree
from ftree.tree.response import Counts, numbers, whole_numbers
from ftree.tree.splits.split import Split

# A relative difference from a whole number that float32 rounding can cause.
_NEAR = 1e-6
# So many bits has a number in a float; the exponent of the smallest float.
_BITS, _LEAST_EXPONENT = 53, -1074
# Deviations of numbers up to this one are floats.
_LARGEST = 1e300


def from_links(
    children: Callable[[int], Sequence[int]],
    split: Callable[[int], Split],
    counts: Callable[[int], Sequence[float]],
    root: int = 0,
    of_branch: Callable[[int], Sequence[float] | None] = lambda _: None,
) -> Node:
    """The node with a number, from child numbers, splits, counts of leaves, and of branches, which are summed where None.

    Raises a ValueError for a node that is below itself, or below two others.

    >>> from ftree.tree import Threshold
    >>> from_links([(1, 2), (), ()].__getitem__, lambda _: Threshold(0, 0.5), [(2, 1), (2, 0), (0, 1)].__getitem__)
    Branch(counts=(2, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(2, 0)), Leaf(counts=(0, 1))))
    """
    seen: set[int] = set()

    def below(number: int) -> Sequence[int]:
        if number in seen:
            raise ValueError(f"Each node must be below at most one other, got node {number} twice.")
        seen.add(number)
        return children(number)

    def node(number: int, nodes: tuple[Node, ...]) -> Node:
        if not nodes:
            return Leaf(counts(number))
        counted = of_branch(number)
        return Branch(counted, split(number), nodes) if counted else branch_of(split(number), nodes)

    return fold_over(root, below, node)


def numbered(root: Any, children: Callable[[Any], Sequence[Any]]) -> tuple[list[Any], list[range]]:
    """A record and all records below it, and for each the numbers of those next below it, as `from_links` asks for them.

    >>> numbered({"if": 1, "else": 2}, lambda record: list(record.values()) if isinstance(record, dict) else [])
    ([{'if': 1, 'else': 2}, 1, 2], [range(1, 3), range(3, 3), range(3, 3)])
    """
    records, below, seen = [root], [], set[int]()
    for record in records:  # the list grows while it is read
        next_below = children(record)
        if next_below and id(record) in seen:
            raise ValueError(f"Each node must be below at most one other, got {short_repr(record)} twice.")
        seen.add(id(record))
        below.append(range(len(records), len(records) + len(next_below)))
        records += next_below
    return records, below


def from_splits(
    below: Sequence[Sequence[int]],
    made: Mapping[int, tuple[Split, Sequence[int]]],
    counts: Callable[[int], Sequence[float]],
    of_branch: Callable[[int], Sequence[float] | None] = lambda _: None,
) -> Node:
    """The node 0, as by `from_links`, from splits that come with the order of their children, as `split_of` gives it.

    >>> from ftree.tree import Threshold
    >>> from_splits([[1, 2], (), ()], {0: (Threshold(0, 0.5), (1, 0))}, [(), (2, 0), (0, 1)].__getitem__).children
    (Leaf(counts=(0, 1)), Leaf(counts=(2, 0)))
    """
    order = [[kids[place] for place in made[number][1]] if kids else [] for number, kids in enumerate(below)]
    return from_links(order.__getitem__, lambda number: made[number][0], counts, of_branch=of_branch)


def whole_where_near(counts: Any) -> list[float]:
    """Counts of an array as Python numbers; those that are whole except for rounding errors become integers.

    >>> whole_where_near(np.array([2.9999999, 0.5]))
    [3, 0.5]
    """
    listed = np.asarray(counts).tolist()
    none = _NEAR**2 * sum(listed)  # a small count is one, unless it is what subtracting larger ones leaves of zero
    return [round(count) if abs(count - round(count)) <= (_NEAR if round(count) else none) else count for count in listed]


def sums_of_numbers(leaves: Mapping[Any, Sequence[float]]) -> tuple[numbers, dict[Any, Counts]]:
    """A response, and the sums in it of leaves given by their cases, their mean, and their sum of squared distances from it.

    Means are multiples of the response's unit, rounded in the last place of the largest one, or of one a deviation beyond it.

    >>> response, sums = sums_of_numbers({"left": (3, 10.0, 6.0), "right": (1, 2.0, 0.0)})
    >>> sums["right"], response.answer(sums["left"]), round(response.risk(sums["left"]), 9)
    ((1, 0, 0), 10.0, 6.0)
    """
    if not leaves:
        raise ValueError("A tree must have a leaf, got none.")
    listed = np.array(list(leaves.values()), dtype=np.float64).reshape(-1, 3)
    if not (np.abs(listed) <= _LARGEST).all() or (listed[:, 0] < 0).any():  # written so that NaN is refused as well
        wanted = f"numbers of at most {_LARGEST:g}, and cases from 0"
        raise ValueError(f"Leaves must have {wanted}, got {short_repr(listed.tolist())}.")
    cases, means, squares = listed[:, 0], listed[:, 1], np.maximum(listed[:, 2], 0)
    response, whole = _on_a_grid(means, np.sqrt(squares / np.where(cases > 0, cases, inf)))
    if (cases != np.rint(cases)).any():
        response = evolve(response, part=exact_unit(cases.sum()))
        rounded = np.asarray(times_and_fractions(cases, response.part)[1])
        cases = np.where(cases > 0, np.maximum(rounded, response.part), 0.0)  # without cases, a leaf has no mean
    parts = [int(part) for part in (cases / response.part).tolist()]
    rest = [int(square) for square in np.rint(squares / response.unit / response.unit / response.part).tolist()]
    each = zip(whole_numbers(cases), parts, whole, rest, strict=True)
    return response, dict(
        zip(leaves, [(case, part * mean, part * mean**2 + more) for case, part, mean, more in each], strict=True)
    )


def _on_a_grid(means: Floats, deviations: Floats) -> tuple[numbers, list[int]]:
    """A response whose unit is as large as it can be, and the means as its whole numbers."""
    values = np.concatenate([means, means - deviations, means + deviations])
    unit = 2.0 ** max(frexp(np.abs(values).max())[1] - _BITS, _LEAST_EXPONENT)
    steps = np.rint(values / unit).astype(np.int64)
    low = int(steps.min())
    bits = int(np.bitwise_or.reduce(steps - low))
    times = bits & -bits or 1
    return numbers(low * unit, unit * times), ((steps[: len(means)] - low) // times).tolist()


def value_in_text(kind: type, text: str) -> Any:
    """A text as a value of a type: a number or a truth value, which may be written in several ways; else the text itself.

    Raises a ValueError for a text that is none of the type.

    >>> value_in_text(float, "1"), value_in_text(int, "1.0"), value_in_text(bool, "TRUE"), value_in_text(str, "1.0")
    (1.0, 1, True, '1.0')
    """
    return _READ.get(kind, str)(text)


def _boolean(text: str) -> bool:
    return ("false", "0", "true", "1").index(text.strip().lower()) > 1


def _whole(text: str) -> int:
    with suppress(ValueError):
        return whole_in_text(text)
    number = number_in_text(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


_READ: dict[type, Callable[[str], Any]] = {int: _whole, float: number_in_text, bool: _boolean}


def check_dataset(dataset: Any) -> Dataset:
    """The dataset, whose rows will be counted. Raises a TypeError for anything else."""
    if not isinstance(dataset, Dataset):
        raise TypeError(f"dataset must be a Dataset, whose rows are counted in the nodes, got {short_repr(dataset)}.")
    return dataset


def recounted(root: Node, dataset: Dataset, missing: PredictionRule | None = None) -> Tree:
    """A tree whose structure is known, with the counts of a dataset's rows instead of its own, and a rule for missing values."""
    return recount(Tree(dataset.schema, root, missing=missing), dataset)


def chosen(trees: Any, tree: int) -> Any:
    """The tree with a number. Raises a ValueError if it does not exist.

    >>> chosen(["a", "b"], 1)
    'b'
    """
    n = len(trees) if isinstance(trees, list) else 0
    if isinstance(tree, bool) or not isinstance(tree, int) or not 0 <= tree < n:
        raise ValueError(f"tree must be the number of one of {n} trees, got {short_repr(tree)}.")
    return trees[tree]
