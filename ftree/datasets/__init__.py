"""Ready tables: small tables from textbooks, enumerated ones, seeded generators, noise, and published files by name.

Every function returns a `Dataset`. Tables are computed here; only `fetch` needs the network, once for each file.
"""

from ftree.datasets.generators import agrawal, gaussian_clusters, led, noisy_labels, noisy_values, waveform, with_missing
from ftree.datasets.published import Original, fetch, names, original
from ftree.datasets.textbook import (
    auto_mpg,
    balance_scale,
    fish,
    lenses,
    monks,
    parity,
    rides,
    tic_tac_toe,
    titanic,
    weather,
    xor,
)

__all__ = [
    "Original",
    "agrawal",
    "auto_mpg",
    "balance_scale",
    "fetch",
    "fish",
    "gaussian_clusters",
    "led",
    "lenses",
    "monks",
    "names",
    "noisy_labels",
    "noisy_values",
    "original",
    "parity",
    "rides",
    "tic_tac_toe",
    "titanic",
    "waveform",
    "weather",
    "with_missing",
    "xor",
]
__dir__ = __all__.copy  # dir() shows public names only
