"""Ready tables: small tables from textbooks, enumerated ones, seeded generators, noise, and published files by name.

Every function returns a `Dataset`. Tables are computed here; only `fetch` needs the network, once for each file.
"""

from ftree.datasets.agrawal import agrawal
from ftree.datasets.balance_scale import balance_scale
from ftree.datasets.fetch import fetch
from ftree.datasets.fish import fish
from ftree.datasets.gaussian_clusters import gaussian_clusters
from ftree.datasets.led import led
from ftree.datasets.lenses import lenses
from ftree.datasets.monks import monks
from ftree.datasets.noise import noisy_labels, noisy_values, with_missing
from ftree.datasets.originals import Original, names, original
from ftree.datasets.parity import parity, xor
from ftree.datasets.rides import rides
from ftree.datasets.tic_tac_toe import tic_tac_toe
from ftree.datasets.waveform import waveform
from ftree.datasets.weather import weather

__all__ = [
    "Original",
    "agrawal",
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
    "waveform",
    "weather",
    "with_missing",
    "xor",
]
__dir__ = __all__.copy  # dir() shows public names only
