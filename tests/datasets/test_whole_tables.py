"""Whole tables are those that were checked against their sources, cell by cell: a digest holds each of them."""

from hashlib import sha256

import numpy as np
import pytest
from attrs import evolve

from ftree import datasets
from ftree.datasets import agrawal, gaussian_clusters, led, monks, noisy_labels, noisy_values, waveform, with_missing

GAPS = with_missing(datasets.weather(), 0.25, seed=3)
APPLICANTS = agrawal(60, function=4, seed=5)
MAKE = {
    **{name: getattr(datasets, name) for name in ("balance_scale", "fish", "lenses", "rides", "tic_tac_toe", "weather", "xor")},
    "parity": lambda: datasets.parity(4),
    **{
        f"monks {number} {part}": lambda number=number, part=part: monks(number, part=part)
        for number in (1, 2, 3)
        for part in ("test", "train")
    },
    **{f"agrawal {number}": lambda number=number: agrawal(90, function=number, seed=2) for number in range(1, 11)},
    "agrawal with noise": lambda: agrawal(40, noise=0.5, seed=4),
    "led": lambda: led(40, noise=0.25, irrelevant=3, seed=1),
    "led by default": lambda: led(40),
    "waveform": lambda: waveform(20, irrelevant=3, seed=1),
    "clusters": lambda: gaussian_clusters(10, means=[[0, 0, 0], [5, 1, 2], [1, 1, 1]], deviations=[1, 2, 0], seed=1),
    "clusters by default": lambda: gaussian_clusters(7),
    "labels": lambda: noisy_labels(led(50), 0.5, seed=2),
    "values": lambda: noisy_values(APPLICANTS, 0.5, seed=2),
    "values of some": lambda: noisy_values(GAPS, 0.75, features=["windy", "outlook"], seed=2),
    "gaps": lambda: with_missing(APPLICANTS, 0.5, features=["age", "car"], seed=2),
    "gaps of weights": lambda: with_missing(evolve(APPLICANTS, weights=range(60)), 0.25),
}
DIGESTS = {
    "balance_scale": "60a3a2003d43",
    "fish": "f25acdee8666",
    "lenses": "0d73c332b3dc",
    "rides": "1bef0d613f50",
    "tic_tac_toe": "3bbb5d3cc6a1",
    "weather": "e5b42b232b1e",
    "xor": "3034b5c09303",
    "parity": "dcef69ff3ef6",
    "monks 1 test": "0ff8188ea259",
    "monks 1 train": "de6e81d812e2",
    "monks 2 test": "f54f466fd4c1",
    "monks 2 train": "109dbe67a021",
    "monks 3 test": "17ce5e258d03",
    "monks 3 train": "4250b701c481",
    "agrawal 1": "fcd67aa8a4c4",
    "agrawal 2": "254b2c627ecc",
    "agrawal 3": "0a82fecef07d",
    "agrawal 4": "6574771a2c53",
    "agrawal 5": "8b8c6168ae19",
    "agrawal 6": "7cc19698de5c",
    "agrawal 7": "c4fe81308c71",
    "agrawal 8": "4ad1941ff3b6",
    "agrawal 9": "7781ac49801a",
    "agrawal 10": "4ad1941ff3b6",
    "agrawal with noise": "d1a268a6a941",
    "led": "7960525970e6",
    "led by default": "216575235a5f",
    "waveform": "ea220c66b89a",
    "clusters": "1ba6d01b86a4",
    "clusters by default": "2278aea9b28d",
    "labels": "3b64188f4065",
    "values": "d32f452beb39",
    "values of some": "f4a52842a0c0",
    "gaps": "6da05be74d7c",
    "gaps of weights": "866209d92be8",
}


def digest(dataset):
    """Of names, kinds, values, cells and weights; numbers are rounded, since their last bits may depend on a platform."""
    cells = [np.round(column.astype(np.float64), 6) + 0.0 for column in (*dataset.columns, dataset.labels)]
    told = (
        repr(dataset.schema),
        [column.tolist() for column in cells],
        None if dataset.weights is None else dataset.weights.tolist(),
    )
    return sha256(repr(told).encode()).hexdigest()[:12]


@pytest.mark.parametrize("name", MAKE)
def test_a_table_is_the_one_that_was_checked(name):
    assert digest(MAKE[name]()) == DIGESTS[name]
