"""Parts of a tree that threads grow, whatever the form of the table: `presorted_growth` and `table_growth` have a kind each.

One thread begins with the root's part. While another is idle, it hands over its largest open node as a part of its own; in the
end all parts are joined. A choice that the library leaves to NumPy is put into the part, which then grows on.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from threading import current_thread, main_thread
from typing import Any, NamedTuple, TypeVar

import numpy as np
from attrs import define, evolve

from ftree._lib.arrays import Array, Floats, offsets
from ftree._lib.machine import ThreadPool
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset
from ftree.growth.settings import SearchSettings
from ftree.policy import Policy
from ftree.tree.splits.split import Split

# The first numbers of a part's `state`, as `native/native.h` has them.
N_NODES, N_OPEN, IS_DECIDED = range(3)
# Rows of a node, times features, that are worth a thread of their own.
_WORTH_IT = 1 << 16


class OpenNode(NamedTuple):
    """An open node, as `Open` of `native/native.h` has it: its rows or keys, from `low` to `high`, and its number."""

    low: int
    high: int
    node: int
    depth: int
    key: int


@define(eq=False)
class GrowingPart:
    """A node of the part `above` it, by number, with all nodes below, in arrays that the library fills.

    Invariant: one thread at a time works on a part. Each node is a leaf in `nodes` until it is divided, and its children then
    stand next to each other from its `first` on. `open` is a stack of the leaves that are still to be searched, the last one
    next. A node that is handed over stays a leaf here, and is node 0 of a part of its own.

    `above` is None for the root's part. `nodes` are as the library has them, and `counts` (m, K) their counts or sums. The arrays
    may be longer than there are nodes; `state` begins with the numbers of nodes and of open nodes, and whether NumPy has decided
    the split of the next one.
    """

    above: "tuple[GrowingPart, int] | None"
    state: Array
    open: Array
    nodes: Array
    counts: Array

    @property
    def n_nodes(self) -> int:
        """The nodes so far."""
        return int(self.state[N_NODES])

    @property
    def n_open(self) -> int:
        """The nodes that are left."""
        return int(self.state[N_OPEN])

    @property
    def last_open(self) -> "OpenNode":
        """The node that was opened last."""
        return OpenNode(*self.open[self.n_open - 1].item())

    @property
    def open_rows(self) -> Array:
        """The rows of each open node."""
        open_ = self.open[: self.n_open]
        rows: Array = open_["high"] - open_["low"]
        return rows

    def decide(self, divided: tuple[Any, ...] | None) -> None:
        """Put a choice that was too close to call for the library into the node that was opened last, or make it a leaf.

        `divided` is the node with its split, as the library has it but for the number of its first child. The library then
        divides the node, as if it had found the split itself.
        """
        if divided is None:
            self.state[N_OPEN] -= 1
        else:
            self.nodes[self.last_open.node] = divided
            self.state[IS_DECIDED] = 1

    def is_worth_sharing(self, n_features: int) -> bool:
        """Whether another thread should grow the largest node that waits: any but the last one, which is next."""
        return self.n_open > 1 and int(self.open_rows[:-1].max()) * n_features >= _WORTH_IT

    def take_largest(self) -> "OpenNode":
        """Take the largest node that waits off the stack."""
        at, n = int(self.open_rows[:-1].argmax()), self.n_open - 1
        taken = OpenNode(*self.open[at].item())
        self.open[at:n] = self.open[at + 1 : n + 1]
        self.state[N_OPEN] = n
        return taken

    @abstractmethod
    def handed_over(self) -> Any:
        """The largest node that waits, as a part of its own."""
        ...


PartOfTree = TypeVar("PartOfTree", bound=GrowingPart)


def grown_parts(
    root: PartOfTree, advance: Callable[[PartOfTree], Any], threads: ThreadPool, line: Progress, *, n_rows: int, n_features: int
) -> list[PartOfTree]:
    """All parts of a tree, the root's first, each grown by `advance`, which goes on for a while."""
    parts = [root]

    def work(part: PartOfTree, idle: Array) -> list[PartOfTree]:
        while part.n_open and not (idle[0] and part.is_worth_sharing(n_features)):
            advance(part)
            if current_thread() is main_thread():
                line.level(int(part.open[0]["depth"]), part.n_open, 1 - int(part.open_rows.sum()) / n_rows)
        if not part.n_open:
            return []
        new = part.handed_over()
        parts.append(new)  # another thread may append at the same time
        return [part, new]

    threads.run_tasks([root], work, n_rows * n_features)
    return parts


def joined_nodes(parts: Sequence[GrowingPart], **sizes_of_lists: Sequence[int]) -> tuple[Array, Floats]:
    """All nodes and their counts: those of the root's part, then those of each other part.

    Node 0 of every other part has its place in the part above. All other nodes get their number plus the part's shift. If the
    second of two parts grows node 2 of the first, and both have three nodes, its nodes 0, 1 and 2 become 2, 3 and 4: the shift
    is 2. A node's field that says where it begins in a list moves behind the lists of earlier parts, whose sizes are given by
    the field's name.
    """
    sizes = [part.n_nodes for part in parts]
    shifts = offsets(np.array(sizes) - 1).tolist()
    kept = [slice(part.above is not None, size) for part, size in zip(parts, sizes, strict=True)]
    nodes = np.concatenate([part.nodes[some] for part, some in zip(parts, kept, strict=True)])
    counts = np.concatenate([part.counts[some] for part, some in zip(parts, kept, strict=True)])
    begin_of_lists = {name: offsets(np.array(each)) for name, each in sizes_of_lists.items()}
    shift_of = dict(zip(parts, shifts, strict=False))
    for number, part in enumerate(parts):
        root = 0 if part.above is None else shift_of[part.above[0]] + part.above[1]
        nodes[root] = part.nodes[0]
        places = np.append(root, np.arange(1, part.n_nodes) + shift_of[part])
        nodes["first"][places] += shift_of[part]
        for name, begin in begin_of_lists.items():
            nodes[name][places] += begin[number]
    return nodes, counts


def split_by_numpy(
    dataset: Dataset, rows: Array, policy: Policy, settings: SearchSettings, key: int = 0, **altered: Any
) -> Split | None:
    """The split that the search in NumPy finds for rows in one node, with a key for random numbers; None for a leaf.

    `altered` are the fields in which the engine is not that of these rows alone.
    """
    from ftree.growth.engines.engine import EngineSetup  # noqa: PLC0415  # few trees have a choice that is too close to call
    from ftree.growth.engines.plain_engine import plain  # noqa: PLC0415
    from ftree.growth.levels import Growth, step  # noqa: PLC0415

    engine = evolve(plain(dataset.take(rows), EngineSetup()), **altered)
    level, _ = step(Growth(dataset.schema.features, policy, settings), engine, keys=np.array([key], np.uint64))
    found: tuple[Split | None, ...] = tuple(level.splits)
    return found[0]
