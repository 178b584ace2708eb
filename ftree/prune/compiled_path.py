"""The weakest links of a tree and the losses of its prunings, in compiled code on its flat form."""

import sys
from collections.abc import Sequence

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.compilation import is_compiled
from ftree.prune.weakest_links import WeakLink, groups_of_path
from ftree.routing.flat import Flat

# From this many nodes on, compiled code saves more time than passing arrays to it takes.
_MANY = 100


def path_is_compiled(tree: Flat) -> bool:
    """Whether compiled code is available, and the tree large enough for it; this never waits for a compiler."""
    return len(tree.arity) >= _MANY and "numba" in sys.modules and is_compiled()


def compiled_path_losses(tree: Flat, risks: Sequence[float], counts: Floats, cost: Floats) -> tuple[list[float], Floats]:
    """The alphas of the path, and for each the losses (steps, 2), from the class counts and costs (m, K) of nodes as leaves."""
    # Imported here, since numba takes longer to load than a small tree takes to prune.
    from ftree.prune.kernels.weakest_links import add_to_parents, sums_after_cuts  # noqa: PLC0415

    links = _weakest_links(tree, np.array(risks, dtype=np.float64))
    groups = groups_of_path(links)
    add_to_parents(tree.first_child, tree.arity, counts)
    losses = np.column_stack([(counts * cost).sum(axis=1), (counts * cost**2).sum(axis=1)])
    cuts = np.array([number for _, group in groups for number in sorted([link[2] for link in group], reverse=True)], np.int64)
    ends = np.cumsum([len(group) for _, group in groups])
    m, after = len(tree.arity), np.empty((len(groups), 2))
    closed, stack = np.empty(m, np.bool_), np.empty(m, np.int64)
    sums_after_cuts(tree.first_child, tree.arity, losses, cuts, ends, after, closed, stack)
    return [alpha for alpha, _ in groups], after


def _weakest_links(tree: Flat, risks: Floats) -> list[WeakLink]:
    """The branches that are cut on the path, in the order of their alphas, as `ftree.prune.weakest_links` finds them."""
    from ftree.prune.kernels.weakest_links import weakest_links  # noqa: PLC0415  # loads numba

    m = len(risks)
    alpha, lost = np.empty(m), np.zeros(m, np.int64)
    weakest_links(tree.first_child, tree.arity, risks, alpha, lost, np.empty((5, m), np.int64))
    cut: Array = np.flatnonzero(~np.isnan(alpha))
    cut = cut[np.lexsort((cut, lost[cut], alpha[cut]))]
    return list(zip(alpha[cut].tolist(), lost[cut].tolist(), cut.tolist(), strict=True))
