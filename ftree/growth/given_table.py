"""What `grow` is given: a dataset as a policy prepares it, or a table that is counted elsewhere; bins, and an engine.

Growth needs of a table the schema, the number of cases, the features with missing values, and counts. So the rows need not be in
memory: anything that counts them is a table.

With `threshold(bins=...)`, growth uses only the end of each number's bin. A bin ends at a value in the data, and has the values
above the end of the bin before it. So a row goes the same way by its number and by the end of its bin, if a threshold is the end
of a bin.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, get_args, runtime_checkable

import numpy as np
from attrs import evolve, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, run_starts
from ftree._lib.fields import is_iterable, name_of, require_n_jobs
from ftree._lib.messages import short_repr, type_of
from ftree._lib.objects import cached_by_identity
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset, rows_with_weight
from ftree.growth.settings import SearchSettings
from ftree.policy import Policy
from ftree.splitters import all_parts, threshold
from ftree.splitters.missing_policies import hook
from ftree.tree.nodes import Tree
from ftree.tree.response import Counts
from ftree.tree.schema import Schema

if TYPE_CHECKING:
    from ftree.growth.engines.engine import Engine, Start

# Names of engines: the native library if it is here, NumPy alone, and the native library or an error.
EngineName: TypeAlias = Literal["auto", "plain", "compiled"]
# An engine by its name, or a user's function that starts one.
EngineChoice: TypeAlias = "EngineName | Start"
# The ends of the bins of each feature, None for one without numbers.
Ends: TypeAlias = tuple[Floats | None, ...]
TableOrCounted: TypeAlias = "Dataset | CountedTable"
TableOfGrowth = TypeVar("TableOfGrowth")


def prepared_table(dataset: TableOrCounted, policy: Policy) -> "Prepared":
    """A dataset as a policy prepares it, or a counted table, which prepares itself.

    Raises the errors of `prepared_dataset`, and a ValueError for surrogates if numbers are binned and values are missing.
    """
    # A dataset first: checking whether an object has a protocol's methods takes 16 microseconds, a fiftieth of a small growth.
    if isinstance(dataset, Dataset) or not isinstance(dataset, CountedTable):
        given = Prepared(*prepared_dataset(dataset, policy))
    else:
        require_policy(policy)
        given = Prepared(*dataset.prepared(policy))
    if given.ends is not None and hook(policy.missing, "add_surrogates") is not None and given.table.gaps():
        raise ValueError(
            f"missing must be a policy without surrogates if numbers are binned, such as ignore(), got {name_of(policy.missing)}."
        )
    return given


def fitting_limits(policy: Policy, table: TableOrCounted) -> Policy:
    """The policy with the limits that it leaves to the weights of its table: those of surrogates."""
    if hook(policy.missing, "add_surrogates") is None or not isinstance(table, Dataset):
        return policy
    from ftree.splitters.surrogates import surrogates  # noqa: PLC0415  # few policies have surrogates

    missing = policy.missing
    fits = missing.fitting(table) if isinstance(missing, surrogates) else missing
    return policy if fits is missing else evolve(policy, missing=fits)


def require_table(dataset: Any) -> None:
    """Raise a TypeError for anything but a dataset or a counted table, since other tables need a target.

    >>> require_table("people.csv")
    Traceback (most recent call last):
    TypeError: dataset must be a Dataset, got a str. For a table, or the path of a file, give target=.
    """
    if not isinstance(dataset, (Dataset, CountedTable)):
        remedy = "For a table, or the path of a file, give target=."
        raise TypeError(f"dataset must be a Dataset, got {type_of(dataset)}. {remedy}")


@runtime_checkable
class CountedTable(Protocol):
    """A table that `grow` accepts instead of a dataset; `ftree.scan` has such tables."""

    @property
    def schema(self) -> Schema:
        """The features and the classes."""
        ...

    @property
    def n_cases(self) -> float:
        """Number of cases: rows by weight."""
        ...

    def class_counts(self) -> Counts:
        """Cases of each class."""
        ...

    def gaps(self) -> frozenset[int]:
        """The numbers of the features with missing values; few policies ask, and finding them takes a scan of all rows."""
        ...

    def prepared(self, policy: Policy, /) -> "tuple[CountedTable, Ends | None]":
        """The table as the policy bins its numbers and prepares missing values, and the ends of bins, None without bins."""
        ...

    def at_observed(self, tree: Tree, /) -> Tree:
        """The tree with each numeric threshold moved down to the largest value of the table that is not above it."""
        ...

    def start_engine(self, policy: Policy, settings: SearchSettings, /) -> "Engine":
        """The engine at the root; it raises an error for a part of the policy that it does not support."""
        ...


@frozen(eq=False)
class Prepared:
    """A table as a policy prepares it, and the ends of the bins that the policy requests, None for a policy without bins."""

    table: TableOrCounted
    ends: Ends | None = None


def watched(table: TableOfGrowth, line: Progress) -> TableOfGrowth | CountedTable:
    """The table, which reports its progress to a line if it can, by a method `watched`, and the line is shown."""
    watch: Callable[[Progress], CountedTable] | None = getattr(table, "watched", None)
    return table if line.stream is None or watch is None else watch(line)


# A dataset as a policy prepares it


def prepared_dataset(dataset: Dataset, policy: Policy) -> tuple[Dataset, Ends | None]:
    """The rows with a weight above 0, with numbers binned and missing values prepared by the policy; and the ends of bins.

    Raises a TypeError for arguments of other types, a ValueError for a dataset without cases, and for bins that do not fit.

    >>> prepared_dataset(Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[1, 0]), Policy())[0]
    Dataset of 1 row, weighted: x0 nominal(2) -> class: 0 1, 1 0
    """
    require_policy(policy)
    rows, most = rows_with_weight(dataset), bins_of(policy)
    binned, ends = (rows, None) if most is None else in_requested_bins(rows, most)
    prepared = hook(policy.missing, "prepare")(binned)
    if not isinstance(prepared, Dataset):
        raise TypeError(f"prepare of {name_of(policy.missing)} must return a Dataset, got {type_of(prepared)}.")
    if prepared.schema.has_classes:
        return prepared, ends
    from ftree.growth.regression import at_root  # noqa: PLC0415  # trees of classes do without it

    return at_root(prepared, policy), ends


def require_policy(policy: Any) -> None:
    """Raise a TypeError for anything that is not a policy.

    >>> require_policy("ID3")
    Traceback (most recent call last):
    TypeError: policy must be a Policy, got a str. Use ID3, or ID3.stopping(max_depth(3)).
    >>> require_policy([0, 1, 1])
    Traceback (most recent call last):
    TypeError: policy must be a Policy, got a list. Labels belong to their rows: Dataset.from_rows(rows, labels).
    """
    if not isinstance(policy, Policy):
        remedy = "Use ID3, or ID3.stopping(max_depth(3))."
        if is_iterable(policy) and not isinstance(policy, str):
            remedy = "Labels belong to their rows: Dataset.from_rows(rows, labels)."
        raise TypeError(f"policy must be a Policy, got {type_of(policy)}. {remedy}")


# Requested bins


# Thresholds move to ends; ends closer than this share of the largest number could not be told apart then.
_NEAR = 4e-12


@cached_by_identity
def bins_of(policy: Policy) -> int | None:
    """The number of bins that a policy requests, None for none.

    Raises a ValueError unless all its splitters of numbers request the same number.

    >>> from ftree import ID3
    >>> from ftree.splitters import multiway
    >>> bins_of(ID3), bins_of(evolve(ID3, splits=(multiway(), threshold(bins=255))))
    (None, 255)
    """
    every = [splitter for splitter in all_parts(policy.splits) if "numeric" in splitter.kinds]
    asking = {splitter.bins for splitter in every if isinstance(splitter, threshold) and splitter.bins is not None}
    most = max(asking, default=None)
    for splitter in every if asking else ():
        if not hasattr(splitter, "parts") and getattr(splitter, "bins", None) != most:
            raise ValueError(f"splits must have threshold(bins={most}) for all numeric features, got {name_of(splitter)}.")
    return most


def ends_of_bins(values: Floats, cases: Array, most: int) -> Floats:
    """The ends of at most `most` bins with about equally many cases each, given distinct values in order and their cases.

    A bin ends at the first value up to which a whole number of shares of the cases lies; the last end is the largest value.

    >>> ends_of_bins(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 1, 1]), 2).tolist()
    [2.0, 4.0]
    """
    if len(values) > most:
        upto = np.cumsum(cases)
        values = values[np.unique(np.append(np.searchsorted(upto, ranks(upto[-1].item(), most)), len(values) - 1))]
    largest = np.abs(values).max(initial=0.0)
    ends: Floats = values[np.append(np.diff(values) > _NEAR * largest, True)] if len(values) else values
    return ends


def ranks(total: float, most: int) -> list[float]:
    """The number of cases up to the end of each bin but the last, exact for whole numbers.

    >>> ranks(10, 4)
    [3, 5, 8]
    """
    # Python's whole numbers do not overflow.
    return [-(-total * number // most) if isinstance(total, int) else total * number / most for number in range(1, most)]


def in_requested_bins(dataset: Dataset, most: int) -> tuple[Dataset, Ends]:
    """The rows with each number replaced by the end of its bin, and the ends of each feature's bins, None without numbers."""
    pairs = zip(dataset.schema.features, dataset.columns, strict=True)
    ends = tuple(_ends(column, dataset.weights, most) if feature.kind == "numeric" else None for feature, column in pairs)
    columns = [
        column if own is None else np.append(own, np.nan)[np.searchsorted(own, column)]  # NaN comes behind all ends
        for column, own in zip(dataset.columns, ends, strict=True)
    ]
    return evolve(dataset, columns=columns), ends


