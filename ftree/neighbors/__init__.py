"""Nearest neighbours: distances, a classifier, and training sets edited by it. Scalings of features are in `ftree.points`.

    nearest_neighbours.py    the classifier, its votes, and edited training sets
    indices.py               which points are near: one after another, or by SciPy's k-d tree
    point_distances.py       metrics

All are tested in `tests/neighbors/test_neighbors.py`, against loops over rows; scalings in `tests/test_points.py`.

Source: Fix & Hodges 1951; Cover & Hart 1967.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.neighbors.point_distances import (
        broadcasts as broadcasts,
        chebyshev as chebyshev,
        euclidean as euclidean,
        hamming as hamming,
        manhattan as manhattan,
        minkowski as minkowski,
    )
    from ftree.neighbors.nearest_neighbours import (
        Search as Search,
        by_distance as by_distance,
        edited as edited,
        knn as knn,
        uniform as uniform,
    )
else:
    on_first_use(__name__)
