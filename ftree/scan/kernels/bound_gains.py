"""Bounds of the gain at all corners of ranges, by entropy or Gini. The plain twin is `bounds.corners`."""

import numpy as np

from ftree._lib.jit import inlined, kernel


@inlined
def _impure_weight(k, counts, part, corner, by_entropy):
    """Weight times impurity of row k of `counts`, with those classes of `part` whose bit in `corner` is set."""
    weight, terms = 0.0, 0.0
    for c in range(counts.shape[1]):
        own = counts[k, c] + (part[k, c] if (corner >> c) & 1 else 0.0)
        weight += own
        if by_entropy:
            if own > 0:
                terms += own * np.log2(own)
        else:
            terms += own * own
    if weight <= 0:
        return 0.0
    return weight * np.log2(weight) - terms if by_entropy else weight - terms / weight


@kernel
def corner_bounds(left, within, right, by_entropy, bounds):
    """Write the largest gain at the corners of each range into `bounds` (n,); entropy in bits, else Gini."""
    n_classes = left.shape[1]
    every = (1 << n_classes) - 1
    for k in range(left.shape[0]):
        total, whole_terms = 0.0, 0.0
        for c in range(n_classes):
            own = left[k, c] + within[k, c] + right[k, c]
            total += own
            if by_entropy:
                if own > 0:
                    whole_terms += own * np.log2(own)
            else:
                whole_terms += own * own
        whole = total * np.log2(total) - whole_terms if by_entropy else total - whole_terms / total
        least = np.inf
        for corner in range(every + 1):
            below = _impure_weight(k, left, within, corner, by_entropy)
            below += _impure_weight(k, right, within, every ^ corner, by_entropy)
            least = min(least, below)
        bounds[k] = (whole - least) / total
