"""The engine for a table: the NumPy engine for small tables, else the compiled one, which at least counts and moves rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ftree import native
from ftree._lib.arrays import Array
from ftree._lib.compilation import has_numba, pays, tell_of_compilation
from ftree._lib.fields import require_n_jobs
from ftree._lib.machine import thread_pool
from ftree._lib.messages import short_repr, type_of
from ftree.criteria.impurity import compiled_impurity
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import (
    Abilities,
    Criterion,
    Engine,
    EngineSetup,
    MissingRows,
    Start,
    SurrogateSearch,
    abilities_of,
)
from ftree.growth.engines.plain_engine import plain
from ftree.growth.given_table import CountedTable
from ftree.growth.kernels import records
from ftree.growth.search import Terms
from ftree.policy import Policy
from ftree.routing.missing_rules import heaviest, weighted
from ftree.splitters import by_gain_ratio, by_score, c45_min_branch, multiway, subset, threshold
from ftree.splitters.missing_policies import hook, known_share
from ftree.splitters.runs import C45_SHARE, LeastWeight
from ftree.splitters.surrogates import surrogates
from ftree.tree.nodes import PredictionRule
from ftree.tree.schema import Feature, Kind

# Names of engines: NumPy, compiled (by the native library or by Numba), or whichever is faster for the table.
EngineName: TypeAlias = Literal["auto", "plain", "compiled"]
# An engine by its name, or a user's function that starts one.
EngineChoice: TypeAlias = "EngineName | Start"
# From this many cells (rows times features) on the compiled engine is faster, if it is loaded; and seconds that the NumPy engine
# takes for a cell, in all levels together, on a machine of 2024.
_MANY, _SECONDS_PER_CELL = 5_000, 4e-6
# With fewer cells than this, NumPy has grown the tree before arrays for the native library are made.
_MANY_FOR_LIBRARY = 2_000
# NumPy's time also grows with the classes beyond the first few.
_FEW_CLASSES = 10
# The compiled engine numbers rows in 32 bits, with room for rows that go to several children.
_MOST_ROWS = 2**30


def check_engine_choice(engine: EngineChoice, n_jobs: int | None) -> None:
    """Refuse an unknown engine, and a number of threads that is not a whole number from 1."""
    if isinstance(engine, str) and engine == "compiled" and not has_numba() and not native.is_here():
        wanted = "engine='compiled' needs the native library, or numba; neither is here"
        raise ImportError(f"{wanted}: {native.REMEDY} The default needs nothing.")
    if not callable(engine) and not (isinstance(engine, str) and engine in get_args(EngineName)):
        message = f"engine must be one of {get_args(EngineName)}, or a function that starts an engine, got {short_repr(engine)}."
        raise ValueError(message)
    require_n_jobs(n_jobs)


def native_pays(cells: int, choice: EngineChoice) -> bool:
    """Whether the native library should grow trees of so many cells: it is here, and requested, or the cells are many."""
    wanted = isinstance(choice, str) and (choice == "compiled" or (choice == "auto" and cells >= _MANY_FOR_LIBRARY))
    return wanted and native.is_here()


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
    measured = not table.schema.has_classes
    if measured and callable(choice):
        kind, got = table.schema.response.kind, short_repr(choice)
        raise ValueError(f"engine must be 'auto', 'plain' or 'compiled' for a target of {kind}, got {got}.")
    fits = not measured and isinstance(missing, str) and len(table) < _MOST_ROWS and _is_worth_it(table, terms, choice)
    searched = criterion_of(table.schema.features, terms, len(table.schema.classes)) if callable(choice) or fits else None
    counts_only = not terms.gaps and not terms.several  # of single features, which compiled code counts fast
    worth = fits and (searched is not None or counts_only)
    start = choice if callable(choice) else _start_compiled if worth else plain
    with thread_pool(n_jobs) as threads:
        yield _ready(start, table, EngineSetup(missing, searched, threads, _surrogates_of(policy, terms)))


def _is_worth_it(table: Dataset, terms: Terms, choice: EngineChoice) -> bool:
    """Whether Numba's kernels should grow the tree: this is requested, or the cells are many and the kernels are compiled."""
    kind = _kind_of_kernels(terms)
    if choice == "compiled" and has_numba():
        tell_of_compilation(kind)
        return True
    cells = len(table) * len(table.columns) * max(1, len(table.schema.classes) // _FEW_CLASSES)
    return choice == "auto" and pays(kind, cells, _MANY, _SECONDS_PER_CELL)


def _kind_of_kernels(terms: Terms) -> str:
    """The kind of kernels that grow a tree by these terms."""
    is_own = isinstance(terms.impurity, compiled_impurity)
    if not is_own and records.impurity_code(terms.impurity) is None:
        return "counts"
    if terms.gaps:
        return "surrogates"
    return "trees by gain ratio" if isinstance(terms.choose, by_gain_ratio) else "trees"


def _ready(start: Start, table: Dataset, setup: EngineSetup) -> tuple[Engine, Abilities]:
    engine = start(table, setup)
    if not hasattr(engine, "totals"):
        wanted = "a function of a dataset and a setup that returns an engine (ftree.growth.engines.engine.Engine)"
        raise TypeError(f"engine must be {wanted}, got one that returns {type_of(engine)}.")
    return engine, abilities_of(engine, setup)


def _surrogates_of(policy: Policy, terms: Terms) -> SurrogateSearch | None:
    """The surrogates that an engine may find itself; None if none are requested, or if a user's policy adds them to splits."""
    missing = policy.missing
    if not terms.gaps or not isinstance(missing, surrogates):
        return None
    return SurrogateSearch(terms.gaps, missing.at_most, float(missing.least))


def _start_compiled(table: Dataset, setup: EngineSetup) -> Engine:
    # Imported here, since small tables grow without Numba.
    from ftree.growth.engines.compiled_engine import compiled  # noqa: PLC0415

    return compiled(table, setup)


def _rows_with_missing_values(policy: Policy) -> MissingRows:
    """How an engine divides rows with missing values: by a name that has kernels, or by the policy's own rule."""
    shares: PredictionRule = hook(policy.missing, "shares")
    if shares == _HEAVIEST:
        return "heaviest"
    return "ignore" if shares == _WEIGHTED else shares


# Made once, since a small growth takes only a third of a millisecond.
_HEAVIEST, _WEIGHTED = heaviest(), weighted()


# Codes of values are bytes, and one more code stands for a missing value.
_MOST_CODES = 254
# Factors within which squares of altered counts are within the range of floats.
_FACTORS = 1e-50, 1e50


def criterion_of(features: Sequence[Feature], terms: Terms, n_classes: int) -> Criterion | None:
    """The criterion for an engine that searches by itself; None if it has no kernel for a part of the policy.

    There are kernels for the library's impurities and for compiled ones, for gain and gain ratio, for both choices between
    features, and for `threshold`, `multiway` and `subset`, if each kind of feature has one splitter. Priors and costs have
    kernels for the library's impurities; functions that return minimum sizes have none.

    >>> from attrs import evolve
    >>> terms = Terms((multiway(), threshold()))
    >>> criterion_of([Feature("x", "numeric")], evolve(terms, impurity=lambda counts: counts[..., 0]), 2)
    >>> criterion_of([Feature("x", "numeric")], terms, 2).ways.tolist() == [records.THRESHOLD]
    True
    """
    kinds: set[Kind] = {feature.kind for feature in features}
    of_kind: dict[Kind, list[Any]] = {kind: [each for each in terms.splitters if kind in each.kinds] for kind in kinds}
    ways = {kind: _way(splitters) for kind, splitters in of_kind.items()}
    impurity, score = records.impurity_code(terms.impurity), records.score_code(terms.score)
    if (
        score is None
        or terms.response is not None
        or -1 in ways.values()
        or not isinstance(terms.choose, (by_score, by_gain_ratio))
        or terms.discount is not known_share
        or terms.variants is not None
        or not _has_room_for_values(features, of_kind)
    ):
        return None
    listed = np.array([ways[feature.kind] for feature in features], dtype=np.int8)
    options = _options(features, of_kind, terms)
    slack = terms.choose.slack if isinstance(terms.choose, by_gain_ratio) else None
    if isinstance(terms.impurity, compiled_impurity) and terms.factors is None:
        # Call the impurity once here, so that its errors surface outside the kernel; unequal counts reveal one that sorts them.
        terms.impurity(np.arange(n_classes, 0, -1))
        code = terms.impurity.native
        return Criterion(listed, records.OWN, score, code, options, slack=slack)
    if impurity is None or not _is_moderate(terms.factors):
        return None
    return Criterion(listed, impurity, score, None, options, terms.factors, slack)


def _way(splitters: Sequence[Any]) -> int:
    """The kind of split of features with these splitters; -1 if it has no kernel."""
    if not splitters:
        return records.NONE
    way = _WAYS.get(type(splitters[0]), -1)
    return -1 if len(splitters) > 1 or way < 0 or not _is_numeric(splitters[0].min_cases) else way


_WAYS = {threshold: records.THRESHOLD, multiway: records.MULTIWAY, subset: records.SUBSET}


def _is_numeric(least: LeastWeight) -> bool:
    return isinstance(least, c45_min_branch) or not callable(least)


def _lists_declared(splitters: Sequence[Any]) -> bool:
    """Whether splits list all declared values, including absent ones."""
    return bool(splitters) and isinstance(splitters[0], multiway) and splitters[0].empty


def _has_room_for_values(features: Sequence[Feature], of_kind: dict[Kind, list[Any]]) -> bool:
    declared = {kind for kind, splitters in of_kind.items() if _lists_declared(splitters)}
    return not declared or all(len(feature.values) <= _MOST_CODES for feature in features if feature.kind in declared)


def _is_moderate(factors: Array | None) -> bool:
    if factors is None:
        return True
    return bool(((factors == 0) | ((factors > _FACTORS[0]) & (factors < _FACTORS[1]))).all())


def _options(features: Sequence[Feature], of_kind: dict[Kind, list[Any]], terms: Terms) -> Array | None:
    """The options of each feature's splitter in numbers (F, 7); None if there are none."""
    rows = {kind: _numbers(splitters) for kind, splitters in of_kind.items()}
    if not any(map(any, rows.values())) and isinstance(terms.choose, by_score):
        return None
    options = np.array([rows[feature.kind] for feature in features]).reshape(len(features), records.N_OPTIONS)
    for number, feature in enumerate(features):
        options[number, records.EMPTY] *= len(feature.values)
        options[number, records.MANY] = number in terms.many
    return options


def _numbers(splitters: Sequence[Any]) -> list[float]:
    """The options of a splitter, without those that depend on the feature."""
    row = [0.0] * records.N_OPTIONS  # a list, since small tables grow in less than a millisecond
    if splitters:
        splitter = splitters[0]
        least = splitter.min_cases
        row[records.LEAST] = least.least if isinstance(least, c45_min_branch) else least
        row[records.SHARE], row[records.MOST] = (C45_SHARE, least.most) if isinstance(least, c45_min_branch) else (0.0, 0.0)
        row[records.MDL] = isinstance(splitter, threshold) and splitter.mdl
        row[records.EMPTY] = _lists_declared(splitters)
        row[records.EXACT] = splitter.exact if isinstance(splitter, subset) else 0
    return row
