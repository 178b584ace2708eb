"""Waveforms: which two of three triangular waves are mixed in a noisy signal."""

import numpy as np

from ftree._lib.fields import require_whole_number
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset
from ftree.tree.schema import Feature, Schema

_LENGTH = 21
_PEAKS = np.array([[11], [15], [7]])
_WAVES = np.maximum(6 - np.abs(np.arange(1, _LENGTH + 1) - _PEAKS), 0.0)
# The two waves that each class mixes.
_MIXED = np.array([[0, 1], [0, 2], [1, 2]])


def waveform(n: int, *, irrelevant: int = 0, seed: int = 0) -> Dataset:
    """Signals in n rows, with 21 numeric features, of 3 equally probable classes; `irrelevant` features of noise may follow.

    A signal is u * one wave + (1 - u) * another, with u uniform from 0 to 1, plus normal noise of deviation 1 at each point.
    No classifier is right on more than about 86 % of new rows. The archive's variant with 40 features has irrelevant=19.

    Raises a ValueError for n below 1.

    Source: Breiman et al. (1984), *Classification and Regression Trees*, section 2.6.2.

    >>> len(waveform(300).columns), waveform(300).schema.classes
    (21, (0, 1, 2))
    """
    require_whole_number("n", n, 1, of="rows")
    require_whole_number("irrelevant", irrelevant, 0, of="features")
    random = generator_of(seed)
    labels = random.integers(0, 3, n)
    share = random.random((n, 1))
    first, second = _WAVES[_MIXED[labels].T]
    signals = share * first + (1 - share) * second + random.standard_normal((n, _LENGTH))
    cells = np.hstack([signals, random.standard_normal((n, irrelevant))]).T.copy()
    features = [Feature(f"x{number}", "numeric") for number in range(1, len(cells) + 1)]
    return Dataset(Schema(features, "class", range(3)), cells, labels.astype(np.int8))
