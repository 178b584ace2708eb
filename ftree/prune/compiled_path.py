"""The weakest links of a tree and the losses of its prunings, in compiled code on its flat form."""

import sys
from collections.abc import Sequence

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.compilation import is_compiled
from ftree.prune.compare import same_each
from ftree.routing.flat import Flat

# From this many nodes on, compiled code saves more time than passing arrays to it takes.
_MANY = 100


def path_is_compiled(n_nodes: int) -> bool:
    """Whether compiled code is available, and a tree large enough for it; this never waits for a compiler."""
    return n_nodes >= _MANY and "numba" in sys.modules and is_compiled()


def compiled_path_losses(tree: Flat, risks: Sequence[float], counts: Floats, cost: Floats) -> tuple[list[float], Floats]:
    """The alphas of the path, and for each the losses (steps, 2), from the class counts and costs (m, K) of nodes as leaves."""
    # Imported here, since numba takes longer to load than a small tree takes to prune.
    from ftree.prune.kernels.weakest_links import add_to_parents, sums_after_cuts  # noqa: PLC0415

    alpha, _, number = compiled_weakest_links(tree.first_child, tree.arity, risks)
    alphas, ends = _groups(alpha)
    # In each group those further down come first.
    cuts = number[np.lexsort((-number, np.searchsorted(ends, np.arange(len(number)), side="right")))]
    add_to_parents(tree.first_child, tree.arity, counts)
    losses = np.column_stack([(counts * cost).sum(axis=1), (counts * cost**2).sum(axis=1)])
    m, after = len(tree.arity), np.empty((len(ends), 2))
    closed, stack = np.empty(m, np.bool_), np.empty(m, np.int64)
    sums_after_cuts(tree.first_child, tree.arity, losses, cuts, ends, after, closed, stack)
    return alphas, after


def compiled_weakest_links(first: Array, arity: Array, risks: Sequence[float]) -> tuple[Floats, Array, Array]:
    """The branches that are cut on the path, in the order of their alphas, as `ftree.prune.weakest_links` finds them.

    For each the alpha, the leaves that the cut takes off, and its number. Nodes have so many children (`arity`), numbered from
    `first` on.
    """
    from ftree.prune.kernels.weakest_links import weakest_links  # noqa: PLC0415  # loads numba

    m = len(risks)
    alpha, lost = np.empty(m), np.zeros(m, np.int64)
    weakest_links(first, arity, np.array(risks, dtype=np.float64), alpha, lost, np.empty((5, m), np.int64))
    cut: Array = np.flatnonzero(~np.isnan(alpha))
    cut = cut[np.lexsort((cut, lost[cut], alpha[cut]))]
    return alpha[cut], lost[cut], cut


def _groups(alpha: Floats) -> tuple[list[float], Array]:
    """Each alpha of the path, from 0 on, and where the links end that are cut there: `groups_of_path`, in arrays."""
    ends = np.append(np.flatnonzero(~same_each(alpha[1:], alpha[:-1])) + 1, [len(alpha)] if len(alpha) else []).astype(np.int64)
    alphas = alpha[ends - 1].tolist()
    return (alphas, ends) if alphas and not alphas[0] else ([0.0, *alphas], np.append(0, ends))
