"""Decision trees grown by the definitions: plain recursion over lists of Python values.

Nothing of the library is used here, and no arrays. A tree is a dictionary: its class counts `n`, and for a branch the
column number `index`, the `gain`, and its children: by value in a dictionary, or below and above a `threshold` in a list.
"""

from collections import Counter
from itertools import combinations, pairwise
from math import log2

# Gains within this tolerance are equal, and the lowest column, then the lowest threshold, wins.
TIE = 1e-9
NOTHING = 1e-12


def entropy(labels):
    return -sum(n / len(labels) * log2(n / len(labels)) for n in Counter(labels).values())


def gini(labels):
    return 1 - sum((n / len(labels)) ** 2 for n in Counter(labels).values())


def gain(parts, impurity=entropy):
    whole = [label for part in parts for label in part]
    return impurity(whole) - sum(len(part) / len(whole) * impurity(part) for part in parts)


def grown(rows, labels, classes, *, numeric=(), impurity=entropy):
    """Multiway splits on the values present; on numeric columns thresholds midway between neighbouring values."""
    node = {"n": [labels.count(label) for label in classes]}
    scores = list(scored_splits(rows, labels, numeric, impurity))
    most = max((score for score, *_ in scores), default=0.0)
    if most <= NOTHING:
        return node
    score, column, at = next(split for split in scores if split[0] >= most - TIE)
    parts = divided(rows, labels, lambda row: row[column] if at is None else row[column] > at)
    children = {key: grown(*part, classes, numeric=numeric, impurity=impurity) for key, part in parts.items()}
    node |= {"index": column, "gain": score}
    return node | ({"children": children} if at is None else {"threshold": at, "children": list(children.values())})


def scored_splits(rows, labels, numeric, impurity):
    """Every split as (gain, column, threshold or None), with increasing columns and thresholds."""
    for column in range(len(rows[0])):
        cells = [row[column] for row in rows]
        values = sorted(set(cells))
        if column in numeric:
            for low, high in pairwise(values):
                at = (low + high) / 2
                yield gain(sides(cells, labels, lambda cell, at=at: cell > at), impurity), column, at
        elif len(values) > 1:
            yield gain(sides(cells, labels, lambda cell: cell), impurity), column, None


def best_subset_gain(cells, labels, impurity=gini):
    """The largest gain of any division of the values in two; all are tried."""
    first, *others = sorted(set(cells))
    chosen = [(first, *members) for size in range(len(others)) for members in combinations(others, size)]
    gains = [gain(sides(cells, labels, lambda cell, members=members: cell in members), impurity) for members in chosen]
    return max(gains, default=0.0)


def divided(rows, labels, answer):
    """Rows and their labels by the answer of each row, answers in order."""
    parts = {}
    for row, label in zip(rows, labels, strict=True):
        part = parts.setdefault(answer(row), ([], []))
        part[0].append(row)
        part[1].append(label)
    return {key: parts[key] for key in sorted(parts)}


def sides(cells, labels, answer):
    """Only the labels, by answer."""
    return [part for _, part in divided(cells, labels, answer).values()]
