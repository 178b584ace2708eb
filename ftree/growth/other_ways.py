"""Two other ways of `grow`: within a limit of memory, and by a policy that looks several levels ahead.

Within a limit, nodes grow from counts while they are large, and from the rows themselves once these fit in memory. Looking ahead,
each node gets the first split of a best tree of several levels.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from attrs import evolve

from ftree._lib.arrays import TIE, Array
from ftree._lib.fields import name_of, require_whole_number
from ftree._lib.messages import type_of
from ftree.criteria.costs import factors
from ftree.criteria.impurity import entropy, misclassification
from ftree.criteria.predicate import any_of
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset, require_dataset, rows_with_weight
from ftree.exact import Limits, class_bits, class_errors, errors, look_ahead
from ftree.growth.attach_surrogates import attach_surrogates
from ftree.growth.engines.engine import stop_limits
from ftree.growth.given_table import require_policy
from ftree.growth.levels import GrownFrom
from ftree.policy import Policy
from ftree.splitters import as_branch, as_value, by_score
from ftree.splitters.missing_policies import prediction_rule
from ftree.splitters.surrogates import surrogates
from ftree.stop import alternatives, leaf_limit, max_leaves, min_rows, never, no_gain, pure
from ftree.tree.edit import subtree_at
from ftree.tree.fold import fold, walk
from ftree.tree.nodes import Leaf, Path, Tree, new_tree, with_children

# The function that grows a prepared table by a policy, from a start, with the other options of `grow`.
Grow: TypeAlias = Callable[..., Tree]


@runtime_checkable
class GivesRows(Protocol):
    """A counted table that can give the rows of nodes, and grows small ones in `memory` bytes; in none if it is None."""

    memory: int | None

    def gaps(self) -> frozenset[int]:
        """The numbers of the features with missing values."""
        ...

    def most_rows(self) -> int:
        """The number of rows whose growth takes at most so many bytes."""
        ...

    def rows_at(self, tree: Tree, paths: Sequence[Path], most_rows: int, /) -> Iterator[tuple[Path, Dataset]]:
        """The rows of each leaf with one of the paths, at most `most_rows` in memory at a time."""
        ...


def grown_within(table: GivesRows, policy: Policy, start: GrownFrom | None, grown: Grow) -> Tree:
    """The tree of a table, grown from counts while nodes are large, and from rows below them once these fit in its memory.

    Raises a ValueError for a start, and if a node's tree depends on more than its rows: with missing values, whose rows are
    divided, and with choices by gain ratio.
    """
    if start is not None or table.gaps() or policy.choose != by_score():
        wanted = "None with a start, missing values, or a choice other than by_score()"
        message = f"memory of the source must be {wanted}, got {table.memory}. With None, the tree grows from counts alone."
        raise ValueError(message)
    most = table.most_rows()
    rules = [rule for rule in alternatives(policy.stop) if not isinstance(rule, max_leaves)]
    whole = evolve(policy, stop=any_of(*rules) if rules else never)
    above = grown(table, whole.stopping(min_rows(most + 1)))
    small = leaves_to_grow(above, most, pure_too=not any(isinstance(rule, (pure, no_gain)) for rule in rules))
    below = {
        path: subtree_at(grown(rows, whole, (above, path), progress=False), path).root
        for path, rows in table.rows_at(above, small, most)
    }
    ends = (path for path, node in walk(above) if isinstance(node, Leaf))
    # A fold comes to leaves from left to right, as a walk does.
    return evolve(above, root=fold(above.root, lambda leaf: below.get(next(ends), leaf), with_children))


def leaves_to_grow(tree: Tree, most: int, *, pure_too: bool) -> list[Path]:
    """The paths of leaves with at most `most` cases, in order; those of only one class if `pure_too`.

    >>> from ftree import Feature, Leaf, Schema
    >>> leaves_to_grow(Tree(Schema([Feature("x", "numeric")], "y", (0, 1)), Leaf((2, 1))), 5, pure_too=False)
    [()]
    """
    ends = ((path, node.counts) for path, node in walk(tree) if isinstance(node, Leaf))
    return [path for path, counts in ends if sum(count > 0 for count in counts) > (not pure_too) and sum(counts) <= most]


# Several levels ahead


_MOST_DEPTH = 20


def grown_ahead(dataset: Any, policy: Policy, steps: int, others: dict[str, Any]) -> Tree:
    """The tree of a policy that looks `steps` levels ahead; `others` are arguments of `grow` that must be left out with it.

    Raises a TypeError for anything but a dataset, and a ValueError for an argument and for a part of a policy that the search
    does not follow.
    """
    require_whole_number("look_ahead", steps, 1)
    require_policy(policy)
    if not isinstance(dataset, Dataset):
        raise TypeError(f"dataset must be a Dataset with look_ahead, got {type_of(dataset)}.")
    for name, value in others.items():
        if value is not None and value != "auto":
            raise ValueError(f"{name} must be left out with look_ahead, got {name_of(value)}.")
    table = rows_with_weight(dataset)
    require_dataset(table, of_classes="look_ahead")
    _check_choice(policy)
    limits = _limits(policy)
    rules: dict[str, Any] = {"max_depth": _depth(policy, limits.depth), "limits": Limits(min_leaf=max(limits.leaf, 0))}
    rules |= {"objective": _objective(policy, table), "splitters": policy.splits, "missing": _missing(policy, table)}
    tree = look_ahead(table, steps=steps, **rules)
    if isinstance(policy.missing, surrogates) and policy.missing.everywhere:
        tree = attach_surrogates(tree, table, at_most=policy.missing.at_most, min_cases=policy.missing.min_cases)
    return new_tree(tree.schema, tree.root, missing=prediction_rule(policy.missing))


def _check_choice(policy: Policy) -> None:
    for name, wanted in (("score", gain), ("choose", by_score())):
        if getattr(policy, name) != wanted:
            raise ValueError(f"{name} must be {name_of(wanted)} with look_ahead, got {name_of(getattr(policy, name))}.")


def _limits(policy: Policy) -> Any:
    """The stopping rules that a search of several levels follows."""
    limits = stop_limits(policy.stop)
    if limits is None or max(limits.rows, limits.errors) > 0 or limits.gain > TIE or leaf_limit(policy.stop) is not None:
        wanted = "pure(), no_gain(), max_depth() and min_best_child()"
        raise ValueError(f"stop must consist of {wanted} with look_ahead, got {name_of(policy.stop)}.")
    return limits


def _depth(policy: Policy, depth: float) -> int:
    if depth > _MOST_DEPTH:
        remedy = "Write policy.stopping(max_depth(5))."
        message = f"stop must have a max_depth() of at most {_MOST_DEPTH} with look_ahead, got {name_of(policy.stop)}. {remedy}"
        raise ValueError(message)
    return int(depth)


def _missing(policy: Policy, table: Dataset) -> Any:
    """The policy for missing values, which does not matter for a table without them."""
    return policy.missing if table.gaps() or isinstance(policy.missing, as_branch | as_value) else as_branch()


def _objective(policy: Policy, table: Dataset) -> Any:
    """The impurity, multiplied by the cases of a leaf; priors and costs weigh the classes."""
    weighed = policy.priors is not None or policy.costs is not None
    altered = factors(table.class_counts(), policy.priors, policy.costs) if weighed else None
    if policy.impurity is misclassification:
        return errors() if altered is None else class_errors(altered)
    if policy.impurity is entropy and altered is None:
        return class_bits()
    return partial(_cases_times_impurity, policy.impurity, 1.0 if altered is None else altered)


def _cases_times_impurity(impurity: Any, altered: Any, counts: Array) -> Array:
    weighed = counts * altered
    answer: Array = weighed.sum(axis=-1) * np.asarray(impurity(weighed))
    return answer
