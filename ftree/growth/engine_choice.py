"""Choose how to grow: depth first by the native library, or level by level by a counting engine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias, get_args

from ftree import native
from ftree._lib.fields import require_n_jobs
from ftree._lib.machine import thread_pool
from ftree._lib.messages import short_repr, type_of
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import Engine, EngineSetup, MissingRows, Start
from ftree.growth.given_table import CountedTable
from ftree.growth.search import SearchSettings
from ftree.policy import Policy
from ftree.routing.missing_rules import heaviest, weighted
from ftree.splitters.missing_policies import hook
from ftree.tree.nodes import PredictionRule

# Names of engines: the native library if it is here, NumPy alone, and the native library or an error.
EngineName: TypeAlias = Literal["auto", "plain", "compiled"]
# An engine by its name, or a user's function that starts one.
EngineChoice: TypeAlias = "EngineName | Start"


def check_engine_choice(engine: EngineChoice, n_jobs: int | None) -> None:
    """Refuse an unknown engine, and a number of threads that is not a whole number from 1."""
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


@contextmanager
def started(
    table: Dataset | CountedTable, policy: Policy, settings: SearchSettings, choice: EngineChoice, n_jobs: int | None
) -> Iterator[Engine]:
    """The engine that counts level by level, with all rows in the root; its threads end with the growth."""
    missing = _rows_with_missing_values(policy)
    if not isinstance(table, Dataset):
        yield table.start_engine(policy, settings, missing)
        return
    if callable(choice) and not table.schema.has_classes:
        kind, got = table.schema.response.kind, short_repr(choice)
        raise ValueError(f"engine must be 'auto', 'plain' or 'compiled' for a target of {kind}, got {got}.")
    from ftree.growth.engines.plain_engine import plain  # noqa: PLC0415  # the native library grows most trees without it

    if not callable(choice) and not is_native(choice):
        yield plain(table, EngineSetup(missing))
        return
    with thread_pool(n_jobs) as threads:
        yield _ready(choice if callable(choice) else plain, table, EngineSetup(missing, threads))


def _ready(start: Start, table: Dataset, setup: EngineSetup) -> Engine:
    engine = start(table, setup)
    if not hasattr(engine, "totals"):
        wanted = "a function of a dataset and a setup that returns an engine (ftree.growth.engines.engine.Engine)"
        raise TypeError(f"engine must be {wanted}, got one that returns {type_of(engine)}.")
    return engine


def _rows_with_missing_values(policy: Policy) -> MissingRows:
    """How an engine divides rows with missing values: by a name, which is faster, or by the policy's own rule."""
    shares: PredictionRule = hook(policy.missing, "shares")
    if shares == _HEAVIEST:
        return "heaviest"
    return "ignore" if shares == _WEIGHTED else shares


# Made once, since a small growth takes only a third of a millisecond.
_HEAVIEST, _WEIGHTED = heaviest(), weighted()
