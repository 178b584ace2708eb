"""Which engine grows a table: the NumPy engine for small tables and policies without kernels, else the compiled one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias, get_args

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.growth.engines.numpy_engine import MissingRows, plain
from ftree.growth.engines.protocol import Engine, Start
from ftree.growth.search import Terms, criterion_of
from ftree.policy import Policy
from ftree.routing.heaviest import heaviest
from ftree.routing.weighted import weighted
from ftree.splitters.missing_hooks import hook
from ftree.tree.prediction_rule import PredictionRule

EngineName: TypeAlias = Literal["auto", "plain", "compiled"]
EngineChoice: TypeAlias = "EngineName | Start"

# From this many cells (rows times features) on the compiled engine is faster: before Numba is loaded (half a second), and after.
_LARGE, _LOADED = 200_000, 5_000
# The compiled engine numbers rows in 32 bits, with room for rows that go to several children.
_MOST_ROWS = 2**30


@contextmanager
def started(table: Dataset, policy: Policy, terms: Terms, choice: EngineChoice, n_jobs: int | None) -> Iterator[Engine]:
    """The engine with all rows in the root; its threads end with the growth."""
    missing = _rows_with_missing_values(policy)
    if callable(choice):
        yield choice(table, missing)
        return
    enough = _LOADED if "ftree.growth.engines.numba_engine" in sys.modules else _LARGE
    large = choice == "compiled" or (choice == "auto" and len(table) * len(table.columns) >= enough)
    fits = large and isinstance(missing, str) and not terms.gaps and len(table) < _MOST_ROWS
    criterion = criterion_of(table.schema.features, terms, len(table.schema.classes)) if fits else None
    if criterion is None:
        yield plain(table, missing)
        return
    # Imported here, because small tables grow without Numba.
    from ftree._lib.threads import thread_pool  # noqa: PLC0415
    from ftree.growth.engines.numba_engine import compiled  # noqa: PLC0415

    with thread_pool(n_jobs) as threads:
        yield compiled(table, missing, criterion, threads)


def _rows_with_missing_values(policy: Policy) -> MissingRows:
    """How an engine divides rows with missing values: by a name that has kernels, or by a rule of the policy's own."""
    shares: PredictionRule = hook(policy.missing, "shares")
    if shares == heaviest():
        return "heaviest"
    return "ignore" if shares == weighted() else shares


def check_engine(engine: EngineChoice, n_jobs: int | None) -> None:
    """Refuse an unknown engine, and a number of threads that is no whole number from 1."""
    if not callable(engine) and engine not in get_args(EngineName):
        message = f"engine must be one of {get_args(EngineName)}, or a function that starts an engine, got {short_repr(engine)}."
        raise ValueError(message)
    if n_jobs is not None and (not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs < 1):
        message = f"n_jobs must be a whole number of threads from 1, got {short_repr(n_jobs)}. None takes one for each processor."
        raise ValueError(message)
