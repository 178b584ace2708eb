"""Tidy layouts: the horizontal positions of the nodes of a tree.

In the tidy layout no two nodes of a level overlap, a parent stands above the middle of its outer children, and a mirrored tree
has the mirrored layout. It takes time linear in the number of nodes, and recurses on no stack. Source: Reingold & Tilford 1981
for the aims; Kennedy 1996, "Drawing trees", for the mean of a packing from the left and one from the right.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

# One side of a subtree, level by level from the top: its reach, as the difference from the level above. A linked list,
# so that a parent's contour shares common parts with its children's.
Contour: TypeAlias = "tuple[float, Contour] | None"


def tidy(below: Sequence[range], widths: Sequence[float]) -> list[float]:
    """The middle of each node, with the leftmost node's left side at 0; parents come before children, and `widths` include gaps.

    >>> tidy([range(1, 3), range(0), range(3, 5), range(0), range(0)], [10] * 5)
    [10.0, 5.0, 15.0, 10.0, 20.0]
    """
    offsets = [0.0] * len(below)
    lefts: list[Contour] = [None] * len(below)
    rights: list[Contour] = [None] * len(below)
    for number in reversed(range(len(below))):
        kids, half = below[number], widths[number] / 2
        sides = lefts[kids.start : kids.stop], rights[kids.start : kids.stop]
        offsets[kids.start : kids.stop] = places = _side_by_side(*sides)
        lefts[number] = half, _raised(_joined(sides[0], [-place for place in places]), half)
        rights[number] = half, _raised(_joined(sides[1][::-1], places[::-1]), half)
    middles = _added_down(offsets, below)
    least = min(middle - width / 2 for middle, width in zip(middles, widths, strict=True))
    return [middle - least for middle in middles]


def columns(below: Sequence[range], widths: Sequence[float]) -> list[float]:
    """The middle of each node if each subtree has a column of its own, so that leaves may stand on one line.

    >>> columns([range(1, 3), range(0), range(3, 5), range(0), range(0)], [10] * 5)
    [12.5, 5.0, 20.0, 15.0, 25.0]
    """
    middles, spans, starts = [0.0] * len(below), list(widths), [0.0] * len(below)
    for number in reversed(range(len(below))):
        kids, half = below[number], widths[number] / 2
        if kids:
            wide = sum(spans[kids.start : kids.stop])
            spans[number] = max(wide, widths[number])
            first = (spans[number] - wide) / 2
            starts[kids.start : kids.stop] = list(accumulate(spans[kids.start : kids.stop], initial=first))[:-1]
            middle = sum(starts[kid] + middles[kid] for kid in (kids[0], kids[-1])) / 2
            middles[number] = min(max(middle, half), spans[number] - half)
        else:
            middles[number] = half
    return [start + middle for start, middle in zip(_added_down(starts, below), middles, strict=True)]


def _added_down(offsets: list[float], below: Sequence[range]) -> list[float]:
    """Offsets from the parents as offsets from the root."""
    for number, kids in enumerate(below):
        for kid in kids:
            offsets[kid] += offsets[number]
    return offsets


def _side_by_side(lefts: Sequence[Contour], rights: Sequence[Contour]) -> list[float]:
    """The positions of siblings relative to their parent: the mean of packing them from the left and from the right."""
    if not lefts:
        return []
    from_left, from_right = _packed(lefts, rights), _packed(rights[::-1], lefts[::-1])
    width = from_left[-1]
    places = [(place + width - other) / 2 for place, other in zip(from_left, reversed(from_right), strict=True)]
    return [place - (places[0] + places[-1]) / 2 for place in places]


def _packed(backs: Sequence[Contour], fronts: Sequence[Contour]) -> list[float]:
    """Positions from 0 on, each as close as possible to those before; `backs` face those before, `fronts` those after."""
    places, front = [0.0], fronts[0]
    for (_, own_front), back in zip(pairwise(fronts), backs[1:], strict=True):
        places.append(_distance(front, back))
        front = _continued(_moved(own_front, places[-1]), front)
    return places


def _distance(front: Contour, back: Contour) -> float:
    """The least distance at which two contours that face each other do not overlap."""
    needed = reach = other = 0.0
    while front is not None and back is not None:
        (step, front), (other_step, back) = front, back
        reach, other = reach + step, other + other_step
        needed = max(needed, reach + other)
    return needed


def _joined(contours: Sequence[Contour], places: Sequence[float]) -> Contour:
    """The contour of siblings seen from the first one's side: on each level, that of the first sibling with that depth."""
    joined: Contour = None
    for contour, place in reversed(list(zip(contours, places, strict=True))):
        joined = _continued(_moved(contour, place), joined)
    return joined


def _continued(near: Contour, far: Contour) -> Contour:
    """The near contour, continued by the far one below its last level. Takes time linear in the smaller depth."""
    passed, reach, other, rest, under = [], 0.0, 0.0, near, far
    while rest is not None and under is not None:
        passed.append(rest[0])
        reach, other = reach + rest[0], other + under[0]
        rest, under = rest[1], under[1]
    if under is None:
        return near
    joined: Contour = _moved(under, other - reach)
    for step in reversed(passed):
        joined = step, joined
    return joined


def _moved(contour: Contour, distance: float) -> Contour:
    return None if contour is None else (contour[0] + distance, contour[1])


def _raised(contour: Contour, reach: float) -> Contour:
    """A contour as the next levels of one with that reach."""
    return _moved(contour, -reach)