def _ends(column: Floats, weights: Array | None, most: int) -> Floats:
    known = ~np.isnan(column)
    numbers, own = column[known].astype(np.float64), None if weights is None else weights[known]
    if own is None:
        numbers = np.sort(numbers)
    else:
        order = np.argsort(numbers, kind="stable")
        numbers, own = numbers[order], own[order]
    starts = run_starts(numbers)
    cases = np.diff(np.append(starts, len(numbers))) if own is None else np.add.reduceat(own, starts) if len(starts) else own
    return ends_of_bins(numbers[starts], cases, most)


# The engine


def check_engine_choice(engine: EngineChoice, n_jobs: int | None) -> None:
    """Refuse an unknown engine, and an invalid number of threads."""
    if isinstance(engine, str) and engine == "compiled" and not native.is_here():
        wanted = "engine='compiled' needs the native library, which is not here"
        raise ImportError(f"{wanted}: {native.REMEDY} The default needs nothing.")
    if not callable(engine) and not (isinstance(engine, str) and engine in get_args(EngineName)):
        message = f"engine must be one of {get_args(EngineName)}, or a function that starts an engine, got {short_repr(engine)}."
        raise ValueError(message)
    require_n_jobs(n_jobs)


def is_native(choice: EngineChoice) -> bool:
    """Whether the native library grows the trees that it knows: it is here, and no other engine is requested."""
    return choice in ("auto", "compiled") and native.is_here()
