"""Sizes at which growth changes its way, for the time of a block: they decide how a tree is grown, never which tree."""

from contextlib import contextmanager

import pytest

from ftree._lib import machine
from ftree._lib.machine import TaskQueue
from ftree.growth import assemble, growing, split_arrays
from ftree.growth.depth_first import growing_parts, table_columns, table_growth
from ftree.growth.depth_first.presorted_growth import PresortedPart
from ftree.growth.engines import plain_engine
from ftree.splitters import cuts

HOMES = {
    "few": (table_columns, "_FEW"),  # distinct values of a number that is kept as codes
    "worth_it": (growing_parts, "_WORTH_IT"),  # rows, times features, that are worth another thread
    "table_call": (table_growth, "_STEPS"),  # steps of rows through features in a call
    "many_codes": (plain_engine, "_MANY"),  # codes that the native library counts
    "many_cuts": (cuts, "_MANY"),  # cuts that it lists
    "steps": (machine, "_MIN_STEPS"),  # steps of work that several threads share
    "call": (PresortedPart, "steps"),  # steps of rows through sorted columns in a call
    "queue": (machine, "TaskQueue"),  # which tells tasks whether a thread is idle
    "many_splits": (split_arrays, "_MANY"),  # splits of which equal ones are one object
    "few_nodes": (growing, "_FEW_NODES"),  # nodes that are objects from the start
    "many_nodes": (assemble, "_MANY_NODES"),  # nodes of which equal leaves are one object
}


def always_idle(tasks):
    """A queue whose tasks always find a thread idle, so that one thread hands over each node that it may."""
    queue = TaskQueue(tasks)
    queue.idle += 1
    return queue


QUEUES = TaskQueue, always_idle


@contextmanager
def sized(**sizes):
    """Other sizes, by the names above."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(*HOMES[name], size)
        yield
