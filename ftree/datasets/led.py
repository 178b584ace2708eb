"""LED digits: the digit that a faulty seven-segment display shows."""

import numpy as np

from ftree._lib.fields import require_probability, require_whole_number
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset
from ftree.tree.schema import Feature, Schema

_SEGMENTS = ("top", "upper_left", "upper_right", "middle", "lower_left", "lower_right", "bottom")
# The lit segments of each digit.
_DIGITS = ("1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011")
_LIT = np.array([[mark == "1" for mark in marks] for marks in _DIGITS])


def led(n: int, *, noise: float = 0.1, irrelevant: int = 0, seed: int = 0) -> Dataset:
    """Digits in n rows, with 7 segments, each inverted with probability `noise`; `irrelevant` random features may follow.

    Digits are equally probable. With noise .1, no classifier is right on more than 74 % of new rows.

    Raises a ValueError for n below 1, and for noise outside 0 to 1.

    Source: Breiman et al. (1984), *Classification and Regression Trees*, section 2.6.1.

    >>> led(500).schema.features[0]
    Feature(name='top', kind='nominal', values=(False, True))
    >>> len(led(500, irrelevant=17).columns)
    24
    """
    require_whole_number("n", n, 1, of="rows")
    require_probability("noise", noise)
    require_whole_number("irrelevant", irrelevant, 0, of="features")
    random = generator_of(seed)
    digits = random.integers(0, 10, n)
    shown = _LIT[digits] ^ (random.random((n, len(_SEGMENTS))) < noise)
    others = random.random((n, irrelevant)) < 0.5  # noqa: PLR2004  # a fair coin
    names = (*_SEGMENTS, *(f"irrelevant{number}" for number in range(irrelevant)))
    features = [Feature(name, "nominal", (False, True)) for name in names]
    columns = np.hstack([shown, others]).T.astype(np.int8)
    return Dataset(Schema(features, "digit", range(10)), columns, digits.astype(np.int8))
