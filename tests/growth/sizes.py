"""Sizes at which growth changes its way, for the time of a block: they decide how a tree is grown, never which tree."""

from contextlib import contextmanager

import pytest

from ftree._lib import machine
from ftree.growth import assemble, drawn_trees, growing, split_arrays
from ftree.growth.engines import compiled_moves, compiled_state, compiled_subtrees
from ftree.growth.kernels import grow_subtrees, sorted_cuts
from ftree.growth.lanes import Lanes
from ftree.splitters import cuts

HOMES = {
    "few": (compiled_state, "_FEW"),  # distinct values of a feature that is kept as codes
    "small": (compiled_subtrees, "_SMALL"),  # cells of a node that is grown to the end at once
    "group": (compiled_subtrees, "_GROUP"),  # cells of nodes that a thread takes together
    "worth_it": (grow_subtrees, "WORTH_IT"),  # cells that are worth another thread
    "steps": (machine, "_MIN_STEPS"),  # steps of work that several threads share
    "call": (Lanes, "steps"),  # steps of rows through lanes in a call
    "drawn_call": (drawn_trees, "_STEPS"),  # steps of entries through features in a call
    "queue": (machine, "TaskQueue"),  # which hands out tasks
    "many_splits": (split_arrays, "_MANY"),  # splits of which equal ones are one object
    "few_nodes": (growing, "_FEW_NODES"),  # nodes that are objects from the start
    "many_nodes": (assemble, "_MANY_NODES"),  # nodes of which equal leaves are one object
    "many_cuts": (cuts, "_MANY"),  # cuts that the native library lists
    "entries": (compiled_moves, "MOST_ENTRIES"),  # rows and parts of rows that numbers can tell apart
    "bits": (sorted_cuts, "_BITS"),  # bits of a narrow key
}


@contextmanager
def sized(**sizes):
    """Other sizes, by the names above."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(*HOMES[name], size)
        yield
