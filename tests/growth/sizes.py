"""Sizes at which growth changes its way, for the time of a block: they decide how a tree is grown, never which tree."""

from contextlib import contextmanager

import pytest

from ftree._lib import machine
from ftree.growth import assemble, drawn_trees, growing, split_arrays
from ftree.growth.lanes import Lanes
from ftree.splitters import cuts

HOMES = {
    "steps": (machine, "_MIN_STEPS"),  # steps of work that several threads share
    "call": (Lanes, "steps"),  # steps of rows through lanes in a call
    "drawn_call": (drawn_trees, "_STEPS"),  # steps of entries through features in a call
    "queue": (machine, "TaskQueue"),  # which hands out tasks
    "many_splits": (split_arrays, "_MANY"),  # splits of which equal ones are one object
    "few_nodes": (growing, "_FEW_NODES"),  # nodes that are objects from the start
    "many_nodes": (assemble, "_MANY_NODES"),  # nodes of which equal leaves are one object
    "many_cuts": (cuts, "_MANY"),  # cuts that the native library lists
}


@contextmanager
def sized(**sizes):
    """Other sizes, by the names above."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(*HOMES[name], size)
        yield
