"""The engine for a table: the NumPy engine for small tables, else the compiled one, which at least counts and moves rows."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias, get_args

from ftree._lib.compilation import compiled_code_is_due, tell_of_compilation
from ftree._lib.fields import require_n_jobs
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.growth.counted_table import CountedTable
from ftree.growth.criterion import criterion_of
from ftree.growth.engines.fused import SurrogateSearch
from ftree.growth.engines.numpy_engine import plain
from ftree.growth.engines.protocol import Abilities, Engine, EngineSetup, MissingRows, Start, abilities_of
from ftree.growth.search import Terms
from ftree.policy import Policy
from ftree.routing.heaviest import heaviest
from ftree.routing.weighted import weighted
from ftree.splitters import JointSplitter
from ftree.splitters.missing_hooks import hook
from ftree.splitters.surrogates import surrogates
from ftree.tree.prediction_rule import PredictionRule

# Names of engines: NumPy, compiled, or whichever is faster for the table.
EngineName: TypeAlias = Literal["auto", "plain", "compiled"]
# An engine by its name, or a user's function that starts one.
EngineChoice: TypeAlias = "EngineName | Start"

# From this many cells (rows times features) on the compiled engine is faster: before Numba is loaded (half a second), and after.
_LARGE, _LOADED = 200_000, 5_000
# Seconds that the NumPy engine takes for a cell, in all levels together, on a machine of 2024.
_SECONDS_PER_CELL = 5e-6
# The compiled engine numbers rows in 32 bits, with room for rows that go to several children.
_MOST_ROWS = 2**30


@contextmanager
def started(
    table: Dataset | CountedTable, policy: Policy, terms: Terms, choice: EngineChoice, n_jobs: int | None
) -> Iterator[tuple[Engine, Abilities]]:
    """The engine with all rows in the root, and its abilities; its threads end with the growth."""
    missing = _rows_with_missing_values(policy)
    if not isinstance(table, Dataset):
        engine = table.start_engine(policy, terms, missing)
        yield engine, abilities_of(engine, EngineSetup(missing))
        return
    fits = isinstance(missing, str) and len(table) < _MOST_ROWS and _is_worth_it(table, choice)
    searched = criterion_of(table.schema.features, terms, len(table.schema.classes)) if callable(choice) or fits else None
    worth = fits and (searched is not None or _needs_counts_only(terms))
    start = choice if callable(choice) else _start_compiled if worth else plain
    if start is plain:
        yield _ready(plain, table, EngineSetup(missing, searched))
        return
    # Imported here, since small tables grow without threads.
    from ftree._lib.threads import thread_pool  # noqa: PLC0415

    with thread_pool(n_jobs) as threads:
        yield _ready(start, table, EngineSetup(missing, searched, threads, _surrogates_of(policy, terms)))


def _needs_counts_only(terms: Terms) -> bool:
    """Whether a search needs only the counts of single features, which the compiled engine counts fast."""
    return not terms.gaps and not any(isinstance(splitter, JointSplitter) for splitter in terms.splitters)


def _is_worth_it(table: Dataset, choice: EngineChoice) -> bool:
    """Whether compiled code should grow the tree: it is requested, or the table is large enough and the code is compiled."""
    if choice == "compiled":
        tell_of_compilation()
        return True
    cells = len(table) * len(table.columns)
    enough = _LOADED if "ftree.growth.engines.numba_engine" in sys.modules else _LARGE
    return choice == "auto" and cells >= enough and compiled_code_is_due(cells * _SECONDS_PER_CELL)


def _ready(start: Start, table: Dataset, setup: EngineSetup) -> tuple[Engine, Abilities]:
    engine = start(table, setup)
    return engine, abilities_of(engine, setup)


def _surrogates_of(policy: Policy, terms: Terms) -> SurrogateSearch | None:
    """The surrogates that an engine may find itself; None if none are requested, or if a user's policy adds them to splits."""
    missing = policy.missing
    return SurrogateSearch(terms.gaps, missing.at_most) if terms.gaps and isinstance(missing, surrogates) else None


def _start_compiled(table: Dataset, setup: EngineSetup) -> Engine:
    # Imported here, since small tables grow without Numba.
    from ftree.growth.engines.numba_engine import compiled  # noqa: PLC0415

    return compiled(table, setup)


def _rows_with_missing_values(policy: Policy) -> MissingRows:
    """How an engine divides rows with missing values: by a name that has kernels, or by the policy's own rule."""
    shares: PredictionRule = hook(policy.missing, "shares")
    if shares == _HEAVIEST:
        return "heaviest"
    return "ignore" if shares == _WEIGHTED else shares


# Made once, since a small growth takes only a third of a millisecond.
_HEAVIEST, _WEIGHTED = heaviest(), weighted()


def check_engine_choice(engine: EngineChoice, n_jobs: int | None) -> None:
    """Refuse an unknown engine, and a number of threads that is not a whole number from 1."""
    if not callable(engine) and engine not in get_args(EngineName):
        message = f"engine must be one of {get_args(EngineName)}, or a function that starts an engine, got {short_repr(engine)}."
        raise ValueError(message)
    require_n_jobs(n_jobs)
