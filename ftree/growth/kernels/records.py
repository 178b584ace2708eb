"""Records of arrays that are made together and passed through several kernels; n entries, m nodes, F features, K classes.

Inside kernels a record costs nothing, since compiled code unpacks it. A record of six arrays takes 1.1 µs to pass from Python,
six arrays take 0.35 µs; a level or a group of small nodes passes a few dozen of them.
"""

from typing import Any, NamedTuple


class Features(NamedTuple):
    """The splits and the storage of features; constant while a tree grows.

    `way` (F,) is the kind of each one's splits, as `ftree.growth.split_arrays` numbers them; `absent` (F,) the code of a missing
    value: the number of values, or a larger number. `in_order` numbers the features that are kept sorted, `coded` those kept
    as codes; `base` (coded + 1,) is the first cell of each coded one when all codes are counted by class. `shift` is the
    number of bits of a key below the entry's number. `options` (F, 7) are the options of each one's splitter, as
    `ftree.growth.criterion_codes` numbers them.
    """

    way: Any
    absent: Any
    in_order: Any
    coded: Any
    base: Any
    shift: Any
    options: Any


class CriterionTables(NamedTuple):
    """The measure of splits: the codes of impurity and score, and tables of n log2 n for counts of rows n.

    `fast` says whether the kernels of `scan` know the measure, `plain` whether splitters have no options and a node takes the
    best score. `slack` is that of a choice by gain ratio, NaN if the score decides. `factors` (K,) multiply class counts
    before they are measured; empty for none. `whole` has n log2 n in whole numbers of 1/`unit` bits, `steps` the differences
    between neighbours, `table` the same in bits; all are empty if rows are weighted or too many.
    """

    impurity: Any
    score: Any
    fast: Any
    plain: Any
    slack: Any
    factors: Any
    whole: Any
    steps: Any
    unit: Any
    table: Any


class Sharing(NamedTuple):
    """The destination of entries whose value is missing.

    All go to the heaviest child if `heaviest`, else a share of each to every child, in multiples of `step`.
    """

    heaviest: Any
    step: Any


class Entries(NamedTuple):
    """Rows in open nodes, node after node in every column; a row with missing values may be several entries.

    `place` (F,) is a feature's column in `codes` (n, at least the coded features), or, from -1 downwards, its row in `keys`
    (at least the sorted features, n). Then each entry's class, its row of the table, its whole row weight (times),
    its share of a row (fractions), and the product of both (weights); each of these three is empty if all are 1.
    """

    place: Any
    keys: Any
    codes: Any
    classes: Any
    origin: Any
    times: Any
    fractions: Any
    weights: Any


class Nodes(NamedTuple):
    """Open nodes: node j has the entries from `start[j]` to `end[j]` and the class counts `totals[j]`, floats (m, K)."""

    start: Any
    end: Any
    totals: Any


class Scores(NamedTuple):
    """The best split of each feature in each node, (F, m).

    `score` is multiplied by the known share, -inf without a split. `cut` is the position of the first key on the right of a fast
    threshold (negative if another may be as good), or the number of values that another split lists. `unsure` marks scores too
    close to call. `information` is that of the split, if nodes choose by gain ratio; else it has no features.
    """

    score: Any
    cut: Any
    unsure: Any
    information: Any


class Above(NamedTuple):
    """The level before: each feature's score in each of its nodes (F, nodes), and the parent of each node among these."""

    score: Any
    parent: Any


class Search(NamedTuple):
    """The data that a search for splits reads: the features, the measure, the entries, the open nodes and the level before.

    `counted` (m,) marks the nodes in which rows are counted, all weights being 1. `by_values` has the addresses of kernels that
    find the best split of a run, by the kind of its splits, and of the one that scores a run with them.
    """

    features: Any
    measure: Any
    entries: Any
    nodes: Any
    counted: Any
    above: Any
    by_values: Any


class Splits(NamedTuple):
    """The split of each node: its feature (-1: none), values on both sides of a threshold, values listed, children's counts.

    Node j lists `listed[first_code[j]:first_code[j + 1]]` and has the children `children[first_child[j]:first_child[j + 1]]`,
    class counts (c, K). A value is a code, or the position of a key in its row.
    """

    feature: Any
    lower: Any
    upper: Any
    first_code: Any
    listed: Any
    first_child: Any
    children: Any


class Moves(NamedTuple):
    """The destination of entries: each split's kind (m,), its first child (m + 1,), each entry's child and new number (n,).

    The child is -1 if the value is missing. `position` (children + 1,) is the first entry of each child. `copies` (c, 3)
    has the old number, child and new number of each entry whose value is missing, once for each child that gets a share of it,
    and `shares` (c,) these shares.
    """

    kind: Any
    first_child: Any
    child: Any
    number: Any
    position: Any
    copies: Any
    shares: Any
