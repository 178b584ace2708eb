"""Tasks run one after another, or by several processes, with a progress bar in a terminal or a notebook."""

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from time import perf_counter
from typing import Any

from ftree._lib.messages import short_repr
from ftree._lib.progress import is_watched
from ftree._lib.progress import progress as showing

# Seconds before a bar is shown.
_PATIENCE = 1.0


def do_all(
    work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], *, n_jobs: int = 1, progress: bool | None = None
) -> list[Any]:
    """The result of `work(*task)` for each task, in order, by `n_jobs` processes of joblib; -1 means one for each core.

    `progress` shows a bar on the standard error stream; None shows one if the stream is a terminal or a notebook, and the
    tasks take longer than a second.

    Raises an ImportError without joblib for more than one job, a ValueError for an invalid number of jobs.

    >>> do_all(divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or not n_jobs:
        message = f"n_jobs must be a whole number from 1, or -1 for all cores, got {short_repr(n_jobs)}."
        raise ValueError(message)
    results = []
    first_bar = perf_counter() + _PATIENCE * (progress is None)
    with showing(shown=is_watched() if progress is None else progress) as line:
        for result in _results(work, tasks, n_jobs):
            results.append(result)
            if perf_counter() >= first_bar:
                line.bar(len(results), len(tasks))
    return results


def _results(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_jobs: int) -> Iterator[Any]:
    if n_jobs == 1:
        return (work(*task) for task in tasks)
    try:
        from joblib import Parallel, delayed  # noqa: PLC0415  # an extra installs it
    except ImportError as error:
        message = "joblib must be installed for n_jobs other than 1: pip install 'ftrees[study]'"
        raise ImportError(message) from error
    answers: Any = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(work)(*task) for task in tasks)
    return iter(answers)
