"""Rows of a feature of each kind, for tests of passes."""

import numpy as np

from ftree import Dataset, Feature, Schema

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd")], "label", ("no", "maybe", "yes")
)


def made(rows, *, missing, weighted, seed=0):
    """Rows of small numbers and codes, with missing values if `missing`."""
    random = np.random.default_rng(seed)
    numbers = random.integers(-1 if missing else 0, 5, rows).astype(float)
    columns = [np.where(numbers < 0, np.nan, numbers), *(random.integers(-1 if missing else 0, size, rows) for size in (3, 4))]
    return Dataset(SCHEMA, columns, random.integers(0, 3, rows), random.integers(1, 4, rows) if weighted else None)


COMPLETE = made(14, missing=False, weighted=False)
WITH_GAPS = made(14, missing=True, weighted=True)
