"""Points of docs/comparison.md that can be tried: a file for each library, a function without arguments for each point."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Points: TypeAlias = Mapping[str, Callable[[], Any]]


def refuses(call: Callable[[], object]) -> bool:
    """Whether a call raises an error."""
    try:
        call()
    except Exception:  # noqa: BLE001  # any refusal answers the question
        return True
    return False
