"""Parts of a tree that threads grow: whatever the order in which they take turns, each hands over a part of its own."""

import sys
from threading import Barrier, Thread

import numpy as np

from ftree import native
from ftree.growth.depth_first.growing_parts import OpenNode, grown_parts
from ftree.growth.depth_first.presorted_growth import PresortedPart


class Part:
    """A part with work for two."""

    n_open = 2

    def __init__(self, name):
        self.name = name

    def is_worth_sharing(self, _):
        return True

    def handed_over(self):
        return Part(f"a part of {self.name}")


class TwoThreads:
    """Threads that work on two parts, and wait for each other before they return."""

    def __init__(self):
        self.returned, self.barrier = {}, Barrier(2)

    def run_tasks(self, _, work, __):
        threads = [Thread(target=self.run, args=(Part(name), work)) for name in ("one", "other")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run(self, part, work):
        lines = list(work.__code__.co_lines())
        last = max(line for _, _, line in lines if line)

        def trace(frame, event, _):
            if frame.f_code is work.__code__ and event == "line" and frame.f_lineno == last:
                self.barrier.wait()
            return trace

        sys.settrace(trace)
        try:
            self.returned[part.name] = [each.name for each in work(part, np.array([1]))]
        finally:
            sys.settrace(None)


def test_two_threads_that_hand_over_at_once_hand_over_each_its_own_part():
    threads = TwoThreads()
    parts = grown_parts(Part("all"), None, threads, None, n_rows=1, n_features=1)
    assert threads.returned == {name: [name, f"a part of {name}"] for name in ("one", "other")}
    assert sorted(part.name for part in parts) == ["a part of one", "a part of other", "all"]


def test_the_next_node_stays_with_its_part_however_large_it_is():
    """It may have a split that NumPy has decided."""
    part = PresortedPart.below(0, 100, np.ones(2))
    ranges = [(0, 5), (5, 20), (20, 100)]
    part.open[:3] = [OpenNode(low, high, node=number, depth=1, key=0) for number, (low, high) in enumerate(ranges, 1)]
    part.state[:2] = 4, 3
    assert part.handed_over().above == (part, 2)
    assert [each["node"] for each in part.open[: part.n_open]] == [1, 3]
    assert part.handed_over().above == (part, 1)
    assert not part.is_worth_sharing(n_features=2**20)


def test_an_open_node_has_the_fields_of_the_library_in_its_order():
    assert OpenNode._fields == native.OPEN.names
