"""Cases on their way down a tree that is being judged: many in arrays, few in lists.

A call of numpy takes as long as a look at some fifty cases, and most nodes have fewer.
"""

from collections.abc import Sequence
from itertools import compress
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from ftree._kernels import grid, times_and_fractions
from ftree.dataset import Dataset
from ftree.route import Array, Group, divide, parts, sizes_below
from ftree.split import UNKNOWN, child_of_few
from ftree.tree import Branch, Counts

# Rows in one place, as a `Group`, in lists.
Few: TypeAlias = tuple[list[int], list[float]]
Cases: TypeAlias = Group | Few
# So many cases, at most, are looked at one by one.
FEW = 50
# Codes of the types that Python has numbers for.
PLAIN = "bBhHiIlLqQfd"


@frozen(eq=False)
class Descent:
    """The way down for the cases of one dataset, in the tree's codes; `cells` and `labels` give plain numbers.

    A case without an answer is divided as those that have one, and, where they are asked for, the node's own.
    """

    data: Dataset
    step: float
    times: Array | None
    everything: Cases
    cells: tuple[memoryview, ...]
    labels: memoryview

    @staticmethod
    def of(data: Dataset) -> "Descent":
        """The way down for all cases."""
        step = grid(sum(data.class_counts()))
        times, fractions = times_and_fractions(data.weights, step)
        everything = _few_in_lists((np.arange(len(data)), np.ones(len(data)) if fractions is None else fractions))
        return Descent(data, step, times, everything, tuple(map(_plain, data.columns)), _plain(data.labels))

    def divided(self, branch: Branch, cases: Cases, *, own: bool = False) -> tuple[list[Cases], bool]:
        """The cases of each child, and whether all have an answer; with `own`, others are there already, that all have one."""
        *known, lost = self._answered(branch, cases)
        return (self._shared_out(branch, known, lost, own=own), False) if len(lost[0]) else (known, True)

    def counted(self, cases: Cases, also: Counts) -> Counts:
        """Class counts of the cases and of those that were there."""
        rows, weights = cases[0], self._weights(cases)
        more = [0.0] * len(also)
        if isinstance(weights, list):
            for row, weight in zip(rows, weights, strict=True):
                more[self.labels[row]] += weight
        else:
            more = np.bincount(self.data.labels[rows], weights, len(also)).tolist()
        return tuple([_whole(there + came) for there, came in zip(also, more, strict=True)])

    def _answered(self, branch: Branch, cases: Cases) -> list[Cases]:
        """The cases whose answer leads to each child, and last those without one."""
        rows, _ = cases
        if not isinstance(rows, list):
            return [_few_in_lists(group) for group in divide(branch, self.data.columns, _in_arrays(cases), "stop", self.step)]
        return [*_apart(child_of_few(branch.split, self.cells, rows), cases, len(branch.children))]

    def _shared_out(self, branch: Branch, known: list[Cases], lost: Cases, *, own: bool) -> list[Cases]:
        """The cases of each child, with the parts of those without an answer."""
        came = np.array([np.sum(self._weights(group)) for group in known])
        rows, shares = _in_arrays(lost)
        divided = parts(shares, came + sizes_below(branch) if own else came, "weighted", self.step)
        return [together([group, (rows[part > 0], part[part > 0])]) for group, part in zip(known, divided, strict=True)]

    def _weights(self, cases: Cases) -> Any:
        rows, shares = cases
        if self.times is None:
            return shares
        weights = self.times[rows] * shares
        return weights.tolist() if isinstance(rows, list) else weights


def _apart(child: Sequence[int], cases: Any, n_children: int) -> list[Few]:
    """A few cases by their child, and last those without one."""
    rows, shares = cases
    if n_children == 2 and UNKNOWN not in child:  # noqa: PLR2004  # most have an answer, and go to one side or the other
        other = [not one for one in child]
        low, high = ((list(compress(rows, side)), list(compress(shares, side))) for side in (other, child))
        return [low, high, ([], [])]
    groups: list[Few] = [([], []) for _ in range(n_children + 1)]
    for number, row, share in zip(child, rows, shares, strict=True):
        there, parted = groups[number]  # without an answer it is the last of them, number -1
        there.append(row)
        parted.append(share)
    return groups


def together(groups: list[Cases]) -> Cases:
    """The cases of all groups."""
    if len(groups) == 1:
        return groups[0]
    if all(isinstance(rows, list) for rows, _ in groups):
        return [row for rows, _ in groups for row in rows], [share for _, shares in groups for share in shares]
    rows, shares = zip(*map(_in_arrays, groups), strict=True)
    return _few_in_lists((np.concatenate(rows), np.concatenate(shares)))


def _few_in_lists(group: Group) -> Cases:
    rows, shares = group
    return group if len(rows) > FEW else (rows.tolist(), shares.tolist())


def _in_arrays(cases: Cases) -> Group:
    rows, shares = cases
    return np.asarray(rows, dtype=np.intp), np.asarray(shares, dtype=np.float64)


def _plain(column: Array) -> memoryview:
    """A column that gives plain numbers, one at a time; copied only for another byte order or unusual floats."""
    kind = column.dtype.newbyteorder("=")
    return np.asarray(column, dtype=kind if kind.char in PLAIN else np.float64).data


def _whole(count: float) -> float:
    whole = int(count)
    return whole if whole == count else count
